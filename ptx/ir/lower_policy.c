/* Cache policies of the L2: registers that accesses name, and that change nothing here. */
#include "ptx/ir/lower.h"

#include <string.h>

/* The part of a cache that is given a priority, (0, 1]. */
static bool is_fraction(const struct ast_operand *o)
{
	double fraction = 1;
	float narrow;

	if (o->kind == AST_F32) {
		uint32_t bits = (uint32_t)o->value;

		memcpy(&narrow, &bits, sizeof(narrow));
		fraction = (double)narrow;
	} else if (o->kind == AST_F64) {
		memcpy(&fraction, &o->value, sizeof(fraction));
	}
	return fraction > 0 && fraction <= 1;
}

static void lower_fractional(struct lower *l, const struct ast_operand *fraction)
{
	if (!fraction)
		return;
	lower_source(l, fraction, T_F32, false);
	if (!l->failed && !is_fraction(fraction))
		lower_fail(l, fraction->pos, ERR_INPUT, "the fraction is above 0, up to 1");
}

static void lower_range(struct lower *l, const struct ast_operand *address)
{
	const struct ast_operand *primary = address->next, *all = primary->next;
	struct ir_instr at = lower_blank(l);

	at.action = ACT_LOAD;
	at.space = SPACE_GLOBAL;
	lower_address(l, address, &at);
	lower_source(l, primary, T_U32, false);
	lower_source(l, all, T_U32, false);
	if (!l->failed && primary->kind == AST_INT && all->kind == AST_INT &&
		primary->value > all->value)
		lower_fail(l, primary->pos, ERR_INPUT, "the first size is at most the second one");
}

void lower_policy(struct lower *l)
{
	const struct ast_operand *o = l->s->operands;
	unsigned n = lower_count(o), most = l->form.noperands;
	unsigned least = most - l->form.operand[most - 1].optional;
	struct ir_value policy;

	if (n < least || n > most) {
		lower_fail(l, l->s->pos, ERR_INPUT, "takes %u%s operands, %u %s given", least,
			least < most ? " or 2" : "", n, n == 1 ? "is" : "are");
		return;
	}
	policy = lower_dest(l, o, T_B64, false);
	if (strstr(l->s->opcode, ".fractional"))
		lower_fractional(l, o->next);
	else if (strstr(l->s->opcode, ".range"))
		lower_range(l, o->next);
	else
		lower_source(l, o->next, T_B64, false);
	if (!l->failed)
		lower_move(l, policy, lower_const(0, 2));
}

void lower_take_policy(struct lower *l)
{
	struct ast_statement *plain = arena_alloc(l->m->work, 1, sizeof(*plain));
	struct ast_operand **end = &plain->operands;
	const struct ast_operand *o = l->s->operands;

	*plain = *l->s;
	for (; o && o->next; o = o->next) {
		*end = arena_alloc(l->m->work, 1, sizeof(**end));
		**end = *o;
		end = &(*end)->next;
	}
	*end = NULL;
	if (o)
		lower_source(l, o, T_B64, false);
	if (!l->failed)
		l->s = plain;
}
