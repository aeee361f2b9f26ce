/* Coalescing of a warp access into lines and 16-byte granules. */
#include "mem/coalesce.h"

#include <string.h>

#define SLOTS 256u /* twice the lines: short probes */
#define FREE 0xff  /* no line's index */

/* The line at hand, in registers. Elements are aligned and of one size, so that each is entirely
 * new to its line or entirely known; a line has at most 128. */
struct gathered {
	uint64_t line;
	uint64_t seen[2];
	uint32_t lanes, granules, bytes;
	unsigned at; /* its index among the lines */
};

/* Lines met so far: a hash by line. */
struct lines {
	unsigned n;
	uint8_t slot[SLOTS];
	struct gathered line[COALESCE_MAX];
};

/* The line's index; a new line, whose index is the number so far, is only entered. */
static inline unsigned find_line(struct lines *ls, uint64_t line)
{
	unsigned at = (unsigned)((line / LINE_BYTES * UINT64_C(0x9e3779b97f4a7c15)) >> 56);

	for (; ls->slot[at] != FREE; at = (at + 1) % SLOTS)
		if (ls->line[ls->slot[at]].line == line)
			return ls->slot[at];
	ls->slot[at] = (uint8_t)ls->n;
	return ls->n;
}

/* Puts the line at hand away and takes up another. */
static inline struct gathered change_line(struct lines *ls, struct gathered now, uint64_t line)
{
	unsigned i;

	if (ls->n)
		ls->line[now.at] = now;
	i = find_line(ls, line);
	if (i < ls->n)
		return ls->line[i];
	ls->n++;
	return (struct gathered){.line = line, .at = i};
}

/* The line at hand, which is now the address's. */
static inline struct gathered to_line(struct lines *ls, struct gathered now, uint64_t addr)
{
	uint64_t line = addr & ~(uint64_t)(LINE_BYTES - 1);

	return line == now.line ? now : change_line(ls, now, line);
}

/* Bits low .. high - 1, of at most 64 that start below 64. */
static inline uint64_t bit_range(unsigned low, unsigned high)
{
	return UINT64_MAX >> (64 - (high - low)) << low;
}

/* Adds n elements of 1 << shift bytes, one behind the other from `at` on: one of each lane from
 * `lane` on. They lie in one half of the elements that a line of bytes has. */
static inline void add_run(
	struct gathered *g, unsigned lane, unsigned n, unsigned at, unsigned shift)
{
	unsigned element = at >> shift, last = at + (n << shift) - 1;
	uint64_t bits = bit_range(element % 64, element % 64 + n);
	uint64_t *seen = &g->seen[element / 64];

	g->lanes |= (uint32_t)bit_range(lane, lane + n);
	g->granules |= (uint32_t)bit_range(at / GRANULE_BYTES, last / GRANULE_BYTES + 1);
	g->bytes += (*seen & bits ? count_bits(bits & ~*seen) : n) << shift;
	*seen |= bits;
}

/* True when the lane behind this one takes part and has the element behind, in the same line. */
static inline bool goes_on(const struct access *a, uint32_t left, unsigned lane, unsigned shift)
{
	uint64_t next = a->addr[lane] + (UINT64_C(1) << shift);

	return lane + 1 < WARP_LANES && left >> lane & 2 && a->addr[lane + 1] == next &&
	       next % (shift ? LINE_BYTES : 64);
}

/* How many lanes from this one on add_run may take together. */
static unsigned run_length(const struct access *a, uint32_t left, unsigned lane, unsigned shift)
{
	unsigned first = lane;

	while (goes_on(a, left, lane, shift))
		lane++;
	return lane - first + 1;
}

/* A lane has elements in `elements` lines, one behind the other. */
static unsigned coalesce_lanes(
	const struct access *a, unsigned shift, unsigned elements, struct line_access *out)
{
	struct lines ls;
	struct gathered now = {.line = UINT64_MAX};

	ls.n = 0;
	memset(ls.slot, FREE, sizeof(ls.slot));
	for (uint32_t m = a->mask; m;) {
		unsigned lane = low_bit(m), n = 1;
		uint64_t addr = a->addr[lane];

		BUG_ON(addr & ((1u << shift) - 1));
		if (elements == 1 && goes_on(a, m, lane, shift)) {
			n = run_length(a, m, lane, shift);
			now = to_line(&ls, now, addr);
			add_run(&now, lane, n, addr % LINE_BYTES, shift);
		} else {
			for (unsigned k = 0; k < elements; k++, addr += LINE_BYTES) {
				now = to_line(&ls, now, addr);
				add_run(&now, lane, 1, addr % LINE_BYTES, shift);
			}
		}
		m &= ~(uint32_t)bit_range(lane, lane + n);
	}
	ls.line[now.at] = now;
	for (unsigned i = 0; i < ls.n; i++)
		out[i] = (struct line_access){.line = ls.line[i].line,
			.lanes = ls.line[i].lanes,
			.granules = (uint8_t)ls.line[i].granules,
			.bytes = (uint8_t)ls.line[i].bytes};
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
	BUG_ON(a->bytes == 0 || a->bytes > 16 || (a->bytes & (a->bytes - 1)));
	shift = low_bit(a->bytes);
	if (a->space == SPACE_LOCAL && a->bytes > 4) {
		words = a->bytes / 4;
		return coalesce_lanes(a, 2, words, out);
	}
	if (a->contiguous)
		return coalesce_run(a, shift, out);
	return coalesce_lanes(a, shift, 1, out);
}
