/* How many registers hold a value that is still needed, at each instruction of a decoded program:
 * backwards what will be read, forwards what may have been written, and both together. */
#include "cli/explain.h"

#include <string.h>

struct block {
	uint32_t first, end;
	uint64_t *later; /* registers read from its start on before they are written */
	uint64_t *known; /* registers that may have been written when it starts */
};

struct flow {
	const struct program *p;
	struct arena *arena;
	uint32_t words; /* of a set of registers */
	struct block *block;
	uint32_t n, *block_at; /* by instruction */
	uint32_t *function;    /* by instruction: the first one of its function */
	uint64_t *scratch;
	bool changed;
};

static void set_operand(uint64_t *set, const struct operand *o, bool in)
{
	if (o->kind != OPND_REG)
		return;
	for (uint32_t r = o->index; r < (uint32_t)o->index + o->words; r++)
		if (in)
			set[r / 64] |= UINT64_C(1) << (r % 64);
		else
			set[r / 64] &= ~(UINT64_C(1) << (r % 64));
}

/* What is needed before an instruction, from what is needed after it. */
static void step_back(const struct instr *in, uint64_t *set)
{
	for (unsigned d = 0; d < in->ndst && in->guard == NO_GUARD; d++)
		set_operand(set, &in->dst[d], false);
	for (unsigned s = 0; s < in->nsrc; s++)
		set_operand(set, &in->src[s], true);
}

static void step_on(const struct instr *in, uint64_t *set)
{
	for (unsigned d = 0; d < in->ndst; d++)
		set_operand(set, &in->dst[d], true);
}

/* ---- where control goes */
typedef void edge_fn(struct flow *, uint32_t from, uint32_t to);

static void returns(struct flow *f, uint32_t i, edge_fn *edge)
{
	for (uint32_t c = 0; c < f->p->ninstr; c++)
		if (f->p->code[c].action == ACT_CALL && f->p->code[c].target == f->function[i] &&
			c + 1 < f->p->ninstr)
			edge(f, i, c + 1);
}

static void branches(struct flow *f, uint32_t i, edge_fn *edge)
{
	const struct instr *in = &f->p->code[i];

	if (!in->nsrc) {
		edge(f, i, in->target);
		return;
	}
	for (int64_t t = 0; t < in->offset; t++)
		if (f->p->targets[in->target + t] < f->p->ninstr)
			edge(f, i, f->p->targets[in->target + t]);
}

static void successors(struct flow *f, uint32_t i, edge_fn *edge)
{
	const struct instr *in = &f->p->code[i];
	bool ends = true;

	if (in->action == ACT_BRANCH)
		branches(f, i, edge);
	else if (in->action == ACT_CALL)
		edge(f, i, in->target);
	else if (in->action == ACT_RET)
		returns(f, i, edge);
	else
		ends = in->action == ACT_EXIT || in->action == ACT_TRAP;
	if ((!ends || in->guard != NO_GUARD) && i + 1 < f->p->ninstr)
		edge(f, i, i + 1);
}

static bool is_last(const struct instr *in)
{
	return in->action == ACT_BRANCH || in->action == ACT_CALL || in->action == ACT_RET ||
	       in->action == ACT_EXIT || in->action == ACT_TRAP;
}

/* ---- blocks */
static void mark(struct flow *f, uint32_t from, uint32_t to)
{
	(void)from;
	f->block_at[to] = 1;
}

static void find_functions(struct flow *f)
{
	const struct program *p = f->p;
	uint32_t first = 0;

	for (uint32_t i = 0; i < p->ninstr; i++)
		if (p->code[i].action == ACT_CALL)
			f->function[p->code[i].target] = 1;
	for (uint32_t i = 0; i < p->ninstr; i++) {
		if (f->function[i])
			first = i;
		f->function[i] = first;
	}
}

