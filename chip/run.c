/* Running a chip: admission of launches, the host loop, and what its results mean. */
#include "chip/profile_inside.h"

#include <stdio.h>

static int check_sms(const struct chip *c, const struct launch_state *l, struct err *err)
{
	for (unsigned i = (unsigned)c->p.sms; i < GPU_MAX_SMS; i++)
		if (l->sms[i / 64] >> (i % 64) & 1)
			return err_add(err, ERR_INPUT,
				"kernel '%s' asks for SM %u, the chip has 0 .. %u", l->name, i,
				(unsigned)c->p.sms - 1);
	return 0;
}

/* Which resource a CTA lacks, how much it needs and how much there is. */
static int tell_misfit(const struct chip *c, const struct launch_state *l, struct err *err)
{
	const struct storage_need *need = &l->need;
	uint64_t registers = storage_cta_registers(need), shared = storage_cta_shared(need);
	unsigned slots = need->warp_slots, all = sm_warp_slots(c->sm[0]);
	char words[STORAGE_WORDS];

	if (!storage_slots(need))
		return err_add(err, ERR_RESOURCE,
			"kernel '%s': a CTA can never fit: it needs %u warp%s; an SM has %u warp "
			"slot%s (%s)",
			l->name, need->warps_per_cta, text_s(need->warps_per_cta), slots,
			text_s(slots), slots < all ? "occupancy.threads" : "sm.warps");
	if (l->hold.register_bytes > l->split.register_bytes)
		return err_add(err, ERR_RESOURCE,
			"kernel '%s': %s needs %llu byte%s of registers; an SM has %llu", l->name,
			storage_cta_words(need, words), (unsigned long long)registers,
			text_s(registers), (unsigned long long)l->split.register_bytes);
	return err_add(err, ERR_RESOURCE,
		"kernel '%s': a CTA needs %llu byte%s of shared memory; an SM has %llu", l->name,
		(unsigned long long)shared, text_s(shared),
		(unsigned long long)l->split.shared_bytes);
}

int chip_admit(struct chip *c, struct launch_state *l, struct err *err)
{
	uint64_t slots = c->p.sms * sm_warp_slots(c->sm[0]);

	if (check_sms(c, l, err) || dispatcher_grow(c->dispatcher, l, err))
		return -1;
	l->timed = l->queued.untimed ? 0 : div_up(l->ctas, c->p.share);
	if (l->grid.program->stack_depth > SM_STACK_ENTRIES)
		return err_add(err, ERR_RESOURCE,
			"kernel '%s': its calls are nested %u deep: an SM's warps have %u "
			"reconvergence entries, it can need %u",
			l->name, l->grid.program->call_depth, SM_STACK_ENTRIES,
			l->grid.program->stack_depth);
	if (partition_admit(c, l, err))
		return -1;
	l->hold = storage_hold(&l->split, &l->need);
	l->ctas_per_sm = storage_ctas(&l->split, &l->need);
	if (!l->ctas_per_sm)
		return tell_misfit(c, l, err);
	return l->timed ? gpu_local_memory(c->gpu, l, slots, err) : 0;
}

void chip_queue(struct chip *c, struct launch_state *l)
{
	dispatcher_queue(c->dispatcher, l);
}

/* `old`, grown to all launches; NULL when there is no memory. */
static void *grown(const struct chip *c, void *old, size_t size)
{
	return mem_grow(old, c->by_launch_capacity, c->gpu->launch_capacity, size);
}

/* Instruction counts of every launch in every SM. */
static bool sms_have_room(struct chip *c)
{
	for (unsigned i = 0; i < c->p.sms; i++) {
		uint64_t *counts = grown(c, c->by_launch[i], sizeof(*counts));

		if (!counts)
			return false;
		c->by_launch[i] = counts;
		sm_count_into(c->sm[i], counts);
	}
	return true;
}

/* Traffic counts of every launch in every slice and channel. */
static bool memory_has_space(struct chip *c)
{
	const struct channel_ops *dram = c->dram->ops;
	uint64_t *flushed;

	for (unsigned i = 0; i < c->channels * c->per_channel; i++) {
		struct launch_lookups *lookups = grown(c, c->lookups[i], sizeof(*lookups));

		if (!lookups)
			return false;
		c->lookups[i] = lookups;
		slice_count_into(c->slice[i], lookups);
	}
	for (unsigned i = 0; i < c->channels; i++) {
		struct launch_traffic *traffic = grown(c, c->traffic[i], sizeof(*traffic));

		if (!traffic)
			return false;
		c->traffic[i] = traffic;
		dram->count_into(c->channel[i], traffic);
	}
	flushed = grown(c, c->flushed, sizeof(*flushed));
	if (flushed)
		c->flushed = flushed;
	return flushed;
}

static int count_capacity(struct chip *c, struct err *err)
{
	if (c->gpu->launch_capacity == c->by_launch_capacity)
		return 0;
	if (!sms_have_room(c) || !memory_has_space(c))
		return err_add(err, ERR_RESOURCE, "no host memory for launches");
	c->by_launch_capacity = c->gpu->launch_capacity;
	return 0;
}

