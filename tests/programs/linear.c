/* What matrices, transforms and other numerics give. */
#include "tests/programs/programs.h"

#include <math.h>
#include <string.h>

#define ROWS 60u

/* Starts of ROWS rows of different length, below 16. */
static void sparse(const struct program_run *r)
{
	uint32_t *starts = r->b[0];

	for (uint32_t i = 0, at = 0; i <= ROWS; i++) {
		starts[i] = at;
		at += i * 7 % 16;
	}
}

static void spmv_rows(const struct program_run *r)
{
	const uint32_t *starts = r->b[0], *columns = r->b[1];
	const float *values = r->b[2], *x = r->b[3];
	float *y = r->b[4];

	for (uint32_t row = 0; row < ROWS; row++) {
		double sum = 0;

		for (uint32_t i = starts[row]; i < starts[row + 1]; i++)
			sum += (double)values[i] * (double)x[columns[i]];
		y[row] = (float)sum;
	}
}

static void spmv_warps(const struct program_run *r)
{
	const uint32_t *starts = r->b[0], *columns = r->b[1], *values = r->b[2], *x = r->b[3];
	uint32_t *y = r->b[4], row = 0;

	for (uint32_t i = 0; i < starts[ROWS]; i++) {
		while (starts[row + 1] <= i)
			row++;
		y[row] += values[i] * x[columns[i]];
	}
}

static void padded(const struct program_run *r)
{
	uint32_t *columns = r->b[0], n = r->v[0], width = r->v[1];

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i % (width + 1); k < width; k++)
			columns[k * n + i] = n;
}

static void spmv_ell(const struct program_run *r)
{
	const uint32_t *columns = r->b[0];
	const double *values = r->b[1], *x = r->b[2];
	double *y = r->b[3];
	uint32_t n = r->v[0];

	for (uint32_t i = 0; i < n * r->v[1]; i++)
		if (columns[i] < n)
			y[i % n] += values[i] * x[columns[i]];
}

static void spmv_triples(const struct program_run *r)
{
	const uint32_t *rows = r->b[0], *columns = r->b[1], *values = r->b[2], *x = r->b[3];
	uint32_t *y = r->b[4];

	for (uint32_t i = r->threads; i-- > 0;)
		y[rows[i]] += values[i] * x[columns[i]];
}

static void matrix_vector(const struct program_run *r)
{
	const float *a = r->b[0], *x = r->b[1];
	float *y = r->b[2];
	uint32_t n = r->v[0];

	for (uint32_t row = 0; row < r->ctas; row++) {
		double sum = 0;

		for (uint32_t i = 0; i < n; i++)
			sum += (double)a[row * n + i] * (double)x[i];
		y[row] = (float)sum;
	}
}

static void transpose_plain(const struct program_run *r)
{
	const uint16_t *in = r->b[0];
	uint16_t *out = r->b[1];

	for (uint32_t i = 0; i < r->v[0] * r->v[1]; i++)
		out[i % r->v[0] * r->v[1] + i / r->v[0]] = in[i];
}

static void transpose_tiles(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint64_t *out = r->b[1];

	for (uint32_t i = 0; i < r->v[0] * r->v[1]; i++)
		out[i % r->v[0] * r->v[1] + i / r->v[0]] = in[i];
}

static void multiply_tiles(const struct program_run *r)
{
	const uint32_t *a = r->b[0], *b = r->b[1];
	uint32_t *c = r->b[2], n = r->v[0];

	for (uint32_t y = 0; y < n; y++)
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t x = 0; x < n; x++)
				c[y * n + x] += a[y * n + k] * b[k * n + x];
}

static void multiply_bytes(const struct program_run *r)
{
	const int8_t *a = r->b[0];
	const uint8_t *b = r->b[1];
	int32_t *c = r->b[2];
	uint32_t n = r->v[0];

	for (uint32_t i = 0; i < n * n * n; i++)
		c[i / n / n * n + i % n] += a[i / n] * b[i / n % n * n + i % n];
}

static void dominant(const struct program_run *r)
{
	double *a = r->b[0];

	for (uint32_t i = 0; i < r->v[0]; i++)
		a[i * r->v[0] + i] += r->v[0];
}

/* Crout's order: each element at once. */
static void lu(const struct program_run *r)
{
	double *a = r->b[0];
	uint32_t n = r->v[0];

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++) {
			double sum = a[i * n + k];

			for (uint32_t m = 0; m < i && m < k; m++)
				sum -= a[i * n + m] * a[m * n + k];
			a[i * n + k] = k < i ? sum / a[k * n + k] : sum;
		}
}

