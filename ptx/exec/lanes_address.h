/* The addresses of a warp's lanes, and words put into planes. Included by ptx/exec/lanes.c only.
 * Most warps' addresses have one upper word: then 32 bits are enough, for a fifth of the host's
 * instructions. */
#ifndef PTX_EXEC_LANES_ADDRESS_H
#define PTX_EXEC_LANES_ADDRESS_H

#include "ptx/exec/lanes_each.h"

static inline void narrow_span(
	const uint32_t *low, uint32_t mask, uint32_t bytes, uint64_t upper, struct lane_span *span)
{
	uint32_t least = UINT32_MAX, most = 0, bits = 0, all = UINT32_MAX, away = 0;
	uint32_t lane = (uint32_t)__builtin_ctz(mask), start = low[lane] - lane * bytes;

	FOR_LANES(i)
	{
		uint32_t on = (mask & bit[i]) == bit[i] ? UINT32_MAX : 0;
		uint32_t a = low[i] & on, b = low[i] | ~on;

		bits |= a;
		all &= b;
		away |= (low[i] ^ (start + i * bytes)) & on;
		most = a > most ? a : most;
		least = b < least ? b : least;
	}
	*span = (struct lane_span){.least = upper | least,
		.most = upper | most,
		.bits = bits,
		.same = ~(uint64_t)(bits ^ all),
		.row = away == 0 && least <= most};
	span->contiguous = mask == FULL_MASK && away == 0 && low[WARP_LANES - 1] >= low[0];
}

/* False when the active lanes' upper words, with the carries, are not one word. */
static inline bool same_upper(const struct lane_base *base, uint32_t mask, uint64_t *upper)
{
	const uint32_t *low = base->low, *high = base->high;
	uint32_t offset = (uint32_t)base->offset, any = 0, all = UINT32_MAX;

	FOR_LANES(i)
	{
		uint32_t on = (mask & bit[i]) == bit[i] ? UINT32_MAX : 0;
		uint32_t word = high[i] + (low[i] + offset < offset);

		any |= word & on;
		all &= word | ~on;
	}
	*upper = (uint64_t)(any + (uint32_t)(base->offset >> 32)) << 32;
	return any == all;
}

static inline __attribute__((always_inline)) bool narrow(
	const struct lane_base *base, uint32_t mask, uint64_t *addr, struct lane_span *span)
{
	const uint32_t *low = base->low;
	uint32_t sum[WARP_LANES], offset = (uint32_t)base->offset;
	uint64_t upper = 0;

	if (base->wrap != UINT32_MAX && !same_upper(base, mask, &upper))
		return false;
	FOR_LANES(i)
	sum[i] = low[i] + offset;
	narrow_span(sum, mask, base->bytes, upper, span);
	FOR_LANES(i)
	addr[i] = upper | sum[i];
	return true;
}

static void wide(const struct lane_base *base, uint64_t *addr, struct lane_span *span)
{
	const uint32_t *low = base->low, *high = base->high;
	uint64_t offset = base->offset, bytes = base->bytes;
	uint64_t least = UINT64_MAX, most = 0, bits = 0, all = UINT64_MAX, away = 0, start;
	uint32_t mask = base->mask;

	FOR_LANES(i)
	addr[i] = ((uint64_t)high[i] << 32 | low[i]) + offset;
	start = addr[__builtin_ctz(mask)] - (uint64_t)__builtin_ctz(mask) * bytes;
	FOR_LANES(i)
	{
		uint64_t on = mask & bit[i] ? UINT64_MAX : 0, a = addr[i] & on, b = addr[i] | ~on;

		bits |= a;
		all &= b;
		away |= (addr[i] ^ (start + i * bytes)) & on;
		most = a > most ? a : most;
		least = b < least ? b : least;
	}
	*span = (struct lane_span){.least = least,
		.most = most,
		.bits = bits,
		.same = ~(bits ^ all),
		.row = away == 0 && least <= most};
	span->contiguous = mask == FULL_MASK && away == 0 && addr[WARP_LANES - 1] >= addr[0];
}

