/* The lane operations of ptx/isa/lanes.def, compiled once for each instruction-set level:
 * LANES_LEVEL is baseline, x86_64_v3, x86_64_v4 or arm64. Their semantics require the compiler
 * option -ffp-contract=off. */
#include "ptx/isa/lanes.h"

#include "ptx/exec/lanes_address.h"
#include "ptx/exec/lanes_each.h"
#include "ptx/exec/lanes_half.h"
#include "ptx/exec/lanes_int.h"
#include "ptx/exec/lanes_narrow.h"
#include "ptx/exec/lanes_value.h"

#include <fenv.h>

#ifndef LANES_LEVEL
#define LANES_LEVEL baseline
#endif

/* ---- partial warps: the operation computes all lanes into temporaries, then the active ones are
 * copied */

static __attribute__((noinline)) void partial(
	lane_fn *fn, unsigned words, uint32_t *d, const uint32_t *const *s, uint32_t mask)
{
	_Alignas(64) uint32_t t[2 * WARP_LANES];
	uint32_t *const to[] = {t, t + WARP_LANES};
	unsigned w;

	fn(to, s, FULL_MASK);
	for (w = 0; w < words; w++)
		blend(d + w * WARP_LANES, t + w * WARP_LANES, mask);
}

/* ---- forms of operations */

#define KERNEL(id) \
	static void kernel_##id(uint32_t *const *d, const uint32_t *const *s, uint32_t mask)

