/* The products of matrices by their codes. */
#include "ptx/isa/matrix.h"

#include "core/base.h"

#define PLAIN(type, s, rows, depth) \
	{ \
		.a = MATRIX_##type, .b = MATRIX_##type, .sum = SUM_##s, .m = rows, .k = depth \
	}

static const struct matrix_op plain[MATRIX_I8_M8_K16] = {
	[MATRIX_F16_K8] = PLAIN(F16, F32, 16, 8),
	[MATRIX_F16_K16] = PLAIN(F16, F32, 16, 16),
	[MATRIX_F16_K8_F16] = PLAIN(F16, F16, 16, 8),
	[MATRIX_F16_K16_F16] = PLAIN(F16, F16, 16, 16),
	[MATRIX_BF16_K8] = PLAIN(BF16, F32, 16, 8),
	[MATRIX_BF16_K16] = PLAIN(BF16, F32, 16, 16),
	[MATRIX_TF32_K4] = PLAIN(TF32, F32, 16, 4),
	[MATRIX_TF32_K8] = PLAIN(TF32, F32, 16, 8),
	[MATRIX_F64_M8_K4] = PLAIN(F64, F64, 8, 4),
	[MATRIX_F64_K4] = PLAIN(F64, F64, 16, 4),
	[MATRIX_F64_K8] = PLAIN(F64, F64, 16, 8),
};

unsigned matrix_bits(enum matrix_type type)
{
#define BITS(id, bits) bits,
	static const uint8_t bits[] = {MATRIX_TYPES(BITS)};

	return bits[type];
}

/* Shapes of integers: 8 x 128 bits, 16 x 128, 16 x 256. */
static struct matrix_op integers(unsigned shape, unsigned variant, enum matrix_type u)
{
	return (struct matrix_op){.a = (uint8_t)(u + (variant >> 1 & 1)),
		.b = (uint8_t)(u + (variant & 1)),
		.sum = SUM_S32,
		.m = shape ? 16 : 8,
		.k = (uint16_t)((shape == 2 ? 256 : 128) / matrix_bits(u)),
		.saturate = variant >> 2 & 1};
}

struct matrix_op matrix_op(unsigned code)
{
	struct matrix_op bits;

	BUG_ON(code >= MATRIX_TRANSPOSE);
	if (code < MATRIX_I8_M8_K16)
		return plain[code];
	if (code < MATRIX_I4_M8_K32)
		return integers(
			(code - MATRIX_I8_M8_K16) / 8, (code - MATRIX_I8_M8_K16) % 8, MATRIX_U8);
	if (code < MATRIX_B1_M8_K128)
		return integers(
			(code - MATRIX_I4_M8_K32) / 8, (code - MATRIX_I4_M8_K32) % 8, MATRIX_U4);
	bits = integers((code - MATRIX_B1_M8_K128) / 2, 0, MATRIX_B1);
	bits.exclusive = (code - MATRIX_B1_M8_K128) % 2 == 0;
	return bits;
}

unsigned matrix_steps(unsigned code)
{
	struct matrix_op op;

	if (code == MATRIX_TRANSPOSE)
		return 1;
	op = matrix_op(code);
	if (op.sum == SUM_F64)
		return op.m / 8u * (op.k / 4u);
	return op.k * matrix_bits((enum matrix_type)op.a) > 128 ? 2 : 1;
}

unsigned matrix_operations(unsigned code)
{
	struct matrix_op op;

	if (code == MATRIX_TRANSPOSE)
		return 0;
	op = matrix_op(code);
	return 2u * op.m * MATRIX_N * op.k;
}