static void symmetric(const struct program_run *r)
{
	double *a = r->b[0];
	uint32_t n = r->v[0];

	dominant(r);
	for (uint32_t i = 0; i < n * n; i++)
		a[i] = i % n > i / n ? a[i % n * n + i / n] : a[i];
	for (uint32_t i = 0; i < n * n; i++)
		a[i] = i % n > i / n ? a[i % n * n + i / n] : a[i];
}

static void cholesky(const struct program_run *r)
{
	double *a = r->b[0];
	uint32_t n = r->v[0];

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k <= i; k++) {
			double sum = a[i * n + k];

			for (uint32_t m = 0; m < k; m++)
				sum -= a[i * n + m] * a[k * n + m];
			a[i * n + k] = i == k ? sqrt(sum) : sum / a[k * n + k];
		}
}

/* 3 x 3 determinant of what is left without a row and a column. */
static double minor(const double *a, uint32_t row, uint32_t column)
{
	double m[9], d;

	for (uint32_t i = 0, k = 0; i < 16; i++)
		if (i / 4 != row && i % 4 != column)
			m[k++] = a[i];
	d = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
	    m[2] * (m[3] * m[7] - m[4] * m[6]);
	return (row + column) % 2 ? -d : d;
}

static void invertible(const struct program_run *r)
{
	double *a = r->b[0];

	for (uint32_t i = 0; i < r->threads * 16; i++)
		a[i] += i % 4 == (i / 4 + i / 16) % 4 ? 3 : 0;
}

/* Cramer's rule. */
static void invert(const struct program_run *r)
{
	for (uint32_t t = 0; t < r->threads; t++) {
		const double *a = (const double *)r->b[0] + 16 * t;
		double *out = (double *)r->b[1] + 16 * t, d = 0;

		for (uint32_t i = 0; i < 4; i++)
			d += a[i] * minor(a, 0, i);
		for (uint32_t i = 0; i < 16; i++)
			out[i] = minor(a, i % 4, i / 4) / d;
	}
}

/* The solution itself, by elimination. */
static void jacobi(const struct program_run *r)
{
	double a[32 * 32], *x = r->b[2];
	uint32_t n = r->v[0];

	memcpy(a, r->b[0], sizeof(a));
	memcpy(x, r->b[1], n * sizeof(*x));
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++) {
			double f = a[i * n + k] / a[k * n + k];

			for (uint32_t c = k; c < n && i != k; c++)
				a[i * n + c] -= f * a[k * n + c];
			x[i] -= i == k ? 0 : f * x[k];
		}
	for (uint32_t i = 0; i < n; i++)
		x[i] /= a[i * n + i];
}

static void strong_diagonal(const struct program_run *r)
{
	float *d = r->b[1];

	for (uint32_t i = 0; i < r->threads * 16; i++)
		d[i] = d[i] < 0 ? d[i] - 3 : d[i] + 3;
}

static void thomas(const struct program_run *r)
{
	for (uint32_t t = 0; t < r->threads; t++) {
		const float *low = (float *)r->b[0] + 16 * t, *diagonal = (float *)r->b[1] + 16 * t;
		const float *high = (float *)r->b[2] + 16 * t, *right = (float *)r->b[3] + 16 * t;
		double a[16][17] = {{0}};

		for (uint32_t i = 0; i < 16; i++) {
			a[i][i] = (double)diagonal[i];
			a[i][16] = (double)right[i];
			if (i)
				a[i][i - 1] = (double)low[i];
			if (i < 15)
				a[i][i + 1] = (double)high[i];
		}
		for (uint32_t k = 0; k < 15; k++)
			for (uint32_t c = 17; c-- > k;)
				a[k + 1][c] -= a[k][c] * (a[k + 1][k] / a[k][k]);
		for (uint32_t k = 15; k > 0; k--)
			a[k - 1][16] -= a[k][16] * (a[k - 1][k] / a[k][k]);
		for (uint32_t i = 0; i < 16; i++)
			((float *)r->b[4])[16 * t + i] = (float)(a[i][16] / a[i][i]);
	}
}

static void fft(const struct program_run *r)
{
	float *re = r->b[0], *im = r->b[1];
	double x[64] = {0}, y[64] = {0};

	for (uint32_t k = 0; k < 64 * 64; k++) {
		double angle = -2 * acos(-1) * (k / 64) * (k % 64) / 64;
		double a = (double)re[k % 64], b = (double)im[k % 64];

		x[k / 64] += a * cos(angle) - b * sin(angle);
		y[k / 64] += a * sin(angle) + b * cos(angle);
	}
	for (uint32_t k = 0; k < 64; k++) {
		re[k] = (float)x[k];
		im[k] = (float)y[k];
	}
}

