/* Coalescing of a warp access into lines and 16-byte granules. */
#include "mem/coalesce.h"

#include <string.h>

#define SLOTS (2 * COALESCE_MAX) /* twice as many, so that probes are short */
#define FREE 0xffff              /* no line's index */

/* The access's lines so far: a hash by line. Elements are aligned and of one size, so that each is
 * entirely new to its line or entirely known; a line has at most 128. */
struct lines {
	unsigned n, bits; /* 1 << bits slots are in use */
	struct line_access *out;
	uint16_t slot[SLOTS];
	uint64_t seen[COALESCE_MAX][2]; /* elements of each line */
};

/* Starts without lines; there will be at most `each` for each lane. */
static void no_lines(struct lines *ls, unsigned each, struct line_access *out)
{
	ls->n = 0;
	ls->out = out;
	for (ls->bits = 6; 1u << ls->bits < 2 * each * WARP_LANES;)
		ls->bits++;
	memset(ls->slot, 0xff, sizeof(*ls->slot) << ls->bits);
}

/* The line's index; a new line is added. */
static inline unsigned find_line(struct lines *ls, uint64_t line)
{
	uint64_t hash = line / LINE_BYTES * UINT64_C(0x9e3779b97f4a7c15);
	unsigned at = (unsigned)(hash >> (64 - ls->bits)), n = ls->n;

	for (; ls->slot[at] != FREE; at = (at + 1) & ((1u << ls->bits) - 1))
		if (ls->out[ls->slot[at]].line == line)
			return ls->slot[at];
	ls->slot[at] = (uint16_t)n;
	ls->out[n] = (struct line_access){.line = line};
	ls->seen[n][0] = ls->seen[n][1] = 0;
	return ls->n++;
}

/* Bits low .. high - 1, of at most 64 that start below 64. */
static inline uint64_t bit_range(unsigned low, unsigned high)
{
	return UINT64_MAX >> (64 - (high - low)) << low;
}

/* Adds n elements of 1 << shift bytes, consecutive from `addr` on, which these lanes access. They
 * are in one half of the elements of a line of bytes. `last` is the index of the previous line;
 * returns the index of this one. */
static inline __attribute__((always_inline)) unsigned add_run(
	struct lines *ls, unsigned last, uint32_t lanes, unsigned n, uint64_t addr, unsigned shift)
{
	unsigned at = addr % LINE_BYTES, end = at + (n << shift) - 1, element = at >> shift;
	uint64_t line = addr - at, bits = bit_range(element % 64, element % 64 + n), *seen, fresh;
	unsigned i = ls->n && ls->out[last].line == line ? last : find_line(ls, line);
	struct line_access *l = &ls->out[i];

	seen = &ls->seen[i][element / 64];
	l->lanes |= lanes;
	l->granules |= (uint8_t)bit_range(at / GRANULE_BYTES, end / GRANULE_BYTES + 1);
	fresh = bits & ~*seen;
	if (fresh)
		l->bytes = (uint8_t)(l->bytes + ((fresh == bits ? n : count_bits(fresh)) << shift));
	*seen |= bits;
	return i;
}

/* True when the next lane is active and has the next element, in the same line. */
static inline bool continues(const uint64_t *addr, uint32_t left, unsigned lane, unsigned shift)
{
	uint64_t next = addr[lane] + (UINT64_C(1) << shift);

	return lane + 1 < WARP_LANES && left >> lane & 2 && addr[lane + 1] == next &&
	       next % (shift ? LINE_BYTES : 64);
}

/* How many lanes from this one on add_run may take together. */
static unsigned run_length(const uint64_t *addr, uint32_t left, unsigned lane, unsigned shift)
{
	unsigned first = lane;

	while (continues(addr, left, lane, shift))
		lane++;
	return lane - first + 1;
}

