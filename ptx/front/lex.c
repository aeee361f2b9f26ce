/* The lexer: PTX text to tokens. */
#include "ptx/front/lex.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 1000 /* characters of a decimal floating-point number */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (unsigned char)((c | 32) - 'a') < 26;
}

/* Letters, digits, _ and $: one bit for each of the 128 ASCII codes. */
static bool is_word(char c)
{
	static const uint64_t word[2] = {0x03ff001000000000, 0x07fffffe87fffffe};
	unsigned char u = (unsigned char)c;

	return u < 128 && (word[u >> 6] >> (u & 63) & 1);
}

static void skip_word(struct lexer *lx)
{
	const char *at = lx->at, *end = lx->end;

	while (at < end && is_word(*at))
		at++;
	lx->at = at;
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	c = (char)(c | 32);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte `n` ahead, or NUL past the end. */
static char ahead(const struct lexer *lx, size_t n)
{
	return (size_t)(lx->end - lx->at) > n ? lx->at[n] : '\0';
}

static void new_line(struct lexer *lx)
{
	lx->at++;
	lx->line++;
	lx->line_start = lx->at;
}

static struct ast_pos here(const struct lexer *lx)
{
	return (struct ast_pos){lx->line, (uint32_t)(lx->at - lx->line_start) + 1};
}

static void bad(struct token *t, const char *why)
{
	t->kind = TOK_BAD;
	t->why = why;
}

void lex_init(struct lexer *lx, const char *text, size_t bytes)
{
	*lx = (struct lexer){.at = text, .end = text + bytes, .line_start = text, .line = 1};
	if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		lx->at = lx->line_start = text + 3;
}

void lex_skip_line(struct lexer *lx)
{
	const char *nl = memchr(lx->at, '\n', (size_t)(lx->end - lx->at));

	lx->at = nl ? nl : lx->end;
}

/* At the slash and star. False when the comment is not terminated. */
static bool skip_block_comment(struct lexer *lx)
{
	lx->at += 2;
	while (lx->at < lx->end) {
		if (*lx->at == '\n') {
			new_line(lx);
		} else if (*lx->at == '*' && ahead(lx, 1) == '/') {
			lx->at += 2;
			return true;
		} else {
			lx->at++;
		}
	}
	return false;
}

/* Skips blanks, comments, and the @@DWARF lines of old compilers. False: an unterminated comment
 * that begins at *start. */
static bool skip_blanks(struct lexer *lx, struct token *start)
{
	while (lx->at < lx->end) {
		char c = *lx->at, next;
		if (c == '\n') {
			new_line(lx);
			continue;
		}
		if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			lx->at++;
			continue;
		}
		if (c != '/' && c != '@')
			return true;
		next = ahead(lx, 1);
		if ((c == '/' && next == '/') || (c == '@' && next == '@')) {
			lex_skip_line(lx);
		} else if (c == '/' && next == '*') {
			start->pos = here(lx);
			start->start = lx->at;
			if (!skip_block_comment(lx))
				return false;
		} else {
			return true;
		}
	}
	return true;
}

static void read_float(struct lexer *lx, struct token *t)
{
	char buffer[NUMBER_MAX + 1];
	double value;
	size_t n;

	while (is_digit(ahead(lx, 0)))
		lx->at++;
	if (ahead(lx, 0) == '.')
		lx->at++;
	while (is_digit(ahead(lx, 0)))
		lx->at++;
	if ((ahead(lx, 0) | 32) == 'e') {
		bool sign = ahead(lx, 1) == '+' || ahead(lx, 1) == '-';
		if (is_digit(ahead(lx, sign ? 2 : 1)))
			lx->at += sign ? 2 : 1;
		while (is_digit(ahead(lx, 0)))
			lx->at++;
	}
	n = (size_t)(lx->at - t->start);
	if (n > NUMBER_MAX) {
		bad(t, "a floating-point number of more than 1000 characters");
		return;
	}
	memcpy(buffer, t->start, n);
	buffer[n] = '\0';
	value = strtod(buffer, NULL);
	t->kind = TOK_F64;
	memcpy(&t->value, &value, sizeof(value));
	if (value > 1.7976931348623157e308)
		bad(t, "a floating-point number too large for .f64");
}

/* 0f or 0d and exactly `digits` hexadecimal digits. */
static void read_float_bits(struct lexer *lx, struct token *t, int kind, unsigned digits)
{
	unsigned n = 0;

	lx->at += 2;
	t->kind = kind;
	for (; hex_value(ahead(lx, 0)) >= 0; lx->at++, n++)
		t->value = t->value << 4 | (unsigned)hex_value(*lx->at);
	if (n != digits)
		bad(t, digits == 8 ? "0f needs exactly 8 hexadecimal digits"
				   : "0d needs exactly 16 hexadecimal digits");
}

static void read_int(struct lexer *lx, struct token *t, unsigned base)
{
	const char *first = lx->at;
	bool overflow = false;

	t->kind = TOK_INT;
	for (;; lx->at++) {
		int digit = hex_value(ahead(lx, 0));
		uint64_t product;
		if (digit < 0 || (unsigned)digit >= base)
			break;
		overflow |= __builtin_mul_overflow(t->value, (uint64_t)base, &product);
		overflow |= __builtin_add_overflow(product, (uint64_t)digit, &t->value);
	}
	if (lx->at == first)
		bad(t, "a number without digits");
	else if (overflow)
		bad(t, "a number of more than 64 bits");
	t->is_unsigned = t->value > INT64_MAX;
	if (ahead(lx, 0) == 'U') {
		t->is_unsigned = true;
		lx->at++;
	}
}