/* Radix 2, without a second array. */
static void ntt(const struct program_run *r)
{
	const uint32_t *in = r->b[0], m = 998244353, n = r->v[0];
	uint32_t *a = r->b[1];
	uint64_t root = 1;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t bit = 1, k = 0; bit < n; bit *= 2) {
			k |= i & bit ? n / 2 / bit : 0;
			a[k] = bit == n / 2 ? in[i] % m : a[k];
		}
	for (uint32_t half = 1; half < n; half *= 2) {
		root = 1; /* m - 1 = 119 * 2^23 */
		for (uint32_t i = 0; i < 119; i++)
			root = root * 3 % m;
		for (uint32_t order = 2 * half; order < 1u << 23; order *= 2)
			root = root * root % m;
		for (uint32_t at = 0; at < n; at += 2 * half) {
			uint64_t w = 1;

			for (uint32_t k = at; k < at + half; k++) {
				uint64_t x = a[k], y = w * a[k + half] % m;

				a[k] = (uint32_t)((x + y) % m);
				a[k + half] = (uint32_t)((x + m - y) % m);
				w = w * root % m;
			}
		}
	}
}

static void haar(const struct program_run *r)
{
	float *data = r->b[0], a[64];

	for (uint32_t n = 64; n > 1; n /= 2) {
		memcpy(a, data, sizeof(a));
		for (uint32_t i = 0; i < n; i++)
			data[i] = i < n / 2 ? (a[2 * i] + a[2 * i + 1]) / 2
					    : (a[2 * i - n] - a[2 * i - n + 1]) / 2;
	}
}

static void kahan(const struct program_run *r)
{
	const float *in = r->b[0];
	float *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		double sum = 0;

		for (uint32_t i = 0; i < r->v[0]; i++)
			sum += (double)in[t * r->v[0] + i];
		out[t] = (float)sum;
	}
}

static void horner(const struct program_run *r)
{
	const double *x = r->b[0];
	double *y = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		for (uint32_t k = 0; k <= r->v[0]; k++)
			y[i] += (k * k + 1) * pow(x[i], k);
}

static void simpson(const struct program_run *r)
{
	double *out = r->b[0];

	for (uint32_t i = 0; i < r->block; i++)
		out[i] = atan(i * 0.125 + 1) - atan(i * 0.125);
}

static void runge_kutta(const struct program_run *r)
{
	double *out = r->b[0];

	for (uint32_t i = 0; i < r->block; i++) {
		out[2 * i] = (1 + 0.5 * i) * cos(r->v[0] * 0.01);
		out[2 * i + 1] = -(1 + 0.5 * i) * sin(r->v[0] * 0.01);
	}
}

static void newton(const struct program_run *r)
{
	const double *in = r->b[0];
	double *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = cbrt(fabs(in[i]) + 1);
}

static void n_body(const struct program_run *r)
{
	const float *at = r->b[0];
	float *pull = r->b[1];
	uint32_t n = r->v[0];

	for (uint32_t i = 0; i < n; i++) {
		double f[2] = {0, 0};

		for (uint32_t k = 0; k < n; k++) {
			double dx = (double)at[2 * k] - (double)at[2 * i];
			double dy = (double)at[2 * k + 1] - (double)at[2 * i + 1];
			double d = pow(dx * dx + dy * dy + 0.01, -1.5);

			f[0] += dx * d;
			f[1] += dy * d;
		}
		pull[2 * i] = (float)f[0];
		pull[2 * i + 1] = (float)f[1];
	}
}

static void saxpy_vectors(const struct program_run *r)
{
	float *y = r->b[0];
	const float *x = r->b[1];

	for (uint32_t i = 0; i < r->v[0]; i++)
		y[i] = (float)r->v[1] * x[i] + y[i];
}

#define MATRIX(name, n, ...) \
	PROGRAM(name, 1, n, BUFFERS(RANDOM(F64, (n) * (n), 0)), VALUES(n), __VA_ARGS__)

