/* One lane of an atomic operation, whoever owns the memory. */
#include "core/base.h"
#include "ptx/forms.h"
#include "ptx/lanes_half.h"

static uint64_t add(enum ptx_type type, uint64_t old, uint64_t a)
{
	if (type == T_F32)
		return bits32(canon32(float_of((uint32_t)old) + float_of((uint32_t)a)));
	if (type == T_F64)
		return bits64(canon64(double_of(old) + double_of(a)));
	switch (type) {
	case T_F16:
		return add_f16((uint32_t)old, (uint32_t)a, HOW_PLAIN);
	case T_BF16:
		return add_bf16((uint32_t)old, (uint32_t)a, HOW_PLAIN);
	case T_F16X2:
		return add_f16((uint32_t)old & 0xffff, (uint32_t)a & 0xffff, HOW_PLAIN) |
		       add_f16((uint32_t)old >> 16, (uint32_t)a >> 16, HOW_PLAIN) << 16;
	case T_BF16X2:
		return add_bf16((uint32_t)old & 0xffff, (uint32_t)a & 0xffff, HOW_PLAIN) |
		       add_bf16((uint32_t)old >> 16, (uint32_t)a >> 16, HOW_PLAIN) << 16;
	default:
		return old + a;
	}
}

static bool less(enum ptx_type type, uint64_t x, uint64_t y)
{
	if (type == T_S32)
		return (int32_t)x < (int32_t)y;
	return type == T_S64 ? (int64_t)x < (int64_t)y : x < y;
}

uint64_t atom_apply(enum atom_op op, enum ptx_type type, uint64_t old, uint64_t a, uint64_t b)
{
	uint64_t keep = UINT64_MAX >> (64 - 8 * ptx_type_bytes(type));

	old &= keep;
	a &= keep;
	switch (op) {
	case ATOM_ADD:
		return add(type, old, a) & keep;
	case ATOM_MIN:
		return less(type, a, old) ? a : old;
	case ATOM_MAX:
		return less(type, old, a) ? a : old;
	case ATOM_AND:
		return old & a;
	case ATOM_OR:
		return old | a;
	case ATOM_XOR:
		return old ^ a;
	case ATOM_EXCH:
		return a;
	case ATOM_CAS:
		return old == a ? b & keep : old;
	case ATOM_INC:
		return old >= a ? 0 : old + 1;
	case ATOM_DEC:
		return old == 0 || old > a ? a : old - 1;
	}
	BUG_ON(true);
	return old;
}
