/* Operands: out of device memory and back, by the runtime's own copies. */
#include "cuda/libcublas/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status blas_connect(void)
{
	return device_connect() ? STATUS_SUCCESS : STATUS_NOT_INITIALIZED;
}

enum status blas_begin(const struct cublasContext *h)
{
	static bool told;

	if (!h || h->mark != HANDLE_MARK)
		return STATUS_NOT_INITIALIZED;
	if (!told)
		fprintf(stderr, "warpbeam: cuBLAS is computed on the host: its calls take no "
				"simulated time\n");
	told = true;
	return STATUS_SUCCESS;
}

enum status blas_lacks(const char *name, bool *said)
{
	if (!*said)
		fprintf(stderr,
			"warpbeam: %s is not supported; it returns CUBLAS_STATUS_NOT_SUPPORTED\n",
			name);
	*said = true;
	return STATUS_NOT_SUPPORTED;
}

/* Bytes of device memory; the stream's work before is done. */
static enum status copy(
	const struct cublasContext *h, void *host, uintptr_t device, size_t n, int kind)
{
	struct rows here = {host, n}, there = {(void *)device, n};
	bool in = kind == TO_DEVICE;

	return rows_copy(in ? there : here, in ? here : there, n, 1,
		       &(struct transfer){kind, h->stream, true})
		       ? STATUS_EXECUTION_FAILED
		       : STATUS_SUCCESS;
}

enum status matrix_read(const struct cublasContext *h, const struct matrix *m, double **out)
{
	size_t bytes = type_bytes(m->type), n = (size_t)m->rows * (size_t)m->columns;
	size_t range = n ? (size_t)((m->columns - 1) * m->ld + m->rows) * bytes : 0;
	unsigned char *raw = malloc(range + 1);
	double *to = malloc(n * sizeof(*to) + 1);
	enum status status = raw && to ? STATUS_SUCCESS : STATUS_ALLOC_FAILED;

	if (!status)
		status = copy(h, raw, m->at, range, FROM_DEVICE);
	for (int64_t c = 0; c < m->columns && !status; c++)
		for (int64_t r = 0; r < m->rows; r++)
			to[c * m->rows + r] =
				element_load(m->type, raw + (size_t)(c * m->ld + r) * bytes);
	free(raw);
	if (status)
		free(to);
	*out = status ? NULL : to;
	return status;
}

enum status matrix_write(const struct cublasContext *h, const struct matrix *m, const double *from)
{
	size_t bytes = type_bytes(m->type), n = (size_t)m->rows * (size_t)m->columns;
	size_t column = (size_t)m->rows * bytes;
	unsigned char *raw = malloc(n * bytes + 1);
	bool failed;

	if (!raw)
		return STATUS_ALLOC_FAILED;
	for (size_t i = 0; i < n; i++)
		element_store(m->type, raw + i * bytes, from[i]);
	if (m->ld == m->rows)
		failed = copy(h, raw, m->at, n * bytes, TO_DEVICE) != STATUS_SUCCESS;
	else
		failed = rows_copy((struct rows){(void *)m->at, (size_t)m->ld * bytes},
				 (struct rows){raw, column}, column, (size_t)m->columns,
				 &(struct transfer){TO_DEVICE, h->stream, true}) != COPIED;
	free(raw);
	return failed ? STATUS_EXECUTION_FAILED : STATUS_SUCCESS;
}

enum status scalar_read(const struct cublasContext *h, enum type type, const void *at, double *out)
{
	unsigned char raw[8];

	if (!at)
		return STATUS_INVALID_VALUE;
	if (h->on_device && copy(h, raw, (uintptr_t)at, type_bytes(type), FROM_DEVICE))
		return STATUS_EXECUTION_FAILED;
	*out = element_load(type, h->on_device ? raw : at);
	return STATUS_SUCCESS;
}

static enum status result_write(const struct cublasContext *h, void *to, void *from, size_t n)
{
	if (!to)
		return STATUS_INVALID_VALUE;
	if (h->on_device)
		return copy(h, from, (uintptr_t)to, n, TO_DEVICE);
	memcpy(to, from, n);
	return STATUS_SUCCESS;
}

enum status scalar_write(const struct cublasContext *h, enum type type, void *at, double x)
{
	unsigned char raw[8];

	element_store(type, raw, x);
	return result_write(h, at, raw, type_bytes(type));
}

enum status index_write(const struct cublasContext *h, int *at, int64_t index)
{
	int value = (int)index;

	return result_write(h, at, &value, sizeof(value));
}

enum status pointers_read(const struct cublasContext *h, const void *at, int n, uintptr_t **out)
{
	enum status status;

	*out = malloc((size_t)n * sizeof(**out) + 1);
	if (!*out)
		return STATUS_ALLOC_FAILED;
	status = copy(h, *out, (uintptr_t)at, (size_t)n * sizeof(**out), FROM_DEVICE);
	if (status) {
		free(*out);
		*out = NULL;
	}
	return status;
}
