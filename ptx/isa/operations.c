/* Arithmetic operations by mnemonic and type. */
#include "ptx/isa/operations.h"

#include "core/base.h"
#include "ptx/isa/matrix.h"
#include "ptx/isa/program.h"

#include <string.h>

static const struct {
	const char *mnemonic;
	unsigned n;
} mnemonics[] = {
	{"add", 1},
	{"addc", 1},
	{"and", 1},
	{"cos", 1},
	{"div", 1},
	{"dp2a", 4},
	{"dp4a", 8},
	{"ex2", 1},
	{"fma", 2},
	{"lg2", 1},
	{"lop3", 1},
	{"mad", 2},
	{"mad24", 2},
	{"madc", 2},
	{"mul", 1},
	{"mul24", 1},
	{"not", 1},
	{"or", 1},
	{"rcp", 1},
	{"rem", 1},
	{"rsqrt", 1},
	{"shf", 1},
	{"shl", 1},
	{"shr", 1},
	{"sin", 1},
	{"sqrt", 1},
	{"sub", 1},
	{"subc", 1},
	{"tanh", 1},
	{"xor", 1},
};

static const struct {
	const char *type;
	enum precision precision;
	unsigned packed;
} types[] = {
	{"bf16", PRECISION_F16, 1},
	{"bf16x2", PRECISION_F16, 2},
	{"f16", PRECISION_F16, 1},
	{"f16x2", PRECISION_F16, 2},
	{"f32", PRECISION_F32, 1},
	{"f32x2", PRECISION_F32, 2},
	{"f64", PRECISION_F64, 1},
	{"s16x2", PRECISION_INT, 2},
	{"u16x2", PRECISION_INT, 2},
};

static unsigned of_mnemonic(const char *opcode)
{
	size_t n = strcspn(opcode, ".");

	for (unsigned i = 0; i < ARRAY_LEN(mnemonics); i++)
		if (strlen(mnemonics[i].mnemonic) == n && !memcmp(mnemonics[i].mnemonic, opcode, n))
			return mnemonics[i].n;
	return 0;
}

unsigned opcode_operations(const char *opcode, enum precision *precision)
{
	const char *type = opcode ? strrchr(opcode, '.') : NULL;
	unsigned n = type ? of_mnemonic(opcode) : 0;

	if (!n)
		return 0;
	for (unsigned i = 0; i < ARRAY_LEN(types); i++)
		if (!strcmp(types[i].type, type + 1)) {
			*precision = types[i].precision;
			return n * types[i].packed;
		}
	*precision = PRECISION_INT;
	return n;
}

/* All are powers of two: for arithmetic from 1 on, for matrices from LEAST_TENSOR on, bytes. */
#define TENSOR (1 + 4 * PRECISION_TENSOR)
#define LEAST_TENSOR 4u
#define SHARED (TENSOR + 8)

static unsigned logarithm(unsigned n, unsigned most)
{
	unsigned log = 0;

	while (1u << log < n)
		log++;
	BUG_ON(1u << log != n || log > most);
	return log;
}

uint8_t work_of_opcode(const char *opcode)
{
	enum precision precision = PRECISION_INT;
	unsigned n = opcode_operations(opcode, &precision);

	return n ? (uint8_t)(1 + 4 * precision + logarithm(n, 3)) : 0;
}

uint8_t work_of_matrix(unsigned code)
{
	unsigned n = matrix_operations(code) / WARP_LANES;

	return n ? (uint8_t)(TENSOR + logarithm(n, LEAST_TENSOR + SHARED - TENSOR - 1) -
			     LEAST_TENSOR)
		 : 0;
}

uint8_t work_of_access(const struct instr *i)
{
	unsigned bytes = (i->vec ? i->vec : 1u) * ptx_type_bytes((enum ptx_type)i->mem_type);

	if ((i->action == ACT_LOAD || i->action == ACT_STORE) && i->op)
		bytes = 4 * MATRIX_ROWS(i->op);

	return i->space == SPACE_SHARED
		       ? (uint8_t)(SHARED + logarithm(bytes, WORK_KINDS - 1 - SHARED))
		       : 0;
}

void work_add(struct work_sum *sum, unsigned kind, uint64_t threads)
{
	BUG_ON(kind >= WORK_KINDS);
	if (kind >= SHARED)
		sum->shared_bytes += threads << (kind - SHARED);
	else if (kind >= TENSOR)
		sum->operations[PRECISION_TENSOR] += threads << (kind - TENSOR + LEAST_TENSOR);
	else if (kind)
		sum->operations[(kind - 1) / 4] += threads << (kind - 1) % 4;
}
