/* tf32, the formats of 8, 6 and 4 bits, stochastic rounding, f32x2 and mixed precision according to
 * PTX, lane by lane: a search among all values of a format, and exact quotients. */
#ifndef TESTS_RIG_LANES_REFERENCE_NARROW_H
#define TESTS_RIG_LANES_REFERENCE_NARROW_H

#include "tests/rig/lanes_reference_half.h"

/* `most` is the code of the largest number, `nan` the conversion of NaN; both without a sign. */
struct narrow {
	const char *pair;
	unsigned bits, apart, mantissa;
	int bias;
	unsigned most, nan;
};

static inline const struct narrow *narrow_of(const char *pair)
{
	static const struct narrow table[] = {{"e4m3x2", 8, 8, 3, 7, 0x7e, 0x7f},
		{"e5m2x2", 8, 8, 2, 15, 0x7b, 0x7f}, {"e2m3x2", 6, 8, 3, 1, 0x1f, 0x1f},
		{"e3m2x2", 6, 8, 2, 3, 0x1f, 0x1f}, {"e2m1x2", 4, 4, 1, 1, 0x7, 0x7}};
	unsigned i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].pair, pair) == 0)
			return &table[i];
	return NULL;
}

/* The number of a code without a sign. */
static inline double narrow_magnitude(const struct narrow *f, unsigned code)
{
	int e = (int)(code >> f->mantissa);
	unsigned m = code % (1u << f->mantissa);

	if (code > f->most && strcmp(f->pair, "e5m2x2") == 0)
		return m ? NAN : INFINITY;
	if (code > f->most)
		return NAN;
	return e ? ldexp(m + ldexp(1, (int)f->mantissa), e - f->bias - (int)f->mantissa)
		 : ldexp(m, 1 - f->bias - (int)f->mantissa);
}

/* The code of the nearest number, the even one of two; larger values saturate. */
static inline uint64_t narrow_nearest(const struct narrow *f, double v, bool relu)
{
	uint64_t sign = signbit(v) ? 1u << (f->bits - 1) : 0;
	double x = fabs(v), middle;
	unsigned code = 0;

	if (v != v)
		return f->nan;
	if (relu && sign)
		return 0;
	while (code < f->most && narrow_magnitude(f, code + 1) <= x)
		code++;
	if (code == f->most)
		return sign | code;
	middle = (narrow_magnitude(f, code) + narrow_magnitude(f, code + 1)) / 2;
	return sign | (x > middle || (x == middle && code % 2) ? code + 1 : code);
}

static inline double half_value(const char *type, uint64_t code)
{
	return double_of_exact(exact_of(format_of(type), code, false));
}

/* The two numbers of a conversion's sources, the upper one first. */
static inline void two_sources(const char *from, const uint64_t *in, double *v)
{
	bool floats = strcmp(from, "f32") == 0;

	v[0] = floats ? (double)f32_of(in[0]) : half_value(from, keep(in[0] >> 16, 16));
	v[1] = floats ? (double)f32_of(in[1]) : half_value(from, keep(in[0], 16));
}

/* The power of two above or below: codes count from 2^-127. */
static inline uint64_t power_code(double v, bool up, bool finite)
{
	int code = 0, most = finite ? 254 : 255;

	if (v != v)
		return 255;
	while (code < most &&
		(up ? ldexp(1, code - 127) < fabs(v) : ldexp(1, code - 126) <= fabs(v)))
		code++;
	return (uint64_t)code;
}

static inline uint64_t bfloat_of_power(uint64_t code)
{
	struct exact x = {.m = 1, .e = (int)code - 127};

	if (code == 255)
		x.what = EXACT_NAN;
	return encode(format_of("bf16"), x, FE_TONEAREST, false);
}

/* |v| in units of the last of `digits` digits, the exponent at least `least`: integer part and
 * remainder, both exact. */
static inline double units_of(double v, int digits, int least, double *unit, double *rest)
{
	int e;
	double q;

	frexp(v, &e);
	e = e - 1 < least ? least : e - 1;
	*unit = ldexp(1, e - digits + 1);
	q = floor(fabs(v) / *unit);
	*rest = fabs(v) / *unit - q;
	return q;
}

static inline uint64_t reference_tf32(const struct spelled *sp, uint64_t raw)
{
	double v = (double)f32_of(raw), unit, rest, q, largest = ldexp(2047, 127 - 10);

	if (v != v)
		return 0x7fffe000;
	if (says(sp, "relu") && signbit(v))
		return 0;
	if (isinf(v)) {
		q = INFINITY;
	} else {
		q = units_of(v, 11, -126, &unit, &rest);
		if (says(sp, "rna"))
			q += rest >= 0.5;
		else if (says(sp, "rn"))
			q += rest > 0.5 || (rest == 0.5 && fmod(q, 2) == 1);
		q *= unit;
	}
	if (q > largest)
		q = says(sp, "satfinite") ? largest : INFINITY;
	return raw32((float)copysign(q, v));
}

