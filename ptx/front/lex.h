/* PTX text to tokens, by value: nothing is allocated, and every byte is looked at once. */
#ifndef PTX_FRONT_LEX_H
#define PTX_FRONT_LEX_H

#include "ptx/front/ast.h"

/* A token of one character is its own kind. */
enum token_kind {
	TOK_END = 256, /* of the text */
	TOK_BAD,       /* not PTX: `why` says what is wrong */
	TOK_NAME,      /* identifier, with its % _ or $ */
	TOK_DOT,       /* .word, with its dot; may hold :: */
	TOK_INT,       /* `value`; is_unsigned when it has a U or does not fit 63 bits */
	TOK_F32,       /* bits in `value` */
	TOK_F64,       /* bits in `value` */
	TOK_STRING,    /* with its quotes */
	TOK_SHL,
	TOK_SHR,
	TOK_LE,
	TOK_GE,
	TOK_EQ,
	TOK_NE,
	TOK_AND,
	TOK_OR
};

struct token {
	int kind;
	uint32_t len;
	const char *start; /* in the text */
	struct ast_pos pos;
	uint64_t value;
	bool is_unsigned;
	bool unsupported; /* of TOK_BAD: real PTX that this version does not take */
	const char *why;
};

/* Copying a lexer saves its place. */
struct lexer {
	const char *at, *end;
	const char *line_start;
	uint32_t line;
};

void lex_init(struct lexer *, const char *text, size_t bytes);
struct token lex_next(struct lexer *);

/* Goes on behind the first `n` bytes of a token that was read last. */
void lex_split(struct lexer *, const struct token *, uint32_t n);

/* The modifiers behind an opcode's first word (".global.v2.f32"), blanks between them allowed:
 * reads them into the token, whose text then runs to the last one. *spaced tells whether there are
 * blanks. */
void lex_opcode(struct lexer *, struct token *, bool *spaced);

/* To the end of the line. */
void lex_skip_line(struct lexer *);

#endif
