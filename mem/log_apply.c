/* The window's edge: all SMs' logs are applied to the image in order of (cycle, SM, order). */
#include "mem/log_inside.h"

static void apply_atomic(const struct store_log *l, const struct log_entry *e)
{
	const struct log_atomic *op = &l->atomics[e->atomic];
	const unsigned char *a = l->data + e->data;

	atom_lane(&op->atom, e->host, a, op->has_b ? a + e->bytes : NULL, e->lane, op->dst);
}

/* Applies the log's next slice when it is of that cycle. Returns the cycle of the following slice.
 */
static uint64_t apply_cycle(struct store_log *l, uint64_t cycle)
{
	const struct log_slice *s = &l->slices[l->cursor];
	uint32_t end;

	if (l->cursor == l->nslices)
		return UINT64_MAX;
	if (s->cycle != cycle)
		return s->cycle;
	l->cursor++;
	end = l->cursor < l->nslices ? s[1].first : l->nentries + 1;
	for (uint32_t i = s->first; i < end; i++) {
		const struct log_entry *e = &l->entries[i];

		if (e->atomic)
			apply_atomic(l, e);
		else
			copy_warp(e->host, l->data + e->data, e->bytes);
	}
	return l->cursor < l->nslices ? s[1].cycle : UINT64_MAX;
}

static void empty_log(struct store_log *l)
{
	for (uint32_t i = 1; i <= l->nlines; i++)
		l->slots[l->lines[i].slot] = 0;
	memset(l->filter, 0, sizeof(l->filter));
	l->nentries = l->natomics = l->nlines = l->nslices = l->data_used = l->cursor = 0;
}

void log_apply(struct store_log *const *logs, unsigned n)
{
	uint64_t cycle = UINT64_MAX, next;

	for (unsigned i = 0; i < n; i++)
		if (logs[i] && logs[i]->nslices)
			cycle = min_u64(cycle, logs[i]->slices[0].cycle);
	for (; cycle != UINT64_MAX; cycle = next) {
		next = UINT64_MAX;
		for (unsigned i = 0; i < n; i++)
			if (logs[i])
				next = min_u64(next, apply_cycle(logs[i], cycle));
	}
	for (unsigned i = 0; i < n; i++)
		if (logs[i] && logs[i]->nentries)
			empty_log(logs[i]);
}
