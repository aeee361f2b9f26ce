/* Twelve kernels tuned for the chip m12 (32 SMs of 1024 threads, one issue slot, 256 B/ns of DRAM):
 * each keeps one unit near its peak with work that it needs, in CTAs of equal work that all fit at
 * once (tuned.txt has the unit of each). */
#include "../../../workloads/cuda.h"

#define SYNC() __syncthreads()
#define ALL 0xffffffffu
#define THREADS 256u

struct __attribute__((aligned(16))) quad {
	float x, y, z, w;
};

/* By members: clang copies whole structures through local memory. */
static __device__ __forceinline__ CUDA_NODEBUG void quad_copy(quad *to, const quad *from)
{
	float x = from->x, y = from->y, z = from->z, w = from->w;

	to->x = x;
	to->y = y;
	to->z = z;
	to->w = w;
}

static __device__ __forceinline__ unsigned first_of_all()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ unsigned all_threads()
{
	return gridDim.x * blockDim.x;
}

/* Words side by side, four loads in flight for each thread. */
extern "C" __global__ void copy(const float *from, float *to, unsigned n)
{
	unsigned step = all_threads();

	for (unsigned i = first_of_all(); i < n; i += 4 * step) {
		float a = from[i], b = from[i + step], c = from[i + 2 * step],
		      d = from[i + 3 * step];

		to[i] = a;
		to[i + step] = b;
		to[i + 2 * step] = c;
		to[i + 3 * step] = d;
	}
}

/* 16 bytes a thread and access. */
extern "C" __global__ void copy4(const quad *from, quad *to, unsigned n)
{
	unsigned step = all_threads();

	for (unsigned i = first_of_all(); i < n; i += 2 * step) {
		quad a, b;

		quad_copy(&a, &from[i]);
		quad_copy(&b, &from[i + step]);
		quad_copy(&to[i], &a);
		quad_copy(&to[i + step], &b);
	}
}

/* c = a * b in tiles of 64 x 64, of which a thread has 8 x 4 in registers; the next tiles of a and b
 * are loaded while these are multiplied, into the other half of shared memory. 128 threads. */
#define TILE 64u
#define DEEP 8u
extern "C" __global__ void matmul(const float *a, const float *b, float *c, unsigned n, unsigned deep)
{
	__shared__ float ta[2][DEEP][TILE + 1], tb[2][DEEP][TILE];
	unsigned t = threadIdx.x, row = blockIdx.y * TILE, column = blockIdx.x * TILE;
	unsigned x = t % 16, y = t / 16;
	float sum[8][4] = {}, next_a[4], next_b[4];

	/* a is transposed: a[k][row] */
#pragma unroll
	for (unsigned i = 0; i < 4; i++) {
		unsigned k = i * 2 + t / 64, at = t % 64;

		ta[0][k][at] = a[k * n + row + at];
		tb[0][k][at] = b[k * n + column + at];
	}
	SYNC();
	for (unsigned k = 0; k < deep; k += DEEP) {
		unsigned half = k / DEEP % 2;
		bool more = k + DEEP < deep;

		if (more)
#pragma unroll
			for (unsigned i = 0; i < 4; i++) {
				unsigned from = k + DEEP + i * 2 + t / 64, at = t % 64;

				next_a[i] = a[from * n + row + at];
				next_b[i] = b[from * n + column + at];
			}
#pragma unroll
		for (unsigned d = 0; d < DEEP; d++) {
			float va[8], vb[4];

#pragma unroll
			for (unsigned i = 0; i < 8; i++)
				va[i] = ta[half][d][y + 8 * i];
#pragma unroll
			for (unsigned i = 0; i < 4; i++)
				vb[i] = tb[half][d][x + 16 * i];
#pragma unroll
			for (unsigned i = 0; i < 8; i++)
#pragma unroll
				for (unsigned j = 0; j < 4; j++)
					sum[i][j] += va[i] * vb[j];
		}
		if (more)
#pragma unroll
			for (unsigned i = 0; i < 4; i++) {
				unsigned to = i * 2 + t / 64, at = t % 64;

				ta[1 - half][to][at] = next_a[i];
				tb[1 - half][to][at] = next_b[i];
			}
		SYNC();
	}
#pragma unroll
	for (unsigned i = 0; i < 8; i++)
#pragma unroll
		for (unsigned j = 0; j < 4; j++)
			c[(row + y + 8 * i) * n + column + x + 16 * j] = sum[i][j];
}

/* Tiles of 32 x 32 whose rows are a word longer; 32 x 8 threads. The next tile is loaded while this
 * one is stored. Rows of both arrays are an odd number of blocks of 256 bytes, so that a tile's rows
 * are in different slices. */
