/* Values that are cheaper to compute again than to keep (Briggs, Cooper and Torczon,
 * "Rematerialization", PLDI 1992). */
#include "ptx/alloc/spill.h"

#include <string.h>

#define CHAIN 8u /* copies followed, at most */

struct search {
	const struct ir_module *m;
	const struct ir_function *f;
	uint32_t *def;  /* by register: its definition + 1 */
	uint8_t *count; /* number of definitions: 0, 1, 2 for more */
};

static void note_def(struct search *s, uint32_t v, uint32_t at)
{
	s->def[v] = at + 1;
	if (s->count[v] < 2)
		s->count[v]++;
}

static void find_defs(struct search *s)
{
	const struct ir_function *f = s->f;

	for (uint32_t k = 0; k < f->nin; k++)
		s->count[f->in[k]] = 2;
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
			for (unsigned d = 0; d < f->code[i].ndst; d++)
				if (f->code[i].dst[d].kind == IR_REG)
					note_def(s, f->code[i].dst[d].index, i);
}

static bool is_constant(const struct ir_value *v)
{
	return v->kind == IR_CONST || v->kind == IR_VAR;
}

static bool never_changes(uint8_t sreg)
{
	switch ((enum ptx_sreg)sreg) {
	case SREG_CLOCK:
	case SREG_CLOCK_HI:
	case SREG_CLOCK64:
	case SREG_GLOBALTIMER:
	case SREG_GLOBALTIMER_LO:
	case SREG_GLOBALTIMER_HI:
		return false;
	default:
		return true;
	}
}

static bool is_parameter(const struct search *s, const struct ir_instr *i)
{
	return i->action == ACT_LOAD && i->space == SPACE_PARAM && i->vec == 1 &&
	       i->src[0].kind == IR_VAR && s->m->vars[i->src[0].index].location == LOCATION_PARAM &&
	       s->f->ast->is_kernel;
}

/* The only definition of a register, if it is unconditional and writes the whole register. */
static const struct ir_instr *only_def(const struct search *s, uint32_t v)
{
	const struct ir_instr *i;

	if (s->count[v] != 1)
		return NULL;
	i = &s->f->code[s->def[v] - 1];
	if (i->guard != NO_VREG || i->ndst != 1 || i->dst[0].words != s->f->words[v])
		return NULL;
	return i;
}

/* The instruction that defines the register's value without register operands, or NO_VREG; copies
 * are followed. */
static uint32_t find_leaf(const struct search *s, uint32_t v)
{
	for (unsigned k = 0; k < CHAIN; k++) {
		const struct ir_instr *i = only_def(s, v);

		if (!i)
			return NO_VREG;
		if (i->action == ACT_SREG ? never_changes(i->sreg) : is_parameter(s, i))
			return s->def[v] - 1;
		if (i->shape != IR_COPY)
			return NO_VREG;
		if (is_constant(&i->src[0]))
			return s->def[v] - 1;
		if (i->src[0].kind != IR_REG || i->src[0].words != s->f->words[i->src[0].index])
			return NO_VREG;
		v = i->src[0].index;
	}
	return NO_VREG;
}

/* An instruction on constants and at most one register that has a leaf. */
static struct remat find_expression(const struct search *s, uint32_t v)
{
	const struct ir_instr *i = only_def(s, v);
	struct remat r = {.leaf = NO_VREG, .instrs = 1};
	uint32_t source = NO_VREG;

	if (!i || i->action != ACT_LANES || i->unit != UNIT_ALU || i->nsrc == 0)
		return (struct remat){0};
	for (unsigned k = 0; k < i->nsrc; k++) {
		if (is_constant(&i->src[k]))
			continue;
		if (i->src[k].kind != IR_REG || s->f->words[i->src[k].index] == 0)
			return (struct remat){0};
		if (source != NO_VREG && source != i->src[k].index)
			return (struct remat){0};
		source = i->src[k].index;
	}
	r.def = s->def[v] - 1;
	if (source == NO_VREG)
		return r;
	r.leaf = find_leaf(s, source);
	r.instrs = 2;
	return r.leaf == NO_VREG ? (struct remat){0} : r;
}

static struct remat find_one(const struct search *s, uint32_t v)
{
	uint32_t leaf;

	if (s->f->words[v] == 0)
		return (struct remat){0};
	leaf = find_leaf(s, v);
	if (leaf != NO_VREG)
		return (struct remat){.def = leaf, .leaf = NO_VREG, .instrs = 1};
	return find_expression(s, v);
}

struct remat *remat_find(const struct ir_module *m, const struct ir_function *f, struct arena *work)
{
	struct remat *r = arena_alloc(work, f->nvregs + 1, sizeof(*r));
	struct search s = {.m = m,
		.f = f,
		.def = arena_alloc(work, f->nvregs + 1, sizeof(uint32_t)),
		.count = arena_alloc(work, f->nvregs + 1, sizeof(uint8_t))};

	find_defs(&s);
	for (uint32_t v = 0; v < f->nvregs; v++)
		r[v] = find_one(&s, v);
	return r;
}
