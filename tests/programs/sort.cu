/* Sorting and selecting. */
#include "tests/programs/cuda.h"

DEVICE void swap(u32 &a, u32 &b)
{
	u32 x = a;

	a = b;
	b = x;
}

KERNEL sort_bitonic(u32 *data)
{
	__shared__ u32 keys[128];
	u32 t = threadIdx.x;

	keys[t] = data[thread()];
	for (u32 size = 2; size <= 128; size *= 2)
		for (u32 step = size / 2; step; step /= 2) {
			u32 other = t ^ step;

			barrier();
			if (other > t && (keys[t] > keys[other]) == !(t & size)) {
				u32 x = keys[t];

				keys[t] = keys[other];
				keys[other] = x;
			}
		}
	barrier();
	data[thread()] = keys[t];
}

KERNEL sort_bitonic_warp(s32 *data)
{
	s32 v = data[thread()];

	for (u32 size = 2; size <= 32; size *= 2)
		for (u32 step = size / 2; step; step /= 2) {
			s32 other = (s32)shuffle_xor((u32)v, step);
			bool low = !(lane() & step) == !(lane() & size);

			v = low ? min(v, other) : max(v, other);
		}
	data[thread()] = v;
}

/* 64-bit keys over pairs in global memory, one CTA. */
KERNEL sort_odd_even(u64 *data, u32 n)
{
	for (u32 round = 0; round < n; round++) {
		for (u32 i = 2 * threadIdx.x + (round & 1); i + 1 < n; i += 2 * blockDim.x)
			if (data[i] > data[i + 1]) {
				u64 x = data[i];

				data[i] = data[i + 1];
				data[i + 1] = x;
			}
		barrier();
	}
}

/* Splits by one bit after another, places by ballots. */
KERNEL sort_radix_split(u32 *data)
{
	u32 v = data[thread()];

	for (u32 bit = 0; bit < 32; bit++) {
		u32 ones = ballot(v >> bit & 1), below = (1u << lane()) - 1, place, found = 0;

		if (v >> bit & 1)
			place = 32 - (u32)__builtin_popcount(ones) +
				(u32)__builtin_popcount(ones & below);
		else
			place = (u32)__builtin_popcount(~ones & below);
		for (u32 from = 0; from < 32; from++) {
			u32 to = shuffle(place, from), x = shuffle(v, from);

			if (to == lane())
				found = x;
		}
		v = found;
	}
	data[thread()] = v;
}

/* Least significant digit first, 4 bits, a CTA of 64 for 64 keys. */
KERNEL sort_radix_count(u32 *data)
{
	__shared__ u32 keys[64], starts[16];
	u32 t = threadIdx.x;

	keys[t] = data[thread()];
	for (u32 shift = 0; shift < 32; shift += 4) {
		u32 key, digit, place;

		barrier();
		if (t < 16) {
			u32 n = 0;

			for (u32 i = 0; i < 64; i++)
				n += (keys[i] >> shift & 15) < t;
			starts[t] = n;
		}
		barrier();
		key = keys[t];
		digit = key >> shift & 15;
		place = starts[digit];
		for (u32 i = 0; i < t; i++)
			place += (keys[i] >> shift & 15) == digit;
		barrier();
		keys[place] = key;
	}
	barrier();
	data[thread()] = keys[t];
}

/* A thread finds by bisection where its value goes among the other half's. */
KERNEL merge_path(const u32 *a, const u32 *b, u32 *out, u32 n)
{
	u32 t = thread();
	bool second = t >= n;
	u32 v = second ? b[t - n] : a[t];
	const u32 *other = second ? a : b;
	u32 low = 0, high = n;

	while (low < high) {
		u32 mid = (low + high) / 2;

		if (other[mid] < v || (second && other[mid] == v))
			low = mid + 1;
		else
			high = mid;
	}
	out[(second ? t - n : t) + low] = v;
}

KERNEL sort_rank(const u32 *in, u32 *out, u32 n)
{
	u32 i = thread(), rank = 0;

	if (i >= n)
		return;
	for (u32 k = 0; k < n; k++)
		rank += in[k] < in[i] || (in[k] == in[i] && k < i);
	out[rank] = in[i];
}

#define EACH 24

KERNEL sort_insertion(u32 *data)
{
	u32 a[EACH], *mine = data + thread() * EACH;

	for (u32 i = 0; i < EACH; i++)
		a[i] = mine[i];
	for (s32 i = 1; i < EACH; i++) {
		u32 v = a[i];
		s32 k = i - 1;

		for (; k >= 0 && a[k] > v; k--)
			a[k + 1] = a[k];
		a[k + 1] = v;
	}
	for (u32 i = 0; i < EACH; i++)
		mine[i] = a[i];
}

