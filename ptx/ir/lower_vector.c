/* Whole vector registers as operands (ld.global.v4.f32 v, [a]), and moves of vectors, element by
 * element. */
#include "ptx/ir/lower.h"

#include <string.h>

#define ELEMENTS 4u

bool lower_is_whole(const struct ast_operand *o)
{
	return o->kind == AST_SYMBOL && o->symbol && o->symbol->kind == SYM_REG &&
	       o->symbol->vec > 1 && o->component < 0;
}

const struct ast_operand *lower_spread(struct lower *l, const struct ast_operand *o)
{
	struct ast_operand *list, *e;

	if (!lower_is_whole(o))
		return o;
	list = arena_alloc(l->m->work, 1u + o->symbol->vec, sizeof(*list));
	*list = (struct ast_operand){
		.kind = AST_VECTOR, .pos = o->pos, .first = list + 1, .component = -1};
	for (uint8_t k = 0; k < o->symbol->vec; k++) {
		e = list + 1 + k;
		*e = *o;
		e->component = (int8_t)k;
		e->next = k + 1 < o->symbol->vec ? e + 1 : NULL;
	}
	return list;
}

/* All elements are read before one is written: { a, b } may be moved to { b, a }. */
static void move_elements(struct lower *l, const struct ast_operand *d, const struct ast_operand *s,
	unsigned n, enum ptx_type type)
{
	struct ir_value kept[ELEMENTS];

	d = d->first;
	s = s->first;
	for (unsigned k = 0; k < n; k++, s = s->next) {
		struct ir_value v = lower_source(l, s, type, false);

		if (l->failed)
			return;
		kept[k] = lower_temp(l, ptx_type_words(type));
		lower_move(l, kept[k], v);
	}
	for (unsigned k = 0; k < n; k++, d = d->next) {
		struct ir_value to = lower_dest(l, d, type, false);

		if (to.kind != IR_NONE && !l->failed)
			lower_move(l, to, kept[k]);
	}
}

bool lower_vector_move(struct lower *l)
{
	const struct ast_operand *d = l->s->operands, *s = d ? d->next : NULL;
	const char *opcode = l->s->opcode;
	unsigned n = 0;
	enum ptx_type type;

	if (!strncmp(opcode, "mov.v2.", 7) || !strncmp(opcode, "mov.v4.", 7))
		n = (unsigned)(opcode[5] - '0');
	type = n ? ptx_type_parse(opcode + 7) : T_NONE;
	if (type == T_NONE || type == T_PRED || type == T_B128)
		return false;
	if (!s || s->next) {
		lower_fail(l, l->s->pos, ERR_INPUT, "takes 2 operands");
		return true;
	}
	d = lower_spread(l, d);
	s = lower_spread(l, s);
	if (d->kind != AST_VECTOR || lower_count(d->first) != n)
		lower_fail(l, d->pos, ERR_INPUT, "%u elements are needed here", n);
	else if (s->kind != AST_VECTOR || lower_count(s->first) != n)
		lower_fail(l, s->pos, ERR_INPUT, "%u elements are needed here", n);
	else
		move_elements(l, d, s, n, type);
	return true;
}
