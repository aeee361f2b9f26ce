#!/bin/sh
# The PTX beside CUDA-C is what clang-14 makes of it, byte for byte: the workloads' and the tests'.
set -eu

if ! command -v "${CLANG:-clang-14}" >/dev/null; then
	echo 'ptx: clang-14 is missing, nothing compared'
	exit 77
fi
status=0
"${srcdir:-.}/workloads/ptx.sh" --check || status=1
"${srcdir:-.}/tests/programs/ptx.sh" --check || status=1
exit $status
