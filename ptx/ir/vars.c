/* The storage of every variable of a module: device memory, shared memory, stack frames, or
 * registers. */
#include "ptx/ir/ir.h"

#include <string.h>

#define WIDEST 16u /* bytes of the widest access */

static uint32_t slot_of(const struct ir_module *m, const struct ast_symbol *s)
{
	uint64_t h = (uint64_t)(uintptr_t)s * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(h >> 32) & (m->nslots - 1);

	while (m->slots[i].symbol && m->slots[i].symbol != s)
		i = (i + 1) & (m->nslots - 1);
	return i;
}

static uint32_t find(const struct ir_module *m, const struct ast_symbol *s)
{
	const struct var_slot *slot = &m->slots[slot_of(m, s)];

	return slot->symbol ? slot->index : NO_VREG;
}

uint32_t vars_find(const struct ir_module *m, const struct ast_symbol *s)
{
	return s && s->kind == SYM_VAR ? find(m, s) : NO_VREG;
}

uint32_t vars_function(const struct ir_module *m, const struct ast_symbol *s)
{
	return s && s->kind == SYM_FUNCTION ? find(m, s) : NO_VREG;
}

static void put_slot(struct ir_module *m, const struct ast_symbol *s, uint32_t index)
{
	m->slots[slot_of(m, s)] = (struct var_slot){.symbol = s, .index = index};
}

static void add_var(struct ir_module *m, const struct ast_symbol *s, uint32_t owner)
{
	if (s->kind != SYM_VAR || s->definition || vars_find(m, s) != NO_VREG)
		return;
	m->vars[m->nvars] = (struct ir_var){.symbol = s, .owner = owner, .same = m->nvars};
	put_slot(m, s, m->nvars++);
}

static void add_list(struct ir_module *m, const struct ast_symbol *list, uint32_t owner)
{
	for (; list; list = list->next)
		add_var(m, list, owner);
}

/* Linked declarations refer to the variables of other modules. */
static void add_linked(struct ir_module *m)
{
	for (const struct ast_symbol *s = m->ast->variables; s; s = s->next)
		if (s->definition)
			put_slot(m, s, vars_find(m, s->definition));
}

static uint32_t count_list(const struct ast_symbol *list)
{
	uint32_t n = 0;

	for (; list; list = list->next)
		n++;
	return n;
}

static uint32_t count_symbols(const struct ast_module *ast)
{
	uint32_t n = count_list(ast->variables);

	for (const struct ast_function *f = ast->functions; f; f = f->next)
		n += 1 + count_list(f->params) + count_list(f->returns) + count_list(f->variables);
	return n;
}

/* ---- functions: a definition serves all declarations of its symbol; with linked modules or
 * aliases, also other symbols. */

static void add_functions(struct ir_module *m)
{
	uint32_t n = 0;

	for (const struct ast_function *f = m->ast->functions; f; f = f->next)
		n++;
	m->functions = arena_alloc(m->work, n + 1, sizeof(*m->functions));
	for (const struct ast_function *f = m->ast->functions; f; f = f->next)
		if (f->has_body && f->symbol->function == f) {
			put_slot(m, f->symbol, m->nfunctions);
			m->functions[m->nfunctions].failed = f->is_wrong;
			m->functions[m->nfunctions++].ast = f;
		}
	for (const struct ast_function *f = m->ast->functions; f; f = f->next) {
		const struct ast_function *body = f->symbol->function;

		if (vars_function(m, f->symbol) != NO_VREG)
			continue;
		if (body->has_body && vars_function(m, body->symbol) != NO_VREG) {
			put_slot(m, f->symbol, vars_function(m, body->symbol));
			continue;
		}
		put_slot(m, f->symbol, m->nfunctions);
		m->functions[m->nfunctions++].ast = f;
	}
}

/* ---- uses of .param variables: decides between registers and memory. */

