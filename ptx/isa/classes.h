/* Classes of operations: what a machine gives latency, rate and a pipe of its own. A form's class
 * is found when its opcode is matched, and stored in each decoded instruction. */
#ifndef PTX_ISA_CLASSES_H
#define PTX_ISA_CLASSES_H

#include <stdint.h>

/* X(A, id, name, text): the classes of arithmetic, by the name of their parameters. The first one
 * is also that of what the compiler inserts. */
#define OP_CLASSES(X, A) \
	X(A, INT, int, "32-bit integer additions, logic, moves, selections") \
	X(A, INT64, int64, "64-bit integer additions, logic, shifts, comparisons, products") \
	X(A, SHIFT, shift, "shifts, bit fields, byte permutations, absolute differences") \
	X(A, BITS, bits, "bit counts, bit positions, bit reversals") \
	X(A, COMPARE, compare, "comparisons of integers and f32") \
	X(A, MINMAX, minmax, "minima and maxima of integers and f32") \
	X(A, MUL, mul, "integer products") \
	X(A, MAD, mad, "integer multiply-adds, dot products") \
	X(A, F32, f32, "f32 additions and products") \
	X(A, FMA, fma, "f32 multiply-adds") \
	X(A, F16, f16, "arithmetic of f16 and bf16") \
	X(A, F64, f64, "arithmetic of f64") \
	X(A, CONVERSION, conversion, "conversions to and from floating point") \
	X(A, SHUFFLE, shuffle, "shuffles, votes, reductions, transpositions of a warp") \
	X(A, SFU, sfu, "approximate special functions") \
	X(A, IDIV, idiv, "integer divisions and remainders") \
	X(A, FDIV, fdiv, "rounded f32 divisions, reciprocals, roots") \
	X(A, DDIV, ddiv, "f64 divisions, reciprocals, roots") \
	X(A, TENSOR, tensor, "products of matrices") \
	X(A, TENSOR64, tensor64, "products of matrices of f64")

#define OP_CLASS_ENUM(A, id, name, text) CLASS_##id,
enum op_class {
	OP_CLASSES(OP_CLASS_ENUM, 0) CLASS_ARITHMETIC,
	CLASS_MEMORY = CLASS_ARITHMETIC, /* from here on a unit each */
	CLASS_TEXTURE,
	CLASS_CONTROL,
	CLASS_BARRIER,
	CLASS_FENCE,
	CLASS_COUNT
};

/* "int", "fma", "memory" */
const char *op_class_name(enum op_class);

/* The unit (enum unit) that executes it. */
uint8_t op_class_unit(enum op_class);

/* The class of an instruction of that unit (enum unit); `arithmetic`: of one of ALU, SFU, tensor.
 */
uint8_t op_class_of_unit(uint8_t unit, uint8_t arithmetic);

#endif
