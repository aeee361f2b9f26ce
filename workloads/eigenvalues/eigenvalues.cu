/* Eigenvalues of a symmetric tridiagonal matrix by bisection (Lessig, 2007): a thread cuts an
 * interval in halves and counts the eigenvalues below the cut by the matrix's LDL decomposition
 * (Barth, Martin and Wilkinson, 1967); halves without any are dropped. Small matrices take one CTA,
 * bisect_single. For large ones a CTA finds up to two intervals for each of its threads
 * (bisect_first); then CTAs go on with those that contain one eigenvalue (bisect_one), others with
 * groups of the rest (bisect_several). diagonal[i] is the matrix's, beside[i] is right of it;
 * beside[-1] is 0. */
#include "cuda_math.h"

#define INLINE static __device__ __forceinline__
#define THREADS_SINGLE 512
#define THREADS 256

struct matrix {
	const float *diagonal, *beside;
	unsigned n;
};

/* (left, right), and how many eigenvalues are below each limit. Converged: left == right. */
struct interval {
	float left, right;
	unsigned left_count, right_count;
};

/* Intervals in shared memory; Count is wide enough for the matrix's size. */
template <class Count> struct intervals {
	float *left, *right;
	Count *left_count, *right_count;

	__device__ __forceinline__ interval load(unsigned at) const
	{
		return {left[at], right[at], left_count[at], right_count[at]};
	}

	__device__ __forceinline__ void store(unsigned at, const interval &x)
	{
		left[at] = x.left;
		right[at] = x.right;
		left_count[at] = (Count)x.left_count;
		right_count[at] = (Count)x.right_count;
	}
};

/* What a CTA's threads know together. */
struct common {
	unsigned active, scanned;   /* intervals, the first ones; the next power of two */
	unsigned second, converged; /* a thread has two halves; all have one converged eigenvalue */
};

/* What a thread knows while its interval is cut. */
struct cut {
	interval whole;
	float mid;
	unsigned mid_count;
	bool second; /* both halves have eigenvalues */
};

INLINE unsigned power_of_two(unsigned n)
{
	return n <= 1 ? n : 1u << (32 - __builtin_clz(n - 1));
}

INLINE float near_midpoint(float left, float right)
{
	return left + (right - left) * 0.5f;
}

INLINE float midpoint(float left, float right)
{
	if ((left < 0.0f) == (right < 0.0f))
		return near_midpoint(left, right);
	return (left + right) * 0.5f;
}

/* The number of the matrix's eigenvalues below x. All threads load the matrix, pieces as long as
 * the CTA; those that count do so. */
INLINE unsigned count_below(const matrix &m, float x, bool counts, float *diagonal, float *beside)
{
	float pivot = 1.0f;
	unsigned count = 0, t = threadIdx.x, first = 0;

	do {
		unsigned length = (unsigned)min((int)(m.n - first), (int)blockDim.x), i = 0;

		barrier();
		if (t < length) {
			diagonal[t] = m.diagonal[first + t];
			beside[t] = (m.beside - 1)[first + t];
		}
		barrier();
		if (!counts)
			continue;
#pragma unroll 1
		do {
			pivot = diagonal[i] - x - beside[i] * beside[i] / pivot;
			count += pivot < 0.0f;
		} while (++i < length);
	} while ((first += blockDim.x) < m.n);
	return count;
}

/* Inclusive sums of n elements, a power of two (Brent and Kung, 1982). A barrier must follow. */
template <class T> INLINE void scan(T *list, unsigned n)
{
	unsigned t = threadIdx.x + 1, step = 1;

#pragma unroll 1
	for (unsigned pairs = n / 2; pairs > 0; pairs /= 2, step *= 2) {
		barrier();
		if (t <= pairs)
			list[2 * step * t - 1] += list[2 * step * t - step - 1];
	}
#pragma unroll 1
	for (unsigned sums = 2; sums < n; sums *= 2) {
		step /= 2;
		barrier();
		if (t < sums)
			list[step * t + step / 2 - 1] += list[step * t - 1];
	}
}

/* Stores a half, or its middle when it is narrow enough. */
template <class Count>
INLINE void store_half(intervals<Count> &all, unsigned at, interval x, float precision)
{
	float wanted = fmaxf(fabsf(x.left), fabsf(x.right)) * precision;

	if (fabsf(x.right - x.left) <= fmaxf(5.0e-37f, wanted))
		x.left = x.right = near_midpoint(x.left, x.right);
	all.store(at, x);
}

