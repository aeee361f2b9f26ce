/* Generates random divergent kernels. */
#include "tests/rig/divergence.h"

#include "core/base.h"

static unsigned pick(struct random_kernel *k, unsigned n)
{
	return rng_below(&k->rng, n);
}

static struct op *add(struct body *b, enum op_kind kind)
{
	struct op *op = &b->ops[b->n++];

	BUG_ON(b->n > DIVERGENCE_OPS);
	*op = (struct op){.kind = (uint8_t)kind, .guard = NO_GUARD_HERE};
	return op;
}

static void set_guard(struct random_kernel *k, struct op *op)
{
	op->guard = (uint8_t)pick(k, DIVERGENCE_PREDS);
	op->negated = pick(k, 2);
}

static void make_plain(struct random_kernel *k, struct body *b)
{
	struct op *op = add(b, (enum op_kind)pick(k, OP_PLAIN));

	if (op->kind == OP_CALL && (k->level == DIVERGENCE_FUNCTIONS || pick(k, 3)))
		op->kind = OP_COMPARE;
	op->d = (uint8_t)pick(k, op->kind == OP_COMPARE ? DIVERGENCE_PREDS : DIVERGENCE_REGS);
	op->a = (uint8_t)pick(k, DIVERGENCE_REGS);
	op->b = (uint8_t)pick(k, DIVERGENCE_REGS);
	op->c = (uint8_t)pick(k, op->kind == OP_SELECT ? DIVERGENCE_PREDS : DIVERGENCE_REGS);
	if (op->kind == OP_CALL) /* a later one: no recursion */
		op->c = (uint8_t)(k->level + pick(k, DIVERGENCE_FUNCTIONS - k->level));
	op->imm = (uint32_t)rng_u64(&k->rng);
	if (pick(k, 3) == 0)
		set_guard(k, op);
}

static void make_block(struct random_kernel *k, struct body *b, unsigned budget);

/* if, or if and else */
static void make_if(struct random_kernel *k, struct body *b, unsigned budget)
{
	unsigned skip = b->n, over;

	set_guard(k, add(b, OP_JUMP));
	make_block(k, b, budget);
	if (pick(k, 2)) {
		over = b->n;
		add(b, OP_JUMP);
		b->ops[skip].target = b->n;
		make_block(k, b, budget);
		b->ops[over].target = b->n;
	} else {
		b->ops[skip].target = b->n;
	}
	add(b, OP_LAND);
}

/* A loop that lanes leave in different iterations, with a continue and a break. */
static void make_loop(struct random_kernel *k, struct body *b, unsigned budget)
{
	struct op *op = add(b, OP_COUNT);
	unsigned counter = k->depth++ % DIVERGENCE_COUNTERS, top, again, stop = b->n;

	op->d = (uint8_t)counter;
	op->a = (uint8_t)pick(k, DIVERGENCE_REGS);
	top = b->n;
	add(b, OP_LAND);
	make_block(k, b, budget / 2);
	again = b->n;
	set_guard(k, add(b, OP_JUMP));
	make_block(k, b, budget / 2);
	stop = b->n;
	set_guard(k, add(b, OP_JUMP));
	make_block(k, b, budget / 3);
	b->ops[again].target = b->n;
	op = add(b, OP_BACK);
	op->a = (uint8_t)counter;
	op->target = top;
	b->ops[stop].target = b->n;
	add(b, OP_LAND);
	k->depth--;
}

static void make_end(struct random_kernel *k, struct body *b)
{
	struct op *op = add(b, k->level ? OP_RETURN : OP_EXIT);

	if (pick(k, 3))
		set_guard(k, op);
}

static void make_block(struct random_kernel *k, struct body *b, unsigned budget)
{
	unsigned n = 1 + pick(k, 4);

	for (unsigned i = 0; i < n; i++) {
		unsigned way = budget < 4 ? 9 : pick(k, 10);

		if (way < 3)
			make_if(k, b, budget / 2);
		else if (way < 5)
			make_loop(k, b, budget / 2);
		else if (way == 5 && k->depth == 0 && (k->level || k->exits) && pick(k, 3) == 0)
			make_end(k, b);
		else
			make_plain(k, b);
	}
}

/* Turns some plain instructions into jumps to anywhere. */
static void make_gotos(struct random_kernel *k, struct body *b)
{
	for (unsigned i = 0; i < 1 + b->n / 8; i++) {
		unsigned at = pick(k, b->n), target = pick(k, b->n);
		struct op *op = &b->ops[at];

		if (op->kind >= OP_PLAIN)
			continue;
		*op = (struct op){.kind = target > at ? OP_JUMP : OP_BACK,
			.a = DIVERGENCE_COUNTERS,
			.guard = NO_GUARD_HERE,
			.target = target};
		if (pick(k, 5))
			set_guard(k, op);
	}
}

static void make_body(struct random_kernel *k, struct body *b, unsigned budget)
{
	make_block(k, b, budget);
	make_block(k, b, budget);
	if (k->gotos)
		make_gotos(k, b);
	add(b, OP_LAND);
}

void divergence_make(struct random_kernel *k, uint64_t seed)
{
	*k = (struct random_kernel){.rng = rng_new(seed, 7)};
	k->gotos = pick(k, 2);
	k->exits = pick(k, 3) == 0;
	k->nsegments = 1 + pick(k, DIVERGENCE_SEGMENTS);
	k->repeat_first = pick(k, k->nsegments);
	k->repeat_last = k->repeat_first + pick(k, k->nsegments - k->repeat_first);
	k->repeats = 1 + pick(k, 3);
	for (unsigned i = 0; i < k->nsegments; i++) {
		k->segments[i].fuel = 20;
		make_body(k, &k->segments[i], 12);
	}
	for (unsigned i = 0; i < DIVERGENCE_FUNCTIONS; i++) {
		k->level = 1 + i;
		k->functions[i].fuel = 5;
		make_body(k, &k->functions[i], 6);
	}
}
