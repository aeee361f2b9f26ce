/* Constants and kernel parameters: a word a cycle for all lanes that want it, and one line after
 * the other; a line that is not in the L1 holds the warp (CUPTI: stall_constant_memory_dependency;
 * Nsight: imc_miss). */
#include "sm/constants.h"

#include "sm/state.h"

void constants_init(struct sm *sm, struct arena *arena, struct err *err)
{
	struct sm_constants *c = &sm->constants;
	const struct fetch_shapes shapes = {
		{"const.l1", c->p.l1_bytes, c->p.l1_line_bytes, c->p.l1_ways},
		{"const.l15", c->p.l15_bytes, c->p.l15_line_bytes, c->p.l15_ways}, 1};

	if (c->p.mode == FETCH_OFF)
		return;
	if (c->p.l15_cycles < c->p.l1_cycles)
		err_add(err, ERR_INPUT,
			"const.l15_cycles = %llu: must be at least const.l1_cycles = %llu",
			(unsigned long long)c->p.l15_cycles, (unsigned long long)c->p.l1_cycles);
	fetcher_init(sm, &c->fetch, &shapes, arena, err);
	c->load = arena_alloc(arena, sm->p.warps, sizeof(*c->load));
}

/* The lines of the access, in order of first lane. */
static void find_lines(
	const struct sm_constants *c, const struct access *a, uint64_t base, struct const_load *l)
{
	for (uint32_t m = a->mask; m; m &= m - 1) {
		uint64_t line = (base + a->addr[low_bit(m)]) & ~(c->p.l1_line_bytes - 1);
		unsigned i = 0;

		while (i < l->n && l->line[i] != line)
			i++;
		if (i == l->n)
			l->line[l->n++] = line;
	}
}

/* Its different addresses. */
static unsigned count_words(const struct access *a)
{
	unsigned n = 0;

	for (uint32_t left = a->mask; left; n++) {
		uint64_t address = a->addr[low_bit(left)];

		for (uint32_t m = left; m; m &= m - 1)
			if (a->addr[low_bit(m)] == address)
				left &= ~(m & -m);
	}
	return n;
}

/* Looks up what is left of the load, up to a line that is in no cache. */
static void proceed(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct sm_constants *c = &sm->constants;
	struct const_load *l = &c->load[w];
	uint64_t latency = c->p.l1_cycles;

	for (; l->at < l->n; l->at++) {
		enum fetched found = FETCHED_NEAR;

		if (c->p.mode == FETCH_REAL)
			found = fetch_look_up(&c->fetch, 0, l->line[l->at], cycle);
		c->s.const__lines++;
		c->s.const__lines_lookup_hit += found == FETCHED_NEAR;
		c->s.const__l15_lines_lookup_hit += found == FETCHED_FAR;
		l->late |= found != FETCHED_NEAR;
		if (found == FETCHED_FAR)
			l->ready += c->p.l15_cycles - c->p.l1_cycles;
		if (found != FETCHED_NOT)
			continue;
		c->s.const__lines_missed++;
		fetch_request(sm, &c->fetch, w, (uint32_t)(l->in - sm->slot[w].warp.program->code),
			l->line[l->at]);
		fetch_hold(sm, w, FETCH_WAITS_CONSTANT);
		return;
	}
	if (l->parameter)
		latency = c->p.parameter_cycles ? c->p.parameter_cycles : sm->p.alu_cycles;
	warp_results(sm, w, l->in,
		READY_CODE(l->ready + latency, l->parameter ? READY_FIXED : READY_SHORT));
	if (l->late)
		fetch_delay(sm, w, FETCH_WAITS_CONSTANT, l->ready);
}

void constants_issue(
	struct sm *sm, unsigned w, const struct instr *in, const struct access *a, uint64_t cycle)
{
	uint64_t launch = sm->slot[w].warp.cta->grid->gridid;
	struct sm_constants *c = &sm->constants;
	struct const_load *l = &c->load[w];
	unsigned words = sm->ideal.p.constants ? 1 : count_words(a);
	uint64_t base = a->space == SPACE_PARAM ? FETCH_PARAMETERS + launch % 16384 * 4096 : 0;

	l->in = in;
	l->n = l->at = 0;
	l->parameter = a->space == SPACE_PARAM;
	l->late = false;
	find_lines(c, a, base, l);
	if (sm->ideal.p.constants && l->n)
		l->n = 1;
	l->ready = max_u64(cycle, c->free) + words - 1;
	c->free = l->ready + 1;
	c->s.const__requests++;
	c->s.const__passes += words;
	proceed(sm, w, cycle);
}

void constants_arrived(struct sm *sm, uint64_t warps, uint64_t ready, uint64_t cycle)
{
	struct sm_constants *c = &sm->constants;

	for (; warps; warps &= warps - 1) {
		unsigned w = low_bit(warps);
		struct const_load *l = &c->load[w];

		fetch_fill_near(&c->fetch, 0, l->line[l->at++], cycle);
		l->ready = max_u64(l->ready, ready + c->p.fill_cycles);
		fetch_release(sm, w, FETCH_WAITS_CONSTANT, l->ready);
		proceed(sm, w, cycle);
		warp_refresh(sm, w, cycle);
	}
}

void constants_close(struct sm *sm)
{
	sm->constants.s.const__l2_read_bytes = sm->constants.fetch.asked;
}

void constants_audit(const struct sm *sm, struct audit *a)
{
	const struct sm_constants *c = &sm->constants;

	audit_equal(a, sm->base.name, "lines of constants looked up", c->s.const__lines,
		"hit and missed",
		c->s.const__lines_lookup_hit + c->s.const__l15_lines_lookup_hit +
			c->s.const__lines_missed);
	audit_flow(a, sm->base.name, "bytes of constants requested", c->fetch.asked, "arrived",
		c->fetch.arrived);
}
