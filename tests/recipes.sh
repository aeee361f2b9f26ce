#!/usr/bin/env bash
# The guide's recipes for sweeps on several machines: GNU parallel's, by parallel or by xargs, and Kubernetes',
# each pod's command with the index that it would have. Each must give the rows of the same sweep in one process.
set -eu
top=$(cd "$srcdir" && pwd)
build=$(cd "$(dirname "$WARPBEAM")" && pwd)
grep -q '^#define HAVE_SQLITE 1' "$build/config.h" || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PATH=$build:$PATH
cd "$scratch"
sweep='sweep vectoradd --quiet --set chip.sms=1 --over sm.alu_cycles=1..16'

# The block after the line that begins with the words.
block() {
	awk -v words="$1" 'index($0, words) == 1 { found = 1 } found && /^```/ { if (open) exit; open = 1; next }
		found && open' "$top/doc/guide.md"
}

# Merges the parts, and compares the rows.
check() {
	warpbeam sweep --quiet --merge "$1.sqlite" plan.*.sqlite --csv "$1.csv"
	cmp "$1.csv" whole.csv || { echo "recipes: $1: other rows than in one process" >&2; exit 1; }
	rm -f plan.*.sqlite
}

warpbeam $sweep --out whole.sqlite --csv whole.csv
warpbeam $sweep --plan plan.json --shards 16

# GNU parallel
block 'GNU parallel' >recipe
grep -q '^parallel ' recipe || { echo "recipes: the guide has no recipe for GNU parallel" >&2; exit 1; }
if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
	sed 's/ --sshlogin [^ ]*//' recipe >local
	bash -eu local >log 2>&1 || { cat log >&2; exit 1; }
else
	command=$(tr -d '\\\n' <recipe | sed 's/.* \(warpbeam .*\) ::: .*/\1/')
	indices=$(sed -n 's/.* ::: //p' recipe)
	eval "printf '%s\n' $indices" | xargs -P 2 -I '{}' sh -c "$command" >log 2>&1 || { cat log >&2; exit 1; }
fi
check parallel

# Kubernetes
block 'A Kubernetes job' >job.yaml
if python3 -c 'import yaml' 2>/dev/null; then
	python3 - <<'P'
import yaml
job = yaml.safe_load(open('job.yaml'))
assert job['kind'] == 'Job' and job['spec']['completionMode'] == 'Indexed', job
pod = job['spec']['template']['spec']
assert {m['name'] for c in pod['containers'] for m in c['volumeMounts']} == {v['name'] for v in pod['volumes']}, pod
P
fi
completions=$(sed -n 's/^ *completions: *//p' job.yaml)
command=$(tr '\n' ' ' <job.yaml | sed -n "s/.*command: \[sh, -c, '\([^']*\)'\].*/\1/p")
[ -n "$completions" ] && [ -n "$command" ] || { echo "recipes: the guide's job has no command" >&2; exit 1; }
i=0
while [ $i -lt "$completions" ]; do
	JOB_COMPLETION_INDEX=$i sh -c "$command" >log 2>&1 || { cat log >&2; exit 1; }
	i=$((i + 1))
done
check kubernetes
echo "recipes: GNU parallel and Kubernetes, $completions shards each: the rows of one process"
