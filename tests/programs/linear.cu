/* Matrices, transforms and other numerics. */
#include "tests/programs/cuda.h"

KERNEL spmv_rows(
	const u32 *starts, const u32 *columns, const float *values, const float *x, float *y, u32 n)
{
	u32 row = thread();
	float sum = 0;

	if (row >= n)
		return;
	for (u32 i = starts[row]; i < starts[row + 1]; i++)
		sum += values[i] * x[columns[i]];
	y[row] = sum;
}

/* A warp a row. */
KERNEL spmv_warps(
	const u32 *starts, const u32 *columns, const u32 *values, const u32 *x, u32 *y, u32 n)
{
	u32 row = thread() / 32, sum = 0;

	if (row >= n)
		return;
	for (u32 i = starts[row] + lane(); i < starts[row + 1]; i += 32)
		sum += values[i] * x[columns[i]];
	for (u32 by = 16; by; by /= 2)
		sum += shuffle_down(sum, by);
	if (lane() == 0)
		y[row] = sum;
}

/* Rows padded to `width`, column by column (ELLPACK). */
KERNEL spmv_ell(
	const u32 *columns, const double *values, const double *x, double *y, u32 n, u32 width)
{
	u32 row = thread();
	double sum = 0;

	for (u32 k = 0; k < width; k++) {
		u32 column = columns[k * n + row];

		if (column == n)
			break;
		sum += values[k * n + row] * x[column];
	}
	y[row] = sum;
}

KERNEL spmv_triples(const u32 *rows, const u32 *columns, const u32 *values, const u32 *x, u32 *y)
{
	u32 i = thread();

	atomic_add(&y[rows[i]], values[i] * x[columns[i]]);
}

KERNEL matrix_vector(const float *a, const float *x, float *y, u32 n)
{
	__shared__ float part[64];
	u32 row = blockIdx.x;
	float sum = 0;

	for (u32 i = threadIdx.x; i < n; i += 64)
		sum = __builtin_fmaf(a[row * n + i], x[i], sum);
	part[threadIdx.x] = sum;
	barrier();
	if (threadIdx.x == 0) {
		for (u32 i = 1; i < 64; i++)
			sum += part[i];
		y[row] = sum;
	}
}

KERNEL transpose_plain(const u16 *in, u16 *out, u32 width, u32 height)
{
	u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < width && y < height)
		out[x * height + y] = in[y * width + x];
}

KERNEL transpose_tiles(const u64 *in, u64 *out, u32 width, u32 height)
{
	__shared__ u64 tile[16][17];
	u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;

	for (u32 k = 0; k < 16; k += 4)
		if (x < width && y + k < height)
			tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
	barrier();
	x = blockIdx.y * 16 + threadIdx.x;
	y = blockIdx.x * 16 + threadIdx.y;
	for (u32 k = 0; k < 16; k += 4)
		if (x < height && y + k < width)
			out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}

KERNEL multiply_tiles(const s32 *a, const s32 *b, s32 *c, u32 n)
{
	__shared__ s32 left[8][8], right[8][8];
	u32 tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
	s32 sum = 0;

	for (u32 tile = 0; tile < n; tile += 8) {
		left[ty][tx] = a[y * n + tile + tx];
		right[ty][tx] = b[(tile + ty) * n + x];
		barrier();
		for (u32 k = 0; k < 8; k++)
			sum += left[ty][k] * right[k][tx];
		barrier();
	}
	c[y * n + x] = sum;
}

KERNEL multiply_bytes(const s8 *a, const u8 *b, s32 *c, u32 n)
{
	u32 x = threadIdx.x, y = blockIdx.x;
	s32 sum = 0;

	for (u32 k = 0; k < n; k++)
		sum += a[y * n + k] * b[k * n + x];
	c[y * n + x] = sum;
}

/* In place, a thread a row (Doolittle, no pivots). */
KERNEL lu(double *a, u32 n)
{
	u32 row = threadIdx.x;

	for (u32 k = 0; k + 1 < n; k++) {
		barrier();
		if (row > k && row < n) {
			double f = a[row * n + k] / a[k * n + k];

			a[row * n + k] = f;
			for (u32 i = k + 1; i < n; i++)
				a[row * n + i] -= f * a[k * n + i];
		}
	}
}

