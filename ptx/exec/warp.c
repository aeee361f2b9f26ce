/* Warp-wide instructions (votes, shuffles, matches) and special registers. */
#include "ptx/exec/lanes_float.h"
#include "ptx/exec/private.h"

#include <string.h>

/* ---- special registers */

static void fill(uint32_t *out, uint32_t value)
{
	unsigned i;

	for (i = 0; i < WARP_LANES; i++)
		out[i] = value;
}

/* Thread indices: lanes are numbered along x, then y, then z. */
static void fill_tid(const struct issue *is, uint32_t *out, unsigned axis)
{
	const uint32_t *block = is->warp->cta->grid->block;
	uint32_t tid[3], flat = is->warp->first_tid;
	unsigned i;

	tid[0] = flat % block[0];
	tid[1] = flat / block[0] % block[1];
	tid[2] = flat / block[0] / block[1];
	if (tid[0] + WARP_LANES <= block[0]) { /* one row, as in most CTAs */
		for (i = 0; i < WARP_LANES; i++)
			out[i] = axis ? tid[axis] : tid[0] + i;
		return;
	}
	for (i = 0; i < WARP_LANES; i++) {
		out[i] = tid[axis];
		if (++tid[0] < block[0])
			continue;
		tid[0] = 0;
		if (++tid[1] < block[1])
			continue;
		tid[1] = 0;
		tid[2]++;
	}
}

static void fill_lanes(uint32_t *out, enum ptx_sreg sreg)
{
	unsigned i;

	for (i = 0; i < WARP_LANES; i++) {
		uint32_t eq = 1u << i, lt = eq - 1;

		switch (sreg) {
		case SREG_LANEID:
			out[i] = i;
			break;
		case SREG_LANEMASK_EQ:
			out[i] = eq;
			break;
		case SREG_LANEMASK_LE:
			out[i] = lt | eq;
			break;
		case SREG_LANEMASK_LT:
			out[i] = lt;
			break;
		case SREG_LANEMASK_GE:
			out[i] = ~lt;
			break;
		default:
			out[i] = ~(lt | eq);
		}
	}
}

/* A cluster is one CTA. %envreg1 and 2 are where a driver passes the address of a cooperative
 * grid's workspace; the others, performance monitors and graphs do not exist and read 0. */
static uint64_t rare_value(const struct cta *cta, enum ptx_sreg sreg)
{
	const struct grid *g = cta->grid;

	switch (sreg) {
	case SREG_CLUSTERID_X:
	case SREG_CLUSTERID_Y:
	case SREG_CLUSTERID_Z:
		return cta->id[sreg - SREG_CLUSTERID_X];
	case SREG_NCLUSTERID_X:
	case SREG_NCLUSTERID_Y:
	case SREG_NCLUSTERID_Z:
		return g->grid[sreg - SREG_NCLUSTERID_X];
	case SREG_CLUSTER_NCTAID_X:
	case SREG_CLUSTER_NCTAID_Y:
	case SREG_CLUSTER_NCTAID_Z:
	case SREG_CLUSTER_NCTARANK:
		return 1;
	case SREG_IS_EXPLICIT_CLUSTER:
		return g->program->explicit_cluster;
	case SREG_ENVREG1:
		return g->workspace >> 32;
	case SREG_ENVREG2:
		return g->workspace;
	default:
		return 0;
	}
}

