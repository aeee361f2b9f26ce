#!/usr/bin/env bash
# warpbeam completion: what bash offers; every name in the other shells' scripts, which those take that are here.
set -u
program=$(cd "$(dirname "$WARPBEAM")" && pwd)/$(basename "$WARPBEAM")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
warpbeam() { "$program" "$@"; }
compopt() { :; } # works in a completion only

fail() {
	echo "completion: $*"
	exit 1
}

for shell in bash fish zsh; do
	warpbeam completion $shell >$shell || fail "$shell: exit $?"
	if command -v $shell >/dev/null; then
		$shell -n $shell || fail "$shell does not take its script"
	fi
done
source ./bash
touch scale.ptx scale.yaml
mkdir -p folder

# offers WORDS LINE..: what completes the last word of the line, without those of the folder's path.
offers() {
	local words=$1
	shift
	COMP_WORDS=(warpbeam "$@")
	COMP_CWORD=$#
	_warpbeam warpbeam "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	[ "${COMPREPLY[*]}" = "$words" ] || fail "warpbeam $*: offers '${COMPREPLY[*]}', not '$words'"
}
offers 'reproduce replay' re
offers 'vectoradd' run vec
offers 'scale.ptx' check scale.p
offers '--size' run --si
offers 'small full' run vectoradd --size ''
offers '' run vectoradd --threads ''
offers 'v100' run --chip v1
offers 'sm.warps=' run nn --set sm.warps
offers 'sm.warps' params sm.warps
offers 'folder' run --ptx-dir fo
offers 'dct8x8' reproduce fig7 dct
offers 'mei-fig9' reproduce mei-fig9
offers 'dram' replay d
offers 'bash fish zsh' completion ''
offers '' stats s
offers '' cuda -- vec

# All names of the manual's tables, which other tests compare with the program's.
"$program" --help --man >man || fail "--help --man: exit $?"
names=$(sed -n '/^\.SH COMMANDS/,/^\.SH OPTIONS/s/^\\fB\([a-z]*\)\\fR.*/\1/p' man)
options=$(sed -n 's/^\\fB\\-\\-\([a-z\\-]*\)\\fR.*/\1/p' man | tr -d '\\' | sort -u)
[ "$(wc -w <<<"$names")" -gt 20 ] && [ "$(wc -w <<<"$options")" -gt 60 ] || fail "no names in the manual"
for name in $names; do
	grep -q "^	$name)" bash && grep -q "^	$name)" zsh && grep -q -- "-a $name -d " fish || fail "no $name"
done
for option in $options; do
	grep -q -- " --$option[ ']" bash && grep -q -- "--$option\[" zsh && grep -q -- " -l $option " fish ||
		fail "no --$option"
done

warpbeam completion tcsh >out 2>err
[ $? = 2 ] && [ "$(<err)" = "warpbeam: completion: there is no 'tcsh'; there are bash, fish, zsh" ] ||
	fail "tcsh: $(<err)"
