/* What a workload's host side does, as a file that a CUDA program carries out
 * (tests/preload/host.c): host_log_op each, with its bytes. Numbers are the host's. */
#ifndef TESTS_RIG_HOST_LOG_H
#define TESTS_RIG_HOST_LOG_H

#include <stdint.h>

enum host_log_kind {
	HOST_MODULE,   /* id; bytes: a fat binary */
	HOST_KERNEL,   /* id, module a; bytes: its name */
	HOST_VARIABLE, /* memory id, module a, size b; bytes: its name */
	HOST_ALLOC,    /* memory id, size b */
	HOST_WRITE,    /* memory id, offset a; bytes */
	HOST_POINTER,  /* memory id, offset a, of memory b at offset c */
	HOST_ARRAY,    /* memory id; bytes: a host_log_texture: memory that is an array of texels */
	HOST_TEXTURE,  /* texture id; bytes: host_log_texture */
	HOST_BIND,     /* reference id, module a; bytes: host_log_texture, the reference's name */
	HOST_LAUNCH,   /* kernel id, stream a, shared bytes b; bytes: host_log_launch, arguments */
	HOST_WAIT
};

struct host_log_op {
	uint32_t kind, id;
	uint64_t a, b, c, bytes;
};

/* Of struct texture, except the address. */
struct host_log_texture {
	uint64_t memory, offset, row_bytes;
	uint32_t width, height, depth;
	uint32_t type, channels, mode[3];
	uint32_t as_float, linear, normalised, unused;
};

/* Then each argument: memory (0: none) or texture, offset in it, and 8 bytes more: size; then its
 * bytes. */
struct host_log_launch {
	uint32_t grid[3], block[3], nargs, unused;
};
struct host_log_argument {
	uint64_t memory, texture, offset, size;
};

#endif