extern "C" __global__ void transpose(
	const float *from, float *to, unsigned tiles, unsigned from_row, unsigned to_row)
{
	__shared__ float tile[2][32][33];
	unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, half = 0;
	unsigned top = blockIdx.y * 32, down = gridDim.y * 32;
	const float *in = from + (top + y) * from_row + blockIdx.x * 32 + x;
	float *out = to + (blockIdx.x * 32 + y) * to_row + top + x;
	float next[4];

#pragma unroll
	for (unsigned i = 0; i < 4; i++)
		next[i] = in[8 * i * from_row];
	for (unsigned at = 0; at < tiles; at++, half = 1 - half, out += down) {
#pragma unroll
		for (unsigned i = 0; i < 4; i++)
			tile[half][y + 8 * i][x] = next[i];
		in += down * from_row;
		if (at + 1 < tiles)
#pragma unroll
			for (unsigned i = 0; i < 4; i++)
				next[i] = in[8 * i * from_row];
		SYNC();
#pragma unroll
		for (unsigned i = 0; i < 4; i++)
			out[8 * i * to_row] = tile[half][x][y + 8 * i];
	}
}

static __device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
	for (unsigned by = 16; by; by /= 2)
		v += __nvvm_shfl_sync_down_f32(ALL, v, by, 31);
	return v;
}

/* Sums in registers, of warps by shuffles, of CTAs in shared memory: a word for each CTA. */
extern "C" __global__ void reduce(const quad *in, float *out, unsigned n)
{
	__shared__ float of_warp[8];
	unsigned step = all_threads();
	float sum = 0;

	for (unsigned i = first_of_all(); i < n; i += 2 * step) {
		quad a = in[i], b = in[i + step];

		sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
	}
	sum = warp_sum(sum);
	if (threadIdx.x % 32 == 0)
		of_warp[threadIdx.x / 32] = sum;
	SYNC();
	if (threadIdx.x < 32) {
		sum = threadIdx.x < 8 ? of_warp[threadIdx.x] : 0;
		sum = warp_sum(sum);
		if (!threadIdx.x)
			out[blockIdx.x] = sum;
	}
}

/* Steps of a stencil of three points in shared memory, four points a thread, two arrays in turn.
 * CTAs are small, so that few warps wait at each barrier. */
#define FEW 64u
extern "C" __global__ void stencil(const float *in, float *out, unsigned steps)
{
	__shared__ float line[2][4 * FEW + 2];
	unsigned t = threadIdx.x, base = blockIdx.x * 4 * FEW;
	unsigned now = 0;

#pragma unroll
	for (unsigned i = 0; i < 4; i++)
		line[0][1 + t + i * FEW] = in[base + t + i * FEW];
	if (t < 2)
		line[0][t * (4 * FEW + 1)] = line[1][t * (4 * FEW + 1)] = 0;
	SYNC();
	for (unsigned s = 0; s < steps; s++) {
#pragma unroll
		for (unsigned i = 0; i < 4; i++) {
			unsigned at = 1 + t + i * FEW;

			line[1 - now][at] = 0.25f * line[now][at - 1] + 0.5f * line[now][at] +
					    0.25f * line[now][at + 1];
		}
		SYNC();
		now = 1 - now;
	}
#pragma unroll
	for (unsigned i = 0; i < 4; i++)
		out[base + t + i * FEW] = line[now][1 + t + i * FEW];
}

