/* What JPEG does to an image: the discrete cosine transform of its 8x8 blocks (Ahmed, Natarajan and
 * Rao, 1974), quantisation, and the inverse transform. A transform is two passes, along rows and
 * along columns; a thread takes twice eight values through
 * registers. Sums and differences of mirrored
 * values halve the work: even coefficients need the sums only, odd ones the differences. */
#include "cuda.h"
#include "cuda_math.h"

#define N 8

/* cos(k pi / 16) / 2; C4 is also sqrt(1/8). */
#define C1 0.49039264f
#define C2 0.46193977f
#define C3 0.41573481f
#define C4 0.35355339f
#define C5 0.27778512f
#define C6 0.19134172f
#define C7 0.09754516f

static __device__ __forceinline__ void forward(float *v)
{
	float s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
	float d0 = v[0] - v[7], d1 = v[1] - v[6], d2 = v[2] - v[5], d3 = v[3] - v[4];

	v[0] = C4 * ((s0 + s3) + (s1 + s2));
	v[4] = C4 * ((s0 + s3) - (s1 + s2));
	v[2] = C2 * (s0 - s3) + C6 * (s1 - s2);
	v[6] = C6 * (s0 - s3) - C2 * (s1 - s2);
	v[1] = C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3;
	v[3] = C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3;
	v[5] = C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3;
	v[7] = C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3;
}

static __device__ __forceinline__ void inverse(float *v)
{
	float a = C4 * (v[0] + v[4]), b = C4 * (v[0] - v[4]);
	float c = C2 * v[2] + C6 * v[6], d = C6 * v[2] - C2 * v[6];
	float s0 = a + c, s1 = b + d, s2 = b - d, s3 = a - c;
	float d0 = C1 * v[1] + C3 * v[3] + C5 * v[5] + C7 * v[7];
	float d1 = C3 * v[1] - C7 * v[3] - C1 * v[5] - C5 * v[7];
	float d2 = C5 * v[1] - C1 * v[3] + C7 * v[5] + C3 * v[7];
	float d3 = C7 * v[1] - C5 * v[3] + C3 * v[5] - C1 * v[7];

	v[0] = s0 + d0;
	v[7] = s0 - d0;
	v[1] = s1 + d1;
	v[6] = s1 - d1;
	v[2] = s2 + d2;
	v[5] = s2 - d2;
	v[3] = s3 + d3;
	v[4] = s3 - d3;
}

struct __attribute__((aligned(8))) two {
	float x, y;
};

struct __attribute__((aligned(16))) four {
	float x, y, z, w;
};

/* Rows: a thread's values, a row of two neighbouring blocks, lie side by side, the next thread's
 * behind them. */
static __device__ __forceinline__ int row_start()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x) * (2 * N);
}

static __device__ __forceinline__ void load_row(const float *row, float *v)
{
	for (int i = 0; i < N; i += 4) {
		four in = *(const four *)(row + i);

		v[i] = in.x, v[i + 1] = in.y, v[i + 2] = in.z, v[i + 3] = in.w;
	}
}

static __device__ __forceinline__ void store_row(float *row, const float *v)
{
	for (int i = 0; i < N; i += 4) {
		four out = {v[i], v[i + 1], v[i + 2], v[i + 3]};

		*(four *)(row + i) = out;
	}
}

/* Columns: two neighbouring ones a thread; blockIdx.y is the row of blocks. */
static __device__ __forceinline__ int column_start(int columns)
{
	return (int)(blockIdx.y * N) * columns + 2 * (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ void load_columns(
	const float *from, int columns, float *left, float *right)
{
	for (int i = 0; i < N; i++) {
		two in = *(const two *)(from + i * columns);

		left[i] = in.x, right[i] = in.y;
	}
}

static __device__ __forceinline__ void store_columns(
	float *to, int columns, const float *left, const float *right)
{
	for (int i = 0; i < N; i++) {
		two out = {left[i], right[i]};

		*(two *)(to + i * columns) = out;
	}
}

extern "C" __global__ void dct_rows(const float *image, float *half)
{
	int start = row_start();
	float v[N], w[N];

	load_row(image + start, v);
	load_row(image + start + N, w);
	forward(v);
	forward(w);
	store_row(half + start, v);
	store_row(half + start + N, w);
}

extern "C" __global__ void dct_columns(const float *half, float *coefficients, int columns)
{
	int start = column_start(columns);
	float v[N], w[N];

	load_columns(half + start, columns, v, w);
	forward(v);
	forward(w);
	store_columns(coefficients + start, columns, v, w);
}

/* What quality 50 of JPEG's reference encoder means: ITU-T T.81, table K.1. */
static __constant__ const short quantisers[N * N] = {16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19,
	26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37,
	56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
	72, 92, 95, 98, 112, 100, 103, 99};

/* A CTA takes a block: every coefficient becomes the nearest multiple of its quantiser. */
extern "C" __global__ void quantise(const float *coefficients, float *quantised, int columns)
{
	int x = (int)(blockIdx.x * N + threadIdx.x), y = (int)(blockIdx.y * N + threadIdx.y);
	float quantiser = (float)quantisers[threadIdx.y * N + threadIdx.x];
	int level = float_to_int_rn(coefficients[y * columns + x] / quantiser);

	quantised[y * columns + x] = (float)level * quantiser;
}

extern "C" __global__ void idct_columns(const float *quantised, float *half, int columns)
{
	int start = column_start(columns);
	float v[N], w[N];

	load_columns(quantised + start, columns, v, w);
	inverse(v);
	inverse(w);
	store_columns(half + start, columns, v, w);
}

extern "C" __global__ void idct_rows(const float *half, float *image)
{
	int start = row_start();
	float v[N], w[N];

	load_row(half + start, v);
	load_row(half + start + N, w);
	inverse(v);
	inverse(w);
	store_row(image + start, v);
	store_row(image + start + N, w);
}
