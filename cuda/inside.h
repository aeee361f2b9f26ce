/* What the parts of the library share. */
#ifndef CUDA_INSIDE_H
#define CUDA_INSIDE_H

#include "cuda/types.h"
#include "cuda/wire.h"

#include <stdbool.h>

/* Exported: what programs call. Everything else is the library's own (version.map). */
#define API __attribute__((visibility("default")))

/* The name of a function for programs compiled with --default-stream per-thread. */
#define ALSO(name, other) API __typeof__(name)(other) __attribute__((alias(#name)))

#define HOST_MAPPED 2u /* cudaHostAllocMapped */

/* ---- the connection: one call at a time, over all threads */
struct call {
	struct wire_message m;
	unsigned char *window;
};

/* Connects if that has not happened, and takes the connection. cudaSuccess; else an error, and
 * nothing is taken. */
cudaError_t call_begin(struct call *);
/* Sends the message and awaits its reply, which replaces it; what kernels printed goes to stdout.
 * May be called repeatedly. */
cudaError_t call_do(struct call *, enum wire_op);
/* Sends a launch without awaiting a reply; false: it is too large for that, or not sent. */
bool call_queue(const void *launch, size_t n);
/* Gives the connection to other threads, and returns `result`, which is noted (noted()). */
cudaError_t call_end(struct call *, cudaError_t result);

/* All three, with up to four arguments; the reply in *m unless it is NULL. */
cudaError_t call_simply(enum wire_op, uint64_t a, uint64_t b, uint64_t c, struct wire_message *m);

/* Notes an error as the thread's last one; returns it. */
cudaError_t noted(cudaError_t);
/* The thread's last error; `forget`: then there is none, unless the device is lost. */
cudaError_t last_error(bool forget);

/* Where that is noted. */
int *last_error_at(void);

/* A line on stderr, with the prefix "warpbeam: ". */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same once for each name. */
cudaError_t not_supported(const char *name);

/* Whether launches were pending at the last reply. */
bool call_pending(void);

/* The descriptor that came with the last reply, or -1; the caller's. */
int call_descriptor(void);
/* ---- memory that host and device share: out of the host's reach while launches are pending */
void shared_protect(bool pending);
/* An allocation for cudaHostAlloc; open: the host may touch it at any time. */
cudaError_t shared_pinned(void **out, size_t n, bool open);
/* After its freeing, within a call: the address is the device's again. False: it is not shared. */
bool shared_forget(void *);
/* Within a call, after a reply with a descriptor: maps a managed variable's pages at its address.
 */
cudaError_t shared_variable(uint64_t address, size_t n);
/* Frees all but variables; what the host registered is its own again. */
cudaError_t shared_end_all(void);
/* What such memory is; false: the address is not the host's of any. */
bool shared_attributes(const void *, cudaPointerAttributes *);
/* Whether it is a device address that the host cannot touch; within a call. */
bool shared_forbids(const void *);
/* Whether n bytes, n > 0, are of one managed allocation; within a call. */
bool shared_managed(const void *, size_t n);
/* Within a call: runs what is pending, if any memory is shared that is not open. */
cudaError_t shared_settle(struct call *);
/* What an address is that the host may not be able to use; also in a signal's handler. */
enum shared_kind { SHARED_NONE, SHARED_MANAGED, SHARED_MAPPED, SHARED_REGISTERED, SHARED_DEVICE };
enum shared_kind shared_kind_of(const void *);

/* Within a call, again and again: a SIGSEGV is explained before the program's own action. */
void faults_watch(void);

/* ---- handles: NULL is no memory, or no such thing */
enum handle_kind {
	HANDLE_POOL,
	HANDLE_GRAPH,
	HANDLE_NODE,
	HANDLE_EXEC,
	HANDLE_OBJECT,
	HANDLE_CONTEXT,
	HANDLE_MODULE,
	HANDLE_FUNCTION,
	HANDLE_LINK,
	HANDLE_REFERENCE,
	HANDLE_STREAM,
	HANDLE_EVENT,
	HANDLE_ARRAY,
	HANDLE_MIPMAP
};
void *handle_new(enum handle_kind, void *thing);
void *handle_find(enum handle_kind, const void *handle);
void handle_end(enum handle_kind, const void *handle);
/* The first of the kind behind *at, which begins as 0; NULL: there are no more. */
void *handle_next(enum handle_kind, uint32_t *at);

