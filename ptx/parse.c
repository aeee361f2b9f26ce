/* The parser's module level: what stands outside functions. */
#include "ptx/parse.h"

#include "core/base.h"

#include <string.h>

static int read_version(struct parser *p)
{
	const char *dot;
	struct token t;

	parse_next(p);
	t = p->tok;
	dot = t.kind == TOK_F64 ? memchr(t.start, '.', t.len) : NULL;
	if (!dot || dot - t.start != 1 || t.len < 3 || t.len > 4)
		return parse_expected(p, "a version such as 7.0 (1.0 to 9.99)");
	p->module->version_major = (uint32_t)(t.start[0] - '0');
	for (const char *c = dot + 1; c < t.start + t.len; c++) {
		if (*c < '0' || *c > '9')
			return parse_expected(p, "a version such as 7.0 (1.0 to 9.99)");
		p->module->version_minor = p->module->version_minor * 10 + (uint32_t)(*c - '0');
	}
	parse_next(p);
	if (!p->module->version_major)
		return parse_error(p, ERR_UNSUPPORTED, t.pos, "PTX begins with version 1.0");
	return 0;
}

/* .target sm_35, debug */
static int read_target(struct parser *p)
{
	do {
		parse_next(p);
		if (p->tok.kind != TOK_NAME)
			return parse_expected(p, "a target such as sm_35");
		if (!p->module->target && (p->tok.len < 5 || memcmp(p->tok.start, "sm_", 3)))
			return parse_expected(p, "a target such as sm_35");
		if (!p->module->target)
			p->module->target = parse_word(p)->text;
		parse_next(p);
	} while (p->tok.kind == ',');
	return 0;
}

static int read_address_size(struct parser *p)
{
	parse_next(p);
	if (p->tok.kind != TOK_INT || (p->tok.value != 32 && p->tok.value != 64))
		return parse_expected(p, "32 or 64");
	p->module->address_bits = (unsigned)p->tok.value;
	parse_next(p);
	return 0;
}

static void add_file(struct parser *p, uint32_t number, const char *name)
{
	struct ast_module *m = p->module;

	if (number >= p->files_cap) {
		uint32_t cap = (uint32_t)max_u64(number + 1, 2 * p->files_cap);
		const char **larger = arena_alloc(p->arena, cap, sizeof(*larger));
		if (m->nfiles)
			memcpy(larger, m->files, m->nfiles * sizeof(*larger));
		m->files = larger;
		p->files_cap = cap;
	}
	m->files[number] = name;
	m->nfiles = (uint32_t)max_u64(m->nfiles, number + 1);
}

/* .file 1 "k.cu", timestamp, size */
static int read_file(struct parser *p)
{
	uint64_t number, ignored;
	const char *name;

	parse_next(p);
	if (parse_bounded(p, "the number of a .file", 0, PARSE_FILES, &number))
		return -1;
	if (p->tok.kind != TOK_STRING)
		return parse_expected(p, "a file name in quotes");
	name = parse_word(p)->text;
	parse_next(p);
	while (parse_accept(p, ','))
		if (parse_int(p, "a number", &ignored))
			return -1;
	add_file(p, (uint32_t)number, name);
	return 0;
}

/* .section .debug_info { ... }: tables for debuggers. */
static int skip_section(struct parser *p)
{
	parse_next(p);
	while (p->tok.kind == TOK_DOT || p->tok.kind == TOK_NAME)
		parse_next(p);
	if (p->tok.kind != '{')
		return parse_expected(p, "`{`");
	parse_skip_block(p);
	return 0;
}

/* .alias f, g: calls of f, declared before, run g. */
static int read_alias(struct parser *p)
{
	struct ast_symbol *symbols[2];

	for (unsigned i = 0; i < 2; i++) {
		struct name *name;
		parse_next(p);
		if (p->tok.kind != TOK_NAME)
			return parse_expected(p, "the name of a function");
		name = parse_word(p);
		symbols[i] = parse_lookup(p, name, NULL);
		if (!symbols[i])
			return parse_undeclared(p, name, p->tok.pos);
		if (symbols[i]->kind != SYM_FUNCTION)
			return parse_expected(p, "the name of a function");
		parse_next(p);
		if (i == 0 && p->tok.kind != ',')
			return parse_expected(p, "`,`");
	}
	symbols[0]->function = symbols[1]->function;
	symbols[0]->is_defined = symbols[1]->is_defined;
	return parse_expect(p, ';', "`;`");
}

/* .visible .global ..., .extern .func ... */
static int read_declaration(struct parser *p)
{
	struct declaration d = {0};

	for (; p->tok.kind == TOK_DOT; parse_next(p)) {
		if (tok_is(p, ".extern"))
			d.is_extern = true;
		else if (tok_is(p, ".visible"))
			d.is_visible = true;
		else if (tok_is(p, ".weak"))
			d.is_weak = true;
		else if (tok_is(p, ".common"))
			d.is_common = true;
		else
			break;
	}
	if (!p->module->target && !p->target_missed) {
		p->target_missed = true;
		parse_error(p, ERR_INPUT, p->tok.pos,
			"`.target` must stand before the first declaration");
	}
	if (tok_is(p, ".entry") || tok_is(p, ".func"))
		return parse_function(p, &d);
	if (parse_at_space(p))
		return parse_variables(p, &d);
	return parse_expected(p, "`.entry`, `.func` or a state space");
}

