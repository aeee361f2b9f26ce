#!/bin/sh
# Makes every workload's PTX from its CUDA-C: 32-bit addressing (NAME.ptx) and 64-bit (NAME.64.ptx).
#	workloads/ptx.sh            writes the files
#	workloads/ptx.sh --check    compares instead: status 1 when a file is not what its source gives
# No CUDA SDK is needed. CLANG chooses the compiler; the committed files come from clang-14. Instructions
# keep the lines of their source (-gline-directives-only); what else the compiler writes for debuggers,
# labels and sections that no instruction refers to, is left out. The first line has the POSIX cksum of
# what follows it, so that a run can report that the file was changed.
set -eu

CLANG=${CLANG:-clang-14}
flags="-x cuda --cuda-device-only --cuda-gpu-arch=sm_35 --cuda-path=/nonexistent -nocudainc -nocudalib
	-std=c++14 -O2 -S -Wall -Wextra -fms-extensions -fdeclspec -ffp-contract=fast -iquote ..
	-Xclang -target-feature -Xclang +ptx50 -gline-directives-only -fdebug-compilation-dir=."
flags=$(echo $flags)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
check=${1:-}
status=0

# one NAME BITS FILE
one() {
	$CLANG $flags -m$2 -o "$tmp/raw" "$1.cu"
	{
		echo "// Made by workloads/ptx.sh from $1.cu with, in this folder:"
		echo "// clang-14 $flags -m$2 $1.cu"
		sed -e '/^Ltmp[0-9]*:$/d' -e '/^Lfunc_\(begin\|end\)[0-9]*:$/d' \
			-e '/^[[:space:]]*\.section[[:space:]]/d' -e 's|"\./|"|' "$tmp/raw"
	} >"$tmp/body"
	{
		echo "// Do not edit. Sum: $(cksum <"$tmp/body")"
		cat "$tmp/body"
	} >"$tmp/ptx"
	if [ "$check" = --check ]; then
		cmp "$tmp/ptx" "$3" || status=1
	else
		cp "$tmp/ptx" "$3"
	fi
}

cd "$(dirname "$0")"
for source in */*.cu; do
	name=$(basename "$source" .cu)
	cd "$(dirname "$source")"
	one "$name" 32 "$name.ptx"
	one "$name" 64 "$name.64.ptx"
	cd ..
done
exit $status
