/* Functions: kernels, device functions, prototypes, and their directives. */
#include "ptx/front/parse.h"

#include "core/base.h"

#include <string.h>

int parse_pragma(struct parser *p)
{
	do {
		parse_next(p);
		if (p->tok.kind != TOK_STRING)
			return parse_expected(p, "a string");
		parse_next(p);
	} while (p->tok.kind == ',');
	return parse_expect(p, ';', "`;`");
}

/* , function_name $L__info_string0 + 12, inlined_at 1 20 5: where an inlined function was called.
 */
static int read_inlined(struct parser *p)
{
	uint64_t ignored;

	while (parse_accept(p, ',')) {
		bool function = tok_is(p, "function_name");
		if (!function && !tok_is(p, "inlined_at"))
			return parse_expected(p, "`function_name` or `inlined_at`");
		parse_next(p);
		if (function && parse_expect(p, TOK_NAME, "a label"))
			return -1;
		if (function && p->tok.kind != '+')
			continue;
		for (unsigned i = 0; i < (function ? 1 : 3); i++)
			if (parse_int(p, "a number", &ignored))
				return -1;
	}
	return 0;
}

/* .loc file line column: without a semicolon. */
int parse_loc(struct parser *p)
{
	uint64_t file, line, column;

	parse_next(p);
	if (parse_bounded(p, "the number of a .file", 0, PARSE_FILES, &file) ||
		parse_bounded(p, "a line", 0, UINT32_MAX, &line) ||
		parse_bounded(p, "a column", 0, UINT32_MAX, &column) || read_inlined(p))
		return -1;
	p->loc = (struct ast_loc){(uint32_t)file, (uint32_t)line};
	p->loc_line = p->tok.pos.line;
	return 0;
}

/* 256, 1, 1 */
static int read_extents(struct parser *p, uint32_t *out, unsigned most)
{
	for (unsigned i = 0; i < most; i++)
		out[i] = 1;
	for (unsigned i = 0; i < most; i++) {
		uint64_t value;
		if (parse_bounded(p, "the value of a directive", 1, UINT32_MAX, &value))
			return -1;
		out[i] = (uint32_t)value;
		if (p->tok.kind != ',')
			return 0;
		if (i + 1 < most)
			parse_next(p);
	}
	return 0;
}

/* 1, 1, 1: a cluster of one CTA is no cluster. */
static int read_cluster(struct parser *p, struct ast_pos pos)
{
	uint32_t n[3];

	if (read_extents(p, n, 3))
		return -1;
	if (n[0] == 1 && n[1] == 1 && n[2] == 1)
		return 0;
	return parse_error(p, ERR_UNSUPPORTED, pos,
		"clusters of (%u,%u,%u) CTAs are not supported: of one CTA only", n[0], n[1], n[2]);
}

static bool is_word(const struct token *t, const char *word)
{
	return t->len == strlen(word) && !memcmp(t->start, word, t->len);
}

/* A directive with numbers: of kernels only, or clusters. -1: a message was added. */
static int read_limit(struct parser *p, struct ast_function *fn, const struct token *word)
{
	uint32_t ignored;
	const struct {
		const char *word;
		uint32_t *out;
		unsigned n;
	} limits[] = {{".maxntid", fn->maxntid, 3}, {".reqntid", fn->reqntid, 3},
		{".minnctapersm", &fn->minnctapersm, 1}, {".maxnreg", &fn->maxnreg, 1},
		{".maxnctapersm", &ignored, 1}, {".maxclusterrank", &ignored, 1}};
	const int len = (int)(word->len < 60 ? word->len : 60);

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		if (!is_word(word, limits[i].word))
			continue;
		if (!fn->is_kernel)
			return parse_error(p, ERR_INPUT, word->pos,
				"`%s` is allowed on a kernel, not on a .func", limits[i].word);
		return read_extents(p, limits[i].out, limits[i].n);
	}
	if (is_word(word, ".reqnctapercluster"))
		return read_cluster(p, word->pos);
	return parse_error(p, ERR_UNSUPPORTED, word->pos, "directive `%.*s` is not supported", len,
		word->start);
}

