/* Accesses of the lanes to their elements of a matrix. */
#include "ptx/ir/lower_matrix.h"
#include "ptx/isa/matrix.h"

#include <stdio.h>
#include <string.h>

static struct ir_value compute3(struct lower *l, const char *spelling, unsigned words,
	struct ir_value a, struct ir_value b, struct ir_value c)
{
	struct ir_value d = lower_temp(l, words);
	struct ir_instr *i;

	lower_compute(l, spelling, d, a, b);
	i = &l->f->code[l->f->ninstr - 1];
	i->nsrc = 3;
	i->src[2] = c;
	return d;
}

static struct ir_value small(uint64_t n)
{
	return lower_const(n, 1);
}

/* base + n * bytes, an address. */
static struct ir_value address(
	struct lower *l, struct ir_value n, unsigned bytes, struct ir_value base)
{
	return compute3(l, base.words == 1 ? "mad.lo.u32" : "mad.wide.u32", base.words, n,
		small(bytes), base);
}

static bool is_fragment(const struct ast_statement *s)
{
	return s->opcode &&
	       (!strncmp(s->opcode, "wmma.load", 9) || !strncmp(s->opcode, "wmma.store", 10));
}

void lower_fragments_begin(struct lower *l)
{
	const struct ast_function *a = l->f->ast;
	struct ast_statement first;
	struct ir_instr i;
	uint32_t s = 0;

	while (s < a->nstatements && !is_fragment(&a->statements[s]))
		s++;
	if (s == a->nstatements)
		return;
	first = a->statements[s];
	first.guard = NULL;
	l->s = &first;
	i = lower_blank(l);
	i.action = ACT_SREG;
	i.sreg = SREG_LANEID;
	i.ndst = 1;
	i.dst[0] = l->lane = lower_temp(l, 1);
	lower_emit(l, &i);
	l->s = NULL;
}

void lower_fragments_end(struct lower *l)
{
	struct ir_function *f = l->f;
	uint32_t uses[IR_USES];
	bool *read;

	if (l->lane.kind == IR_NONE)
		return;
	read = arena_alloc(l->m->work, f->nvregs, sizeof(*read));
	for (uint32_t i = 0; i < f->ninstr; i++)
		for (unsigned n = ir_uses(&f->code[i], uses); n; n--)
			read[uses[n - 1]] = true;
	for (uint32_t i = 0; i < f->nout; i++)
		read[f->out[i]] = true;
	for (uint32_t i = 0; i < f->ninstr; i++) {
		const struct ir_instr *c = &f->code[i];

		if (c->shape == IR_COPY && c->opcode && !strncmp(c->opcode, "wmma.load", 9) &&
			!read[c->dst[0].index])
			ir_delete(&f->code[i]);
	}
}

void lane_start(struct lane_access *p, bool g_strides, unsigned step)
{
	struct lower *l = p->l;
	struct ir_value base = p->access.src[0];
	struct ir_value g = fragment_compute(l, "shr.u32", 1, l->lane, small(2));
	struct ir_value t = fragment_compute(l, "and.b32", 1, l->lane, small(3));
	struct ir_value n;

	if (base.kind == IR_NONE)
		base = lower_const(0, p->access.address_words);
	if (step > 1)
		t = fragment_compute(l, "mul.lo.u32", 1, t, small(step));
	n = g_strides ? compute3(l, "mad.lo.u32", 1, g, p->stride, t)
		      : compute3(l, "mad.lo.u32", 1, t, p->stride, g);
	p->at[0] = address(l, n, p->bytes, base);
}

static struct ir_instr access_at(struct lane_access *p, unsigned multiple, unsigned n)
{
	struct ir_instr i = p->access;

	BUG_ON(multiple >= MULTIPLES);
	if (p->at[multiple].kind == IR_NONE)
		p->at[multiple] = address(p->l, p->stride, multiple * p->bytes, p->at[0]);
	i.src[0] = p->at[multiple];
	i.offset += (int64_t)n * p->bytes;
	return i;
}

