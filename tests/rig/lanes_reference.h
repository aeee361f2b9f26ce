/* The result of each arithmetic instruction according to PTX, lane by lane, in the simplest C:
 * derived from the opcode itself, sharing nothing with ptx/isa/lanes.def. */
#ifndef TESTS_RIG_LANES_REFERENCE_H
#define TESTS_RIG_LANES_REFERENCE_H

#include "ptx/exec/exec.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

/* An opcode split at its dots. */
struct spelled {
	char word[10][16];
	unsigned n;
};

/* An integer type parsed from its name: "s16" is 16 bits, signed. */
struct kind {
	unsigned bits;
	char class;
};

static inline struct spelled spelled_cut(const char *s)
{
	struct spelled sp = {.n = 0};

	while (*s) {
		size_t len = strcspn(s, ".");

		memcpy(sp.word[sp.n], s, len);
		sp.word[sp.n++][len] = 0;
		s += len + (s[len] == '.');
	}
	return sp;
}

static inline bool says(const struct spelled *sp, const char *word)
{
	unsigned i;

	for (i = 1; i < sp->n; i++)
		if (strcmp(sp->word[i], word) == 0 ||
			(strcmp(word, "shared") == 0 && strstr(sp->word[i], "shared")))
			return true;
	return false;
}

static inline bool is_type(const char *w)
{
	return strchr("usbf", w[0]) && w[1] >= '1' && w[1] <= '8';
}

static inline struct kind kind_of(const char *w)
{
	return (struct kind){(unsigned)atoi(w + 1), w[0]};
}

