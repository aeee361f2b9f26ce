/* Approximations are within the errors that PTX allows (PTX ISA, the notes of each instruction),
 * measured against long double. */
#include "core/base.h"
#include "core/rng.h"
#include "ptx/isa/lanes.h"
#include "tests/rig/lanes_reference_more.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define ROUNDS 1500u
#define TWO_PI 6.2831853071795864769L

typedef long double exact_fn(long double a, long double b);

enum measure { ABSOLUTE, RELATIVE, ULP };

/* Inputs are in [least, most], of either sign when `both`; those of a bound with `outside` as well,
 * but not in (0.5, 2). */
struct bound {
	const char *spelling;
	exact_fn *exact;
	enum measure measure;
	double allowed, least, most;
	bool both, outside;
};

static long double quotient(long double a, long double b)
{
	return a / b;
}

static long double reciprocal(long double a, long double b)
{
	(void)b;
	return 1 / a;
}

static long double root(long double a, long double b)
{
	(void)b;
	return sqrtl(a);
}

static long double reciprocal_root(long double a, long double b)
{
	(void)b;
	return 1 / sqrtl(a);
}

static long double sine(long double a, long double b)
{
	(void)b;
	return sinl(a);
}

static long double cosine(long double a, long double b)
{
	(void)b;
	return cosl(a);
}

static long double logarithm(long double a, long double b)
{
	(void)b;
	return log2l(a);
}

static long double power(long double a, long double b)
{
	(void)b;
	return exp2l(a);
}

static long double tangent(long double a, long double b)
{
	(void)b;
	return tanhl(a);
}

#define F32_LEAST 0x1p-126
#define F32_MOST 0x1.fffffep127
#define HALF_MOST 65504.0
#define BF16_MOST 0x1.fep127

static const struct bound bounds[] = {
	{"div.approx.f32", quotient, ULP, 2, F32_LEAST, 0x1p126, true, false},
	{"div.approx.ftz.f32", quotient, ULP, 2, F32_LEAST, 0x1p126, true, false},
	{"div.full.f32", quotient, ULP, 2, 0x1p-149, F32_MOST, true, false},
	{"div.full.ftz.f32", quotient, ULP, 2, F32_LEAST, F32_MOST, true, false},
	{"rcp.approx.f32", reciprocal, ULP, 1, 0x1p-149, F32_MOST, true, false},
	{"rcp.approx.ftz.f32", reciprocal, ULP, 1, F32_LEAST, F32_MOST, true, false},
	{"sqrt.approx.f32", root, RELATIVE, 0x1p-23, 0x1p-149, F32_MOST, false, false},
	{"sqrt.approx.ftz.f32", root, RELATIVE, 0x1p-23, F32_LEAST, F32_MOST, false, false},
	{"rsqrt.approx.f32", reciprocal_root, RELATIVE, 1.2777e-7, 0x1p-149, F32_MOST, false,
		false}, /* 2^-22.9 */
	{"rsqrt.approx.ftz.f32", reciprocal_root, RELATIVE, 1.2777e-7, F32_LEAST, F32_MOST, false,
		false},
	{"sin.approx.f32", sine, ABSOLUTE, 6.743e-7, 0, (double)TWO_PI, true, false}, /* 2^-20.5 */
	{"cos.approx.f32", cosine, ABSOLUTE, 6.743e-7, 0, (double)TWO_PI, true, false},
	{"sin.approx.ftz.f32", sine, ABSOLUTE, 6.743e-7, 0, (double)TWO_PI, true, false},
	{"cos.approx.ftz.f32", cosine, ABSOLUTE, 6.743e-7, 0, (double)TWO_PI, true, false},
	{"sin.approx.f32", sine, ABSOLUTE, 3.757e-5, 0, (double)(50 * TWO_PI), true,
		false}, /* 2^-14.7 */
	{"cos.approx.f32", cosine, ABSOLUTE, 3.757e-5, 0, (double)(50 * TWO_PI), true, false},
	{"lg2.approx.f32", logarithm, ABSOLUTE, 0x1p-22, 0.5, 2, false, false},
	{"lg2.approx.f32", logarithm, RELATIVE, 0x1p-22, 0x1p-149, F32_MOST, false, true},
	{"lg2.approx.ftz.f32", logarithm, RELATIVE, 0x1p-22, F32_LEAST, F32_MOST, false, true},
	{"ex2.approx.f32", power, ULP, 2, 0, 148, true, false},
	{"ex2.approx.ftz.f32", power, ULP, 2, 0, 125, true, false},
	{"tanh.approx.f32", tangent, RELATIVE, 0x1p-11, 0x1p-149, F32_MOST, true, false},
	{"ex2.approx.f16", power, RELATIVE, 1.0467e-3, 0, 14, true, false}, /* 2^-9.9 */
	{"ex2.approx.ftz.bf16", power, RELATIVE, 0x1p-7, 0, 125, true, false},
	{"tanh.approx.f16", tangent, ABSOLUTE, 4.9269e-4, 0, HALF_MOST, true,
		false}, /* 2^-10.987 */
	{"tanh.approx.bf16", tangent, ABSOLUTE, 0x1p-8, 0, BF16_MOST, true, false},
};

struct trial {
	const struct bound *bound;
	const struct lanes *lanes;
	struct rng rng;
	struct form_match form;
	const char *type;
	uint32_t src[2][2 * WARP_LANES], dst[2][2 * WARP_LANES];
};

static double value_of(const char *type, uint64_t raw)
{
	if (is_half(type))
		return double_of_exact(exact_of(format_of(type), raw & 0xffff, false));
	return (double)f32_of(raw);
}

