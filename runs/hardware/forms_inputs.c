/* Operands of forms: edges of their types, then random ones. */
#include "core/base.h"
#include "core/rng.h"
#include "runs/hardware/forms.h"

#include <string.h>

/* Edges by width: those of numbers, then those of whole ones. */
static const uint16_t halves[] = {0, 0x8000, 0x3c00, 0xbc00, 1, 0x8001, 0x3ff, 0x400, 0x7bff,
	0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x3800, 0x4100, 0x4248};
static const uint16_t brains[] = {0, 0x8000, 0x3f80, 0xbf80, 1, 0x8001, 0x7f, 0x80, 0x7f7f, 0xff7f,
	0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x3f00, 0x4020, 0x4049};
static const uint32_t floats[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 1, 0x80000001, 0x7fffff,
	0x800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
	0x7f800001, 0xffc12345, 0x3f000000, 0x3fc00000, 0x40200000, 0x4f000000, 0xcf000000,
	0x5f000000, 0x40490fdb, 0x477fe000, 0x477ff000, 0x33000000, 0x3f7fffff, 0x3f800001};
static const uint64_t doubles[] = {0, UINT64_C(1) << 63, 0x3ff0000000000000, 0xbff0000000000000, 1,
	0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
	0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
	0x7ff0000000000001, 0xfff8123456789abc, 0x3fe0000000000000, 0x3ff8000000000000,
	0x4004000000000000, 0x41e0000000000000, 0x43e0000000000000, 0x47efffffefffffff,
	0x47efffffe0000000, 0x36a0000000000000, 0x3690000000000000, 0x3ff0000010000000,
	0x400921fb54442d18};
static const uint64_t wholes[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff,
	0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff,
	UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX - 1, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa};

static uint64_t edge(enum ptx_type type, unsigned i)
{
	switch (type) {
	case T_F16:
		return halves[i % ARRAY_LEN(halves)];
	case T_BF16:
		return brains[i % ARRAY_LEN(brains)];
	case T_F16X2:
		return halves[i % ARRAY_LEN(halves)] |
		       (uint64_t)halves[(i / 2 + 5) % ARRAY_LEN(halves)] << 16;
	case T_BF16X2:
		return brains[i % ARRAY_LEN(brains)] |
		       (uint64_t)brains[(i / 2 + 5) % ARRAY_LEN(brains)] << 16;
	case T_F32:
		return floats[i % ARRAY_LEN(floats)];
	case T_F64:
		return doubles[i % ARRAY_LEN(doubles)];
	default:
		return wholes[i % ARRAY_LEN(wholes)];
	}
}

/* Of moderate size: small whole numbers, numbers from 2^-8 to 2^8. */
static uint64_t moderate(enum ptx_type type, struct rng *r)
{
	uint64_t v = rng_u64(r);

	switch (type) {
	case T_F16:
		return (v & 0x83ff) | (uint64_t)(7 + rng_below(r, 16)) << 10;
	case T_BF16:
		return (v & 0x807f) | (uint64_t)(119 + rng_below(r, 16)) << 7;
	case T_F16X2:
		return (v & 0x83ff83ff) | (uint64_t)(7 + rng_below(r, 16)) << 10 |
		       (uint64_t)(7 + rng_below(r, 16)) << 26;
	case T_BF16X2:
		return (v & 0x807f807f) | (uint64_t)(119 + rng_below(r, 16)) << 7 |
		       (uint64_t)(119 + rng_below(r, 16)) << 23;
	case T_F32:
		return (v & 0x807fffff) | (uint64_t)(119 + rng_below(r, 16)) << 23;
	case T_F64:
		return (v & 0x800fffffffffffff) | (uint64_t)(1015 + rng_below(r, 16)) << 52;
	default:
		return v & 1 ? (v >> 1) % 100 : (uint64_t)0 - (v >> 1) % 100;
	}
}

/* Element of thread t: pairs of edges, of operands 0 and 1 of the sources, come first. */
static uint64_t value(enum ptx_type type, unsigned t, unsigned source, struct rng *r)
{
	static const unsigned edges = ARRAY_LEN(floats); /* the longest list */
	unsigned kind = rng_below(r, 3);

	if (source < 2 && t < edges * edges / 2)
		return edge(type, source ? t / edges * 2 + ((t + t / edges) & 1) : t % edges);
	if (!kind)
		return edge(type, rng_below(r, edges));
	return kind == 1 ? moderate(type, r) : rng_u64(r);
}

static void put(unsigned char *to, uint64_t v, uint64_t high, unsigned bytes)
{
	memcpy(to, &v, bytes < 8 ? bytes : 8);
	if (bytes > 8)
		memcpy(to + 8, &high, bytes - 8);
}

/* Elements from `at` on, each of the type; a predicate is the lowest bit of a word. */
static void fill_elements(unsigned char *at, enum ptx_type type, unsigned n, unsigned t,
	unsigned source, struct rng *r)
{
	unsigned bytes = ptx_type_bytes(type) ? ptx_type_bytes(type) : 4;

	for (unsigned k = 0; k < n && (k + 1) * bytes <= 32; k++)
		put(at + k * bytes, value(type, t + k, source, r), rng_u64(r), bytes);
}

static bool has_value(const struct form_operand *o)
{
	return o->role == ROLE_VALUE || o->role == ROLE_PRED || o->role == ROLE_VECTOR;
}

static void fill_thread(const struct form_match *m, unsigned t, struct rng *r, unsigned char *in)
{
	unsigned source = 0;

	for (unsigned at = 0; at < 256; at += 8)
		put(in + at, rng_u64(r), 0, 8);
	for (unsigned i = 0; i < m->noperands; i++) {
		const struct form_operand *o = &m->operand[i];

		if (o->is_dst || !has_value(o))
			continue;
		fill_elements(
			in + 32 * i, (enum ptx_type)o->type, form_values(m, i), t, source++, r);
	}
	if (m->unit == UNIT_MEMORY)
		fill_elements(in + 128, (enum ptx_type)m->mem_type, 32, t, source ? 1 : 0, r);
}

void forms_operands(const struct form_match *m, uint64_t seed, unsigned ctas, unsigned char *out)
{
	struct rng r = rng_new(seed, 0);

	for (unsigned t = 0; t < ctas * FORM_THREADS; t++)
		fill_thread(m, t, &r, out + (size_t)256 * t);
}
