/* Functions of matrices: the arguments of each as one product, or several. */
#include "cuda/libcublas/inside.h"
#include "cuda/libcublas/vectors.h"

#include <stdlib.h>

typedef struct cublasContext *handle;
enum { OP_N, OP_T, OP_C };

/* ---- products */
/* One of `count`, whose operands are `apart` elements from the next, or at addresses in device
 * memory. */
struct operand {
	const void *at;
	enum type type;
	int ld;
	long long apart;
};

struct call {
	int turn_a, turn_b, m, n, k, count;
	const void *alpha, *beta;
	enum type scalar;
	struct operand a, b, c;
	bool addresses; /* operands' `at` lead to an address for each product */
};

static struct matrix matrix_of(const struct operand *o, bool turn, int rows, int columns)
{
	return (struct matrix){.at = (uintptr_t)o->at,
		.type = o->type,
		.rows = turn ? columns : rows,
		.columns = turn ? rows : columns,
		.ld = o->ld};
}

static enum status each_apart(handle h, struct product p, const struct call *c)
{
	const struct product first = p;
	enum status status = STATUS_SUCCESS;

	for (int i = 0; i < c->count && !status; i++) {
		p.a.at = first.a.at + (uintptr_t)(i * c->a.apart) * type_bytes(c->a.type);
		p.b.at = first.b.at + (uintptr_t)(i * c->b.apart) * type_bytes(c->b.type);
		p.c.at = first.c.at + (uintptr_t)(i * c->c.apart) * type_bytes(c->c.type);
		status = gemm(h, &p);
	}
	return status;
}

static enum status each_address(handle h, struct product p, const struct call *c)
{
	uintptr_t *a = NULL, *b = NULL, *to = NULL;
	enum status status = pointers_read(h, c->a.at, c->count, &a);

	if (!status)
		status = pointers_read(h, c->b.at, c->count, &b);
	if (!status)
		status = pointers_read(h, c->c.at, c->count, &to);
	for (int i = 0; i < c->count && !status; i++) {
		p.a.at = a[i];
		p.b.at = b[i];
		p.c.at = to[i];
		status = gemm(h, &p);
	}
	free(a);
	free(b);
	free(to);
	return status;
}

static bool is_op(int op)
{
	return op == OP_N || op == OP_T || op == OP_C;
}

static enum status products(handle h, const struct call *c)
{
	bool ta = c->turn_a != OP_N, tb = c->turn_b != OP_N;
	struct product p = {.a = matrix_of(&c->a, ta, c->m, c->k),
		.b = matrix_of(&c->b, tb, c->k, c->n),
		.c = matrix_of(&c->c, false, c->m, c->n),
		.turn_a = ta,
		.turn_b = tb,
		.k = c->k};
	enum status status = blas_begin(h);

	if (status)
		return status;
	if (!is_op(c->turn_a) || !is_op(c->turn_b) || c->m < 0 || c->n < 0 || c->k < 0 ||
		c->count < 0)
		return STATUS_INVALID_VALUE;
	if (!c->a.type || !c->b.type || !c->c.type || !c->scalar)
		return STATUS_NOT_SUPPORTED;
	status = scalar_read(h, c->scalar, c->alpha, &p.alpha);
	if (!status)
		status = scalar_read(h, c->scalar, c->beta, &p.beta);
	if (status)
		return status;
	return c->addresses ? each_address(h, p, c) : each_apart(h, p, c);
}

#define GEMMS(name, T, type) \
	API enum status name##_CALL(handle, int, int, int, int, int, const T *, const T *, int, \
		const T *, int, const T *, T *, int); \
	API enum status name##_CALL(handle h, int ta, int tb, int m, int n, int k, const T *alpha, \
		const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) \
	{ \
		const struct call call = {ta, tb, m, n, k, 1, alpha, beta, type, \
			{a, type, lda, 0}, {b, type, ldb, 0}, {c, type, ldc, 0}, false}; \
		return products(h, &call); \
	} \
	API enum status name##StridedBatched(handle, int, int, int, int, int, const T *, \
		const T *, int, long long, const T *, int, long long, const T *, T *, int, \
		long long, int); \
	API enum status name##StridedBatched(handle h, int ta, int tb, int m, int n, int k, \
		const T *alpha, const T *a, int lda, long long pa, const T *b, int ldb, \
		long long pb, const T *beta, T *c, int ldc, long long pc, int count) \
	{ \
		const struct call call = {ta, tb, m, n, k, count, alpha, beta, type, \
			{a, type, lda, pa}, {b, type, ldb, pb}, {c, type, ldc, pc}, false}; \
		return products(h, &call); \
	} \
	API enum status name##Batched(handle, int, int, int, int, int, const T *, \
		const T *const *, int, const T *const *, int, const T *, T *const *, int, int); \
	API enum status name##Batched(handle h, int ta, int tb, int m, int n, int k, \
		const T *alpha, const T *const *a, int lda, const T *const *b, int ldb, \
		const T *beta, T *const *c, int ldc, int count) \
	{ \
		const struct call call = {ta, tb, m, n, k, count, alpha, beta, type, \
			{a, type, lda, 0}, {b, type, ldb, 0}, {c, type, ldc, 0}, true}; \
		return products(h, &call); \
	}
