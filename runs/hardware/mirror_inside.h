/* Private to runs/hardware/mirror*.c: what a mirror has on the GPU. */
#ifndef RUNS_MIRROR_INSIDE_H
#define RUNS_MIRROR_INSIDE_H

#include "runs/hardware/mirror.h"

#define CUDA_NOT_FOUND 500

/* A buffer of the model on the GPU. */
struct mirrored {
	cuda_address at; /* 0: none yet */
	uint64_t bytes;
	bool absent;          /* the driver does not know the variable */
	bool variable;        /* of a module: the driver has made and filled it */
	bool left;            /* the host has no use for its bytes */
	bool constant;        /* no kernel writes it */
	unsigned char *seen;  /* what the GPU's has, as far as the host knows */
	unsigned char *first; /* what a variable had at first, as the driver made it */
};

struct mirrored_module {
	void *module;
	cuda_address clocks; /* of a mirror with clocks */
	bool layered;        /* its textures of depth are arrays of layers */
	bool rows;           /* it has fetches from textures of one dimension, */
	bool whole_texels;   /* by whole numbers, as from linear memory */
};

/* A write by the host, before a batch. */
struct mirror_write {
	buffer_t buffer;
	uint64_t offset, bytes;
	unsigned char *data;
	unsigned batch;
};

/* A texture that launches use: an array with a copy of the buffer's bytes, or the buffer itself. */
struct mirrored_texture {
	struct texture of; /* what it was made from */
	module_t module;   /* whose fetches it is for */
	void *array;       /* NULL: linear memory */
	bool surface;
	cuda_texture handle; /* 0: bound to references only */
};

/* A reference of a module as a batch finds it bound. */
struct mirror_binding {
	unsigned batch;
	module_t module;
	const char *name;
	unsigned texture; /* of the mirror's */
};

/* Whatever must be released, in the order of its making. */
enum owned_kind {
	OWNED_MODULE,
	OWNED_MEMORY,
	OWNED_ARRAY,
	OWNED_TEXTURE,
	OWNED_SURFACE,
	OWNED_STREAM,
	OWNED_EVENT
};
struct owned {
	enum owned_kind kind;
	uint64_t handle;
};

struct mirror_stream {
	unsigned id;
	void *stream;
};

/* A table that grows in the arena. */
#define MIRROR_TABLE(type) \
	struct { \
		type *at; \
		unsigned n, most; \
	}

struct mirror {
	struct driver *d;
	struct gpu *gpu;
	struct files *files;
	struct arena *arena;
	bool clocked;
	struct err wrong; /* of addresses that were asked for between runs */
	MIRROR_TABLE(struct mirrored) buffers;
	MIRROR_TABLE(struct mirrored_module) modules;
	MIRROR_TABLE(struct mirror_write) writes;
	MIRROR_TABLE(struct mirrored_texture) textures;
	MIRROR_TABLE(struct mirror_binding) bindings;
	MIRROR_TABLE(struct mirror_kernel) kernels;
	MIRROR_TABLE(struct mirror_launch) launches;
	MIRROR_TABLE(struct mirror_stream) streams;
	MIRROR_TABLE(struct owned) owned;
	MIRROR_TABLE(void *) events;
	MIRROR_TABLE(void **) params; /* of each launch: what cuLaunchKernel takes */
	unsigned batches, runs, most_runs;
	double *span_ms; /* by run */
};

/* Makes the table one entry larger, which is zero; returns the entries. */
void *mirror_grow(struct mirror *, void *table, size_t size);
#define MIRROR_ADD(m, table) \
	(((m)->table.at = mirror_grow((m), &(m)->table, sizeof(*(m)->table.at))), \
		&(m)->table.at[(m)->table.n - 1])

/* Remembers what must be released. */
void mirror_own(struct mirror *, enum owned_kind, uint64_t handle);

/* Loads modules and takes memory that the GPU does not have yet. 0 or -1. */
int mirror_prepare(struct mirror *, struct err *);

/* mirror_clocks.c: a module's text with clocks, which replaces *text (mem_free); where they are in
 * the loaded module; a launch between readings. 0 or -1. */
int mirror_clocked_text(const char *path, char **text, struct err *);
int mirror_find_clocks(struct mirror *, struct mirrored_module *, struct err *);
int mirror_launch_clocked(struct mirror *, unsigned i, struct err *);

/* mirror_run.c: queues launch i; waits until all that was queued is complete. 0 or -1. */
int mirror_launch_now(struct mirror *, unsigned i, struct err *);
int mirror_wait(struct mirror *, const char *what, struct err *);

/* The device's address of the model's, which is inside a buffer. */
cuda_address mirror_translate(const struct mirror *, uint64_t address);

/* mirror_texture.c: makes what the references of a launch's kernel need, and notes how they are
 * bound in the batch. 0 or -1. */
int mirror_bind(struct mirror *, const struct program *, module_t, struct err *);
/* The handle for an argument of a kernel. 0 or -1. */
int mirror_handle(struct mirror *, const struct program *, module_t, texture_t, uint64_t *handle,
	struct err *);
/* Before a batch: copies buffers to the arrays of textures, and binds references. 0 or -1. */
int mirror_fill_textures(struct mirror *, unsigned batch, struct err *);
/* After it: copies arrays of surfaces back to buffers. 0 or -1. */
int mirror_empty_surfaces(struct mirror *, struct err *);

#endif