static uint64_t uniform_value(const struct issue *is, enum ptx_sreg sreg)
{
	const struct cta *cta = is->warp->cta;
	const struct grid *g = cta->grid;
	const struct exec_context *p = is->context;

	switch (sreg) {
	case SREG_NTID_X:
	case SREG_NTID_Y:
	case SREG_NTID_Z:
		return g->block[sreg - SREG_NTID_X];
	case SREG_CTAID_X:
	case SREG_CTAID_Y:
	case SREG_CTAID_Z:
		return cta->id[sreg - SREG_CTAID_X];
	case SREG_NCTAID_X:
	case SREG_NCTAID_Y:
	case SREG_NCTAID_Z:
		return g->grid[sreg - SREG_NCTAID_X];
	case SREG_WARPID:
		return p->warpid;
	case SREG_NWARPID:
		return p->nwarpid;
	case SREG_SMID:
		return p->smid;
	case SREG_NSMID:
		return p->nsmid;
	case SREG_GRIDID:
		return g->gridid;
	case SREG_CLOCK:
	case SREG_CLOCK64:
		return p->cycle;
	case SREG_CLOCK_HI:
		return p->cycle >> 32;
	case SREG_GLOBALTIMER:
	case SREG_GLOBALTIMER_LO:
		return p->cycle * p->period_ps / 1000;
	case SREG_GLOBALTIMER_HI:
		return (p->cycle * p->period_ps / 1000) >> 32;
	case SREG_DYNAMIC_SMEM_SIZE:
		return g->dynamic_shared_bytes;
	case SREG_SLOTS:
		return cta->slots_at;
	case SREG_TOTAL_SMEM_SIZE:
	case SREG_AGGR_SMEM_SIZE:
		return cta->shared_bytes;
	default:
		return rare_value(cta, sreg);
	}
}

static void move_lanes(uint32_t *to, const uint32_t *from, uint32_t mask)
{
	unsigned i;

	for (i = 0; i < WARP_LANES; i++)
		to[i] = mask >> i & 1 ? from[i] : to[i];
}

void exec_sreg(struct issue *is)
{
	enum ptx_sreg sreg = (enum ptx_sreg)is->instr->sreg;
	struct operand dst = is->instr->dst[0];
	uint32_t value[WARP_LANES], sink[2 * WARP_LANES];
	uint32_t *to = exec_destination(is->warp, dst, sink);
	uint64_t v = 0;

	if (sreg <= SREG_TID_Z) {
		fill_tid(is, value, sreg - SREG_TID_X);
		is->lanes->spread(to, value, 1, is->mask);
	} else if (sreg == SREG_LANEID || (sreg >= SREG_LANEMASK_EQ && sreg <= SREG_LANEMASK_GT)) {
		fill_lanes(value, sreg);
		is->lanes->spread(to, value, 1, is->mask);
	} else {
		v = uniform_value(is, sreg);
		is->lanes->fill(to, 1, (uint32_t)v, is->mask);
	}
	v = ptx_sreg_words(sreg) > 1 ? v >> 32 : 0;
	if (dst.words > 1)
		is->lanes->fill(to + WARP_LANES, 1, (uint32_t)v, is->mask);
}

/* ---- votes */

static bool vote_holds(enum warp_op op, uint32_t ballot, uint32_t mask)
{
	if (op == WARP_VOTE_ALL)
		return ballot == mask;
	if (op == WARP_VOTE_ANY)
		return ballot != 0;
	return ballot == mask || ballot == 0;
}

/* That of `bits` in the lanes `among`. */
static void vote(const struct issue *is, enum warp_op op, uint32_t bits, uint32_t among)
{
	const struct instr *in = is->instr;
	uint32_t ballot = bits & among;
	uint32_t sink[2 * WARP_LANES], value[WARP_LANES];

	if (op == WARP_VOTE_BALLOT) {
		fill(value, ballot);
		move_lanes(exec_destination(is->warp, in->dst[0], sink), value, is->mask);
		return;
	}
	exec_set_pred(
		is->warp, in->dst[0], vote_holds(op, ballot, among) ? FULL_MASK : 0, is->mask);
}

/* ---- shuffles (PTX ISA, shfl): c holds a clamp value and a segment mask */

/* The lane that `lane` reads; *inside: whether it is in the lane's segment. */
static unsigned shuffle_source(enum warp_op op, unsigned lane, uint32_t b, uint32_t c, bool *inside)
{
	uint32_t offset = b & 31, clamp = c & 31, segment = c >> 8 & 31;
	uint32_t high = (lane & segment) | (clamp & ~segment), low = lane & segment;
	int32_t j;

	switch (op) {
	case WARP_SHFL_UP:
		j = (int32_t)lane - (int32_t)offset;
		*inside = j >= (int32_t)high;
		break;
	case WARP_SHFL_DOWN:
		j = (int32_t)(lane + offset);
		*inside = j <= (int32_t)high;
		break;
	case WARP_SHFL_BFLY:
		j = (int32_t)(lane ^ offset);
		*inside = j <= (int32_t)high;
		break;
	default:
		j = (int32_t)(low | (offset & ~segment));
		*inside = j <= (int32_t)high;
	}
	return *inside ? (unsigned)j : lane;
}

