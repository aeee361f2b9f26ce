/* Code of spill slots in shared memory: the pointer at the kernel's entry, accesses, and moves
 * around calls (Hayes and Zhang, ICS 2014, section 3.2.1).
 *
 * Slot s of lane l of a CTA's warp w is at base + w * 128 * S + s * 128 + l * 4, S being the slots
 * of a thread: an access of a warp is one row of banks, and a slot is a constant offset from the
 * thread's pointer. */
#include "ptx/compile/decode.h"

#include <string.h>

/* ---- the kernel's entry. */

/* Flat thread index within the CTA, in a register that only grows: CTAs of one dimension need a
 * directive that says so, since a kernel can be launched with any other. */
static bool has_one_dimension(const struct program *p)
{
	return (p->reqntid[0] && p->reqntid[1] <= 1 && p->reqntid[2] <= 1) ||
	       (p->maxntid[0] && p->maxntid[1] == 1 && p->maxntid[2] == 1);
}

uint32_t slots_entry_instrs(const struct decode *d)
{
	return has_one_dimension(d->program) ? 5 : 11;
}

static struct ir_value number(uint64_t bits)
{
	return (struct ir_value){.kind = IR_CONST, .words = 1, .bits = bits};
}

static struct operand word(uint32_t reg)
{
	return (struct operand){OPND_REG, 1, (uint16_t)reg};
}

/* Source position of the kernel. */
static struct src_line entry_line(const struct decode *d, const char *opcode)
{
	const struct ast_function *a = d->m->functions[d->frames->kernel].ast;
	struct src_line line;

	memset(&line, 0, sizeof(line));
	line.ptx_file = a->file;
	line.opcode = opcode;
	line.ptx_line = a->pos.line;
	line.ptx_col = a->pos.col;
	return line;
}

static void read_special(struct decode *d, uint32_t to, unsigned sreg)
{
	struct src_line line = entry_line(d, "mov.u32");
	struct instr i = {.action = ACT_SREG,
		.unit = UNIT_ALU,
		.op_class = op_class_of_unit(UNIT_ALU, 0),
		.guard = NO_GUARD,
		.reconv = NO_RECONV,
		.ndst = 1,
		.dst = {word(to)},
		.sreg = (uint8_t)sreg};

	decode_add(d, &i, &line);
}

static void compute(
	struct decode *d, const char *opcode, uint32_t to, const struct operand *src, unsigned nsrc)
{
	struct src_line line = entry_line(d, opcode);
	struct form_match form;
	struct instr i = {.guard = NO_GUARD, .reconv = NO_RECONV, .ndst = 1, .dst = {word(to)}};
	char why[128];
	bool unsupported;

	BUG_ON(form_match(opcode, &form, why, sizeof(why), &unsupported));
	i.op = form.op;
	i.action = ACT_LANES;
	i.unit = UNIT_ALU;
	i.op_class = op_class_of_unit(UNIT_ALU, form.op_class);
	i.nsrc = (uint8_t)nsrc;
	memcpy(i.src, src, nsrc * sizeof(*src));
	decode_add(d, &i, &line);
}

static void multiply_add(
	struct decode *d, uint32_t to, struct operand a, struct operand b, struct operand c)
{
	const struct operand src[] = {a, b, c};

	compute(d, "mad.lo.u32", to, src, ARRAY_LEN(src));
}

/* pointer = pointer * ntid + tid */
static void next_dimension(struct decode *d, uint32_t pointer, unsigned dimension)
{
	read_special(d, 0, SREG_NTID_X + dimension);
	read_special(d, 1, SREG_TID_X + dimension);
	multiply_add(d, pointer, word(pointer), word(0), word(1));
}

/* pointer = base + 4 * thread + (thread & ~31) * (4 * S - 4). No register holds a value yet. */
void slots_entry(struct decode *d)
{
	uint32_t pointer = d->program->slot_pointer;
	struct ir_value lanes = number(~(uint64_t)(WARP_LANES - 1) & UINT32_MAX);
	struct ir_value row = number(4 * (uint64_t)d->m->plan->words - 4), four = number(4);
	struct operand whole[2];

	BUG_ON(pointer < 2);
	d->function = d->frames->kernel;
	d->f = &d->m->functions[d->function];
	if (has_one_dimension(d->program)) {
		read_special(d, pointer, SREG_TID_X);
	} else {
		read_special(d, pointer, SREG_TID_Z);
		next_dimension(d, pointer, 1);
		next_dimension(d, pointer, 0);
	}
	whole[0] = word(pointer);
	whole[1] = decode_value(d, &lanes);
	compute(d, "and.b32", 0, whole, ARRAY_LEN(whole));
	read_special(d, 1, SREG_SLOTS);
	multiply_add(d, pointer, word(pointer), decode_value(d, &four), word(1));
	multiply_add(d, pointer, word(0), decode_value(d, &row), word(pointer));
}

