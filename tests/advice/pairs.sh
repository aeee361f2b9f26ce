#!/bin/sh
# Makes pairs.ptx from pairs.cu. No CUDA SDK is needed. CLANG chooses the compiler; the committed file
# comes from clang-14.
set -eu

cd "$(dirname "$0")"
${CLANG:-clang-14} -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-path=/nonexistent -nocudainc \
	-nocudalib -std=c++14 -O2 -S -m32 -Wall -Wextra \
	-fms-extensions -fdeclspec -ffp-contract=fast -Xclang -target-feature -Xclang +ptx60 \
	-gline-directives-only -fdebug-compilation-dir=. \
	-o - pairs.cu |
	sed -e '/^Ltmp[0-9]*:$/d' -e '/^Lfunc_\(begin\|end\)[0-9]*:$/d' \
		-e '/^[[:space:]]*\.section[[:space:]]/d' -e 's|"\./|"|' >pairs.ptx
