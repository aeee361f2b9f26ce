/* The address size where a module does not declare it: that of the registers used as addresses. */
#include "ptx/front/parse.h"

#include <string.h>

static bool is_wide(const struct ast_operand *o)
{
	return o && o->symbol && o->symbol->kind == SYM_REG && ptx_type_bytes(o->symbol->type) == 8;
}

/* ld.global.f32 f, [r64]; shared and local addresses may be 32-bit in 64-bit code, too. */
static bool has_wide_base(const struct ast_statement *s)
{
	for (const struct ast_operand *o = s->operands; o; o = o->next)
		if (o->kind == AST_ADDRESS && !o->first && is_wide(o))
			return true;
	return false;
}

/* mov.u64 r64, variable */
static bool takes_wide_address(const struct ast_statement *s)
{
	const struct ast_operand *d = s->operands, *v = d ? d->next : NULL;

	return !strncmp(s->opcode, "mov.", 4) && v && v->kind == AST_SYMBOL && is_wide(d) &&
	       v->symbol && (v->symbol->kind == SYM_VAR || v->symbol->kind == SYM_FUNCTION);
}

static bool is_wide_function(const struct ast_function *f)
{
	for (uint32_t i = 0; i < f->nstatements; i++)
		if (f->statements[i].opcode &&
			(has_wide_base(&f->statements[i]) || takes_wide_address(&f->statements[i])))
			return true;
	return false;
}

unsigned parse_address_bits(const struct ast_module *m)
{
	for (const struct ast_function *f = m->functions; f; f = f->next)
		if (is_wide_function(f))
			return 64;
	return 32;
}
