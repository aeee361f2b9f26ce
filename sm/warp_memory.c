/* Host memory for warps: laid out by what the resident program needs, so that a warp uses as few of
 * the host's lines and pages as possible. */
#include "core/state.h"
#include "sm/state.h"

#define LINE 64u

/* Bytes of a warp with that number of register planes, predicates and stack entries, in whole
 * lines. */
static size_t warp_memory_bytes(size_t planes, size_t preds, size_t stack)
{
	size_t small = (planes + preds) * sizeof(uint64_t) + preds * sizeof(uint32_t) +
		       stack * sizeof(struct frame);

	return div_up(small, LINE) * LINE + planes * WARP_LANES * sizeof(uint32_t);
}

static size_t most_bytes(void)
{
	return warp_memory_bytes(SM_REGS, SM_PREDS, SM_STACK_ENTRIES);
}

void warp_memory_init(struct sm *sm, struct arena *arena)
{
	sm->warp_memory.packed = arena_alloc(arena, sm->p.warps, most_bytes() / 4);
	sm->warp_memory.sparse = arena_alloc(arena, sm->p.warps, most_bytes());
}

/* Sets the addresses of warp w's registers, predicates, stack and scoreboard. While other warps are
 * resident, the layout does not change: a program that needs more uses the sparse area. */
void warp_memory_take(struct sm *sm, unsigned w, const struct program *p)
{
	size_t bytes = warp_memory_bytes(p->planes, p->preds, p->stack_depth);
	struct slot *slot = &sm->slot[w];
	unsigned char *at;

	if (!sm->resident && bytes <= most_bytes() / 4)
		sm->warp_memory.bytes = bytes;
	if (bytes <= sm->warp_memory.bytes)
		at = sm->warp_memory.packed + w * sm->warp_memory.bytes;
	else
		at = sm->warp_memory.sparse + w * most_bytes();
	slot->warp.regs = (void *)at;
	at += p->planes * WARP_LANES * sizeof(uint32_t);
	slot->warp.stack = (void *)at;
	at += p->stack_depth * sizeof(struct frame);
	slot->ready = (uint64_t *)(void *)at + p->preds;
	slot->warp.preds = (void *)(slot->ready + p->planes);
}

void warp_memory_state(struct state *s, struct sm *sm)
{
	struct warp_memory *m = &sm->warp_memory;
	size_t sparse = sm->p.warps * most_bytes(), packed = sm->p.warps * (most_bytes() / 4);

	STATE(s, m->bytes);
	state_most(s, m->bytes, most_bytes() / 4);
	state_sparse(s, m->packed, packed);
	state_sparse(s, m->sparse, sparse);
	state_space(s, m->packed, packed);
	state_space(s, m->sparse, sparse);
}
