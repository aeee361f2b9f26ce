/* Sinks copies to just before the source is overwritten; until then both names hold one value and
 * share a register. A loop that copies values for the next iteration at its begin would need one
 * more register for each. */
#include "ptx/ir/ir.h"

#include <string.h>

#define AHEAD 1024u /* instructions searched for each copy */

static bool is_reg(const struct ir_value *v, uint32_t vreg)
{
	return v->kind == IR_REG && v->index == vreg;
}

static bool is_copy(const struct ir_function *f, const struct ir_instr *i)
{
	return i->shape == IR_COPY && i->guard == NO_VREG && i->dst[0].kind == IR_REG &&
	       i->src[0].kind == IR_REG && i->dst[0].index != i->src[0].index &&
	       f->words[i->dst[0].index] == f->words[i->src[0].index] && i->dst[0].words != 0;
}

/* The instruction before which the copy must be; the copy itself if it does not move. */
static uint32_t find_end(const struct ir_function *f, uint32_t at, uint32_t end)
{
	uint32_t to = f->code[at].dst[0].index, from = f->code[at].src[0].index;

	for (uint32_t i = at + 1; i < end && i - at < AHEAD; i++) {
		if (f->code[i].action == ACT_RET || ir_writes(&f->code[i], to))
			return at;
		if (ir_writes(&f->code[i], from))
			return i;
	}
	return at;
}

static void rename(struct ir_instr *i, uint32_t from, uint32_t to)
{
	for (unsigned s = 0; s < i->nsrc; s++)
		if (is_reg(&i->src[s], from))
			i->src[s].index = to;
}

static void delay(struct ir_function *f, uint32_t at, uint32_t end)
{
	struct ir_instr copy = f->code[at];
	uint32_t n = end - at - 1;

	memmove(&f->code[at], &f->code[at + 1], n * sizeof(copy));
	f->code[end - 1] = copy;
	for (uint32_t i = at; i < end - 1; i++)
		rename(&f->code[i], copy.dst[0].index, copy.src[0].index);
}

void sink_copies(struct ir_function *f)
{
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t i = f->blocks[b].end; i-- > f->blocks[b].first;) {
			uint32_t end;

			if (!is_copy(f, &f->code[i]))
				continue;
			end = find_end(f, i, f->blocks[b].end);
			if (end > i + 1)
				delay(f, i, end);
		}
}
