/* A test program's fat binary, as compilers put it in: the file CUDA_FATBIN. */
#ifndef TESTS_PRELOAD_FATBIN_H
#define TESTS_PRELOAD_FATBIN_H

#include <stddef.h>
#include <stdint.h>

__asm__(".section .nv_fatbin,\"a\"\n.balign 8\nfatbin_bytes: .incbin \"" CUDA_FATBIN "\"\n"
	".previous\n");
extern const char fatbin_bytes[] __asm__("fatbin_bytes");
static const struct {
	uint32_t magic, version;
	const void *data, *parts;
} wrapper = {0x466243b1u, 1, fatbin_bytes, NULL};

#endif
