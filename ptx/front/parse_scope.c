/* Name resolution: scopes, register ranges, labels used before their definition. */
#include "ptx/front/parse.h"

#include "core/base.h"

#include <stdio.h>
#include <string.h>

#define CANDIDATES 1024u /* names considered for "did you mean" */
#define BODY_DEPTH 2u    /* the module is 0, the parameters 1 */
#define NEAR_LEAST 3u    /* a shorter name is similar to everything */
#define NEAR_LENGTH 64u  /* only shorter names are considered */

void parse_push_scope(struct parser *p, struct scope *scope)
{
	*scope = (struct scope){.outer = p->scope, .depth = p->scope ? p->scope->depth + 1 : 0};
	scope->bindings_tail = &scope->bindings;
	p->scope = scope;
}

void parse_add_register(struct parser *p, struct ast_symbol *symbol)
{
	symbol->index = p->fn->nregisters++;
	if (symbol->is_param || symbol->is_return)
		return;
	*p->register_tail = symbol;
	p->register_tail = &symbol->next;
}

/* Variables of .global and .const belong to the module, wherever they are declared. */
void parse_add_variable(struct parser *p, struct ast_symbol *symbol, bool in_module)
{
	bool device = symbol->space == SPACE_GLOBAL || symbol->space == SPACE_CONST;
	struct ast_symbol ***tail = in_module || device ? &p->module_tail : &p->variable_tail;

	**tail = symbol;
	*tail = &symbol->next;
}

static void resolve(struct binding *b, struct ast_symbol *symbol)
{
	for (struct pending *use = b->uses; use; use = use->next)
		use->operand->symbol = symbol;
}

/* Creates %r7 from %r<10>. */
static struct binding *instantiate(struct parser *p, struct range *range, struct name *name)
{
	struct ast_symbol *symbol = arena_alloc(p->arena, 1, sizeof(*symbol));
	struct binding *b = name->binding;

	*symbol = range->model;
	symbol->name = name->text;
	if (b && b->scope == range->scope) {
		b->symbol = symbol; /* it was taken for a label before the range was declared */
		resolve(b, symbol);
	} else {
		b = names_bind(&p->names, range->scope, name, symbol);
	}
	b->of_range = true;
	if (symbol->kind == SYM_REG)
		parse_add_register(p, symbol);
	else
		parse_add_variable(p, symbol, range->scope == &p->module_scope);
	return b;
}

struct ast_symbol *parse_lookup(struct parser *p, struct name *name, struct binding **where)
{
	struct binding *b = name->binding;
	struct range *range;
	uint32_t number;

	while (b && !b->symbol)
		b = b->outer;
	range = names_range(
		&p->names, p->scope, name, b ? (int64_t)b->scope->depth : -1, false, &number);
	if (range && (!name->binding || name->binding->scope->depth <= range->scope->depth))
		b = instantiate(p, range, name);
	if (where)
		*where = b;
	return b ? b->symbol : NULL;
}

/* The symbol of an undeclared name, once it has been reported. */
static bool is_poison(const struct ast_symbol *s)
{
	return s->kind == SYM_REG && s->type == T_NONE;
}

static int taken(
	struct parser *p, const struct name *name, struct ast_pos pos, struct ast_pos first)
{
	return parse_error(p, ERR_INPUT, pos,
		"`%.200s` is declared twice; the first is at %s:%u:%u", name->text, p->file,
		first.line, first.col);
}

/* %pm3 of %pm and 8; %pm8 is out of range. */
static bool is_numbered(const char *name, const char *prefix, unsigned count)
{
	size_t n = strlen(prefix);
	unsigned number = 0;

	if (strncmp(name, prefix, n) != 0 || !name[n] || (name[n] == '0' && name[n + 1]))
		return false;
	for (const char *c = name + n; *c; c++) {
		if (*c < '0' || *c > '9' || number >= count)
			return false;
		number = number * 10 + (unsigned)(*c - '0');
	}
	return number < count;
}

/* Special registers: %laneid, %tid of %tid.x, and those known by name only. */
static bool is_special(const char *name)
{
	static const char *const others[] = {"%clusterid", "%nclusterid", "%is_explicit_cluster",
		"%cluster_ctaid", "%cluster_nctaid", "%cluster_ctarank", "%cluster_nctarank",
		"%aggr_smem_size", "%current_graph_exec"};
	char vector[32];

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (!strcmp(name, others[i]))
			return true;
	if (*name != '%' || strlen(name) + 3 > sizeof(vector))
		return false;
	snprintf(vector, sizeof(vector), "%s.x", name);
	return ptx_sreg_parse(name) >= 0 || ptx_sreg_parse(vector) >= 0 ||
	       is_numbered(name, "%pm", 8) || is_numbered(name, "%envreg", 32);
}

