/* mbarrier: an object of 64 bits in shared memory (ptx/isa/forms.h), changed by atomics. */
#include "ptx/ir/lower_matrix.h"

#include <string.h>

static struct ir_value wide(uint64_t n)
{
	return lower_const(n, 2);
}

/* An access to the object at an operand's address. */
static struct ir_instr access_of(struct lower *l, const struct ast_operand *o, enum action action)
{
	struct ir_instr i = fragment_access(l, action);

	i.mem_type = T_B64;
	i.vec = 1;
	i.nsrc = 1;
	i.cache_op = CACHE_VOLATILE; /* in the program's order */
	lower_address(l, o, &i);
	return i;
}

/* A number of threads as 64 bits; without an operand 1. */
static struct ir_value count_of(struct lower *l, const struct ast_operand *o)
{
	struct ir_value n;

	if (!o)
		return wide(1);
	n = lower_source(l, o, T_U32, false);
	if (l->failed || n.kind == IR_CONST)
		return wide(n.bits);
	return fragment_compute(l, "cvt.u64.u32", 2, n, (struct ir_value){0});
}

/* [object], count. */
static void lower_init(struct lower *l)
{
	const struct ast_operand *o = l->s->operands;
	struct ir_instr i = access_of(l, o, ACT_STORE);
	struct ir_value n = count_of(l, o->next);

	if (l->failed)
		return;
	i.nsrc = 2;
	i.src[1] =
		fragment_compute(l, "mul.lo.u64", 2, n, wide((UINT64_C(1) << MBARRIER_BITS) + 1));
	lower_emit(l, &i);
}

static void arrive_at(struct lower *l, struct ir_instr *i, enum atom_op op, struct ir_value state,
	struct ir_value n)
{
	i->atom_op = (uint8_t)op;
	i->nsrc = 2;
	i->src[1] = n;
	i->ndst = 1;
	i->dst[0] = state;
	if (!l->failed)
		lower_emit(l, i);
}

/* state, [object]{, count}. */
static void lower_arrive(struct lower *l)
{
	const struct ast_operand *d = l->s->operands, *o = d->next;
	struct ir_value state = lower_dest(l, d, T_B64, false);
	struct ir_instr i = access_of(l, o, ACT_ATOM);

	arrive_at(l, &i, (enum atom_op)l->form.atom_op, state, count_of(l, o->next));
}

/* p, [object], state or parity: complete when the object's phase has another parity. */
static void lower_test(struct lower *l)
{
	const struct ast_operand *d = l->s->operands, *o = d->next, *s = o->next;
	struct ir_value complete = lower_dest(l, d, T_PRED, false), state;
	struct ir_instr i = access_of(l, o, ACT_LOAD);

	if (l->failed)
		return;
	if (fragment_says(l, ".parity"))
		state = fragment_compute(
			l, "shl.b64", 2, count_of(l, s), lower_const(MBARRIER_PARITY, 1));
	else
		state = lower_source(l, s, T_B64, false);
	if (l->failed)
		return;
	i.ndst = 1;
	i.dst[0] = lower_temp(l, 2);
	lower_emit(l, &i);
	lower_compute(l, "setp.lt.s64", complete,
		fragment_compute(l, "xor.b64", 2, i.dst[0], state), wide(0));
}

/* number, state. */
static void lower_pending(struct lower *l)
{
	const struct ast_operand *d = l->s->operands;
	struct ir_value n = lower_dest(l, d, T_U32, false),
			state = lower_source(l, d->next, T_B64, false);

	if (!l->failed)
		lower_compute(l, "cvt.u32.u64", n,
			fragment_compute(l, "and.b64", 2, state, wide(MBARRIER_MOST)),
			(struct ir_value){0});
}

/* cp.async.mbarrier.arrive: a phase that lacks one arrival more until the copies are complete. */
static void lower_after_copies(struct lower *l)
{
	struct ir_instr i = access_of(l, l->s->operands, ACT_ATOM);

	if (l->failed)
		return;
	lower_wait(l, 0);
	if (fragment_says(l, ".noinc"))
		arrive_at(l, &i, ATOM_ARRIVE, (struct ir_value){0}, wide(1));
}

void lower_mbarrier(struct lower *l)
{
	static const struct {
		const char *word;
		unsigned least, most;
		void (*lower)(struct lower *);
	} kinds[] = {{"cp.async", 1, 1, lower_after_copies}, {".init", 2, 2, lower_init},
		{".arrive", 2, 3, lower_arrive}, {"_wait", 3, 4, lower_test},
		{".pending_count", 2, 2, lower_pending}};

	for (unsigned k = 0; k < ARRAY_LEN(kinds); k++) {
		if (!fragment_says(l, kinds[k].word))
			continue;
		if (fragment_operands(l, kinds[k].least, kinds[k].most))
			kinds[k].lower(l);
		return;
	}
	BUG_ON(true);
}
