#!/bin/sh
# The Python package reads what warpbeam writes; the guide's example of it runs.
set -eu
srcdir=${srcdir:-.}
warpbeam=${WARPBEAM:-./warpbeam}
python=$(command -v python3) && "$python" -c 'import sqlite3, unittest' || exit 77
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
"$warpbeam" sweep vectoradd scalarprod --over chip.sms=2,4 --quiet --out "$d/s.sqlite" \
	--json "$d/s.json" >"$d/out" 2>"$d/err" || {
	grep -q 'built without SQLite' "$d/err" && exit 77
	cat "$d/err"
	exit 1
}
"$warpbeam" run vectoradd --set chip.sms=4 --quiet --json "$d/r.json" --csv "$d/r.csv" >"$d/out"
"$warpbeam" profile scalarprod --set chip.sms=4 --quiet --json "$d/p.json" --csv "$d/p.csv" \
	--sqlite "$d/p.sqlite"
"$warpbeam" exec vectoradd --quiet --json "$d/e.json"
"$warpbeam" reproduce table4.5 --quiet --json "$d/t.json"
top=$(cd "$srcdir" && pwd)
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$top/python"
"$python" "$top/tests/python.py" "$d"

# the guide's example
"$warpbeam" sweep vectoradd --over chip.sms=2,4 --over chip.bytes_per_ns=64,256 --quiet \
	--out "$d/results.sqlite" >"$d/out"
sed -n '/^```python$/,/^```$/{/^```/!p;}' "$top/doc/guide.md" >"$d/example.py"
(cd "$d" && "$python" example.py >out)
grep -q '^4 [1-9]' "$d/out" && [ "$(grep -c . "$d/out")" = 2 ] && [ -s "$d/sweep.svg" ]
