/* Products of matrices. Each element is the sum over k from 0 on, in doubles. */
#include "cuda/libcublas/inside.h"

#include <stdlib.h>
#include <string.h>

#define TILE 4 /* rows, and columns, that are computed together */

/* A tile's row, which the host's vectors hold. */
typedef double row __attribute__((vector_size(TILE * sizeof(double))));

/* Rows of a, or columns of b, as tiles: for each k TILE of them, zeros where there are none.
 * `apart`: from one to the next; `along`: from one k to the next. */
static double *tiles(const double *from, int64_t n, int64_t k, int64_t apart, int64_t along)
{
	int64_t count = (n + TILE - 1) / TILE;
	double *out = aligned_alloc(sizeof(row), (size_t)(count * k + 1) * sizeof(row));

	if (!out)
		return NULL;
	memset(out, 0, (size_t)(count * k) * sizeof(row));
	for (int64_t i = 0; i < n; i++)
		for (int64_t l = 0; l < k; l++)
			out[(i / TILE * k + l) * TILE + i % TILE] = from[i * apart + l * along];
	return out;
}

/* sum[j][i]: of row i of a's tile and column j of b's. */
static void tile_product(const double *a, const double *b, int64_t k, row sum[TILE])
{
	const row *rows = (const row *)a;
	row s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};

	for (int64_t l = 0; l < k; l++) {
		s0 += rows[l] * b[l * TILE];
		s1 += rows[l] * b[l * TILE + 1];
		s2 += rows[l] * b[l * TILE + 2];
		s3 += rows[l] * b[l * TILE + 3];
	}
	sum[0] = s0;
	sum[1] = s1;
	sum[2] = s2;
	sum[3] = s3;
}

static void multiply(const struct product *p, const double *a, const double *b, double *c)
{
	int64_t m = p->c.rows, n = p->c.columns;

	for (int64_t j = 0; j < n; j += TILE)
		for (int64_t i = 0; i < m; i += TILE) {
			row sum[TILE];

			tile_product(a + i * p->k, b + j * p->k, p->k, sum);
			for (int64_t y = j; y < n && y < j + TILE; y++)
				for (int64_t x = i; x < m && x < i + TILE; x++)
					c[y * m + x] += p->alpha * sum[y - j][x - i];
		}
}

/* c is beta * c before. */
static enum status begin(const struct cublasContext *h, const struct product *p, double **c)
{
	size_t n = (size_t)p->c.rows * (size_t)p->c.columns;
	enum status status;

	if (p->beta == 0) { /* what is there may be no number */
		*c = calloc(n + 1, sizeof(**c));
		return *c ? STATUS_SUCCESS : STATUS_ALLOC_FAILED;
	}
	status = matrix_read(h, &p->c, c);
	for (size_t i = 0; i < n && !status; i++)
		(*c)[i] *= p->beta;
	return status;
}

static enum status add_product(const struct cublasContext *h, const struct product *p, double *c)
{
	double *raw = NULL, *a = NULL, *b = NULL;
	enum status status = matrix_read(h, &p->a, &raw);

	if (!status)
		a = p->turn_a ? tiles(raw, p->c.rows, p->k, p->a.rows, 1)
			      : tiles(raw, p->c.rows, p->k, 1, p->a.rows);
	free(raw);
	raw = NULL;
	if (!status)
		status = matrix_read(h, &p->b, &raw);
	if (!status)
		b = p->turn_b ? tiles(raw, p->c.columns, p->k, 1, p->b.rows)
			      : tiles(raw, p->c.columns, p->k, p->b.rows, 1);
	free(raw);
	if (!status && a && b)
		multiply(p, a, b, c);
	else if (!status)
		status = STATUS_ALLOC_FAILED;
	free(a);
	free(b);
	return status;
}

static bool is_wrong(const struct matrix *m)
{
	return m->rows < 0 || m->columns < 0 || m->ld < (m->rows > 1 ? m->rows : 1);
}

enum status gemm(const struct cublasContext *h, const struct product *p)
{
	enum status status;
	double *c = NULL;

	if (is_wrong(&p->a) || is_wrong(&p->b) || is_wrong(&p->c))
		return STATUS_INVALID_VALUE;
	if (!p->c.rows || !p->c.columns)
		return STATUS_SUCCESS;
	status = begin(h, p, &c);
	if (!status && p->alpha != 0 && p->k)
		status = add_product(h, p, c);
	if (!status)
		status = matrix_write(h, &p->c, c);
	free(c);
	return status;
}
