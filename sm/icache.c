/* Instruction fetch: a warp that enters another line of code waits until its L0 has it (CUPTI:
 * stall_inst_fetch; Nsight: no_instruction). There is no prefetching. A buffer of fewer
 * instructions than a line is filled as in GPGPU-Sim 4.2 (fetch and decode in its
 * src/gpgpu-sim/shader.cc): when it is empty, for one warp a cycle. */
#include "sm/icache.h"

#include "sm/state.h"

void icache_init(struct sm *sm, struct arena *arena, struct err *err)
{
	struct sm_icache *c = &sm->icache;
	const struct fetch_shapes shapes = {
		{"icache.l0", c->p.l0_bytes, c->p.line_bytes, c->p.l0_ways},
		{"icache.l1", c->p.l1_bytes, c->p.line_bytes, c->p.l1_ways},
		(unsigned)sm->p.schedulers};
	uint64_t size = c->p.instruction_bytes;

	if (c->p.mode == FETCH_OFF)
		return;
	if (size & (size - 1))
		err_add(err, ERR_INPUT,
			"icache.instruction_bytes = %llu: must be a power of two, 4, 8 or 16",
			(unsigned long long)size);
	if (c->p.line_bytes & (c->p.line_bytes - 1)) {
		err_add(err, ERR_INPUT, "icache.line_bytes = %llu: must be a power of two",
			(unsigned long long)c->p.line_bytes);
		return;
	}
	c->fetch.tag = TAG_FETCH_CODE;
	fetcher_init(sm, &c->fetch, &shapes, arena, err);
}

void icache_start(struct sm *sm, unsigned w)
{
	sm->icache.line[w] = UINT64_MAX;
	sm->icache.left[w] = 0;
}

static unsigned scheduler_of(const struct sm *sm, unsigned w)
{
	unsigned i = 0;

	while (!(sm->sched[i].mine >> w & 1))
		i++;
	return i;
}

/* Where the warp's next instruction is. */
static uint64_t address_of(const struct sm *sm, const struct warp *warp)
{
	uint64_t at = warp->cta->grid->code_at + warp->stack[warp->depth - 1].pc;

	return FETCH_CODE + at * sm->icache.p.instruction_bytes % FETCH_CODE_BYTES;
}

/* The warp goes on to that instruction: fetches its line, if its buffer has another one. */
static void enter_line(struct sm *sm, unsigned w, uint64_t address, uint64_t cycle)
{
	struct sm_icache *c = &sm->icache;
	struct slot *slot = &sm->slot[w];
	enum fetched found = FETCHED_NEAR;
	uint64_t line = address & ~(c->p.line_bytes - 1);

	if (c->line[w] == line)
		return;
	c->line[w] = line;
	if (c->p.mode == FETCH_REAL)
		found = fetch_look_up(&c->fetch, scheduler_of(sm, w), line, cycle);
	c->s.icache__lines++;
	c->s.icache__lines_lookup_hit += found == FETCHED_NEAR;
	c->s.icache__l1_lines_lookup_hit += found == FETCHED_FAR;
	c->s.icache__lines_missed += found == FETCHED_NOT;
	if (found == FETCHED_FAR) {
		fetch_delay(sm, w, FETCH_WAITS_CODE, fetch_from(sm, w) + c->p.l1_cycles);
	} else if (found == FETCHED_NOT) {
		fetch_request(sm, &c->fetch, w, slot->warp.stack[slot->warp.depth - 1].pc, line);
		fetch_hold(sm, w, FETCH_WAITS_CODE);
	}
}

/* The warp goes on to that instruction: fills its buffer, if that does not have it. */
static void fill_buffer(struct sm *sm, unsigned w, uint64_t address, uint64_t cycle)
{
	struct sm_icache *c = &sm->icache;
	bool has = c->left[w] && c->next[w] == address;
	uint64_t at = max_u64(cycle, c->port);

	c->left[w] = (uint8_t)((has ? c->left[w] : c->p.buffer_instructions) - 1);
	c->next[w] = address + c->p.instruction_bytes;
	if (has)
		return;
	c->port = at + 1;
	fetch_delay(sm, w, FETCH_WAITS_CODE, at + c->p.fetch_cycles);
}

void icache_next(struct sm *sm, unsigned w, uint64_t cycle)
{
	uint64_t address;

	if (!sm->slot[w].warp.depth)
		return;
	address = address_of(sm, &sm->slot[w].warp);
	enter_line(sm, w, address, cycle);
	if (sm->icache.p.buffer_instructions)
		fill_buffer(sm, w, address, cycle);
}

void icache_arrived(struct sm *sm, uint64_t warps, uint64_t ready, uint64_t cycle)
{
	struct sm_icache *c = &sm->icache;

	for (; warps; warps &= warps - 1) {
		unsigned w = low_bit(warps);

		fetch_fill_near(&c->fetch, scheduler_of(sm, w), c->line[w], cycle);
		fetch_release(sm, w, FETCH_WAITS_CODE, ready + c->p.fill_cycles);
		warp_refresh(sm, w, cycle);
	}
}

void icache_close(struct sm *sm)
{
	sm->icache.s.icache__l2_read_bytes = sm->icache.fetch.asked;
}

void icache_audit(const struct sm *sm, struct audit *a)
{
	const struct sm_icache *c = &sm->icache;

	audit_equal(a, sm->base.name, "lines of code entered", c->s.icache__lines, "hit and missed",
		c->s.icache__lines_lookup_hit + c->s.icache__l1_lines_lookup_hit +
			c->s.icache__lines_missed);
	audit_flow(a, sm->base.name, "bytes of code requested", c->fetch.asked, "arrived",
		c->fetch.arrived);
}
