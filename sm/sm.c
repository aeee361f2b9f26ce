/* The SM's life: parameters, storage, its step, its accounts. */
#include "sm/state.h"

TABLES(sm, SM_PARAMS, SM_STATS);
TABLES(sm_l1, L1_PARAMS, L1_STATS);
TABLES(sm_tex, TEX_PARAMS, TEX_STATS);
TABLES(sm_constants, CONST_PARAMS, CONST_STATS);
TABLES(sm_icache, ICACHE_PARAMS, ICACHE_STATS);
static const struct param_def sm_pipes_params[] = {
	OP_CLASSES(PIPE_ROW, sm_pipes) PIPE_MEMORY_PARAMS(PARAM_ROW, sm_pipes)};
static const struct param_def sm_ideal_params[] = {IDEAL_PARAMS(PARAM_ROW, sm_ideal)};
static const struct stat_def sm_pipes_stats[] = {PIPE_STATS(STAT_ROW, sm_pipes)};
static const struct stat_def sm_banks_stats[] = {BANK_STATS(STAT_ROW, sm_banks)};
static const struct stat_def sm_rf_stats[] = {RF_STATS(STAT_ROW, sm_rf)};

const struct param_table sm_param_tables[7] = {
	{"sm", sm_params, ARRAY_LEN(sm_params)},
	{"pipe", sm_pipes_params, ARRAY_LEN(sm_pipes_params)},
	{"l1", sm_l1_params, ARRAY_LEN(sm_l1_params)},
	{"tex", sm_tex_params, ARRAY_LEN(sm_tex_params)},
	{"const", sm_constants_params, ARRAY_LEN(sm_constants_params)},
	{"icache", sm_icache_params, ARRAY_LEN(sm_icache_params)},
	{"ideal", sm_ideal_params, ARRAY_LEN(sm_ideal_params)},
};

/* When no warp can issue in the next cycle: the earliest time at which something can without a
 * message. */
static enum step rest(struct sm *sm, uint64_t cycle)
{
	uint64_t at = min_u64(sm->wheel_due, max_u64(progress_wake(sm), cycle + 1));

	if (active_changes(sm, cycle))
		return STEP_AGAIN;
	for (const struct scheduler *s = sm->sched; s < sm->sched + sm->p.schedulers; s++)
		if (s->issue_free > cycle)
			at = min_u64(at, s->issue_free);
	if (at != UINT64_MAX)
		wake_at(&sm->base, at);
	return STEP_SLEEP;
}

/* Stops the simulation at the end of the window. The first fault is the one that is reported. */
void sm_stop(struct sm *sm, const struct fault *fault, uint32_t launch, uint64_t cycle)
{
	if (sm->fault.fault.kind == FAULT_NONE)
		sm->fault = (struct sm_fault){*fault, launch, cycle};
	sim_stop(sm->base.sim);
}

static enum step step(struct component *c, uint64_t cycle)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);
	bool again, ready;

	if (sm->stepped_cycle == cycle + 1)
		return sm->answer;
	sm->stepped_cycle = cycle + 1;
	profile_settle(sm, cycle);
	if (sm->arbiter.n)
		arbiter_advance(sm, cycle);
	if (sm->wheel_due <= cycle)
		wheel_advance(sm, cycle);
	if (link_peek(sm->reply_in))
		lsu_replies(sm, cycle);
	if (sm->texture.due_n)
		texture_due(sm, cycle);
	if (link_peek(sm->cta_in))
		cta_accept(sm, cycle);
	if (sm->outbox.n)
		outbox_send(sm);
	if (sm->ideal.leaves && !lsu_full(sm))
		ideal_leave(sm, cycle);
	again = sm->queue_n && lsu_step(sm, cycle);
	ready = issue_step(sm, cycle);
	if (sm->cta_finished)
		cta_tell(sm);
	again |= sm->queue_n && sm->l1.tag.reason == TAG_IDLE;
	sm->answer = ready ? STEP_AGAIN : rest(sm, cycle);
	if (again || sm->arbiter.n || sm->ideal.leaves)
		sm->answer = STEP_AGAIN;
	return sm->answer;
}

/* The active warps' next instructions decide what the next cycles read. */
static void warm(const struct component *c, bool early)
{
	const struct sm *sm = CONTAINER_OF(c, const struct sm, base);
	uint64_t active = 0, soon;

	if (early) {
		fetch_256(&sm->resident);
		fetch_256(sm->wheel);
		fetch_256(sm->wheel + SM_WHEEL / 2);
		fetch_256(&sm->sched[0]);
		return;
	}
	fetch_256(sm->reply_in);
	for (unsigned i = 0; i < sm->p.schedulers; i++)
		active |= sm->sched[i].view.active;
	soon = sm->by_reason[REASON_SELECTED] | sm->by_reason[REASON_WAIT] |
	       sm->by_reason[REASON_SHORT_SCOREBOARD];
	for (soon &= active; soon; soon &= soon - 1)
		warp_warm(&sm->slot[low_bit(soon)]);
}