/* The carry out of the random bits and the upper discarded ones. */
static inline uint64_t reference_random(
	const struct spelled *sp, const char *to, uint64_t raw, uint64_t random)
{
	struct format f = format_of(to);
	int bits = to[0] == 'b' ? 16 : 13;
	double v = (double)f32_of(raw), unit, rest, q;

	if (v == v && !isinf(v)) {
		q = units_of(v, f.digits, 1 - f.bias, &unit, &rest);
		q += floor(ldexp(rest, bits)) + (double)keep(random, (unsigned)bits) >=
		     ldexp(1, bits);
		v = copysign(q * unit, v);
	}
	if (says(sp, "relu") && v == v && signbit(v))
		v = 0;
	return encode(f, exact_of_double(v), FE_TONEAREST, says(sp, "satfinite"));
}

static inline uint64_t reference_mixed(const struct spelled *sp, const uint64_t *in)
{
	const char *half = sp->word[sp->n - 1];
	uint64_t as_floats[3] = {raw32((float)half_value(half, keep(in[0], 16))), in[1], in[2]};

	if (strcmp(sp->word[0], "fma") == 0)
		as_floats[1] = raw32((float)half_value(half, keep(in[1], 16)));
	return reference_f32(sp, as_floats);
}

static inline uint64_t reference_two_floats(const struct spelled *sp, const uint64_t *in)
{
	uint64_t low[3], high[3];
	unsigned i;

	for (i = 0; i < 3; i++) {
		low[i] = keep(in[i], 32);
		high[i] = in[i] >> 32;
	}
	return reference_f32(sp, high) << 32 | reference_f32(sp, low);
}

static inline uint64_t wide_half(const struct spelled *sp, const struct narrow *f, uint64_t code)
{
	unsigned magnitude = (unsigned)keep(code, f->bits - 1);
	bool negative = code >> (f->bits - 1) & 1;
	double v = narrow_magnitude(f, magnitude);
	struct exact x = exact_of_double(negative ? -v : v);

	if (says(sp, "relu") && negative && v == v)
		return 0;
	return encode(format_of("f16"), x, FE_TONEAREST, false);
}

static inline bool reference_narrow_cvt(const struct spelled *sp, const uint64_t *in, uint64_t *out)
{
	const char *to = sp->word[sp->n - 2], *from = sp->word[sp->n - 1];
	const struct narrow *f = narrow_of(to), *g = narrow_of(from);
	bool up = says(sp, "rp"), finite = says(sp, "satfinite");
	double v[2];

	if (strcmp(to, "tf32") == 0) {
		out[0] = reference_tf32(sp, in[0]);
	} else if (says(sp, "rs")) {
		out[0] = reference_random(sp, to, in[0], in[2] >> 16) << 16 |
			 reference_random(sp, to, in[1], in[2]);
	} else if (f) {
		two_sources(from, in, v);
		out[0] = narrow_nearest(f, v[0], says(sp, "relu")) << f->apart |
			 narrow_nearest(f, v[1], says(sp, "relu"));
	} else if (g) {
		out[0] = wide_half(sp, g, in[0] >> g->apart) << 16 | wide_half(sp, g, in[0]);
	} else if (strcmp(to, "ue8m0x2") == 0) {
		two_sources(from, in, v);
		out[0] = power_code(v[0], up, finite) << 8 | power_code(v[1], up, finite);
	} else if (strcmp(from, "ue8m0x2") == 0) {
		out[0] = bfloat_of_power(keep(in[0] >> 8, 8)) << 16 |
			 bfloat_of_power(keep(in[0], 8));
	} else {
		return false;
	}
	return true;
}

static inline bool is_mixed(const struct spelled *sp)
{
	return sp->n > 2 && is_half(sp->word[sp->n - 1]) &&
	       strcmp(sp->word[sp->n - 2], "f32") == 0 && strcmp(sp->word[0], "cvt") &&
	       strcmp(sp->word[0], "set") && strcmp(sp->word[0], "slct");
}

/* False: the spelling is none of these. */
static inline bool reference_narrow(const struct spelled *sp, const uint64_t *in, uint64_t *out)
{
	if (strcmp(sp->word[0], "cvt") == 0)
		return sp->n > 2 && reference_narrow_cvt(sp, in, out);
	if (strcmp(sp->word[sp->n - 1], "f32x2") == 0)
		out[0] = reference_two_floats(sp, in);
	else if (is_mixed(sp))
		out[0] = reference_mixed(sp, in);
	else
		return false;
	return true;
}

#endif
