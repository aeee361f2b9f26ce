/* cp.async: copies to shared memory, and waiting for them. */
#include "ptx/ir/lower.h"

#include <string.h>

/* The address in shared memory: a number, or a register plus an offset. */
static struct ir_value shared_address(struct lower *l, const struct ast_operand *o)
{
	struct ir_instr at = lower_blank(l);
	struct ir_value sum;

	at.action = ACT_STORE;
	at.space = SPACE_SHARED;
	lower_address(l, o, &at);
	if (at.src[0].kind == IR_NONE)
		return lower_const((uint64_t)at.offset, 1);
	if (l->failed || (!at.offset && at.src[0].kind == IR_REG))
		return at.src[0];
	sum = lower_temp(l, at.src[0].words);
	lower_compute(l, at.src[0].words == 2 ? "add.u64" : "add.u32", sum, at.src[0],
		lower_const((uint64_t)at.offset, at.src[0].words));
	return sum;
}

static bool is_number(const struct ast_operand *o, uint64_t least, uint64_t most)
{
	return o->kind == AST_INT && o->value >= least && o->value <= most;
}

/* cp.async [shared], [global], size{, bytes to read}. */
static void lower_one_copy(struct lower *l, const struct ast_operand *to)
{
	const struct ast_operand *from = to->next, *size = from->next, *read = size->next;
	bool around = l->form.cache_op == CACHE_GLOBAL;
	struct ir_instr i = lower_blank(l);

	if (!is_number(size, 4, 16) || (size->value & (size->value - 1)) ||
		(around && size->value != 16)) {
		lower_fail(l, size->pos, ERR_INPUT, "the size must be the number %s",
			around ? "16" : "4, 8 or 16");
		return;
	}
	i.action = ACT_COPY;
	i.unit = UNIT_MEMORY;
	i.op_class = op_class_of_unit(UNIT_MEMORY, 0);
	i.space = SPACE_GLOBAL;
	i.cache_op = l->form.cache_op;
	i.mem_type = size->value == 4 ? T_B32 : T_B64;
	i.vec = size->value == 16 ? 2 : 1;
	lower_address(l, from, &i);
	i.src[1] = shared_address(l, to);
	if (read && !l->failed)
		i.src[2] = lower_source(l, read, T_U32, false);
	i.nsrc = read ? 3 : 2;
	if (!l->failed)
		lower_emit(l, &i);
}

void lower_wait(struct lower *l, uint64_t spared)
{
	struct ir_instr i = lower_blank(l);

	i.action = ACT_ASYNC;
	i.unit = UNIT_FENCE;
	i.op_class = op_class_of_unit(UNIT_FENCE, 0);
	i.op = ASYNC_WAIT;
	i.offset = (int64_t)spared;
	i.ndst = 1;
	i.dst[0] = lower_temp(l, 1);
	lower_emit(l, &i);
	i.op = ASYNC_WAITED;
	i.ndst = 0;
	i.nsrc = 1;
	i.src[0] = i.dst[0];
	i.dst[0] = (struct ir_value){0};
	lower_emit(l, &i);
}

/* The largest number of groups that an instruction may spare. */
#define GROUPS_MOST 1000u

void lower_copy(struct lower *l)
{
	const struct ast_operand *o = l->s->operands;
	unsigned n = lower_count(o);

	if (strstr(l->s->opcode, ".mbarrier")) {
		lower_mbarrier(l);
	} else if (strstr(l->s->opcode, ".wait_all")) {
		if (n)
			lower_fail(l, o->pos, ERR_INPUT, "takes no operands");
		else
			lower_wait(l, 0);
	} else if (strstr(l->s->opcode, ".wait_group")) {
		if (n != 1 || !is_number(o, 0, GROUPS_MOST))
			lower_fail(l, n ? o->pos : l->s->pos, ERR_INPUT,
				"takes the number of groups that it does not wait for, 0 to %u",
				GROUPS_MOST);
		else
			lower_wait(l, o->value + 1);
	} else if (n < 3 || n > 4) {
		lower_fail(l, l->s->pos, ERR_INPUT, "takes 3 to 4 operands, %u %s given", n,
			n == 1 ? "is" : "are");
	} else {
		lower_one_copy(l, o);
	}
}