/* Eight independent chains of multiply-adds a thread. */
extern "C" __global__ void fma(float *out, unsigned steps, float by)
{
	float v[8];

#pragma unroll
	for (unsigned i = 0; i < 8; i++)
		v[i] = (float)(threadIdx.x + i);
	for (unsigned s = 0; s < steps; s++)
#pragma unroll
		for (unsigned k = 0; k < 32; k++)
			v[k % 8] = v[k % 8] * by + 0.5f;
	out[first_of_all()] = ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

/* Sines of four values a thread. */
extern "C" __global__ void sfu(float *out, unsigned steps)
{
	float v[4];

#pragma unroll
	for (unsigned i = 0; i < 4; i++)
		v[i] = (float)(threadIdx.x + i) * 0.001f;
	for (unsigned s = 0; s < steps; s++)
#pragma unroll
		for (unsigned k = 0; k < 8; k++)
			v[k % 4] = __nvvm_sin_approx_f(v[k % 4]);
	out[first_of_all()] = (v[0] + v[1]) + (v[2] + v[3]);
}

/* Sixteen bins: a warp votes on each bit of its values, and a lane counts those that are in its
 * bin, in a register; one atomic of shared memory for each lane and one of global memory for each
 * bin of a CTA are left. Four loads are in flight. */
extern "C" __global__ void histogram(const unsigned *in, unsigned *out, unsigned n)
{
	__shared__ unsigned bins[16];
	unsigned step = all_threads(), lane = threadIdx.x % 32, count = 0;

	if (threadIdx.x < 16)
		bins[threadIdx.x] = 0;
	SYNC();
	for (unsigned i = first_of_all(); i < n; i += 4 * step) {
		unsigned v[4] = {in[i], in[i + step], in[i + 2 * step], in[i + 3 * step]};

#pragma unroll
		for (unsigned k = 0; k < 4; k++) {
			unsigned in_bin = ALL;

#pragma unroll
			for (unsigned bit = 0; bit < 4; bit++) {
				unsigned has =
					(unsigned)__nvvm_vote_ballot_sync(ALL, v[k] >> bit & 1);

				in_bin &= lane >> bit & 1 ? has : ~has;
			}
			count += (unsigned)__builtin_popcount(in_bin);
		}
	}
	if (lane < 16)
		__nvvm_atom_add_gen_i((int *)&bins[lane], (int)count);
	SYNC();
	if (threadIdx.x < 16)
		__nvvm_atom_add_gen_i((int *)&out[threadIdx.x], (int)bins[threadIdx.x]);
}

/* Sums up to each element of a CTA's part, 1024 elements at a time: four of a thread in registers,
 * of warps by shuffles, of the CTA in shared memory. The next elements are loaded before. */
extern "C" __global__ void scan(const quad *in, quad *out, unsigned quads)
{
	__shared__ float of_warp[2][8];
	unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, turn = 0;
	const quad *from = in + blockIdx.x * quads;
	quad *to = out + blockIdx.x * quads, next = from[t];
	float before = 0;

	for (unsigned i = t; i < quads; i += THREADS, turn = 1 - turn) {
		quad v = next;
		float sum, all = 0, mine = 0;

		if (i + THREADS < quads)
			next = from[i + THREADS];
		v.y += v.x;
		v.z += v.y;
		v.w += v.z;
		sum = v.w;
#pragma unroll
		for (int by = 1; by < 32; by *= 2) {
			float left = __nvvm_shfl_sync_up_f32(ALL, sum, by, 0);

			sum += (int)lane >= by ? left : 0;
		}
		if (lane == 31)
			of_warp[turn][warp] = sum;
		SYNC();
#pragma unroll
		for (unsigned w = 0; w < 8; w++) {
			float one = of_warp[turn][w];

			mine += w < warp ? one : 0;
			all += one;
		}
		mine += before + sum - v.w;
		before += all;
		v.x += mine;
		v.y += mine;
		v.z += mine;
		v.w += mine;
		to[i] = v;
	}
}

/* Rows of eight elements each, the first of all rows side by side, then the second (ELLPACK): their
 * columns are near the diagonal, so that x is in the L1. */
extern "C" __global__ void spmv(
	const float *value, const int *offset, const float *x, float *y, unsigned rows,
	unsigned pitch)
{
	for (unsigned row = first_of_all(); row < rows; row += all_threads()) {
		float v[8], sum = 0;
		int o[8];

#pragma unroll
		for (unsigned k = 0; k < 8; k++) {
			v[k] = value[k * pitch + row];
			o[k] = offset[k * pitch + row];
		}
#pragma unroll
		for (unsigned k = 0; k < 8; k++)
			sum += v[k] * x[(int)row + o[k]];
		y[row] = sum;
	}
}

/* Accelerations of two bodies a thread by all bodies, 256 of them at a time in shared memory, which a
 * warp's lanes read together. */
extern "C" __global__ void nbody(const float *body, float *out, unsigned bodies)
{
	__shared__ float tile[4][THREADS];
	unsigned me = first_of_all(), step = all_threads();
	float x[2], y[2], z[2], ax[2] = {}, ay[2] = {}, az[2] = {};

#pragma unroll
	for (unsigned k = 0; k < 2; k++) {
		x[k] = body[me + k * step];
		y[k] = body[2 * step + me + k * step];
		z[k] = body[4 * step + me + k * step];
	}
	for (unsigned at = 0; at < bodies; at += THREADS) {
#pragma unroll
		for (unsigned i = 0; i < 4; i++)
			tile[i][threadIdx.x] = body[2 * i * step + at + threadIdx.x];
		SYNC();
#pragma unroll 8
		for (unsigned i = 0; i < THREADS; i++) {
			float bx = tile[0][i], by = tile[1][i], bz = tile[2][i], mass = tile[3][i];

#pragma unroll
			for (unsigned k = 0; k < 2; k++) {
				float dx = bx - x[k], dy = by - y[k], dz = bz - z[k];
				float far = dx * dx + dy * dy + dz * dz + 0.01f;
				float near = __nvvm_rsqrt_approx_f(far);
				float pull = mass * near * near * near;

				ax[k] += dx * pull;
				ay[k] += dy * pull;
				az[k] += dz * pull;
			}
		}
		SYNC();
	}
#pragma unroll
	for (unsigned k = 0; k < 2; k++) {
		out[me + k * step] = ax[k];
		out[2 * step + me + k * step] = ay[k];
		out[4 * step + me + k * step] = az[k];
	}
}
