/* Rewrites the code of a function, in arrays that grow. */
#include "ptx/ir/rebuild.h"

#include <string.h>

static void *grow(struct rebuild *r, const void *old, uint32_t n, uint32_t cap, size_t size)
{
	void *new = arena_alloc(r->work, cap, size);

	if (n)
		memcpy(new, old, n * size);
	return new;
}

struct rebuild rebuild_start(const struct ir_function *f, struct arena *work)
{
	struct rebuild r = {.f = f, .out = *f, .work = work};

	r.out.ninstr = 0;
	r.out.code_cap = f->ninstr + f->ninstr / 2 + 16;
	r.out.code = arena_alloc(work, r.out.code_cap, sizeof(*r.out.code));
	r.out.vregs_cap = f->nvregs + f->nvregs / 2 + 16;
	r.out.words = grow(&r, f->words, f->nvregs, r.out.vregs_cap, sizeof(*r.out.words));
	r.origin = arena_alloc(work, r.out.vregs_cap, sizeof(*r.origin));
	for (uint32_t v = 0; v < f->nvregs; v++)
		r.origin[v] = v;
	r.out.blocks = grow(&r, f->blocks, f->nblocks, f->nblocks + 1, sizeof(*r.out.blocks));
	r.begin = arena_alloc(work, f->ninstr + 1, sizeof(*r.begin));
	return r;
}

uint32_t rebuild_vreg(struct rebuild *r, uint8_t words, uint32_t origin)
{
	struct ir_function *f = &r->out;

	if (f->nvregs == f->vregs_cap) {
		f->vregs_cap *= 2;
		f->words = grow(r, f->words, f->nvregs, f->vregs_cap, sizeof(*f->words));
		r->origin = grow(r, r->origin, f->nvregs, f->vregs_cap, sizeof(*r->origin));
	}
	f->words[f->nvregs] = words;
	r->origin[f->nvregs] = origin;
	return f->nvregs++;
}

void rebuild_emit(struct rebuild *r, const struct ir_instr *i)
{
	struct ir_function *f = &r->out;

	if (f->ninstr == f->code_cap) {
		f->code_cap *= 2;
		f->code = grow(r, f->code, f->ninstr, f->code_cap, sizeof(*f->code));
	}
	f->code[f->ninstr++] = *i;
}

void rebuild_begin_block(struct rebuild *r, uint32_t block)
{
	r->out.blocks[block].first = r->out.ninstr;
	r->begin[r->f->blocks[block].first] = r->out.ninstr;
}

void rebuild_end_block(struct rebuild *r, uint32_t block)
{
	r->out.blocks[block].end = r->out.ninstr;
}

static void set_target(struct rebuild *r, struct ir_instr *i)
{
	uint32_t *targets;

	if (!i->ntargets) {
		i->target = r->begin[i->target];
		return;
	}
	targets = arena_alloc(r->work, i->ntargets, sizeof(*targets));
	for (uint32_t t = 0; t < i->ntargets; t++)
		targets[t] = i->targets[t] == NO_TARGET ? NO_TARGET : r->begin[i->targets[t]];
	i->targets = targets;
}

void rebuild_finish(struct rebuild *r)
{
	for (uint32_t k = 0; k < r->out.ninstr; k++)
		if (r->out.code[k].action == ACT_BRANCH)
			set_target(r, &r->out.code[k]);
}
