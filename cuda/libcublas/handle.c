/* Handles, what they remember, and copies of vectors and matrices between host and device. */
#include "cuda/libcublas/inside.h"

#include <stdlib.h>

typedef struct cublasContext *handle;

API enum status cublasCreate_v2(handle *out);
API enum status cublasDestroy_v2(handle);

API enum status cublasCreate_v2(handle *out)
{
	if (!out)
		return STATUS_INVALID_VALUE;
	*out = NULL;
	if (blas_connect())
		return STATUS_NOT_INITIALIZED;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return STATUS_ALLOC_FAILED;
	(*out)->mark = HANDLE_MARK;
	return STATUS_SUCCESS;
}

static bool lives(const struct cublasContext *h)
{
	return h && h->mark == HANDLE_MARK;
}

API enum status cublasDestroy_v2(handle h)
{
	if (!lives(h))
		return STATUS_NOT_INITIALIZED;
	h->mark = 0;
	free(h);
	return STATUS_SUCCESS;
}

API enum status cublasLtCreate(handle *);
API enum status cublasLtDestroy(handle);
API enum status cublasLtCreate(handle *out)
{
	return cublasCreate_v2(out);
}

API enum status cublasLtDestroy(handle h)
{
	return cublasDestroy_v2(h);
}

/* cublasSet..., and cublasGet..., of a field. */
#define REMEMBERED(type, set, get, field) \
	API enum status set(handle, type); \
	API enum status get(handle, type *); \
	API enum status set(handle h, type value) \
	{ \
		if (!lives(h)) \
			return STATUS_NOT_INITIALIZED; \
		h->field = value; \
		return STATUS_SUCCESS; \
	} \
	API enum status get(handle h, type *value) \
	{ \
		if (!lives(h)) \
			return STATUS_NOT_INITIALIZED; \
		if (!value) \
			return STATUS_INVALID_VALUE; \
		*value = h->field; \
		return STATUS_SUCCESS; \
	}
typedef void *stream_handle;
REMEMBERED(stream_handle, cublasSetStream_v2, cublasGetStream_v2, stream)
REMEMBERED(int, cublasSetPointerMode_v2, cublasGetPointerMode_v2, on_device)
REMEMBERED(int, cublasSetMathMode, cublasGetMathMode, math)
REMEMBERED(int, cublasSetAtomicsMode, cublasGetAtomicsMode, atomics)
REMEMBERED(int, cublasSetSmCountTarget, cublasGetSmCountTarget, sms)

API enum status cublasSetWorkspace_v2(handle, void *, size_t);
API enum status cublasSetWorkspace_v2(handle h, void *at, size_t n)
{
	(void)at;
	(void)n;
	return lives(h) ? STATUS_SUCCESS : STATUS_NOT_INITIALIZED;
}

API enum status cublasGetVersion_v2(handle, int *);
API enum status cublasGetVersion_v2(handle h, int *version)
{
	(void)h;
	if (!version)
		return STATUS_INVALID_VALUE;
	*version = BLAS_VERSION * 10000;
	return STATUS_SUCCESS;
}

/* which: 0, the major version; the others are 0. */
API enum status cublasGetProperty(int which, int *value);
API enum status cublasGetProperty(int which, int *value)
{
	if (!value || which < 0 || which > 2)
		return STATUS_INVALID_VALUE;
	*value = which ? 0 : BLAS_VERSION;
	return STATUS_SUCCESS;
}

API size_t cublasGetCudartVersion(void);
API size_t cublasLtGetVersion(void);
API size_t cublasGetCudartVersion(void)
{
	return BLAS_VERSION * 1000;
}

API size_t cublasLtGetVersion(void)
{
	return BLAS_VERSION * 10000;
}

struct status_words {
	const char *name, *text;
};