/* ---- pools of memory, within no call: what is idle and too much is given back if nothing is
 * pending */
void pools_settle(void);
/* All memory is gone, and the pools that the program made. */
void pools_forget(void);
/* The memory of graphs is gone; there are no graphs. */
void graph_memory_forget(void);
/* That address is freed otherwise, if it is of a pool. */
void pool_forget(void *);
/* Whether it was freed, and is not given back yet. */
bool pool_has_idle(const void *);
cudaError_t pool_allocate(void *pool, void **out, size_t n, cudaStream_t);
/* Whether a graph allocated it: it is free now, or *e. */
bool graph_memory_free(void *, cudaError_t *e);

/* ---- stream capture: what it forbids the thread for now */
cudaError_t capture_forbids(void);
bool capture_is_active(void);

/* Whether the address is of memory that the program registered and the device does not share, or
 * one of the n bytes from there on. */
bool is_pinned(const void *, size_t n);
/* None is registered any longer. */
void pinned_end_all(void);
/* The program's own memory from now on, or no longer; false: it was not. */
cudaError_t pinned_register(void *, size_t n);
bool pinned_unregister(const void *);

/* ---- streams: of the handle, the other side's number; not within a call. False: there is no such.
 */
bool stream_number(cudaStream_t, uint64_t *number);
bool event_number(cudaEvent_t, uint64_t *number);
/* Whether the default stream does not wait for it. */
bool stream_apart(cudaStream_t);
/* Whether no stream means the thread's own, for calls of this thread from now on. */
void stream_own_default(bool);
/* A library of the program, of that file name, cannot work here: noted for the end. */
void library_lacks(const char *library);

/* ---- what each of the driver's contexts owns, in the order in which it ends with the context */
enum owned_kind {
	OWNED_TEXTURE,
	OWNED_ARRAY,
	OWNED_MIPMAP,
	OWNED_MEMORY,
	OWNED_HOST,
	OWNED_REGISTERED,
	OWNED_EVENT,
	OWNED_STREAM,
	OWNED_MODULE
};
/* What the runtime made is the thread's context's, if the program made that one; what has ended is
 * no context's; not within a call. */
void owned_new(enum owned_kind, uint64_t handle);
void owned_ended(enum owned_kind, uint64_t handle);
/* All has ended but modules, which end. */
void owned_forget(void);

/* ---- what the program has registered */
struct function {
	struct function *next; /* of those with the same hash */
	const void *host;
	const char *name;
	struct code *code;
	bool known; /* the rest is valid */
	uint64_t kernel;
	uint32_t nparams, param_bytes;
	struct wire_param *params;
	cudaFuncAttributes attributes;
	int most_dynamic;        /* shared memory, where the program asks for it */
	bool told;               /* that it did not */
	struct wire_launch sure; /* one that was accepted; others like it need no reply */
};

/* A module's variable, or texture reference. */
struct variable {
	struct variable *next, *after; /* after: of managed ones */
	const void *host;
	const char *name;
	struct code *code;
	size_t bytes;
	uint64_t address; /* 0: not asked yet; of a reference, the texture that is kept */
	void **pointer;   /* of a managed one, which the program reads; else NULL */
	bool texture;
	int as_float; /* of a reference: integers are read as floats */
};

#define DEFAULT_SHARED_BYTES (48 << 10) /* of a CTA, unless its kernel asks for more */

/* cudaFuncSetAttribute, within a call. */
cudaError_t function_set(struct function *, int attribute, int value);
/* The kernel, its module loaded; within a call. NULL: *why. */
struct function *function_find(struct call *, const void *host, cudaError_t *why);
struct variable *variable_find(struct call *, const void *host, cudaError_t *why);
/* Whether the program has registered code. */
bool runtime_is_used(void);

/* ---- the same of a fat binary that the program loads: within a call; names are copied. Loaded, it
 * is compiled, and its bytes are not needed any more. */
struct code *code_load(struct call *, unsigned char *const *fatbins, unsigned n, cudaError_t *why);
/* After cudaErrorInvalidPtx of that: the words of why, that many bytes. */
const char *code_why(const struct call *, size_t *n);
struct function *code_function(struct call *, struct code *, const char *name, cudaError_t *why);
struct variable *code_variable(struct call *, struct code *, const char *name, cudaError_t *why);

