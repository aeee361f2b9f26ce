/* List scheduling within blocks: long-latency operations are issued early, and independent ones
 * together, so that one wait covers all. An instruction moves up only if the remaining ones, in
 * program order, stay within the register limit, so no schedule can run into a point where it
 * exceeds the limit. */
#include "ptx/ir/schedule.h"

#include <string.h>

#define TRIES 16u         /* candidates tried for each position */
#define GONE (-(1 << 24)) /* pressure at an instruction that is already scheduled */

/* The pressure at each unscheduled instruction if the rest keeps program order: a tree of maxima
 * with range addition. */
struct profile {
	int32_t *most, *add; /* by node; children of k: 2 k and 2 k + 1 */
	uint32_t leaves;     /* a power of two */
};

/* Keys, the smallest first, from at[1] on. */
struct heap {
	uint64_t *at;
	uint32_t n;
};

struct schedule {
	const struct schedule_options *options;
	struct ir_function *f;
	const struct live *live;
	struct live_set set;
	struct sched_graph graph;
	int32_t *used[SCHEDULE_CLASSES]; /* by instruction of the block */
	struct profile profile[SCHEDULE_CLASSES];
	int32_t limit[SCHEDULE_CLASSES], now[SCHEDULE_CLASSES];
	struct heap ready;   /* nothing is before these */
	struct heap pending; /* by latencies: their sources are not there yet */
	uint32_t cycle;
	struct ir_instr *code; /* the region in program order */
	uint32_t head;         /* all before it are scheduled */
};

/* ---- pressure. */

static void profile_fill(struct profile *p, const int32_t *used, uint32_t n)
{
	p->leaves = 1;
	while (p->leaves < n)
		p->leaves *= 2;
	memset(p->add, 0, 2 * (size_t)p->leaves * sizeof(*p->add));
	for (uint32_t k = 0; k < p->leaves; k++)
		p->most[p->leaves + k] = k < n ? used[k] : GONE;
	for (uint32_t k = p->leaves; k-- > 1;)
		p->most[k] =
			p->most[2 * k] > p->most[2 * k + 1] ? p->most[2 * k] : p->most[2 * k + 1];
}

static void profile_pull(struct profile *p, uint32_t k)
{
	for (k /= 2; k >= 1; k /= 2) {
		int32_t a = p->most[2 * k], b = p->most[2 * k + 1];

		p->most[k] = (a > b ? a : b) + p->add[k];
	}
}

/* To instructions first .. end - 1. */
static void profile_add(struct profile *p, uint32_t first, uint32_t end, int32_t words)
{
	uint32_t l = first + p->leaves, r = end + p->leaves;

	if (first >= end || !words)
		return;
	for (; l < r; l /= 2, r /= 2) {
		if (l & 1) {
			p->most[l] += words;
			p->add[l++] += words;
		}
		if (r & 1) {
			p->most[--r] += words;
			p->add[r] += words;
		}
	}
	profile_pull(p, first + p->leaves);
	profile_pull(p, end - 1 + p->leaves);
}

/* ---- whether an instruction can be scheduled next. */

static int32_t words_of(const struct schedule *s, uint32_t value, unsigned class)
{
	uint8_t words = s->f->words[s->graph.value[value].reg];

	if (class == 1)
		return words == 0;
	return (int32_t)ir_reg_words(words);
}

static bool is_dead(const struct sched_value *v)
{
	return v->first == NO_NODE && !v->out;
}

/* Its results become live here instead of at its old position; values it reads last die here. */
static void move(struct schedule *s, uint32_t i, unsigned class, int32_t sign)
{
	const struct sched_graph *g = &s->graph;
	struct profile *p = &s->profile[class];

	for (uint32_t v = g->node[i].def; v < g->node[i].end; v++)
		if (!is_dead(&g->value[v]))
			profile_add(p, 0, i, sign * words_of(s, v, class));
	for (uint32_t r = g->node[i].reads; r != NO_NODE; r = g->read[r].sibling) {
		uint32_t v = g->read[r].value, prev = g->read[r].prev;

		if (g->value[v].last == r && !g->value[v].out)
			profile_add(p, prev == NO_NODE ? 0 : g->read[prev].instr, i,
				-sign * words_of(s, v, class));
	}
}

/* The pressure at the instruction if it is scheduled next; *after: after it. */
static int32_t use_at(const struct schedule *s, uint32_t i, unsigned class, int32_t *after)
{
	const struct sched_graph *g = &s->graph;
	int32_t use = s->now[class], dead = 0;

	for (uint32_t v = g->node[i].def; v < g->node[i].end; v++) {
		use += words_of(s, v, class);
		dead += is_dead(&g->value[v]) ? words_of(s, v, class) : 0;
	}
	for (uint32_t r = g->node[i].reads; r != NO_NODE; r = g->read[r].sibling) {
		const struct sched_value *v = &g->value[g->read[r].value];

		if (v->first == r && v->last == r && !v->out)
			use -= words_of(s, g->read[r].value, class);
	}
	*after = use - dead;
	return use;
}

