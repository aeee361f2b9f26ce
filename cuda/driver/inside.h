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

/* A function that was asked for. */
struct entry {
	struct entry *next;
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

#endif
