/* Products of matrices by a warp: D = A * B + C (PTX ISA, "Warp Level Matrix Instructions"). */
#ifndef PTX_ISA_MATRIX_H
#define PTX_ISA_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

/* X(id, bits): elements of A and B. */
#define MATRIX_TYPES(X) \
	X(F16, 16) X(BF16, 16) X(TF32, 32) X(F64, 64) X(U8, 8) X(S8, 8) X(U4, 4) X(S4, 4) X(B1, 1)

#define MATRIX_TYPE(id, bits) MATRIX_##id,
enum matrix_type { MATRIX_TYPES(MATRIX_TYPE) MATRIX_TYPE_COUNT };

/* Elements of C and D. */
enum matrix_sum { SUM_F16, SUM_F32, SUM_F64, SUM_S32 };

/* An instruction: A has m rows and k columns, B k rows and 8 columns.
 *
 * Lane l = 4 * g + t holds, of A, row g (in its registers of even number) and g + 8 (odd; not with
 * m = 8), columns of chunk t (first two registers) and t + 4 (last two); of B, column g, rows of
 * chunk t (first register) and t + 4 (second); a chunk fills a register, the first element lowest.
 * Of C and D it holds rows g and g + 8, columns 2 * t and 2 * t + 1, row by row, halves in pairs.
 */
struct matrix_op {
	uint8_t a, b;   /* enum matrix_type */
	uint8_t sum;    /* enum matrix_sum */
	uint8_t m;      /* 8 or 16 */
	uint16_t k;     /* at most MATRIX_K */
	bool saturate;  /* sums of integers */
	bool exclusive; /* products of bits are their exclusive or; else and */
};
#define MATRIX_K 256u
#define MATRIX_N 8u

/* Values of instr.op of ACT_MATRIX. After each first one follow its variants: of integers one for
 * each pair of types (unsigned and signed A; unsigned and signed B), then the same that saturate;
 * of bits exclusive or, and. */
enum matrix_code {
	MATRIX_F16_K8, /* sums in f32 */
	MATRIX_F16_K16,
	MATRIX_F16_K8_F16, /* sums in f16 */
	MATRIX_F16_K16_F16,
	MATRIX_BF16_K8,
	MATRIX_BF16_K16,
	MATRIX_TF32_K4,
	MATRIX_TF32_K8,
	MATRIX_F64_M8_K4,
	MATRIX_F64_K4,
	MATRIX_F64_K8,
	MATRIX_I8_M8_K16,
	MATRIX_I8_K16 = MATRIX_I8_M8_K16 + 8,
	MATRIX_I8_K32 = MATRIX_I8_K16 + 8,
	MATRIX_I4_M8_K32 = MATRIX_I8_K32 + 8,
	MATRIX_I4_K32 = MATRIX_I4_M8_K32 + 8,
	MATRIX_I4_K64 = MATRIX_I4_K32 + 8,
	MATRIX_B1_M8_K128 = MATRIX_I4_K64 + 8,
	MATRIX_B1_K128 = MATRIX_B1_M8_K128 + 2,
	MATRIX_B1_K256 = MATRIX_B1_K128 + 2,
	MATRIX_TRANSPOSE = MATRIX_B1_K256 + 2, /* movmatrix: 8 x 8 halves */
	MATRIX_CODES
};

/* instr.op of a load or store that is ldmatrix or stmatrix: its matrices, 1, 2 or 4, of 8 rows of
 * 16 bytes, and whether they are transposed. Lane 8 * j + r has the address of row r of matrix j.
 */
#define MATRIX_ROWS(op) ((op)&7u)
#define MATRIX_TURNED 8u

/* The product of a code below MATRIX_TRANSPOSE. */
struct matrix_op matrix_op(unsigned code);

unsigned matrix_bits(enum matrix_type);

/* Steps of the unit: in one it multiplies 16 rows with 8 columns over 128 bits of their elements,
 * in f64 8 rows with 8 columns over four; a transposition is one. */
unsigned matrix_steps(unsigned code);

/* Operations, as FLOPs are counted: two for each product that is summed. */
unsigned matrix_operations(unsigned code);

#endif
