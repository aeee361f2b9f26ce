/* Instruction fetch: a warp that enters another line of code waits until its L0 has it (CUPTI:
 * stall_inst_fetch; Nsight: no_instruction); a stream buffer asks for lines ahead. A buffer of
 * fewer instructions than a line is filled as in GPGPU-Sim 4.2 (fetch and decode in its
 * src/gpgpu-sim/shader.cc): when it is empty, for one warp a cycle. */
#include "sm/icache.h"

#include "sm/state.h"

#define ON_ITS_WAY UINT64_MAX /* from the L2: ready later */

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
	sm->outbox.others += 2 * (FETCH_OUT - FETCH_LINES);
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

/* ---- the stream buffer */
/* Takes the line from the stream, with those before it. False: the stream does not have it. */
static bool stream_take(struct icache_stream *stream, uint64_t line, uint64_t size, uint64_t *ready)
{
	uint64_t i = (line - stream->first) / size;

	if (line < stream->first || i >= stream->lines)
		return false;
	*ready = stream->ready[i];
	stream->lines -= (unsigned)i + 1;
	memmove(stream->ready, stream->ready + i + 1, stream->lines * sizeof(*stream->ready));
	stream->first = line + size;
	return true;
}

/* Asks for what the stream lacks. The L1 gives a line a cycle. */
static void stream_fill(struct sm *sm, unsigned w, struct icache_stream *stream, uint64_t cycle)
{
	struct sm_icache *c = &sm->icache;
	const struct warp *warp = &sm->slot[w].warp;

	for (unsigned asked = 1; stream->lines < c->p.prefetch_lines; asked++) {
		uint64_t line = stream->first + stream->lines * c->p.line_bytes;
		uint64_t *ready = &stream->ready[stream->lines];

		if (line >= FETCH_CODE + FETCH_CODE_BYTES)
			return;
		if (fetch_far_has(&c->fetch, line, cycle))
			*ready = cycle + c->p.l1_cycles + asked;
		else if (fetch_ahead(sm, &c->fetch, w, warp->stack[warp->depth - 1].pc, line))
			*ready = ON_ITS_WAY;
		else
			return;
		stream->lines++;
		c->s.icache__lines_prefetched++;
	}
}

static void stream_arrived(
	struct sm_icache *c, struct icache_stream *stream, uint64_t line, uint64_t ready)
{
	uint64_t i = (line - stream->first) / c->p.line_bytes;

	if (line >= stream->first && i < stream->lines && stream->ready[i] == ON_ITS_WAY)
		stream->ready[i] = ready;
}

/* ---- warps that go on to an instruction */
/* The line, which the L0 does not have, from the stream, the L1 or the L2: the cycle from which the
 * warp can issue it, or ON_ITS_WAY. */
static uint64_t fetch_line(struct sm *sm, unsigned w, unsigned s, uint64_t line, uint64_t cycle)
{
	struct sm_icache *c = &sm->icache;
	struct icache_stream *stream = &c->stream[s];
	uint64_t ready;

	if (stream_take(stream, line, c->p.line_bytes, &ready)) {
		c->s.icache__stream_lines_lookup_hit++;
	} else if (fetch_far_has(&c->fetch, line, cycle)) {
		c->s.icache__l1_lines_lookup_hit++;
		ready = fetch_from(sm, w) + c->p.l1_cycles;
	} else {
		c->s.icache__lines_missed++;
		ready = ON_ITS_WAY;
	}
	if (stream->first != line + c->p.line_bytes)
		*stream = (struct icache_stream){.first = line + c->p.line_bytes};
	return ready;
}

/* Fetches the instruction's line, if the warp's buffer has another one. */
static void enter_line(struct sm *sm, unsigned w, uint64_t address, uint64_t cycle)
{
	struct sm_icache *c = &sm->icache;
	unsigned s = scheduler_of(sm, w);
	uint64_t line = address & ~(c->p.line_bytes - 1), ready;

	if (c->line[w] == line)
		return;
	c->line[w] = line;
	c->s.icache__lines++;
	if (c->p.mode != FETCH_REAL || fetch_near_has(&c->fetch, s, line, cycle)) {
		c->s.icache__lines_lookup_hit++;
		return;
	}
	ready = fetch_line(sm, w, s, line, cycle);
	if (ready == ON_ITS_WAY) {
		const struct warp *warp = &sm->slot[w].warp;

		fetch_request(sm, &c->fetch, w, warp->stack[warp->depth - 1].pc, line);
		fetch_hold(sm, w, FETCH_WAITS_CODE);
	} else {
		fetch_fill_near(&c->fetch, s, line, cycle);
		fetch_delay(sm, w, FETCH_WAITS_CODE, ready);
	}
	stream_fill(sm, w, &c->stream[s], cycle);
}

/* Fills the warp's buffer, if that does not have the instruction. */
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

void icache_arrived(struct sm *sm, uint64_t line, uint64_t warps, uint64_t ready, uint64_t cycle)
{
	struct sm_icache *c = &sm->icache;

	for (unsigned s = 0; s < c->fetch.nears; s++)
		stream_arrived(c, &c->stream[s], line, ready + c->p.fill_cycles);
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
		c->s.icache__lines_lookup_hit + c->s.icache__stream_lines_lookup_hit +
			c->s.icache__l1_lines_lookup_hit + c->s.icache__lines_missed);
	audit_flow(a, sm->base.name, "bytes of code requested", c->fetch.asked, "arrived",
		c->fetch.arrived);
}
