/* Statements: blocks, declarations, labels, guarded instructions. */
#include "ptx/front/parse.h"

#include "core/base.h"

#include <string.h>

#define FIRST_STATEMENTS 256u

static struct ast_statement *add_statement(struct parser *p, struct ast_pos pos)
{
	struct statements *all = &p->statements;
	struct ast_statement *s;

	if (all->n == all->cap) {
		uint32_t cap = all->cap ? all->cap * 2 : FIRST_STATEMENTS;
		struct ast_statement *larger = arena_alloc(p->arena, cap, sizeof(*larger));
		if (all->n)
			memcpy(larger, all->s, all->n * sizeof(*larger));
		all->s = larger;
		all->cap = cap;
	}
	s = &all->s[all->n++];
	*s = (struct ast_statement){.pos = pos, .loc = p->loc};
	return s;
}

/* L: or, before a list of targets, the name of that list. The current token is after the colon. */
static int read_label(struct parser *p, const struct token *t)
{
	struct name *name = names_intern(&p->names, t->start, t->len);
	struct ast_symbol *s = arena_alloc(p->arena, 1, sizeof(*s));
	bool prototype = tok_is(p, ".callprototype");
	bool targets = tok_is(p, ".branchtargets") || tok_is(p, ".calltargets");

	*s = (struct ast_symbol){.kind = prototype ? SYM_PROTOTYPE
					 : targets ? SYM_TARGETS
						   : SYM_LABEL,
		.name = name->text,
		.pos = t->pos,
		.vec = 1,
		.index = p->statements.n,
		.is_defined = true,
		.function = p->fn};
	parse_declare(p, name, s);
	if (prototype)
		return parse_prototype(p, s);
	if (targets)
		return parse_targets(p, s);
	add_statement(p, t->pos)->label = s;
	return 0;
}

/* @p, @!p: the current token is the @. */
static int read_guard(struct parser *p, struct ast_symbol **guard, bool *negated)
{
	struct ast_operand operand = {0};
	struct name *name;

	parse_next(p);
	*negated = parse_accept(p, '!');
	if (p->tok.kind != TOK_NAME)
		return parse_expected(p, "a predicate register");
	name = parse_word(p);
	operand.pos = p->tok.pos;
	if (parse_use(p, name, &operand, false))
		return -1;
	*guard = operand.symbol;
	if (operand.symbol->kind != SYM_REG ||
		(operand.symbol->type != T_PRED && operand.symbol->type != T_NONE))
		return parse_error(p, ERR_INPUT, operand.pos,
			"guard `%.200s` is not a predicate register", name->text);
	parse_next(p);
	return 0;
}

/* The full opcode at the current token, without blanks. */
static const char *read_opcode(struct parser *p)
{
	struct token t = p->tok;
	char *joined;
	size_t n = 0;
	bool spaced;

	lex_opcode(&p->lex, &t, &spaced);
	p->tok.len = t.len;
	if (!spaced)
		return names_intern(&p->names, t.start, t.len)->text;
	joined = arena_strndup(p->arena, t.start, t.len);
	for (size_t i = 0; i < t.len; i++)
		if (joined[i] != ' ' && joined[i] != '\t')
			joined[n++] = joined[i];
	joined[n] = '\0';
	return names_intern(&p->names, joined, n)->text;
}

/* Whether a colon follows. Most opcodes are ruled out by their dot. */
static bool at_label(const struct parser *p)
{
	return (p->lex.at == p->lex.end || *p->lex.at != '.') && parse_peek(p).kind == ':';
}

/* An instruction, or a label. */
static int read_statement(struct parser *p)
{
	struct ast_symbol *guard = NULL;
	struct ast_operand *operands = NULL;
	struct ast_statement *s;
	struct token first = p->tok;
	bool negated = false;
	const char *opcode;

	if (first.kind == '@' && read_guard(p, &guard, &negated))
		return -1;
	if (p->tok.kind != TOK_NAME)
		return parse_expected(p, guard ? "an opcode" : "an instruction");
	if (!guard && at_label(p)) {
		parse_next(p);
		parse_next(p);
		return read_label(p, &first);
	}
	if (strchr("%$_", *p->tok.start))
		return parse_expected(p, "an opcode");
	opcode = read_opcode(p);
	parse_next(p);
	if (parse_operands(p, opcode, &operands))
		return -1;
	s = add_statement(p, first.pos);
	s->opcode = opcode;
	s->guard = guard;
	s->guard_negated = negated;
	s->operands = operands;
	s->broken = p->tok.kind != ';';
	return parse_expect(p, ';', "`,` or `;`");
}

static int read_variables(struct parser *p)
{
	struct declaration d = {0};

	if (parse_linkage(p, &d))
		return -1;
	return parse_at_space(p) ? parse_variables(p, &d) : parse_expected(p, "a state space");
}

/* Skips past the ';' or the block that ends an unknown directive. */
static void skip_directive(struct parser *p)
{
	while (p->tok.kind != ';' && p->tok.kind != '{' && p->tok.kind != '}' &&
		p->tok.kind != TOK_END)
		parse_next(p);
	if (p->tok.kind == '{')
		parse_skip_block(p);
	else
		parse_accept(p, ';');
}

static int read_directive(struct parser *p)
{
	static const char *const known[] = {".reg", ".local", ".shared", ".param", ".global",
		".const", ".loc", ".pragma", ".extern"};
	const char *near;

	if (parse_at_space(p) || tok_is(p, ".extern") || tok_is(p, ".weak"))
		return read_variables(p);
	if (tok_is(p, ".loc"))
		return parse_loc(p);
	if (tok_is(p, ".pragma"))
		return parse_pragma(p);
	near = p->tok.len < 32 ? err_nearest(parse_word(p)->text, known, ARRAY_LEN(known)) : NULL;
	parse_error(p, ERR_INPUT, p->tok.pos, "unknown directive `%.*s`%s%s%s",
		(int)(p->tok.len < 60 ? p->tok.len : 60), p->tok.start,
		near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
	skip_directive(p);
	return 0;
}

/* A new function begins where a '}' is missing. */
static bool at_function(const struct parser *p)
{
	return p->tok.kind == TOK_DOT &&
	       (tok_is(p, ".entry") || tok_is(p, ".func") || tok_is(p, ".visible"));
}

static int open_block(struct parser *p, struct scope *blocks, unsigned *depth)
{
	if (*depth == PARSE_SCOPES) {
		parse_error(
			p, ERR_INPUT, p->tok.pos, "blocks nested more than %u deep", PARSE_SCOPES);
		parse_skip_block(p);
		return 0;
	}
	parse_push_scope(p, &blocks[(*depth)++]);
	parse_next(p);
	return 0;
}

static int read_one(struct parser *p, struct scope *blocks, unsigned *depth)
{
	switch (p->tok.kind) {
	case '{':
		return open_block(p, blocks, depth);
	case '}':
		parse_pop_scope(p);
		(*depth)--;
		parse_next(p);
		return 0;
	case ';':
		parse_next(p);
		return 0;
	case TOK_DOT:
		return read_directive(p);
	default:
		return read_statement(p);
	}
}

/* From the '{' to past its '}'. */
void parse_body(struct parser *p)
{
	struct scope blocks[PARSE_SCOPES];
	unsigned depth = 0;

	open_block(p, blocks, &depth);
	while (depth > 0) {
		if (p->tok.kind == TOK_END || at_function(p)) {
			parse_expected(p, "`}`");
			p->unclosed = true;
			break;
		}
		if (read_one(p, blocks, &depth))
			parse_recover(p);
	}
	for (; depth > 0; depth--)
		parse_pop_scope(p);
}
