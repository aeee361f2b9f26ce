/* The signals of an SM: warps by what they wait for, CTAs, queues, and the reasons for its
 * schedulers' cycles. */
#include "sm/state.h"

#define REASON_STATE(S, T, id, name, text) [REASON_##id] = #name,
static const char *const reasons[REASON_COUNT] = {SM_REASONS(REASON_STATE, 0, 0)};

static struct sm *sm_of(struct component *c)
{
	return CONTAINER_OF(c, struct sm, base);
}

static unsigned count(const struct component *c)
{
	return (unsigned)(sm_probe.n - SM_SCHEDULERS +
			  CONTAINER_OF(c, const struct sm, base)->p.schedulers);
}

/* sm__warps_active, as if it had been summed up to (not including) that cycle. */
static uint64_t warp_cycles(const struct sm *sm, uint64_t cycle)
{
	return sm->s.sm__warps_active + (cycle - sm->counted_to) * count_bits(sm->resident);
}

static void before_warps(struct component *c, unsigned arg, uint64_t cycle)
{
	(void)arg;
	sm_of(c)->seen.warp_cycles = warp_cycles(sm_of(c), cycle);
}

/* Some warps that leave in a cycle were resident in it still: only the statistic knows. */
static uint64_t get_warps(struct component *c, unsigned arg, uint64_t cycle)
{
	(void)arg;
	return warp_cycles(sm_of(c), cycle + 1) - sm_of(c)->seen.warp_cycles;
}

static uint64_t settled_warps(struct component *c, unsigned arg)
{
	(void)arg;
	return count_bits(sm_of(c)->resident);
}

static uint64_t get_active(struct component *c, unsigned arg, uint64_t cycle)
{
	const struct sm *sm = sm_of(c);
	uint64_t active = 0;

	(void)arg;
	(void)cycle;
	for (unsigned i = 0; i < sm->p.schedulers; i++)
		active |= sm->sched[i].view.active;
	return count_bits(active & sm->resident);
}

static const void *where_l1_mshrs(const struct component *c)
{
	return mshr_used_at(CONTAINER_OF(c, const struct sm, base)->l1.mshr);
}

static const void *where_tex_mshrs(const struct component *c)
{
	return mshr_used_at(CONTAINER_OF(c, const struct sm, base)->tex.mshr);
}

/* The scheduler's cycles by reason up to (not including) that cycle. */
static uint64_t owned(const struct stall *s, unsigned reason, uint64_t cycle)
{
	return s->cycles[reason] + (reason == s->reason ? cycle - s->since : 0);
}

static void before_owner(struct component *c, unsigned i, uint64_t cycle)
{
	struct sm *sm = sm_of(c);

	for (unsigned r = 0; r < REASON_COUNT; r++)
		sm->seen.owned[i][r] = owned(&sm->sched[i].stall, r, cycle);
}

/* The one that has a cycle more. */
static uint64_t get_owner(struct component *c, unsigned i, uint64_t cycle)
{
	const struct sm *sm = sm_of(c);
	unsigned r = 0;

	while (r < REASON_COUNT - 1 &&
		owned(&sm->sched[i].stall, r, cycle + 1) == sm->seen.owned[i][r])
		r++;
	return r;
}

static uint64_t settled_owner(struct component *c, unsigned i)
{
	return sm_of(c)->sched[i].stall.reason;
}

#define AT(field) .offset = offsetof(struct sm, field), .bytes = sizeof(((struct sm *)NULL)->field)
#define WARPS(name_, reason, text_) \
	{ \
		.name = name_, .kind = SIGNAL_LEVEL, .bits = 7, .unit = "warps", .text = text_, \
		.ones = true, AT(by_reason[reason]) \
	}
#define SCHEDULER(name_, i) \
	{ \
		.name = name_, .kind = SIGNAL_STATE, .bits = 4, .unit = "", \
		.text = "The reason for this scheduler's cycle, as in sched__cycles_*.", \
		.states = reasons, .nstates = REASON_COUNT, .get = get_owner, \
		.before = before_owner, .settled = settled_owner, .arg = (i) \
	}

static const struct signal_def defs[] = {
	{.name = "warps_resident",
		.kind = SIGNAL_LEVEL,
		.bits = 7,
		.unit = "warps",
		.text = "Resident warps: their integral is sm__warps_active.",
		.get = get_warps,
		.before = before_warps,
		.settled = settled_warps},
	{.name = "warps_active",
		.kind = SIGNAL_LEVEL,
		.bits = 7,
		.unit = "warps",
		.text = "Warps in the schedulers' active sets.",
		.get = get_active},
	WARPS("warps_eligible", REASON_SELECTED, "Warps whose next instruction has its operands."),
	WARPS("warps_wait", REASON_WAIT, "Warps that wait for a fixed latency."),
	WARPS("warps_short_scoreboard", REASON_SHORT_SCOREBOARD,
		"Warps that wait for shared memory or the SFU."),
	WARPS("warps_long_scoreboard", REASON_LONG_SCOREBOARD,
		"Warps that wait for cache or memory."),
	WARPS("warps_barrier", REASON_BARRIER, "Warps that wait at a barrier."),
	WARPS("warps_membar", REASON_MEMBAR, "Warps that wait for a fence."),
	WARPS("warps_lg_throttle", REASON_LG_THROTTLE,
		"Warps that wait for space in the log of stores."),
	WARPS("warps_drain", REASON_DRAIN,
		"Warps that have exited and wait for their last accesses."),
	{.name = "ctas_resident",
		.kind = SIGNAL_LEVEL,
		.bits = 7,
		.unit = "CTAs",
		.text = "Resident CTAs.",
		.ones = true,
		AT(cta_used)},
	{.name = "lsu_queue",
		.kind = SIGNAL_LEVEL,
		.bits = 7,
		.unit = "instructions",
		.text = "Memory instructions that wait for the tag stage.",
		AT(queue_n)},
	{.name = "memory_instructions",
		.kind = SIGNAL_LEVEL,
		.bits = 13,
		.unit = "instructions",
		.text = "Memory instructions in flight.",
		AT(ops_used)},
	{.name = "l1_mshrs",
		.kind = SIGNAL_LEVEL,
		.bits = 13,
		.unit = "lines",
		.text = "Lines outstanding in the L1.",
		.bytes = 4,
		.where = where_l1_mshrs},
	{.name = "tex_mshrs",
		.kind = SIGNAL_LEVEL,
		.bits = 13,
		.unit = "lines",
		.text = "Lines outstanding in the texture cache.",
		.bytes = 4,
		.where = where_tex_mshrs},
	{.name = "instructions",
		.kind = SIGNAL_SUM,
		.bits = 64,
		.unit = "instructions",
		.text = "Warp instructions: smsp__inst_executed.",
		AT(s.smsp__inst_executed)},
	{.name = "threads",
		.kind = SIGNAL_SUM,
		.bits = 64,
		.unit = "instructions",
		.text = "Their lanes: smsp__thread_inst_executed.",
		AT(s.smsp__thread_inst_executed)},
	SCHEDULER("scheduler_0", 0),
	SCHEDULER("scheduler_1", 1),
	SCHEDULER("scheduler_2", 2),
	SCHEDULER("scheduler_3", 3),
};

const struct probe_ops sm_probe = {
	.defs = defs,
	.n = ARRAY_LEN(defs),
	.count = count,
	.events = 4 * SM_SCHEDULERS + 4,
};