static uint32_t root_of(struct ir_module *m, uint32_t v)
{
	while (m->vars[v].same != v) {
		m->vars[v].same = m->vars[m->vars[v].same].same;
		v = m->vars[v].same;
	}
	return v;
}

static void unite(struct ir_module *m, uint32_t a, uint32_t b)
{
	a = root_of(m, a);
	b = root_of(m, b);
	if (a < b)
		m->vars[b].same = a;
	else
		m->vars[a].same = b;
}

/* A .param variable that is not a kernel's parameter. */
static bool is_call_var(const struct ir_module *m, uint32_t v)
{
	if (v == NO_VREG || m->vars[v].symbol->space != SPACE_PARAM)
		return false;
	return m->vars[v].owner == NO_VREG || !m->functions[m->vars[v].owner].ast->is_kernel ||
	       !m->vars[v].symbol->is_param;
}

static unsigned touch_of(const struct ast_operand *address, const char *opcode)
{
	const char *dot = strrchr(opcode, '.');
	unsigned bytes = ptx_type_bytes(ptx_type_parse(dot + 1));

	if ((bytes == 8 || bytes == 16) && address->offset % 8 == 0)
		return TOUCH_DOUBLE;
	if (bytes > 0 && bytes <= 4 && address->offset % 4 == 0)
		return strstr(opcode, ".v") && bytes < 4 ? TOUCH_MEMORY : TOUCH_WORD;
	return TOUCH_MEMORY;
}

static void touch_operands(struct ir_module *m, const struct ast_statement *s)
{
	bool direct =
		strncmp(s->opcode, "ld.param.", 9) == 0 || strncmp(s->opcode, "st.param.", 9) == 0;

	for (const struct ast_operand *o = s->operands; o; o = o->next) {
		uint32_t v = vars_find(m, o->symbol);
		unsigned touch =
			direct && o->kind == AST_ADDRESS ? touch_of(o, s->opcode) : TOUCH_MEMORY;

		if (is_call_var(m, v))
			m->vars[v].touched |= (uint8_t)touch;
	}
}

static void bind_list(
	struct ir_module *m, const struct ast_operand *list, const struct ast_symbol *formal)
{
	for (const struct ast_operand *o = list->first; o && formal;
		o = o->next, formal = formal->next) {
		uint32_t a = vars_find(m, o->symbol), b = vars_find(m, formal);

		if (is_call_var(m, a) && is_call_var(m, b))
			unite(m, a, b);
	}
}

static void bind_call(struct ir_module *m, const struct ast_statement *s)
{
	const struct ast_operand *name = s->operands;
	uint32_t f;

	while (name && name->kind != AST_SYMBOL)
		name = name->next;
	f = name ? vars_function(m, name->symbol) : NO_VREG;
	if (f == NO_VREG)
		return;
	if (s->operands != name)
		bind_list(m, s->operands, m->functions[f].ast->returns);
	if (name->next && name->next->kind == AST_LIST)
		bind_list(m, name->next, m->functions[f].ast->params);
}

static void note_use(struct ir_var *root, const struct ir_var *v)
{
	root->touched |= v->touched;
	root->largest = max_u64(root->largest, v->symbol->bytes);
}

static void scan_uses(struct ir_module *m)
{
	for (uint32_t i = 0; i < m->nfunctions; i++) {
		const struct ast_function *f = m->functions[i].ast;

		for (uint32_t s = 0; s < f->nstatements; s++) {
			if (!f->statements[s].opcode)
				continue;
			if (strncmp(f->statements[s].opcode, "call", 4) == 0)
				bind_call(m, &f->statements[s]);
			else
				touch_operands(m, &f->statements[s]);
		}
	}
	for (uint32_t v = 0; v < m->nvars; v++)
		note_use(&m->vars[root_of(m, v)], &m->vars[v]);
}

/* ---- storage. */

#define REGISTER_BYTES 1024u /* a larger .param variable is in memory */