/* The first fault; of several in one cycle, that of the lowest SM. */
static int tell_fault(struct chip *c, struct err *err)
{
	const struct sm_fault *first = NULL;

	if (c->rest_failed) {
		err_move(err, &c->rest_errors);
		return -1;
	}
	for (unsigned i = 0; i < c->p.sms; i++) {
		const struct sm_fault *f = sm_fault(c->sm[i]);

		if (f->fault.kind != FAULT_NONE && (!first || f->cycle < first->cycle))
			first = f;
	}
	if (!first)
		return 0;
	gpu_explain(c->gpu, &first->fault, c->gpu->launches[first->launch], err);
	return -1;
}

static int tell_deadlock(struct chip *c, struct err *err)
{
	struct text report = {0};
	char head[128];

	snprintf(head, sizeof(head), "deadlock at cycle %llu: work is left and nothing can move",
		(unsigned long long)(chip_cycle(c)));
	unfinished_timed(c, ERR_DEADLOCK, head, err);
	sim_report_stuck(c->sim, &report);
	err_lines(err, ERR_DEADLOCK, text_str(&report));
	text_clear(&report);
	return -1;
}

static int answer(
	struct chip *c, enum run run, bool interrupted, uint64_t max_cycles, struct err *err)
{
	char head[128];

	if (tell_fault(c, err))
		return -1;
	if (interrupted) {
		snprintf(head, sizeof(head), "interrupted at cycle %llu: the report is partial",
			(unsigned long long)(chip_cycle(c)));
		return unfinished_timed(c, ERR_INTERRUPTED, head, err);
	}
	if (run == RUN_LIMIT) {
		snprintf(head, sizeof(head),
			"the limit of %llu cycle%s is reached and work is left: the report is "
			"partial",
			(unsigned long long)max_cycles, text_s(max_cycles));
		return unfinished_timed(c, ERR_LIMIT, head, err);
	}
	if (run == RUN_DEADLOCK)
		return tell_deadlock(c, err);
	return 0;
}

/* As the dispatcher is set: to the end, or until it pauses. */
static int go_on(struct chip *c, uint64_t max_cycles, const struct host_hooks *hooks, bool *at_rest,
	struct err *err)
{
	struct host_stats stats;
	bool interrupted = false;
	enum run run;
	int bad;

	if (count_capacity(c, err) || (c->profile && profile_grow(c, err)))
		return -1;
	dispatcher_wake(c->dispatcher);
	if (host_run(c->sim, max_cycles ? max_cycles : UINT64_MAX, hooks, &run, &interrupted,
		    &stats, err))
		return -1;
	c->at_rest = run == RUN_STARVED && !interrupted;
	if (at_rest)
		*at_rest = run == RUN_STARVED;
	bad = answer(c, run, interrupted, max_cycles, err);
	if (run != RUN_PAUSED)
		bad |= chip_audit(c, run == RUN_STARVED, err);
	return bad;
}

int chip_run_stream(struct gpu *g, uint64_t max_cycles, const struct host_hooks *hooks,
	bool *at_rest, struct err *err)
{
	g->chip->dispatcher->pauses = at_rest;
	g->chip->dispatcher->until = NO_LAUNCH;
	return go_on(g->chip, max_cycles, hooks, at_rest, err);
}

int chip_run_launch(struct gpu *g, uint32_t launch, uint64_t max_cycles,
	const struct host_hooks *hooks, struct err *err)
{
	bool at_rest;

	if (g->launches[launch]->complete)
		return 0;
	g->chip->dispatcher->pauses = false;
	g->chip->dispatcher->until = launch;
	return go_on(g->chip, max_cycles, hooks, &at_rest, err);
}

int chip_run(struct gpu *g, uint64_t max_cycles, const struct host_hooks *hooks, struct err *err)
{
	return chip_run_stream(g, max_cycles, hooks, NULL, err);
}

void chip_forget(struct gpu *g)
{
	struct chip *c = g->chip;

	BUG_ON(g->nlaunches && !c->at_rest);
	for (unsigned i = 0; i < c->channels * c->per_channel; i++)
		slice_forget(c->slice[i]);
}

struct chip_progress chip_progress(const struct gpu *g)
{
	struct chip_progress p = {.cycle = chip_cycle(g->chip)};

	for (uint32_t i = 0; i < g->nlaunches; i++) {
		const struct launch_state *l = g->launches[i];

		p.ctas += l->timed;
		p.ctas_done += l->finished;
		p.end_cycle = max_u64(p.end_cycle, l->finished < l->timed ? p.cycle : l->end_cycle);
		for (unsigned k = 0; k < g->chip->p.sms && g->chip->by_launch[k]; k++)
			p.warp_instructions += g->chip->by_launch[k][i];
	}
	return p;
}
