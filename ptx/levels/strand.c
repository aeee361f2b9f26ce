/* Strands of a decoded program (Gebhart's dissertation, section 6.3): sequences of instructions
 * that never consume a long-latency result requested within.
 *
 * A strand is entered only at its first instruction, so every lane that executes one of its
 * instructions has executed the first. Control within a strand is forward only, unless the limit
 * study lets it contain backward branches. The upper levels are private to a lane; their contents
 * are lost when the lane begins a strand, or when its warp is descheduled while the lane waits
 * elsewhere. So the arms of a branch and their reconvergence point begin strands if a lane can be
 * descheduled between them. Arms may then execute in either order. */
#include "ptx/levels/strand.h"

#include <string.h>

#define LONGEST_STRAND 16384u /* instructions; a longer strand is split */
#define VISITS_MOST 32u       /* of each block on average, before loops are assumed to wait */

struct marking {
	const struct program *p;
	const struct instr *code;
	const struct levels_options *options;
	struct flow flow;
	struct reg_sets pending; /* by block: long-latency results pending at its end */
	uint64_t *now;
	uint8_t *mark;
	uint32_t *queue, head, tail; /* worklist: a ring of blocks */
	bool *queued;
	bool *loses; /* by block: lanes that diverge at its end may lose their entries */
	struct region_walk walk;
};

bool is_long_latency(const struct instr *in)
{
	switch ((enum action)in->action) {
	case ACT_TEXTURE:
	case ACT_SURFACE:
		return in->ndst > 0;
	case ACT_LOAD:
	case ACT_ATOM:
		return in->space != SPACE_SHARED && in->space != SPACE_PARAM &&
		       in->space != SPACE_CONST;
	case ACT_ASYNC:
		return in->op == ASYNC_WAIT;
	default:
		return false;
	}
}

struct reg_sets reg_sets_new(const struct program *p, uint32_t n, struct arena *work)
{
	struct reg_sets s = {.words = p->regs / 64 + 1};

	s.bits = arena_alloc(work, (size_t)n * s.words + 1, sizeof(*s.bits));
	return s;
}

static void begin(struct marking *m, uint32_t i)
{
	if (i < m->p->ninstr && m->mark[i] == STRAND_INSIDE)
		m->mark[i] = STRAND_BEGINS;
}

/* ---- pending results. */

static bool meets(const uint64_t *pending, const struct operand *o, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		for (uint32_t w = 0; o[k].kind == OPND_REG && w < o[k].words; w++)
			if (set_has(pending, o[k].index + w))
				return true;
	return false;
}

static void ask(uint64_t *pending, const struct instr *in)
{
	for (unsigned d = 0; d < in->ndst; d++)
		for (uint32_t w = 0; in->dst[d].kind == OPND_REG && w < in->dst[d].words; w++)
			set_add(pending, in->dst[d].index + w);
}

/* A mark is never cleared, so the iteration terminates. */
static void run_block(struct marking *m, uint32_t b)
{
	for (uint32_t i = m->flow.first[b]; i < m->flow.first[b + 1]; i++) {
		const struct instr *in = &m->code[i];

		if (meets(m->now, in->src, in->nsrc) || meets(m->now, in->dst, in->ndst))
			m->mark[i] = STRAND_WAITS;
		if (m->mark[i] == STRAND_WAITS)
			memset(m->now, 0, m->pending.words * sizeof(*m->now));
		if (is_long_latency(in))
			ask(m->now, in);
	}
}

static void enqueue(struct marking *m, uint32_t b)
{
	uint32_t size = m->flow.nblocks + m->flow.nfunctions;

	if (m->queued[b])
		return;
	m->queued[b] = true;
	m->queue[m->tail] = b;
	m->tail = (m->tail + 1) % (size + 1);
}

static void visit(struct marking *m)
{
	const struct flow *f = &m->flow;
	uint32_t b = m->queue[m->head], words = m->pending.words;
	uint64_t *out = set_of(&m->pending, b);

	m->head = (m->head + 1) % (f->nblocks + f->nfunctions + 1);
	m->queued[b] = false;
	memset(m->now, 0, words * sizeof(*m->now));
	for (uint32_t e = f->pred_first[b]; e < f->pred_first[b + 1]; e++)
		for (uint32_t k = 0; k < words; k++)
			m->now[k] |= set_of(&m->pending, f->pred[e])[k];
	if (b < f->nblocks)
		run_block(m, b);
	if (!memcmp(out, m->now, words * sizeof(*out)))
		return;
	memcpy(out, m->now, words * sizeof(*out));
	for (uint32_t e = f->succ_first[b]; e < f->succ_first[b + 1]; e++)
		enqueue(m, f->succ[e]);
}

