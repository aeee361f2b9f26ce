/* Private to ptx/: shared by the files that lower statements to instructions. */
#ifndef PTX_IR_LOWER_H
#define PTX_IR_LOWER_H

#include "ptx/ir/ir.h"

struct lower {
	struct ir_module *m;
	struct ir_function *f;
	uint32_t function; /* index of f */
	const struct ast_statement *s;
	struct form_match form;
	uint32_t *starts;                /* statement -> its first instruction */
	bool failed;                     /* the statement has an error: no instruction is emitted */
	const struct ast_symbol *blamed; /* a register of a wrong type, reported already */
	struct ir_value lane; /* %laneid, in a function with fragments of wmma; else IR_NONE */
};

/* Adds one message at `pos`, "file:line:col: `opcode`: ...", and marks the statement as failed. */
void lower_fail(struct lower *, struct ast_pos, enum err_code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* An instruction with the statement's location and guard, to be filled in. */
struct ir_instr lower_blank(const struct lower *);
void lower_emit(struct lower *, const struct ir_instr *);

/* dst = src, by a move of the right width. */
void lower_move(struct lower *, struct ir_value dst, struct ir_value src);
/* dst = op(a, b) for an operation of the semantics table; b may be empty. */
void lower_compute(struct lower *, const char *spelling, struct ir_value dst, struct ir_value a,
	struct ir_value b);

struct ir_value lower_temp(struct lower *, unsigned words);
struct ir_value lower_const(uint64_t bits, unsigned words);
struct ir_value lower_reg(const struct lower *, const struct ast_operand *);

/* Finds the form of the statement's opcode. 0, or -1 with a sentence in `why`, as form_match. */
int lower_form(struct lower *, char *why, size_t n, bool *unsupported);
/* Whether an opcode of the table has the modifiers that are mandatory in the function's PTX
 * version; else a sentence in `why`. */
bool lower_has_modifiers(const struct ast_function *, const char *opcode, char *why, size_t n);

/* An operand that is read as `type`. `wider`: the register may be wider than the type. */
struct ir_value lower_source(struct lower *, const struct ast_operand *, enum ptx_type, bool wider);
/* The operands in a list. */
unsigned lower_count(const struct ast_operand *);
/* A predicate that is read; its negation is bit `slot` of *negated. */
struct ir_value lower_pred_source(
	struct lower *, const struct ast_operand *, unsigned slot, uint8_t *negated);
/* A register that is written as `type`, or a sink. */
struct ir_value lower_dest(struct lower *, const struct ast_operand *, enum ptx_type, bool wider);
/* The source text of an operand, for messages; in `out`, or a constant string. */
#define LOWER_READ 96
const char *lower_read(const struct ast_operand *, char out[LOWER_READ]);
/* Whether all names in a statement are known; in a function with errors they may not be. */
bool lower_is_readable(const struct ast_statement *);
/* Reports that an operand's symbol is declared but defined nowhere. */
void lower_missing(struct lower *, const struct ast_operand *);
/* An address: fills src[0], offset, space and address_words. */
void lower_address(struct lower *, const struct ast_operand *, struct ir_instr *);

/* [texture, {x, y}] and similar operands: the handle, three coordinates and a sampler of a texture
 * into src[0..4], of a surface into src[0..3], of a query into src[0]. */
void lower_object(
	struct lower *, const struct ast_operand *, const struct form_operand *, struct ir_instr *);
/* Appends a fetch's level, or one of its two gradients, to the sources. */
void lower_level(struct lower *, const struct ast_operand *, enum ptx_type, struct ir_instr *);

/* 128-bit operands as two halves of 64 bits, the low one first; moves between them. */
void lower_wide_source(struct lower *, const struct ast_operand *, struct ir_value half[2]);
void lower_wide_dest(struct lower *, const struct ast_operand *, struct ir_value half[2]);
void lower_wide_move(struct lower *, const struct ir_value dst[2], const struct ir_value src[2]);
/* mov.b128 between a register and { low, high }; `packs`: into the register. */
void lower_wide_pack(struct lower *, const struct ast_operand *whole,
	const struct ast_operand *parts, bool packs);
/* Appends a 128-bit operand to the instruction's operands. */
void lower_wide_operand(struct lower *, const struct ast_operand *, bool is_dst, struct ir_instr *);
/* Appends a vector of eight halves or words as new registers that hold two each: sources are packed
 * here, results are unpacked by lower_eight_results after the instruction. */
void lower_eight(struct lower *, const struct ast_operand *list, bool is_dst, struct ir_instr *);
void lower_eight_results(
	struct lower *, const struct ast_operand *list, const struct ir_value *pair);
/* Adjusts type and vector length of an access whose elements take more, or fewer, registers than in
 * PTX. */
void lower_split_type(struct ir_instr *);

/* Makes an instruction of ACT_MATRIX that of a code (ptx/isa/matrix.h). */
void lower_matrix_code(struct ir_instr *, unsigned code);

/* Of a function with fragments of wmma: what its first instructions compute for all of them; copies
 * of elements that nothing reads are removed at its end. */
void lower_fragments_begin(struct lower *);
void lower_fragments_end(struct lower *);
/* Lowers a statement of ACT_FRAGMENT; one of cp.async. */
void lower_fragment(struct lower *);
void lower_copy(struct lower *);
/* ptx/ir/lower_policy.c: createpolicy; and the cache policy behind the operands of a statement,
 * which becomes one without it. */
void lower_policy(struct lower *);
void lower_take_policy(struct lower *);
void lower_mbarrier(struct lower *);
/* Waits for all asynchronous copies but the latest `spared` groups. */
void lower_wait(struct lower *, uint64_t spared);

/* Whether the operand is a whole vector register. */
bool lower_is_whole(const struct ast_operand *);
/* A vector register as the list of its components; any other operand is returned unchanged. */
const struct ast_operand *lower_spread(struct lower *, const struct ast_operand *);
/* Whether the statement is a mov.v2 or mov.v4; if so it has been lowered (or has failed). */
bool lower_vector_move(struct lower *);
/* Whether the statement is a mov that packs or unpacks; if so it has been lowered (or has failed).
 */
bool lower_pack(struct lower *);
/* The same for ld.param and st.param of a variable in registers. */
bool lower_param_access(struct lower *);
void lower_call(struct lower *);

#endif
