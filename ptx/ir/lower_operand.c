/* Operands of a statement: registers checked against the types of the form, literals, addresses. */
#include "ptx/ir/lower.h"

#include <stdio.h>
#include <string.h>

struct ir_value lower_temp(struct lower *l, unsigned words)
{
	return (struct ir_value){
		.kind = IR_REG, .words = (uint8_t)words, .index = ir_new_vreg(l->m, l->f, words)};
}

struct ir_value lower_const(uint64_t bits, unsigned words)
{
	return (struct ir_value){.kind = IR_CONST,
		.words = (uint8_t)words,
		.bits = words == 2 ? bits : bits & UINT32_MAX};
}

struct ir_value lower_reg(const struct lower *l, const struct ast_operand *o)
{
	uint32_t v = l->f->reg_base[o->symbol->index];

	if (o->component > 0)
		v += (uint32_t)(unsigned char)o->component;
	return (struct ir_value){.kind = IR_REG, .words = l->f->words[v], .index = v};
}

static bool type_fits(enum ptx_type want, enum ptx_type have, bool wider)
{
	char w = ptx_type_class(want), h = ptx_type_class(have);
	unsigned wb = ptx_type_bytes(want), hb = ptx_type_bytes(have);

	if (w == 'p' || h == 'p')
		return w == h;
	if (hb < wb || (hb > wb && (!wider || have == T_B128)))
		return false;
	if (w == 'b' || h == 'b' || want == have)
		return true;
	return (w == 'u' || w == 's') && (h == 'u' || h == 's');
}

static void wrong_type(struct lower *l, const struct ast_operand *o, enum ptx_type want, bool wider)
{
	char other[16] = "";

	if (l->blamed == o->symbol) /* add.u32 p, p, p; */
		return;
	l->blamed = o->symbol;
	if (ptx_type_class(want) != 'b' && ptx_type_bytes(want))
		snprintf(other, sizeof(other), " or .b%u", 8 * ptx_type_bytes(want));
	lower_fail(l, o->pos, ERR_INPUT, "%s is a .%s register, a .%s%s%s one is needed",
		o->symbol->name, ptx_type_name(o->symbol->type), ptx_type_name(want), other,
		wider ? " or wider" : "");
}

static bool check_register(
	struct lower *l, const struct ast_operand *o, enum ptx_type want, bool wider)
{
	if (o->symbol->vec > 1 && o->component < 0) {
		lower_fail(l, o->pos, ERR_INPUT, "%s is a vector: name a component, %s.x",
			o->symbol->name, o->symbol->name);
		return false;
	}
	if (type_fits(want, o->symbol->type, wider))
		return true;
	wrong_type(l, o, want, wider);
	return false;
}

