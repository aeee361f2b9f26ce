/* For libraries that compute on the host: copies to and from device memory, by the runtime. */
#ifndef CUDA_LIBCUDA_COPIES_H
#define CUDA_LIBCUDA_COPIES_H

#include <stdbool.h>
#include <stddef.h>

enum { TO_DEVICE = 1, FROM_DEVICE = 2 }; /* cudaMemcpyKind */

/* Rows of a width, at distances in bytes. */
struct rows {
	const void *at;
	size_t row;
};
/* By a cudaMemcpyKind, on a stream, for which it may wait. */
struct transfer {
	int kind;
	void *stream;
	bool waits;
};

enum copied { COPIED, COPY_NO_RUNTIME, COPY_FAILED };

enum copied rows_copy(
	struct rows to, struct rows from, size_t width, size_t n, const struct transfer *);

/* Whether there is a device. */
bool device_connect(void);

#endif
