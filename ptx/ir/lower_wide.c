/* Operands wider than 64 bits: 128 bits as two 64-bit registers, the low half first, and vectors of
 * eight halves or words as four pairs. */
#include "ptx/ir/lower.h"

#include <stdio.h>

#define PAIRS 4u /* in eight elements */

static void append(struct ir_instr *i, const struct ir_value *v, unsigned n, bool is_dst)
{
	struct ir_value *list = is_dst ? i->dst : i->src;
	uint8_t *have = is_dst ? &i->ndst : &i->nsrc;

	BUG_ON(*have + n > (is_dst ? INSTR_DSTS : INSTR_SRCS));
	for (unsigned k = 0; k < n; k++)
		list[(*have)++] = v[k];
}

/* ---- 128 bits. */

void lower_wide_source(struct lower *l, const struct ast_operand *o, struct ir_value half[2])
{
	half[0] = half[1] = (struct ir_value){0};
	if (o->kind != AST_SYMBOL || o->symbol->kind != SYM_REG) {
		char read[LOWER_READ];

		lower_fail(l, o->pos, ERR_INPUT, "a register of .b128 is needed here, not %s",
			lower_read(o, read));
		return;
	}
	half[0] = half[1] = lower_source(l, o, T_B128, false);
	half[1].index++;
}

void lower_wide_dest(struct lower *l, const struct ast_operand *o, struct ir_value half[2])
{
	half[0] = half[1] = lower_dest(l, o, T_B128, false);
	half[1].index++;
}

void lower_wide_move(struct lower *l, const struct ir_value dst[2], const struct ir_value src[2])
{
	for (unsigned k = 0; k < 2 && !l->failed; k++)
		if (dst[k].kind != IR_NONE)
			lower_move(l, dst[k], src[k]);
}

void lower_wide_pack(struct lower *l, const struct ast_operand *whole,
	const struct ast_operand *parts, bool packs)
{
	struct ir_value dst[2], src[2];
	const struct ast_operand *o = parts->first;

	for (unsigned k = 0; k < 2; k++, o = o->next) {
		if (packs)
			src[k] = lower_source(l, o, T_B64, false);
		else
			dst[k] = lower_dest(l, o, T_B64, false);
	}
	if (packs)
		lower_wide_dest(l, whole, dst);
	else
		lower_wide_source(l, whole, src);
	lower_wide_move(l, dst, src);
}

void lower_wide_operand(
	struct lower *l, const struct ast_operand *o, bool is_dst, struct ir_instr *i)
{
	struct ir_value half[2];

	if (is_dst)
		lower_wide_dest(l, o, half);
	else
		lower_wide_source(l, o, half);
	append(i, half, 2, is_dst);
}

/* ---- eight elements. */

static bool are_halves(const struct lower *l)
{
	return ptx_type_bytes(l->form.mem_type) == 2;
}

static const struct ast_operand *next_element(
	struct lower *l, const struct ast_operand *list, const struct ast_operand *o)
{
	if (!o && !l->failed)
		lower_fail(l, list->pos, ERR_INPUT, "8 elements in braces are needed here");
	return o ? o->next : NULL;
}

/* The next two elements of the list from *at on, and the instruction that packs or unpacks the
 * pair. */
static void lower_pair_of(struct lower *l, const struct ast_operand *list,
	const struct ast_operand **at, struct ir_value pair, bool packs)
{
	struct ir_instr i = lower_blank(l);
	struct ir_value *part = packs ? i.src : i.dst;
	struct form_match form;
	char why[128], spelling[32];
	bool unsupported;

	for (unsigned k = 0; k < 2; k++) {
		const struct ast_operand *o = *at;

		*at = next_element(l, list, o);
		if (l->failed)
			return;
		part[k] = packs ? lower_source(l, o, l->form.mem_type, false)
				: lower_dest(l, o, l->form.mem_type, false);
	}
	snprintf(spelling, sizeof(spelling), "%%%s.v2.%s", packs ? "pack" : "unpack",
		are_halves(l) ? "b32" : "b64");
	BUG_ON(form_match(spelling, &form, why, sizeof(why), &unsupported));
	if (!are_halves(l))
		i.shape = packs ? IR_PACK : IR_UNPACK;
	i.op = form.op;
	i.ndst = packs ? 1 : 2;
	i.nsrc = packs ? 2 : 1;
	*(packs ? i.dst : i.src) = pair;
	if (!l->failed)
		lower_emit(l, &i);
}

static void lower_pairs(
	struct lower *l, const struct ast_operand *list, const struct ir_value *pair, bool packs)
{
	const struct ast_operand *at = list->kind == AST_VECTOR ? list->first : NULL;

	for (unsigned k = 0; k < PAIRS && !l->failed; k++)
		lower_pair_of(l, list, &at, pair[k], packs);
	if (at && !l->failed)
		lower_fail(l, list->pos, ERR_INPUT, "8 elements in braces are needed here");
}

void lower_eight(struct lower *l, const struct ast_operand *list, bool is_dst, struct ir_instr *i)
{
	struct ir_value pair[PAIRS];

	for (unsigned k = 0; k < PAIRS; k++)
		pair[k] = lower_temp(l, are_halves(l) ? 1 : 2);
	if (!is_dst)
		lower_pairs(l, list, pair, true);
	append(i, pair, PAIRS, is_dst);
}

void lower_eight_results(
	struct lower *l, const struct ast_operand *list, const struct ir_value *pair)
{
	lower_pairs(l, list, pair, false);
}

void lower_split_type(struct ir_instr *i)
{
	if (i->mem_type == T_B128 && (i->action == ACT_LOAD || i->action == ACT_STORE)) {
		i->mem_type = T_B64;
		i->vec = 2;
	} else if (i->vec == 2 * PAIRS) {
		if (ptx_type_bytes((enum ptx_type)i->mem_type) == 4)
			i->mem_type = T_B64;
		else
			i->mem_type = i->mem_type == T_F16 ? T_F16X2 : T_BF16X2;
		i->vec = PAIRS;
	}
}