static inline uint64_t keep(uint64_t v, unsigned bits)
{
	return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

/* The numeric value of raw bits. */
static inline wide number(uint64_t raw, struct kind k)
{
	raw = keep(raw, k.bits);
	if (k.class == 's' && raw >> (k.bits - 1))
		return (wide)raw - ((wide)1 << k.bits);
	return (wide)raw;
}

static inline uint64_t saturate(wide v, struct kind k)
{
	wide most = ((wide)1 << (k.bits - (k.class == 's'))) - 1;
	wide least = k.class == 's' ? -most - 1 : 0;

	return (uint64_t)(v < least ? least : v > most ? most : v);
}

static inline float f32_of(uint64_t raw)
{
	uint32_t u = (uint32_t)raw;
	float f;

	memcpy(&f, &u, 4);
	return f;
}

static inline double f64_of(uint64_t raw)
{
	double f;

	memcpy(&f, &raw, 8);
	return f;
}

static inline uint64_t raw32(float f)
{
	uint32_t u;

	memcpy(&u, &f, 4);
	return u;
}

static inline uint64_t raw64(double f)
{
	uint64_t u;

	memcpy(&u, &f, 8);
	return u;
}

/* ---- integers */

static inline uint64_t bit_field(const char *op, struct kind k, const uint64_t *in)
{
	unsigned msb = k.bits - 1, i;
	bool insert = strcmp(op, "bfi") == 0;
	unsigned pos = (unsigned)in[insert ? 2 : 1] & 0xff,
		 len = (unsigned)in[insert ? 3 : 2] & 0xff;
	uint64_t d = insert ? keep(in[1], k.bits) : 0, sign = 0;

	if (insert) {
		for (i = 0; i < len && pos + i <= msb; i++)
			d = (d & ~(UINT64_C(1) << (pos + i))) | (in[0] >> i & 1) << (pos + i);
		return d;
	}
	if (k.class == 's' && len)
		sign = in[0] >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1;
	for (i = 0; i <= msb; i++)
		d |= (i < len && pos + i <= msb ? in[0] >> (pos + i) & 1 : sign) << i;
	return d;
}

static inline uint64_t find_bit(struct kind k, uint64_t raw, bool shiftamt)
{
	wide v = number(raw, k);
	int i;

	if (v < 0)
		v = ~v;
	for (i = (int)k.bits - 1; i >= 0; i--)
		if (v >> i & 1)
			return shiftamt ? k.bits - 1 - (unsigned)i : (unsigned)i;
	return 0xffffffff;
}

static inline uint64_t permute(const struct spelled *sp, const uint64_t *in)
{
	static const struct {
		const char *mode;
		unsigned selector[4];
	} modes[] = {
		{"f4e", {0x3210, 0x4321, 0x5432, 0x6543}},
		{"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
		{"rc8", {0x0000, 0x1111, 0x2222, 0x3333}},
		{"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
		{"ecr", {0x0000, 0x1110, 0x2210, 0x3210}},
		{"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
	};
	unsigned selector = (unsigned)in[2], i;
	uint64_t bytes = in[1] << 32 | keep(in[0], 32), d = 0;

	for (i = 0; i < 6; i++)
		if (says(sp, modes[i].mode))
			selector = modes[i].selector[in[2] & 3];
	for (i = 0; i < 4; i++) {
		unsigned s = selector >> 4 * i & 15;
		uint64_t byte = bytes >> (s & 7) * 8 & 255;

		d |= (s & 8 ? byte >> 7 ? 255u : 0u : byte) << 8 * i;
	}
	return d;
}

static inline uint64_t shift(const char *op, struct kind k, const uint64_t *in)
{
	uint64_t count = keep(in[1], 32);
	wide v = number(in[0], k);
	unsigned n = count > 64 ? 64 : (unsigned)count;

	return (uint64_t)(op[2] == 'l' ? (wide)((uwide)v << n) : v >> n);
}

static inline uint64_t funnel(const struct spelled *sp, const uint64_t *in)
{
	unsigned n = says(sp, "wrap")       ? (unsigned)in[2] & 31
		     : keep(in[2], 32) > 32 ? 32
					    : (unsigned)in[2];
	uwide both = (uwide)keep(in[1], 32) << 32 | keep(in[0], 32);

	return (uint64_t)(says(sp, "l") ? both << n >> 32 : both >> n);
}

static inline uint64_t truth_table(const uint64_t *in)
{
	uint64_t d = 0;
	unsigned i;

	for (i = 0; i < 32; i++)
		d |= (in[3] >> ((in[0] >> i & 1) << 2 | (in[1] >> i & 1) << 1 | (in[2] >> i & 1)) &
			     1)
		     << i;
	return d;
}

static inline uint64_t count_up(const char *op, struct kind k, uint64_t raw)
{
	unsigned i, ones = 0, zeros = 0;
	uint64_t reversed = 0;

	raw = keep(raw, k.bits);
	for (i = 0; i < k.bits; i++) {
		ones += (unsigned)(raw >> i & 1);
		zeros = raw >> i & 1 ? 0 : zeros + 1;
		reversed |= (raw >> i & 1) << (k.bits - 1 - i);
	}
	return op[0] == 'p' ? ones : op[0] == 'c' ? zeros : reversed;
}

static inline uint64_t multiply(const struct spelled *sp, struct kind k, const uint64_t *in)
{
	wide a = number(in[0], k), b = number(in[1], k), high;
	struct kind twice = {k.bits * 2, k.class};
	bool adds = strncmp(sp->word[0], "mad", 3) == 0;
	uwide product;

	if (strstr(sp->word[0], "24")) {
		struct kind k24 = {24, k.class};

		product = (uwide)(number(in[0], k24) * number(in[1], k24));
		if (says(sp, "sat"))
			return saturate(((wide)product >> 16) + number(in[2], k), k);
		return (uint64_t)(says(sp, "hi") ? product >> 16 : product) + (adds ? in[2] : 0);
	}
	product = (uwide)a * (uwide)b;
	high = k.class == 's' ? (wide)product >> k.bits : (wide)(product >> k.bits);
	if (says(sp, "sat"))
		return saturate(high + number(in[2], k), k);
	if (says(sp, "hi"))
		return (uint64_t)high + (adds ? in[2] : 0);
	if (says(sp, "wide"))
		return (uint64_t)product + (adds ? keep(in[2], twice.bits) : 0);
	return (uint64_t)product + (adds ? in[2] : 0);
}

static inline uint64_t divide(const char *op, struct kind k, const uint64_t *in)
{
	wide a = number(in[0], k), b = number(in[1], k);

	if (b == 0)
		return UINT64_MAX;
	return (uint64_t)(op[0] == 'd' ? a / b : a % b);
}

static inline uint64_t bit_mask(const struct spelled *sp, const uint64_t *in)
{
	uint64_t a = keep(in[0], 32), b = keep(in[1], 32);

	if (says(sp, "wrap"))
		return keep(keep(UINT64_MAX, b & 31) << (a & 31), 32);
	return a >= 32 ? 0 : keep(UINT64_MAX, b > 32 ? 32 : (unsigned)b) << a;
}

static inline uint64_t reference_int(const struct spelled *sp, struct kind k, const uint64_t *in)
{
	const char *op = sp->word[0];
	wide a = number(in[0], k), b = number(in[1], k), c = number(in[2], k);

#define IS(name) (strcmp(op, name) == 0)
	if (IS("add"))
		return says(sp, "sat") ? saturate(a + b, k) : (uint64_t)(a + b);
	if (IS("sub"))
		return says(sp, "sat") ? saturate(a - b, k) : (uint64_t)(a - b);
	if (strncmp(op, "mul", 3) == 0 || strncmp(op, "mad", 3) == 0)
		return multiply(sp, k, in);
	if (IS("div") || IS("rem"))
		return divide(op, k, in);
	if (IS("abs"))
		return (uint64_t)(a < 0 ? -a : a);
	if (IS("neg"))
		return (uint64_t)-a;
	if (IS("min"))
		return (uint64_t)(a < b ? a : b);
	if (IS("max"))
		return (uint64_t)(a > b ? a : b);
	if (IS("sad"))
		return (uint64_t)(c + (a < b ? b - a : a - b));
	if (IS("popc") || IS("clz") || IS("brev"))
		return count_up(op, k, in[0]);
	if (IS("bfe") || IS("bfi"))
		return bit_field(op, k, in);
	if (IS("bfind"))
		return find_bit(k, in[0], says(sp, "shiftamt"));
	if (IS("bmsk"))
		return bit_mask(sp, in);
	if (IS("and"))
		return in[0] & in[1];
	if (IS("or"))
		return in[0] | in[1];
	if (IS("xor"))
		return in[0] ^ in[1];
	if (IS("not"))
		return ~in[0];
	if (IS("cnot"))
		return keep(in[0], k.bits) == 0;
	if (IS("lop3"))
		return truth_table(in);
	if (IS("shl") || IS("shr"))
		return shift(op, k, in);
	if (IS("shf"))
		return funnel(sp, in);
	if (IS("prmt"))
		return permute(sp, in);
	abort();
}

/* ---- floating point */

static inline uint64_t finish32(float f, const struct spelled *sp)
{
	uint64_t raw = raw32(f);

	if (f != f)
		return says(sp, "sat") ? 0 : 0x7fffffff;
	if (says(sp, "ftz") && (raw & 0x7f800000) == 0)
		raw &= 0x80000000;
	if (says(sp, "sat"))
		return f <= 0 || (raw & 0x7fffffff) == 0 ? 0 : f > 1 ? raw32(1) : raw;
	return raw;
}

static inline uint64_t finish64(double f)
{
	return f != f ? UINT64_C(0xfff8000000000000) : raw64(f);
}

static inline uint64_t flush32(uint64_t raw, const struct spelled *sp)
{
	return says(sp, "ftz") && (raw & 0x7f800000) == 0 ? raw & 0x80000000 : raw;
}

static inline int direction(const struct spelled *sp)
{
	return says(sp, "rz")   ? FE_TOWARDZERO
	       : says(sp, "rm") ? FE_DOWNWARD
	       : says(sp, "rp") ? FE_UPWARD
				: FE_TONEAREST;
}

/* min and max: a NaN is ignored unless there is .NaN; -0 is less than +0. */
static inline int pick(double a, double b, bool least, bool nan_wins)
{
	if (a != a && b != b)
		return -1;
	if (a != a || b != b)
		return nan_wins ? -1 : a != a;
	if (a == b)
		return (signbit(a) != 0) == least ? 0 : 1;
	return (a < b) == least ? 0 : 1;
}

/* PTX ISA, div.approx: divisors between 2^126 and infinity give zeros, and NaN for infinities. */
static inline float divide_roughly(volatile float a, volatile float b)
{
	if (fabsf(b) <= 0x1p126f || !isfinite(b))
		return a / b;
	if (!isfinite(a))
		return NAN;
	return signbit(a) != signbit(b) ? -0.0f : 0.0f;
}

static inline float compute32(const char *op, volatile float a, volatile float b, volatile float c)
{
	if (IS("add"))
		return a + b;
	if (IS("sub"))
		return a - b;
	if (IS("mul"))
		return a * b;
	if (IS("fma") || IS("mad"))
		return fmaf(a, b, c);
	if (IS("div"))
		return a / b;
	if (IS("rcp"))
		return 1.0f / a;
	if (IS("sqrt"))
		return sqrtf(a);
	if (IS("tanh"))
		return (float)tanh((double)a);
	if (IS("rsqrt"))
		return (float)(1.0 / sqrt((double)a));
	if (IS("ex2"))
		return (float)exp2((double)a);
	if (IS("lg2"))
		return (float)log2((double)a);
	if (IS("sin"))
		return (float)sin((double)a);
	if (IS("cos"))
		return (float)cos((double)a);
	abort();
}

static inline double compute64(
	const char *op, volatile double a, volatile double b, volatile double c)
{
	if (IS("add"))
		return a + b;
	if (IS("sub"))
		return a - b;
	if (IS("mul"))
		return a * b;
	if (IS("fma") || IS("mad"))
		return fma(a, b, c);
	if (IS("div"))
		return a / b;
	if (IS("rcp"))
		return 1.0 / a;
	if (IS("sqrt"))
		return sqrt(a);
	if (IS("rsqrt"))
		return 1.0 / sqrt(a);
	abort();
}

/* min and max of two or, as %min3 and %max3, three. */
static inline uint64_t pick32(const struct spelled *sp, const uint64_t *in)
{
	uint64_t magnitude = says(sp, "abs") ? 0x7fffffff : 0xffffffff;
	uint64_t signs = says(sp, "xorsign") ? (in[0] ^ in[1]) & 0x80000000 : 0;
	uint64_t best = in[0] & magnitude;
	bool three = sp->word[0][0] == '%', least = strstr(sp->word[0], "min") != NULL;
	unsigned i;

	for (i = 1; i < (three ? 3 : 2); i++) {
		uint64_t next = in[i] & magnitude;
		int which =
			pick((double)f32_of(best), (double)f32_of(next), least, says(sp, "NaN"));

		best = which < 0 ? 0x7fffffff : which ? next : best;
	}
	return keep(best, 31) > 0x7f800000 ? best : best | signs;
}

static inline uint64_t reference_f32(const struct spelled *sp, const uint64_t *raw)
{
	const char *op = sp->word[0];
	uint64_t in[3] = {flush32(raw[0], sp), flush32(raw[1], sp), flush32(raw[2], sp)};
	int before = fegetround();
	volatile float f;

	if (IS("abs"))
		return in[0] & 0x7fffffff;
	if (IS("neg"))
		return in[0] ^ 0x80000000;
	if (IS("copysign"))
		return (in[0] & 0x80000000) | (in[1] & 0x7fffffff);
	if (strncmp(op, "min", 3) == 0 || strncmp(op, "max", 3) == 0 || op[0] == '%')
		return pick32(sp, in);
	fesetround(direction(sp));
	f = IS("div") && says(sp, "approx")
		    ? divide_roughly(f32_of(in[0]), f32_of(in[1]))
		    : compute32(op, f32_of(in[0]), f32_of(in[1]), f32_of(in[2]));
	fesetround(before);
	return finish32(f, sp);
}

static inline uint64_t reference_f64(const struct spelled *sp, const uint64_t *raw)
{
	const char *op = sp->word[0];
	uint64_t in[3] = {raw[0], raw[1], raw[2]}, sign = UINT64_C(1) << 63;
	int which, before = fegetround();
	volatile double f;

	if (IS("abs"))
		return in[0] & ~sign;
	if (IS("neg"))
		return in[0] ^ sign;
	if (IS("copysign"))
		return (in[0] & sign) | (in[1] & ~sign);
	if (IS("min") || IS("max")) {
		which = pick(f64_of(in[0]), f64_of(in[1]), IS("min"), false);
		return which < 0 ? UINT64_C(0xfff8000000000000) : in[which];
	}
	if (says(sp, "ftz"))
		in[0] &= 0xffffffff00000000;
	if (says(sp, "ftz") && fpclassify(f64_of(in[0])) == FP_SUBNORMAL)
		in[0] &= sign;
	fesetround(direction(sp));
	f = compute64(op, f64_of(in[0]), f64_of(in[1]), f64_of(in[2]));
	fesetround(before);
	if (f != f && says(sp, "ftz"))
		return 0x7fffffff00000000;
	if (says(sp, "ftz"))
		return finish64(fpclassify(f) == FP_SUBNORMAL ? copysign(0, f) : f) &
		       0xffffffff00000000;
	return finish64(f);
}
#undef IS

#endif
