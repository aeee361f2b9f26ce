/* Half precision according to PTX, lane by lane: exact integers and one explicit rounding. */
#ifndef TESTS_RIG_LANES_REFERENCE_HALF_H
#define TESTS_RIG_LANES_REFERENCE_HALF_H

#include "tests/rig/lanes_reference.h"

/* A binary format: digits of mantissa, bias of the exponent. */
struct format {
	int digits, bias;
};

/* (-1)^sign * m * 2^e, or a special value. */
struct exact {
	enum { EXACT_NUMBER, EXACT_INFINITE, EXACT_NAN } what;
	int sign, e;
	uwide m;
};

static inline bool is_half(const char *word)
{
	return strcmp(word, "f16") == 0 || strcmp(word, "bf16") == 0 ||
	       strcmp(word, "f16x2") == 0 || strcmp(word, "bf16x2") == 0;
}

static inline struct format format_of(const char *word)
{
	return word[0] == 'b' ? (struct format){8, 127} : (struct format){11, 15};
}

static inline uint64_t infinite_code(struct format f)
{
	return (uint64_t)(2 * f.bias + 1) << (f.digits - 1);
}

static inline struct exact exact_of(struct format f, uint64_t code, bool flush)
{
	int e = (int)(keep(code, 15) >> (f.digits - 1));
	uint64_t m = code & ((1u << (f.digits - 1)) - 1);
	struct exact x = {.sign = code >> 15 & 1, .m = m};

	if (e == 2 * f.bias + 1)
		x.what = m ? EXACT_NAN : EXACT_INFINITE;
	if (e == 0)
		x.m = flush ? 0 : m;
	else
		x.m = m | 1u << (f.digits - 1);
	x.e = (e ? e : 1) - f.bias - (f.digits - 1);
	return x;
}

static inline struct exact exact_of_double(double v)
{
	struct exact x = {.sign = signbit(v) != 0};
	int e;

	if (v != v || isinf(v)) {
		x.what = v != v ? EXACT_NAN : EXACT_INFINITE;
		return x;
	}
	x.m = (uwide)ldexp(frexp(fabs(v), &e), 53);
	x.e = e - 53;
	return x;
}

static inline double double_of_exact(struct exact x)
{
	double v = x.what == EXACT_NAN        ? NAN
		   : x.what == EXACT_INFINITE ? INFINITY
					      : ldexp((double)(uint64_t)x.m, x.e);

	return x.sign ? -v : v;
}

static inline struct exact exact_product(struct exact a, struct exact b)
{
	struct exact r = {.sign = a.sign ^ b.sign, .e = a.e + b.e, .m = a.m * b.m};
	bool infinite = a.what == EXACT_INFINITE || b.what == EXACT_INFINITE;
	bool zero = (a.what == EXACT_NUMBER && a.m == 0) || (b.what == EXACT_NUMBER && b.m == 0);

	if (a.what == EXACT_NAN || b.what == EXACT_NAN || (infinite && zero))
		r.what = EXACT_NAN;
	else if (infinite)
		r.what = EXACT_INFINITE;
	return r;
}

/* A summand far below the other one only determines on which side of it the sum is. */
static inline struct exact exact_sum(struct exact a, struct exact b)
{
	struct exact r = a;
	wide x, y;
	int d;

	if (a.what || b.what) {
		if (a.what == EXACT_NAN || b.what == EXACT_NAN ||
			(a.what && b.what && a.sign != b.sign))
			return (struct exact){.what = EXACT_NAN};
		return a.what ? a : b;
	}
	if (a.m == 0 && b.m == 0)
		return (struct exact){.sign = a.sign & b.sign};
	if (a.m == 0 || b.m == 0)
		return a.m ? a : b;
	if (a.e < b.e) {
		r = a;
		a = b;
		b = r;
	}
	d = a.e - b.e;
	if (d > 80) {
		b.e = a.e - 80;
		b.m = 1;
		d = 80;
	}
	x = (wide)(a.m << d);
	y = (wide)b.m;
	x = (a.sign ? -x : x) + (b.sign ? -y : y);
	return (struct exact){.sign = x < 0, .e = b.e, .m = (uwide)(x < 0 ? -x : x)};
}

