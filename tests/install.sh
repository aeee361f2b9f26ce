#!/usr/bin/env bash
# What make install leaves: a program that works without the tree it was built in, wherever both are moved to,
# and has no path of that tree; and make uninstall leaves no file and no folder.
set -u
build=$(cd "$(dirname "$WARPBEAM")" && pwd -P) || exit 1
top=$(cd "$srcdir" && pwd -P) || exit 1
scratch=$(mktemp -d) || exit 1
scratch=$(cd "$scratch" && pwd -P)
trap 'rm -rf "$scratch"' EXIT
unset WARPBEAM_DATADIR WARPBEAM_LIBDIR MAKEFLAGS MFLAGS MAKELEVEL

fail() {
	echo "install: $*"
	exit 1
}

# Installs what is built, and builds nothing.
run_make() {
	"${MAKE:-make}" -s -C "$build" -o warpbeam -o build-id.c "DESTDIR=$scratch/root" "$@" >"$scratch/log" 2>&1 || {
		cat "$scratch/log"
		fail "make $*"
	}
}

# The program of folder $1 runs a workload from folder $2, called as $3.
runs() {
	(cd "$2" && "$3" run vectoradd --set vectoradd.n=32 --set chip.sms=1 --quiet --json "$scratch/out.json") \
		>"$scratch/log" 2>&1 || {
		cat "$scratch/log"
		fail "$1: $3 does not run in $2"
	}
}

runs "where it was built" / "$build/warpbeam"
runs "where it was built" "$build" ./warpbeam
ln -s "$build/warpbeam" "$scratch/linked"
runs "where it was built, through a link" "$scratch" ./linked

run_make install-exec install-data
program=$(find "$scratch/root" -type f -name warpbeam)
data=$(find "$scratch/root" -type d -path '*/warpbeam/workloads')
{ [ -x "$program" ] && [ -d "$data" ]; } || fail "no program or no workloads below DESTDIR"
cmp -s "$program" "$build/warpbeam" || fail "what is installed is not what was built"

# The configured folder may hold an older installation: this one differs from it and must be the one that is read.
sed -i.orig 's/^\.visible \.entry/! &/' "$data"/vectoradd/*.ptx
mv "$scratch/root" "$scratch/moved"
moved=$scratch/moved${program#"$scratch/root"}
if (cd / && "$moved" run vectoradd --quiet) >"$scratch/log" 2>&1; then
	fail "the program that was moved reads other workloads than those beside it"
fi
mv "$scratch/moved" "$scratch/root"
for file in "$data"/vectoradd/*.orig; do
	mv "$file" "${file%.orig}"
done
mv "$scratch/root" "$scratch/moved"
runs "moved" / "$moved"
runs "moved" "$(dirname "$moved")" ./warpbeam
(PATH=$(dirname "$moved"):$PATH && runs "moved, found in PATH" / warpbeam) || exit 1
mv "$scratch/moved" "$scratch/root"

# Where the program looks for itself, the workloads and the CUDA runtime.
own=()
for file in "$program" "$data" $(find "$scratch/root" -name 'libcudart*'); do
	file=$(dirname "$file")
	own+=(-e "${file#"$scratch/root"}")
done

# Sanitizers and coverage keep names of their own; the configured folders may be in the tree.
if grep -Eq '^(CC|CFLAGS|CPPFLAGS|LDFLAGS) = .*(-fsanitize|--coverage|-fprofile)' "$build/Makefile"; then
	echo "install: sanitizers: build paths not looked for"
elif grep -q '^MAP_FLAGS = -ffile-prefix-map' "$build/Makefile"; then
	tr -c '[:print:]' '\n' <"$program" | grep -vF "${own[@]}" >"$scratch/strings"
	for path in "$build" "$top" $(sed -n 's/^abs_top_[a-z]*dir = //p' "$build/Makefile"); do
		held=$(grep -F "$path/" "$scratch/strings" || grep -xF "$path" "$scratch/strings")
		[ -z "$held" ] || fail "the program holds" "$held"
	done
fi

run_make uninstall
left=$(find "$scratch/root" -mindepth 1)
[ -z "$left" ] || fail "uninstall left" "$left"