/* Stores the first half that has eigenvalues; true: there is a second. */
template <class Count>
INLINE bool store_first(intervals<Count> &all, unsigned at, const cut &c, float precision)
{
	const interval &w = c.whole;

	if (w.left_count == c.mid_count) {
		store_half(all, at, {c.mid, w.right, c.mid_count, w.right_count}, precision);
		return false;
	}
	store_half(all, at, {w.left, c.mid, w.left_count, c.mid_count}, precision);
	return c.mid_count != w.right_count;
}

/* Stores a converged interval, with half of its eigenvalues if it shares them; true: there is a
 * second half. */
template <class Count>
INLINE bool store_converged(intervals<Count> &all, unsigned at, cut &c, bool share)
{
	unsigned several = c.whole.right_count - c.whole.left_count;
	bool cuts = share && several != 1;

	c.mid = c.whole.left;
	c.mid_count = cuts ? c.whole.left_count + several / 2 : c.whole.right_count;
	all.store(at, {c.whole.left, c.whole.right, c.whole.left_count, c.mid_count});
	return cuts;
}

/* One level of the search. `share`: the eigenvalues of a converged interval go to an interval each;
 * `idle`: threads with a converged interval count nothing. False: all are converged. */
template <bool share, bool idle, class Count>
INLINE bool descend(
	const matrix &m, intervals<Count> &all, Count *list, common &common, float precision)
{
	unsigned t = threadIdx.x;
	bool active = t < common.active;
	cut c = {};

	if (active) {
		c.whole = all.load(t);
		c.mid = midpoint(c.whole.left, c.whole.right);
		if (c.whole.left != c.whole.right ||
			(share && c.whole.right_count - c.whole.left_count > 1))
			common.converged = 0;
	}
	barrier();
	if (common.converged)
		return false;
	c.mid_count = count_below(
		m, c.mid, active && (!idle || c.whole.left != c.whole.right), all.left, all.right);
	barrier();
	if (active) {
		c.second = c.whole.left != c.whole.right ? store_first(all, t, c, precision)
							 : store_converged(all, t, c, share);
		list[t + 1] = c.second;
		if (c.second)
			common.second = 1;
	}
	barrier();
	if (common.second) {
		scan(list + 1, common.scanned);
		barrier();
		if (c.second)
			all.store(common.active + list[t],
				{c.mid, c.whole.right, c.mid_count, c.whole.right_count});
	}
	barrier();
	if (t == 0) {
		common.active += list[common.active];
		common.scanned = power_of_two(common.active);
		common.second = 0;
		common.converged = 1;
	}
	barrier();
	return true;
}

/* Eigenvalue i is the below[i]-th, from 0. */
extern "C" __global__ void bisect_single(const float *diagonal, const float *beside, unsigned n,
	float *eigenvalues, unsigned *below, float lower, float upper, float precision)
{
	__shared__ float left[THREADS_SINGLE], right[THREADS_SINGLE];
	__shared__ unsigned left_count[THREADS_SINGLE], right_count[THREADS_SINGLE];
	__shared__ unsigned list[THREADS_SINGLE + 1];
	__shared__ common common;
	intervals<unsigned> all = {left, right, left_count, right_count};
	matrix m = {diagonal, beside, n};
	unsigned t = threadIdx.x;

	if (t == 0) {
		all.store(0, {lower, upper, 0, n});
		list[0] = 0;
		common = {1, 1, 0, 1};
	}
	barrier();
	while (descend<true, true>(m, all, list, common, precision))
		;
	if (t < n) {
		eigenvalues[t] = left[t];
		below[t] = left_count[t];
	}
}

/* ---- large matrices */

/* What bisect_first leaves. */
struct found {
	unsigned *ones, *groups; /* how many intervals with one eigenvalue; groups of the others */
	float *left_one, *right_one;
	unsigned *rank_one; /* how many eigenvalues there are up to it */
	float *left, *right;
	unsigned *left_count, *right_count;
	unsigned *group_first, *group_sum; /* intervals, and eigenvalues, before each group */
};

/* Lists in shared memory, of one element an interval. */
struct lists {
	unsigned short *ones, *several; /* 1: it contains so many */
	unsigned short *sums;           /* eigenvalues, when several */
	unsigned short *ends;           /* 1: a group's last interval */
};