/* Whether there is such a texture reference, and how it is read. */
bool reference_reads(const void *host, int *as_float);
/* Binds it; within a call. */
cudaError_t reference_bind(struct call *, const void *host, uint64_t texture);
/* Replaces the texture that lives as long as the binding: the one before, 0: none. */
uint64_t reference_keep(const void *host, uint64_t texture);
/* There are no textures. */
void references_forget(void);
/* The same of a module that was loaded; texture 0: only whether there is such a reference. */
cudaError_t code_bind(struct call *, struct code *, const char *name, uint64_t texture);

/* ---- copies, within a call; the host's pointer is one of the program's */
cudaError_t copy_in(struct call *, uint64_t to, const void *from, size_t n, uint64_t stream);
cudaError_t copy_out(struct call *, void *to, uint64_t from, size_t n, uint64_t stream);
/* Any kind. */
cudaError_t copy_any(void *to, const void *from, size_t n, int kind, uint64_t stream);
/* Whether the address is of device memory. */
bool is_device(struct call *, const void *);

/* ---- launches */
struct shape {
	dim3 grid, block;
	size_t shared;
	bool cooperative;
};

/* Where each value is, or, values being NULL, all bytes as the kernel has them. */
struct arguments {
	void **values;
	const void *bytes;
	size_t n;
};

/* Values, or of a launch's "extra" list: 1, bytes, 2, their number, 0. */
struct arguments arguments_of(void **values, void **extra);
/* Within a call. */
cudaError_t function_launch(struct call *, struct function *, const struct shape *,
	const struct arguments *, uint64_t stream);
/* Whether the attributes make a launch cooperative. */
cudaError_t launch_attributes(const cudaLaunchAttribute *, unsigned n, bool *cooperative);
/* The parameters' bytes, f->param_bytes. */
cudaError_t function_pack(const struct function *, const struct arguments *, unsigned char *out);

/* Rows, and slices of rows, at distances in bytes. */
struct box {
	uintptr_t at;
	size_t row, slice;
};
/* Copies n.depth slices of n.height rows of n.width bytes; not within a call. */
cudaError_t copy_box(
	const struct box *to, const struct box *from, cudaExtent n, int kind, cudaStream_t);
cudaError_t copy_rows(
	const struct box *to, const struct box *from, cudaExtent n, int kind, uint64_t stream);
/* What a copy of the description copies: n.width in bytes. */
cudaError_t copy_boxes(const cudaMemcpy3DParms *, struct box *to, struct box *from, cudaExtent *n);
/* Sets rows of elements. */
cudaError_t fill_rows(const cudaMemsetParams *, uint64_t stream);
/* Where n bytes of the symbol are from `offset` on, in a copy of that kind, `host` or within the
 * device. */
cudaError_t symbol_place(
	const void *symbol, size_t n, size_t offset, int kind, int host, uint64_t *address);

/* ---- arrays */
struct cudaArray {
	cudaArray_t handle;
	cudaChannelFormatDesc format;
	cudaExtent extent; /* texels; 0: of fewer dimensions */
	unsigned flags;
	size_t texel, row, slice; /* bytes */
	uint64_t at;
	bool level; /* of a mipmap, which frees it */
};
/* NULL: there is no such array. */
struct cudaArray *array_find(cudaArray_t);
cudaError_t array_new(struct cudaArray **out, const cudaChannelFormatDesc *, cudaExtent,
	unsigned flags, bool level);
/* A texel's bytes, or why there are no such texels. */
cudaError_t format_texel(const cudaChannelFormatDesc *, size_t *bytes);
/* Frees an array, also a level. */
cudaError_t array_free(struct cudaArray *);
/* The array of a level; NULL: there is none, or no such mipmap. */
const struct cudaArray *mipmap_level(cudaMipmappedArray_t, unsigned level);
/* Their memory is gone. */
void arrays_forget(void), mipmaps_forget(void);

/* What the program prefers is the default. */
void preferences_forget(void);

/* Facts of the device, which must be 0; not within a call. */
cudaError_t device_facts(int device, struct wire_device *);

#endif
