/* Arithmetic operations of an instruction, as FLOPs are counted: of one thread, by precision. */
#ifndef PTX_ISA_OPERATIONS_H
#define PTX_ISA_OPERATIONS_H

#define PRECISIONS(X) X(F16, f16) X(F32, f32) X(F64, f64) X(INT, int)

#define PRECISION_ENUM(id, name) PRECISION_##id,
enum precision { PRECISIONS(PRECISION_ENUM) PRECISION_COUNT };

/* A sum, difference, product, quotient, root or special function is one operation, a multiply-add
 * two, a dot product of four bytes eight; of integers also logic and shifts. Packed types (.f16x2)
 * have twice as many. Moves, conversions, comparisons, selections, minima and signs have none: then
 * it is 0, and *precision is unchanged. */
unsigned opcode_operations(const char *opcode, enum precision *precision);

#endif