/* Joins neighbours, pairs of pairs, to groups of at most as many eigenvalues as a CTA has threads.
 * Of a group the last element has the sum, of the others 0. */
INLINE void make_groups(const lists &l, unsigned n)
{
	unsigned t = threadIdx.x, step = 1;

#pragma unroll 1
	for (unsigned pairs = n / 2; pairs > 0; pairs /= 2, step *= 2) {
		barrier();
		if (t < pairs) {
			unsigned b = 2 * step * (t + 1) - 1, a = b - step;
			unsigned sum = l.sums[a] + l.sums[b];

			if (l.ends[a] | l.ends[b] | (sum > THREADS)) {
				l.ends[a] = l.ends[b] = 1;
			} else {
				l.sums[b] = (unsigned short)sum;
				l.sums[a] = 0;
			}
		}
	}
}

/* A thread's interval at the end of the first step. */
struct held {
	interval x;
	bool one, ends;                /* has one eigenvalue; ends a group */
	unsigned group_end, group_sum; /* of that: intervals and eigenvalues up to it */
	unsigned slot, group;
};

INLINE void list_held(const lists &l, unsigned at, held &h)
{
	unsigned n = h.x.right_count - h.x.left_count;

	h.one = n == 1;
	l.ones[at] = h.one;
	l.several[at] = !h.one;
	l.sums[at] = h.one ? 0 : (unsigned short)n;
	l.ends[at] = 0;
}

INLINE void end_group(const lists &l, unsigned at, held &h)
{
	h.ends = l.ends[at] != 0;
	h.group_end = l.several[at];
	h.group_sum = l.sums[at];
	l.sums[at] = l.ends[at];
}

/* Where it goes: what was listed up to the element before. */
INLINE void find_slot(const lists &l, unsigned at, unsigned ones, held &h)
{
	h.slot = h.one ? (l.ones - 1)[at] : (l.several - 1)[at] + ones;
	h.group = (l.sums - 1)[at];
}

INLINE void store_held(intervals<unsigned short> &all, const lists &l, const held &h)
{
	all.store(h.slot, h.x);
	if (h.ends) {
		l.sums[h.group] = (unsigned short)h.group_end;
		(l.ends + 1)[h.group] = (unsigned short)h.group_sum;
	}
}

INLINE void write_out(
	const intervals<unsigned short> &all, unsigned at, unsigned ones, const found &f)
{
	interval x = all.load(at);

	if (at < ones) {
		f.left_one[at] = x.left;
		f.right_one[at] = x.right;
		f.rank_one[at] = x.right_count;
	} else {
		f.left[at - ones] = x.left;
		f.right[at - ones] = x.right;
		f.left_count[at - ones] = x.left_count;
		f.right_count[at - ones] = x.right_count;
	}
}

/* Lists the n intervals, groups those with several eigenvalues, and sums up the lists. Each thread
 * has interval t and, in the upper half, t + THREADS. */
INLINE void list_all(const lists &l, unsigned n, unsigned scanned, held &a, held &b)
{
	unsigned t = threadIdx.x, upper = t + THREADS;

	if (t == 0)
		(l.ones - 1)[0] = (l.several - 1)[0] = 0;
	list_held(l, t, a);
	if (upper < n)
		list_held(l, upper, b);
	else
		l.sums[upper] = l.ends[upper] = 0;
	scan(l.ones, scanned);
	scan(l.several, scanned);
	make_groups(l, scanned);
	scan(l.sums, scanned);
	barrier();
	if (t == 0) {
		l.sums[n - 1] = l.sums[scanned - 1];
		l.ends[n - 1] = 1;
	}
	barrier();
	end_group(l, t, a);
	end_group(l, upper, b);
	scan(l.sums, scanned);
	barrier();
}

/* Sorts the n intervals into those with one eigenvalue and those with several, and writes all. */
INLINE void sort_out(intervals<unsigned short> &all, const lists &l, unsigned n, unsigned scanned,
	const found &f)
{
	unsigned t = threadIdx.x, upper = t + THREADS, ones, groups;
	held a = {}, b = {};

	a.x = all.load(t);
	if (upper < n)
		b.x = all.load(upper);
	barrier();
	list_all(l, n, scanned, a, b);
	ones = l.ones[n - 1];
	groups = l.sums[n - 1];
	find_slot(l, t, ones, a);
	find_slot(l, upper, ones, b);
	barrier();
	store_held(all, l, a);
	if (upper < n)
		store_held(all, l, b);
	if (t == 0) {
		l.ends[0] = 0;
		*f.ones = ones;
		*f.groups = groups;
	}
	barrier();
	write_out(all, t, ones, f);
	if (upper < n)
		write_out(all, upper, ones, f);
	if (t <= groups) {
		f.group_first[t] = (l.sums - 1)[t];
		f.group_sum[t] = l.ends[t];
	}
}

