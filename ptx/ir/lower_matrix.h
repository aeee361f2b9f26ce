/* Private to ptx/ir/lower_matrix.c, lower_fragment.c and lower_lanes.c: fragments of matrices. */
#ifndef PTX_IR_LOWER_MATRIX_H
#define PTX_IR_LOWER_MATRIX_H

#include "ptx/ir/lower.h"

/* The registers of an operand in braces. */
#define FRAGMENT 8u

struct fragment {
	struct ir_value value[FRAGMENT];
	unsigned n;
};

/* Whether the statement's opcode has the words. */
bool fragment_says(const struct lower *, const char *words);
/* A new register with the result of lower_compute. */
struct ir_value fragment_compute(
	struct lower *, const char *spelling, unsigned words, struct ir_value a, struct ir_value b);
/* Reads an operand, by its role in the form. */
void fragment_read(struct lower *, const struct ast_operand *, unsigned operand, struct fragment *);
/* False, and a message, when the statement has not that many operands. */
bool fragment_operands(struct lower *, unsigned least, unsigned most);
/* A load or store of the form's state space. */
struct ir_instr fragment_access(const struct lower *, enum action);
void fragment_append(struct ir_instr *, const struct ir_value *, unsigned n); /* to its sources */

/* Lowers a statement of wmma. */
void lower_wmma(struct lower *);

/* Accesses of a lane 4 * g + t to its elements of a matrix, whose lines are a stride apart: that
 * many strides and elements from its own element. */
#define MULTIPLES 32u

struct lane_access {
	struct lower *l;
	struct ir_instr access; /* an access of the lane's own element */
	struct ir_value stride;
	unsigned bytes;                /* of what strides count */
	struct ir_value at[MULTIPLES]; /* addresses, by multiple; IR_NONE: not computed yet */
};

/* The lane's own element is g strides and t * step elements from the matrix's first, or t * step
 * strides and g elements. Sets at[0]. */
void lane_start(struct lane_access *, bool g_strides, unsigned step);
/* A register, or two neighbours of it. */
void lane_move(struct lane_access *, unsigned strides, unsigned elements, enum ptx_type,
	const struct ir_value *, unsigned vec);
/* A register of n elements, each in its own line. */
void lane_move_apart(
	struct lane_access *, unsigned strides, unsigned elements, struct ir_value, unsigned n);

/* The same by ldmatrix: the lane has the address of row l % 8 of matrix l / 8, whose second one is
 * eight strides below the first, and the next two eight elements beside them; or else these two are
 * exchanged. Sets at[0]. */
void lane_start_rows(struct lane_access *, bool below);
/* n registers, one for each matrix. */
void lane_load_rows(struct lane_access *, unsigned strides, unsigned elements, bool turned,
	const struct ir_value *, unsigned n);

#endif
