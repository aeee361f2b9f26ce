#!/usr/bin/env bash
# tools/compat distinguishes programs that pass, fail, are refused, take too long, crash or have a check that
# notices nothing, and the list of programs is one of those that were drawn.
set -eu
top=$(cd "$srcdir" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

while IFS=$'\t' read -r folder _; do
	case $folder in \#*) continue ;; esac
	grep -qhx "$folder" "$top/tests/compat/drawn.txt" "$top/tests/compat/drawn-second.txt" || { echo "$folder was not drawn" && exit 1; }
done <"$top/tests/compat/programs.tsv"

# A simulator that runs the program alone, and programs that are scripts.
cat >"$scratch/warpbeam" <<'END'
#!/bin/bash
while [ "$1" != -- ]; do
	[ "$1" != --json ] || json=$2
	shift
done
shift
[ ! -f report ] || cp report "$json"
"$@"
END
chmod +x "$scratch/warpbeam"
# program NAME TEXT...: a program, and a row of the list, after those of the call before
program() {
	mkdir -p "$scratch/all/set/$1"
	printf '#!/bin/bash\n%s\n' "${@:2}" >"$scratch/all/set/$1/main"
	chmod +x "$scratch/all/set/$1/main"
	printf 'set/%s\tmain\t-\t-\tPASS\tFAIL\n' "$1" >>"$scratch/list"
}
program sound 'if [ "${FALSIFY-}" = all ]; then echo FAIL; else echo PASS; fi'
program third 'if [ "${FALSIFY-}" = third ]; then echo FAIL; else echo PASS; fi'
program blind 'echo PASS'
program wrong 'echo "warpbeam: cycle 1,000, 20 warp instructions/s" >&2; echo FAIL'
program both 'echo PASS; echo FAIL'
program silent 'echo done'
program refused 'echo "warpbeam: cudaThing is not supported" >&2; exit 1'
program ended 'echo PASS; exit 3'
program crash 'kill -SEGV $$'
program long 'while :; do :; done'
program lost 'exit'
cat >"$scratch/all/set/sound/report" <<'END'
{"settings": [{"value": "kernel"}], "launches": [{"kernel": "a", "timed_ctas": 0}, {"kernel": "a",
  "timed_ctas": 10, "ctas": 10},
  {"kernel": "b", "timed_ctas": 0, "ctas": 4}
]}
END
printf 'set/left\t-\t-\twith no input\t-\t-\n' >>"$scratch/list"
rm "$scratch/all/set/lost/main"

export WARPBEAM=$scratch/warpbeam COMPAT_LIST=$scratch/list COMPAT_PAGE=$scratch/page COMPAT_SECONDS=1
"$top/tools/compat" "$scratch/all" >"$scratch/out" 2>&1
# is NAME TEXT: the page's row of NAME begins with TEXT behind its name
is() {
	grep -qF "| set $1 | $2" "$scratch/page" || {
		echo "$1 is not: $2" && cat "$scratch/page" && exit 1
	}
}
is sound 'passes | 1/3 | all |'
is third 'passes | - | third |'
is blind 'passes | - | passes |'
is wrong 'fails | - | - |'
is both 'fails |'
is silent 'says nothing | - | - | done |'
is refused 'refused | - | - | cudaThing is not supported |'
is ended 'fails |'
is crash 'crash |'
is long 'long | - | - | longer than 1 s |'
is lost 'not built |'
grep -q -- '^- set/left: with no input$' "$scratch/page"
grep -q 'Of 11 programs 2 pass a check that noticed falsified results.' "$scratch/page"

# refuses TEXT ARGUMENT...: exit 2, and TEXT is said
refuses() {
	local text=$1 said status=0
	shift
	said=$("$top/tools/compat" "$@" 2>&1) || status=$?
	case $status:$said in
	2:*"$text"*) ;;
	*) echo "$* gave $status: $said" && exit 1 ;;
	esac
}
refuses 'which folder?'
refuses 'which folder?' ''
refuses 'is no folder' "$scratch/nothing"
refuses 'unlisted is not in' "$scratch/all" unlisted
WARPBEAM=$scratch/nothing refuses 'is no program' "$scratch/all"
COMPAT_LIST=$scratch/nothing refuses 'cannot read' "$scratch/all"
echo 'one	two' >>"$scratch/list"
refuses 'list:13: 2 fields, not 6' "$scratch/all"
