/* What PTX says of results: PTX ISA 8.8, the sections of the instructions. */
#include "core/base.h"
#include "runs/hardware/forms.h"

#include <math.h>
#include <string.h>

#define TWO_PI 6.283185307179586
#define HUNDRED_PI 314.1592653589793

/* The first row that fits counts. */
static const struct form_rule rules[] = {
	{"div.approx", "", FORM_BOUNDED, FORM_ULPS, 2, 0x1p126, "2 ulp, of divisors up to 2^126"},
	{"div.full", "", FORM_BOUNDED, FORM_ULPS, 2, 0, "2 ulp"},
	{"rcp.approx.ftz.f64", "", FORM_OPEN, FORM_NO_BOUND, 0, 0, "a gross approximation"},
	{"rcp.approx", "", FORM_BOUNDED, FORM_ULPS, 1, 0, "1 ulp"},
	{"sqrt.approx", "", FORM_BOUNDED, FORM_RELATIVE, 0x1p-23, 0, "relative error 2^-23"},
	{"rsqrt.approx", ".f64", FORM_OPEN, FORM_NO_BOUND, 0, 0, "an approximation"},
	{"rsqrt.approx", "", FORM_BOUNDED, FORM_RELATIVE, 1.2774e-7, 0, "relative error 2^-22.9"},
	{"sin", "", FORM_BOUNDED, FORM_ABSOLUTE, 6.7434e-7, TWO_PI,
		"absolute error 2^-20.5 up to 2 pi; nothing beyond 100 pi"},
	{"cos", "", FORM_BOUNDED, FORM_ABSOLUTE, 6.7434e-7, TWO_PI,
		"absolute error 2^-20.5 up to 2 pi; nothing beyond 100 pi"},
	{"lg2", "", FORM_BOUNDED, FORM_RELATIVE, 0x1p-22, 0,
		"absolute error 2^-22.6 from 0.5 to 2, relative 2^-22 beyond"},
	{"ex2", ".f32", FORM_BOUNDED, FORM_RELATIVE, 0x1p-22, 0, "relative error 2^-22"},
	{"ex2", ".bf16", FORM_BOUNDED, FORM_RELATIVE, 0x1p-7, 0, "relative error 2^-7"},
	{"ex2", "", FORM_BOUNDED, FORM_RELATIVE, 1.0467e-3, 0, "relative error 2^-9.9"},
	{"tanh", ".f32", FORM_BOUNDED, FORM_RELATIVE, 0x1p-11, 0, "relative error 2^-11"},
	{"tanh", ".bf16", FORM_BOUNDED, FORM_ABSOLUTE, 0x1p-8, 0, "absolute error 2^-8"},
	{"tanh", "", FORM_BOUNDED, FORM_ABSOLUTE, 4.9271e-4, 0, "absolute error 2^-10.987"},
	{"activemask", "", FORM_OPEN, FORM_NO_BOUND, 0, 0, "which lanes converge is the machine's"},
	{"elect", "", FORM_OPEN, FORM_NO_BOUND, 0, 0, "which lane leads is the machine's"},
	{"cvta", "", FORM_OPEN, FORM_NO_BOUND, 0, 0, "generic addresses are the machine's"},
	{"isspacep", "", FORM_OPEN, FORM_NO_BOUND, 0, 0, "generic addresses are the machine's"},
	{"discard", "", FORM_OPEN, FORM_NO_BOUND, 0, 0, "the bytes are undefined after it"},
	{"", "", FORM_DEFINED, FORM_NO_BOUND, 0, 0, "the bits"}};

const struct form_rule *form_rule_of(const char *spelling)
{
	const struct form_rule *r = rules;

	while (strncmp(spelling, r->begins, strlen(r->begins)) != 0 || !strstr(spelling, r->has))
		r++;
	return r;
}

/* ---- numbers */
static double half_number(unsigned bits)
{
	int exponent = (int)(bits >> 10 & 31);
	double v = exponent ? ldexp(1024 + (bits & 1023), exponent - 25) : ldexp(bits & 1023, -24);

	if (exponent == 31)
		v = bits & 1023 ? (double)NAN : (double)INFINITY;
	return bits & 0x8000 ? -v : v;
}