KERNEL cholesky(double *a, u32 n)
{
	u32 row = threadIdx.x;

	for (u32 k = 0; k < n; k++) {
		if (row == k)
			a[k * n + k] = __builtin_sqrt(a[k * n + k]);
		barrier();
		if (row > k && row < n)
			a[row * n + k] /= a[k * n + k];
		barrier();
		if (row > k && row < n)
			for (u32 i = k + 1; i <= row; i++)
				a[row * n + i] -= a[row * n + k] * a[i * n + k];
		barrier();
	}
}

/* Inverse of a 4 x 4 matrix of doubles a thread, with row pivots. */
KERNEL invert(const double *in, double *out)
{
	double a[4][8];

	for (u32 i = 0; i < 4; i++)
		for (u32 k = 0; k < 8; k++)
			a[i][k] = k < 4 ? in[thread() * 16 + 4 * i + k] : k == i + 4;
	for (u32 k = 0; k < 4; k++) {
		u32 best = k;

		for (u32 i = k + 1; i < 4; i++)
			if (__builtin_fabs(a[i][k]) > __builtin_fabs(a[best][k]))
				best = i;
		for (u32 c = 0; c < 8; c++) {
			double x = a[k][c];

			a[k][c] = a[best][c];
			a[best][c] = x;
		}
		double pivot = a[k][k];
		for (u32 c = 0; c < 8; c++)
			a[k][c] /= pivot;
		for (u32 i = 0; i < 4; i++) {
			double f = a[i][k];

			for (u32 c = 0; c < 8 && i != k; c++)
				a[i][c] -= f * a[k][c];
		}
	}
	for (u32 i = 0; i < 16; i++)
		out[thread() * 16 + i] = a[i / 4][4 + i % 4];
}

KERNEL jacobi(const double *a, const double *b, double *x, u32 n, u32 rounds)
{
	__shared__ double now[32];
	u32 row = threadIdx.x;

	now[row] = 0;
	for (u32 round = 0; round < rounds; round++) {
		double sum = b[row];

		barrier();
		for (u32 i = 0; i < n; i++)
			if (i != row)
				sum -= a[row * n + i] * now[i];
		barrier();
		now[row] = sum / a[row * n + row];
	}
	x[row] = now[row];
}

/* Tridiagonal systems, one a thread (Thomas). */
KERNEL thomas(
	const float *low, const float *diagonal, const float *high, const float *right, float *x)
{
	float c[16], d[16];
	const u32 n = 16, at = thread() * n;

	c[0] = high[at] / diagonal[at];
	d[0] = right[at] / diagonal[at];
	for (u32 i = 1; i < n; i++) {
		float m = 1 / (diagonal[at + i] - low[at + i] * c[i - 1]);

		c[i] = high[at + i] * m;
		d[i] = (right[at + i] - low[at + i] * d[i - 1]) * m;
	}
	x[at + n - 1] = d[n - 1];
	for (u32 i = n - 1; i-- > 0;)
		x[at + i] = d[i] - c[i] * x[at + i + 1];
}

/* 64 complex numbers, radix 2, decimation in time. */
KERNEL fft(float *re, float *im)
{
	__shared__ float r[64], s[64];
	u32 t = threadIdx.x, to = __builtin_bitreverse32(t) >> 26;

	r[to] = re[t];
	s[to] = im[t];
	for (u32 half = 1; half < 64; half *= 2) {
		barrier();
		if (t < 32) {
			u32 k = t & (half - 1), a = 2 * (t - k) + k, b = a + half;
			float angle = -3.14159265358979f * (float)k / (float)half;
			float c = __nvvm_cos_approx_f(angle), d = __nvvm_sin_approx_f(angle);
			float x = r[b] * c - s[b] * d, y = r[b] * d + s[b] * c;

			r[b] = r[a] - x;
			s[b] = s[a] - y;
			r[a] += x;
			s[a] += y;
		}
	}
	barrier();
	re[t] = r[t];
	im[t] = s[t];
}

/* Number-theoretic transform modulo 998244353 by its definition. */
DEVICE u32 power_mod(u32 base, u32 exponent, u32 m)
{
	u64 x = 1, b = base;

	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			x = x * b % m;
		b = b * b % m;
	}
	return (u32)x;
}

