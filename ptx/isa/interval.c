/* Static dispatch intervals: each block issues in order and alone, an instruction as soon as its
 * sources are there (Hayes and Zhang, ICS 2014, section 4). */
#include "ptx/isa/interval.h"

#include "core/base.h"

#include <math.h>

struct walk {
	const struct program *p;
	const struct interval_latency *latency;
	bool *begins;             /* by instruction: a block begins there */
	uint64_t *ready, *preds;  /* by register and predicate: when its value is there */
	uint64_t now, sum, pairs; /* pairs: of neighbours */
};

static void begin_at(const struct walk *w, uint32_t i)
{
	if (i < w->p->ninstr)
		w->begins[i] = true;
}

static void find_blocks(const struct walk *w)
{
	for (uint32_t i = 0; i < w->p->ninstr; i++) {
		const struct instr *in = &w->p->code[i];

		if (in->action == ACT_CALL || (in->action == ACT_BRANCH && !in->nsrc))
			begin_at(w, in->target);
		for (int64_t t = 0; in->action == ACT_BRANCH && in->nsrc && t < in->offset; t++)
			begin_at(w, w->p->targets[in->target + t]);
		if (in->action == ACT_BRANCH || in->action == ACT_EXIT || in->action == ACT_RET ||
			in->action == ACT_CALL)
			begin_at(w, i + 1);
	}
}

static uint64_t *ready_of(const struct walk *w, const struct operand *o, unsigned word)
{
	if (o->kind == OPND_PRED)
		return &w->preds[o->index];
	return o->kind == OPND_REG ? &w->ready[o->index + word] : NULL;
}

static uint64_t sources_ready(const struct walk *w, const struct instr *in)
{
	uint64_t at = in->guard == NO_GUARD ? 0 : w->preds[in->guard];

	for (unsigned s = 0; s < in->nsrc; s++)
		for (unsigned k = 0; k < in->src[s].words; k++) {
			const uint64_t *ready = ready_of(w, &in->src[s], k);

			at = ready && *ready > at ? *ready : at;
		}
	return at;
}

static bool is_off_chip(const struct instr *in)
{
	switch ((enum action)in->action) {
	case ACT_TEXTURE:
	case ACT_SURFACE:
		return true;
	case ACT_LOAD:
	case ACT_STORE:
	case ACT_ATOM:
	case ACT_RED:
		return in->space != SPACE_SHARED && in->space != SPACE_PARAM &&
		       in->space != SPACE_CONST;
	default:
		return false;
	}
}

static uint32_t latency_of(const struct walk *w, const struct instr *in)
{
	if (is_off_chip(in) || in->op_class > CLASS_MEMORY)
		return 1;
	if (in->op_class == CLASS_MEMORY && in->space != SPACE_SHARED)
		return w->latency->cycles[CLASS_INT];
	return w->latency->cycles[in->op_class];
}

static void issue(struct walk *w, const struct instr *in, bool begins)
{
	uint64_t at = begins ? w->now + 1 : sources_ready(w, in);

	at = at > w->now + 1 ? at : w->now + 1;
	if (!begins) {
		w->sum += at - w->now;
		w->pairs++;
	}
	w->now = at;
	for (unsigned d = 0; d < in->ndst; d++)
		for (unsigned k = 0; k < in->dst[d].words; k++) {
			uint64_t *ready = ready_of(w, &in->dst[d], k);

			if (ready)
				*ready = at + latency_of(w, in);
		}
}

struct intervals intervals_of(
	const struct program *p, const struct interval_latency *latency, struct arena *work)
{
	struct intervals found = {.instrs = p->ninstr};
	struct walk w = {.p = p,
		.latency = latency,
		.begins = arena_alloc(work, p->ninstr + 1, sizeof(*w.begins)),
		.ready = arena_alloc(work, p->planes + 4, sizeof(*w.ready)),
		.preds = arena_alloc(work, p->preds + 1, sizeof(*w.preds))};

	begin_at(&w, p->entry);
	find_blocks(&w);
	for (uint32_t i = 0; i < p->ninstr; i++) {
		const struct instr *in = &p->code[i];

		if (w.begins[i]) /* what the block before left is there */
			w.now += 100000;
		issue(&w, in, w.begins[i]);
		found.off_chip += is_off_chip(in);
		found.spills += is_off_chip(in) && p->lines[in->line].spill;
	}
	found.mean = w.pairs ? (double)w.sum / (double)w.pairs : 1;
	return found;
}

double intervals_intensity(const struct intervals *i, bool spills)
{
	uint32_t memory = spills ? i->spills : i->off_chip;

	return memory ? (i->instrs - memory) * i->mean / memory : INFINITY;
}