static void shuffle(const struct issue *is, enum warp_op op)
{
	const struct instr *in = is->instr;
	const uint32_t *a = exec_source(is->warp, in->src[0]);
	const uint32_t *b = exec_source(is->warp, in->src[1]);
	const uint32_t *c = exec_source(is->warp, in->src[2]);
	uint32_t value[WARP_LANES], sink[2 * WARP_LANES], valid = 0;
	unsigned i;

	for (i = 0; i < WARP_LANES; i++) {
		bool inside;

		value[i] = a[shuffle_source(op, i, b[i], c[i], &inside)];
		valid |= (uint32_t)inside << i;
	}
	move_lanes(exec_destination(is->warp, in->dst[0], sink), value, is->mask);
	exec_set_pred(is->warp, in->dst[1], valid, is->mask);
}

/* ---- matches */

static void match(const struct issue *is, bool all, unsigned words)
{
	const struct instr *in = is->instr;
	const uint32_t *a = exec_source(is->warp, in->src[0]);
	const uint32_t *high = words > 1 ? a + WARP_LANES : exec_zeros;
	uint32_t value[WARP_LANES] = {0}, sink[2 * WARP_LANES], left, same, one = FULL_MASK;
	unsigned i, k;

	for (left = is->mask; left; left &= left - 1) {
		i = low_bit(left);
		for (same = 0, k = 0; k < WARP_LANES; k++)
			same |= (uint32_t)(a[k] == a[i] && high[k] == high[i]) << k;
		value[i] = same & is->mask;
		one &= value[i] == is->mask ? FULL_MASK : 0;
	}
	for (i = 0; all && i < WARP_LANES; i++)
		value[i] &= one;
	move_lanes(exec_destination(is->warp, in->dst[0], sink), value, is->mask);
	exec_set_pred(is->warp, in->dst[1], one, is->mask);
}

/* The lowest lane is elected. */
static void elect(const struct issue *is)
{
	const struct instr *in = is->instr;
	uint32_t value[WARP_LANES], sink[2 * WARP_LANES];

	if (!is->mask)
		return;
	fill(value, low_bit(is->mask));
	move_lanes(exec_destination(is->warp, in->dst[0], sink), value, is->mask);
	exec_set_pred(is->warp, in->dst[1], is->mask & (0u - is->mask), is->mask);
}

/* ---- reductions */

static uint32_t reduce_float(enum warp_op op, uint32_t x, uint32_t y)
{
	float a = float_of(x), b = float_of(y);

	switch (op) {
	case WARP_REDUX_MIN_F32:
	case WARP_REDUX_MIN_ABS_F32:
		return bits32(min32(a, b));
	case WARP_REDUX_MIN_NAN_F32:
	case WARP_REDUX_MIN_ABS_NAN_F32:
		return bits32(min_nan32(a, b));
	case WARP_REDUX_MAX_F32:
	case WARP_REDUX_MAX_ABS_F32:
		return bits32(max32(a, b));
	default:
		return bits32(max_nan32(a, b));
	}
}

static uint32_t reduce_two(enum warp_op op, uint32_t x, uint32_t y)
{
	switch (op) {
	case WARP_REDUX_ADD_U32:
	case WARP_REDUX_ADD_S32:
		return x + y;
	case WARP_REDUX_MIN_U32:
		return x < y ? x : y;
	case WARP_REDUX_MAX_U32:
		return x > y ? x : y;
	case WARP_REDUX_MIN_S32:
		return (int32_t)x < (int32_t)y ? x : y;
	case WARP_REDUX_MAX_S32:
		return (int32_t)x > (int32_t)y ? x : y;
	case WARP_REDUX_AND_B32:
		return x & y;
	case WARP_REDUX_OR_B32:
		return x | y;
	case WARP_REDUX_XOR_B32:
		return x ^ y;
	default:
		return reduce_float(op, x, y);
	}
}