/* Within functions the name of a special register may be redeclared. */
static int check_name(struct parser *p, const struct name *name, struct ast_pos pos)
{
	if (!strcmp(name->text, "WARP_SZ"))
		return parse_error(
			p, ERR_INPUT, pos, "`WARP_SZ` is the constant 32 and cannot be declared");
	if (!strcmp(name->text, "_") || !strcmp(name->text, "$"))
		return parse_error(p, ERR_INPUT, pos, "`%s` is not a name", name->text);
	if (p->scope == &p->module_scope && is_special(name->text))
		return parse_error(p, ERR_INPUT, pos,
			"`%.200s` is a special register and cannot be declared at module scope",
			name->text);
	return 0;
}

int parse_declare(struct parser *p, struct name *name, struct ast_symbol *symbol)
{
	struct binding *b = names_in_scope(name, p->scope), *param = b;

	if (check_name(p, name, symbol->pos))
		return -1;
	/* parameters and the body's declarations share one scope in PTX */
	if (p->scope->depth == BODY_DEPTH && !param)
		param = names_in_scope(name, p->scope->outer);
	if (param && param != b && param->symbol)
		return taken(p, name, symbol->pos, param->symbol->pos);
	if (!b) {
		names_bind(&p->names, p->scope, name, symbol);
		return 0;
	}
	if (b->symbol && !is_poison(b->symbol))
		return taken(p, name, symbol->pos, b->symbol->pos);
	if (b->symbol) { /* its earlier use has been reported */
		b->symbol = symbol;
		return 0;
	}
	b->symbol = symbol;
	resolve(b, symbol);
	if (symbol->kind != SYM_LABEL)
		return parse_error(p, ERR_INPUT, b->uses->operand->pos,
			"`%.200s` is used before it is declared at %s:%u:%u", name->text, p->file,
			symbol->pos.line, symbol->pos.col);
	return 0;
}

int parse_declare_range(
	struct parser *p, struct name *name, uint32_t count, const struct ast_symbol *model)
{
	struct range *r = name->range;

	if (check_name(p, name, model->pos))
		return -1;
	if (r && r->scope == p->scope)
		return taken(p, name, model->pos, r->model.pos);
	r = arena_alloc(p->arena, 1, sizeof(*r));
	*r = (struct range){.outer = name->range,
		.next = p->scope->ranges,
		.prefix = name,
		.scope = p->scope,
		.count = count,
		.model = *model};
	name->range = r;
	p->scope->ranges = r;
	return 0;
}

static bool is_candidate(const struct binding *b)
{
	const struct ast_symbol *s = b->symbol;

	return s && s->kind != SYM_SREG && b->name->len < NEAR_LENGTH && !is_poison(s);
}

/* Names visible at the error's location: a limited number, the innermost first. */
static uint32_t candidates(const struct parser *p, const char **out)
{
	uint32_t n = 0;

	for (const struct scope *s = p->scope; s; s = s->outer)
		for (const struct binding *b = s->bindings; b && n < CANDIDATES; b = b->next)
			if (is_candidate(b))
				out[n++] = b->name->text;
	for (int i = 0; i < SREG_COUNT && n < CANDIDATES; i++)
		out[n++] = ptx_sreg_name((enum ptx_sreg)i);
	return n;
}

static bool is_later_sreg(const char *name)
{
	static const char *const real[] = {"%envreg", "%pm", "%clusterid", "%nclusterid",
		"%cluster_", "%is_explicit_cluster", "%aggr_smem_size", "%reserved_smem_",
		"%current_graph_exec"};

	for (size_t i = 0; i < ARRAY_LEN(real); i++)
		if (!strncmp(name, real[i], strlen(real[i])))
			return true;
	return false;
}

/* One message per name: from then on it counts as declared, without a kind. */
static void poison(struct parser *p, struct name *name, struct ast_pos pos)
{
	struct ast_symbol *symbol = arena_alloc(p->arena, 1, sizeof(*symbol));

	*symbol = (struct ast_symbol){.kind = SYM_REG, .name = name->text, .pos = pos, .vec = 4};
	if (!name->binding || name->binding->scope != p->scope)
		names_bind(&p->names, p->scope, name, symbol);
	else
		name->binding->symbol = symbol;
}

