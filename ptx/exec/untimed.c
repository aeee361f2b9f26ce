/* Executes grids without timing: CTA after CTA, each to completion; those that wait for others are
 * time-sliced. */
#include "ptx/exec/untimed_private.h"

/* Resident CTAs, at most: as many threads as a large GPU holds (128 SMs of 2048), and as much host
 * memory. Others wait until one has completed, as on a GPU. */
#define MOST_CTAS 4096u
#define MOST_THREADS 262144u
#define MOST_BYTES (UINT64_C(1) << 30)

/* Warp instructions between polls of the caller; a search for spinning warps counts as the same
 * number. */
#define ASK_EVERY 65536u
#define LOOK_COST 8192u

bool runner_stops(struct runner *r, uint64_t executed)
{
	r->unasked += executed;
	if (r->unasked < ASK_EVERY || !r->limits || !r->limits->go_on)
		return false;
	r->unasked = 0;
	if (r->limits->go_on(r->limits->ctx))
		return false;
	*r->fault = (struct fault){.kind = FAULT_NONE};
	return true;
}

/* The resident CTAs, in order. */
struct crowd {
	struct resident **at;
	uint32_t n, most;
	uint32_t made; /* entries; those from n on are unused */
	uint64_t next; /* the next CTA to start */
	uint64_t ctas, step, ended;
};

static int crowd_open(struct crowd *w, const struct runner *r, struct err *err)
{
	uint64_t most = min_u64(MOST_CTAS, MOST_THREADS / (r->nwarps * WARP_LANES));
	struct untimed_turns turns = r->limits ? r->limits->turns : (struct untimed_turns){0};

	w->ctas = grid_ctas(r->grid);
	if (turns.end && turns.end < w->ctas)
		w->ctas = turns.end;
	if (turns.ctas)
		most = min_u64(most, turns.ctas);
	w->most = (uint32_t)max_u64(1, min_u64(most, MOST_BYTES / resident_bytes(r)));
	w->at = mem_alloc(w->most, sizeof(struct resident *));
	if (w->at)
		w->at[0] = resident_new(r);
	if (w->at && w->at[0] && r->executions) {
		w->made = 1;
		return 0;
	}
	return err_add(err, ERR_RESOURCE, "kernel %s: no memory for the state of %u warps",
		r->grid->program->name, r->nwarps);
}

static void crowd_close(struct crowd *w)
{
	for (uint32_t i = 0; i < w->made; i++)
		mem_free(w->at[i]);
	mem_free(w->at);
}

/* Starts the next CTA, if there is one and capacity for it. */
static bool begin(struct crowd *w, struct runner *r)
{
	if (w->next >= w->ctas || w->n == w->most)
		return false;
	if (w->n == w->made) {
		w->at[w->made] = resident_new(r);
		if (!w->at[w->made]) {
			w->most = w->made;
			return false;
		}
		w->at[w->made]->slot = w->made;
		w->made++;
	}
	resident_start(r, w->at[w->n++], w->next);
	w->next = w->ctas - w->next > w->step ? w->next + w->step : w->ctas;
	return true;
}

/* Threads are counted by the executor, warp by warp. */
static void count_threads(const struct runner *r, const struct resident *c)
{
	for (uint32_t i = 0; i < r->nwarps; i++)
		r->counts->thread_instructions += c->warps[i].thread_instructions;
}

/* Resident CTA `i` has completed: its entry is free. */
static void end(struct crowd *w, const struct runner *r, uint32_t i)
{
	struct resident *c = w->at[i];

	count_threads(r, c);
	r->counts->ctas++;
	w->ended++;
	for (w->n--; i < w->n; i++)
		w->at[i] = w->at[i + 1];
	w->at[w->n] = c;
}

/* One time slice for each CTA, including those that start meanwhile. *moved: not all of them spin.
 * 0, or -1. */
static int go_round(struct crowd *w, struct runner *r, bool *moved)
{
	uint32_t i = 0;

	while (i < w->n || begin(w, r)) {
		uint64_t executed;
		enum turn turn = resident_turn(r, w->at[i], &executed);

		*moved |= turn != TURN_SPINS || executed;
		if (turn == TURN_FAULT || (!executed && runner_stops(r, LOOK_COST)))
			return -1;
		if (turn == TURN_ENDED)
			end(w, r, i);
		else
			i++;
	}
	return 0;
}

static void report_positions(const struct crowd *w, struct runner *r)
{
	struct positions *s = r->limits ? r->limits->positions : NULL;

	if (!s)
		return;
	for (uint32_t i = 0; i < w->n; i++)
		resident_report(r, w->at[i], s);
	s->ended = w->ended;
	s->begun = w->n;
	s->waiting = div_up(w->ctas - w->next, w->step);
	s->next = w->next;
}

static int run_all(struct crowd *w, struct runner *r)
{
	bool moved = true;
	int bad = 0;

	while (!bad && (w->n || w->next < w->ctas)) {
		if (!moved) {
			*r->fault = (struct fault){.kind = FAULT_LIVELOCK};
			bad = -1;
			break;
		}
		moved = false;
		bad = go_round(w, r, &moved);
	}
	if (bad && (r->fault->kind == FAULT_NONE || r->fault->kind == FAULT_LIVELOCK))
		report_positions(w, r);
	for (uint32_t i = 0; i < w->n; i++)
		count_threads(r, w->at[i]);
	return bad;
}

/* Register accesses follow from the execution counts of each instruction, unless hardware manages
 * the hierarchy. */
static void count_registers(const struct runner *r)
{
	struct level_traffic *t = &r->counts->registers;

	for (uint32_t i = 0; r->notes && i < r->grid->program->ninstr; i++) {
		const struct level_note *note = &r->notes[i];

		if (!r->steps_aside)
			level_traffic_add(t, &note->counts, r->executions[i]);
		if (note->strand != STRAND_INSIDE)
			t->strand_starts += r->executions[i];
		if (note->strand == STRAND_WAITS)
			t->deschedules += r->executions[i];
	}
}

int untimed_run(const struct grid *grid, uint64_t first, uint64_t step, const struct lanes *lanes,
	const struct exec_memory *memory, const struct untimed_limits *limits,
	struct untimed_counts *counts, struct fault *fault, struct err *err)
{
	struct runner r = {.grid = grid,
		.lanes = lanes,
		.memory = memory,
		.limits = limits,
		.watch = limits && limits->watch && limits->watch->executed ? limits->watch : NULL,
		.touch = limits && limits->watch && limits->watch->accessed ? limits->watch : NULL,
		.races = limits ? limits->races : NULL,
		.warp_turn = limits ? limits->turns.warp_instructions : 0,
		.counts = counts,
		.fault = fault,
		.left = limits && limits->warp_instructions ? limits->warp_instructions
							    : UINT64_MAX,
		.nwarps = grid_cta_warps(grid)};
	const struct program_levels *levels = grid->program->levels;
	struct crowd crowd = {.next = first, .step = step};
	int result;

	if (levels) {
		r.notes = levels->notes;
		r.steps_aside = levels->options.kind == LEVELS_HARDWARE;
	}
	*fault = (struct fault){.kind = FAULT_NONE};
	r.executions = mem_alloc((size_t)grid->program->ninstr + 1, sizeof(*r.executions));
	result = crowd_open(&crowd, &r, err);
	if (!result)
		result = run_all(&crowd, &r);
	if (r.executions)
		count_registers(&r);
	crowd_close(&crowd);
	spin_space_free(&r.room);
	mem_free(r.executions);
	return result;
}
