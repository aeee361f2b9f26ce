/* Products of matrices, ldmatrix and stmatrix. */
#include "ptx/ir/lower_matrix.h"

#include "ptx/isa/matrix.h"
#include "ptx/isa/operations.h"

#include <string.h>

void lower_matrix_code(struct ir_instr *i, unsigned code)
{
	i->op = (uint16_t)code;
	i->vec = (uint8_t)matrix_steps(code);
	i->work = work_of_matrix(code);
}

/* ---- operands */
void fragment_read(
	struct lower *l, const struct ast_operand *o, unsigned operand, struct fragment *f)
{
	const struct form_operand *role = &l->form.operand[operand];
	const struct ast_operand *e = o->kind == AST_VECTOR ? o->first : o;

	f->n = form_values(&l->form, operand);
	for (unsigned k = 0; k < f->n && e; k++, e = o->kind == AST_VECTOR ? e->next : NULL) {
		f->value[k] = role->is_dst ? lower_dest(l, e, (enum ptx_type)role->type, false)
					   : lower_source(l, e, (enum ptx_type)role->type, false);
		if (k + 1 == f->n && (o->kind != AST_VECTOR || !e->next))
			return;
	}
	lower_fail(l, o->pos, ERR_INPUT, "%u element%s needed here", f->n,
		f->n == 1 ? " is" : "s in braces are");
}

bool fragment_operands(struct lower *l, unsigned least, unsigned most)
{
	unsigned n = lower_count(l->s->operands);

	if (n >= least && n <= most)
		return true;
	if (least == most)
		lower_fail(l, l->s->pos, ERR_INPUT, "takes %u operands, %u %s given", most, n,
			n == 1 ? "is" : "are");
	else
		lower_fail(l, l->s->pos, ERR_INPUT, "takes %u to %u operands, %u %s given", least,
			most, n, n == 1 ? "is" : "are");
	return false;
}

bool fragment_says(const struct lower *l, const char *word)
{
	return strstr(l->s->opcode, word) != NULL;
}

struct ir_value fragment_compute(
	struct lower *l, const char *spelling, unsigned words, struct ir_value a, struct ir_value b)
{
	struct ir_value d = lower_temp(l, words);

	lower_compute(l, spelling, d, a, b);
	return d;
}

struct ir_instr fragment_access(const struct lower *l, enum action action)
{
	struct ir_instr i = lower_blank(l);

	i.action = (uint8_t)action;
	i.unit = UNIT_MEMORY;
	i.op_class = op_class_of_unit(UNIT_MEMORY, 0);
	i.space = l->form.space;
	return i;
}

void fragment_append(struct ir_instr *i, const struct ir_value *v, unsigned n)
{
	BUG_ON(i->nsrc + n > INSTR_SRCS);
	for (unsigned k = 0; k < n; k++)
		i->src[i->nsrc++] = v[k];
}

/* ldmatrix: fragment, address; stmatrix: address, fragment. */
static void lower_rows(struct lower *l, bool load)
{
	const struct ast_operand *first = l->s->operands;
	struct ir_instr i = fragment_access(l, load ? ACT_LOAD : ACT_STORE);
	struct fragment f;

	if (!fragment_operands(l, 2, 2))
		return;
	lower_address(l, load ? first->next : first, &i);
	if (!l->failed)
		fragment_read(l, load ? first : first->next, load ? 0 : 1, &f);
	if (l->failed)
		return;
	i.op = (uint16_t)(f.n | (fragment_says(l, ".trans") ? MATRIX_TURNED : 0));
	i.mem_type = T_B32;
	i.vec = 4;
	i.nsrc = 1;
	if (load) {
		i.ndst = (uint8_t)f.n;
		memcpy(i.dst, f.value, f.n * sizeof(*f.value));
	} else {
		fragment_append(&i, f.value, f.n);
	}
	lower_emit(l, &i);
}

void lower_fragment(struct lower *l)
{
	if (l->s->opcode[1] == 'r')
		lower_policy(l);
	else if (l->s->opcode[0] == 'c')
		lower_copy(l);
	else if (l->s->opcode[1] == 'b')
		lower_mbarrier(l);
	else if (l->s->opcode[0] == 'w')
		lower_wmma(l);
	else
		lower_rows(l, l->s->opcode[0] == 'l');
}
