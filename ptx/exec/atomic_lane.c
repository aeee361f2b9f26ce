/* An atomic operation of one lane, used by the executor and by the memory system. */
#include "core/base.h"
#include "ptx/exec/lanes_half.h"
#include "ptx/isa/forms.h"

#include <string.h>

static uint32_t half(enum atom_op op, bool brain, uint32_t x, uint32_t y)
{
	switch (op) {
	case ATOM_MIN:
		return brain ? min_bf16(x, y, HOW_PLAIN) : min_f16(x, y, HOW_PLAIN);
	case ATOM_MAX:
		return brain ? max_bf16(x, y, HOW_PLAIN) : max_f16(x, y, HOW_PLAIN);
	default:
		return brain ? add_bf16(x, y, HOW_PLAIN) : add_f16(x, y, HOW_PLAIN);
	}
}

/* One half, or both halves of a pair. */
static uint64_t halves(enum atom_op op, enum ptx_type type, uint32_t x, uint32_t y)
{
	bool brain = type == T_BF16 || type == T_BF16X2;
	uint32_t low = half(op, brain, x & 0xffff, y & 0xffff);

	if (type == T_F16 || type == T_BF16)
		return low;
	return low | half(op, brain, x >> 16, y >> 16) << 16;
}

static bool is_half(enum ptx_type type)
{
	return type == T_F16 || type == T_BF16 || type == T_F16X2 || type == T_BF16X2;
}

static uint64_t add(enum ptx_type type, uint64_t old, uint64_t a)
{
	if (type == T_F32)
		return bits32(canon32(float_of((uint32_t)old) + float_of((uint32_t)a)));
	if (type == T_F64)
		return bits64(canon64(double_of(old) + double_of(a)));
	return old + a;
}

static bool less(enum ptx_type type, uint64_t x, uint64_t y)
{
	if (type == T_S32)
		return (int32_t)x < (int32_t)y;
	return type == T_S64 ? (int64_t)x < (int64_t)y : x < y;
}

/* An mbarrier after n arrivals. */
static uint64_t arrive(uint64_t old, uint64_t n, bool drop)
{
	uint64_t lacks = old & MBARRIER_MOST, all = old >> MBARRIER_BITS & MBARRIER_MOST;

	all -= drop ? min_u64(n, all) : 0;
	lacks -= min_u64(n, lacks);
	if (!lacks)
		old ^= UINT64_C(1) << MBARRIER_PARITY;
	old &= UINT64_C(1) << MBARRIER_PARITY;
	return old | all << MBARRIER_BITS | (lacks ? lacks : all);
}

uint64_t atom_apply(enum atom_op op, enum ptx_type type, uint64_t old, uint64_t a, uint64_t b)
{
	uint64_t keep = UINT64_MAX >> (64 - 8 * ptx_type_bytes(type));

	old &= keep;
	a &= keep;
	if (is_half(type))
		return halves(op, type, (uint32_t)old, (uint32_t)a);
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
	case ATOM_ARRIVE:
	case ATOM_ARRIVE_DROP:
		return arrive(old, a, op == ATOM_ARRIVE_DROP);
	}
	BUG_ON(true);
	return old;
}

/* 128 bits are exchanged and compared as a whole. */
static void whole(const struct atom *atom, unsigned char *cell, const unsigned char *a,
	const unsigned char *b, uint32_t old[ATOM_PLANES])
{
	memcpy(old, cell, ATOM_BYTES);
	if (atom->op == ATOM_EXCH)
		memcpy(cell, a, ATOM_BYTES);
	else if (memcmp(cell, a, ATOM_BYTES) == 0)
		memcpy(cell, b, ATOM_BYTES);
}

static uint64_t element(const struct atom *atom, unsigned char *cell, const unsigned char *a,
	const unsigned char *b, unsigned bytes)
{
	uint64_t old = 0, va = 0, vb = 0, new;

	memcpy(&old, cell, bytes);
	memcpy(&va, a, bytes);
	if (b)
		memcpy(&vb, b, bytes);
	new = atom_apply((enum atom_op)atom->op, (enum ptx_type)atom->type, old, va, vb);
	memcpy(cell, &new, bytes);
	return old;
}

void atom_lane(const struct atom *atom, unsigned char *cell, const unsigned char *a,
	const unsigned char *b, unsigned lane, uint32_t *const *planes)
{
	unsigned bytes = ptx_type_bytes((enum ptx_type)atom->type), n = 0, k;
	uint32_t old[ATOM_PLANES];

	if (atom->type == T_B128) {
		whole(atom, cell, a, b, old);
		n = ATOM_PLANES;
	}
	for (k = 0; atom->type != T_B128 && k < atom->vec; k++) {
		uint64_t was = element(atom, cell + (size_t)k * bytes, a + (size_t)k * bytes,
			b ? b + (size_t)k * bytes : NULL, bytes);

		old[n++] = (uint32_t)was;
		if (bytes == 8)
			old[n++] = (uint32_t)(was >> 32);
	}
	for (k = 0; planes && k < n; k++)
		if (planes[k])
			planes[k][lane] = old[k];
}