/* Marks a wait at the target of every edge that does not lead forward: every cycle of the flow
 * graph has such an edge. Ends of functions are numbered last, so every return point is marked as
 * well. */
static void wait_in_loops(struct marking *m)
{
	const struct flow *f = &m->flow;

	for (uint32_t b = 0; b < f->nblocks + f->nfunctions; b++) {
		for (uint32_t e = f->succ_first[b]; e < f->succ_first[b + 1]; e++)
			if (f->succ[e] <= b)
				m->mark[f->first[f->succ[e]]] = STRAND_WAITS;
		enqueue(m, b);
	}
}

static void find_waits(struct marking *m)
{
	uint32_t n = m->flow.nblocks + m->flow.nfunctions;
	uint64_t visits = 0;

	for (uint32_t b = 0; b < n; b++)
		enqueue(m, b);
	while (m->head != m->tail) {
		if (++visits == (uint64_t)VISITS_MOST * n)
			wait_in_loops(m);
		visit(m);
	}
}

/* Blocks whose predecessors differ in what is pending. */
static void mark_merges(struct marking *m)
{
	const struct flow *f = &m->flow;
	size_t bytes = m->pending.words * sizeof(uint64_t);

	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t e = f->pred_first[b] + 1; e < f->pred_first[b + 1]; e++)
			if (memcmp(set_of(&m->pending, f->pred[e]),
				    set_of(&m->pending, f->pred[e - 1]), bytes))
				begin(m, f->first[b]);
}

/* ---- strands that control flow begins. */

static bool deschedules(const struct instr *in)
{
	return in->unit == UNIT_BARRIER || in->unit == UNIT_FENCE;
}

static void mark_branch(struct marking *m, uint32_t b)
{
	const struct flow *f = &m->flow;
	uint32_t last = f->first[b + 1] - 1;
	bool indexed = m->code[last].nsrc > 0;

	for (uint32_t e = f->succ_first[b]; e < f->succ_first[b + 1]; e++) {
		uint32_t to = f->first[f->succ[e]];
		bool back = to <= last && !m->options->keep_past_branches;

		if (indexed || back)
			begin(m, to);
		if (back)
			begin(m, last + 1);
	}
	if (!indexed)
		return;
	begin(m, last); /* other lanes may execute it again */
	if (m->code[last].reconv != NO_RECONV)
		begin(m, m->code[last].reconv);
}

static void mark_control(struct marking *m)
{
	const struct flow *f = &m->flow;

	begin(m, 0);
	for (uint32_t i = 0; i < m->p->ninstr; i++) {
		if (m->code[i].action == ACT_CALL) {
			begin(m, m->code[i].target);
			begin(m, i + 1);
		}
		if (deschedules(&m->code[i]) && !m->options->keep_past_waits)
			begin(m, i + 1);
	}
	for (uint32_t b = 0; b < f->nblocks; b++)
		if (m->code[f->first[b + 1] - 1].action == ACT_BRANCH)
			mark_branch(m, b);
}

/* ---- lanes that wait for divergent ones. */

static bool block_loses(void *ctx, uint32_t b)
{
	const struct marking *m = ctx;

	if (m->loses[b])
		return true;
	for (uint32_t i = m->flow.first[b]; i < m->flow.first[b + 1]; i++)
		if (m->mark[i] == STRAND_WAITS || deschedules(&m->code[i]) ||
			m->code[i].action == ACT_CALL)
			return true;
	return false;
}

/* A nested branch whose own region loses entries counts as well: its lanes may leave the region on
 * another path and pass this reconvergence point without stopping. */
static bool find_losing(struct marking *m)
{
	bool any = false, all;

	for (uint32_t b = 0; b < m->flow.nblocks; b++) {
		if (m->loses[b] || !flow_parts(&m->flow, b))
			continue;
		m->loses[b] = region_walk(&m->walk, b, block_loses, m, &all) || all;
		any |= m->loses[b];
	}
	return any;
}