static int read_second_version(struct parser *p)
{
	return parse_error(p, ERR_INPUT, p->tok.pos,
		p->module->version_major ? "a second `.version`"
					 : "`.version` must be the first directive");
}

static const struct {
	const char *word;
	int (*read)(struct parser *);
} directives[] = {
	{".version", read_second_version},
	{".target", read_target},
	{".address_size", read_address_size},
	{".file", read_file},
	{".loc", parse_loc},
	{".section", skip_section},
	{".pragma", parse_pragma},
	{".alias", read_alias},
	{".extern", read_declaration},
	{".visible", read_declaration},
	{".weak", read_declaration},
	{".common", read_declaration},
	{".entry", read_declaration},
	{".func", read_declaration},
	{".global", read_declaration},
	{".const", read_declaration},
	{".shared", read_declaration},
	{".local", read_declaration},
	{".param", read_declaration},
	{".reg", read_declaration},
	{".tex", read_declaration},
};

static int unknown_directive(struct parser *p)
{
	const char *names[ARRAY_LEN(directives)], *near = NULL;

	if (p->tok.kind != TOK_DOT)
		return parse_expected(p, "a directive");
	for (size_t i = 0; i < ARRAY_LEN(directives); i++)
		names[i] = directives[i].word + 1;
	if (p->tok.len < 32)
		near = err_nearest(parse_word(p)->text, names, ARRAY_LEN(names));
	return parse_error(p, ERR_INPUT, p->tok.pos, "unknown directive `%.*s`%s%s%s",
		(int)(p->tok.len < 60 ? p->tok.len : 60), p->tok.start,
		near ? "; did you mean `." : "", near ? near : "", near ? "`?" : "");
}

static int read_item(struct parser *p)
{
	for (size_t i = 0; i < ARRAY_LEN(directives); i++)
		if (tok_is(p, directives[i].word))
			return directives[i].read(p);
	return unknown_directive(p);
}

/* Goes to the next thing that looks like a beginning. */
static void recover(struct parser *p)
{
	while (p->tok.kind != TOK_END) {
		if (p->tok.kind == ';') {
			parse_next(p);
			return;
		}
		if (p->tok.kind == '{') {
			parse_skip_block(p);
			if (p->tok.kind == TOK_DOT)
				return;
			continue;
		}
		if (tok_is(p, ".entry") || tok_is(p, ".func") || tok_is(p, ".visible") ||
			tok_is(p, ".extern") || tok_is(p, ".weak"))
			return;
		parse_next(p);
	}
}

static void read_module(struct parser *p)
{
	parse_next(p);
	if (!tok_is(p, ".version"))
		parse_expected(p, "`.version`");
	else if (read_version(p))
		recover(p);
	while (p->tok.kind != TOK_END) {
		const char *start = p->tok.start;
		if (parse_accept(p, ';') || !read_item(p))
			continue;
		if (p->tok.start == start)
			parse_next(p);
		recover(p);
	}
}

struct ast_module *ptx_parse_noted(const char *file, const char *text, size_t bytes,
	struct arena *arena, const struct notes *notes)
{
	const char *foreign = parse_foreign(file, text, bytes);
	struct parser *p;

	if (foreign) {
		note_at(notes, &(struct note_place){.file = file, .pos = {1, 1}}, ERR_INPUT, "%s",
			foreign);
		return NULL;
	}
	if (bytes >= UINT32_MAX) {
		note_at(notes, &(struct note_place){.file = file}, ERR_INPUT,
			"a PTX file must be smaller than 4 GB");
		return NULL;
	}
	p = arena_alloc(arena, 1, sizeof(*p));
	p->arena = arena;
	p->file = arena_strdup(arena, file);
	p->messages = arena_alloc(arena, PARSE_MESSAGES, sizeof(*p->messages));
	p->module = arena_alloc(arena, 1, sizeof(*p->module));
	p->module->file = p->file;
	p->function_tail = &p->module->functions;
	p->module_tail = &p->module->variables;
	names_init(&p->names, arena);
	parse_push_scope(p, &p->module_scope);
	lex_init(&p->lex, text, bytes);
	read_module(p);
	if (!p->module->address_bits)
		p->module->address_bits = parse_address_bits(p->module);
	parse_flush(p, notes);
	return p->wrong || p->stopped ? NULL : p->module;
}

struct ast_module *ptx_parse(
	const char *file, const char *text, size_t bytes, struct arena *arena, struct err *err)
{
	unsigned before = err->count;
	struct ast_module *m =
		ptx_parse_noted(file, text, bytes, arena, &(struct notes){.err = err});

	return err->count == before ? m : NULL;
}