static bool busy(const struct component *c)
{
	const struct sm *sm = CONTAINER_OF(c, struct sm, base);

	return sm->resident || sm->cta_finished || sm->queue_n || sm->ops_used || sm->arbiter.n ||
	       sm->outbox.n;
}

#define REASON_NAME(S, T, id, name, text) #name,
static const char *const reason_names[] = {SM_REASONS(REASON_NAME, 0, 0)};

static void stuck(const struct component *c, struct text *out)
{
	const struct sm *sm = CONTAINER_OF(c, struct sm, base);

	text_add(out,
		"  memory instructions: %u in flight, %u waiting for tags; MSHRs in use: %u\n",
		sm->ops_used, sm->queue_n, mshr_used(sm->l1.mshr) + mshr_used(sm->tex.mshr));
	for (uint64_t set = sm->resident; set; set &= set - 1) {
		const struct slot *slot = &sm->slot[low_bit(set)];
		const struct cta *cta = slot->warp.cta;
		const struct program *prog = slot->warp.program;

		text_add(out, "  warp %u of CTA (%u,%u,%u) of '%s': %s",
			slot->warp.first_tid / WARP_LANES, cta->id[0], cta->id[1], cta->id[2],
			prog->name, reason_names[slot->reason]);
		if (slot->next)
			text_add(
				out, " before PTX line %u", prog->lines[slot->next->line].ptx_line);
		text_add(out, ", %u memory instructions out\n", slot->pending);
	}
}

static const struct component_ops component_ops = {.step = step,
	.busy = busy,
	.warm = warm,
	.stuck = stuck,
	.state = sm_state,
	.probe = &sm_probe};

/* The scheduler of a warp slot. */
static uint8_t place_warp(const struct sm *sm, unsigned w)
{
	if (sm->p.placement == PLACE_BLOCKS)
		return (uint8_t)(w * sm->p.schedulers / sm->p.warps);
	return (uint8_t)(w % sm->p.schedulers);
}

static void make_schedulers(
	struct sm *sm, struct config *settings, struct arena *arena, struct err *err)
{
	static const struct policy_scope place = {"warp scheduler", "sm", "scheduler", "smsp"};

	if (!policy_choose(&sm->policy, &place, sm->p.scheduler, settings, arena, err)) {
		component_policy(&sm->base, &sm->policy);
		sm->choose = sm->policy.ops;
		if (sm->choose->init)
			sm->choose->init(sm->policy.self, (unsigned)sm->p.warps,
				(unsigned)sm->p.schedulers, arena);
	}
	for (unsigned i = 0; i < sm->p.schedulers; i++)
		sm->sched[i] = (struct scheduler){.view = {.age = sm->age,
							  .last = SM_WARPS - 1,
							  .last_active = SM_WARPS - 1,
							  .scheduler = i,
							  .sm = sm},
			.stall = {.reason = REASON_IDLE}};
	for (unsigned w = 0; w < sm->p.warps; w++) {
		sm->sched_of[w] = place_warp(sm, w);
		sm->sched[sm->sched_of[w]].mine |= UINT64_C(1) << w;
	}
}

static void make_lsu(struct sm *sm, struct config *settings, struct arena *arena, struct err *err)
{
	l1_init(sm, settings, arena, err);
	constants_init(sm, arena, err);
	icache_init(sm, arena, err);
	if (sm->icache.p.mode != FETCH_OFF || (sm->choose && sm->choose->issued))
		sm->after_issue = LEARNER_OTHERS;
	sm->fetches = sm->icache.p.mode == FETCH_REAL || sm->constants.p.mode == FETCH_REAL;
	outbox_init(sm, arena);
	sm_tlb_init(sm, arena);
	texture_cache_init(sm, settings, arena, err);
	sm->queue = arena_alloc(arena, sm->p.lsu_queue, sizeof(*sm->queue));
	sm->ops = arena_alloc(arena, sm->p.lsu_ops, sizeof(*sm->ops));
	for (uint32_t i = 0; i < sm->p.lsu_ops; i++)
		sm->ops[i].next_free = i + 1 < sm->p.lsu_ops ? i + 1 : UINT32_MAX;
	sm->log = log_new(arena, sm->c.image, (unsigned)sm->p.store_log);
	sm->memory = log_memory(sm->log);
	sm->memory.texels = &sm->texture.texels;
	sm->texture.due = arena_alloc(arena, sm->p.lsu_ops, sizeof(*sm->texture.due));
	text_init(sm, arena);
	ideal_lines_init(sm, arena);
	ideal_atomics_init(sm, arena);
}

