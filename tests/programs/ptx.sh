#!/bin/sh
# Makes the PTX of the small programs, with 32-bit and 64-bit addressing: from CUDA-C, and from PTX
# written by hand (NAME.ptx.in), where .addr is the type of an address and `.version old` for
# the PTX of 2009, as far as it knows such addresses.
#	tests/programs/ptx.sh            writes the files
#	tests/programs/ptx.sh --check    compares instead: status 1 when a file is not what its source gives
# No CUDA SDK is needed. CLANG chooses the compiler; the committed files come from clang-14.
set -eu

CLANG=${CLANG:-clang-14}
flags="-x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-path=/nonexistent -nocudainc -nocudalib
	-std=c++14 -O2 -S -Wall -Wextra -fms-extensions -fdeclspec -ffp-contract=off -iquote ../..
	-Xclang -target-feature -Xclang +ptx60"
flags=$(echo $flags)
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
check=${1:-}
status=0

# install_made FILE: what was made belongs there
install_made() {
	if [ "$check" = --check ]; then
		cmp "$tmp" "$1" || status=1
	else
		cmp -s "$tmp" "$1" || cp "$tmp" "$1"
	fi
}

# compiled NAME BITS FILE
compiled() {
	{
		echo "// Made by tests/programs/ptx.sh from $1.cu. Do not edit. The command, in this folder:"
		echo "// clang-14 $flags -m$2 $1.cu"
		$CLANG $flags -m$2 -o - "$1.cu"
	} >"$tmp"
	install_made "$3"
}

# written NAME BITS FILE
written() {
	{
		echo "// Made by tests/programs/ptx.sh from $1.ptx.in. Do not edit."
		old='.version 1.4\n.target sm_11'
		[ "$2" = 32 ] || old=".version 2.3\n.target sm_20\n.address_size $2"
		sed -e "s/\.version old/$old/" -e "s/\.address_size addr/.address_size $2/" \
			-e "s/\.addr\>/.u$2/g" "$1.ptx.in"
	} >"$tmp"
	install_made "$3"
}

cd "$(dirname "$0")"
for source in *.cu; do
	compiled "${source%.cu}" 32 "${source%.cu}.ptx"
	compiled "${source%.cu}" 64 "${source%.cu}.64.ptx"
done
for source in *.ptx.in; do
	[ -f "$source" ] || continue
	written "${source%.ptx.in}" 32 "${source%.ptx.in}.ptx"
	written "${source%.ptx.in}" 64 "${source%.ptx.in}.64.ptx"
done
exit $status
