/* Replaces indirect calls by direct ones: for each signature that is called through a register, a
 * dispatch function is added, which takes the arguments and the address and branches to a call of
 * the function with this address. Addresses are small numbers, assigned to the functions whose
 * address is taken. */
#include "ptx/front/indirect.h"
#include "core/base.h"

#include <string.h>

struct indirect {
	struct ast_module *m;
	struct arena *arena;
	struct ast_function **taken; /* by address - 1 */
	uint32_t ntaken;
	struct ast_function *first, **tail; /* the dispatch functions */
};

static void *new (const struct indirect *w, size_t n, size_t size)
{
	return arena_alloc(w->arena, n ? n : 1, size);
}

/* ---- functions whose address is taken. */

static void take(struct indirect *w, const struct ast_symbol *s)
{
	struct ast_function *f;

	if (!s || s->kind != SYM_FUNCTION)
		return;
	f = s->function;
	if (!f->has_body || f->is_kernel || f->symbol->index)
		return;
	w->taken[w->ntaken++] = f;
	f->symbol->index = w->ntaken;
}

static void take_operands(struct indirect *w, const struct ast_operand *o)
{
	for (; o; o = o->next) {
		take(w, o->symbol);
		take_operands(w, o->first);
	}
}

static void take_data(struct indirect *w, const struct ast_symbol *list)
{
	for (; list; list = list->next)
		for (const struct ast_reloc *r = list->relocs; r; r = r->next)
			take(w, r->symbol);
}

static bool is_call(const struct ast_statement *s)
{
	return s->opcode && strncmp(s->opcode, "call", 4) == 0 &&
	       (s->opcode[4] == 0 || s->opcode[4] == '.');
}

static void find_taken(struct indirect *w)
{
	take_data(w, w->m->variables);
	for (const struct ast_function *f = w->m->functions; f; f = f->next) {
		take_data(w, f->variables);
		for (uint32_t s = 0; s < f->nstatements; s++)
			if (f->statements[s].opcode && !is_call(&f->statements[s]))
				take_operands(w, f->statements[s].operands);
	}
}

/* ---- signatures. */

/* A vector remains a vector register in the dispatch function, too; a variable and a register of
 * the same size are interchangeable. */
static bool is_vector(const struct ast_symbol *s)
{
	return s->kind == SYM_REG && s->vec > 1;
}

static uint64_t bytes_of(const struct ast_symbol *s)
{
	return s->kind == SYM_REG ? (uint64_t)ptx_type_bytes(s->type) * s->vec : s->bytes;
}

static bool same_size(const struct ast_symbol *a, const struct ast_symbol *b)
{
	return bytes_of(a) == bytes_of(b) && is_vector(a) == is_vector(b) &&
	       (!is_vector(a) || a->vec == b->vec);
}

static bool same_sizes(const struct ast_symbol *a, const struct ast_symbol *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (!same_size(a, b))
			return false;
	return !a && !b;
}

/* The address is the last parameter of a dispatch function. */
static struct ast_symbol *address_of(const struct ast_function *dispatcher)
{
	struct ast_symbol *s = dispatcher->params;

	while (s->next)
		s = s->next;
	return s;
}

static bool dispatches(const struct ast_function *d, const struct ast_function *signature)
{
	const struct ast_symbol *a = d->params, *b = signature->params;

	for (; a != address_of(d) && b; a = a->next, b = b->next)
		if (!same_size(a, b))
			return false;
	return a == address_of(d) && !b && same_sizes(d->returns, signature->returns);
}

/* ---- the dispatch function. */

static struct ast_operand *operand(
	const struct indirect *w, struct ast_symbol *symbol, struct ast_pos pos)
{
	struct ast_operand *o = new (w, 1, sizeof(*o));

	*o = (struct ast_operand){
		.kind = AST_SYMBOL, .symbol = symbol, .pos = pos, .component = -1};
	return o;
}

/* (a, b, ..) of the variables in the list, up to `end`. */
static struct ast_operand *operand_list(const struct indirect *w, struct ast_symbol *list,
	const struct ast_symbol *end, struct ast_pos pos)
{
	struct ast_operand *all = operand(w, NULL, pos), **tail = &all->first;

	all->kind = AST_LIST;
	for (; list != end; list = list->next) {
		*tail = operand(w, list, pos);
		tail = &(*tail)->next;
	}
	return all;
}

static struct ast_symbol *copy_list(const struct indirect *w, struct ast_function *d,
	const struct ast_symbol *list, bool is_return)
{
	struct ast_symbol *first = NULL, **tail = &first;

	for (; list; list = list->next) {
		struct ast_symbol *s = new (w, 1, sizeof(*s));

		*s = *list;
		s->kind = is_vector(list) ? SYM_REG : SYM_VAR;
		s->space = is_vector(list) ? SPACE_NONE : SPACE_PARAM;
		s->index = is_vector(list) ? d->nregisters++ : 0;
		s->bytes = bytes_of(list);
		s->align = list->align ? list->align : (uint32_t)s->bytes;
		s->is_param = !is_return;
		s->is_return = is_return;
		s->next = NULL;
		*tail = s;
		tail = &s->next;
	}
	return first;
}

static void add_address(const struct indirect *w, struct ast_function *d)
{
	struct ast_symbol **tail = &d->params;
	struct ast_symbol *s = new (w, 1, sizeof(*s));

	while (*tail)
		tail = &(*tail)->next;
	*s = (struct ast_symbol){.kind = SYM_REG,
		.name = "address",
		.file = d->file,
		.pos = d->pos,
		.type = w->m->address_bits == 64 ? T_U64 : T_U32,
		.vec = 1,
		.index = d->nregisters++};
	*tail = s;
}