/* ---- accesses. */

static uint32_t words_of(const struct ir_function *f, uint32_t slot)
{
	return f->words[slot] & ~(IR_SLOT | IR_SHARED);
}

static const struct slot_frame *frame_of(const struct decode *d)
{
	return &d->m->plan->frame[d->function];
}

/* Makes `out` the access of one word of the current frame. */
static void aim(const struct decode *d, struct instr *out, uint32_t at, struct operand reg)
{
	bool load = out->action == ACT_LOAD;

	out->slot = true;
	out->space = SPACE_SHARED;
	out->mem_type = T_B32;
	out->vec = 1;
	out->address_words = 1;
	out->offset = (int64_t)SLOT_ROW * (frame_of(d)->base + at);
	out->ndst = load;
	out->nsrc = load ? 1 : 2;
	out->src[0] = word(d->program->slot_pointer);
	if (load)
		out->dst[0] = reg;
	else
		out->src[1] = reg;
}

void slots_access(struct decode *d, const struct ir_instr *i, struct instr *out)
{
	bool load = i->shape == IR_FILL;
	uint32_t slot = load ? i->src[0].index : i->dst[0].index;
	struct operand value = decode_value(d, load ? &i->dst[0] : &i->src[0]);
	struct src_line line = decode_line(d, i);

	line.opcode = load ? "ld.shared.b32" : "st.shared.b32";
	for (uint32_t w = 0; w < words_of(d->f, slot); w++) {
		struct operand part = {value.kind, 1, (uint16_t)(value.index + w)};
		struct instr one = *out;

		aim(d, &one, d->f->location[slot] + w, part);
		decode_add(d, &one, &line);
		d->program->slot_loads += load;
		d->program->slot_stores += !load;
	}
}

/* ---- calls. */

uint32_t slots_more_instrs(const struct decode *d, uint32_t function, uint32_t instr)
{
	const struct ir_function *f = &d->m->functions[function];
	const struct ir_instr *i = &f->code[instr];
	uint32_t n;

	if (slots_in_shared(f, i))
		return words_of(f, i->shape == IR_FILL ? i->src[0].index : i->dst[0].index) - 1;
	if (i->action != ACT_CALL)
		return 0;
	slots_moves(d->m->plan, d->m, function, instr, &n);
	return 4 * n;
}

/* A word to another slot of the frame, in all lanes: each has slots of its own, so that lanes which
 * do not call move theirs there and back. */
static void move(struct decode *d, const struct ir_instr *i, uint32_t from, uint32_t to)
{
	struct src_line line = decode_line(d, i);
	struct instr load = {.action = ACT_LOAD,
		.unit = UNIT_MEMORY,
		.op_class = op_class_of_unit(UNIT_MEMORY, 0),
		.guard = NO_GUARD,
		.reconv = NO_RECONV};
	struct instr store = load;
	struct operand passes = word(d->program->slot_pointer + 1);

	line.spill = line.move = true;
	line.opcode = "ld.shared.b32";
	aim(d, &load, from, passes);
	decode_add(d, &load, &line);
	store.action = ACT_STORE;
	line.opcode = "st.shared.b32";
	aim(d, &store, to, passes);
	decode_add(d, &store, &line);
}

void slots_call(struct decode *d, const struct ir_instr *i, const struct instr *call)
{
	uint32_t n, instr = (uint32_t)(i - d->f->code);
	const struct slot_move *m = slots_moves(d->m->plan, d->m, d->function, instr, &n);
	struct src_line line = decode_line(d, i);

	for (uint32_t k = 0; k < n; k++)
		move(d, i, m[k].from, m[k].to);
	decode_add(d, call, &line);
	for (uint32_t k = 0; k < n; k++)
		move(d, i, m[k].to, m[k].from);
}