#define PARTIAL(id, D) \
	if (mask != FULL_MASK) { \
		partial(kernel_##id, WORDS(D), d[0], s, mask); \
		return; \
	}

#define UN(id, D, A, expression) \
	KERNEL(id) \
	{ \
		uint32_t *to = d[0]; \
		const uint32_t *from = s[0]; \
\
		PARTIAL(id, D) \
		FOR_LANES(i) \
		{ \
			TYPE_##A a = LOAD_##A(from, i); \
			STORE_##D(to, i, expression); \
		} \
	}

#define BI(id, D, A, B, expression) \
	KERNEL(id) \
	{ \
		uint32_t *to = d[0]; \
		const uint32_t *from = s[0], *by = s[1]; \
\
		PARTIAL(id, D) \
		FOR_LANES(i) \
		{ \
			TYPE_##A a = LOAD_##A(from, i); \
			TYPE_##B b = LOAD_##B(by, i); \
			STORE_##D(to, i, expression); \
		} \
	}

#define TRI(id, D, A, B, C, expression) \
	KERNEL(id) \
	{ \
		uint32_t *to = d[0]; \
		const uint32_t *from = s[0], *by = s[1], *with = s[2]; \
\
		PARTIAL(id, D) \
		FOR_LANES(i) \
		{ \
			TYPE_##A a = LOAD_##A(from, i); \
			TYPE_##B b = LOAD_##B(by, i); \
			TYPE_##C c = LOAD_##C(with, i); \
			STORE_##D(to, i, expression); \
		} \
	}

#define QUAD(id, D, A, B, C, E, expression) \
	KERNEL(id) \
	{ \
		uint32_t *to = d[0]; \
		const uint32_t *from = s[0], *by = s[1], *with = s[2], *and = s[3]; \
\
		PARTIAL(id, D) \
		FOR_LANES(i) \
		{ \
			TYPE_##A a = LOAD_##A(from, i); \
			TYPE_##B b = LOAD_##B(by, i); \
			TYPE_##C c = LOAD_##C(with, i); \
			TYPE_##E e = LOAD_##E(and, i); \
			STORE_##D(to, i, expression); \
		} \
	}

#define LOGIC(id, expression) \
	KERNEL(id) \
	{ \
		uint32_t a = *s[0], b = *s[1]; \
\
		(void)b; \
		merge(d[0], expression, mask); \
	}

#define TEST(id, A, condition) \
	KERNEL(id) \
	{ \
		const uint32_t *from = s[0]; \
		uint32_t r = 0; \
\
		FOR_LANES(i) \
		{ \
			TYPE_##A a = LOAD_##A(from, i); \
			r |= (condition) ? bit[i] : 0; \
		} \
		merge(d[0], r, mask); \
	}

#define SETP(id, T, condition) \
	static __attribute__((noinline)) uint32_t compare_##id(const uint32_t *const *s) \
	{ \
		const uint32_t *from = s[0], *by = s[1]; \
		uint32_t r = 0; \
\
		FOR_LANES(i) \
		{ \
			TYPE_##T a = LOAD_##T(from, i); \
			TYPE_##T b = LOAD_##T(by, i); \
			r |= (condition) ? bit[i] : 0; \
		} \
		return r; \
	} \
	KERNEL(setp_##id) \
	{ \
		uint32_t r = compare_##id(s); \
\
		merge(d[0], r, mask); \
		merge(d[1], ~r, mask); \
	}

/* p = comparison op c, q = !comparison op c. */
#define SETPB(id, comparison, join) \
	KERNEL(setp_##id) \
	{ \
		uint32_t r = compare_##comparison(s), c = *s[2]; \
\
		merge(d[0], join, mask); \
		r = ~r; \
		merge(d[1], join, mask); \
	}

static void set_words(uint32_t *to, uint32_t low, uint32_t high, uint32_t word, uint32_t mask)
{
	FOR_LANES(i)
	{
		uint32_t v = (low & bit[i] ? word : 0) | (high & bit[i] ? word << 16 : 0);

		to[i] = mask & bit[i] ? v : to[i];
	}
}

#define SET(id, comparison, word) \
	KERNEL(set_##id) \
	{ \
		set_words(d[0], compare_##comparison(s), 0, word, mask); \
	}

#define SETB(id, comparison, join, word) \
	KERNEL(set_##id) \
	{ \
		uint32_t r = compare_##comparison(s), c = *s[2]; \
\
		set_words(d[0], join, 0, word, mask); \
	}

/* Compares both halves of a word: bits of the low halves below, those of the high ones above. */
#define TWICE(id, T, condition) \
	static __attribute__((noinline)) uint64_t compare_##id(const uint32_t *const *s) \
	{ \
		const uint32_t *from = s[0], *by = s[1]; \
		uint32_t low = 0, high = 0; \
\
		FOR_LANES(i) \
		{ \
			TYPE_##T a = LOAD_##T(from, i); \
			TYPE_##T b = LOAD_##T(by, i); \
			low |= (condition) ? bit[i] : 0; \
		} \
		FOR_LANES(i) \
		{ \
			TYPE_##T a = LOAD_##T##_high(from, i); \
			TYPE_##T b = LOAD_##T##_high(by, i); \
			high |= (condition) ? bit[i] : 0; \
		} \
		return low | (uint64_t)high << 32; \
	} \
	KERNEL(setp_##id) \
	{ \
		uint64_t r = compare_##id(s); \
\
		merge(d[0], (uint32_t)r, mask); \
		merge(d[1], (uint32_t)(r >> 32), mask); \
	}

#define TWICEB(id, comparison, join) \
	KERNEL(setp_##id) \
	{ \
		uint64_t both = compare_##comparison(s); \
		uint32_t r = (uint32_t)both, c = *s[2]; \
\
		merge(d[0], join, mask); \
		r = (uint32_t)(both >> 32); \
		merge(d[1], join, mask); \
	}

#define SET2(id, comparison, word) \
	KERNEL(set_##id) \
	{ \
		uint64_t r = compare_##comparison(s); \
\
		set_words(d[0], (uint32_t)r, (uint32_t)(r >> 32), word, mask); \
	}

#define SETB2(id, comparison, join, word) \
	KERNEL(set_##id) \
	{ \
		uint64_t both = compare_##comparison(s); \
		uint32_t r = (uint32_t)both, c = *s[2], low = join; \
\
		r = (uint32_t)(both >> 32); \
		set_words(d[0], low, join, word, mask); \
	}

#define SELECT(id, T) \
	KERNEL(id) \
	{ \
		uint32_t *to = d[0]; \
		const uint32_t *from = s[0], *by = s[1]; \
		uint32_t c = *s[2]; \
\
		PARTIAL(id, T) \
		FOR_LANES(i) \
		{ \
			TYPE_##T a = LOAD_##T(from, i); \
			TYPE_##T b = LOAD_##T(by, i); \
			STORE_##T(to, i, c &bit[i] ? a : b); \
		} \
	}

#define ROUNDED(id, nearest, direction) \
	KERNEL(id) \
	{ \
		directed(kernel_##nearest, direction, d, s, mask); \
	}

static __attribute__((noinline)) void directed(
	lane_fn *fn, int direction, uint32_t *const *d, const uint32_t *const *s, uint32_t mask)
{
	int before = fegetround();

	fesetround(direction);
	fn(d, s, mask);
	fesetround(before);
}

/* Angles too large for the short reduction are computed again, lane by lane. */
#define TRIG(id, shift, flush) \
	KERNEL(id) \
	{ \
		uint32_t *to = d[0]; \
		const uint32_t *from = s[0]; \
		uint32_t angle[WARP_LANES], far = 0; \
\
		PARTIAL(id, f32) \
		FOR_LANES(i) \
		{ \
			float a = LOAD_f32(from, i); \
			a = flush ? ftz32(a) : a; \
			angle[i] = bits32(a); \
			far |= (a < TRIG_NEAR && a > -TRIG_NEAR) ? 0 : bit[i]; \
			STORE_f32(to, i, trig_near(a, shift)); \
		} \
		for (; far; far &= far - 1) { \
			unsigned i = (unsigned)__builtin_ctz(far); \
			STORE_f32(to, i, trig_far(float_of(angle[i]), shift)); \
		} \
		if (flush) \
			FOR_LANES(i) \
		STORE_f32(to, i, LOAD_z32(to, i)); \
	}

/* d[1] is the carry out; the carry in follows the other sources. */
#define CARRIED(id, T, third, source, expression) \
	KERNEL(id) \
	{ \
		_Alignas(64) uint32_t t[2 * WARP_LANES]; \
		const uint32_t *from = s[0], *by = s[1], *with = s[third]; \
		uint32_t in = source ? *s[source] : 0, out = 0; \
\
		FOR_LANES(i) \
		{ \
			TYPE_##T a = LOAD_##T(from, i); \
			TYPE_##T b = LOAD_##T(by, i); \
			TYPE_##T c = LOAD_##T(with, i); \
			uint32_t carry_in = in & bit[i] ? 1 : 0, carry; \
\
			(void)c; \
			(void)carry_in; \
			STORE_##T(t, i, expression); \
			out |= carry ? bit[i] : 0; \
		} \
		for (unsigned w = 0; w < WORDS(T); w++) \
			blend(d[0] + w * WARP_LANES, t + w * WARP_LANES, mask); \
		merge(d[1], out, mask); \
	}
#define CARRY(id, T, expression) CARRIED(id, T, 1, 2, expression)
#define CARRY3(id, T, source, expression) CARRIED(id, T, 2, source, expression)

#define OWN(id)

/* lop3 whose result, compared with zero, is combined with predicate s[4]; d[1] is the new
 * predicate. */
static void lop3_joined(uint32_t *const *d, const uint32_t *const *s, uint32_t mask, bool is_or)
{
	const uint32_t *a = s[0], *b = s[1], *c = s[2], *table = s[3];
	uint32_t *to = d[0], joined = *s[4], set = 0;

	FOR_LANES(i)
	{
		uint32_t v = lop3(a[i], b[i], c[i], table[i]);

		set |= v ? bit[i] : 0;
		to[i] = mask & bit[i] ? v : to[i];
	}
	merge(d[1], is_or ? set | joined : set & joined, mask);
}

KERNEL(lop3_or_b32)
{
	lop3_joined(d, s, mask, true);
}

KERNEL(lop3_and_b32)
{
	lop3_joined(d, s, mask, false);
}

/* Unpacks a register: each part has its own destination, which may be a sink. */
static void unpack(
	uint32_t *const *d, unsigned parts, unsigned bits, const uint32_t *from, uint32_t mask)
{
	uint32_t held[2 * WARP_LANES];
	unsigned k, words = parts * bits > 32 ? 2 : 1;

	memcpy(held, from, words * WARP_LANES * sizeof(held[0]));
	for (k = 0; k < parts; k++) {
		const uint32_t *plane = held + (k * bits / 32) * WARP_LANES;
		unsigned shift = k * bits % 32;
		uint32_t keep = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
		uint32_t *to = d[k];

		FOR_LANES(i)
		to[i] = mask & bit[i] ? plane[i] >> shift & keep : to[i];
	}
}

#define UNPACK(id, parts, bits) \
	KERNEL(id) \
	{ \
		unpack(d, parts, bits, s[0], mask); \
	}
UNPACK(unpack_v2_b64, 2, 32)
UNPACK(unpack_v2_b32, 2, 16)
UNPACK(unpack_v2_b16, 2, 8)
UNPACK(unpack_v4_b64, 4, 16)
UNPACK(unpack_v4_b32, 4, 8)

#include "ptx/isa/lanes.def"

#define TABLE_OF_EXPANDED(level) lanes_##level
#define TABLE_OF(level) TABLE_OF_EXPANDED(level)
#define SPELLED_EXPANDED(level) #level
#define SPELLED(level) SPELLED_EXPANDED(level)

#define UN(id, ...) [LANE_##id] = kernel_##id,
#define BI(id, ...) [LANE_##id] = kernel_##id,
#define TRI(id, ...) [LANE_##id] = kernel_##id,
#define QUAD(id, ...) [LANE_##id] = kernel_##id,
#define LOGIC(id, ...) [LANE_##id] = kernel_##id,
#define TEST(id, ...) [LANE_##id] = kernel_##id,
#define SETP(id, ...) [LANE_setp_##id] = kernel_setp_##id,
#define SETPB(id, ...) [LANE_setp_##id] = kernel_setp_##id,
#define SET(id, ...) [LANE_set_##id] = kernel_set_##id,
#define SETB(id, ...) [LANE_set_##id] = kernel_set_##id,
#define TWICE(id, ...) [LANE_setp_##id] = kernel_setp_##id,
#define TWICEB(id, ...) [LANE_setp_##id] = kernel_setp_##id,
#define SET2(id, ...) [LANE_set_##id] = kernel_set_##id,
#define SETB2(id, ...) [LANE_set_##id] = kernel_set_##id,
#define SELECT(id, ...) [LANE_##id] = kernel_##id,
#define CARRY(id, ...) [LANE_##id] = kernel_##id,
#define CARRY3(id, ...) [LANE_##id] = kernel_##id,
#define ROUNDED(id, ...) [LANE_##id] = kernel_##id,
#define TRIG(id, ...) [LANE_##id] = kernel_##id,
#define OWN(id) [LANE_##id] = kernel_##id,
extern const struct lanes TABLE_OF(LANES_LEVEL);
const struct lanes TABLE_OF(LANES_LEVEL) = {
	.name = SPELLED(LANES_LEVEL),
	.address = addresses,
	.spread = spread,
	.fill = fill,
	.fn =
		{
#include "ptx/isa/lanes.def"
		},
};