int parse_undeclared(struct parser *p, struct name *name, struct ast_pos pos)
{
	const char *names[CANDIDATES], *near;
	uint32_t number, n;
	struct range *range;

	if (p->stopped)
		return -1;
	range = names_range(&p->names, p->scope, name, -1, true, &number);
	n = candidates(p, names);
	poison(p, name, pos);
	if (range)
		return parse_error(p, ERR_INPUT, pos,
			"`%.200s` is not declared: `%.200s<%u>` at %s:%u:%u does not include it",
			name->text, range->prefix->text, range->count, p->file,
			range->model.pos.line, range->model.pos.col);
	if (is_later_sreg(name->text))
		return parse_error(p, ERR_UNSUPPORTED, pos,
			"special register `%.200s` is not supported", name->text);
	near = name->len >= NEAR_LEAST && name->len < NEAR_LENGTH
		       ? err_nearest(name->text, names, n)
		       : NULL;
	return parse_error(p, ERR_INPUT, pos, "%s`%.200s` is not declared%s%s%s",
		strchr(name->text, '.') ? "unknown special register: " : "", name->text,
		near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

struct ast_symbol *parse_sreg(struct parser *p)
{
	struct token first = p->tok, second = parse_peek(p);
	bool vector = second.kind == TOK_DOT && second.start == first.start + first.len;
	size_t len = first.len + (vector ? second.len : 0);
	struct name *name;
	int sreg;

	if (*first.start != '%')
		return NULL;
	name = names_intern(&p->names, first.start, len);
	if (!name->binding) {
		struct ast_symbol *symbol;
		sreg = ptx_sreg_parse(name->text);
		if (sreg < 0)
			return NULL;
		symbol = arena_alloc(p->arena, 1, sizeof(*symbol));
		*symbol = (struct ast_symbol){.kind = SYM_SREG,
			.name = name->text,
			.pos = first.pos,
			.type = ptx_sreg_words((enum ptx_sreg)sreg) == 2 ? T_U64 : T_U32,
			.vec = 1,
			.sreg = (enum ptx_sreg)sreg,
			.is_defined = true};
		names_bind(&p->names, &p->module_scope, name, symbol);
	}
	if (!name->binding->symbol || name->binding->symbol->kind != SYM_SREG)
		return NULL;
	if (vector)
		parse_next(p);
	return name->binding->symbol;
}

static void add_use(struct parser *p, struct binding *b, struct ast_operand *operand)
{
	struct pending *use = arena_alloc(p->arena, 1, sizeof(*use));

	use->operand = operand;
	*b->uses_tail = use;
	b->uses_tail = &use->next;
}

int parse_use(struct parser *p, struct name *name, struct ast_operand *operand, bool maybe_label)
{
	struct binding *where;
	struct ast_symbol *symbol = parse_lookup(p, name, &where);

	/* an outer label may be hidden by a later one of this block */
	if (symbol && (!maybe_label || symbol->kind != SYM_LABEL || where->scope == p->scope)) {
		operand->symbol = symbol;
		return 0;
	}
	if (!maybe_label) {
		parse_undeclared(p, name, operand->pos);
		operand->symbol = name->binding ? name->binding->symbol : NULL;
		return p->stopped ? -1 : 0;
	}
	where = name->binding;
	if (!where || where->scope != p->scope)
		where = names_bind(&p->names, p->scope, name, NULL);
	add_use(p, where, operand);
	return 0;
}

/* Moves the unresolved uses of a block that ends to the enclosing block, or binds them to its
 * label. */
static void hand_up(struct parser *p, struct binding *b)
{
	struct binding *o = b->outer;

	if (o && o->symbol && (o->scope == p->scope || o->symbol->kind != SYM_LABEL)) {
		resolve(b, o->symbol);
		return;
	}
	if (!o || o->scope != p->scope)
		o = names_bind(&p->names, p->scope, b->name, NULL);
	*o->uses_tail = b->uses;
	o->uses_tail = b->uses_tail;
}

/* At the end of the body: an unresolved use is an error, unless the name is declared outside. */
static void settle(struct parser *p, struct binding *b)
{
	if (b->outer && b->outer->symbol)
		resolve(b, b->outer->symbol);
	else
		parse_undeclared(p, b->name, b->uses->operand->pos);
}

/* %r3 declared in addition to %r<10>. */
static void check_ranges(struct parser *p, const struct scope *scope, const struct binding *b)
{
	uint32_t number;
	struct range *range;

	if (!b->symbol || b->of_range || b->symbol->kind == SYM_LABEL)
		return;
	range = names_range(&p->names, scope, b->name, (int64_t)scope->depth - 1, false, &number);
	if (!range)
		return;
	if (pos_before(b->symbol->pos, range->model.pos))
		taken(p, b->name, range->model.pos, b->symbol->pos);
	else
		taken(p, b->name, b->symbol->pos, range->model.pos);
}

void parse_pop_scope(struct parser *p)
{
	struct scope *scope = p->scope;
	bool is_body = scope->depth == BODY_DEPTH;

	for (struct binding *b = scope->bindings; b; b = b->next) {
		if (scope->ranges)
			check_ranges(p, scope, b);
		if (is_body && !b->symbol)
			settle(p, b);
	}
	for (struct binding *b = is_body && scope->ranges ? scope->outer->bindings : NULL; b;
		b = b->next)
		check_ranges(p, scope, b);
	for (struct range *r = scope->ranges; r; r = r->next)
		r->prefix->range = r->outer;
	p->scope = scope->outer;
	for (struct binding *b = scope->bindings; b; b = b->next) {
		b->name->binding = b->outer;
		if (!is_body && !b->symbol)
			hand_up(p, b);
	}
}