extern "C" __global__ void bisect_first(const float *diagonal, const float *beside, unsigned n,
	float lower, float upper, float precision, unsigned *ones, unsigned *groups,
	float *left_one, float *right_one, unsigned *rank_one, float *left_several,
	float *right_several, unsigned *left_count_several, unsigned *right_count_several,
	unsigned *group_first, unsigned *group_sum)
{
	__shared__ float left[2 * THREADS + 1], right[2 * THREADS + 1];
	__shared__ unsigned short left_count[2 * THREADS + 1], right_count[2 * THREADS + 1];
	__shared__ unsigned short list[2 * THREADS + 1], ends[2 * THREADS + 1];
	__shared__ common common;
	intervals<unsigned short> all = {left, right, left_count, right_count};
	matrix m = {diagonal, beside, n};
	unsigned t = threadIdx.x;

	left_count[t] = right_count[t] = 0;
	if (t == 0) {
		all.store(0, {lower, upper, 0, n});
		list[0] = 0;
		common = {1, 1, 0, 1};
	}
	barrier();
	while (descend<false, false>(m, all, list, common, precision) && common.scanned <= THREADS)
		;
	sort_out(all, {left_count + 1, right_count + 1, list + 1, ends}, common.active,
		common.scanned,
		{ones, groups, left_one, right_one, rank_one, left_several, right_several,
			left_count_several, right_count_several, group_first, group_sum});
}

/* n intervals that contain one eigenvalue each, whose rank is known. */
extern "C" __global__ void bisect_one(const float *diagonal, const float *beside, unsigned size,
	unsigned n, float *lefts, const float *rights, const unsigned *ranks, float precision)
{
	__shared__ float scratch[THREADS], other_scratch[THREADS];
	__shared__ unsigned all_converged;
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, rank = 0;
	matrix m = {diagonal, beside, size};
	float left = 0.0f, right = 0.0f, mid = 0.0f;
	bool busy = i < n;

	if (busy) {
		left = lefts[i];
		right = rights[i];
		rank = ranks[i];
	}
	do {
		unsigned below;

		if (busy)
			mid = midpoint(left, right);
		below = count_below(m, mid, i < n, scratch, other_scratch);
		all_converged = 1;
		barrier();
		if (busy) {
			if (below == rank)
				right = mid;
			else
				left = mid;
			busy = !(right - left <
				 fminf(precision, fmaxf(fabsf(left), fabsf(right)) * precision));
			if (busy)
				all_converged = 0;
		}
		barrier();
	} while (!all_converged);
	if (i < n)
		lefts[i] = near_midpoint(left, right);
}

/* A group of intervals a CTA. Eigenvalue i is the ranks[i]-th, from 1. */
extern "C" __global__ void bisect_several(const float *diagonal, const float *beside, unsigned n,
	const unsigned *group_first, const unsigned *group_sum, const float *lefts,
	const float *rights, const unsigned *left_counts, const unsigned *right_counts,
	float *eigenvalues, unsigned *ranks, float precision)
{
	__shared__ float left[2 * THREADS], right[2 * THREADS];
	__shared__ unsigned left_count[2 * THREADS], right_count[2 * THREADS];
	__shared__ unsigned list[2 * THREADS + 1];
	__shared__ common common;
	intervals<unsigned> all = {left, right, left_count, right_count};
	matrix m = {diagonal, beside, n};
	unsigned t = threadIdx.x, first = group_first[blockIdx.x];
	unsigned end = group_first[blockIdx.x + 1], out = group_sum[blockIdx.x] + t;

	if (t == 0) {
		list[0] = 0;
		common = {end - first, power_of_two(end - first), 0, 1};
	}
	if (first + t < end)
		all.store(t, {lefts[first + t], rights[first + t], left_counts[first + t],
				     right_counts[first + t]});
	barrier();
	while (descend<true, false>(m, all, list, common, precision))
		;
	if (t < common.active) {
		eigenvalues[out] = left[t];
		ranks[out] = right_count[t];
	}
}
