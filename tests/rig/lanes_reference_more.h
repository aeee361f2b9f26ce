/* Comparisons, conversions, selections and copies according to PTX, lane by lane. */
#ifndef TESTS_RIG_LANES_REFERENCE_MORE_H
#define TESTS_RIG_LANES_REFERENCE_MORE_H

#include "tests/rig/lanes_reference_narrow.h"
#include "tests/rig/lanes_reference_wide.h"

/* ---- comparisons */

/* -1 less, 0 equal, 1 greater, 2 unordered. */
static inline int order_of(const char *type, const uint64_t *in, const struct spelled *sp)
{
	struct kind k = kind_of(type);
	double x, y;

	if (k.class != 'f') {
		wide a = number(in[0], k), b = number(in[1], k);

		return (a > b) - (a < b);
	}
	x = k.bits == 64 ? f64_of(in[0]) : (double)f32_of(flush32(in[0], sp));
	y = k.bits == 64 ? f64_of(in[1]) : (double)f32_of(flush32(in[1], sp));
	return x != x || y != y ? 2 : (x > y) - (x < y);
}

static inline bool compare(const char *cmp, int order)
{
	static const struct {
		const char *name;
		bool less, equal, greater, unordered;
	} table[] = {{"eq", 0, 1, 0, 0}, {"ne", 1, 0, 1, 0}, {"lt", 1, 0, 0, 0}, {"le", 1, 1, 0, 0},
		{"gt", 0, 0, 1, 0}, {"ge", 0, 1, 1, 0}, {"lo", 1, 0, 0, 0}, {"ls", 1, 1, 0, 0},
		{"hi", 0, 0, 1, 0}, {"hs", 0, 1, 1, 0}, {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1},
		{"ltu", 1, 0, 0, 1}, {"leu", 1, 1, 0, 1}, {"gtu", 0, 0, 1, 1}, {"geu", 0, 1, 1, 1},
		{"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1}};
	unsigned i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].name, cmp) == 0)
			return order == 2   ? table[i].unordered
			       : order < 0  ? table[i].less
			       : order == 0 ? table[i].equal
					    : table[i].greater;
	abort();
}

static inline bool joined(const struct spelled *sp, bool r, bool c)
{
	if (says(sp, "and"))
		return r && c;
	if (says(sp, "or"))
		return r || c;
	return says(sp, "xor") ? r != c : r;
}

/* ---- conversions */

static inline double integral(double v, const struct spelled *sp)
{
	if (says(sp, "rni"))
		return nearbyint(v);
	if (says(sp, "rzi"))
		return trunc(v);
	if (says(sp, "rmi"))
		return floor(v);
	return says(sp, "rpi") ? ceil(v) : v;
}

/* PTX ISA 9.0, cvt: NaN is 0, or 1 << (width - 1) where source or result has 64 bits. */
static inline uint64_t to_integer(double v, struct kind k, bool from_double)
{
	if (v != v)
		return from_double || k.bits == 64 ? UINT64_C(1) << (k.bits - 1) : 0;
	return saturate(v > 1e30 ? (wide)1 << 100 : v < -1e30 ? -((wide)1 << 100) : (wide)v, k);
}

static inline uint64_t convert_to_float(
	const struct spelled *sp, const char *to, const char *from, uint64_t raw)
{
	struct kind k = kind_of(from);
	int before = fegetround();
	volatile float f;
	volatile double d;
	volatile int64_t s = (int64_t)number(raw, k);
	volatile long double u =
		(long double)keep(raw, k.bits); /* exact: 64 bits of mantissa or more */

	fesetround(direction(sp));
	f = k.bits == 64 && k.class == 'u' ? (float)u : (float)s;
	d = k.bits == 64 && k.class == 'u' ? (double)u : (double)s;
	fesetround(before);
	if (says(sp, "sat")) {
		f = f > 0 ? fminf(f, 1) : 0;
		d = d > 0 ? fmin(d, 1) : 0;
	}
	return strcmp(to, "f32") == 0 ? raw32(f) : raw64(d);
}

static inline uint64_t convert(const struct spelled *sp, uint64_t raw)
{
	const char *to = sp->word[sp->n - 2], *from = sp->word[sp->n - 1];
	struct kind kt = kind_of(to), kf = kind_of(from);
	int before = fegetround();
	volatile double v;
	volatile float f;

	if (kf.class != 'f' && !is_half(from) && kt.class == 'f')
		return convert_to_float(sp, to, from, raw);
	if (kf.class != 'f' && !is_half(from))
		return says(sp, "sat") ? saturate(number(raw, kf), kt) : (uint64_t)number(raw, kf);
	v = is_half(from)   ? double_of_exact(exact_of(format_of(from), raw, false))
	    : kf.bits == 64 ? f64_of(raw)
			    : (double)f32_of(flush32(raw, sp));
	if (kt.class != 'f')
		return to_integer(integral(v, sp), kt, strcmp(from, "f64") == 0);
	v = integral(v, sp);
	if (kt.bits == 64)
		return says(sp, "sat") ? v > 0 ? raw64(v > 1 ? 1 : v) : 0 : finish64(v);
	fesetround(direction(sp));
	f = (float)v;
	fesetround(before);
	return finish32(f, sp);
}

