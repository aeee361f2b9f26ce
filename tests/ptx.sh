#!/bin/sh
# The PTX beside each workload's CUDA-C is what clang-14 makes of it, byte for byte.
set -eu

if ! command -v "${CLANG:-clang-14}" >/dev/null; then
	echo 'ptx: clang-14 is missing, nothing compared'
	exit 77
fi
"${srcdir:-.}/workloads/ptx.sh" --check