/* Rounded; `finite`: overflow gives the largest number. */
static inline uint64_t encode(struct format f, struct exact x, int mode, bool finite)
{
	uint64_t sign = (uint64_t)x.sign << 15, n, code;
	int top = -1, q, least = 1 - f.bias - (f.digits - 1);
	bool away = mode == FE_UPWARD ? !x.sign : mode == FE_DOWNWARD ? x.sign : false;
	uwide rest, half;

	if (x.what == EXACT_NAN)
		return 0x7fff;
	if (x.what == EXACT_INFINITE)
		return sign | (infinite_code(f) - finite);
	if (x.m == 0)
		return sign;
	while (top < 127 && x.m >> (top + 1))
		top++;
	q = top + x.e - (f.digits - 1);
	q = q < least ? least : q;
	if (q <= x.e) {
		n = (uint64_t)(x.m << (x.e - q));
	} else if (q - x.e > 126) {
		n = away;
	} else {
		n = (uint64_t)(x.m >> (q - x.e));
		rest = x.m & (((uwide)1 << (q - x.e)) - 1);
		half = (uwide)1 << (q - x.e - 1);
		if (mode == FE_TONEAREST)
			n += rest > half || (rest == half && (n & 1));
		else
			n += away && rest;
	}
	code = n;
	if (n >> (f.digits - 1))
		code = ((uint64_t)(q + f.digits - 1 + f.bias) << (f.digits - 1)) +
		       (n - (1u << (f.digits - 1)));
	if (code >= infinite_code(f))
		code = infinite_code(f) - (finite || (mode != FE_TONEAREST && !away));
	return sign | code;
}

/* .sat, .relu and .ftz of a result; the .ftz of cvt is for f32 alone. */
static inline uint64_t finish_half(const struct spelled *sp, struct format f, uint64_t code)
{
	bool nan = keep(code, 15) > infinite_code(f);
	uint64_t one = (uint64_t)f.bias << (f.digits - 1);

	if (says(sp, "ftz") && sp->word[0][0] != 'c' && keep(code, 15) >> (f.digits - 1) == 0)
		code &= 0x8000;
	if (says(sp, "sat"))
		return nan || code >> 15 ? 0 : code > one ? one : code;
	if (says(sp, "relu") && !nan && code >> 15)
		return 0;
	return code;
}

static inline uint64_t pick_half(const struct spelled *sp, struct format f, const uint64_t *in)
{
	bool flush = says(sp, "ftz"), xorsign = says(sp, "xorsign");
	uint64_t a = xorsign ? in[0] & 0x7fff : in[0], b = xorsign ? in[1] & 0x7fff : in[1], r;
	double x = double_of_exact(exact_of(f, a, flush));
	double y = double_of_exact(exact_of(f, b, flush));
	int which = pick(x, y, sp->word[0][1] == 'i', says(sp, "NaN"));

	if (which < 0)
		return 0x7fff;
	r = encode(f, exact_of(f, which ? b : a, flush), FE_TONEAREST, false);
	return xorsign ? r | ((in[0] ^ in[1]) & 0x8000) : r;
}

/* One half of arithmetic: codes to a code. */
static inline uint64_t arithmetic_half(
	const struct spelled *sp, struct format f, const uint64_t *in)
{
	const char *op = sp->word[0];
	bool flush = says(sp, "ftz");
	struct exact a = exact_of(f, in[0], flush), b = exact_of(f, in[1], flush), r;
	uint64_t kept = flush && keep(in[0], 15) >> (f.digits - 1) == 0 ? in[0] & 0x8000 : in[0];

#define IS(name) (strcmp(op, name) == 0)
	if (IS("neg"))
		return kept ^ 0x8000;
	if (IS("abs"))
		return kept & 0x7fff;
	if (IS("min") || IS("max"))
		return pick_half(sp, f, in);
	if (IS("sub"))
		b.sign ^= 1;
	if (IS("add") || IS("sub"))
		r = exact_sum(a, b);
	else if (IS("mul"))
		r = exact_product(a, b);
	else if (IS("fma"))
		r = exact_sum(exact_product(a, b), exact_of(f, in[2], flush));
	else if (IS("ex2"))
		r = exact_of_double(exp2(double_of_exact(a)));
	else
		r = exact_of_double(tanh(double_of_exact(a)));
#undef IS
	return finish_half(sp, f, encode(f, r, FE_TONEAREST, false));
}