/* Schedules it if possible. */
static bool try_move(struct schedule *s, uint32_t i)
{
	bool fits = true;

	for (unsigned c = 0; c < SCHEDULE_CLASSES; c++) {
		int32_t after;

		move(s, i, c, 1);
		fits &= i == s->head || (s->profile[c].most[1] <= s->limit[c] &&
						use_at(s, i, c, &after) <= s->limit[c]);
	}
	for (unsigned c = 0; c < SCHEDULE_CLASSES && !fits; c++)
		move(s, i, c, -1);
	return fits;
}

/* ---- the ready list. */

static void heap_push(struct heap *h, uint64_t key)
{
	uint32_t k = ++h->n;

	for (; k > 1 && h->at[k / 2] > key; k /= 2)
		h->at[k] = h->at[k / 2];
	h->at[k] = key;
}

static uint64_t heap_pop(struct heap *h)
{
	uint64_t least = h->at[1], key = h->at[h->n--];
	uint32_t k = 1;

	for (uint32_t child = 2; child <= h->n; child = 2 * k) {
		child += child < h->n && h->at[child + 1] < h->at[child];
		if (key <= h->at[child])
			break;
		h->at[k] = h->at[child];
		k = child;
	}
	h->at[k] = key;
	return least;
}

static bool by_latency(const struct schedule *s)
{
	return s->options->kind == SCHEDULE_LATENCY;
}

/* By latencies the longest chain; else by wave, within a wave long-latency results and what they
 * need first. Then program order. */
static uint64_t key_of(const struct schedule *s, uint32_t i)
{
	const struct sched_node *n = &s->graph.node[i];

	if (by_latency(s))
		return (uint64_t)(UINT32_MAX - n->height) << 32 | i;
	return (uint64_t)n->wave << 33 | (uint64_t)!n->leads << 32 | i;
}

/* Nothing before it is left. */
static void add_ready(struct schedule *s, uint32_t i)
{
	if (by_latency(s))
		heap_push(&s->pending, (uint64_t)s->graph.node[i].ready << 32 | i);
	else
		heap_push(&s->ready, key_of(s, i));
}

/* Those whose sources are there; if there are none, time passes. */
static void pass_time(struct schedule *s)
{
	struct heap *h = &s->pending;

	if (!s->ready.n && h->n)
		s->cycle = (uint32_t)max_u64(s->cycle, h->at[1] >> 32);
	while (h->n && h->at[1] >> 32 <= s->cycle)
		heap_push(&s->ready, key_of(s, (uint32_t)heap_pop(h)));
	s->cycle++;
}

static uint32_t choose(struct schedule *s)
{
	uint64_t aside[TRIES];
	uint32_t n = 0, chosen = NO_NODE;

	pass_time(s);
	while (s->ready.n && n < TRIES && chosen == NO_NODE) {
		uint64_t key = heap_pop(&s->ready);
		uint32_t i = (uint32_t)key;

		if (s->graph.node[i].done)
			continue;
		if (try_move(s, i))
			chosen = i;
		else
			aside[n++] = key;
	}
	for (uint32_t k = 0; k < n; k++)
		heap_push(&s->ready, aside[k]);
	if (chosen == NO_NODE) {
		chosen = s->head;
		try_move(s, chosen);
	}
	return chosen;
}

static void take(struct schedule *s, uint32_t i)
{
	struct sched_graph *g = &s->graph;

	for (unsigned c = 0; c < SCHEDULE_CLASSES; c++) {
		int32_t after;

		use_at(s, i, c, &after);
		s->now[c] = after;
		profile_add(&s->profile[c], i, i + 1, GONE);
	}
	for (uint32_t r = g->node[i].reads; r != NO_NODE; r = g->read[r].sibling)
		sched_drop_read(g, r);
	for (uint32_t e = g->node[i].edges; e != NO_NODE; e = g->edge[e].next) {
		struct sched_node *to = &g->node[g->edge[e].to];

		to->ready = (uint32_t)max_u64(
			to->ready, s->cycle - 1 + sched_distance(g, i, g->edge[e].to));
		if (--to->waits == 0)
			add_ready(s, g->edge[e].to);
	}
	g->node[i].done = true;
	while (s->head < g->n && g->node[s->head].done)
		s->head++;
}

/* ---- regions. */

/* s->set: the live-in of the region. */
static void reorder(struct schedule *s, uint32_t first, const int32_t *const used[])
{
	uint32_t n = s->graph.n;

	for (unsigned c = 0; c < SCHEDULE_CLASSES; c++)
		profile_fill(&s->profile[c], used[c], n);
	s->now[0] = (int32_t)s->set.words;
	s->now[1] = (int32_t)s->set.preds;
	s->head = s->ready.n = s->pending.n = s->cycle = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!s->graph.node[i].waits)
			add_ready(s, i);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = choose(s);

		take(s, i);
		s->f->code[first + k] = s->code[i];
	}
}