static double number_of(enum ptx_type type, const unsigned char *at)
{
	uint32_t word = 0;
	uint16_t half;
	float f;
	double d;

	memcpy(&half, at, sizeof(half));
	if (type == T_F64) {
		memcpy(&d, at, sizeof(d));
		return d;
	}
	if (type == T_F16)
		return half_number(half);
	if (type == T_BF16)
		word = (uint32_t)half << 16;
	else
		memcpy(&word, at, sizeof(word));
	memcpy(&f, &word, sizeof(f));
	return (double)f;
}

/* The distance of neighbours near v. */
static double ulp_of(enum ptx_type type, double v)
{
	int digits = type == T_F64 ? 52 : type == T_F32 ? 23 : type == T_F16 ? 10 : 7;
	int least = type == T_F64 ? -1074 : type == T_F32 ? -149 : type == T_F16 ? -24 : -133;
	int exponent;

	frexp(v, &exponent);
	exponent -= 1 + digits;
	return ldexp(1, v != 0 && exponent > least ? exponent : least);
}

static double error_of(const struct form_rule *r, enum ptx_type type, double ours, double theirs)
{
	double off = fabs(ours - theirs), beyond = off - ulp_of(type, ours);

	if (r->kind == FORM_ULPS)
		return off / ulp_of(type, ours);
	if (r->kind == FORM_ABSOLUTE)
		return beyond > 0 ? beyond : 0;
	return beyond > 0 ? beyond / fmax(fabs(ours), fabs(theirs)) : 0;
}

/* One number, which differs. Ours may be off by its last digit, too. */
static enum form_outcome compare_numbers(const struct form_rule *r, enum ptx_type type,
	const unsigned char *ours, const unsigned char *theirs, double *error)
{
	double a = number_of(type, ours), b = number_of(type, theirs);

	if (isnan(a) && isnan(b))
		return FORM_NAN;
	if (r->class == FORM_DEFINED || isnan(a) || isnan(b) || isinf(a) != isinf(b)) {
		*error = (double)INFINITY;
		return FORM_DIFFERS;
	}
	*error = a == b ? 0 : error_of(r, type, a, b);
	return *error <= r->bound ? FORM_WITHIN : FORM_DIFFERS;
}

enum form_outcome form_compare(const struct form_rule *r, enum ptx_type type,
	const unsigned char *ours, const unsigned char *theirs, double *error)
{
	bool pair = ptx_type_class(type) == 'x';
	enum ptx_type of = type == T_F16X2 ? T_F16 : type == T_BF16X2 ? T_BF16 : type;
	unsigned bytes = ptx_type_bytes(of);
	enum form_outcome worst = FORM_SAME;

	*error = 0;
	for (unsigned i = 0; i < 1u + pair; i++, ours += bytes, theirs += bytes) {
		enum form_outcome o = FORM_SAME;
		double off = 0;

		if (memcmp(ours, theirs, bytes) != 0)
			o = ptx_type_class(of) == 'f' ? compare_numbers(r, of, ours, theirs, &off)
						      : FORM_DIFFERS;
		worst = o > worst ? o : worst;
		*error = fmax(*error, off);
	}
	return worst;
}

/* ---- operands for which nothing is said */
static const struct form_operand *source(const struct form_match *m, unsigned n, unsigned *at)
{
	for (unsigned i = 0; i < m->noperands; i++)
		if (!m->operand[i].is_dst && m->operand[i].role == ROLE_VALUE && !n--) {
			*at = 32 * i;
			return &m->operand[i];
		}
	return NULL;
}

static bool is_zero(const unsigned char *at, unsigned n)
{
	while (n && !at[n - 1])
		n--;
	return !n;
}

static bool begins(const char *spelling, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(spelling, word, n) && spelling[n] == '.';
}

const char *form_open_for(const char *spelling, const struct form_match *m, const unsigned char *in)
{
	const struct form_rule *r = form_rule_of(spelling);
	const struct form_operand *o;
	unsigned at = 0;

	if (r->class == FORM_OPEN)
		return r->says;
	o = source(m, 1, &at);
	if ((begins(spelling, "div") || begins(spelling, "rem")) && o &&
		ptx_type_class((enum ptx_type)o->type) != 'f')
		return is_zero(in + at, ptx_type_bytes((enum ptx_type)o->type)) ? "division by zero"
										: NULL;
	if (r->within <= 0)
		return NULL;
	if (!begins(spelling, "div"))
		o = source(m, 0, &at);
	return o && fabs(number_of((enum ptx_type)o->type, in + at)) > r->within
		       ? "an operand beyond the bound's range"
		       : NULL;
}