static void find_blocks(struct flow *f)
{
	const struct program *p = f->p;

	f->block_at[p->entry] = 1;
	for (uint32_t i = 0; i < p->ninstr; i++) {
		if (!is_last(&p->code[i]))
			continue;
		successors(f, i, mark);
		if (i + 1 < p->ninstr)
			f->block_at[i + 1] = 1;
	}
	for (uint32_t i = 0; i < p->ninstr; i++)
		f->n += f->block_at[i];
	f->block = arena_alloc(f->arena, f->n, sizeof(*f->block));
	f->n = 0;
	for (uint32_t i = 0; i < p->ninstr; i++) {
		if (f->block_at[i])
			f->block[f->n++] = (struct block){.first = i,
				.later = arena_alloc(f->arena, f->words, sizeof(uint64_t)),
				.known = arena_alloc(f->arena, f->words, sizeof(uint64_t))};
		f->block[f->n - 1].end = i + 1;
		f->block_at[i] = f->n - 1;
	}
}

/* ---- fixed points */
static void merge(struct flow *f, uint64_t *into, const uint64_t *set)
{
	for (uint32_t w = 0; w < f->words; w++) {
		f->changed |= (set[w] & ~into[w]) != 0;
		into[w] |= set[w];
	}
}

static void need(struct flow *f, uint32_t from, uint32_t to)
{
	const uint64_t *later = f->block[f->block_at[to]].later;

	(void)from;
	for (uint32_t w = 0; w < f->words; w++)
		f->scratch[w] |= later[w];
}

static void hand_on(struct flow *f, uint32_t from, uint32_t to)
{
	(void)from;
	merge(f, f->block[f->block_at[to]].known, f->scratch);
}

/* The scratch set: what is needed at a block's end. */
static void at_end(struct flow *f, const struct block *b)
{
	memset(f->scratch, 0, f->words * sizeof(*f->scratch));
	successors(f, b->end - 1, need);
}

static void look_back(struct flow *f)
{
	for (uint32_t b = f->n; b-- > 0;) {
		at_end(f, &f->block[b]);
		for (uint32_t i = f->block[b].end; i-- > f->block[b].first;)
			step_back(&f->p->code[i], f->scratch);
		merge(f, f->block[b].later, f->scratch);
	}
}

static void look_on(struct flow *f)
{
	for (uint32_t b = 0; b < f->n; b++) {
		memcpy(f->scratch, f->block[b].known, f->words * sizeof(*f->scratch));
		for (uint32_t i = f->block[b].first; i < f->block[b].end; i++)
			step_on(&f->p->code[i], f->scratch);
		successors(f, f->block[b].end - 1, hand_on);
	}
}

/* ---- counts */
static uint32_t count_both(const struct flow *f, const uint64_t *a, const uint64_t *b)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < f->words; w++)
		n += (uint32_t)__builtin_popcountll(a[w] & b[w]);
	return n;
}

static void count_block(struct flow *f, const struct block *b, uint32_t *live)
{
	uint32_t n = b->end - b->first;
	uint64_t *known = arena_alloc(f->arena, (size_t)n * f->words, sizeof(*known));

	memcpy(known, b->known, f->words * sizeof(*known));
	for (uint32_t i = 1; i < n; i++) {
		uint64_t *here = known + (size_t)i * f->words;

		memcpy(here, here - f->words, f->words * sizeof(*known));
		step_on(&f->p->code[b->first + i - 1], here);
	}
	at_end(f, b);
	for (uint32_t i = n; i-- > 0;) {
		step_back(&f->p->code[b->first + i], f->scratch);
		live[b->first + i] = count_both(f, f->scratch, known + (size_t)i * f->words);
	}
}

void explain_live(const struct program *p, uint32_t *live, struct arena *arena)
{
	struct flow f = {.p = p, .arena = arena, .words = p->planes / 64 + p->regs / 64 + 1};

	if (!p->ninstr)
		return;
	f.block_at = arena_alloc(arena, p->ninstr, sizeof(*f.block_at));
	f.function = arena_alloc(arena, p->ninstr, sizeof(*f.function));
	f.scratch = arena_alloc(arena, f.words, sizeof(*f.scratch));
	find_functions(&f);
	find_blocks(&f);
	do {
		f.changed = false;
		look_back(&f);
	} while (f.changed);
	do {
		f.changed = false;
		look_on(&f);
	} while (f.changed);
	for (uint32_t b = 0; b < f.n; b++)
		count_block(&f, &f.block[b], live);
}
