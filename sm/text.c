/* Text that the SM's warps print, kept until the end of the window, when the chip takes it in the
 * order of (time, SM, order). */
#include "sm/state.h"

#include <string.h>

struct piece {
	uint64_t cycle;
	size_t n;
};

static bool write_text(void *ctx, const char *text, size_t n)
{
	struct sm *sm = ctx;
	struct sm_text *t = &sm->text;
	struct piece p = {sim_now(&sm->base) / sm->base.period_ps, n};

	if (t->used + sizeof(p) + n > SM_TEXT_BYTES)
		return false;
	memcpy(t->bytes + t->used, &p, sizeof(p));
	memcpy(t->bytes + t->used + sizeof(p), text, n);
	t->used += sizeof(p) + n;
	edge_request(&sm->base);
	return true;
}

void text_init(struct sm *sm, struct arena *arena)
{
	sm->text.bytes = arena_alloc(arena, SM_TEXT_BYTES, 1);
	sm->text.output = (struct exec_output){sm, write_text};
	sm->memory.output = &sm->text.output;
	sm->memory.notes = arena_alloc(arena, 1, sizeof(*sm->memory.notes));
}

const struct exec_notes *sm_notes(const struct component *c)
{
	return CONTAINER_OF(c, const struct sm, base)->memory.notes;
}

bool sm_text_peek(const struct component *c, uint64_t *cycle, const char **text, size_t *n)
{
	const struct sm_text *t = &CONTAINER_OF(c, struct sm, base)->text;
	struct piece p;

	if (t->taken == t->used)
		return false;
	memcpy(&p, t->bytes + t->taken, sizeof(p));
	*cycle = p.cycle;
	*text = t->bytes + t->taken + sizeof(p);
	*n = p.n;
	return true;
}

void sm_text_pop(struct component *c)
{
	struct sm_text *t = &CONTAINER_OF(c, struct sm, base)->text;
	struct piece p;

	BUG_ON(t->taken == t->used);
	memcpy(&p, t->bytes + t->taken, sizeof(p));
	t->taken += sizeof(p) + p.n;
	if (t->taken == t->used)
		t->taken = t->used = 0;
}
