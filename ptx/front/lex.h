/* The lexer: PTX text to tokens, by value: it allocates nothing and reads every byte once. */
#ifndef PTX_FRONT_LEX_H
#define PTX_FRONT_LEX_H

#include "ptx/front/ast.h"

/* A token of one character is its own kind. */
enum token_kind {
	TOK_END = 256, /* end of the text */
	TOK_BAD,       /* not PTX: `why` is the error */
	TOK_NAME,      /* identifier, with its % _ or $ */
	TOK_DOT,       /* .word, with its dot; may hold :: */
	TOK_INT,       /* `value`; is_unsigned when it has a U suffix or needs 64 bits */
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
	bool unsupported; /* of TOK_BAD: valid PTX that this version does not support */
	const char *why;
};

/* The state of the lexer; a copy can be used to backtrack. */
struct lexer {
	const char *at, *end;
	const char *line_start;
	uint32_t line;
};

void lex_init(struct lexer *, const char *text, size_t bytes);
struct token lex_next(struct lexer *);

/* Continues after the first `n` bytes of the token read last. */
void lex_split(struct lexer *, const struct token *, uint32_t n);

/* Extends the token of an opcode's first word by its modifiers (".global.v2.f32"); blanks between
 * them are allowed. *spaced: whether there are blanks. */
void lex_opcode(struct lexer *, struct token *, bool *spaced);

/* To the end of the line. */
void lex_skip_line(struct lexer *);

#endif
