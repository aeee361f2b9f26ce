/* Asynchronous copies to shared memory: the last group to wait for is ready when all its copies are
 * (PTX ISA, cp.async.wait_group). */
#include "sm/copies.h"

#include "sm/state.h"

static struct copy_group *group_of(struct copies *c, uint32_t group)
{
	return c->group - group < COPY_GROUPS ? &c->latest[group % COPY_GROUPS] : &c->older;
}

static void add(struct copy_group *to, const struct copy_group *g)
{
	to->out += g->out;
	to->ready = max_u64(to->ready, g->ready);
}

/* Those before the latest `spared` groups. */
static struct copy_group before(struct copies *c, uint32_t spared)
{
	struct copy_group all = c->older;

	for (; spared < COPY_GROUPS; spared++)
		add(&all, group_of(c, c->group - spared));
	return all;
}

static void commit(struct copies *c)
{
	struct copy_group *oldest = &c->latest[++c->group % COPY_GROUPS];

	add(&c->older, oldest);
	*oldest = (struct copy_group){0};
}

void copies_issue(struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	struct copies *c = &sm->slot[w].copies;
	uint32_t spared = (uint32_t)in->offset;
	struct copy_group wanted;

	if (in->op == ASYNC_COMMIT)
		commit(c);
	if (in->op != ASYNC_WAIT)
		return;
	wanted = before(c, spared);
	if (!wanted.out && wanted.ready <= cycle + sm->p.alu_cycles) {
		warp_results(sm, w, in, READY_CODE(cycle + sm->p.alu_cycles, READY_FIXED));
		return;
	}
	if (!wanted.out) {
		warp_arrived(sm, w, in, wanted.ready);
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
	group_of(c, c->group)->out++;
}

void copies_arrive(struct sm *sm, const struct op *op, uint64_t cycle)
{
	struct slot *slot = &sm->slot[op->warp];
	struct copies *c = &slot->copies;
	struct copy_group *group = group_of(c, op->copies - 1), wanted;

	group->out--;
	group->ready = max_u64(group->ready, op->ready);
	wanted = before(c, c->spared);
	if (!c->waits || wanted.out)
		return;
	profile_completed(sm, op, cycle);
	warp_arrived(sm, op->warp, &slot->warp.program->code[c->waits - 1], wanted.ready);
	c->waits = 0;
}