void lane_move(struct lane_access *p, unsigned multiple, unsigned n, enum ptx_type type,
	const struct ir_value *value, unsigned vec)
{
	struct ir_instr i = access_at(p, multiple, n);

	i.mem_type = (uint8_t)type;
	i.vec = (uint8_t)vec;
	for (unsigned k = 0; k < vec; k++) {
		if (i.action == ACT_LOAD)
			i.dst[k] = value[k];
		else
			i.src[1 + k] = value[k];
	}
	i.ndst = i.action == ACT_LOAD ? (uint8_t)vec : 0;
	i.nsrc = i.action == ACT_LOAD ? 1 : (uint8_t)(1 + vec);
	lower_emit(p->l, &i);
}

static void pack(
	struct lower *l, struct ir_value whole, const struct ir_value *part, unsigned n, bool packs)
{
	struct ir_instr i = lower_blank(l);
	struct form_match form;
	char spelling[32], why[128];
	bool unsupported;

	snprintf(spelling, sizeof(spelling), "%%%s.v%u.b32", packs ? "pack" : "unpack", n);
	BUG_ON(form_match(spelling, &form, why, sizeof(why), &unsupported));
	i.op = form.op;
	i.op_class = form.op_class;
	i.ndst = packs ? 1 : (uint8_t)n;
	i.nsrc = packs ? (uint8_t)n : 1;
	*(packs ? i.dst : i.src) = whole;
	memcpy(packs ? i.src : i.dst, part, n * sizeof(*part));
	lower_emit(l, &i);
}

void lane_move_apart(
	struct lane_access *p, unsigned multiple, unsigned at, struct ir_value value, unsigned n)
{
	struct ir_value part[4] = {{0}};
	bool load = p->access.action == ACT_LOAD;

	BUG_ON(n > ARRAY_LEN(part));
	for (unsigned e = 0; e < n; e++)
		part[e] = lower_temp(p->l, 1);
	if (!load)
		pack(p->l, value, part, n, false);
	for (unsigned e = 0; e < n; e++)
		lane_move(p, multiple + e, at, n == 2 ? T_B16 : T_B8, &part[e], 1);
	if (load)
		pack(p->l, value, part, n, true);
}

void lane_start_rows(struct lane_access *p, bool below)
{
	struct lower *l = p->l;
	struct ir_value base = p->access.src[0], row, aside;

	if (base.kind == IR_NONE)
		base = lower_const(0, p->access.address_words);
	if (below) {
		row = fragment_compute(l, "and.b32", 1, l->lane, small(15));
		aside = fragment_compute(l, "and.b32", 1, l->lane, small(16));
		aside = fragment_compute(l, "shr.u32", 1, aside, small(1));
	} else {
		aside = fragment_compute(l, "and.b32", 1, l->lane, small(8));
		row = fragment_compute(l, "shr.u32", 1, l->lane, small(1));
		row = fragment_compute(l, "and.b32", 1, row, small(8));
		row = fragment_compute(
			l, "or.b32", 1, row, fragment_compute(l, "and.b32", 1, l->lane, small(7)));
	}
	p->at[0] = address(l, compute3(l, "mad.lo.u32", 1, row, p->stride, aside), p->bytes, base);
}

void lane_load_rows(struct lane_access *p, unsigned strides, unsigned elements, bool turned,
	const struct ir_value *value, unsigned n)
{
	struct ir_instr i = access_at(p, strides, elements);

	i.op = (uint16_t)(n | (turned ? MATRIX_TURNED : 0));
	i.mem_type = T_B32;
	i.vec = 4;
	i.nsrc = 1;
	i.ndst = (uint8_t)n;
	memcpy(i.dst, value, n * sizeof(*value));
	lower_emit(p->l, &i);
}
