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

/* Warps were descheduled. Those that have exited have nothing to lose. */
void registers_step_aside(struct sm *sm, uint64_t warps)
{
	for (; warps; warps &= warps - 1) {
		struct slot *slot = &sm->slot[low_bit(warps)];

		if (!slot->next)
			continue;
		exec_deschedule(&slot->warp);
		sm->rf.traffic.deschedules++;
	}
}

#define RF_COPY(S, T, name, unit, text) sm->rf.s.rf__##name = sm->rf.traffic.name;

void registers_close(struct sm *sm)
{
	unpack(&sm->rf);
	take_peak(&sm->rf);
	LEVEL_TRAFFIC(RF_COPY, 0, 0)
}
