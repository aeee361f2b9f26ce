/* Vectors: the functions of BLAS's first level. */
#include "cuda/libcublas/vectors.h"

#include <math.h>
#include <stdlib.h>

typedef struct cublasContext *handle;

static struct matrix row_of(const struct vector *v)
{
	return (struct matrix){.at = (uintptr_t)v->at,
		.type = v->type,
		.rows = 1,
		.columns = v->n > 0 ? v->n : 0,
		.ld = labs(v->apart)};
}

static void turn(const struct vector *v, double *x)
{
	for (int i = 0; v->apart < 0 && i < v->n / 2; i++) {
		double first = x[i];

		x[i] = x[v->n - 1 - i];
		x[v->n - 1 - i] = first;
	}
}

enum status vector_read(const struct cublasContext *h, const struct vector *v, double **out)
{
	const struct matrix row = row_of(v);
	enum status status = matrix_read(h, &row, out);

	if (!status)
		turn(v, *out);
	return status;
}

enum status vector_write(const struct cublasContext *h, const struct vector *v, double *x)
{
	const struct matrix row = row_of(v);

	if (!v->apart)
		return STATUS_INVALID_VALUE;
	turn(v, x);
	return matrix_write(h, &row, x);
}

/* ---- one vector that changes, another that does not, and a factor */
enum change { ADD, SCALE, COPY, SWAP };

static void change(enum change how, int n, double a, double *x, double *y)
{
	for (int i = 0; i < n; i++) {
		double was = y[i];

		y[i] = how == ADD ? was + a * x[i] : how == SCALE ? a * was : x[i];
		if (how == SWAP)
			x[i] = was;
	}
}

/* y, and of SWAP x; the factor is of ADD and SCALE. */
static enum status changed(const struct cublasContext *h, enum change how, const void *factor,
	const struct vector *x, const struct vector *y)
{
	enum status status = blas_begin(h);
	double *from = NULL, *to = NULL, a = 0;

	if (!status && (how == ADD || how == SCALE))
		status = scalar_read(h, y->type, factor, &a);
	if (status || y->n <= 0)
		return status;
	if (how != SCALE)
		status = vector_read(h, x, &from);
	if (!status)
		status = vector_read(h, y, &to);
	if (!status) {
		change(how, y->n, a, from, to);
		status = vector_write(h, y, to);
	}
	if (!status && how == SWAP)
		status = vector_write(h, x, from);
	free(from);
	free(to);
	return status;
}

/* ---- a number of one vector, or two */
enum measure { DOT, NORM, SUM };

static double measured(enum measure what, int n, const double *x, const double *y)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += what == DOT ? x[i] * y[i] : what == NORM ? x[i] * x[i] : fabs(x[i]);
	return what == NORM ? sqrt(sum) : sum;
}

static enum status measure(const struct cublasContext *h, enum measure what, const struct vector *x,
	const struct vector *y, void *out)
{
	enum status status = blas_begin(h);
	double *a = NULL, *b = NULL;

	if (status)
		return status;
	status = vector_read(h, x, &a);
	if (!status && what == DOT)
		status = vector_read(h, y, &b);
	if (!status)
		status = scalar_write(h, x->type, out, measured(what, x->n, a, b));
	free(a);
	free(b);
	return status;
}

/* The first of the largest, or smallest, from 1 on; 0: there is none. */
static enum status extreme(
	const struct cublasContext *h, const struct vector *x, int *out, bool largest)
{
	enum status status = blas_begin(h);
	double *a = NULL;
	int at = 0;

	if (status)
		return status;
	status = vector_read(h, x, &a);
	for (int i = 1; i < x->n && !status; i++)
		if (largest ? fabs(a[i]) > fabs(a[at]) : fabs(a[i]) < fabs(a[at]))
			at = i;
	if (!status)
		status = index_write(h, out, x->n > 0 ? at + 1 : 0);
	free(a);
	return status;
}

#define V(type, x) (&(struct vector){type, x, n, inc##x})
#define VECTORS(S, T, type) \
	API enum status cublas##S##axpy_v2(handle, int, const T *, T *, int, T *, int); \
	API enum status cublas##S##axpy_v2( \
		handle h, int n, const T *a, T *x, int incx, T *y, int incy) \
	{ \
		return changed(h, ADD, a, V(type, x), V(type, y)); \
	} \
	API enum status cublas##S##scal_v2(handle, int, const T *, T *, int); \
	API enum status cublas##S##scal_v2(handle h, int n, const T *a, T *x, int incx) \
	{ \
		return changed(h, SCALE, a, NULL, V(type, x)); \
	} \
	API enum status cublas##S##copy_v2(handle, int, T *, int, T *, int); \
	API enum status cublas##S##copy_v2(handle h, int n, T *x, int incx, T *y, int incy) \
	{ \
		return changed(h, COPY, NULL, V(type, x), V(type, y)); \
	} \
	API enum status cublas##S##swap_v2(handle, int, T *, int, T *, int); \
	API enum status cublas##S##swap_v2(handle h, int n, T *x, int incx, T *y, int incy) \
	{ \
		return changed(h, SWAP, NULL, V(type, x), V(type, y)); \
	} \
	API enum status cublas##S##dot_v2(handle, int, const T *, int, const T *, int, T *); \
	API enum status cublas##S##dot_v2( \
		handle h, int n, const T *x, int incx, const T *y, int incy, T *out) \
	{ \
		return measure(h, DOT, V(type, x), V(type, y), out); \
	} \
	API enum status cublas##S##nrm2_v2(handle, int, const T *, int, T *); \
	API enum status cublas##S##nrm2_v2(handle h, int n, const T *x, int incx, T *out) \
	{ \
		return measure(h, NORM, V(type, x), NULL, out); \
	} \
	API enum status cublas##S##asum_v2(handle, int, const T *, int, T *); \
	API enum status cublas##S##asum_v2(handle h, int n, const T *x, int incx, T *out) \
	{ \
		return measure(h, SUM, V(type, x), NULL, out); \
	}
VECTORS(S, float, TYPE_F32)
VECTORS(D, double, TYPE_F64)

#define EXTREMES(s, T, type) \
	API enum status cublasI##s##amax_v2(handle, int, const T *, int, int *); \
	API enum status cublasI##s##amax_v2(handle h, int n, const T *x, int incx, int *out) \
	{ \
		return extreme(h, V(type, x), out, true); \
	} \
	API enum status cublasI##s##amin_v2(handle, int, const T *, int, int *); \
	API enum status cublasI##s##amin_v2(handle h, int n, const T *x, int incx, int *out) \
	{ \
		return extreme(h, V(type, x), out, false); \
	}
EXTREMES(s, float, TYPE_F32)
EXTREMES(d, double, TYPE_F64)
