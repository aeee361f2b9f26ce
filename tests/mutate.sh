#!/usr/bin/env bash
# The faults of tests/mutations/ can be planted, those that survived have a reason, and tools/mutate
# refuses lists in which that is not so. Planting them is `make mutate`.
set -eu
top=$(cd "$srcdir" && pwd)
"$top/tools/mutate" --check

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tools" "$scratch/core" "$scratch/tests/core" "$scratch/tests/mutations"
cp "$top/tools/mutate" "$scratch/tools"
printf 'int a = 1;\nint b = 1;\n' >"$scratch/core/x.c"
echo 'int main(void) { return 0; }' >"$scratch/tests/core/test_x.c"
list=$scratch/tests/mutations/core.txt

# entry FILE OLD NEW TEST: a list of one fault
entry() {
	printf '== one %s\nA rule.\n- %s\n+ %s\ntests: %s\n' "$@" >"$list"
}
# refuses TEXT: the check fails and says TEXT
refuses() {
	if said=$("$scratch/tools/mutate" --check 2>&1); then
		echo "accepted: $1" && exit 1
	fi
	case $said in
	*"$1"*) ;;
	*) echo "$1: said $said" && exit 1 ;;
	esac
}
entry core/x.c 'a = 1' 'a = 2' core/test_x
"$scratch/tools/mutate" --check
cp "$list" "$scratch/sound"
entry core/x.c 'c = 1' 'c = 2' core/test_x
refuses 'the text of core/one occurs 0 times in core/x.c'
entry core/x.c '= 1' '= 2' core/test_x
refuses 'occurs 2 times'
entry core/x.c 'a = 1' 'a = 1' core/test_x
refuses 'changes nothing'
entry core/y.c 'a = 1' 'a = 2' core/test_x
refuses 'core/y.c is no file'
entry core/x.c 'a = 1' 'a = 2' core/test_y
refuses 'there is no tests/core/test_y.c'
cat "$scratch/sound" "$scratch/sound" >"$list"
refuses 'a second core/one'
sed '/^A rule/d' "$scratch/sound" >"$list"
refuses 'does not say which rule'

cp "$scratch/sound" "$list"
result=$scratch/tests/mutations/RESULT.txt
echo 'core/one core/x.c seen by core/test_x' >"$result"
"$scratch/tools/mutate" --check
echo 'core/one core/x.c SURVIVED' >"$result"
refuses 'core/one survived, and no reason is given'
echo 'no test: it is equivalent' >>"$list"
"$scratch/tools/mutate" --check
: >"$result"
refuses 'core/one has no line'
echo 'core/two core/x.c SURVIVED' >"$result"
refuses 'core/two is in no list'