static void place_frame(struct ir_function *f, struct ir_var *v)
{
	uint32_t align = v->symbol->align ? v->symbol->align : 4;

	v->location = LOCATION_FRAME;
	v->offset = div_up(f->frame_bytes, align) * align;
	f->frame_bytes = v->offset + v->symbol->bytes;
	if (align > f->frame_align)
		f->frame_align = align;
}

/* Variables bound to each other have the same storage, so the largest decides for all. */
static uint64_t largest(struct ir_module *m, const struct ir_var *v)
{
	return m->vars[root_of(m, (uint32_t)(v - m->vars))].largest;
}

static void place_call_var(struct ir_module *m, struct ir_var *v)
{
	unsigned touched = m->vars[root_of(m, (uint32_t)(v - m->vars))].touched;
	struct ir_function *f = &m->functions[v->owner];
	unsigned element = touched == TOUCH_DOUBLE ? 8 : 4;

	if (touched == 0 && v->symbol->bytes % 8 == 0)
		element = 8;
	if ((touched & TOUCH_MEMORY) || largest(m, v) > REGISTER_BYTES ||
		touched == (TOUCH_WORD | TOUCH_DOUBLE) || (element == 8 && v->symbol->bytes % 8)) {
		place_frame(f, v);
		return;
	}
	v->location = LOCATION_REGS;
	v->element = (uint8_t)element;
	for (uint64_t b = 0; b < v->symbol->bytes; b += element) {
		uint32_t vreg = ir_new_vreg(m, f, element / 4);

		v->index = b == 0 ? vreg : v->index;
	}
	if (v->symbol->is_param || v->symbol->is_return)
		return;
	if (f->relay_end == 0)
		f->relay = v->index;
	f->relay_end = f->nvregs; /* formal parameters come before these: one range */
}

static void place_module_var(struct ir_module *m, struct ir_var *v)
{
	const struct ast_symbol *s = v->symbol;

	if (s->is_extern && !s->is_defined) {
		v->location = LOCATION_NOWHERE;
		return;
	}
	v->location = LOCATION_MODULE;
	v->index = m->out->nvars;
	m->out->vars[m->out->nvars++] = (struct module_var){.name = s->name,
		.space = s->space,
		.bytes = s->bytes,
		.align = s->align,
		.kind = s->opaque,
		.managed = s->is_managed,
		.init = s->init};
}

/* .local at module scope: private to each thread, below all frames, so that all functions have the
 * same address. */
static void place_common(struct ir_module *m, struct ir_var *v)
{
	v->location = LOCATION_FRAME;
	v->offset = div_up(m->local_bytes, v->symbol->align) * v->symbol->align;
	m->local_bytes = v->offset + v->symbol->bytes;
}

static void place_var(struct ir_module *m, struct ir_var *v)
{
	const struct ast_symbol *s = v->symbol;

	if (s->space == SPACE_SHARED) {
		v->location = s->is_extern && s->bytes == 0 ? LOCATION_DYNAMIC : LOCATION_SHARED;
	} else if (s->space == SPACE_PARAM && !is_call_var(m, (uint32_t)(v - m->vars))) {
		v->location = LOCATION_PARAM;
		v->offset = s->param_offset;
	} else if (s->space == SPACE_GLOBAL || s->space == SPACE_CONST) {
		place_module_var(m, v);
	} else if (v->owner == NO_VREG && s->space == SPACE_LOCAL && s->is_defined) {
		place_common(m, v);
	} else if (v->owner == NO_VREG) {
		v->location = LOCATION_NOWHERE;
	} else if (s->space == SPACE_PARAM) {
		place_call_var(m, v);
	} else {
		place_frame(&m->functions[v->owner], v);
	}
}

/* ---- functions' own registers. */

/* Virtual registers of a PTX register: a vector has one per element, 128 bits are two of 64. */
static unsigned parts_of(const struct ast_symbol *s)
{
	return (s->vec ? s->vec : 1u) * (s->type == T_B128 ? 2 : 1);
}

