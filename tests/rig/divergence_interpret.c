/* Interprets random kernels, one thread after another. */
#include "tests/rig/divergence.h"

#include "core/base.h"

#include <string.h>

struct thread {
	uint32_t r[DIVERGENCE_REGS], c[DIVERGENCE_COUNTERS];
	bool p[DIVERGENCE_PREDS], exited;
};

struct run {
	const struct random_kernel *kernel;
	const uint32_t *inputs;
};

static void start(struct thread *t, uint32_t x, uint32_t y)
{
	t->exited = false;
	for (unsigned i = 0; i < DIVERGENCE_REGS; i++)
		t->r[i] = (x * (2654435761u * (i + 1)) + y) ^ 0x9e37u * i;
	for (unsigned i = 0; i < DIVERGENCE_PREDS; i++)
		t->p[i] = (int32_t)t->r[i] < (int32_t)t->r[i + 3];
	for (unsigned i = 0; i < DIVERGENCE_COUNTERS; i++)
		t->c[i] = 2;
}

static uint32_t call(const struct run *, unsigned function, uint32_t x, uint32_t y);

static void step(const struct run *run, struct thread *t, const struct op *op)
{
	uint32_t a = t->r[op->a], b = t->r[op->b], *d = &t->r[op->d];

	switch (op->kind) {
	case OP_ADD:
		*d = a + b;
		break;
	case OP_SUB:
		*d = a - b;
		break;
	case OP_MUL:
		*d = a * b;
		break;
	case OP_XOR:
		*d = a ^ b;
		break;
	case OP_SHR:
		*d = a >> op->imm % 32;
		break;
	case OP_MAX:
		*d = (int32_t)a > (int32_t)b ? a : b;
		break;
	case OP_MAD:
		*d = a * op->imm + b;
		break;
	case OP_SELECT:
		*d = t->p[op->c] ? a : b;
		break;
	case OP_COMPARE:
		t->p[op->d] = (int32_t)a < (int32_t)b;
		break;
	case OP_LOAD:
		*d = run->inputs[a % DIVERGENCE_INPUTS];
		break;
	case OP_CALL:
		*d = call(run, op->c, a, b);
		break;
	default:
		break;
	}
}

/* Whether a backward jump is taken: it consumes fuel, and the counter counts, in any case. */
static bool goes_back(struct thread *t, const struct op *op, bool guard, int32_t *fuel)
{
	bool taken = --*fuel > 0 && guard;

	if (op->a < DIVERGENCE_COUNTERS)
		taken = (int32_t)t->c[op->a]-- > 0 && taken;
	return taken;
}

/* Runs to the end; true when it exited early. */
static bool body(const struct run *run, struct thread *t, const struct body *b)
{
	int32_t fuel = (int32_t)b->fuel;

	for (unsigned pc = 0; pc < b->n;) {
		const struct op *op = &b->ops[pc++];
		bool guard = op->guard == NO_GUARD_HERE || t->p[op->guard] != op->negated;

		if (op->kind == OP_BACK)
			pc = goes_back(t, op, guard, &fuel) ? op->target : pc;
		else if (op->kind == OP_COUNT)
			t->c[op->d] = t->r[op->a] & 3;
		else if (guard && op->kind == OP_JUMP)
			pc = op->target;
		else if (guard && (op->kind == OP_RETURN || op->kind == OP_EXIT))
			return true;
		else if (guard && op->kind < OP_PLAIN)
			step(run, t, op);
	}
	return false;
}

static uint32_t call(const struct run *run, unsigned function, uint32_t x, uint32_t y)
{
	struct thread t;

	start(&t, x, y);
	return body(run, &t, &run->kernel->functions[function]) ? t.r[0] : t.r[0] + t.r[1];
}

/* The exchange between threads after segment i. */
static void exchange(struct thread *threads, uint32_t *slots, unsigned i)
{
	uint32_t n = 0;

	for (unsigned t = 0; t < DIVERGENCE_THREADS; t++) {
		if (!threads[t].exited)
			slots[t] = threads[t].r[i];
		n += !threads[t].exited && threads[t].p[i % DIVERGENCE_PREDS];
	}
	for (unsigned t = 0; t < DIVERGENCE_THREADS; t++) {
		threads[t].r[i + 1] = slots[(7 * t + 5) % DIVERGENCE_THREADS];
		threads[t].r[i] += n;
	}
}

void divergence_interpret(const struct random_kernel *k, uint32_t *memory)
{
	const struct run run = {k, memory};
	struct thread threads[DIVERGENCE_THREADS];
	uint32_t slots[DIVERGENCE_THREADS];
	unsigned rounds = k->repeats;

	for (unsigned t = 0; t < DIVERGENCE_THREADS; t++) {
		start(&threads[t], t, 77);
		slots[t] = t;
	}
	for (unsigned i = 0; i < k->nsegments;) {
		for (unsigned t = 0; t < DIVERGENCE_THREADS; t++)
			if (!threads[t].exited)
				threads[t].exited = body(&run, &threads[t], &k->segments[i]);
		exchange(threads, slots, i);
		if (i == k->repeat_last && --rounds)
			i = k->repeat_first;
		else
			i++;
	}
	for (unsigned t = 0; t < DIVERGENCE_THREADS; t++) {
		uint32_t *out = memory + DIVERGENCE_INPUTS + t * DIVERGENCE_WORDS;

		if (threads[t].exited)
			continue;
		memcpy(out, threads[t].r, sizeof(threads[t].r));
		for (unsigned i = 0; i < DIVERGENCE_PREDS; i++)
			out[DIVERGENCE_REGS] |= (uint32_t)threads[t].p[i] << i;
	}
}
