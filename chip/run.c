/* Running a chip: admission of launches, the host loop, and what its results mean. */
#include "chip/checkpoint.h"
#include "chip/journal.h"
#include "chip/profile/inside.h"

#include <stdio.h>

static int check_sms(const struct chip *c, const struct launch_state *l, struct err *err)
{
	for (unsigned i = (unsigned)c->p.sms; i < GPU_MAX_SMS; i++)
		if (l->sms[i / 64] >> (i % 64) & 1)
			return err_add(err, ERR_INPUT,
				"kernel '%s' asks for SM %u, the chip has 0 .. %u",
				l->grid.program->source, i, (unsigned)c->p.sms - 1);
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
			l->grid.program->source, need->warps_per_cta, text_s(need->warps_per_cta),
			slots, text_s(slots), slots < all ? "occupancy.threads" : "sm.warps");
	if (l->hold.register_bytes > l->split.register_bytes)
		return err_add(err, ERR_RESOURCE,
			"kernel '%s': %s needs %llu byte%s of registers; an SM has %llu",
			l->grid.program->source, storage_cta_words(need, words),
			(unsigned long long)registers, text_s(registers),
			(unsigned long long)l->split.register_bytes);
	return err_add(err, ERR_RESOURCE,
		"kernel '%s': a CTA needs %llu byte%s of shared memory; an SM has %llu",
		l->grid.program->source, (unsigned long long)shared, text_s(shared),
		(unsigned long long)l->split.shared_bytes);
}

/* A machine without the unit: pipe.tensor_lanes, pipe.tensor64_lanes. */
static int check_matrices(const struct chip *c, const struct launch_state *l, struct err *err)
{
	static const struct {
		enum op_class class;
		const char *of, *machines, *lanes;
	} units[] = {{CLASS_TENSOR, "", "v100, t4, a100, h100", "tensor_lanes=4"},
		{CLASS_TENSOR64, " of f64", "a100, h100", "tensor64_lanes=2"}};
	const struct program *p = l->grid.program;

	for (size_t i = 0; i < ARRAY_LEN(units) && l->timed; i++)
		if (p->matrices >> i & 1 && !sm_executes(c->sm[0], units[i].class))
			return err_add(err, ERR_UNSUPPORTED,
				"kernel '%s' multiplies matrices%s (mma, wmma), and the machine has no "
				"tensor cores for it: --chip %s have; or --set pipe.%s",
				p->source, units[i].of, units[i].machines, units[i].lanes);
	return 0;
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
			l->grid.program->source, l->grid.program->call_depth, SM_STACK_ENTRIES,
			l->grid.program->stack_depth);
	if (check_matrices(c, l, err) || partition_admit(c, l, err))
		return -1;
	l->hold = storage_hold(&l->split, &l->need);
	l->ctas_per_sm = storage_ctas(&l->split, &l->need);
	if (!l->ctas_per_sm)
		return tell_misfit(c, l, err);
	if ((l->timed || c->warms) && gpu_local_memory(c->gpu, l, slots, err))
		return -1;
	if (rest_admit(c, l, err))
		return -1;
	return epochs_admit(c, l, err);
}

void chip_queue(struct chip *c, struct launch_state *l)
{
	c->queued_ctas += l->timed;
	c->accounts.waiting++;
	dispatcher_queue(c->dispatcher, l);
}