/* A lane has consecutive elements in `elements` lines. */
static unsigned coalesce_lanes(
	const struct access *a, unsigned shift, unsigned elements, struct line_access *out)
{
	struct lines ls;
	unsigned last = 0;

	no_lines(&ls, elements, out);
	for (uint32_t m = a->mask; m;) {
		unsigned lane = low_bit(m), n;
		uint64_t addr = a->addr[lane];

		BUG_ON(addr & ((1u << shift) - 1));
		if (elements == 1 && continues(a->addr, m, lane, shift)) {
			uint32_t lanes;

			n = run_length(a->addr, m, lane, shift);
			lanes = (uint32_t)bit_range(lane, lane + n);
			last = add_run(&ls, last, lanes, n, addr, shift);
			m &= ~lanes;
			continue;
		}
		for (unsigned k = 0; k < elements; k++, addr += LINE_BYTES)
			last = add_run(&ls, last, 1u << lane, 1, addr, shift);
		m &= m - 1;
	}
	return ls.n;
}

/* A row of half a warp, from `lane` on. */
static unsigned add_row(
	struct lines *ls, unsigned last, unsigned lane, uint64_t addr, unsigned shift)
{
	unsigned end = lane + HALF_LANES, unit = shift ? LINE_BYTES : 64;

	while (lane < end) {
		unsigned n = (unit - (unsigned)(addr % unit)) >> shift;

		n = n < end - lane ? n : end - lane;
		last = add_run(ls, last, (uint32_t)bit_range(lane, lane + n), n, addr, shift);
		addr += (uint64_t)n << shift;
		lane += n;
	}
	return last;
}

/* The halves of a warp: rows, or one element each. */
static unsigned coalesce_halves(const struct access *a, unsigned shift, struct line_access *out)
{
	static const uint32_t half = UINT32_MAX >> HALF_LANES;
	struct lines ls;
	unsigned last = 0;

	BUG_ON((a->addr[0] | a->addr[HALF_LANES]) & ((1u << shift) - 1));
	no_lines(&ls, 1, out);
	for (unsigned lane = 0; lane < WARP_LANES; lane += HALF_LANES)
		last = a->halves == HALVES_ROWS
			       ? add_row(&ls, last, lane, a->addr[lane], shift)
			       : add_run(&ls, last, half << lane, 1, a->addr[lane], shift);
	return ls.n;
}

static unsigned coalesce_run(const struct access *a, unsigned shift, struct line_access *out)
{
	uint64_t start = a->addr[0], end = start + ((uint64_t)WARP_LANES << shift);
	unsigned n = 0;

	BUG_ON(start & ((1u << shift) - 1));
	for (uint64_t low = start, high; low < end; low = high) {
		uint64_t line = low & ~(uint64_t)(LINE_BYTES - 1);
		unsigned at = (unsigned)(low - line);

		high = min_u64(end, line + LINE_BYTES);
		out[n++] = (struct line_access){.line = line,
			.lanes = (uint32_t)bit_range((unsigned)(low - start) >> shift,
				(unsigned)(high - start) >> shift),
			.granules = (uint8_t)bit_range(
				at / GRANULE_BYTES, (unsigned)div_up(high - line, GRANULE_BYTES)),
			.bytes = (uint8_t)(high - low)};
	}
	return n;
}

unsigned coalesce(const struct access *a, struct line_access out[COALESCE_MAX])
{
	unsigned shift, words;

	if (!a->mask)
		return 0;
	BUG_ON(a->bytes == 0 || a->bytes > LANE_BYTES_MAX || (a->bytes & (a->bytes - 1)));
	shift = low_bit(a->bytes);
	if (a->space == SPACE_LOCAL && a->bytes > 4) {
		words = a->bytes / 4;
		return coalesce_lanes(a, 2, words, out);
	}
	if (a->contiguous)
		return coalesce_run(a, shift, out);
	if (a->halves)
		return coalesce_halves(a, shift, out);
	return coalesce_lanes(a, shift, 1, out);
}

unsigned coalesce_texels(const struct texels *t, unsigned first, unsigned corners,
	struct line_access out[COALESCE_MAX])
{
	unsigned shift = low_bit(t->bytes), last = 0;
	struct lines ls;

	BUG_ON(corners * WARP_LANES > COALESCE_MAX);
	no_lines(&ls, corners, out);
	for (unsigned c = first; c < first + corners; c++)
		for (uint32_t m = t->mask[c]; m;) {
			unsigned lane = low_bit(m), n = run_length(t->addr[c], m, lane, shift);
			uint32_t lanes = (uint32_t)bit_range(lane, lane + n);

			last = add_run(&ls, last, lanes, n, t->addr[c][lane], shift);
			m &= ~lanes;
		}
	return ls.n;
}
