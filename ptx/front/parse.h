/* Shared by the parser's files; private to ptx/front/. */
#ifndef PTX_FRONT_PARSE_H
#define PTX_FRONT_PARSE_H

#include "ptx/front/lex.h"
#include "ptx/front/names.h"
#include "ptx/front/note.h"

#define PARSE_MESSAGES 100u      /* limit of errors, after which parsing stops */
#define PARSE_SCOPES 128u        /* nested blocks */
#define PARSE_DEPTH 64u          /* nested operators and brackets */
#define PARSE_REGISTERS 1000000u /* declared in one function */
#define PARSE_DIMENSIONS 8u      /* of an array */
#define PARSE_VARIABLE_BYTES (1ull << 40)
#define PARSE_INIT_BYTES (1ull << 28) /* initial data of a module, all variables */
#define PARSE_PARAM_BYTES 32764u      /* of one function */
#define PARSE_OLD_PARAM_BYTES 4352u   /* of a kernel before PTX 8.1 */
#define PARSE_CONST_BYTES 65536u      /* of a module */
#define PARSE_ALIGN (1u << 16)
#define PARSE_FILES 100000u /* largest .file number */

struct message {
	struct ast_pos pos;
	enum err_code code;
	const char *text;
	const struct ast_function *fn; /* function that contains it, or NULL */
	struct ast_loc loc;
};

/* A growing array of statements, reused for each function. */
struct statements {
	struct ast_statement *s;
	uint32_t n, cap;
};

/* A function declared by .alias. */
struct alias {
	struct alias *next;
	struct ast_symbol *symbol;
};

struct parser {
	struct lexer lex;
	struct token tok; /* current token; the lexer is after it */
	struct arena *arena;
	const char *file;
	struct message *messages;
	unsigned nmessages;
	bool wrong;        /* an error outside functions */
	bool stopped;      /* too many errors: the rest of the text is skipped */
	bool end_reported; /* an error at the end of the text was reported already */
	unsigned depth;    /* nesting of the current expression */
	struct names names;
	struct scope module_scope, *scope;
	struct ast_module *module;
	struct ast_function **function_tail;
	struct ast_symbol **module_tail;
	uint64_t init_bytes;
	uint32_t files_cap;
	bool target_missed; /* reported */
	bool declared;      /* a declaration has been read */
	bool second;        /* a second .version was reported; it begins a second header */
	bool unclosed;      /* a function's '}' was missing: errors outside functions are follow-up
			       errors */
	uint32_t sm;        /* of the target */
	unsigned target_options;
	uint64_t const_bytes;
	struct alias *aliases;
	/* the current function; NULL outside */
	struct ast_function *fn;
	struct ast_symbol **register_tail, **variable_tail, **param_tail;
	uint32_t declared_registers, return_bytes;
	struct statements statements;
	struct ast_loc loc;
	uint32_t loc_line; /* line of that .loc */
};

static inline bool pos_before(struct ast_pos a, struct ast_pos b)
{
	return a.line != b.line ? a.line < b.line : a.col < b.col;
}

/* parse_error.c: messages, tokens, error recovery. Functions that return int return 0, or -1 when a
 * message was added (or the location has one already). */