/* The lanes of each half of a full warp are `step` apart, and all have one upper word, if there are
 * such. */
static inline __attribute__((always_inline)) bool are_halves(
	const struct lane_base *base, uint32_t step, bool has_upper)
{
	const uint32_t *low = base->low, *high = base->high;
	uint32_t first = low[0], second = low[HALF_LANES], upper = *high, away = 0;

	FOR_HALF(i)
	{
		away |= low[i] ^ (first + i * step);
		away |= low[HALF_LANES + i] ^ (second + i * step);
		if (has_upper)
			away |= (high[i] ^ upper) | (high[HALF_LANES + i] ^ upper);
	}
	return !away;
}

static inline void fill_halves(uint64_t *addr, uint64_t first, uint64_t second, uint64_t step)
{
	FOR_HALF(i)
	{
		addr[i] = first;
		addr[HALF_LANES + i] = second;
		first += step;
		second += step;
	}
}

/* Most warps are full, and their halves rows or one element each: then the first address of each
 * half says all, without a reduction (a tenth of matrixmul's host instructions, with what others
 * save who know it). False when they are not, or may cross a multiple of 4 GB. */
static bool by_halves(const struct lane_base *base, uint64_t *addr, struct lane_span *span)
{
	const uint32_t *low = base->low;
	uint32_t step = low[1] - low[0], length = HALF_LANES * step;
	uint64_t start = ((uint64_t)*base->high << 32) + base->offset;
	uint64_t first = (start + low[0]) & base->wrap,
		 second = (start + low[HALF_LANES]) & base->wrap;
	uint64_t least = first < second ? first : second, most = first < second ? second : first;

	if ((step && step != base->bytes) ||
		!(base->wrap == UINT32_MAX ? are_halves(base, step, false)
					   : are_halves(base, step, true)) ||
		((low[0] | low[HALF_LANES] | (uint32_t)most) > UINT32_MAX - length))
		return false;
	fill_halves(addr, first, second, step);
	*span = (struct lane_span){.least = least,
		.most = most + length - step,
		.bits = first | second,
		.halves = step ? HALVES_ROWS : HALVES_SAME};
	span->contiguous = span->row = step && second - first == length;
	return true;
}

/* The full warp has a copy of its own, without masks. */
static __attribute__((noinline)) void by_lanes(
	const struct lane_base *base, uint64_t *addr, struct lane_span *span)
{
	bool done = base->mask == FULL_MASK ? narrow(base, FULL_MASK, addr, span)
					    : narrow(base, base->mask, addr, span);
	if (!done)
		wide(base, addr, span);
}

static void addresses(const struct lane_base *base, uint64_t *addr, struct lane_span *span)
{
	if (base->mask != FULL_MASK || !by_halves(base, addr, span))
		by_lanes(base, addr, span);
}

static void spread(uint32_t *plane, const uint32_t *words, unsigned stride, uint32_t mask)
{
	if (stride == 1) {
		blend(plane, words, mask);
		return;
	}
	FOR_LANES(i)
	{
		uint32_t on = (mask & bit[i]) == bit[i] ? UINT32_MAX : 0;

		plane[i] = (words[i * stride] & on) | (plane[i] & ~on);
	}
}

static void fill(uint32_t *plane, unsigned n, uint32_t value, uint32_t mask)
{
	uint32_t on[WARP_LANES];

	for (; mask == FULL_MASK && n; n--, plane += WARP_LANES)
		FOR_LANES(i)
	plane[i] = value;
	if (!n)
		return;
	FOR_LANES(i)
	on[i] = (mask & bit[i]) == bit[i] ? UINT32_MAX : 0;
	for (; n; n--, plane += WARP_LANES)
		FOR_LANES(i)
	plane[i] = (value & on[i]) | (plane[i] & ~on[i]);
}

#endif
