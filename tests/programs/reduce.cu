/* Sums, extremes and prefix sums over arrays. */
#include "tests/programs/cuda.h"

KERNEL reduce_tree(const u32 *in, u32 *out)
{
	__shared__ u32 part[128];
	u32 t = threadIdx.x;

	part[t] = in[thread()];
	for (u32 step = blockDim.x / 2; step; step /= 2) {
		barrier();
		if (t < step)
			part[t] += part[t + step];
	}
	if (t == 0)
		out[blockIdx.x] = part[0];
}

/* Interleaved addressing with modulo: divergent within warps. */
KERNEL reduce_divergent(const u32 *in, u32 *out)
{
	__shared__ u32 part[64];
	u32 t = threadIdx.x;

	part[t] = in[thread()];
	barrier();
	for (u32 step = 1; step < blockDim.x; step *= 2) {
		if (t % (2 * step) == 0)
			part[t] += part[t + step];
		barrier();
	}
	if (t == 0)
		out[blockIdx.x] = part[0];
}

KERNEL reduce_strided(const u32 *in, u32 *total, u32 n)
{
	u32 sum = 0;

	for (u32 i = thread(); i < n; i += gridDim.x * blockDim.x)
		sum += in[i];
	atomic_add(total, sum);
}

KERNEL reduce_shuffle(const u32 *in, u32 *out)
{
	u32 sum = in[thread()];

	for (u32 by = 16; by; by /= 2)
		sum += shuffle_down(sum, by);
	if (lane() == 0)
		out[thread() / 32] = sum;
}

KERNEL reduce_max(const s32 *in, s32 *out)
{
	s32 best = in[thread()];

	for (u32 by = 1; by < 32; by *= 2)
		best = max(best, (s32)shuffle_xor((u32)best, by));
	__nvvm_atom_max_gen_i(out, best);
}

KERNEL reduce_min64(const u64 *in, u64 *out)
{
	__shared__ u64 part[64];
	u32 t = threadIdx.x;

	part[t] = in[thread()];
	barrier();
	for (u32 step = 32; step; step >>= 1) {
		if (t < step && part[t + step] < part[t])
			part[t] = part[t + step];
		barrier();
	}
	if (t == 0)
		out[blockIdx.x] = part[0];
}

KERNEL reduce_xor(const u64 *in, u64 *out)
{
	u64 v = in[thread()];

	for (u32 by = 16; by; by /= 2) {
		u32 low = shuffle_xor((u32)v, by), high = shuffle_xor((u32)(v >> 32), by);
		v ^= (u64)high << 32 | low;
	}
	if (lane() == 31)
		out[thread() / 32] = v;
}