static void mark_arms(struct marking *m)
{
	const struct flow *f = &m->flow;

	while (find_losing(m))
		continue;
	for (uint32_t b = 0; b < f->nblocks; b++) {
		const struct instr *in = &m->code[f->first[b + 1] - 1];

		if (!m->loses[b])
			continue;
		for (uint32_t e = f->succ_first[b]; e < f->succ_first[b + 1]; e++)
			begin(m, f->first[f->succ[e]]);
		if (in->reconv != NO_RECONV)
			begin(m, in->reconv);
	}
}

/* ---- strands. */

struct numbering {
	struct marking *m;
	uint32_t *strand, *length; /* by instruction; by strand */
	uint32_t n;
};

/* The strand from which all forward edges enter the block; NO_STRAND: none. */
static uint32_t strand_before(const struct numbering *s, uint32_t b)
{
	const struct flow *f = &s->m->flow;
	uint32_t found = NO_STRAND;

	for (uint32_t e = f->pred_first[b]; e < f->pred_first[b + 1]; e++) {
		uint32_t from = f->pred[e], strand;

		if (from >= f->nblocks)
			return NO_STRAND;
		if (from >= b)
			continue;
		strand = s->strand[f->first[from + 1] - 1];
		if (found != NO_STRAND && found != strand)
			return NO_STRAND;
		found = strand;
	}
	return found;
}

static void number_all(struct numbering *s)
{
	const struct flow *f = &s->m->flow;

	s->n = 0;
	for (uint32_t i = 0; i < f->p->ninstr; i++) {
		uint32_t b = f->block[i], strand = NO_STRAND;

		if (s->m->mark[i] == STRAND_INSIDE)
			strand = f->first[b] == i ? strand_before(s, b) : s->strand[i - 1];
		if (strand == NO_STRAND || s->length[strand] == LONGEST_STRAND) {
			begin(s->m, i);
			strand = s->n++;
			s->length[strand] = 0;
		}
		s->length[strand]++;
		s->strand[i] = strand;
	}
}

/* Backward edges, where a strand may contain them, must come from the same strand. */
static bool close_loops(const struct numbering *s)
{
	const struct flow *f = &s->m->flow;
	bool any = false;

	for (uint32_t b = 0; b < f->nblocks; b++) {
		if (s->m->mark[f->first[b]] != STRAND_INSIDE)
			continue;
		for (uint32_t e = f->pred_first[b]; e < f->pred_first[b + 1]; e++) {
			uint32_t last = f->first[f->pred[e] + 1] - 1;

			if (s->strand[last] == s->strand[f->first[b]])
				continue;
			begin(s->m, f->first[b]);
			any = true;
		}
	}
	return any;
}

static void number_strands(struct marking *m, struct strands *out, struct arena *work)
{
	uint32_t n = m->p->ninstr;
	struct numbering s = {.m = m,
		.strand = arena_alloc(work, n + 1, sizeof(uint32_t)),
		.length = arena_alloc(work, n + 1, sizeof(uint32_t))};
	bool *leader = arena_alloc(work, n + 1, sizeof(*leader));

	do
		number_all(&s);
	while (close_loops(&s));
	for (uint32_t i = 0; i < n; i++)
		leader[i] = m->mark[i] != STRAND_INSIDE;
	flow_build(&out->flow, m->p, m->code, leader, work);
	out->mark = m->mark;
	out->strand = s.strand;
	out->n = s.n;
}

void strands_mark(struct strands *out, const struct program *p, const struct instr *code,
	const struct levels_options *options, struct arena *work)
{
	struct marking m = {.p = p, .code = code, .options = options};
	bool *none = arena_alloc(work, p->ninstr + 1, sizeof(*none));
	uint32_t n;

	flow_build(&m.flow, p, code, none, work);
	n = m.flow.nblocks + m.flow.nfunctions;
	m.mark = arena_alloc(work, p->ninstr + 1, sizeof(*m.mark));
	m.pending = reg_sets_new(p, n, work);
	m.now = reg_sets_new(p, 1, work).bits;
	m.queue = arena_alloc(work, n + 1, sizeof(*m.queue));
	m.queued = arena_alloc(work, n + 1, sizeof(*m.queued));
	m.loses = arena_alloc(work, n + 1, sizeof(*m.loses));
	m.walk = region_walk_new(&m.flow, work);
	if (!options->keep_past_waits) {
		find_waits(&m);
		mark_merges(&m);
	}
	mark_control(&m);
	if (!options->keep_past_waits)
		mark_arms(&m);
	number_strands(&m, out, work);
}