struct component *sm_new(struct partition *part, const struct sm_config *config,
	struct config *settings, struct arena *arena, struct err *err)
{
	struct sm *sm = arena_alloc(arena, 1, sizeof(*sm));

	sm->c = *config;
	sm->wheel_due = UINT64_MAX;
	config_load(settings, "sm", sm_params, ARRAY_LEN(sm_params), sm, err);
	config_load(settings, "pipe", sm_pipes_params, ARRAY_LEN(sm_pipes_params), &sm->pipes, err);
	config_load(settings, "l1", sm_l1_params, ARRAY_LEN(sm_l1_params), &sm->l1, err);
	config_load(settings, "tex", sm_tex_params, ARRAY_LEN(sm_tex_params), &sm->tex, err);
	config_load(settings, "const", sm_constants_params, ARRAY_LEN(sm_constants_params),
		&sm->constants, err);
	config_load(settings, "icache", sm_icache_params, ARRAY_LEN(sm_icache_params), &sm->icache,
		err);
	config_load(
		settings, "ideal", sm_ideal_params, ARRAY_LEN(sm_ideal_params), &sm->ideal, err);
	component_init(&sm->base, part, &component_ops, NULL, config->name, 0);
	if (!sm->c.flit_ps)
		sm->c.flit_ps = sm->base.period_ps;
	port_declare(&sm->base, PORT_IN, "cta", 0, &cta_start_type, &sm->cta_in, false);
	port_declare(&sm->base, PORT_OUT, "done", 0, &cta_done_type, &sm->done_out, false);
	port_declare(&sm->base, PORT_OUT, "request", 0, &packet_type, &sm->request_out, false);
	port_declare(&sm->base, PORT_IN, "reply", 0, &packet_type, &sm->reply_in, false);
	warp_memory_init(sm, arena);
	sm->shared_space = sm->c.max_shared_bytes + sm->p.ctas * LINE_BYTES;
	sm->shared = arena_alloc(arena, 1, sm->shared_space);
	conflicts_init(sm, err);
	arbiter_init(sm, arena, err);
	make_schedulers(sm, settings, arena, err);
	pipes_init(sm, err);
	make_lsu(sm, settings, arena, err);
	sm->context = (struct exec_context){.period_ps = sm->base.period_ps,
		.smid = sm->c.index,
		.nsmid = sm->c.sms,
		.nwarpid = (uint32_t)sm->p.warps};
	return &sm->base;
}

unsigned sm_warp_slots(const struct component *c)
{
	return (unsigned)CONTAINER_OF(c, struct sm, base)->p.warps;
}

/* The parameters without an SM. */
struct sm_numbers {
	struct {
		SM_PARAMS(PARAM_FIELD, sm)
	} p;
};
static const struct param_def sm_numbers[] = {SM_PARAMS(PARAM_ROW, sm_numbers)};

void sm_slots_peek(struct config *config, uint32_t *warps, uint32_t *ctas)
{
	struct sm_numbers n;

	config_peek(config, "sm", sm_numbers, ARRAY_LEN(sm_numbers), &n, NULL);
	*warps = (uint32_t)n.p.warps;
	*ctas = (uint32_t)n.p.ctas;
}

bool sm_executes(const struct component *c, unsigned op_class)
{
	return pipes_exist(CONTAINER_OF(c, const struct sm, base), op_class);
}

unsigned sm_hit_cycles(const struct component *c)
{
	return (unsigned)((const struct sm *)c)->l1.p.hit_cycles;
}

unsigned sm_cta_slots(const struct component *c)
{
	return (unsigned)CONTAINER_OF(c, struct sm, base)->p.ctas;
}

/* One cycle to the tag stage; the reply's last flit may come after its first. */
unsigned sm_load_overhead_cycles(const struct component *c, unsigned bytes)
{
	const struct sm *sm = CONTAINER_OF(c, struct sm, base);
	uint64_t flits = packet_port_data_flits(bytes, &sm->c.reply_port) - 1;
	uint64_t behind = div_up(flits * sm->c.flit_ps, sm->base.period_ps);

	return sm->c.whole_replies ? 1 : 1 + (unsigned)behind;
}

unsigned sm_load_bytes(const struct component *c)
{
	const struct sm *sm = CONTAINER_OF(c, struct sm, base);
	bool keeps = sm->c.max_cache_bytes && sm->l1.p.keeps == L1_KEEPS_ALL;

	return keeps && sm->l1.p.whole_line ? LINE_BYTES : (unsigned)sm->l1.p.sector_bytes;
}

uint64_t sm_to_translate(const struct component *c)
{
	return CONTAINER_OF(c, struct sm, base)->tlb.s.mmu__l1_requests;
}

