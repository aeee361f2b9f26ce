/* Marks the instructions that wait for the other threads of the CTA. */
#include "ptx/ir/ir.h"

/* The reversed call graph: a list of calls for each callee. */
struct callers {
	struct ir_module *m;
	uint32_t *head;          /* by callee: its first call, plus one */
	uint32_t *next, *caller; /* by call; next as head */
	uint32_t n;
	uint32_t *stack, depth; /* worklist of functions whose callers are not yet marked */
};

static bool is_barrier(const struct ir_instr *i)
{
	return i->action == ACT_BARRIER && i->barrier != BARRIER_WARP &&
	       i->barrier != BARRIER_ARRIVE;
}

static void set_waiting(struct callers *c, uint32_t function)
{
	if (c->m->functions[function].waits)
		return;
	c->m->functions[function].waits = true;
	c->stack[c->depth++] = function;
}

static void add_call(struct callers *c, uint32_t caller, uint32_t callee)
{
	c->caller[c->n] = caller;
	c->next[c->n] = c->head[callee];
	c->head[callee] = ++c->n;
}

static uint32_t count_calls(const struct ir_module *m)
{
	uint32_t n = 0;

	for (uint32_t f = 0; f < m->nfunctions; f++)
		for (uint32_t i = 0; i < m->functions[f].ninstr; i++)
			n += m->functions[f].code[i].action == ACT_CALL;
	return n;
}

static void look_at(struct callers *c, uint32_t function)
{
	const struct ir_function *f = &c->m->functions[function];

	for (uint32_t i = 0; i < f->ninstr; i++) {
		if (is_barrier(&f->code[i]))
			set_waiting(c, function);
		else if (f->code[i].action == ACT_CALL)
			add_call(c, function, f->code[i].target);
	}
}

static void mark(const struct ir_module *m, struct ir_function *f)
{
	for (uint32_t i = 0; i < f->ninstr; i++)
		f->code[i].waits =
			is_barrier(&f->code[i]) ||
			(f->code[i].action == ACT_CALL && m->functions[f->code[i].target].waits);
}

void waits_mark(struct ir_module *m)
{
	uint32_t calls = count_calls(m);
	struct callers c = {.m = m,
		.head = arena_alloc(m->work, m->nfunctions + 1, sizeof(uint32_t)),
		.next = arena_alloc(m->work, calls + 1, sizeof(uint32_t)),
		.caller = arena_alloc(m->work, calls + 1, sizeof(uint32_t)),
		.stack = arena_alloc(m->work, m->nfunctions + 1, sizeof(uint32_t))};

	for (uint32_t f = 0; f < m->nfunctions; f++)
		look_at(&c, f);
	while (c.depth) {
		uint32_t f = c.stack[--c.depth];

		for (uint32_t k = c.head[f]; k; k = c.next[k - 1])
			set_waiting(&c, c.caller[k - 1]);
	}
	for (uint32_t f = 0; f < m->nfunctions; f++)
		if (m->functions[f].waits)
			mark(m, &m->functions[f]);
}