void chip_leave(struct chip *c, const struct launch_state *l)
{
	c->queued_ctas -= l->timed;
	c->accounts.waiting--;
	dispatcher_leave(c->dispatcher, l);
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
	gpu_explain(c->gpu, &first->fault, c->accounts.of[first->launch], err);
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

/* Memory that only launches of this run used. */
static void free_ended(struct chip *c)
{
	if (c->gpu->journal)
		journal_ended(c);
	while (c->ended) {
		struct launch_state *l = c->ended;

		c->ended = l->after;
		l->after = NULL;
		gpu_launch_memory_free(c->gpu, l);
	}
}

/* What a checkpoint has of this run, over what it begins with. */
static int load(struct chip *c)
{
	struct state *s = c->loads;

	c->loads = NULL;
	if (s)
		chip_state(c->gpu, s);
	return s && s->failed ? -1 : 0;
}

/* Stops where the warm-up ends, and goes on. */
static int run_for(struct chip *c, uint64_t most, const struct host_hooks *hooks, enum run *run,
	bool *interrupted, struct err *err)
{
	struct host_stats stats;
	uint64_t until = warmup_until(c);

	if (until && until < most) {
		if (host_run(c->sim, until, hooks, run, interrupted, &stats, err))
			return -1;
		if (*run != RUN_LIMIT || *interrupted)
			return 0;
		warmup_end(c);
	}
	return host_run(c->sim, most, hooks, run, interrupted, &stats, err);
}

/* To the end, until the dispatcher pauses, or until the chip is at rest and lacks accounts for
 * launches. */
static int run_once(struct chip *c, uint64_t max_cycles, const struct host_hooks *hooks,
	enum run *run, bool *interrupted, struct err *err)
{
	int bad;

	c->at_rest |= c->accounts.held;
	c->hooks = hooks;
	if (accounts_prepare(c, err) || epochs_grow(c, err) || (c->profile && profile_grow(c, err)))
		return -1;
	dispatcher_wake(c->dispatcher);
	if (load(c))
		return -1;
	if (power_start(c, err))
		return -1;
	bad = run_for(c, max_cycles ? max_cycles : UINT64_MAX, hooks, run, interrupted, err);
	free_ended(c);
	return bad;
}

/* What a resumed run had done before. `done`: this run was complete. */
static int repeat(struct chip *c, bool *at_rest, bool *done, struct err *err)
{
	bool rest = false;

	*done = journal_goes_on(c) && journal_repeat(c, &rest);
	if (*done) {
		c->at_rest = rest;
		if (at_rest)
			*at_rest = rest;
	}
	if (!c->loads || !c->gpu->journal || !c->gpu->journal->failed)
		return 0;
	return err_add(err, ERR_INPUT,
		"%s: this run's host does other things than the one it is of", c->loads->origin);
}

/* As the dispatcher is set: to the end, or until it pauses. */
static int go_on(struct chip *c, uint64_t max_cycles, const struct host_hooks *hooks, bool *at_rest,
	struct err *err)
{
	bool interrupted = false, done;
	enum run run;
	int bad;

	if (repeat(c, at_rest, &done, err))
		return -1;
	if (done)
		return 0;
	do {
		if (run_once(c, max_cycles, hooks, &run, &interrupted, err))
			return -1;
	} while (run == RUN_STARVED && !interrupted && c->accounts.held);
	interrupted |= c->rest_stopped;
	c->at_rest = run == RUN_STARVED && !interrupted;
	if (at_rest)
		*at_rest = run == RUN_STARVED;
	if (c->gpu->journal)
		journal_ran(c, run == RUN_STARVED);
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

bool chip_launch_complete(const struct gpu *g, uint32_t launch)
{
	const struct launch_state *l = launches_at(g, launch);

	return !l || l->complete;
}

int chip_run_launch(struct gpu *g, uint32_t launch, uint64_t max_cycles,
	const struct host_hooks *hooks, struct err *err)
{
	bool at_rest;

	if (chip_launch_complete(g, launch))
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
	const struct chip *c = g->chip;
	struct chip_progress p;

	if (c->loads && g->journal)
		return g->journal->progress;
	p = (struct chip_progress){.cycle = chip_cycle(c),
		.ctas = c->queued_ctas,
		.ctas_done = c->dispatcher->s.chip__ctas,
		.untimed_warp_instructions = c->rest_counts.warp_instructions};

	p.end_cycle = p.ctas_done < p.ctas ? p.cycle : c->last_end;
	for (unsigned i = 0; i < c->p.sms; i++)
		p.warp_instructions += sm_executed(c->sm[i]);
	return p;
}
