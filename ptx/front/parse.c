/* The parser's module level: everything outside functions. */
#include "ptx/front/parse.h"

#include "core/base.h"

#include <stdlib.h>
#include <string.h>

static void add_file(struct parser *p, uint32_t number, const char *name, uint64_t bytes)
{
	struct ast_module *m = p->module;

	if (number >= p->files_cap) {
		uint32_t cap = (uint32_t)max_u64(number + 1, 2 * p->files_cap);
		const char **larger = arena_alloc(p->arena, cap, sizeof(*larger));
		uint64_t *sizes = arena_alloc(p->arena, cap, sizeof(*sizes));

		if (m->nfiles) {
			memcpy(larger, m->files, m->nfiles * sizeof(*larger));
			memcpy(sizes, m->file_bytes, m->nfiles * sizeof(*sizes));
		}
		m->files = larger;
		m->file_bytes = sizes;
		p->files_cap = cap;
	}
	m->files[number] = name;
	m->file_bytes[number] = bytes;
	m->nfiles = (uint32_t)max_u64(m->nfiles, number + 1);
}

/* .file 1 "k.cu", timestamp, size */
static int read_file(struct parser *p)
{
	uint64_t number, stamp[2] = {0};
	struct ast_pos pos;
	const char *name;

	parse_next(p);
	pos = p->tok.pos;
	if (parse_bounded(p, "the number of a .file", 0, PARSE_FILES, &number))
		return -1;
	if (p->tok.kind != TOK_STRING)
		return parse_expected(p, "a file name in quotes");
	name = parse_word(p)->text;
	parse_next(p);
	for (unsigned i = 0; i < ARRAY_LEN(stamp) && parse_accept(p, ','); i++)
		if (parse_int(p, "a number", &stamp[i]))
			return -1;
	if (number < p->module->nfiles && p->module->files[number])
		return parse_error(p, ERR_INPUT, pos, "a second `.file %u`", (unsigned)number);
	add_file(p, (uint32_t)number, name, stamp[1]);
	return 0;
}

/* .section .debug_info { ... }: debug tables. */
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

/* The function at the end of a chain of aliases; compresses the chain. */
static struct ast_symbol *meaning(struct ast_symbol *s)
{
	while (s->alias) {
		if (s->alias->alias)
			s->alias = s->alias->alias;
		s = s->alias;
	}
	return s;
}

/* .alias f, g; g must be compatible with all calls of f. */
static int check_alias(struct parser *p, struct ast_symbol *s, struct ast_symbol *target)
{
	const char *why = NULL;

	if (s->function->is_kernel || target->function->is_kernel)
		why = "kernels have no aliases";
	else if (s == meaning(target))
		why = "a function cannot be its own alias";
	else if (s->is_defined)
		why = "it is defined already";
	if (why)
		return parse_error(p, ERR_INPUT, p->tok.pos, ".alias %.200s, %.200s: %s", s->name,
			target->name, why);
	return parse_same_shape(p, s->function, target->function, p->tok.pos);
}

/* .alias f, g: calls of f, which is declared before, call g, which may be defined later. */
static int read_alias(struct parser *p)
{
	struct ast_symbol *symbols[2];
	struct alias *alias;

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
		if (i == 1 && check_alias(p, symbols[0], symbols[1]))
			return -1;
		parse_next(p);
		if (i == 0 && p->tok.kind != ',')
			return parse_expected(p, "`,`");
	}
	symbols[0]->is_defined = true;
	symbols[0]->alias = symbols[1];
	alias = arena_alloc(p->arena, 1, sizeof(*alias));
	*alias = (struct alias){p->aliases, symbols[0]};
	p->aliases = alias;
	return parse_expect(p, ';', "`;`");
}

static void resolve_aliases(struct parser *p)
{
	for (const struct alias *a = p->aliases; a; a = a->next) {
		a->symbol->function = meaning(a->symbol)->function;
		a->symbol->is_defined = a->symbol->function->has_body;
	}
}

/* .visible .global ..., .extern .func ... */
static int read_declaration(struct parser *p)
{
	struct declaration d = {0};

	if (parse_linkage(p, &d))
		return -1;
	if (!p->module->target && !p->target_missed) {
		p->target_missed = true;
		parse_error(
			p, ERR_INPUT, p->tok.pos, "`.target` must precede the first declaration");
	}
	p->declared = true;
	if (tok_is(p, ".entry") || tok_is(p, ".func"))
		return parse_function(p, &d);
	if (parse_at_space(p))
		return parse_variables(p, &d);
	return parse_expected(p, "`.entry`, `.func` or a state space");
}

/* If the first one was missing, that has been reported. */
static int read_second_version(struct parser *p)
{
	if (!p->module->version_major)
		return parse_version(p);
	p->second = true;
	return parse_error(p, ERR_INPUT, p->tok.pos, "a second `.version`");
}

#define MAXRREGCOUNT "\"maxrregcount "

/* nvcc's option -maxrregcount, which fat binaries have beside their PTX (program/fatbin.c). */
static int read_pragma(struct parser *p)
{
	const struct token word = parse_peek(p);

	if (word.kind == TOK_STRING && word.len > strlen(MAXRREGCOUNT) &&
		!memcmp(word.start, MAXRREGCOUNT, strlen(MAXRREGCOUNT)))
		p->module->maxnreg = (uint32_t)strtoul(word.start + strlen(MAXRREGCOUNT), NULL, 10);
	return parse_pragma(p);
}

/* As ptxas: a kernel with a limit of its own does not have the module's. */
static void limit_registers(const struct ast_module *m)
{
	for (struct ast_function *f = m->functions; f && m->maxnreg; f = f->next)
		if (f->is_kernel && !f->maxntid[0] && !f->reqntid[0] && !f->maxnreg)
			f->maxnreg = m->maxnreg;
}

static const struct {
	const char *word;
	int (*read)(struct parser *);
} directives[] = {
	{".version", read_second_version},
	{".target", parse_target},
	{".address_size", parse_address_size},
	{".file", read_file},
	{".loc", parse_loc},
	{".section", skip_section},
	{".pragma", read_pragma},
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

/* Skips to the next token that can begin a declaration. */
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
			tok_is(p, ".extern") || tok_is(p, ".weak") || tok_is(p, ".target") ||
			tok_is(p, ".address_size"))
			return;
		parse_next(p);
	}
}

static void read_module(struct parser *p)
{
	parse_next(p);
	if (!tok_is(p, ".version"))
		parse_expected(p, "`.version`");
	else if (parse_version(p))
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
		note_at(notes, &(struct note_location){.file = file, .pos = {1, 1}}, ERR_INPUT,
			"%s", foreign);
		return NULL;
	}
	if (bytes >= UINT32_MAX) {
		note_at(notes, &(struct note_location){.file = file}, ERR_INPUT,
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
	resolve_aliases(p);
	limit_registers(p->module);
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