/* One performance directive; the current token is its name. */
static int read_directive(struct parser *p, struct ast_function *fn)
{
	struct token word = p->tok;

	if (tok_is(p, ".pragma"))
		return parse_pragma(p);
	if (fn->is_kernel && tok_is(p, ".noreturn"))
		return parse_error(p, ERR_INPUT, word.pos,
			"`.noreturn` is allowed on a .func, not on a kernel");
	if (tok_is(p, ".noreturn") || tok_is(p, ".explicitcluster")) {
		fn->explicit_cluster |= tok_is(p, ".explicitcluster");
		parse_next(p);
		return 0;
	}
	if (word.kind != TOK_DOT)
		return parse_expected(p, fn->is_kernel ? "`{`" : "`{` or `;`");
	parse_next(p);
	return read_limit(p, fn, &word);
}

int parse_same_shape(struct parser *p, const struct ast_function *a, const struct ast_function *b,
	struct ast_pos pos)
{
	const struct ast_symbol *x = a->params, *y = b->params;

	for (; x && y; x = x->next, y = y->next)
		if (x->bytes != y->bytes || x->kind != y->kind)
			break;
	if (a->is_kernel == b->is_kernel && !x && !y && !a->returns == !b->returns)
		return 0;
	return parse_error(p, ERR_INPUT, pos, "`%.200s` differs from its declaration at %s:%u:%u",
		b->name, p->file, a->pos.line, a->pos.col);
}

/* A definition replaces the declarations before it: all share one symbol. */
static int bind_function(struct parser *p, struct name *name, struct ast_function *fn)
{
	struct binding *b = names_in_scope(name, p->scope);
	struct ast_symbol *s = b ? b->symbol : NULL;

	if (s && s->kind == SYM_FUNCTION && !(s->is_defined && fn->has_body)) {
		fn->symbol = s;
		if (fn->has_body) {
			s->pos = fn->pos;
			s->is_defined = true;
			s->is_extern = false;
			s->is_visible = fn->is_visible;
			s->is_weak = fn->is_weak;
		}
		if (parse_same_shape(p, s->function, fn, fn->pos))
			return -1;
		s->function = fn->has_body ? fn : s->function;
		return 0;
	}
	s = arena_alloc(p->arena, 1, sizeof(*s));
	*s = (struct ast_symbol){.kind = SYM_FUNCTION,
		.name = name->text,
		.file = p->file,
		.pos = fn->pos,
		.vec = 1,
		.is_defined = fn->has_body,
		.is_extern = !fn->has_body,
		.is_weak = fn->is_weak,
		.is_visible = fn->is_visible,
		.function = fn};
	fn->symbol = s;
	return parse_declare(p, name, s);
}

/* ( returns ) name ( params ); either list may be missing. */
static int read_signature(struct parser *p, struct ast_function *fn, struct name **name)
{
	if (!fn->is_kernel && p->tok.kind == '(' && parse_params(p, fn, true))
		return -1;
	fn->pos = p->tok.pos;
	if (p->tok.kind != TOK_NAME)
		return parse_expected(p, "the name of a function");
	*name = parse_word(p);
	fn->name = (*name)->text;
	parse_next(p);
	return p->tok.kind == '(' ? parse_params(p, fn, false) : 0;
}

/* Whether the token begins the next declaration of a module: old compilers wrote prototypes without
 * a semicolon. */
static bool begins_item(const struct parser *p)
{
	static const char *const items[] = {".extern", ".visible", ".weak", ".common", ".entry",
		".func", ".global", ".const", ".shared", ".local", ".tex", ".file", ".section",
		".alias", ".version"};

	if (p->tok.kind == TOK_END)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(items); i++)
		if (tok_is(p, items[i]))
			return true;
	return false;
}

