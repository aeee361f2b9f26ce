/* The typed syntax tree of a PTX module: names are resolved, every node has its source location. */
#ifndef PTX_FRONT_AST_H
#define PTX_FRONT_AST_H

#include "core/err.h"
#include "core/mem.h"
#include "ptx/isa/types.h"

#include <stddef.h>

struct ast_pos {
	uint32_t line, col; /* in the PTX text, from 1 */
};

/* A line of the CUDA source, from .loc; file 0 means none. */
struct ast_loc {
	uint32_t file, line;
};

enum ast_symbol_kind {
	SYM_REG,
	SYM_SREG,
	SYM_VAR,
	SYM_LABEL,
	SYM_FUNCTION,
	SYM_PROTOTYPE, /* .callprototype: `function` has its parameters and results */
	SYM_TARGETS    /* .branchtargets, .calltargets: `targets` */
};

struct ast_symbol {
	enum ast_symbol_kind kind;
	const char *name;
	const char *file; /* of variables and functions: the PTX file */
	struct ast_pos pos;
	struct ast_symbol *next; /* in its list: of registers, variables, parameters */
	/* registers and variables */
	enum ptx_type type;
	uint8_t vec;          /* .v2 .v4, else 1 */
	enum ptx_space space; /* of a variable */
	enum ptx_sreg sreg;   /* of a special register */
	uint32_t index; /* of a register: dense in its function; of a label: statement index */
	uint32_t align; /* bytes; of a variable */
	uint64_t bytes; /* of a variable; 0 for `extern .shared x[]` */
	bool is_extern, is_param, is_return, is_defined, is_weak, is_common, is_visible, is_managed;
	const char *trouble;           /* why it cannot be used although it is valid PTX; or NULL */
	uint8_t opaque;                /* enum object_kind: of a .texref, .samplerref, .surfref */
	uint32_t param_offset;         /* of a parameter, in its parameter space, bytes */
	struct ast_symbol *alias;      /* of a function: the target of its `.alias` */
	struct ast_symbol *definition; /* linked: the definition in another module */
	/* initial data of a variable: bytes, and relocations for the addresses in it */
	const unsigned char *init;
	struct ast_reloc *relocs;
	struct ast_function *function; /* of SYM_FUNCTION: its definition, else its first
					  declaration; of a label: its owner */
	struct ast_operand *targets;   /* of SYM_TARGETS: labels or functions */
};

struct ast_reloc {
	struct ast_reloc *next;
	uint64_t offset; /* offset in the variable, in bytes */
	uint8_t bytes;   /* 4 or 8; 1 for one byte of an address, 0xff00(sym) */
	uint8_t shift;   /* in bits: the low `bytes` of (address >> shift) are stored */
	bool generic;    /* generic(sym) */
	const struct ast_symbol *symbol;
	int64_t addend;
};

enum ast_operand_kind {
	AST_SYMBOL,  /* register, special register, variable, label or function: by symbol->kind */
	AST_INT,     /* integer literal, any base; `value` */
	AST_F32,     /* 0f........: bits in `value` */
	AST_F64,     /* 0d................ or decimal: bits in `value` */
	AST_ADDRESS, /* [base + offset] or [offset]; base in `symbol` or NULL */
	AST_VECTOR,  /* {a, b, ..}: `first` */
	AST_LIST,    /* (a, b, ..) of a call: `first` */
	AST_PAIR,    /* a|b of setp and shfl: `first` */
	AST_SINK     /* _ */
};

struct ast_operand {
	enum ast_operand_kind kind;
	struct ast_pos pos;
	struct ast_operand *next;  /* sibling */
	struct ast_operand *first; /* of VECTOR, LIST, PAIR; of ADDRESS: the coordinates of
				      [texture, {x, y}], else NULL */
	struct ast_symbol *symbol;
	uint64_t value;   /* of literals */
	int64_t offset;   /* of ADDRESS, and of `symbol+offset` as a value */
	bool negated;     /* !p */
	int8_t component; /* .x .y .z .w of a vector register: 0..3, else -1 */
};

struct ast_statement {
	struct ast_pos pos;
	struct ast_loc loc;
	const char *opcode;       /* full opcode, "ld.global.nc.v2.f32"; NULL for a label */
	struct ast_symbol *label; /* of a label statement */
	struct ast_symbol *guard; /* predicate register, or NULL */
	bool guard_negated;
	bool broken;                  /* not terminated by ; */
	struct ast_operand *operands; /* in text order */
};

struct ast_function {
	const char *name, *file;
	struct ast_pos pos;
	struct ast_function *next;
	struct ast_symbol *symbol;
	bool is_kernel, is_visible, is_weak, has_body;
	bool is_wrong; /* it has errors */
	/* is_param / is_return variables with offsets; register parameters of old .func are
	 * SYM_REG, with an index, and not in `registers` */
	struct ast_symbol *params, *returns;
	uint32_t param_bytes;
	struct ast_symbol *registers; /* all scopes; dense index; of %r<10> only those used */
	uint32_t nregisters;
	struct ast_symbol *variables; /* .local .shared .param declared inside */
	struct ast_statement *statements;
	uint32_t nstatements;
	uint32_t version, sm; /* of its module: 100 * major + minor, and 35 of sm_35 */
	/* performance directives; 0 when not given */
	uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg;
	bool explicit_cluster;
};

struct ast_module {
	const char *file; /* as given by the user, for messages */
	uint32_t version_major, version_minor;
	const char *target;
	uint32_t maxnreg;      /* .pragma "maxrregcount N": of kernels without limits; 0: none */
	unsigned address_bits; /* 32 or 64; 0 while parsing: not given */
	const char **files;    /* .file names by number; nfiles entries, NULL where absent */
	uint64_t *file_bytes;  /* their sizes; 0: the .file has none */
	uint32_t nfiles;
	struct ast_function *functions; /* definitions and declarations, in text order */
	struct ast_symbol *variables;   /* module scope: .global .const .shared */
};

/* Parses PTX text (`bytes` need not end in NUL). All errors are collected, each as "file:line:col:
 * what was found, what was expected", up to a limit. The tree is in the arena. NULL on error. */
struct ast_module *ptx_parse(
	const char *file, const char *text, size_t bytes, struct arena *, struct err *);

#endif
