#!/usr/bin/env bash
# What tools/embedded-ptx reads out of an intermediate file of nvcc: the PTX, not the machine code before it.
set -u
tool=$(cd "$srcdir" && pwd -P)/tools/embedded-ptx || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "embedded_ptx: $*"
	exit 1
}

# "\t.version 2.2\n\t// twelve\n" and zeros; $1 is the label.
host_code() {
	printf '%s\n' 'asm(' '"__deviceText_$sm_20$:\n"' '".quad 0x4141414141414141\n"' ');' 'asm(' \
		'".section .rodata\n"' "\"__deviceText_\$$1\$:\\n\"" \
		'".quad 0x6f69737265762e09,0x2f090a322e32206e\n"' \
		'".quad 0x65766c657774202f,0x000000000000000a\n"' ');' '".quad 0x4141414141414141\n"'
}

host_code compute_20 >"$scratch/a.cu.cpp"
"$tool" "$scratch/a.cu.cpp" >"$scratch/a.ptx" || fail "exit code $?"
printf '\t.version 2.2\n\t// twelve\n' | cmp - "$scratch/a.ptx" || fail "another text"
host_code sm_13 >"$scratch/b.cu.cpp"
"$tool" "$scratch/b.cu.cpp" >"$scratch/b.ptx" 2>"$scratch/err" && fail "a file without PTX is accepted"
grep -q 'b.cu.cpp: no PTX in it' "$scratch/err" || fail "another message: $(cat "$scratch/err")"
[ ! -s "$scratch/b.ptx" ] || fail "machine code is printed"
echo "embedded_ptx: passed"