static bool takes_magnitudes(enum warp_op op)
{
	return op == WARP_REDUX_MIN_ABS_F32 || op == WARP_REDUX_MIN_ABS_NAN_F32 ||
	       op == WARP_REDUX_MAX_ABS_F32 || op == WARP_REDUX_MAX_ABS_NAN_F32;
}

static void reduce(const struct issue *is, enum warp_op op)
{
	const struct instr *in = is->instr;
	const uint32_t *a = exec_source(is->warp, in->src[0]);
	uint32_t keep = takes_magnitudes(op) ? 0x7fffffffu : UINT32_MAX;
	uint32_t value[WARP_LANES], sink[2 * WARP_LANES], left, r;

	if (!is->mask)
		return;
	r = a[low_bit(is->mask)] & keep;
	/* the first lane is combined with itself when it is alone: a NaN becomes the canonical one
	 */
	if (op >= WARP_REDUX_MIN_F32)
		r = reduce_float(op, r, r);
	for (left = is->mask & (is->mask - 1); left; left &= left - 1)
		r = reduce_two(op, r, a[low_bit(left)] & keep);
	fill(value, r);
	move_lanes(exec_destination(is->warp, in->dst[0], sink), value, is->mask);
}

static void across(const struct issue *is)
{
	enum warp_op op = (enum warp_op)is->instr->op;
	uint32_t sink[2 * WARP_LANES], value[WARP_LANES];

	switch (op) {
	case WARP_ELECT:
		elect(is);
		break;
	case WARP_ACTIVEMASK:
		fill(value, is->mask);
		move_lanes(exec_destination(is->warp, is->instr->dst[0], sink), value, is->mask);
		break;
	case WARP_VOTE_ALL:
	case WARP_VOTE_ANY:
	case WARP_VOTE_UNI:
	case WARP_VOTE_BALLOT:
		vote(is, op, exec_pred(is->warp, is->instr, 0), is->mask);
		break;
	case WARP_SHFL_UP:
	case WARP_SHFL_DOWN:
	case WARP_SHFL_BFLY:
	case WARP_SHFL_IDX:
		shuffle(is, op);
		break;
	case WARP_MATCH_ANY_B32:
	case WARP_MATCH_ANY_B64:
		match(is, false, op == WARP_MATCH_ANY_B64 ? 2 : 1);
		break;
	case WARP_MATCH_ALL_B32:
	case WARP_MATCH_ALL_B64:
		match(is, true, op == WARP_MATCH_ALL_B64 ? 2 : 1);
		break;
	default:
		reduce(is, op);
	}
}

/* The operand that names the participating lanes, if there is one. Shuffles need none: each lane
 * reads another's register. */
static struct operand members_of(const struct instr *in)
{
	enum warp_op op = (enum warp_op)in->op;

	if (op == WARP_ACTIVEMASK || (op >= WARP_SHFL_UP && op <= WARP_SHFL_IDX))
		return (struct operand){.kind = OPND_NONE};
	return in->src[op == WARP_ELECT ? 0 : 1];
}

static bool votes(const struct instr *in)
{
	return in->op >= WARP_VOTE_ALL && in->op <= WARP_VOTE_BALLOT;
}

/* Lanes with different member masks form separate groups, although they execute together. A vote is
 * that of the lanes that the mask names, also where it does not name the lane itself. */
void exec_across(struct issue *is)
{
	struct operand members = members_of(is->instr);
	bool shuffles = is->instr->op >= WARP_SHFL_UP && is->instr->op <= WARP_SHFL_IDX;
	const uint32_t *named = exec_source(is->warp, members);
	uint32_t all = is->mask, left = all, group, i, bits;

	exec_check_members(is, shuffles && is->instr->nsrc > 3 ? is->instr->src[3] : members);
	if (members.kind != OPND_REG) {
		across(is);
		return;
	}
	bits = votes(is->instr) ? exec_pred(is->warp, is->instr, 0)
				: 0; /* may be the result's register */
	for (; left; left &= ~group) {
		for (group = 0, i = 0; i < WARP_LANES; i++)
			group |= (uint32_t)(named[i] == named[low_bit(left)]) << i;
		is->mask = group & left;
		if (votes(is->instr))
			vote(is, (enum warp_op)is->instr->op, bits, all & named[low_bit(left)]);
		else
			across(is);
	}
	is->mask = all;
}