KERNEL sort_shell(u16 *data, u32 n)
{
	u16 *a = data + thread() * n;

	for (u32 gap = n / 2; gap; gap /= 2)
		for (u32 i = gap; i < n; i++) {
			u16 v = a[i];
			u32 k = i;

			for (; k >= gap && a[k - gap] > v; k -= gap)
				a[k] = a[k - gap];
			a[k] = v;
		}
}

DEVICE void sift(s32 *a, u32 at, u32 n)
{
	for (;;) {
		u32 child = 2 * at + 1;
		s32 x;

		if (child >= n)
			return;
		if (child + 1 < n && a[child + 1] > a[child])
			child++;
		if (a[at] >= a[child])
			return;
		x = a[at];
		a[at] = a[child];
		a[child] = x;
		at = child;
	}
}

KERNEL sort_heap(s32 *data, u32 n)
{
	s32 *a = data + thread() * n;

	for (u32 i = n / 2; i-- > 0;)
		sift(a, i, n);
	for (u32 end = n - 1; end; end--) {
		s32 x = a[0];

		a[0] = a[end];
		a[end] = x;
		sift(a, 0, end);
	}
}

/* Quicksort with a stack of its own (Hoare 1961). */
KERNEL sort_quick(u32 *data, u32 n)
{
	u32 *a = data + thread() * n;
	s32 stack[32];
	u32 depth = 0;

	stack[depth++] = 0;
	stack[depth++] = (s32)n - 1;
	while (depth) {
		s32 high = stack[--depth], low = stack[--depth], i = low, k = high;
		u32 pivot = a[(low + high) / 2];

		while (i <= k) {
			while (a[i] < pivot)
				i++;
			while (a[k] > pivot)
				k--;
			if (i <= k)
				swap(a[i++], a[k--]);
		}
		if (low < k) {
			stack[depth++] = low;
			stack[depth++] = k;
		}
		if (i < high) {
			stack[depth++] = i;
			stack[depth++] = high;
		}
	}
}

KERNEL sort_counting(const u8 *in, u8 *out)
{
	__shared__ u32 count[256], start[256];
	u32 t = threadIdx.x;

	count[t] = 0;
	barrier();
	atomic_add(&count[in[t]], 1);
	barrier();
	if (t == 0) {
		u32 sum = 0;

		for (u32 i = 0; i < 256; i++) {
			start[i] = sum;
			sum += count[i];
		}
	}
	barrier();
	for (u32 i = 0; i < count[t]; i++)
		out[start[t] + i] = (u8)t;
}

KERNEL select_nth(const u32 *in, u32 *out, u32 n)
{
	u32 a[EACH], want = thread() % n;
	s32 low = 0, high = (s32)n - 1;

	for (u32 i = 0; i < n; i++)
		a[i] = in[thread() * n + i];
	while (low < high) {
		u32 pivot = a[want];
		s32 i = low, k = high;

		do {
			while (a[i] < pivot)
				i++;
			while (pivot < a[k])
				k--;
			if (i <= k)
				swap(a[i++], a[k--]);
		} while (i <= k);
		if (k < (s32)want)
			low = i;
		if ((s32)want < i)
			high = k;
	}
	out[thread()] = a[want];
}

KERNEL sort_comb(double *data, u32 n)
{
	double *a = data + thread() * n;
	u32 gap = n;
	bool swapped = true;

	while (gap > 1 || swapped) {
		gap = gap * 10 / 13;
		if (gap < 1)
			gap = 1;
		swapped = false;
		for (u32 i = 0; i + gap < n; i++)
			if (a[i] > a[i + gap]) {
				double x = a[i];

				a[i] = a[i + gap];
				a[i + gap] = x;
				swapped = true;
			}
	}
}

/* Runs of doubling length, between two shared arrays. */
KERNEL sort_merge(u32 *data)
{
	__shared__ u32 keys[2][64];
	u32 t = threadIdx.x, now = 0;

	keys[0][t] = data[thread()];
	for (u32 run = 1; run < 64; run *= 2) {
		barrier();
		if (t % (2 * run) == 0) {
			u32 i = t, k = t + run;

			for (u32 to = t; to < t + 2 * run; to++)
				if (k >= t + 2 * run ||
					(i < t + run && keys[now][i] <= keys[now][k]))
					keys[1 - now][to] = keys[now][i++];
				else
					keys[1 - now][to] = keys[now][k++];
		}
		now = 1 - now;
	}
	barrier();
	data[thread()] = keys[now][t];
}

/* A key moves with its value. */
KERNEL sort_pairs(u32 *keys, float *values, u32 n)
{
	u32 *k = keys + thread() * n;
	float *v = values + thread() * n;

	for (u32 end = n - 1; end; end--)
		for (u32 i = 0; i < end; i++)
			if (k[i] > k[i + 1]) {
				u32 x = k[i];
				float f = v[i];

				k[i] = k[i + 1];
				v[i] = v[i + 1];
				k[i + 1] = x;
				v[i + 1] = f;
			}
}
