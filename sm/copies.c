/* Asynchronous copies to shared memory: the last group to wait for is ready when all its copies are
 * (PTX ISA, cp.async.wait_group). */
#include "sm/copies.h"

#include "sm/state.h"

/* The copies in flight of a group. */
static uint32_t *out_of(struct copies *c, uint32_t group)
{
	return c->group - group < COPY_GROUPS ? &c->out[group % COPY_GROUPS] : &c->older;
}

/* Copies in flight before the latest `spared` groups. */
static bool pending(struct copies *c, uint32_t spared)
{
	for (uint32_t before = spared; before < COPY_GROUPS; before++)
		if (*out_of(c, c->group - before))
			return true;
	return c->older > 0;
}

static void commit(struct copies *c)
{
	uint32_t *oldest = &c->out[++c->group % COPY_GROUPS];

	c->older += *oldest;
	*oldest = 0;
}

void copies_issue(struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	struct copies *c = &sm->slot[w].copies;
	uint32_t spared = (uint32_t)in->offset;

	if (in->op == ASYNC_COMMIT)
		commit(c);
	if (in->op != ASYNC_WAIT)
		return;
	if (!pending(c, spared)) {
		warp_results(sm, w, in, READY_CODE(cycle + sm->p.alu_cycles, READY_FIXED));
		return;
	}
	c->waits = (uint32_t)(in - sm->slot[w].warp.program->code) + 1;
	c->spared = spared;
	warp_results(sm, w, in, READY_LONG);
}

void copies_enter(struct sm *sm, unsigned w, struct op *op)
{
	struct copies *c = &sm->slot[w].copies;

	op->has_result = false;
	op->copies = c->group + 1;
	++*out_of(c, c->group);
}

void copies_arrive(struct sm *sm, const struct op *op, uint64_t cycle)
{
	struct slot *slot = &sm->slot[op->warp];
	struct copies *c = &slot->copies;

	--*out_of(c, op->copies - 1);
	if (!c->waits || pending(c, c->spared))
		return;
	profile_completed(sm, op, cycle);
	warp_arrived(sm, op->warp, &slot->warp.program->code[c->waits - 1], op->ready);
	c->waits = 0;
}