KERNEL reduce_float(const float *in, float *out, u32 each)
{
	__shared__ float part[64];
	float sum = 0;

	for (u32 i = 0; i < each; i++)
		sum += in[thread() * each + i];
	part[threadIdx.x] = sum;
	for (u32 step = 32; step; step /= 2) {
		barrier();
		if (threadIdx.x < step)
			part[threadIdx.x] += part[threadIdx.x + step];
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = part[0];
}

KERNEL dot_double(const double *a, const double *b, double *out, u32 n)
{
	double sum = 0;

	for (u32 i = threadIdx.x; i < n; i += blockDim.x)
		sum = __builtin_fma(a[i], b[i], sum);
	out[threadIdx.x] = sum;
}

KERNEL dot_short(const s16 *a, const s16 *b, s64 *out, u32 each)
{
	s64 sum = 0;

	for (u32 i = thread() * each; i < (thread() + 1) * each; i++)
		sum += (s64)a[i] * b[i];
	out[thread()] = sum;
}

/* The first place of the greatest value. */
KERNEL argmax(const u32 *in, u32 *place)
{
	__shared__ u32 value[128], at[128];
	u32 t = threadIdx.x;

	value[t] = in[thread()];
	at[t] = t;
	for (u32 step = 64; step; step /= 2) {
		barrier();
		if (t < step && (value[t + step] > value[t] ||
					(value[t + step] == value[t] && at[t + step] < at[t]))) {
			value[t] = value[t + step];
			at[t] = at[t + step];
		}
	}
	if (t == 0)
		place[blockIdx.x] = at[0];
}

KERNEL scan_steps(const u32 *in, u32 *out)
{
	__shared__ u32 sum[2][128];
	u32 t = threadIdx.x, now = 0;

	sum[0][t] = in[thread()];
	barrier();
	for (u32 by = 1; by < 128; by *= 2) {
		sum[1 - now][t] = sum[now][t] + (t >= by ? sum[now][t - by] : 0);
		now = 1 - now;
		barrier();
	}
	out[thread()] = sum[now][t];
}

/* Exclusive, up and down the tree (Blelloch 1990). */
KERNEL scan_tree(const u32 *in, u32 *out)
{
	__shared__ u32 tree[128];
	u32 t = threadIdx.x, step = 1;

	tree[2 * t] = in[2 * thread()];
	tree[2 * t + 1] = in[2 * thread() + 1];
	for (u32 d = 64; d; d /= 2) {
		barrier();
		if (t < d)
			tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
		step *= 2;
	}
	if (t == 0)
		tree[127] = 0;
	for (u32 d = 1; d < 128; d *= 2) {
		step /= 2;
		barrier();
		if (t < d) {
			u32 a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1, x = tree[a];

			tree[a] = tree[b];
			tree[b] += x;
		}
	}
	barrier();
	out[2 * thread()] = tree[2 * t];
	out[2 * thread() + 1] = tree[2 * t + 1];
}

KERNEL scan_warps(const u32 *in, u32 *out)
{
	__shared__ u32 totals[8];
	u32 v = in[thread()], before = 0;

	for (u32 by = 1; by < 32; by *= 2) {
		u32 left = shuffle_up(v, by);
		if (lane() >= by)
			v += left;
	}
	if (lane() == 31)
		totals[threadIdx.x / 32] = v;
	barrier();
	for (u32 w = 0; w < threadIdx.x / 32; w++)
		before += totals[w];
	out[thread()] = before + v;
}

/* Sums restart where the flag is set. */
KERNEL scan_segments(const u32 *in, const u8 *flags, u32 *out)
{
	u32 v = in[thread()];
	u32 starts = ballot(flags[thread()]) & (FULL >> (31 - lane()));
	u32 first = starts ? 31 - (u32)__builtin_clz(starts) : 0;

	for (u32 by = 1; by < 32; by *= 2) {
		u32 left = shuffle_up(v, by);
		if (lane() >= first + by)
			v += left;
	}
	out[thread()] = v;
}

/* Keeps odd values, in order, a warp each. */
KERNEL compact(const u32 *in, u32 *out, u32 *kept)
{
	u32 v = in[thread()], odd = ballot(v & 1);

	if (v & 1)
		out[thread() - lane() + (u32)__builtin_popcount(odd & ((1u << lane()) - 1))] = v;
	if (lane() == 0)
		kept[thread() / 32] = (u32)__builtin_popcount(odd);
}

KERNEL mean_variance(const double *in, double *out, u32 n)
{
	double mean = 0, square = 0;

	for (u32 i = 0; i < n; i++) { /* Welford 1962 */
		double x = in[i * blockDim.x + threadIdx.x], delta = x - mean;

		mean += delta / (i + 1);
		square += delta * (x - mean);
	}
	out[2 * threadIdx.x] = mean;
	out[2 * threadIdx.x + 1] = square / (n - 1);
}

/* The CTA that takes the last ticket sums what all have left. */
KERNEL last_cta_sums(const u32 *in, u32 *parts, u32 *tickets, u32 *total)
{
	__shared__ u32 last;
	u32 v = in[thread()];

	for (u32 by = 16; by; by /= 2)
		v += shuffle_down(v, by);
	if (threadIdx.x == 0) {
		parts[blockIdx.x] = v;
		__nvvm_membar_gl();
		last = atomic_add(tickets, 1) == gridDim.x - 1;
	}
	barrier();
	if (last && threadIdx.x == 0) {
		u32 sum = 0;

		for (u32 i = 0; i < gridDim.x; i++)
			sum += ((volatile u32 *)parts)[i];
		*total = sum;
	}
}

KERNEL running_max(const s32 *in, s32 *out, u32 each)
{
	s32 best = -2147483647 - 1;

	for (u32 i = thread() * each; i < (thread() + 1) * each; i++) {
		best = max(best, in[i]);
		out[i] = best;
	}
}

KERNEL moving_average(const u32 *in, u32 *out, u32 n, u32 window)
{
	u32 i = thread(), sum = 0, count = 0;

	for (s32 k = (s32)i - (s32)window; k <= (s32)(i + window); k++)
		if (k >= 0 && k < (s32)n) {
			sum += in[k];
			count++;
		}
	if (i < n)
		out[i] = sum / count;
}
