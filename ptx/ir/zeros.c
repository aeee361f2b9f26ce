/* How many low bits of each register are always zero: the alignment of addresses. All are assumed
 * to be, until an instruction writes something else. */
#include "ptx/ir/merge.h"
#include "ptx/isa/lanes.h"

#include <string.h>

#define PASSES 16u

struct zeros {
	const struct ir_module *m;
	const struct ir_function *f;
	uint8_t *of; /* by virtual register */
};

static unsigned of_bits(uint64_t bits)
{
	return bits ? (unsigned)min_u64((unsigned)__builtin_ctzll(bits), ZEROS_MOST) : ZEROS_MOST;
}

static unsigned of_variable(const struct ir_module *m, const struct ir_value *v)
{
	const struct ir_var *var = &m->vars[v->index];

	if (var->location != LOCATION_SHARED && var->location != LOCATION_DYNAMIC)
		return 0;
	return (unsigned)min_u64(of_bits(vars_shared_align(m, var)), of_bits(v->bits));
}

unsigned zeros_of(const struct ir_module *m, const struct ir_value *v, const uint8_t *registers)
{
	switch ((enum ir_kind)v->kind) {
	case IR_REG:
		return registers[v->index];
	case IR_CONST:
		return of_bits(v->bits);
	case IR_VAR:
		return of_variable(m, v);
	default:
		return 0;
	}
}

/* A shift by an amount that is not known moves no one into the low bits. */
static unsigned of_shift(const struct ir_value *by, unsigned a)
{
	if (by->kind != IR_CONST)
		return a;
	return by->bits < ZEROS_MOST ? (unsigned)min_u64(a + (unsigned)by->bits, ZEROS_MOST)
				     : ZEROS_MOST;
}

static unsigned of_lanes(const struct ir_instr *i, const unsigned *s)
{
	if (i->op >= LANE_cvt_u8_u8 && i->op <= LANE_cvt_s64_s64)
		return s[0];
	switch ((enum lane_op)i->op) {
	case LANE_mov_w1:
	case LANE_mov_w2:
	case LANE_neg_s32:
	case LANE_neg_s64:
		return s[0];
	case LANE_add_u32:
	case LANE_add_u64:
	case LANE_sub_u32:
	case LANE_sub_u64:
	case LANE_or_b32:
	case LANE_or_b64:
	case LANE_xor_b32:
	case LANE_xor_b64:
	case LANE_min_s32:
	case LANE_max_s32:
	case LANE_selp_w1:
	case LANE_selp_w2:
		return (unsigned)min_u64(s[0], s[1]);
	case LANE_and_b32:
	case LANE_and_b64:
		return (unsigned)max_u64(s[0], s[1]);
	case LANE_shl_b32:
	case LANE_shl_b64:
		return of_shift(&i->src[1], s[0]);
	case LANE_mul_lo_u32:
	case LANE_mul_lo_u64:
	case LANE_mul_wide_u32:
	case LANE_mul_wide_s32:
		return (unsigned)min_u64(s[0] + s[1], ZEROS_MOST);
	case LANE_mad_lo_u32:
	case LANE_mad_lo_u64:
	case LANE_mad_wide_u32:
	case LANE_mad_wide_s32:
		return (unsigned)min_u64(s[0] + s[1], s[2]);
	default:
		return 0;
	}
}

/* Of destination d. */
static unsigned of_result(const struct zeros *z, const struct ir_instr *i, unsigned d)
{
	unsigned s[INSTR_SRCS];

	for (unsigned k = 0; k < i->nsrc; k++)
		s[k] = zeros_of(z->m, &i->src[k], z->of);
	switch ((enum ir_shape)i->shape) {
	case IR_COPY:
	case IR_PACK:
		return s[0];
	case IR_UNPACK:
		return d == 0 ? s[0] : 0;
	case IR_PLAIN:
		return i->action == ACT_LANES && d == 0 ? of_lanes(i, s) : 0;
	default:
		return 0;
	}
}

/* Whether an assumption was wrong. */
static bool pass(const struct zeros *z)
{
	bool changed = false;

	for (uint32_t n = 0; n < z->f->ninstr; n++) {
		const struct ir_instr *i = &z->f->code[n];

		for (unsigned d = 0; d < i->ndst; d++) {
			uint8_t *of = i->dst[d].kind == IR_REG ? &z->of[i->dst[d].index] : NULL;
			uint8_t now = of && *of ? (uint8_t)of_result(z, i, d) : 0;

			if (!of || now >= *of)
				continue;
			*of = now;
			changed = true;
		}
	}
	return changed;
}

const uint8_t *zeros_of_registers(
	const struct ir_module *m, const struct ir_function *f, struct arena *work)
{
	struct zeros z = {m, f, arena_alloc(work, f->nvregs + 1, 1)};
	unsigned passes = 0;

	for (uint32_t i = 0; i < f->ninstr; i++)
		for (unsigned d = 0; d < f->code[i].ndst; d++)
			if (f->code[i].dst[d].kind == IR_REG)
				z.of[f->code[i].dst[d].index] = ZEROS_MOST;
	for (uint32_t i = 0; i < f->nin; i++)
		z.of[f->in[i]] = 0;
	for (uint32_t r = f->relay; r < f->relay_end; r++)
		z.of[r] = 0;
	while (pass(&z))
		if (++passes == PASSES)
			return memset(z.of, 0, f->nvregs);
	return z.of;
}