/* A decimal number with a point or an exponent. */
static bool looks_float(const struct lexer *lx)
{
	const char *c = lx->at;

	while (c < lx->end && is_digit(*c))
		c++;
	if (c == lx->end)
		return false;
	return *c == '.' || *c == 'e' || *c == 'E';
}

static void read_number(struct lexer *lx, struct token *t)
{
	char letter = (char)(ahead(lx, 1) | 32);

	if (*lx->at == '0' && letter == 'f') {
		read_float_bits(lx, t, TOK_F32, 8);
	} else if (*lx->at == '0' && letter == 'd') {
		read_float_bits(lx, t, TOK_F64, 16);
	} else if (*lx->at == '0' && (letter == 'x' || letter == 'b')) {
		lx->at += 2;
		read_int(lx, t, letter == 'x' ? 16 : 2);
	} else if (looks_float(lx)) {
		read_float(lx, t);
	} else {
		read_int(lx, t, *lx->at == '0' ? 8 : 10);
	}
	if (!is_word(ahead(lx, 0)))
		return;
	skip_word(lx);
	if (t->kind != TOK_BAD)
		bad(t, "a malformed number");
}

static void read_string(struct lexer *lx, struct token *t)
{
	t->kind = TOK_STRING;
	for (lx->at++; lx->at < lx->end && *lx->at != '\n'; lx->at++) {
		if (*lx->at == '"') {
			lx->at++;
			return;
		}
		if (*lx->at == '\\' && ahead(lx, 1) != '\n' && lx->at + 1 < lx->end)
			lx->at++;
	}
	bad(t, "a string without its closing quote");
}

/* Word characters, and :: between two of them. */
static void read_word(struct lexer *lx)
{
	for (;;) {
		skip_word(lx);
		if (ahead(lx, 0) != ':' || ahead(lx, 1) != ':' || !is_word(ahead(lx, 2)))
			return;
		lx->at += 2;
	}
}

static void read_operator(struct lexer *lx, struct token *t)
{
	static const struct {
		char text[3];
		int kind;
	} pairs[] = {{"<<", TOK_SHL}, {">>", TOK_SHR}, {"<=", TOK_LE}, {">=", TOK_GE},
		{"==", TOK_EQ}, {"!=", TOK_NE}, {"&&", TOK_AND}, {"||", TOK_OR}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (*lx->at == pairs[i].text[0] && ahead(lx, 1) == pairs[i].text[1]) {
			t->kind = pairs[i].kind;
			lx->at += 2;
			return;
		}
	}
	t->kind = (unsigned char)*lx->at++;
}

/* A run of bytes that cannot begin a token is one bad token. */
static void read_garbage(struct lexer *lx, struct token *t)
{
	bool nul = *lx->at == '\0';

	while (lx->at < lx->end) {
		unsigned char c = (unsigned char)*lx->at;
		if (c > ' ' && c < 127 && c != '\\' && c != '`')
			break;
		if (c == ' ' || (c >= '\t' && c <= '\r'))
			break;
		lx->at++;
	}
	bad(t, nul ? "a NUL byte: PTX is text" : "bytes that are not PTX text");
}

static void read_token(struct lexer *lx, struct token *t)
{
	char c = *lx->at, next = ahead(lx, 1);

	if (is_letter(c) || ((c == '%' || c == '$' || c == '_') && is_word(next))) {
		t->kind = TOK_NAME;
		lx->at++;
		skip_word(lx);
	} else if (c == '_' || c == '$') {
		t->kind = TOK_NAME;
		lx->at++;
	} else if (c == '.' && (is_letter(next) || next == '_')) {
		t->kind = TOK_DOT;
		lx->at++;
		read_word(lx);
	} else if (is_digit(c)) {
		read_number(lx, t);
	} else if (c == '.' && is_digit(next)) {
		read_float(lx, t);
	} else if (c == '"') {
		read_string(lx, t);
	} else if (c == '#') {
		lex_skip_line(lx);
		bad(t, "a preprocessor line");
		t->unsupported = true;
	} else if (c > ' ' && c < 127 && c != '\\' && c != '`') {
		read_operator(lx, t);
	} else {
		read_garbage(lx, t);
	}
}

struct token lex_next(struct lexer *lx)
{
	struct token t = {.kind = TOK_END};

	if (!skip_blanks(lx, &t)) {
		bad(&t, "an unterminated comment");
	} else {
		t.start = lx->at;
		t.pos = here(lx);
		if (lx->at < lx->end)
			read_token(lx, &t);
	}
	t.len = (uint32_t)(lx->at - t.start);
	return t;
}

void lex_split(struct lexer *lx, const struct token *t, uint32_t n)
{
	lx->at = t->start + n;
	lx->line = t->pos.line;
	lx->line_start = t->start - (t->pos.col - 1);
}

void lex_opcode(struct lexer *lx, struct token *t, bool *spaced)
{
	*spaced = false;
	for (;;) {
		const char *blank = lx->at;
		while (ahead(lx, 0) == ' ' || ahead(lx, 0) == '\t')
			lx->at++;
		if (ahead(lx, 0) != '.' || !is_word(ahead(lx, 1))) {
			lx->at = blank;
			break;
		}
		*spaced |= lx->at != blank;
		lx->at++;
		read_word(lx);
		/* the constant banks of PTX 1.x: ld.const[2].f32 */
		if (ahead(lx, 0) == '[' && is_digit(ahead(lx, 1)) && ahead(lx, 2) == ']' &&
			ahead(lx, 3) == '.')
			lx->at += 3;
		t->len = (uint32_t)(lx->at - t->start);
	}
}
