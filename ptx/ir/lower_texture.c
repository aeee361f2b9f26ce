/* Operands of texture and surface instructions: handles and coordinates. */
#include "ptx/ir/lower.h"
#include "ptx/isa/texture.h"

/* ---- handles. */

/* The handle in a kernel's .param .texref. */
static struct ir_value param_handle(struct lower *l, const struct ast_operand *o)
{
	struct ir_instr i = lower_blank(l);
	uint32_t v = vars_find(l->m, o->symbol);

	if (v == NO_VREG || l->m->vars[v].location != LOCATION_PARAM) {
		lower_fail(l, o->pos, ERR_UNSUPPORTED,
			"%s: only kernels have texture, sampler and surface parameters",
			o->symbol->name);
		return (struct ir_value){0};
	}
	i.action = ACT_LOAD;
	i.unit = UNIT_MEMORY;
	i.space = SPACE_PARAM;
	i.mem_type = T_U32; /* handles are small numbers */
	i.vec = 1;
	i.address_words = (uint8_t)(l->m->ast->address_bits / 32);
	i.ndst = i.nsrc = 1;
	i.src[0] = (struct ir_value){.kind = IR_VAR, .words = i.address_words, .index = v};
	i.dst[0] = lower_temp(l, 1);
	lower_emit(l, &i);
	return i.dst[0];
}

static struct ir_value symbol_handle(struct lower *l, const struct ast_operand *o)
{
	const struct ast_symbol *s = o->symbol;
	uint32_t v = vars_find(l->m, s);

	if (s->is_param)
		return param_handle(l, o);
	if (s->trouble) {
		lower_fail(l, o->pos, ERR_UNSUPPORTED, "%s: %s", s->name, s->trouble);
		return (struct ir_value){0};
	}
	if (v == NO_VREG || l->m->vars[v].location != LOCATION_MODULE) {
		lower_missing(l, o);
		return (struct ir_value){0};
	}
	return (struct ir_value){.kind = IR_VAR, .words = 1, .index = v};
}

static struct ir_value lower_handle(struct lower *l, const struct ast_operand *o)
{
	const struct ast_symbol *s = o->symbol;
	char class = s && s->kind == SYM_REG ? ptx_type_class(s->type) : 0;
	unsigned bytes = class ? ptx_type_bytes(s->type) : 0;

	if (s && s->kind == SYM_VAR && s->opaque && !o->offset)
		return symbol_handle(l, o);
	if ((class == 'u' || class == 'b' || class == 's') && bytes >= 4 && s->vec == 1 &&
		!o->offset)
		return lower_reg(l, o);
	lower_fail(l, o->pos, ERR_INPUT,
		"the name of a texture, sampler or surface reference, or a .u64 register with a "
		"handle, is needed here");
	return (struct ir_value){0};
}

/* ---- coordinates. */

/* {x, y}, or a single value; PTX writes four coordinates where three are needed, older PTX always.
 */
static void lower_coords(struct lower *l, const struct ast_operand *o, enum geometry g,
	enum ptx_type type, struct ir_value *out)
{
	const struct ast_operand *e;
	unsigned need = geometry_coords(g), have;

	o = lower_spread(l, o);
	e = o->kind == AST_VECTOR ? o->first : o;
	have = o->kind == AST_VECTOR ? lower_count(e) : 1;
	if (have != need && have != 4) {
		lower_fail(l, o->pos, ERR_INPUT, "%u coordinate%s needed here, %u %s given",
			need == 3 ? 4 : need, need == 1 ? " is" : "s are", have,
			have == 1 ? "is" : "are");
		return;
	}
	for (unsigned k = 0; k < need; k++, e = e->next)
		out[k] = lower_source(l, e, k == 0 && geometry_is_array(g) ? T_B32 : type, false);
}

static enum geometry geometry_of(const struct ir_instr *i)
{
	if (i->action == ACT_SURFACE)
		return (enum geometry)(i->op % 16 / 3);
	return i->op >= TEXTURE_GATHER ? GEOMETRY_2D : (enum geometry)(i->op / 3);
}

void lower_object(struct lower *l, const struct ast_operand *o, const struct form_operand *role,
	struct ir_instr *i)
{
	const struct ast_operand *coords = o->first;
	bool texture = role->role == ROLE_TEXTURE;
	unsigned n = o->kind == AST_ADDRESS ? lower_count(coords) : 0;

	BUG_ON(i->nsrc);
	i->nsrc = role->role == ROLE_OBJECT ? 1 : texture ? 5 : 4;
	if (o->kind != AST_ADDRESS ||
		(role->role == ROLE_OBJECT ? n != 0 : n == 0 || n > 1u + texture)) {
		lower_fail(l, o->pos, ERR_INPUT, "%s is needed here",
			role->role == ROLE_OBJECT ? "[texture], [sampler] or [surface]"
			: texture ? "[texture, {coordinates}] or [texture, sampler, {coordinates}]"
				  : "[surface, {coordinates}]");
		return;
	}
	i->src[0] = lower_handle(l, o);
	if (n == 2 && texture && geometry_of(i) == GEOMETRY_ACUBE) {
		lower_fail(l, o->pos, ERR_UNSUPPORTED,
			"a layered cube map with a sampler of its own is not supported");
		return;
	}
	if (n == 2) {
		i->src[4] = lower_handle(l, coords);
		coords = coords->next;
	}
	if (n)
		lower_coords(l, coords, geometry_of(i), texture ? role->type : T_B32, &i->src[1]);
}

/* A gradient has as many values as there are coordinates, without the layer; missing ones are 0. */
void lower_level(
	struct lower *l, const struct ast_operand *o, enum ptx_type type, struct ir_instr *i)
{
	bool gradient = o->kind == AST_VECTOR;
	const struct ast_operand *e = gradient ? o->first : o;
	enum geometry g = geometry_of(i);
	unsigned n = gradient ? geometry_coords(g) - geometry_is_array(g) : 1;

	for (unsigned k = 0; k < n || e; k++) {
		struct ir_value v = {0};

		if (e && e->kind != AST_SINK)
			v = lower_source(l, e, type, false);
		if (k < n && i->nsrc < INSTR_SRCS)
			i->src[i->nsrc++] = v;
		e = e && gradient ? e->next : NULL;
	}
}