static int read_header(struct parser *p, struct ast_function *fn, struct name **name)
{
	if (tok_is(p, ".attribute") || tok_is(p, ".unique"))
		return parse_error(p, ERR_UNSUPPORTED, p->tok.pos,
			"attributes of functions are not supported");
	if (read_signature(p, fn, name))
		return -1;
	while (p->tok.kind != '{' && p->tok.kind != ';' && !begins_item(p))
		if (read_directive(p, fn))
			return -1;
	fn->has_body = p->tok.kind == '{';
	if (fn->maxntid[0] && fn->reqntid[0])
		parse_error(
			p, ERR_INPUT, fn->pos, "`.maxntid` and `.reqntid` are mutually exclusive");
	return 0;
}

static void begin_function(struct parser *p, struct ast_function *fn)
{
	p->fn = fn;
	p->register_tail = &fn->registers;
	p->variable_tail = &fn->variables;
	p->param_tail = &fn->params;
	p->declared_registers = 0;
	p->statements.n = 0;
	p->loc = (struct ast_loc){0};
}

static void end_function(struct parser *p, struct ast_function *fn)
{
	fn->nstatements = p->statements.n;
	if (fn->nstatements) {
		fn->statements = arena_alloc(p->arena, fn->nstatements, sizeof(*fn->statements));
		memcpy(fn->statements, p->statements.s, fn->nstatements * sizeof(*fn->statements));
	}
	*p->function_tail = fn;
	p->function_tail = &fn->next;
}

/* Skips the rest of an unreadable header: past its ';' or its body. */
static void skip_function(struct parser *p)
{
	while (p->tok.kind != ';' && p->tok.kind != '{' && p->tok.kind != TOK_END &&
		!tok_is(p, ".entry") && !tok_is(p, ".func") && !tok_is(p, ".visible"))
		parse_next(p);
	if (p->tok.kind == '{')
		parse_skip_block(p);
	else if (p->tok.kind == ';')
		parse_next(p);
}

/* A name that is already bound to something else is an error of the module, not only of this
 * function. */
static void name_function(
	struct parser *p, struct name *name, struct ast_function *fn, struct scope *params)
{
	p->scope = params->outer;
	if (bind_function(p, name, fn))
		p->wrong = true;
	p->scope = params;
}

/* The current token is .entry or .func. */
int parse_function(struct parser *p, const struct declaration *linkage)
{
	struct ast_function *fn = arena_alloc(p->arena, 1, sizeof(*fn));
	struct scope params;
	struct name *name;

	fn->file = p->file;
	fn->is_kernel = tok_is(p, ".entry");
	fn->is_visible = linkage->is_visible;
	fn->is_weak = linkage->is_weak;
	fn->version = p->module->version_major * 100 + p->module->version_minor;
	fn->sm = p->sm;
	parse_next(p);
	begin_function(p, fn);
	parse_push_scope(p, &params);
	if (read_header(p, fn, &name)) {
		skip_function(p);
	} else {
		name_function(p, name, fn, &params);
		if (fn->has_body && linkage->is_extern)
			parse_error(p, ERR_INPUT, fn->pos, "`%.200s` is .extern and has a body",
				fn->name);
		if (fn->has_body)
			parse_body(p);
		else
			parse_accept(p, ';');
		end_function(p, fn);
	}
	parse_pop_scope(p);
	p->fn = NULL;
	return 0;
}

/* (.param .b32 _) _ (.param .b64 _); the current token is .callprototype. */
int parse_prototype(struct parser *p, struct ast_symbol *symbol)
{
	struct ast_function *fn = arena_alloc(p->arena, 1, sizeof(*fn));
	struct ast_symbol **param_tail = p->param_tail;
	struct scope names;
	struct name *name;
	int result;

	parse_next(p);
	symbol->function = fn;
	fn->symbol = symbol;
	parse_push_scope(p, &names);
	result = read_header(p, fn, &name);
	parse_pop_scope(p);
	p->param_tail = param_tail;
	return result ? -1 : parse_expect(p, ';', "`;`");
}
