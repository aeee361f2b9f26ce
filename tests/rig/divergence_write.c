/* Writes random kernels as PTX. */
#include "tests/rig/divergence.h"

static const char *const names[] = {
	[OP_ADD] = "add.u32",
	[OP_SUB] = "sub.u32",
	[OP_MUL] = "mul.lo.u32",
	[OP_XOR] = "xor.b32",
	[OP_SHR] = "shr.u32",
	[OP_MAX] = "max.s32",
};

static void write_guard(const struct op *op, struct text *t)
{
	if (op->guard != NO_GUARD_HERE)
		text_raw(t, "@%s%%p%u ", op->negated ? "!" : "", op->guard);
}

static void write_plain(const struct op *op, struct text *t)
{
	if (op->kind == OP_LOAD)
		text_raw(t, "and.b32 %%t, %%r%u, %u;\nmad.wide.u32 %%a, %%t, 4, %%in;\n", op->a,
			DIVERGENCE_INPUTS - 1);
	write_guard(op, t);
	switch (op->kind) {
	case OP_SHR:
		text_raw(t, "shr.u32 %%r%u, %%r%u, %u;\n", op->d, op->a, op->imm % 32);
		break;
	case OP_MAD:
		text_raw(t, "mad.lo.u32 %%r%u, %%r%u, %u, %%r%u;\n", op->d, op->a, op->imm, op->b);
		break;
	case OP_SELECT:
		text_raw(t, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", op->d, op->a, op->b, op->c);
		break;
	case OP_COMPARE:
		text_raw(t, "setp.lt.s32 %%p%u, %%r%u, %%r%u;\n", op->d, op->a, op->b);
		break;
	case OP_LOAD:
		text_raw(t, "ld.global.u32 %%r%u, [%%a];\n", op->d);
		break;
	case OP_CALL:
		text_raw(t, "call (%%r%u), f%u, (%%r%u, %%r%u);\n", op->d, op->c, op->a, op->b);
		break;
	default:
		text_raw(t, "%s %%r%u, %%r%u, %%r%u;\n", names[op->kind], op->d, op->a, op->b);
		break;
	}
}

static void write_back(const struct op *op, const char *place, struct text *t)
{
	text_raw(t, "sub.s32 %%fuel, %%fuel, 1;\nsetp.gt.s32 %%q, %%fuel, 0;\n");
	if (op->a < DIVERGENCE_COUNTERS)
		text_raw(t, "setp.gt.and.s32 %%q, %%c%u, 0, %%q;\nsub.s32 %%c%u, %%c%u, 1;\n",
			op->a, op->a, op->a);
	if (op->guard != NO_GUARD_HERE)
		text_raw(t, "%s.pred %%s, %%p%u;\nand.pred %%q, %%q, %%s;\n",
			op->negated ? "not" : "mov", op->guard);
	text_raw(t, "@%%q bra L%s_%u;\n", place, op->target);
}

static void write_body(const struct body *b, const char *place, struct text *t)
{
	text_raw(t, "mov.u32 %%fuel, %u;\n", b->fuel);
	for (unsigned i = 0; i < b->n; i++) {
		const struct op *op = &b->ops[i];

		text_raw(t, "L%s_%u:\n", place, i);
		if (op->kind < OP_PLAIN)
			write_plain(op, t);
		else if (op->kind == OP_COUNT)
			text_raw(t, "and.b32 %%c%u, %%r%u, 3;\n", op->d, op->a);
		else if (op->kind == OP_BACK)
			write_back(op, place, t);
		if (op->kind == OP_RETURN)
			text_raw(t, "mov.u32 z, %%r0;\n");
		if (op->kind == OP_JUMP || op->kind == OP_RETURN || op->kind == OP_EXIT)
			write_guard(op, t);
		if (op->kind == OP_JUMP)
			text_raw(t, "bra L%s_%u;\n", place, op->target);
		else if (op->kind == OP_RETURN || op->kind == OP_EXIT)
			text_raw(t, op->kind == OP_EXIT ? "exit;\n" : "ret;\n");
	}
}

/* Registers, and initial values of x and y. */
static void write_start(struct text *t)
{
	text_raw(t, ".reg .pred %%p<9>, %%q, %%s;\n.reg .u32 %%r<20>, %%c<9>, %%fuel, %%t, %%x, "
		    "%%y;\n.reg .u64 %%a, %%in;\nmov.u64 %%in, 268435456;\n");
}

static void write_values(struct text *t)
{
	for (unsigned i = 0; i < DIVERGENCE_REGS; i++)
		text_raw(t, "mad.lo.u32 %%r%u, %%x, %u, %%y;\nxor.b32 %%r%u, %%r%u, %u;\n", i,
			2654435761u * (i + 1), i, i, 0x9e37u * i);
	for (unsigned i = 0; i < DIVERGENCE_PREDS; i++)
		text_raw(t, "setp.lt.s32 %%p%u, %%r%u, %%r%u;\n", i, i, i + 3);
	for (unsigned i = 0; i < DIVERGENCE_COUNTERS; i++)
		text_raw(t, "mov.u32 %%c%u, 2;\n", i);
}

/* All threads synchronise: a value from another thread, and how many vote true. */
static void write_synchronised(unsigned i, struct text *t)
{
	text_raw(t,
		"st.shared.u32 [%%mine], %%r%u;\nbar.sync 0;\nld.shared.u32 %%r%u, [%%other];\n"
		"bar.red.popc.u32 %%t, 0, %%p%u;\nadd.u32 %%r%u, %%r%u, %%t;\n",
		i, i + 1, i % DIVERGENCE_PREDS, i, i);
}

/* In every other segment the lanes of a warp take one of two copies. */
static void write_exchange(unsigned i, struct text *t)
{
	if (i % 2) {
		write_synchronised(i, t);
		return;
	}
	text_raw(t, "@%%p%u bra COPY%u;\n", (i + 1) % DIVERGENCE_PREDS, i);
	write_synchronised(i, t);
	text_raw(t, "bra BOTH%u;\nCOPY%u:\n", i, i);
	write_synchronised(i, t);
	text_raw(t, "BOTH%u:\n", i);
}

static void write_function(const struct random_kernel *k, unsigned i, struct text *t)
{
	char place[8] = {'f', (char)('0' + i), 0};

	text_raw(t, ".func (.reg .u32 z) f%u(.reg .u32 x, .reg .u32 y)\n{\n", i);
	write_start(t);
	text_raw(t, "mov.u32 %%x, x;\nmov.u32 %%y, y;\n");
	write_values(t);
	write_body(&k->functions[i], place, t);
	text_raw(t, "add.u32 z, %%r0, %%r1;\nret;\n}\n");
}

static void write_results(struct text *t)
{
	text_raw(t, "mov.u32 %%t, %%tid.x;\nmul.wide.u32 %%a, %%t, %u;\nadd.u64 %%a, %%a, %%in;\n",
		4 * DIVERGENCE_WORDS);
	for (unsigned i = 0; i < DIVERGENCE_REGS; i++)
		text_raw(t, "st.global.u32 [%%a+%u], %%r%u;\n", 4 * (DIVERGENCE_INPUTS + i), i);
	text_raw(t, "mov.u32 %%t, 0;\n");
	for (unsigned i = 0; i < DIVERGENCE_PREDS; i++)
		text_raw(t, "@%%p%u add.u32 %%t, %%t, %u;\n", i, 1u << i);
	text_raw(t, "st.global.u32 [%%a+%u], %%t;\nret;\n}\n",
		4 * (DIVERGENCE_INPUTS + DIVERGENCE_REGS));
}

void divergence_write(const struct random_kernel *k, struct text *t)
{
	text_raw(t, ".version 7.0\n.target sm_70\n.address_size 64\n");
	for (unsigned i = DIVERGENCE_FUNCTIONS; i-- > 0;)
		write_function(k, i, t);
	text_raw(t, ".entry k(.param .u64 out)\n{\n.shared .u32 slots[%u];\n", DIVERGENCE_THREADS);
	write_start(t);
	text_raw(t,
		".reg .u32 %%mine, %%other, %%rounds;\nmov.u32 %%x, %%tid.x;\nmov.u32 %%y, 77;\n"
		"shl.b32 %%mine, %%x, 2;\nmad.lo.u32 %%other, %%x, 7, 5;\nrem.u32 %%other, "
		"%%other, "
		"%u;\nshl.b32 %%other, %%other, 2;\nmov.u32 %%t, slots;\nadd.u32 %%mine, %%mine, "
		"%%t;\nadd.u32 %%other, %%other, %%t;\nst.shared.u32 [%%mine], %%x;\n"
		"bar.sync 0;\n",
		DIVERGENCE_THREADS);
	write_values(t);
	for (unsigned i = 0; i < k->nsegments; i++) {
		char place[8] = {(char)('0' + i), 0};

		if (i == k->repeat_first)
			text_raw(t, "mov.u32 %%rounds, %u;\nAGAIN:\n", k->repeats);
		write_body(&k->segments[i], place, t);
		write_exchange(i, t);
		if (i == k->repeat_last)
			text_raw(t,
				"sub.u32 %%rounds, %%rounds, 1;\nsetp.ne.u32 %%q, %%rounds, 0;\n"
				"@%%q bra AGAIN;\n");
	}
	write_results(t);
}