/* L: call (returns), f, (params); ret; */
static struct ast_symbol *add_case(
	const struct indirect *w, struct ast_function *d, struct ast_function *f)
{
	struct ast_statement *s = &d->statements[d->nstatements];
	struct ast_symbol *label = new (w, 1, sizeof(*label));
	struct ast_operand *name = operand(w, f->symbol, d->pos);

	*label = (struct ast_symbol){.kind = SYM_LABEL,
		.name = f->name,
		.pos = d->pos,
		.index = d->nstatements,
		.function = d};
	s[0] = (struct ast_statement){.pos = d->pos, .label = label};
	s[1] = (struct ast_statement){.pos = d->pos, .opcode = "call", .operands = name};
	s[2] = (struct ast_statement){.pos = d->pos, .opcode = "ret"};
	if (d->returns) {
		s[1].operands = operand_list(w, d->returns, NULL, d->pos);
		s[1].operands->next = name;
	}
	if (d->params != address_of(d))
		name->next = operand_list(w, d->params, address_of(d), d->pos);
	d->nstatements += 3;
	return label;
}

/* Branches on the address; functions with other signatures have no target. */
static void add_body(const struct indirect *w, struct ast_function *d)
{
	struct ast_symbol *targets = new (w, 1, sizeof(*targets));
	struct ast_operand **tail = &targets->targets;

	d->statements = new (w, 1 + 3 * (size_t)w->ntaken, sizeof(*d->statements));
	*targets = (struct ast_symbol){.kind = SYM_TARGETS, .name = "targets", .pos = d->pos};
	d->statements[d->nstatements++] = (struct ast_statement){.pos = d->pos,
		.opcode = w->m->address_bits == 64 ? "%brx.idx.u64" : "%brx.idx.u32",
		.operands = operand(w, address_of(d), d->pos)};
	d->statements[0].operands->next = operand(w, targets, d->pos);
	for (uint32_t k = 0; k <= w->ntaken; k++) {
		bool fits = k && dispatches(d, w->taken[k - 1]);

		*tail = operand(w, fits ? add_case(w, d, w->taken[k - 1]) : NULL, d->pos);
		tail = &(*tail)->next;
	}
}

static struct ast_function *dispatcher(struct indirect *w, const struct ast_function *signature,
	const struct ast_function *caller, struct ast_pos pos)
{
	struct ast_function *d;

	for (d = w->first; d; d = d->next)
		if (dispatches(d, signature))
			return d;
	d = new (w, 1, sizeof(*d));
	*d = (struct ast_function){
		.name = "(indirect call)", .file = caller->file, .pos = pos, .has_body = true};
	d->symbol = new (w, 1, sizeof(*d->symbol));
	*d->symbol = (struct ast_symbol){.kind = SYM_FUNCTION,
		.name = d->name,
		.file = d->file,
		.pos = pos,
		.vec = 1,
		.is_defined = true,
		.function = d};
	d->params = copy_list(w, d, signature->params, false);
	d->returns = copy_list(w, d, signature->returns, true);
	add_address(w, d);
	add_body(w, d);
	*w->tail = d;
	w->tail = &d->next;
	return d;
}

/* ---- the calls. */

/* The signature given by the call's last operand; NULL: none. */
static const struct ast_function *signature_of(const struct ast_operand *last)
{
	if (last->kind != AST_SYMBOL || !last->symbol)
		return NULL;
	if (last->symbol->kind == SYM_PROTOTYPE)
		return last->symbol->function;
	if (last->symbol->kind == SYM_TARGETS && last->symbol->targets &&
		last->symbol->targets->symbol &&
		last->symbol->targets->symbol->kind == SYM_FUNCTION)
		return last->symbol->targets->symbol->function;
	return NULL;
}

/* (a, b), P becomes (a, b, address). */
static void resolve(struct indirect *w, const struct ast_function *caller, struct ast_statement *s)
{
	struct ast_operand *name = s->operands, *last, *all, **tail;
	const struct ast_function *signature;

	while (name && name->kind == AST_LIST)
		name = name->next;
	if (!name || name->kind != AST_SYMBOL || !name->symbol || name->symbol->kind != SYM_REG)
		return;
	for (last = name; last->next;)
		last = last->next;
	signature = signature_of(last);
	if (!signature)
		return;
	all = operand(w, NULL, name->pos);
	all->kind = AST_LIST;
	if (name->next->kind == AST_LIST)
		all->first = name->next->first;
	for (tail = &all->first; *tail;)
		tail = &(*tail)->next;
	*tail = operand(w, name->symbol, name->pos);
	(*tail)->component = name->component;
	name->symbol = dispatcher(w, signature, caller, s->pos)->symbol;
	name->next = all;
}

void indirect_resolve(struct ast_module *m, struct arena *arena)
{
	struct indirect w = {.m = m, .arena = arena, .tail = &w.first};
	struct ast_function **end = &m->functions;
	uint32_t n = 0;

	for (; *end; end = &(*end)->next)
		n++;
	w.taken = new (&w, n, sizeof(struct ast_function *));
	find_taken(&w);
	for (struct ast_function *f = m->functions; f; f = f->next)
		for (uint32_t s = 0; s < f->nstatements; s++)
			if (is_call(&f->statements[s]))
				resolve(&w, f, &f->statements[s]);
	*end = w.first;
}