#define cublasSgemm_CALL cublasSgemm_v2
#define cublasDgemm_CALL cublasDgemm_v2
#define cublasHgemm_CALL cublasHgemm
GEMMS(cublasSgemm, float, TYPE_F32)
GEMMS(cublasDgemm, double, TYPE_F64)
GEMMS(cublasHgemm, uint16_t, TYPE_F16)

/* The type of the factors, of a cublasComputeType_t. */
static enum type scalar_of(int compute)
{
	if (compute == 64 || compute == 65)
		return TYPE_F16;
	if (compute == 70 || compute == 71 || compute == 79)
		return TYPE_F64;
	if (compute == 72 || compute == 73)
		return TYPE_S32;
	return compute >= 68 && compute <= 78 ? TYPE_F32 : TYPE_NONE;
}

#define EX_ARGUMENTS \
	handle h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, \
		int type_a, int lda
API enum status cublasGemmEx(EX_ARGUMENTS, const void *b, int type_b, int ldb, const void *beta,
	void *c, int type_c, int ldc, int compute, int how);
API enum status cublasGemmEx(EX_ARGUMENTS, const void *b, int type_b, int ldb, const void *beta,
	void *c, int type_c, int ldc, int compute, int how)
{
	const struct call call = {ta, tb, m, n, k, 1, alpha, beta, scalar_of(compute),
		{a, type_of(type_a), lda, 0}, {b, type_of(type_b), ldb, 0},
		{c, type_of(type_c), ldc, 0}, false};

	(void)how;
	return products(h, &call);
}

API enum status cublasSgemmEx(EX_ARGUMENTS, const void *b, int type_b, int ldb, const float *beta,
	void *c, int type_c, int ldc);
API enum status cublasSgemmEx(EX_ARGUMENTS, const void *b, int type_b, int ldb, const float *beta,
	void *c, int type_c, int ldc)
{
	return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c,
		type_c, ldc, 68, -1);
}

API enum status cublasGemmStridedBatchedEx(EX_ARGUMENTS, long long pa, const void *b, int type_b,
	int ldb, long long pb, const void *beta, void *c, int type_c, int ldc, long long pc,
	int count, int compute, int how);
API enum status cublasGemmStridedBatchedEx(EX_ARGUMENTS, long long pa, const void *b, int type_b,
	int ldb, long long pb, const void *beta, void *c, int type_c, int ldc, long long pc,
	int count, int compute, int how)
{
	const struct call call = {ta, tb, m, n, k, count, alpha, beta, scalar_of(compute),
		{a, type_of(type_a), lda, pa}, {b, type_of(type_b), ldb, pb},
		{c, type_of(type_c), ldc, pc}, false};

	(void)how;
	return products(h, &call);
}

API enum status cublasGemmBatchedEx(EX_ARGUMENTS, const void *b, int type_b, int ldb,
	const void *beta, void *c, int type_c, int ldc, int count, int compute, int how);
API enum status cublasGemmBatchedEx(EX_ARGUMENTS, const void *b, int type_b, int ldb,
	const void *beta, void *c, int type_c, int ldc, int count, int compute, int how)
{
	const struct call call = {ta, tb, m, n, k, count, alpha, beta, scalar_of(compute),
		{a, type_of(type_a), lda, 0}, {b, type_of(type_b), ldb, 0},
		{c, type_of(type_c), ldc, 0}, true};

	(void)how;
	return products(h, &call);
}

/* ---- a matrix and vectors */
struct vector_call {
	int turn;
	const void *alpha, *beta;
	struct matrix a;
	struct vector x, y;
};

static void multiply(const struct matrix *m, bool turn, const double *a, const double *x,
	double alpha, double *y)
{
	for (int64_t c = 0; c < m->columns; c++)
		for (int64_t r = 0; r < m->rows; r++)
			y[turn ? c : r] += alpha * a[c * m->rows + r] * x[turn ? r : c];
}

static enum status add_vector(handle h, const struct vector_call *c, double alpha, double *y)
{
	double *a = NULL, *x = NULL;
	enum status status = matrix_read(h, &c->a, &a);

	if (!status)
		status = vector_read(h, &c->x, &x);
	if (!status)
		multiply(&c->a, c->turn != OP_N, a, x, alpha, y);
	free(a);
	free(x);
	return status;
}

static bool is_wrong(const struct matrix *m)
{
	return m->rows < 0 || m->columns < 0 || m->ld < 1 || m->ld < m->rows;
}

static enum status gemv(handle h, const struct vector_call *c)
{
	enum status status = blas_begin(h);
	double alpha = 0, beta = 0, *y = NULL;

