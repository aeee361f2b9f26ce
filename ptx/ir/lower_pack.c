/* mov between one register and a vector of its parts: { low, .., high }. */
#include "ptx/ir/lower.h"

#include <stdio.h>
#include <string.h>

struct pack {
	const struct ast_operand *whole, *parts;
	enum ptx_type type, part_type;
	unsigned n;
	bool packs;
};

/* The operands in the order of the operation: (d, a, b ..) or (d0, d1 .., a). */
static void lower_parts(struct lower *l, const struct pack *p)
{
	struct ir_instr i = lower_blank(l);
	const struct ast_operand *o = p->parts->first;
	struct ir_value *part = p->packs ? i.src : i.dst;

	for (unsigned k = 0; k < p->n; k++, o = o->next)
		part[k] = p->packs ? lower_source(l, o, p->part_type, false)
				   : lower_dest(l, o, p->part_type, false);
	if (p->packs)
		i.dst[0] = lower_dest(l, p->whole, p->type, false);
	else
		i.src[0] = lower_source(l, p->whole, p->type, false);
	if (l->failed)
		return;
	i.op = l->form.op;
	i.ndst = p->packs ? 1 : (uint8_t)p->n;
	i.nsrc = p->packs ? (uint8_t)p->n : 1;
	if (p->type == T_B64 && p->n == 2)
		i.shape = p->packs ? IR_PACK : IR_UNPACK;
	lower_emit(l, &i);
}

static void lower_mov_vector(struct lower *l, struct pack *p)
{
	char spelling[32], why[128];
	bool unsupported;

	p->n = lower_count(p->parts->first);
	if (p->type == T_B128 && p->n == 2) {
		lower_wide_pack(l, p->whole, p->parts, p->packs);
		return;
	}
	snprintf(spelling, sizeof(spelling), "%%%s.v%u.%s", p->packs ? "pack" : "unpack", p->n,
		ptx_type_name(p->type));
	if (form_match(spelling, &l->form, why, sizeof(why), &unsupported)) {
		lower_fail(l, p->parts->pos, ERR_UNSUPPORTED,
			"a move between .%s and %u parts is not supported", ptx_type_name(p->type),
			p->n);
		return;
	}
	switch (ptx_type_bytes(p->type) / p->n) {
	case 1:
		p->part_type = T_B8;
		break;
	case 2:
		p->part_type = T_B16;
		break;
	default:
		p->part_type = T_B32;
		break;
	}
	lower_parts(l, p);
}

bool lower_pack(struct lower *l)
{
	const struct ast_operand *d = l->s->operands, *s = d ? d->next : NULL;
	struct pack p = {0};

	if (strncmp(l->s->opcode, "mov.", 4) != 0 || !s || s->next)
		return false;
	if (ptx_type_class(ptx_type_parse(l->s->opcode + 4)) == 'b') {
		d = lower_spread(l, d);
		s = lower_spread(l, s);
	}
	if ((d->kind != AST_VECTOR && s->kind != AST_VECTOR))
		return false;
	p.packs = s->kind == AST_VECTOR;
	p.parts = p.packs ? s : d;
	p.whole = p.packs ? d : s;
	p.type = ptx_type_parse(l->s->opcode + 4);
	if (ptx_type_class(p.type) != 'b')
		lower_fail(l, l->s->pos, ERR_INPUT,
			"vectors are moved by mov.b16, mov.b32, mov.b64 and mov.b128");
	else if (d->kind == s->kind)
		lower_fail(l, s->pos, ERR_INPUT, "one of the operands must be a single register");
	else
		lower_mov_vector(l, &p);
	return true;
}