/* The first of the instructions before `end` that may move; *late: whether one has a long-latency
 * result. */
static uint32_t find_region(const struct ir_function *f, uint32_t begin, uint32_t end, bool *late)
{
	*late = false;
	while (end > begin && !sched_is_fixed(&f->code[end - 1])) {
		end--;
		*late |= sched_is_late(&f->code[end]);
	}
	return end;
}

/* Walks the live set back to `first`. */
static void step_over(struct schedule *s, uint32_t first, uint32_t end)
{
	while (end > first)
		live_step_back(s->f, &s->f->code[--end], &s->set);
}

static bool asks_late(const struct ir_function *f, const struct ir_block *b)
{
	bool late = false;

	for (uint32_t i = b->first; i < b->end && !late; i++)
		late = sched_is_late(&f->code[i]);
	return late;
}

static void schedule_block(struct schedule *s, const struct ir_block *b)
{
	uint32_t end = b->end;

	live_at_end(s->live, (uint32_t)(b - s->f->blocks), &s->set);
	while (end > b->first) {
		bool late;
		uint32_t first = find_region(s->f, b->first, end, &late);
		const int32_t *used[] = {
			s->used[0] + (first - b->first), s->used[1] + (first - b->first)};

		late |= by_latency(s) && end - first > 1;
		if (late) {
			memcpy(s->code, &s->f->code[first], (end - first) * sizeof(*s->code));
			sched_graph_build(&s->graph, s->code, end - first, &s->set);
		}
		step_over(s, first, end);
		if (late)
			reorder(s, first, used);
		end = first;
		if (end > b->first)
			live_step_back(s->f, &s->f->code[--end], &s->set);
	}
}

/* ---- limits. */

/* Records the pressure at each instruction of the block: live-out values, and results that are
 * never read. */
static void measure(struct schedule *s, const struct ir_block *b)
{
	live_at_end(s->live, (uint32_t)(b - s->f->blocks), &s->set);
	for (uint32_t i = b->end; i-- > b->first;) {
		const struct ir_instr *in = &s->f->code[i];
		uint32_t words = s->set.words, preds = s->set.preds;

		for (unsigned d = 0; d < in->ndst; d++) {
			if (in->dst[d].kind != IR_REG || live_has(&s->set, in->dst[d].index))
				continue;
			words += ir_reg_words(s->f->words[in->dst[d].index]);
			preds += s->f->words[in->dst[d].index] == 0;
		}
		s->used[0][i - b->first] = (int32_t)words;
		s->used[1][i - b->first] = (int32_t)preds;
		live_step_back(s->f, in, &s->set);
	}
}

static int32_t most_of(const int32_t *used, uint32_t n)
{
	int32_t most = 0;

	for (uint32_t k = 0; k < n; k++)
		most = used[k] > most ? used[k] : most;
	return most;
}

static int32_t min_of(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int32_t max_of(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static void set_limits(struct schedule *s, const struct ir_block *b)
{
	int32_t most = (int32_t)s->options->max_regs, all = (int32_t)s->f->max_live;
	int32_t own = most_of(s->used[0], b->end - b->first);
	int32_t least = (int32_t)s->options->least;

	s->limit[0] = min_of(max_of(all + (int32_t)s->options->extra, least), most);
	s->limit[0] = max_of(s->limit[0], own);
	s->limit[1] = (int32_t)s->f->max_preds;
}

static struct schedule schedule_new(struct ir_function *f, uint32_t longest, struct arena *work)
{
	struct schedule s = {.f = f, .set = live_set_new(f, work)};
	size_t n = longest + 1;

	s.graph = sched_graph_new(f, work);
	s.ready.at = arena_alloc(work, 2 * n, sizeof(*s.ready.at));
	s.pending.at = arena_alloc(work, 2 * n, sizeof(*s.pending.at));
	s.code = arena_alloc(work, n, sizeof(*s.code));
	for (unsigned c = 0; c < SCHEDULE_CLASSES; c++) {
		s.used[c] = arena_alloc(work, n, sizeof(*s.used[c]));
		s.profile[c].most = arena_alloc(work, 4 * n, sizeof(int32_t));
		s.profile[c].add = arena_alloc(work, 4 * n, sizeof(int32_t));
	}
	return s;
}

void schedule_function(struct ir_function *f, const struct live *live,
	const struct schedule_options *options, struct arena *work)
{
	uint32_t longest = 0;
	struct schedule s;

	for (uint32_t b = 0; b < f->nblocks; b++)
		longest = (uint32_t)max_u64(longest, f->blocks[b].end - f->blocks[b].first);
	s = schedule_new(f, longest, work);
	s.live = live;
	s.options = options;
	for (uint32_t b = 0; b < f->nblocks; b++) {
		if (!by_latency(&s) && !asks_late(f, &f->blocks[b]))
			continue;
		measure(&s, &f->blocks[b]);
		set_limits(&s, &f->blocks[b]);
		schedule_block(&s, &f->blocks[b]);
	}
}