	if (status)
		return status;
	if (!is_op(c->turn) || is_wrong(&c->a) || !c->x.apart || !c->y.apart)
		return STATUS_INVALID_VALUE;
	status = scalar_read(h, c->y.type, c->alpha, &alpha);
	if (!status)
		status = scalar_read(h, c->y.type, c->beta, &beta);
	if (status || !c->a.rows || !c->a.columns)
		return status;
	status = vector_read(h, &c->y, &y);
	for (int i = 0; i < c->y.n && !status; i++)
		y[i] = beta == 0 ? 0 : beta * y[i];
	if (!status && alpha != 0)
		status = add_vector(h, c, alpha, y);
	if (!status)
		status = vector_write(h, &c->y, y);
	free(y);
	return status;
}

/* a += alpha * x * y, turned. */
static enum status ger(handle h, const void *alpha, const struct vector *x, const struct vector *y,
	const struct matrix *a)
{
	double factor = 0, *rows = NULL, *columns = NULL, *all = NULL;
	enum status status = blas_begin(h);

	if (status)
		return status;
	if (is_wrong(a) || !x->apart || !y->apart)
		return STATUS_INVALID_VALUE;
	status = scalar_read(h, a->type, alpha, &factor);
	if (!status)
		status = vector_read(h, x, &rows);
	if (!status)
		status = vector_read(h, y, &columns);
	if (!status)
		status = matrix_read(h, a, &all);
	for (int64_t i = 0; i < a->rows * a->columns && !status; i++)
		all[i] += factor * rows[i % a->rows] * columns[i / a->rows];
	if (!status)
		status = matrix_write(h, a, all);
	free(rows);
	free(columns);
	free(all);
	return status;
}

/* ---- sums of matrices */
/* to += factor * the operand; `like`: what it adds to. */
static enum status add(handle h, const struct operand *o, bool turn, const void *factor,
	const struct matrix *like, double *to)
{
	const struct matrix from = matrix_of(o, turn, (int)like->rows, (int)like->columns);
	double *all = NULL, a = 0;
	enum status status =
		is_wrong(&from) ? STATUS_INVALID_VALUE : scalar_read(h, o->type, factor, &a);

	if (status || a == 0)
		return status;
	status = matrix_read(h, &from, &all);
	for (int64_t c = 0; c < like->columns && !status; c++)
		for (int64_t r = 0; r < like->rows; r++)
			to[c * like->rows + r] +=
				a * all[turn ? r * from.rows + c : c * from.rows + r];
	free(all);
	return status;
}

static enum status geam(handle h, const struct call *c)
{
	const struct matrix to = matrix_of(&c->c, false, c->m, c->n);
	enum status status = blas_begin(h);
	double *sum;

	if (status)
		return status;
	if (!is_op(c->turn_a) || !is_op(c->turn_b) || is_wrong(&to))
		return STATUS_INVALID_VALUE;
	sum = calloc((size_t)c->m * (size_t)c->n + 1, sizeof(*sum));
	if (!sum)
		return STATUS_ALLOC_FAILED;
	status = add(h, &c->a, c->turn_a != OP_N, c->alpha, &to, sum);
	if (!status)
		status = add(h, &c->b, c->turn_b != OP_N, c->beta, &to, sum);
	if (!status)
		status = matrix_write(h, &to, sum);
	free(sum);
	return status;
}

#define MATRICES(S, T, type) \
	API enum status cublas##S##gemv_v2(handle, int, int, int, const T *, const T *, int, \
		const T *, int, const T *, T *, int); \
	API enum status cublas##S##gemv_v2(handle h, int turn, int m, int n, const T *alpha, \
		const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy) \
	{ \
		bool turned = turn != OP_N; \
		const struct vector_call call = {turn, alpha, beta, \
			{(uintptr_t)a, type, m, n, lda}, {type, x, turned ? m : n, incx}, \
			{type, y, turned ? n : m, incy}}; \
		return gemv(h, &call); \
	} \
	API enum status cublas##S##ger_v2( \
		handle, int, int, const T *, const T *, int, const T *, int, T *, int); \
	API enum status cublas##S##ger_v2(handle h, int m, int n, const T *alpha, const T *x, \
		int incx, const T *y, int incy, T *a, int lda) \
	{ \
		return ger(h, alpha, &(struct vector){type, x, m, incx}, \
			&(struct vector){type, y, n, incy}, \
			&(struct matrix){(uintptr_t)a, type, m, n, lda}); \
	} \
	API enum status cublas##S##geam(handle, int, int, int, int, const T *, const T *, int, \
		const T *, const T *, int, T *, int); \
	API enum status cublas##S##geam(handle h, int ta, int tb, int m, int n, const T *alpha, \
		const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc) \
	{ \
		const struct call call = {ta, tb, m, n, 0, 1, alpha, beta, type, \
			{a, type, lda, 0}, {b, type, ldb, 0}, {c, type, ldc, 0}, false}; \
		return geam(h, &call); \
	}
MATRICES(S, float, TYPE_F32)
MATRICES(D, double, TYPE_F64)
