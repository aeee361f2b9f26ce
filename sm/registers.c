/* Accesses to the register file hierarchy of an SM, window by window. */
#include "sm/state.h"

static void unpack(struct sm_rf *rf)
{
	level_traffic_add(&rf->traffic, &rf->packed, 1);
	rf->packed = (struct level_counts){0};
}

static void take_peak(struct sm_rf *rf)
{
	rf->s.rf__mrf_reads_window =
		max_u64(rf->s.rf__mrf_reads_window, rf->traffic.mrf_reads - rf->reads_before);
}

void registers_window(struct sm *sm, uint64_t cycle)
{
	struct sm_rf *rf = &sm->rf;

	unpack(rf);
	take_peak(rf);
	rf->reads_before = rf->traffic.mrf_reads;
	rf->window_end = (cycle / SM_RF_WINDOW + 1) * SM_RF_WINDOW;
}

/* The next instruction waits inside a strand: for a result that other lanes asked for, in an arm of
 * a branch that the warp executed before this one. The compiler, which sees one arm or the other,
 * ended no strand there, so what the upper levels hold is kept. */
static bool keeps_entries(const struct warp *w)
{
	const struct program_levels *levels = w->program->levels;

	return levels && levels->options.kind == LEVELS_SOFTWARE &&
	       levels->notes[w->stack[w->depth - 1].pc].strand == STRAND_INSIDE;
}

/* Warps were descheduled. Those that have exited have nothing to lose. */
void registers_step_aside(struct sm *sm, uint64_t warps)
{
	for (; warps; warps &= warps - 1) {
		struct slot *slot = &sm->slot[low_bit(warps)];

		if (!slot->next)
			continue;
		if (!keeps_entries(&slot->warp))
			exec_deschedule(&slot->warp);
		sm->rf.traffic.deschedules++;
	}
}

#define RF_COPY(S, T, name, unit, text) sm->rf.s.rf__##name = sm->rf.traffic.name;

/* Where power is counted over time, most SMs of a short launch have nothing new. */
void registers_close(struct sm *sm)
{
	uint64_t now = sm->s.smsp__inst_issued + sm->rf.traffic.deschedules;

	if (now == sm->rf.closed)
		return;
	sm->rf.closed = now;
	unpack(&sm->rf);
	take_peak(&sm->rf);
	LEVEL_TRAFFIC(RF_COPY, 0, 0)
}