static struct status_words words_of(int status)
{
	switch (status) {
	case STATUS_SUCCESS:
		return (struct status_words){"CUBLAS_STATUS_SUCCESS", "success"};
	case STATUS_NOT_INITIALIZED:
		return (struct status_words){
			"CUBLAS_STATUS_NOT_INITIALIZED", "there is no such handle"};
	case STATUS_ALLOC_FAILED:
		return (struct status_words){"CUBLAS_STATUS_ALLOC_FAILED", "no memory"};
	case STATUS_INVALID_VALUE:
		return (struct status_words){"CUBLAS_STATUS_INVALID_VALUE", "a wrong argument"};
	case STATUS_MAPPING_ERROR:
		return (struct status_words){
			"CUBLAS_STATUS_MAPPING_ERROR", "memory cannot be copied"};
	case STATUS_EXECUTION_FAILED:
		return (struct status_words){"CUBLAS_STATUS_EXECUTION_FAILED",
			"an operand is not in device memory, or a kernel before failed"};
	case STATUS_INTERNAL_ERROR:
		return (struct status_words){"CUBLAS_STATUS_INTERNAL_ERROR", "internal error"};
	case STATUS_NOT_SUPPORTED:
		return (struct status_words){"CUBLAS_STATUS_NOT_SUPPORTED",
			"warpbeam computes no such function or types"};
	default:
		return (struct status_words){"CUBLAS_STATUS_UNKNOWN", "unknown status"};
	}
}

API const char *cublasGetStatusName(int), *cublasLtGetStatusName(int);
API const char *cublasGetStatusString(int), *cublasLtGetStatusString(int);
API const char *cublasGetStatusName(int status)
{
	return words_of(status).name;
}

API const char *cublasGetStatusString(int status)
{
	return words_of(status).text;
}

API const char *cublasLtGetStatusName(int status)
{
	return words_of(status).name;
}

API const char *cublasLtGetStatusString(int status)
{
	return words_of(status).text;
}

/* ---- copies: columns of elements, `apart` from each other */
struct columns {
	const void *at;
	int apart;
};

static enum status copy(const struct columns *to, const struct columns *from, int rows, int columns,
	int bytes, const struct transfer *t)
{
	size_t n = (size_t)bytes;

	enum copied done;

	if (rows < 0 || columns < 0 || bytes <= 0 || to->apart < rows || from->apart < rows)
		return STATUS_INVALID_VALUE;
	done = rows_copy((struct rows){to->at, (size_t)to->apart * n},
		(struct rows){from->at, (size_t)from->apart * n}, (size_t)rows * n, (size_t)columns,
		t);
	return done == COPIED            ? STATUS_SUCCESS
	       : done == COPY_NO_RUNTIME ? STATUS_NOT_INITIALIZED
					 : STATUS_MAPPING_ERROR;
}

#define COPIES(way, kind) \
	API enum status cublas##way##MatrixAsync( \
		int, int, int, const void *, int, void *, int, void *); \
	API enum status cublas##way##MatrixAsync(int rows, int columns, int bytes, const void *a, \
		int lda, void *b, int ldb, void *stream) \
	{ \
		return copy(&(struct columns){b, ldb}, &(struct columns){a, lda}, rows, columns, \
			bytes, &(struct transfer){kind, stream, false}); \
	} \
	API enum status cublas##way##Matrix(int, int, int, const void *, int, void *, int); \
	API enum status cublas##way##Matrix( \
		int rows, int columns, int bytes, const void *a, int lda, void *b, int ldb) \
	{ \
		return copy(&(struct columns){b, ldb}, &(struct columns){a, lda}, rows, columns, \
			bytes, &(struct transfer){kind, NULL, true}); \
	} \
	API enum status cublas##way##VectorAsync( \
		int, int, const void *, int, void *, int, void *); \
	API enum status cublas##way##VectorAsync( \
		int n, int bytes, const void *x, int incx, void *y, int incy, void *stream) \
	{ \
		return cublas##way##MatrixAsync(1, n, bytes, x, incx, y, incy, stream); \
	} \
	API enum status cublas##way##Vector(int, int, const void *, int, void *, int); \
	API enum status cublas##way##Vector( \
		int n, int bytes, const void *x, int incx, void *y, int incy) \
	{ \
		return cublas##way##Matrix(1, n, bytes, x, incx, y, incy); \
	}
COPIES(Set, 1)
COPIES(Get, 2)