static uint64_t double_bits(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static uint64_t float_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static struct ir_value float_literal(
	struct lower *l, const struct ast_operand *o, enum ptx_type type)
{
	bool is_double = type == T_F64 || type == T_B64;
	uint64_t bits = o->value;

	if (type != T_F32 && type != T_F64 && type != T_B32 && type != T_B64) {
		lower_fail(l, o->pos, ERR_INPUT, "a floating-point literal where .%s is needed",
			ptx_type_name(type));
		return (struct ir_value){0};
	}
	if (o->kind == AST_F64 && !is_double) {
		double d;

		memcpy(&d, &o->value, sizeof(d));
		bits = float_bits((float)d);
	} else if (o->kind == AST_F32 && is_double) {
		uint32_t low = (uint32_t)o->value;
		float f;

		memcpy(&f, &low, sizeof(f));
		bits = double_bits((double)f);
	}
	return lower_const(bits, is_double ? 2 : 1);
}

static struct ir_value int_literal(struct lower *l, const struct ast_operand *o, enum ptx_type type)
{
	char class = ptx_type_class(type);
	unsigned bytes = ptx_type_bytes(type);
	uint64_t bits = o->value;

	if (class == 'p')
		return lower_const(bits ? UINT32_MAX : 0, 1);
	if (class == 'f' || class == 'x') {
		lower_fail(l, o->pos, ERR_INPUT, "an integer literal where .%s is needed: write %s",
			ptx_type_name(type),
			type == T_F64 ? "1.0 or 0d3FF0000000000000" : "1.0 or 0f3F800000");
		return (struct ir_value){0};
	}
	if (bytes < 8)
		bits &= (UINT64_C(1) << 8 * bytes) - 1;
	return lower_const(bits, ptx_type_words(type));
}

/* %is_explicit_cluster, the only special register that is a predicate. */
static struct ir_value special_predicate(struct lower *l, const struct ast_operand *o)
{
	struct ir_instr i = lower_blank(l), test = i;

	i.action = ACT_SREG;
	i.sreg = (uint8_t)o->symbol->sreg;
	i.guard = test.guard = NO_VREG;
	i.ndst = 1;
	i.dst[0] = lower_temp(l, 1);
	lower_emit(l, &i);
	test.op = l->m->setp_op;
	test.op_class = CLASS_COMPARE;
	test.ndst = test.nsrc = 2;
	test.dst[0] = lower_temp(l, 0);
	test.src[0] = i.dst[0];
	test.src[1] = lower_const(0, 1);
	lower_emit(l, &test);
	return test.dst[0];
}

static struct ir_value special_register(
	struct lower *l, const struct ast_operand *o, enum ptx_type type)
{
	unsigned words = ptx_sreg_words(o->symbol->sreg);
	struct ir_instr i = lower_blank(l);
	char class = ptx_type_class(type);

	if (class == 'p' && o->symbol->sreg == SREG_IS_EXPLICIT_CLUSTER)
		return special_predicate(l, o);
	if (class == 'f' || class == 'p' || class == 'x' || ptx_type_words(type) > words) {
		lower_fail(l, o->pos, ERR_INPUT, "%s is a .u%u register, not .%s", o->symbol->name,
			32 * words, ptx_type_name(type));
		return (struct ir_value){0};
	}
	if (o->symbol->sreg == SREG_ENVREG1 || o->symbol->sreg == SREG_ENVREG2)
		l->m->out->uses_workspace = true;
	i.action = ACT_SREG;
	i.sreg = (uint8_t)o->symbol->sreg;
	i.guard = NO_VREG;
	i.ndst = 1;
	i.dst[0] = lower_temp(l, words);
	lower_emit(l, &i);
	i.dst[0].words = (uint8_t)ptx_type_words(type);
	return i.dst[0];
}

void lower_missing(struct lower *l, const struct ast_operand *o)
{
	lower_fail(l, o->pos, ERR_INPUT, "%s, declared at %s:%u:%u, is defined in no linked module",
		o->symbol->name, o->symbol->file, o->symbol->pos.line, o->symbol->pos.col);
}

static const char *location_trouble(const struct ir_module *m, const struct ir_var *v)
{
	if (v->symbol->trouble)
		return v->symbol->trouble;
	for (const struct ast_reloc *r = v->symbol->relocs; r; r = r->next)
		if (vars_function(m, r->symbol) == NO_VREG &&
			(vars_find(m, r->symbol) == NO_VREG ||
				m->vars[vars_find(m, r->symbol)].location != LOCATION_MODULE))
			return "its initialiser has an address that is not in device memory";
	return NULL;
}

static bool check_variable(struct lower *l, const struct ast_operand *o, uint32_t v)
{
	const char *trouble;

	if (v != NO_VREG && l->m->vars[v].location == LOCATION_NOWHERE && o->symbol->is_extern) {
		lower_missing(l, o);
		return false;
	}
	trouble = v == NO_VREG ? "it is unknown here" : location_trouble(l->m, &l->m->vars[v]);

	if (trouble)
		lower_fail(l, o->pos, ERR_UNSUPPORTED, "%s: %s", o->symbol->name, trouble);
	return !trouble;
}

static struct ir_value variable_address(
	struct lower *l, const struct ast_operand *o, enum ptx_type type)
{
	uint32_t v = vars_find(l->m, o->symbol);
	unsigned bytes = ptx_type_bytes(type), need = l->m->ast->address_bits / 8;
	char class = ptx_type_class(type);

	if (!check_variable(l, o, v))
		return (struct ir_value){0};
	if (class == 'f' || (bytes != 4 && bytes != 8) ||
		(bytes < need && l->m->vars[v].location == LOCATION_MODULE)) {
		lower_fail(l, o->pos, ERR_INPUT, "the address of %s needs .u%u, not .%s",
			o->symbol->name, 8 * need, ptx_type_name(type));
		return (struct ir_value){0};
	}
	return (struct ir_value){.kind = IR_VAR,
		.words = (uint8_t)(bytes / 4),
		.index = v,
		.bits = (uint64_t)o->offset};
}

/* A number that the dispatch functions of indirect calls compare. */
static struct ir_value function_address(
	struct lower *l, const struct ast_operand *o, enum ptx_type type)
{
	const struct ast_function *f = o->symbol->function;
	unsigned need = l->m->ast->address_bits / 8;
	char class = ptx_type_class(type);

	if (f->is_kernel)
		lower_fail(l, o->pos, ERR_UNSUPPORTED, "the address of kernel %s", f->name);
	else if (!f->has_body)
		lower_missing(l, o);
	else if (class == 'f' || class == 'p' || ptx_type_bytes(type) != need)
		lower_fail(l, o->pos, ERR_INPUT, "the address of %s needs .u%u, not .%s", f->name,
			8 * need, ptx_type_name(type));
	else
		return lower_const(f->symbol->index, ptx_type_words(type));
	return (struct ir_value){0};
}

/* add.u32 a, b+4, c */
static struct ir_value register_sum(
	struct lower *l, const struct ast_operand *o, struct ir_value v, enum ptx_type type)
{
	static const char *const add[] = {
		[1] = "add.u16", [2] = "add.u16", [4] = "add.u32", [8] = "add.u64"};
	unsigned bytes = ptx_type_bytes(type);
	struct ir_value sum;

	if (ptx_type_class(type) == 'f' || ptx_type_class(type) == 'x' || !bytes || bytes > 8) {
		lower_fail(l, o->pos, ERR_INPUT, "nothing can be added to a .%s here",
			ptx_type_name(type));
		return (struct ir_value){0};
	}
	sum = lower_temp(l, ptx_type_words(type));
	lower_compute(l, add[bytes], sum, v, lower_const((uint64_t)o->offset, sum.words));
	return sum;
}

static struct ir_value register_value(
	struct lower *l, const struct ast_operand *o, enum ptx_type type, bool wider)
{
	struct ir_value v = {0};

	if (!check_register(l, o, type, wider))
		return v;
	v = lower_reg(l, o);
	if (ptx_type_words(type) && v.words > ptx_type_words(type))
		v.words = (uint8_t)ptx_type_words(type);
	return o->kind == AST_SYMBOL && o->offset ? register_sum(l, o, v, type) : v;
}

static struct ir_value symbol_value(
	struct lower *l, const struct ast_operand *o, enum ptx_type type, bool wider)
{
	switch (o->symbol->kind) {
	case SYM_REG:
		return register_value(l, o, type, wider);
	case SYM_SREG:
		return special_register(l, o, type);
	case SYM_VAR:
		return variable_address(l, o, type);
	case SYM_FUNCTION:
		return function_address(l, o, type);
	case SYM_LABEL:
	case SYM_PROTOTYPE:
	case SYM_TARGETS:
		lower_fail(l, o->pos, ERR_INPUT, "%s is not a value of .%s", o->symbol->name,
			ptx_type_name(type));
		break;
	}
	return (struct ir_value){0};
}

struct ir_value lower_source(
	struct lower *l, const struct ast_operand *o, enum ptx_type type, bool wider)
{
	if (o->negated && type != T_PRED)
		lower_fail(l, o->pos, ERR_INPUT, "only predicates can be negated with !");
	switch (o->kind) {
	case AST_SYMBOL:
		return symbol_value(l, o, type, wider);
	case AST_INT:
		return int_literal(l, o, type);
	case AST_F32:
	case AST_F64:
		return float_literal(l, o, type);
	case AST_ADDRESS:
	case AST_VECTOR:
	case AST_LIST:
	case AST_PAIR:
	case AST_SINK:
		break;
	}
	lower_fail(l, o->pos, ERR_INPUT, "a value of .%s is needed here", ptx_type_name(type));
	return (struct ir_value){0};
}

struct ir_value lower_pred_source(
	struct lower *l, const struct ast_operand *o, unsigned slot, uint8_t *negated)
{
	if (o->negated)
		*negated |= (uint8_t)(1u << slot);
	return lower_source(l, o, T_PRED, false);
}

const char *lower_read(const struct ast_operand *o, char out[LOWER_READ])
{
	switch (o->kind) {
	case AST_SYMBOL:
		snprintf(out, LOWER_READ, "`%.80s`", o->symbol ? o->symbol->name : "?");
		return out;
	case AST_INT:
		snprintf(out, LOWER_READ, "`%lld`", (long long)o->value);
		return out;
	case AST_F32:
	case AST_F64:
		return "a floating-point literal";
	case AST_ADDRESS:
		return "an address in brackets";
	case AST_VECTOR:
		return "a vector in braces";
	case AST_LIST:
		return "a list in parentheses";
	case AST_PAIR:
		return "a pair";
	case AST_SINK:
		return "`_`";
	}
	return "?";
}

struct ir_value lower_dest(
	struct lower *l, const struct ast_operand *o, enum ptx_type type, bool wider)
{
	char read[LOWER_READ];

	if (o->kind == AST_SINK)
		return (struct ir_value){0};
	if (o->kind != AST_SYMBOL || o->symbol->kind != SYM_REG) {
		lower_fail(l, o->pos, ERR_INPUT, "a result needs a register of .%s, not %s",
			ptx_type_name(type), lower_read(o, read));
		return (struct ir_value){0};
	}
	if (o->negated)
		lower_fail(l, o->pos, ERR_INPUT, "a result cannot be negated with !");
	if (o->offset)
		lower_fail(l, o->pos, ERR_INPUT, "nothing can be added to a result");
	if (!check_register(l, o, type, wider))
		return (struct ir_value){0};
	return lower_reg(l, o);
}

/* ---- addresses. */

static void register_address(struct lower *l, const struct ast_operand *o, struct ir_instr *i)
{
	unsigned need = l->m->ast->address_bits / 8, have = ptx_type_bytes(o->symbol->type);
	char class = ptx_type_class(o->symbol->type);
	bool small_space = i->space == SPACE_SHARED || i->space == SPACE_LOCAL ||
			   i->space == SPACE_PARAM || i->space == SPACE_CONST;

	if (class == 'f' || class == 'p' || class == 'x' ||
		(have != need && !(have == 4 && small_space))) {
		lower_fail(l, o->pos, ERR_INPUT, "%s is a .%s register, an address needs .u%u",
			o->symbol->name, ptx_type_name(o->symbol->type), 8 * need);
		return;
	}
	if (i->space == SPACE_PARAM && !l->f->ast->is_kernel)
		i->space = SPACE_LOCAL; /* a function's .param whose address is taken is in its
					   stack frame */
	i->src[0] = lower_reg(l, o);
	i->address_words = i->src[0].words;
}

static void variable_base(struct lower *l, const struct ast_operand *o, struct ir_instr *i)
{
	uint32_t v = vars_find(l->m, o->symbol);
	enum ptx_space own = o->symbol->space;

	if (!check_variable(l, o, v))
		return;
	if (o->symbol->opaque && !o->symbol->is_param) {
		lower_fail(l, o->pos, ERR_INPUT,
			"%s is a texture, sampler or surface reference: memory instructions cannot "
			"access it",
			o->symbol->name);
		return;
	}
	if (l->m->vars[v].location == LOCATION_FRAME)
		own = SPACE_LOCAL;
	if (i->space == SPACE_GENERIC || (i->space == SPACE_PARAM && own == SPACE_LOCAL))
		i->space = (uint8_t)own;
	if (i->space != own) {
		lower_fail(l, o->pos, ERR_INPUT, "%s is in .%s, not in .%s", o->symbol->name,
			ptx_space_name(own), ptx_space_name(i->space));
		return;
	}
	if (i->action != ACT_LOAD && l->m->vars[v].location == LOCATION_PARAM) {
		lower_fail(l, o->pos, ERR_INPUT, "%s is a parameter of the kernel: it is read-only",
			o->symbol->name);
		return;
	}
	i->src[0] = (struct ir_value){.kind = IR_VAR, .words = i->address_words, .index = v};
}

void lower_address(struct lower *l, const struct ast_operand *o, struct ir_instr *i)
{
	i->address_words = (uint8_t)(l->m->ast->address_bits / 32);
	if (o->kind != AST_ADDRESS) {
		lower_fail(l, o->pos, ERR_INPUT, "an address in brackets is needed here");
		return;
	}
	i->offset = o->offset;
	if (!o->symbol)
		return;
	if (o->symbol->kind == SYM_REG)
		register_address(l, o, i);
	else if (o->symbol->kind == SYM_VAR)
		variable_base(l, o, i);
	else
		lower_fail(l, o->pos, ERR_INPUT, "%s cannot be an address", o->symbol->name);
}

/* ---- statements with errors. */

static bool is_known(const struct ast_symbol *s)
{
	return s && (s->kind != SYM_REG || s->type != T_NONE);
}

static bool operand_is_known(const struct ast_operand *o)
{
	if (o->kind == AST_SYMBOL && !is_known(o->symbol))
		return false;
	return o->kind != AST_ADDRESS || !o->symbol || is_known(o->symbol);
}

/* A list of targets may be invalid and name lists, even itself: nested lists are not searched. */
static bool targets_are_known(const struct ast_symbol *list)
{
	for (const struct ast_operand *o = list->targets; o; o = o->next)
		if (!operand_is_known(o))
			return false;
	return true;
}

/* Whether all names of the operands are known. Operands are nested a few levels at most. */
static bool operands_are_known(const struct ast_operand *o)
{
	for (; o; o = o->next) {
		if (!operand_is_known(o) || !operands_are_known(o->first))
			return false;
		if (o->symbol && o->symbol->kind == SYM_TARGETS && !targets_are_known(o->symbol))
			return false;
	}
	return true;
}

bool lower_is_readable(const struct ast_statement *s)
{
	return !s->broken && (!s->guard || s->guard->type == T_PRED) &&
	       operands_are_known(s->operands);
}
