/* The atomic unit of an L2 slice: a number of lanes per cycle, and one operation on the same word
 * every given number of cycles.
 *
 * An instruction's lanes enter together, in order of arrival, and occupy the unit for ceil(lanes /
 * atomics_per_cycle) cycles. They begin when all their words are free, and hold these for max(d *
 * atomic_address_cycles, that), d being the most lanes on one word: lanes of one instruction
 * conflict as those of different ones do. Later instructions overtake those that wait; only replies
 * keep their order. The unit tracks the held words of ATOMIC_LINES lines; an atomic on a further
 * line waits until one of them is free. */
#include "mem/slice_state.h"

/* The line's words, initialised if none was held. */
static struct atomic_line *find_line(struct atomic_unit *u, uint64_t line, uint64_t begin)
{
	struct atomic_line *found = &u->lines[0];

	for (unsigned i = 0; i < ATOMIC_LINES; i++) {
		struct atomic_line *l = &u->lines[i];

		if (l->line == line && l->until > begin)
			return l;
		if (l->until < found->until)
			found = l;
	}
	begin = max_u64(begin, found->until);
	found->line = line;
	for (unsigned w = 0; w < ARRAY_LEN(found->free); w++)
		found->free[w] = begin;
	return found;
}

/* The first cycle in which all of the words are free, from which on they are held for that time. */
static uint64_t hold_words(struct atomic_line *l, uint32_t words, uint64_t begin, uint64_t cycles)
{
	for (uint32_t m = words; m; m &= m - 1)
		begin = max_u64(begin, l->free[low_bit(m)]);
	for (uint32_t m = words; m; m &= m - 1)
		l->free[low_bit(m)] = begin + cycles;
	l->until = max_u64(l->until, begin + cycles);
	return begin;
}

/* Cycles, rounded up, except for the error of a product. */
static uint64_t whole(double cycles)
{
	uint64_t n = (uint64_t)cycles;

	return n + ((double)n + 1e-9 < cycles);
}

uint64_t slice_atomic(struct slice *s, const struct packet *p, uint64_t cycle)
{
	struct atomic_unit *u = &s->atomic_unit;
	uint64_t start = max_u64(cycle, u->free), begin = start, lanes = p->lanes ? p->lanes : 1;
	uint64_t turns = whole((double)lanes / s->p.atomics_per_cycle);
	uint64_t deepest = p->deepest ? p->deepest : 1, done;
	double each = s->p.atomic_address_cycles;

	if (each > 0 && p->words)
		begin = hold_words(find_line(u, p->line, start), p->words, start,
			max_u64(turns, whole((double)deepest * each)));
	done = begin + 1 + max_u64(turns - 1, whole((double)(deepest - 1) * each));
	u->free = start + turns;
	s->s.atomic_lanes += lanes;
	s->s.atomic_wait_cycles += start - cycle;
	s->s.atomic_conflict_cycles += done - start - turns;
	u->replied = max_u64(u->replied, done + s->p.atomic_cycles);
	return u->replied;
}
