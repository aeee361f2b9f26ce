/* What the files of the driver's functions share. */
#ifndef CUDA_DRIVER_INSIDE_H
#define CUDA_DRIVER_INSIDE_H

#include "cuda/driver/driver.h"
#include "cuda/inside.h"

/* Results that the runtime's errors have no number for, or another one. */
enum {
	DRIVER_NOT_INITIALIZED = 3,
	DRIVER_INVALID_IMAGE = 200,
	DRIVER_INVALID_CONTEXT = 201,
	DRIVER_NO_BINARY = 209,
	DRIVER_FILE_NOT_FOUND = 301,
	DRIVER_NOT_FOUND = 500,
	DRIVER_CONTEXT_DESTROYED = 709
};

/* The runtime's error as a result. */
int driver_result(cudaError_t);
/* Why the thread can do nothing: cuInit was not called, or it has no context. */
int driver_ready(void);

/* cuda/driver/context.c: the handle of the thread's context; whether the program made it. */
void *context_current(void);
bool context_is_made(void);

/* cuda/driver/owned.c. */
/* The thread's context owns what was made. A result: there may be no memory for that. */
int owned_made(enum owned_kind, uint64_t handle);
/* Ends all that the context owns. */
int owned_end_all(const void *context);

/* cuda/driver/image.c: fat binaries, each of which is allocated. */
struct images {
	unsigned char **bytes;
	unsigned n;
};
/* Adds a fat binary, those that a wrapper or what was linked has, or PTX. A result. */
int images_add(struct images *, const void *image);
/* All in one image, allocated, of *n bytes; NULL: no memory. */
unsigned char *images_linked(const struct images *, size_t *n);
#define LINKED "warplink" /* it begins with that, and their number in 8 bytes */
void images_free(struct images *);
/* Of the options' values, buffers for text are made empty, with their bytes' number 0. A result. */
int image_options(unsigned n, const int *options, void **values);
/* Where a linker writes what is wrong. */
struct image_log {
	char *text; /* NULL: nowhere */
	size_t room;
	void **bytes; /* the value that becomes the bytes' number, or NULL */
};
/* Of options, before image_options. */
struct image_log image_log_of(unsigned n, const int *options, void **values);
void image_log_write(const struct image_log *, const char *text, size_t n);
/* The file's bytes and a zero, allocated; NULL: it cannot be read. */
char *image_file(const char *path, size_t *bytes);

/* cuda/driver/module.c: cuModuleUnload without waiting. */
void module_end(const void *handle);
/* NULL: there is no such module. */
struct code *module_code(const void *handle);

/* cuda/driver/references.c: binds the module's references that have changed; not within a call. A
 * result. */
int references_bind(const struct code *);
/* With the module. */
void references_end(const struct code *);

/* A function that was asked for. */
struct named_function {
	struct named_function *next;
	void *handle;
	struct module *module;
	struct function *function;
};

/* cuMemcpy2D where a side is an array. */
int driver_copy_arrays(const struct driver_copy *, void *stream);

/* The runtime's function, if the thread is ready. */
#define DRIVER_RETURN(call) \
	do { \
		int not_ready_ = driver_ready(); \
\
		return not_ready_ ? not_ready_ : driver_result(call); \
	} while (0)

/* The same of one that makes what `handle` (evaluated behind it) is of, or ends it. */
#define DRIVER_MAKE(call, kind, handle) \
	do { \
		int result_ = driver_ready(); \
\
		result_ = result_ ? result_ : driver_result(call); \
		return result_ ? result_ : owned_made(kind, handle); \
	} while (0)
#define DRIVER_END(call, kind, handle) \
	do { \
		int result_ = driver_ready(); \
\
		result_ = result_ ? result_ : driver_result(call); \
		if (!result_) \
			owned_ended(kind, handle); \
		return result_; \
	} while (0)

#endif
