/* Spills of a kernel and its callees to shared memory: registers set aside, values chosen, slots
 * and frames placed (Hayes and Zhang, ICS 2014, section 3). */
#include "ptx/alloc/slots.h"

static bool has_slots(const struct ir_module *m, const struct frames *fr)
{
	for (uint32_t k = 0; k < fr->n; k++) {
		const struct ir_function *f = &m->functions[fr->order[k]];

		for (uint32_t v = 0; f->spills && v < f->nvregs; v++)
			if (f->words[v] & IR_SLOT)
				return true;
	}
	return false;
}

/* Slots within the budget. Stacks that leave holes between frames need a lower limit on the values
 * that are live at once. */
static int choose(struct slots *s, struct slot_plan *plan)
{
	for (uint32_t limit = s->options->slots; limit > 0; limit--) {
		if (slots_collect(s, limit))
			return -1;
		slots_prune(&s->sets, limit, s->options->rank, s->work);
		slots_assign(s, plan);
		slots_stack(s, plan);
		if (plan->words <= s->options->slots)
			return 0;
		limit = limit < s->sets.max_live ? limit : s->sets.max_live;
	}
	plan->words = plan->moves = 0;
	return 0;
}

/* What stays in local memory is assigned again, without gaps. */
static void assign_local(struct slots *s)
{
	struct ir_module *m = s->fit->m;

	for (uint32_t k = 0; k < s->n; k++) {
		struct ir_function *f = &m->functions[s->code[k].function];

		if (!f->spills)
			continue;
		f->frame_bytes = f->plain->frame_bytes;
		f->frame_align = f->plain->frame_align;
		BUG_ON(!fit_assign_slots(f, s->code[k].live, s->fit->ops, s->work));
	}
	BUG_ON(frames_build(s->fit->frames, m, s->fit->frames->kernel));
}

static int try_slots(struct fit *fit, const struct spill_options *options, struct slot_plan *plan)
{
	struct slots s = {.fit = fit, .options = options, .work = fit->m->trial};

	plan->words = plan->moves = 0;
	if (!has_slots(fit->m, fit->frames))
		return 0;
	plan->frame = arena_alloc(s.work, fit->m->nfunctions, sizeof(*plan->frame));
	slots_find(&s);
	if (choose(&s, plan))
		return -1;
	if (plan->words)
		assign_local(&s);
	return 0;
}

int slots_fit(struct fit *fit, struct fit_need limit, const struct spill_options *options,
	struct slot_plan *plan)
{
	*plan = (struct slot_plan){0};
	if (!has_slots(fit->m, fit->frames))
		return 0;
	for (plan->reserved = 1; plan->reserved <= 2; plan->reserved++) {
		struct fit_need rest = {limit.regs - plan->reserved, limit.preds};

		if (!fit_kernel(fit, rest))
			break;
		if (try_slots(fit, options, plan))
			return -1;
		if (plan->words && (!plan->moves || plan->reserved == 2))
			return 0;
		if (!plan->words)
			break;
	}
	*plan = (struct slot_plan){0};
	BUG_ON(!fit_kernel(fit, limit));
	return 0;
}
