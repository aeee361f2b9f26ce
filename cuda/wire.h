/* The protocol between a CUDA program and warpbeam, which runs its kernels.
 *
 * The library in the program (cuda/) sends a message over a socket and waits for the reply; data go
 * through a window of memory that both have mapped, valid from a message to its reply. warpbeam
 * trusts nothing of what it receives. The environment variable has the two descriptors, as
 * "SOCKET,WINDOW". Both sides are of one build: there is one version. */
#ifndef CUDA_WIRE_H
#define CUDA_WIRE_H

#include <stdint.h>

#define WIRE_VERSION 1u
#define WIRE_VARIABLE "WARPBEAM_CUDA"
#define WIRE_WINDOW_BYTES (UINT64_C(8) << 20)
#define WIRE_MOST_PARAMS 4096u
#define WIRE_QUEUE_BYTES 4096u /* of a launch with WIRE_QUEUE, at most */

/* What a message asks for; a: its arguments, in parentheses; then those of the reply. */
enum wire_op {
	WIRE_HELLO,   /* (version): the first message */
	WIRE_GOODBYE, /* (): the program ends by itself: what is pending runs */
	WIRE_CODE,    /* (bytes, enum wire_code) window: a piece of a fat binary -> module */
	WIRE_KERNEL,  /* (module, bytes) window: name -> kernel, parameters; window: wire_kernel */
	/* (module, bytes, the program loads the module itself: it hears what is wrong with it)
	 * window: name -> address, bytes, managed; the first time that a managed one is asked for
	 * with the descriptor of its pages. Of a module that cannot be compiled a[3]: bytes of why
	 * in the window */
	WIRE_SYMBOL,
	WIRE_LAUNCH, /* () window: wire_launch and the parameters' bytes */
	WIRE_ALLOC,  /* (bytes, 0, 1: shared, with the descriptor of its pages, or 2: that may be
			written at any time) -> address */
	WIRE_FREE,   /* (address) */
	WIRE_FIND,   /* (address) -> the allocation's address and bytes, 0: none */
	WIRE_WRITE,  /* (to, bytes, stream) window */
	WIRE_READ,   /* (from, bytes, stream) -> window */
	WIRE_COPY,   /* (to, from, bytes, stream) */
	WIRE_FILL,   /* (to, bytes, stream, value of a byte) */
	WIRE_SYNC,   /* (stream, or WIRE_ALL) */
	WIRE_STREAM, /* (enum wire_stream) -> stream */
	WIRE_STREAM_END,  /* (stream) */
	WIRE_EVENT,       /* () -> event */
	WIRE_EVENT_END,   /* (event) */
	WIRE_RECORD,      /* (event, stream) */
	WIRE_WAIT,        /* (event): until it has happened */
	WIRE_STREAM_WAIT, /* (stream, event) */
	WIRE_ELAPSED,     /* (event, event) -> nanoseconds, signed */
	WIRE_DEVICE,      /* () -> window: wire_device */
	WIRE_MEMORY,      /* () -> free, all bytes */
	WIRE_OCCUPANCY,   /* (kernel, threads, dynamic shared bytes) -> CTAs of an SM */
	WIRE_RESET,       /* (): frees everything */
	WIRE_TEXTURE,     /* () window: wire_texture -> texture; the same as a surface */
	WIRE_TEXTURE_END, /* (texture) */
	WIRE_HEAP,        /* (bytes; 0: only asks) -> the bytes of kernels' malloc() */
	/* (module, bytes, texture) window: name of a reference; 0: only whether it is there */
	WIRE_BIND,
	WIRE_TEXT, /* () -> bytes in the window: text that kernels printed */
	/* (bytes), then these bytes: a wire_launch, its parameters; no reply: what is wrong with
	 * it is the status of the next one */
	WIRE_QUEUE,
	WIRE_MIPMAP, /* () window: wire_mipmap */
	WIRE_LACKS,  /* (bytes) window: a library of the program that cannot work here */
	WIRE_OPS
};

struct wire_message {
	uint32_t op;     /* of a reply: bytes of printed text that wait for WIRE_TEXT, at most */
	uint32_t status; /* of a reply: a cudaError_t */
	uint64_t a[6];   /* of a reply, a[5]: launches are pending */
};

/* Where a piece belongs: it begins a module, or another fat binary of one, or continues. */
enum wire_code { WIRE_CODE_MORE, WIRE_CODE_NEXT, WIRE_CODE_MODULE };

/* Device memory begins here; a program reserves the range, so that no host pointer looks like a
 * device pointer, and maps shared allocations at their device addresses. */
#define WIRE_DEVICE_BASE (UINT64_C(4) << 30)
#define WIRE_DEVICE_BYTES (UINT64_C(64) << 30)

enum wire_stream { WIRE_STREAM_BLOCKING, WIRE_STREAM_NON_BLOCKING };

/* Streams: 0 is the default one, for which all blocking ones wait; then those of WIRE_STREAM. */
#define WIRE_ALL UINT64_MAX

struct wire_param {
	uint32_t offset, bytes;
};

struct wire_kernel {
	uint64_t shared_bytes, local_bytes, most_dynamic_bytes;
	uint32_t registers, most_threads, nparams, param_bytes;
	uint32_t arch, binary; /* of the PTX: 80 for compute_80; of the chip */
	struct wire_param params[WIRE_MOST_PARAMS];
};

struct wire_launch {
	uint64_t kernel, stream, shared_bytes;
	uint32_t grid[3], block[3];
	uint32_t cooperative, param_bytes;
};

#define WIRE_SRGB 2u

/* Texels in device memory, with the distances of rows and slices, and how fetches read them. */
struct wire_texture {
	uint64_t address, row_bytes, slice_bytes;
	uint32_t width, height, depth;
	uint32_t type, channels;               /* enum texel_type */
	uint32_t mode[3];                      /* enum address_mode */
	uint32_t as_float, linear, normalised; /* as_float: 1, or WIRE_SRGB */
};

/* The next level of a mipmap, each a texture. */
struct wire_mipmap {
	uint64_t texture, smaller;
	float bias, least, most; /* of the level that is read */
	uint32_t blend;
};

struct wire_device {
	char name[256];
	uint64_t memory_bytes, constant_bytes, l2_bytes;
	uint64_t shared_bytes, cta_shared_bytes,
		reserved_shared_bytes; /* of an SM; a CTA; each CTA */
	uint32_t sms, registers, warps, ctas, clock_khz, memory_khz, bus_bits, major, minor;
};

#endif
