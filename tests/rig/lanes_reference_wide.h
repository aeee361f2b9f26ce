/* Carries, packed integers and unusual bit operations according to PTX, lane by lane. */
#ifndef TESTS_RIG_LANES_REFERENCE_WIDE_H
#define TESTS_RIG_LANES_REFERENCE_WIDE_H

#include "tests/rig/lanes_reference.h"

/* Sums of any width in one piece: the overflow is the carry; differences add the complement and
 * one. */
static inline void with_carry(
	const struct spelled *sp, struct kind k, const uint64_t *in, uint64_t *out)
{
	bool mad = sp->word[0][0] == 'm', chained = strchr(sp->word[0] + 3, 'c') != NULL;
	uwide a = keep(in[0], k.bits), b = keep(in[1], k.bits), r;
	bool minus = sp->word[0][0] == 's';
	uint64_t carry = chained ? in[mad ? 3 : 2] & 1 : minus;

	if (mad) {
		uwide product = (uwide)number(in[0], k) * (uwide)number(in[1], k);

		a = keep((uint64_t)(says(sp, "hi") ? product >> k.bits : product), k.bits);
		b = keep(in[2], k.bits);
	}
	r = a + (minus ? keep(~(uint64_t)b, k.bits) : b) + carry;
	out[0] = (uint64_t)r;
	out[1] = (uint64_t)(r >> k.bits) & 1;
}

static inline bool is_carried(const struct spelled *sp)
{
	const char *op = sp->word[0];

	return says(sp, "cc") || strcmp(op, "addc") == 0 || strcmp(op, "subc") == 0 ||
	       strcmp(op, "madc") == 0;
}

static inline wide element(uint64_t raw, unsigned k, unsigned bits, const char *type)
{
	return number(raw >> k * bits, (struct kind){bits, type[0]});
}

/* dp4a, dp2a, vabsdiff4: the last two types are those of a and b. */
static inline uint64_t bytes_together(const struct spelled *sp, const uint64_t *in)
{
	unsigned types = sp->n - says(sp, "add"), k;
	const char *ta = sp->word[types - 2], *tb = sp->word[types - 1];
	wide sum = (wide)in[2];
	uint64_t bytes = 0;

	if (strcmp(sp->word[0], "dp2a") == 0) {
		for (k = 0; k < 2; k++)
			sum += element(in[0], k, 16, ta) *
			       element(in[1], k + (says(sp, "hi") ? 2 : 0), 8, tb);
		return (uint64_t)sum;
	}
	for (k = 0; k < 4; k++) {
		wide a = element(in[0], k, 8, ta), b = element(in[1], k, 8, tb);
		wide difference = a > b ? a - b : b - a;

		sum += sp->word[0][0] == 'd' ? a * b : difference;
		bytes |= ((uint64_t)difference & 255) << 8 * k;
	}
	return sp->word[0][0] == 'd' || says(sp, "add") ? (uint64_t)sum : bytes;
}

static inline uint64_t both_halves(const struct spelled *sp, const uint64_t *in)
{
	const char *op = sp->word[0], *type = sp->word[sp->n - 1];
	uint64_t d = 0;
	unsigned k;

	for (k = 0; k < 2; k++) {
		wide a = element(in[0], k, 16, type), b = element(in[1], k, 16, type), r;

		r = op[0] == 'a' ? a + b : (a < b) == (op[1] == 'i') ? a : b;
		if (says(sp, "relu") && r < 0)
			r = 0;
		d |= ((uint64_t)r & 0xffff) << 16 * k;
	}
	return d;
}

/* Searches from the base, as in the manual's pseudocode. */
static inline uint64_t nth_set(const uint64_t *in)
{
	int64_t at = (int64_t)keep(in[1], 32), n = (int32_t)in[2], step = n < 0 ? -1 : 1;

	if (at > 31)
		return 0xffffffff;
	if (n == 0)
		return in[0] >> at & 1 ? (uint64_t)at : 0xffffffff;
	for (n = n < 0 ? -n : n; at >= 0 && at < 32; at += step)
		if ((in[0] >> at & 1) && --n == 0)
			return (uint64_t)at;
	return 0xffffffff;
}

static inline uint64_t extend_field(const struct spelled *sp, const uint64_t *in)
{
	uint64_t n = keep(in[1], 32);

	n = says(sp, "wrap") ? n & 31 : n > 32 ? 32 : n;
	if (n == 0)
		return 0;
	return (uint64_t)number(in[0], (struct kind){(unsigned)n, sp->word[sp->n - 1][0]});
}

/* cvt.pack: the saturation type is the word after .sat. */
static inline uint64_t pack_saturated(const struct spelled *sp, const uint64_t *in)
{
	struct kind k = kind_of(sp->word[3]), s32 = {32, 's'};
	uint64_t c = k.bits == 16 ? 0 : in[2] << 2 * k.bits;

	return c | keep(saturate(number(in[0], s32), k), k.bits) << k.bits |
	       keep(saturate(number(in[1], s32), k), k.bits);
}

static inline bool reference_wide(const struct spelled *sp, const uint64_t *in, uint64_t *out)
{
	const char *op = sp->word[0], *last = sp->word[sp->n - 1];
	struct kind s32 = {32, 's'};
	wide a = number(in[0], s32), b = number(in[1], s32);

#define IS(name) (strcmp(op, name) == 0)
	if (is_carried(sp))
		with_carry(sp, kind_of(last), in, out);
	else if (IS("dp4a") || IS("dp2a") || IS("vabsdiff4"))
		out[0] = bytes_together(sp, in);
	else if (strcmp(last, "u16x2") == 0 || strcmp(last, "s16x2") == 0)
		out[0] = both_halves(sp, in);
	else if (IS("fns"))
		out[0] = nth_set(in);
	else if (IS("szext"))
		out[0] = extend_field(sp, in);
	else if (IS("cvt") && says(sp, "pack"))
		out[0] = pack_saturated(sp, in);
	else if (says(sp, "relu") && strcmp(last, "s32") == 0)
		out[0] = (uint64_t)((a < b) == (op[1] == 'i') ? a > 0 ? a : 0 : b > 0 ? b : 0);
	else
		return false;
#undef IS
	return true;
}

#endif