/* Half of the inputs are spread over the magnitudes, half over the range. */
static uint32_t some_input(struct trial *t)
{
	const struct bound *b = t->bound;
	double v, magnitude;
	uint32_t raw;

	for (;;) {
		if (rng_below(&t->rng, 2)) {
			raw = (uint32_t)rng_u64(&t->rng) & (is_half(t->type) ? 0xffff : 0xffffffff);
		} else {
			volatile float f =
				(float)(b->least + rng_unit(&t->rng) * (b->most - b->least));

			raw = (uint32_t)raw32(rng_below(&t->rng, 2) ? -f : f);
			if (strcmp(t->type, "bf16") == 0)
				raw >>= 16;
			else if (is_half(t->type))
				continue;
		}
		v = value_of(t->type, raw);
		magnitude = fabs(v);
		if (magnitude >= b->least && magnitude <= b->most && (b->both || !signbit(v)) &&
			!(b->outside && v > 0.5 && v < 2))
			return raw;
	}
}

/* One ulp of a float of that size. */
static long double ulp_of(long double v)
{
	int exponent;

	frexpl(v, &exponent);
	return ldexpl(1, exponent - 24 < -149 ? -149 : exponent - 24);
}

static long double error_of(const struct trial *t, uint32_t a, uint32_t b, double is)
{
	long double should = t->bound->exact(value_of(t->type, a), value_of(t->type, b)), error;

	error = fabsl(is - should);
	/* no guarantee beyond the largest number, and for what .ftz flushes to zero */
	if (!isfinite(is) && fabsl(should) > F32_MOST)
		return 0;
	if (is == 0 && fabsl(should) < F32_LEAST && strstr(t->bound->spelling, "ftz"))
		return 0;
	if (t->bound->measure == ULP)
		return error / ulp_of(should);
	return t->bound->measure == RELATIVE && error > 0 ? error / fabsl(should) : error;
}

static void check_round(struct trial *t)
{
	uint32_t *d[2] = {t->dst[0], t->dst[1]};
	const uint32_t *s[2] = {t->src[0], t->src[1]};

	for (unsigned i = 0; i < WARP_LANES; i++) {
		t->src[0][i] = some_input(t);
		t->src[1][i] = some_input(t);
	}
	t->lanes->fn[t->form.op](d, s, UINT32_MAX);
	for (unsigned i = 0; i < WARP_LANES; i++) {
		double is = value_of(t->type, t->dst[0][i]);
		long double error = error_of(t, t->src[0][i], t->src[1][i], is);

		if (!(error <= t->bound->allowed))
			fail_msg("%s of %x, %x is %g: error %Lg, allowed %g", t->bound->spelling,
				t->src[0][i], t->src[1][i], is, error, t->bound->allowed);
	}
}

static void approximations_are_as_good_as_ptx_promises(void **state)
{
	static struct trial t;
	char why[512];
	bool unsupported;

	(void)state;
	t.rng = rng_new(11, 0);
	t.lanes = lanes_select(NULL, NULL);
	for (unsigned k = 0; k < ARRAY_LEN(bounds); k++) {
		t.bound = &bounds[k];
		t.type = strrchr(t.bound->spelling, '.') + 1;
		assert_int_equal(
			form_match(t.bound->spelling, &t.form, why, sizeof(why), &unsupported), 0);
		for (unsigned round = 0; round < ROUNDS; round++)
			check_round(&t);
	}
}

/* ---- the tables of special operands in the same notes */

#define PINF 0x7f800000u
#define NINF 0xff800000u
#define NZERO 0x80000000u
#define NOT_A_NUMBER 0x7fffffffu
#define ONE 0x3f800000u

static void special_operands_give_what_ptx_lists(void **state)
{
	static const uint32_t operands[] = {NINF, NZERO, 0, PINF, 0x7fc12345u};
	static const struct {
		const char *spelling;
		uint32_t results[5];
	} rows[] = {
		{"rcp.approx.f32", {NZERO, NINF, PINF, 0, NOT_A_NUMBER}},
		{"sqrt.approx.f32", {NOT_A_NUMBER, NZERO, 0, PINF, NOT_A_NUMBER}},
		{"rsqrt.approx.f32", {NOT_A_NUMBER, NINF, PINF, 0, NOT_A_NUMBER}},
		{"sin.approx.f32", {NOT_A_NUMBER, NZERO, 0, NOT_A_NUMBER, NOT_A_NUMBER}},
		{"cos.approx.f32", {NOT_A_NUMBER, ONE, ONE, NOT_A_NUMBER, NOT_A_NUMBER}},
		{"lg2.approx.f32", {NOT_A_NUMBER, NINF, NINF, PINF, NOT_A_NUMBER}},
		{"ex2.approx.f32", {0, ONE, ONE, PINF, NOT_A_NUMBER}},
		{"tanh.approx.f32", {ONE | NZERO, NZERO, 0, ONE, NOT_A_NUMBER}},
	};
	static struct trial t;
	uint32_t *d[2] = {t.dst[0], t.dst[1]};
	const uint32_t *s[2] = {t.src[0], t.src[1]};
	char why[512];
	bool unsupported;

	(void)state;
	memcpy(t.src[0], operands, sizeof(operands));
	for (unsigned k = 0; k < ARRAY_LEN(rows); k++) {
		assert_int_equal(
			form_match(rows[k].spelling, &t.form, why, sizeof(why), &unsupported), 0);
		lanes_select(NULL, NULL)->fn[t.form.op](d, s, UINT32_MAX);
		for (unsigned i = 0; i < ARRAY_LEN(operands); i++)
			if (t.dst[0][i] != rows[k].results[i])
				fail_msg("%s of %x is %x, PTX says %x", rows[k].spelling,
					operands[i], t.dst[0][i], rows[k].results[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(approximations_are_as_good_as_ptx_promises),
		cmocka_unit_test(special_operands_give_what_ptx_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
