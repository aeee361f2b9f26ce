/* The parser's tokens, messages and error recovery. */
#include "ptx/front/parse.h"

#include "core/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXCERPT 40 /* characters of a token shown in a message */

static void stop(struct parser *p)
{
	p->stopped = true;
	p->lex.at = p->lex.end;
	p->tok = (struct token){.kind = TOK_END, .start = p->lex.end, .pos = p->tok.pos};
}

static int add_message(struct parser *p, enum err_code code, struct ast_pos pos, const char *text)
{
	const struct message *last = p->nmessages ? &p->messages[p->nmessages - 1] : NULL;

	p->wrong |= !p->fn;
	if (p->stopped || (p->unclosed && !p->fn))
		return -1;
	if (last && last->pos.line == pos.line && last->pos.col == pos.col)
		return -1;
	p->messages[p->nmessages++] = (struct message){pos, code, arena_strdup(p->arena, text),
		p->fn, pos.line >= p->loc_line ? p->loc : (struct ast_loc){0}};
	if (p->fn)
		p->fn->is_wrong = true;
	if (p->nmessages == PARSE_MESSAGES)
		stop(p);
	return -1;
}

int parse_error(struct parser *p, enum err_code code, struct ast_pos pos, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return add_message(p, code, pos, text);
}

/* An unreadable token on a line with an error has the same cause. */
static bool follows(const struct parser *p)
{
	return p->nmessages && p->messages[p->nmessages - 1].pos.line == p->tok.pos.line;
}

void parse_next(struct parser *p)
{
	if (p->stopped)
		return;
	p->tok = lex_next(&p->lex);
	if (p->tok.kind == TOK_BAD && !follows(p))
		parse_error(p, p->tok.unsupported ? ERR_UNSUPPORTED : ERR_INPUT, p->tok.pos,
			p->tok.unsupported ? "%s is not supported" : "%s", p->tok.why);
}

struct token parse_peek(const struct parser *p)
{
	struct lexer copy = p->lex;

	return lex_next(&copy);
}

/* The token's text for a message: printable and truncated. */
static void excerpt(const struct token *t, char *out, size_t n)
{
	size_t len = t->len < EXCERPT ? t->len : EXCERPT;

	if (t->kind == TOK_END) {
		snprintf(out, n, "the end of the file");
		return;
	}
	snprintf(out, n, "`%.*s%s`", (int)len, t->start, t->len > EXCERPT ? "..." : "");
	for (char *c = out; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > 126)
			*c = '?';
}

int parse_expected(struct parser *p, const char *what)
{
	char found[EXCERPT + 16];

	if (p->tok.kind == TOK_BAD || (p->tok.kind == TOK_END && p->end_reported))
		return -1;
	p->end_reported |= p->tok.kind == TOK_END;
	excerpt(&p->tok, found, sizeof(found));
	return parse_error(p, ERR_INPUT, p->tok.pos, "expected %s, found %s", what, found);
}

/* Undeclared labels are known only at the end of a block: sorts the messages into text order. */
void parse_flush(struct parser *p, const struct notes *notes)
{
	for (unsigned i = 1; i < p->nmessages; i++) {
		struct message m = p->messages[i];
		unsigned at = i;
		for (; at > 0 && pos_before(m.pos, p->messages[at - 1].pos); at--)
			p->messages[at] = p->messages[at - 1];
		p->messages[at] = m;
	}
	for (unsigned i = 0; i < p->nmessages; i++) {
		const struct message *m = &p->messages[i];
		struct note_location at = {.file = p->file,
			.function = m->fn && m->fn->name ? m->fn : NULL,
			.pos = m->pos,
			.loc = m->loc,
			.cuda_files = p->module->files,
			.ncuda_files = p->module->nfiles};

		note_at(notes, &at, m->code, "%s", m->text);
	}
	if (p->stopped)
		note_at(notes, &(struct note_location){.file = p->file}, ERR_INPUT,
			"more errors are not shown after %u", PARSE_MESSAGES);
}

bool tok_is(const struct parser *p, const char *text)
{
	size_t n = strlen(text);

	return p->tok.len == n && p->tok.kind != TOK_BAD && !memcmp(p->tok.start, text, n);
}

bool parse_accept(struct parser *p, int kind)
{
	if (p->tok.kind != kind)
		return false;
	parse_next(p);
	return true;
}

int parse_expect(struct parser *p, int kind, const char *what)
{
	return parse_accept(p, kind) ? 0 : parse_expected(p, what);
}

struct name *parse_word(struct parser *p)
{
	const char *start = p->tok.start;
	size_t len = p->tok.len;

	if (p->tok.kind == TOK_DOT || p->tok.kind == TOK_STRING) {
		start++;
		len--;
	}
	if (p->tok.kind == TOK_STRING)
		len--;
	return names_intern(&p->names, start, len);
}

/* Whether the '}' ends a vector rather than a block. */
static bool ends_vector(const struct parser *p)
{
	int kind = parse_peek(p).kind;

	return kind == ',' || kind == ';' || kind == ']' || kind == ')';
}

/* Whether the '{' begins a block rather than a vector. */
static bool begins_block(const struct parser *p)
{
	int kind = parse_peek(p).kind;

	return kind == TOK_DOT || kind == '@' || kind == '{';
}

void parse_recover(struct parser *p)
{
	while (p->tok.kind != TOK_END) {
		if (p->tok.kind == ';') {
			parse_next(p);
			return;
		}
		if (p->tok.kind == '}' && !ends_vector(p))
			return;
		if (p->tok.kind == '{' && begins_block(p))
			return;
		if (tok_is(p, ".entry") || tok_is(p, ".func") || tok_is(p, ".visible"))
			return;
		parse_next(p);
	}
}

void parse_skip_block(struct parser *p)
{
	uint64_t depth = 0;

	do {
		if (p->tok.kind == '{')
			depth++;
		else if (p->tok.kind == '}')
			depth--;
		else if (p->tok.kind == TOK_END)
			break;
		parse_next(p);
	} while (depth > 0);
	if (depth > 0)
		parse_expected(p, "`}`");
}