static void number_list(struct ir_module *m, struct ir_function *f, const struct ast_symbol *list)
{
	for (const struct ast_symbol *s = list; s; s = s->next) {
		unsigned words = s->type == T_B128 ? 2 : ptx_type_words(s->type);

		if (s->kind != SYM_REG)
			continue;
		f->reg_base[s->index] = ir_new_vreg(m, f, words);
		for (unsigned i = 1; i < parts_of(s); i++)
			ir_new_vreg(m, f, words);
	}
}

static void make_registers(struct ir_module *m, struct ir_function *f)
{
	f->reg_base = arena_alloc(m->work, f->ast->nregisters + 1, sizeof(*f->reg_base));
	f->vregs_cap = f->ast->nregisters + 64;
	f->words = arena_alloc(m->work, f->vregs_cap, sizeof(*f->words));
	f->frame_align = 4;
	number_list(m, f, f->ast->params);
	number_list(m, f, f->ast->returns);
	number_list(m, f, f->ast->registers);
}

uint32_t vars_shared_align(const struct ir_module *m, const struct ir_var *v)
{
	uint32_t own = v->symbol->align ? v->symbol->align : 1, least = 1;

	if (m->wide_shared && v->location == LOCATION_DYNAMIC)
		least = WIDEST;
	while (m->wide_shared && least < WIDEST && least < v->symbol->bytes)
		least *= 2;
	return own > least ? own : least;
}

uint32_t vars_formal(const struct ir_module *m, uint32_t function, const struct ast_symbol *formal,
	uint32_t *first)
{
	const struct ir_function *f = &m->functions[function];
	uint32_t v;

	if (formal->kind == SYM_REG) {
		*first = f->reg_base[formal->index];
		return parts_of(formal);
	}
	v = vars_find(m, formal);
	if (v == NO_VREG || m->vars[v].location != LOCATION_REGS)
		return 0;
	*first = m->vars[v].index;
	return (uint32_t)div_up(m->vars[v].symbol->bytes, m->vars[v].element);
}

static uint32_t formal_list(
	struct ir_module *m, uint32_t function, const struct ast_symbol *list, uint32_t **out)
{
	uint32_t n = 0, first = 0;

	for (const struct ast_symbol *s = list; s; s = s->next)
		n += vars_formal(m, function, s, &first);
	*out = arena_alloc(m->work, n + 1, sizeof(**out));
	n = 0;
	for (const struct ast_symbol *s = list; s; s = s->next) {
		uint32_t k = vars_formal(m, function, s, &first);

		for (uint32_t i = 0; i < k; i++)
			(*out)[n++] = first + i;
	}
	return n;
}

void vars_build(struct ir_module *m)
{
	uint32_t n = count_symbols(m->ast), owner = 0;

	m->nslots = 64;
	while (m->nslots < 2 * n)
		m->nslots *= 2;
	m->slots = arena_alloc(m->work, m->nslots, sizeof(*m->slots));
	m->vars = arena_alloc(m->work, n + 1, sizeof(*m->vars));
	m->out->vars = arena_alloc(m->arena, n + 1, sizeof(*m->out->vars));
	add_functions(m);
	add_list(m, m->ast->variables, NO_VREG);
	add_linked(m);
	for (owner = 0; owner < m->nfunctions; owner++) {
		add_list(m, m->functions[owner].ast->params, owner);
		add_list(m, m->functions[owner].ast->returns, owner);
		add_list(m, m->functions[owner].ast->variables, owner);
		make_registers(m, &m->functions[owner]);
	}
	scan_uses(m);
	for (uint32_t v = 0; v < m->nvars; v++)
		place_var(m, &m->vars[v]);
	for (owner = 0; owner < m->nfunctions; owner++) {
		struct ir_function *f = &m->functions[owner];

		if (f->ast->is_kernel)
			continue;
		f->nin = formal_list(m, owner, f->ast->params, &f->in);
		f->nout = formal_list(m, owner, f->ast->returns, &f->out);
	}
}
