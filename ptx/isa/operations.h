/* What an instruction does for one thread: arithmetic operations, as FLOPs are counted, by
 * precision; bytes of shared memory. */
#ifndef PTX_ISA_OPERATIONS_H
#define PTX_ISA_OPERATIONS_H

#include <stdint.h>

/* The last one: products of matrices, of any element. */
#define PRECISIONS(X) X(F16, f16) X(F32, f32) X(F64, f64) X(INT, int) X(TENSOR, tensor)

#define PRECISION_ENUM(id, name) PRECISION_##id,
enum precision { PRECISIONS(PRECISION_ENUM) PRECISION_COUNT };

/* A sum, difference, product, quotient, root or special function is one operation, a multiply-add
 * two, a dot product of four bytes eight; of integers also logic and shifts. Packed types (.f16x2)
 * have twice as many. Moves, conversions, comparisons, selections, minima and signs have none: then
 * it is 0, and *precision is unchanged. */
unsigned opcode_operations(const char *opcode, enum precision *precision);

/* Either of them in a number below WORK_KINDS, by which threads are counted; 0: neither. */
#define WORK_KINDS (1 + 4 * PRECISION_TENSOR + 8 + 6)
uint8_t work_of_opcode(const char *opcode);
uint8_t work_of_matrix(unsigned code); /* ptx/isa/matrix.h */
struct instr;
uint8_t work_of_access(const struct instr *); /* of unit memory */

/* Adds what `threads` threads did. */
struct work_sum {
	uint64_t operations[PRECISION_COUNT], shared_bytes;
};
void work_add(struct work_sum *, unsigned kind, uint64_t threads);

#endif
