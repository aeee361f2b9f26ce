/* What the parts of libcublas share: cuBLAS for programs under `warpbeam cuda`, computed on the
 * host. Operands come from device memory as doubles and results return rounded once, so the sums of
 * a product have one order and one code for all types. */
#ifndef CUDA_LIBCUBLAS_INSIDE_H
#define CUDA_LIBCUBLAS_INSIDE_H

#include "cuda/libcuda/copies.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

/* cublasStatus_t, as programs know it. */
enum status {
	STATUS_SUCCESS = 0,
	STATUS_NOT_INITIALIZED = 1,
	STATUS_ALLOC_FAILED = 3,
	STATUS_INVALID_VALUE = 7,
	STATUS_MAPPING_ERROR = 11,
	STATUS_EXECUTION_FAILED = 13,
	STATUS_INTERNAL_ERROR = 14,
	STATUS_NOT_SUPPORTED = 15
};

/* Types of elements; NONE: none that is known. */
enum type { TYPE_NONE, TYPE_F16, TYPE_BF16, TYPE_F32, TYPE_F64, TYPE_S8, TYPE_S32 };

/* What a program's handle is. */
#define HANDLE_MARK UINT64_C(0x77626c6173)
struct cublasContext {
	uint64_t mark; /* of a handle that lives */
	void *stream;
	int on_device; /* scalars are in device memory */
	int math, atomics, sms;
};

/* numbers.c: the type of a cudaDataType; its bytes; one element. */
enum type type_of(int cuda);
size_t type_bytes(enum type);
double element_load(enum type, const void *);
void element_store(enum type, void *, double);

/* Elements in device memory by columns, which are ld elements apart; a vector is of one row. */
struct matrix {
	uintptr_t at;
	enum type type;
	int64_t rows, columns, ld;
};

/* memory.c: there is a device. */
enum status blas_connect(void);
/* Between calls of a function with a handle, on its stream. */
/* The handle lives, and a line on stderr says once where it computes. */
enum status blas_begin(const struct cublasContext *);
/* All elements by columns, rows apart: the caller's to free; of none a byte. */
enum status matrix_read(const struct cublasContext *, const struct matrix *, double **out);
enum status matrix_write(const struct cublasContext *, const struct matrix *, const double *);
/* A factor, or a result, where the handle says that they are. */
enum status scalar_read(const struct cublasContext *, enum type, const void *, double *out);
enum status scalar_write(const struct cublasContext *, enum type, void *, double);
enum status index_write(const struct cublasContext *, int *, int64_t);
/* n addresses that are in device memory: the caller's to free. */
enum status pointers_read(const struct cublasContext *, const void *, int n, uintptr_t **out);
/* A line on stderr, for that name once; STATUS_NOT_SUPPORTED. */
enum status blas_lacks(const char *name, bool *said);

/* gemm.c: c = alpha * a * b + beta * c, with a or b turned. */
struct product {
	struct matrix a, b, c;
	bool turn_a, turn_b;
	int64_t k;
	double alpha, beta;
};
enum status gemm(const struct cublasContext *, const struct product *);

#endif
