#!/usr/bin/env bash
# The libraries that CUDA programs are linked with need nothing but the C library.
set -u
cuda=$(dirname "$WARPBEAM")/cuda
[ -e "$cuda/libcudart.so.13" ] || exit 77
command -v nm >/dev/null || exit 77
bad=0

# Of a shared library each undefined name has a version of the C library, or is weak.
for library in libcudart.so.13 libcudart.so.12 libcudart.so.11.0 libcuda.so.1; do
	names=$(nm -D --undefined-only "$cuda/$library") || exit 1
	other=$(printf '%s\n' "$names" | grep -vE '^ *[wv] ' | grep -vE '@(GLIBC_[0-9.]*|GCC_[0-9.]*)$')
	if [ -n "$other" ]; then
		printf '%s: %s needs\n%s\n' cuda_names "$library" "$other"
		bad=1
	fi
done

# The static library needs what the shared one does, without versions, and of pthreads what is inside that.
plain() { sed 's/@.*//; s/^.* //' | grep -vE '^(_GLOBAL_OFFSET_TABLE_|pthread_.*)$' | sort -u; }
other=$(comm -23 <(nm -u "$cuda/libcudart_static.a" | grep -E '^ +U ' | plain) \
	<(nm -D -u "$cuda/libcudart.so.13" | plain))
if [ -n "$other" ]; then
	printf '%s: libcudart_static.a needs\n%s\n' cuda_names "$other"
	bad=1
fi
[ $bad = 0 ] && echo "cuda_names: passed"
exit $bad