void parse_next(struct parser *);
struct token parse_peek(const struct parser *); /* the token after the current one */
int parse_error(struct parser *, enum err_code, struct ast_pos, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
int parse_expected(struct parser *, const char *what);
void parse_flush(struct parser *, const struct notes *);
bool tok_is(const struct parser *, const char *text);
bool parse_accept(struct parser *, int kind);
int parse_expect(struct parser *, int kind, const char *what);
/* The current token's text without dot and quotes, in the arena. */
struct name *parse_word(struct parser *);
/* Skips past the next ';', or to the '}' that ends the block. */
void parse_recover(struct parser *);
/* Skips past the '}' that matches the current '{'. */
void parse_skip_block(struct parser *);

/* foreign.c: the kind of a file that is clearly not PTX, as a sentence; else NULL. */
const char *parse_foreign(const char *file, const char *text, size_t bytes);

/* parse_size.c: the address size of a module that does not declare it: .address_size was introduced
 * by PTX 2.3. */
unsigned parse_address_bits(const struct ast_module *);

/* parse_header.c: the current token is the directive. */
int parse_version(struct parser *);
int parse_target(struct parser *);
int parse_address_size(struct parser *);

/* parse_scope.c: name resolution. */
void parse_push_scope(struct parser *, struct scope *);
void parse_pop_scope(struct parser *);
/* Declares `symbol` in the current scope; -1 when the name is already declared. */
int parse_declare(struct parser *, struct name *, struct ast_symbol *);
int parse_declare_range(struct parser *, struct name *, uint32_t count, const struct ast_symbol *);
/* The symbol that `name` refers to, or NULL. *binding (may be NULL): its binding. */
struct ast_symbol *parse_lookup(struct parser *, struct name *, struct binding **binding);
/* Sets operand->symbol now or, if it may be a forward reference to a label, later. An undeclared
 * name is reported once and is not a failure: the statement can be parsed further. */
int parse_use(struct parser *, struct name *, struct ast_operand *, bool maybe_label);
/* Parses the special register at the current token (with its component); NULL when it is none. */
struct ast_symbol *parse_sreg(struct parser *);
int parse_undeclared(struct parser *, struct name *, struct ast_pos);
/* Gives a register its index and appends it to the function's list. */
void parse_add_register(struct parser *, struct ast_symbol *);
void parse_add_variable(struct parser *, struct ast_symbol *, bool in_module);

/* parse_expr.c: constant expressions. */
enum value_kind { VALUE_S64, VALUE_U64, VALUE_F32, VALUE_F64 };
struct value {
	enum value_kind kind;
	uint64_t bits;
};
int parse_value(struct parser *, struct value *);
/* An integer; `what` names it in the message. */
int parse_int(struct parser *, const char *what, uint64_t *);
/* An integer between low and high. */
int parse_bounded(struct parser *, const char *what, uint64_t low, uint64_t high, uint64_t *);
double value_double(const struct value *);
bool value_is_float(const struct value *);
bool parse_at_value(const struct parser *); /* Whether the current token can begin an expression. */

/* parse_var.c: declarations of registers, variables and parameters. */
struct declaration {
	enum ptx_space space;
	enum ptx_type type;
	uint8_t vec;
	uint32_t align; /* 0: natural */
	bool is_register, is_extern, is_visible, is_weak, is_common, is_managed;
	uint8_t opaque; /* enum object_kind */
};
struct declarator {
	struct name *name;
	struct ast_pos pos;
	uint64_t dim[PARSE_DIMENSIONS];
	unsigned ndims;
	bool unsized; /* dim[0] is empty: [] */
	bool is_range;
	uint32_t range; /* name<range> */
};
bool parse_at_space(const struct parser *);
/* .extern, .visible, .weak or .common, or none of them. */
int parse_linkage(struct parser *, struct declaration *);
/* From the state space to past the ';'. */
int parse_variables(struct parser *, struct declaration *);
/* ( .param .u32 a, ... ), adding to fn->params or fn->returns. */
int parse_params(struct parser *, struct ast_function *, bool returns);

/* parse_init.c: the current token is after the '='. */
int parse_initialiser(struct parser *, struct ast_symbol *, struct declarator *);

/* parse_texture.c: enum object_kind of .texref, .samplerref, .surfref; 0: none of them. */
uint8_t parse_opaque(const struct parser *);
/* Whether such a declaration is allowed here, and its initial attributes. */
int parse_check_opaque(struct parser *, const struct declaration *, const struct declarator *);
int parse_attributes(struct parser *, struct ast_symbol *);
/* Reports why it cannot be used and returns the reason, or NULL. */
const char *parse_opaque_trouble(struct parser *, const struct declarator *);

/* parse_func.c */
int parse_function(struct parser *, const struct declaration *linkage);
int parse_prototype(struct parser *, struct ast_symbol *);
/* Whether two declarations of a function have the same parameters and results; else adds a message
 * at `pos`. */
int parse_same_shape(
	struct parser *, const struct ast_function *, const struct ast_function *, struct ast_pos);
int parse_pragma(struct parser *);
int parse_loc(struct parser *);

/* parse_stmt.c: the current token is the '{'. */
void parse_body(struct parser *);

/* parse_operand.c */
int parse_operands(struct parser *, const char *opcode, struct ast_operand **);
int parse_targets(struct parser *, struct ast_symbol *);

#endif
