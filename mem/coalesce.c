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

/* Adds an element of 1 << shift bytes of a lane. */
static inline void add_element(struct gathered *g, unsigned lane, unsigned at, unsigned shift)
{
	unsigned element = at >> shift;
	uint64_t bit = UINT64_C(1) << (element % 64);
	uint64_t seen = element < 64 ? g->seen[0] : g->seen[1];

	g->lanes |= 1u << lane;
	g->granules |= 1u << at / GRANULE_BYTES;
	g->bytes += seen & bit ? 0 : 1u << shift;
	if (element < 64)
		g->seen[0] |= bit;
	else
		g->seen[1] |= bit;
}

/* A lane has elements in `elements` lines, one behind the other. */
static unsigned coalesce_lanes(
	const struct access *a, unsigned shift, unsigned elements, struct line_access *out)
{
	struct lines ls;
	struct gathered now = {.line = UINT64_MAX};

	ls.n = 0;
	memset(ls.slot, FREE, sizeof(ls.slot));
	for (uint32_t m = a->mask; m; m &= m - 1) {
		unsigned lane = low_bit(m);
		uint64_t addr = a->addr[lane];

		BUG_ON(addr & ((1u << shift) - 1));
		for (unsigned k = 0; k < elements; k++, addr += LINE_BYTES) {
			uint64_t line = addr & ~(uint64_t)(LINE_BYTES - 1);

			if (line != now.line)
				now = change_line(&ls, now, line);
			add_element(&now, lane, addr % LINE_BYTES, shift);
		}
	}
	ls.line[now.at] = now;
	for (unsigned i = 0; i < ls.n; i++)
		out[i] = (struct line_access){.line = ls.line[i].line,
			.lanes = ls.line[i].lanes,
			.granules = (uint8_t)ls.line[i].granules,
			.bytes = (uint8_t)ls.line[i].bytes};
	return ls.n;
}

/* Bits low .. high - 1, of at most 32. */
static inline uint32_t bit_range(unsigned low, unsigned high)
{
	return (uint32_t)((UINT64_C(1) << high) - (UINT64_C(1) << low));
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
			.lanes = bit_range((unsigned)(low - start) >> shift,
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