static const struct program_row rows[] = {
	PROGRAM(spmv_rows, 2, 32,
		BUFFERS(OUT(U32, ROWS + 1), RANDOM(U32, 512, ROWS), RANDOM(F32, 512, 0),
			RANDOM(F32, ROWS, 0), OUT(F32, ROWS)),
		VALUES(ROWS), .prepare = sparse, .tolerance = 1e-5),
	PROGRAM(spmv_warps, 16, 128,
		BUFFERS(OUT(U32, ROWS + 1), RANDOM(U32, 512, ROWS), RANDOM(U32, 512, 0),
			RANDOM(U32, ROWS, 0), OUT(U32, ROWS)),
		VALUES(ROWS), .prepare = sparse),
	PROGRAM(spmv_ell, 2, 32,
		BUFFERS(RANDOM(U32, 512, 64), RANDOM(F64, 512, 0), RANDOM(F64, 64, 0),
			OUT(F64, 64)),
		VALUES(64, 8), .prepare = padded),
	PROGRAM(spmv_triples, 4, 64,
		BUFFERS(RANDOM(U32, 256, 20), RANDOM(U32, 256, 20), RANDOM(U32, 256, 0),
			RANDOM(U32, 20, 0), OUT(U32, 20))),
	PROGRAM(matrix_vector, 8, 64,
		BUFFERS(RANDOM(F32, 800, 0), RANDOM(F32, 100, 0), OUT(F32, 8)), VALUES(100),
		.tolerance = 1e-5),
	PROGRAM_SHAPED(transpose_plain, SHAPE(3, 5, 1), SHAPE(16, 8, 1),
		BUFFERS(RANDOM(U16, 1470, 0), OUT(U16, 1470)), VALUES(42, 35)),
	PROGRAM_SHAPED(transpose_tiles, SHAPE(3, 3, 1), SHAPE(16, 4, 1),
		BUFFERS(RANDOM(U64, 1470, 0), OUT(U64, 1470)), VALUES(42, 35)),
	PROGRAM_SHAPED(multiply_tiles, SHAPE(3, 3, 1), SHAPE(8, 8, 1),
		BUFFERS(RANDOM(U32, 576, 0), RANDOM(U32, 576, 0), OUT(U32, 576)), VALUES(24)),
	PROGRAM(multiply_bytes, 20, 20,
		BUFFERS(RANDOM(U8, 400, 0), RANDOM(U8, 400, 0), OUT(U32, 400)), VALUES(20)),
	MATRIX(lu, 20, .prepare = dominant, .tolerance = 1e-12),
	MATRIX(cholesky, 24, .prepare = symmetric, .tolerance = 1e-12),
	PROGRAM(invert, 1, 32, BUFFERS(RANDOM(F64, 512, 0), OUT(F64, 512)), .prepare = invertible,
		.tolerance = 1e-10),
	PROGRAM(jacobi, 1, 32, BUFFERS(RANDOM(F64, 1024, 0), RANDOM(F64, 32, 0), OUT(F64, 32)),
		VALUES(32, 60), .prepare = dominant, .tolerance = 1e-9, .slow = true),
	PROGRAM(thomas, 1, 32,
		BUFFERS(RANDOM(F32, 512, 0), RANDOM(F32, 512, 0), RANDOM(F32, 512, 0),
			RANDOM(F32, 512, 0), OUT(F32, 512)),
		.prepare = strong_diagonal, .tolerance = 1e-4),
	PROGRAM(fft, 1, 64, BUFFERS(RANDOM(F32, 64, 0), RANDOM(F32, 64, 0)), .tolerance = 1e-4),
	PROGRAM(ntt, 1, 64, BUFFERS(RANDOM(U32, 64, 998244353), OUT(U32, 64)), VALUES(64)),
	PROGRAM(haar, 1, 32, BUFFERS(RANDOM(F32, 64, 50))),
	PROGRAM(kahan, 1, 32, BUFFERS(RANDOM(F32, 6400, 1000), OUT(F32, 32)), VALUES(200),
		.tolerance = 1e-5),
	PROGRAM(horner, 2, 32, BUFFERS(RANDOM(F64, 64, 2), OUT(F64, 64)), VALUES(9),
		.tolerance = 1e-11),
	PROGRAM(simpson, 1, 32, BUFFERS(OUT(F64, 32)), VALUES(200), .tolerance = 1e-9),
	PROGRAM(runge_kutta, 1, 32, BUFFERS(OUT(F64, 64)), VALUES(200), .tolerance = 1e-8),
	PROGRAM(newton, 2, 32, BUFFERS(RANDOM(F64, 64, 1000000), OUT(F64, 64)), .tolerance = 1e-12),
	PROGRAM(n_body, 2, 32, BUFFERS(RANDOM(F32, 128, 10), OUT(F32, 128)), VALUES(64),
		.tolerance = 1e-4),
	PROGRAM(saxpy_vectors, 2, 64, BUFFERS(RANDOM(F32, 400, 0), RANDOM(F32, 400, 0)),
		VALUES(400, 3)),
};

const struct program_file linear_programs = {"linear", rows, ARRAY_LEN(rows)};