KERNEL ntt(const u32 *in, u32 *out, u32 n)
{
	const u32 m = 998244353;
	u32 root = power_mod(power_mod(3, (m - 1) / n, m), threadIdx.x, m);
	u64 sum = 0, w = 1;

	for (u32 i = 0; i < n; i++) {
		sum = (sum + w * in[i]) % m;
		w = w * root % m;
	}
	out[threadIdx.x] = (u32)sum;
}

KERNEL haar(float *data)
{
	__shared__ float a[64];
	u32 t = threadIdx.x;

	a[t] = data[t];
	a[t + 32] = data[t + 32];
	for (u32 n = 32; n; n /= 2) {
		float x = 0, y = 0;

		barrier();
		if (t < n) {
			x = a[2 * t];
			y = a[2 * t + 1];
		}
		barrier();
		if (t < n) {
			a[t] = (x + y) * 0.5f;
			a[t + n] = (x - y) * 0.5f;
		}
	}
	barrier();
	data[t] = a[t];
	data[t + 32] = a[t + 32];
}

/* Dot products that are hard on rounding: Kahan's sum. */
KERNEL kahan(const float *in, float *out, u32 each)
{
	float sum = 0, lost = 0;

	for (u32 i = 0; i < each; i++) {
		float y = in[thread() * each + i] - lost, t = sum + y;

		lost = (t - sum) - y;
		sum = t;
	}
	out[thread()] = sum;
}

KERNEL horner(const double *x, double *y, u32 degree)
{
	double v = x[thread()], sum = 0;

	for (u32 i = degree + 1; i-- > 0;)
		sum = sum * v + (double)(i * i + 1);
	y[thread()] = sum;
}

KERNEL simpson(double *out, u32 steps)
{
	double a = threadIdx.x * 0.125, h = 1.0 / steps, sum = 0;

	for (u32 i = 0; i <= steps; i++) {
		double x = a + i * h, f = 1 / (1 + x * x);

		sum += f * (i == 0 || i == steps ? 1 : i & 1 ? 4 : 2);
	}
	out[threadIdx.x] = sum * h / 3;
}

/* The orbit of a pendulum, fourth-order Runge-Kutta on x'' = -x. */
KERNEL runge_kutta(double *out, u32 steps)
{
	double x = 1 + 0.5 * threadIdx.x, v = 0, h = 0.01;

	for (u32 i = 0; i < steps; i++) {
		double a1 = -x, v1 = v;
		double a2 = -(x + h / 2 * v1), v2 = v + h / 2 * a1;
		double a3 = -(x + h / 2 * v2), v3 = v + h / 2 * a2;
		double a4 = -(x + h * v3), v4 = v + h * a3;

		x += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
		v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
	}
	out[2 * threadIdx.x] = x;
	out[2 * threadIdx.x + 1] = v;
}

/* Cube roots; each lane needs its own number of steps. */
KERNEL newton(const double *in, double *out)
{
	double v = __builtin_fabs(in[thread()]) + 1, x = v, last;

	do {
		last = x;
		x = (2 * x + v / (x * x)) / 3;
	} while (__builtin_fabs(x - last) > 1e-13 * x);
	out[thread()] = x;
}

/* All pairs of bodies, their pull on each (Newton), rsqrt. */
KERNEL n_body(const float *at, float *pull, u32 n)
{
	u32 i = thread();
	float x = at[2 * i], y = at[2 * i + 1], fx = 0, fy = 0;

	for (u32 k = 0; k < n; k++) {
		float dx = at[2 * k] - x, dy = at[2 * k + 1] - y;
		float near = __nvvm_rsqrt_approx_f(dx * dx + dy * dy + 0.01f),
		      f = near * near * near;

		fx += dx * f;
		fy += dy * f;
	}
	pull[2 * i] = fx;
	pull[2 * i + 1] = fy;
}

KERNEL saxpy_vectors(float *y, const float *x, u32 n, u32 a)
{
	typedef float f4 __attribute__((ext_vector_type(4)));
	u32 i = thread();

	if (4 * i < n)
		((f4 *)y)[i] = (float)a * ((const f4 *)x)[i] + ((f4 *)y)[i];
}