/* ---- the rest */

static inline bool has_property(const struct spelled *sp, uint64_t raw)
{
	int class = says(sp, "f64") ? fpclassify(f64_of(raw)) : fpclassify(f32_of(raw));

	if (says(sp, "finite"))
		return class != FP_NAN && class != FP_INFINITE;
	if (says(sp, "infinite"))
		return class == FP_INFINITE;
	if (says(sp, "number"))
		return class != FP_NAN;
	if (says(sp, "notanumber"))
		return class == FP_NAN;
	if (says(sp, "normal"))
		return class == FP_NORMAL || class == FP_ZERO;
	return class == FP_SUBNORMAL;
}

static inline uint64_t window(const struct spelled *sp)
{
	return says(sp, "shared")  ? GENERIC_SHARED_BASE
	       : says(sp, "local") ? GENERIC_LOCAL_BASE
				   : 0;
}

static inline bool in_window(const struct spelled *sp, uint64_t a)
{
	if (says(sp, "shared"))
		return a >= 0x01000000 && a < 0x02000000;
	if (says(sp, "local"))
		return a >= 0x02000000 && a < 0x04000000;
	return says(sp, "global") && a >= 0x10000000;
}

static inline uint64_t packed(const struct spelled *sp, const uint64_t *in)
{
	unsigned parts = says(sp, "v2") ? 2 : 4, bits = kind_of(sp->word[2]).bits / parts, i;
	uint64_t d = 0;

	for (i = 0; i < parts; i++)
		d |= keep(in[i], bits) << i * bits;
	return d;
}

/* The value that set writes for true: one, or all bits. */
static inline uint64_t truth(const char *to)
{
	if (strcmp(to, "f16") == 0)
		return 0x3c00;
	if (strcmp(to, "bf16") == 0)
		return 0x3f80;
	return strcmp(to, "f32") == 0 ? raw32(1) : 0xffffffff;
}

/* All of them: raw operands to raw results; predicates are 0 or 1. */
static inline void reference(const struct spelled *sp, const uint64_t *in, uint64_t *out)
{
	const char *op = sp->word[0], *last = sp->word[sp->n - 1];
	unsigned i, parts;
	bool half = false;

	if (reference_narrow(sp, in, out) || reference_wide(sp, in, out))
		return;
#define IS(name) (strcmp(op, name) == 0)
	for (i = 1; i < sp->n; i++)
		half |= is_half(sp->word[i]);
	if (half && !(IS("set") && !is_half(last)) && !IS("mov") && !IS("selp") && !IS("slct") &&
		!(IS("cvt") && strchr("us", sp->word[sp->n - 2][0]))) {
		reference_half(sp, in, out);
	} else if (IS("setp")) {
		bool r = compare(sp->word[1], order_of(last, in, sp));

		out[0] = joined(sp, r, in[2] & 1);
		out[1] = joined(sp, !r, in[2] & 1);
	} else if (IS("set")) {
		bool r = compare(sp->word[1], order_of(last, in, sp));

		r = joined(sp, r, in[2] & 1);
		out[0] = r ? truth(sp->word[sp->n - 2]) : 0;
	} else if (IS("cvt")) {
		out[0] = convert(sp, in[0]);
	} else if (IS("cvta")) {
		out[0] = says(sp, "to") ? in[0] - window(sp) : in[0] + window(sp);
	} else if (IS("isspacep") || IS("%isspacep")) {
		out[0] = in_window(sp, op[0] == '%' ? keep(in[0], 32) : in[0]);
	} else if (IS("testp")) {
		out[0] = has_property(sp, in[0]);
	} else if (IS("mov")) {
		out[0] = in[0];
	} else if (IS("selp")) {
		out[0] = in[2] & 1 ? in[0] : in[1];
	} else if (IS("slct")) {
		bool first = last[0] == 's' ? (int32_t)in[2] >= 0 : f32_of(flush32(in[2], sp)) >= 0;

		out[0] = first ? in[0] : in[1];
	} else if (IS("lop3")) {
		out[0] = truth_table(in);
		out[1] = joined(sp, out[0] != 0, in[4] & 1);
	} else if (IS("%pack")) {
		out[0] = packed(sp, in);
	} else if (IS("%unpack")) {
		parts = says(sp, "v2") ? 2 : 4;
		for (i = 0; i < parts; i++)
			out[i] = keep(in[0] >> i * kind_of(last).bits / parts,
				kind_of(last).bits / parts);
	} else if (strcmp(last, "f32") == 0) {
		out[0] = reference_f32(sp, in);
	} else if (strcmp(last, "f64") == 0) {
		out[0] = reference_f64(sp, in);
	} else {
		for (i = 1; i < sp->n && !is_type(sp->word[i]);)
			i++;
		out[0] = reference_int(
			sp, i < sp->n ? kind_of(sp->word[i]) : (struct kind){1, 'u'}, in);
	}
#undef IS
}

#endif