/* ---- conversions */

static inline struct exact exact_source(const struct spelled *sp, const char *from, uint64_t raw)
{
	struct kind k = kind_of(from);
	wide v;

	if (is_half(from))
		return exact_of(format_of(from), raw, false);
	if (k.class == 'f')
		return exact_of_double(
			k.bits == 64 ? f64_of(raw) : (double)f32_of(flush32(raw, sp)));
	v = number(raw, k);
	return (struct exact){.sign = v < 0, .m = (uwide)(v < 0 ? -v : v)};
}

static inline uint64_t convert_half(const struct spelled *sp, const uint64_t *in)
{
	const char *to = sp->word[sp->n - 2], *from = sp->word[sp->n - 1];
	struct exact x = exact_source(sp, from, in[0]);
	struct format f = format_of(to);
	bool finite = says(sp, "satfinite");
	double v;

	if (strstr(to, "x2"))
		return finish_half(sp, f, encode(f, x, direction(sp), finite)) << 16 |
		       finish_half(sp, f,
			       encode(f, exact_source(sp, from, in[1]), direction(sp), finite));
	if (is_half(to) && strcmp(to, from) == 0) {
		v = double_of_exact(x);
		x = exact_of_double(says(sp, "rni")   ? nearbyint(v)
				    : says(sp, "rzi") ? trunc(v)
				    : says(sp, "rmi") ? floor(v)
				    : says(sp, "rpi") ? ceil(v)
						      : v);
	}
	if (is_half(to))
		return finish_half(sp, f, encode(f, x, direction(sp), finite));
	v = double_of_exact(x);
	if (strcmp(to, "f64") == 0)
		return says(sp, "sat") ? v > 0 ? raw64(v > 1 ? 1 : v) : 0 : finish64(v);
	return finish32((float)v, sp); /* exact */
}

/* ---- all of them */

static inline int order_half(const struct spelled *sp, struct format f, uint64_t a, uint64_t b)
{
	double x = double_of_exact(exact_of(f, a, says(sp, "ftz")));
	double y = double_of_exact(exact_of(f, b, says(sp, "ftz")));

	return x != x || y != y ? 2 : (x > y) - (x < y);
}

static inline bool compare(const char *cmp, int order);
static inline bool joined(const struct spelled *sp, bool r, bool c);

static inline void compare_half(const struct spelled *sp, const uint64_t *in, uint64_t *out)
{
	const char *type = sp->word[sp->n - 1], *to = sp->word[sp->n - 2];
	struct format f = format_of(type);
	bool low = compare(sp->word[1], order_half(sp, f, in[0], in[1]));
	bool high = compare(sp->word[1], order_half(sp, f, in[0] >> 16, in[1] >> 16));
	bool pair = strstr(type, "x2") != NULL, c = in[2] & 1;
	uint64_t word = is_half(to) ? (uint64_t)f.bias << (f.digits - 1) : 0xffff;

	if (strcmp(sp->word[0], "setp") == 0) {
		out[0] = joined(sp, low, c);
		out[1] = joined(sp, pair ? high : !low, c);
		return;
	}
	if (!pair && strchr("us", to[0]) && strstr(to, "32"))
		word = 0xffffffff;
	out[0] = joined(sp, low, c) ? word : 0;
	if (pair && joined(sp, high, c))
		out[0] |= word << 16;
}

static inline void reference_half(const struct spelled *sp, const uint64_t *in, uint64_t *out)
{
	const char *op = sp->word[0], *type = sp->word[sp->n - 1];
	struct format f = format_of(type);
	uint64_t low[3], high[3];
	unsigned i;

	if (strcmp(op, "set") == 0 || strcmp(op, "setp") == 0) {
		compare_half(sp, in, out);
		return;
	}
	if (strcmp(op, "cvt") == 0) {
		out[0] = convert_half(sp, in);
		return;
	}
	for (i = 0; i < 3; i++) {
		low[i] = keep(in[i], 16);
		high[i] = keep(in[i] >> 16, 16);
	}
	out[0] = arithmetic_half(sp, f, low);
	if (strstr(type, "x2"))
		out[0] |= arithmetic_half(sp, f, high) << 16;
}

#endif