bool sm_invalidates(const struct component *c)
{
	return CONTAINER_OF(c, struct sm, base)->p.invalidate_l1;
}

struct store_log *sm_log(struct component *c)
{
	return CONTAINER_OF(c, struct sm, base)->log;
}

unsigned sm_slice_of(const struct sm_config *config, uint64_t line)
{
	uint64_t block = line / config->interleave_bytes;

	if (config->own_slice)
		return config->index;
	if (config->slice_hash) {
		const struct hash_ops *ops = config->slice_hash->ops;

		return (unsigned)ops->map(config->slice_hash->self, block, config->slices);
	}
	return (unsigned)(block % config->slices);
}

void sm_route(const struct sm_config *c, struct packet *p)
{
	unsigned slice = sm_slice_of(c, p->line), channels = 2 * c->side_channels, channel;

	p->copy = false;
	p->slice = (uint16_t)slice;
	if (!channels || p->kind != PACKET_READ)
		return;
	channel = slice % channels;
	if (channel / c->side_channels == c->side)
		return;
	p->copy = true;
	p->slice = (uint16_t)(slice - channel + (channel + c->side_channels) % channels);
}

const struct sm_fault *sm_fault(const struct component *c)
{
	return &CONTAINER_OF(c, struct sm, base)->fault;
}

bool sm_fetches(const struct component *c)
{
	const struct sm *sm = CONTAINER_OF(c, struct sm, base);

	return sm->icache.p.mode == FETCH_REAL || sm->constants.p.mode == FETCH_REAL;
}

uint64_t sm_executed(const struct component *c)
{
	return CONTAINER_OF(c, const struct sm, base)->s.smsp__inst_executed;
}

void sm_count_into(struct component *c, uint64_t *instructions_by_launch)
{
	CONTAINER_OF(c, struct sm, base)->by_launch = instructions_by_launch;
}

#define TAKE_REASON(S, T, id, name, text) sm->s.sched__cycles_##name = cycles[REASON_##id];

void sm_close(struct component *c, uint64_t cycle)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);
	uint64_t cycles[REASON_COUNT] = {0};

	profile_settle(sm, cycle);
	for (unsigned i = 0; i < sm->p.schedulers; i++) {
		BUG_ON(stall_close(&sm->sched[i].stall, cycle) != cycle);
		for (unsigned r = 0; r < REASON_COUNT; r++)
			cycles[r] += sm->sched[i].stall.cycles[r];
	}
	SM_REASONS(TAKE_REASON, 0, 0)
	sm_count_occupancy(sm, cycle);
	registers_close(sm);
	conflicts_close(sm);
	work_close(sm);
	pipes_close(sm);
	lsu_close(sm, cycle);
	constants_close(sm);
	icache_close(sm);
}

void sm_close_registers(struct component *c)
{
	registers_close(CONTAINER_OF(c, struct sm, base));
}

uint64_t sm_reason_cycles(const struct component *c, enum sm_reason reason)
{
	const struct sm *sm = CONTAINER_OF(c, const struct sm, base);
	uint64_t cycles = 0;

	for (unsigned i = 0; i < sm->p.schedulers; i++)
		cycles += sm->sched[i].stall.cycles[reason];
	return cycles;
}

static void visit_table(
	const struct stat_def *defs, size_t n, const void *base, sm_stat_fn *visit, void *ctx)
{
	for (size_t i = 0; i < n; i++)
		visit(ctx, &defs[i], (const void *)((const char *)base + defs[i].offset));
}

void sm_visit_stats(const struct component *c, sm_stat_fn *visit, void *ctx)
{
	const struct sm *sm = CONTAINER_OF(c, struct sm, base);

	visit_table(sm_stats, ARRAY_LEN(sm_stats), sm, visit, ctx);
	visit_table(sm_pipes_stats, ARRAY_LEN(sm_pipes_stats), &sm->pipes, visit, ctx);
	visit_table(sm_l1_stats, ARRAY_LEN(sm_l1_stats), &sm->l1, visit, ctx);
	visit_table(sm_tex_stats, ARRAY_LEN(sm_tex_stats), &sm->tex, visit, ctx);
	if (sm->tlb.pages)
		visit_table(sm_tlb_stats, ARRAY_LEN(sm_tlb_stats), &sm->tlb, visit, ctx);
	visit_table(sm_constants_stats, ARRAY_LEN(sm_constants_stats), &sm->constants, visit, ctx);
	visit_table(sm_icache_stats, ARRAY_LEN(sm_icache_stats), &sm->icache, visit, ctx);
	visit_table(sm_banks_stats, ARRAY_LEN(sm_banks_stats), &sm->banks, visit, ctx);
	visit_table(sm_rf_stats, ARRAY_LEN(sm_rf_stats), &sm->rf, visit, ctx);
}
