/* Vectors in device memory as doubles. */
#ifndef CUDA_LIBCUBLAS_VECTORS_H
#define CUDA_LIBCUBLAS_VECTORS_H

#include "cuda/libcublas/inside.h"

/* n elements `apart` from each other; negative: the last one is at `at`. */
struct vector {
	enum type type;
	const void *at;
	int n, apart;
};

/* The caller's to free. */
enum status vector_read(const struct cublasContext *, const struct vector *, double **out);
/* Not of distance 0; what x has is overwritten. */
enum status vector_write(const struct cublasContext *, const struct vector *, double *x);

#endif
