/* Describes a fault in a sentence. */
#include "ptx/exec/exec.h"

#include <stdio.h>
#include <string.h>

static const char *act_of(const struct fault *f)
{
	switch (f->action) {
	case ACT_LOAD:
	case ACT_PRINT:
		return "load from";
	case ACT_STORE:
		return "store to";
	default:
		return "atomic on";
	}
}

static void describe_act(const struct fault *f, char *out, size_t n)
{
	unsigned long long address = (unsigned long long)f->address;
	const char *space = ptx_space_name((enum ptx_space)f->space);

	switch (f->kind) {
	case FAULT_OUT_OF_BOUNDS:
		snprintf(out, n, "out-of-bounds %u-byte %s %s address 0x%llx", f->bytes, act_of(f),
			space, address);
		break;
	case FAULT_MISALIGNED:
		snprintf(out, n, "misaligned %u-byte %s %s address 0x%llx", f->bytes, act_of(f),
			space, address);
		break;
	case FAULT_TRAP:
		snprintf(out, n, "trap");
		break;
	case FAULT_ASSERT:
	case FAULT_FREE:
		snprintf(out, n, "%s", f->text);
		break;
	case FAULT_STACK:
		snprintf(out, n, "control flow nested deeper than the program's stack");
		break;
	case FAULT_DIVERGED_BARRIER:
		snprintf(out, n, "barrier that can never complete");
		break;
	case FAULT_BAD_TARGET:
		if (f->action == ACT_BARRIER)
			snprintf(out, n,
				"barrier number above 15 or thread count not a multiple of 32 "
				"(%llu)",
				address);
		else
			snprintf(out, n, "jump to instruction %llu, which does not exist", address);
		break;
	case FAULT_BAD_HANDLE:
		snprintf(out, n,
			"%llu is not a handle of the object (texture, sampler or surface) needed here",
			address);
		break;
	case FAULT_OUTSIDE_SURFACE:
		snprintf(out, n, "%u-byte access outside a surface, byte %d of row %d", f->bytes,
			(int32_t)(uint32_t)f->address, (int32_t)(f->address >> 32));
		break;
	case FAULT_LIVELOCK:
		snprintf(out, n, "livelock: warps wait for each other forever");
		break;
	case FAULT_NONE:
		snprintf(out, n, "no fault");
		break;
	}
}

/* "file:line:col" of an instruction and, where it is known, the line of CUDA-C; nothing when it is
 * unknown. */
static void describe_place(
	const struct program *program, uint32_t instr, const char *before, char *out, size_t n)
{
	size_t len = strlen(out);
	const struct src_line *line;
	const char *cuda;

	if (instr >= program->ninstr || program->code[instr].line >= program->nlines)
		return;
	line = &program->lines[program->code[instr].line];
	snprintf(out + len, n - len, "%s%s:%u:%u", before,
		line->ptx_file ? line->ptx_file : program->name, line->ptx_line, line->ptx_col);
	cuda = program_cuda_file(program, line);
	len = strlen(out);
	if (cuda)
		snprintf(out + len, n - len, " (%s:%u)", cuda, line->cuda_line);
}

static const char *warps(uint32_t n)
{
	return n == 1 ? "warp" : "warps";
}

/* The arrivals that the barrier lacks, and where the missing warps are. */
static void describe_barrier(
	const struct fault_barrier *b, const struct program *program, char *out, size_t n)
{
	size_t len = strlen(out);

	snprintf(out + len, n - len, "; barrier %u: %u of %u %s%s arrived", b->id, b->arrived,
		b->expected, warps(b->expected), b->whole ? " that have not exited have" : " have");
	for (uint32_t i = 0; i < b->n; i++) {
		len = strlen(out);
		snprintf(out + len, n - len, "; %u %s at barrier %u", b->at[i].warps,
			b->at[i].warps == 1 ? "warp waits" : "warps wait", b->at[i].id);
		describe_place(program, b->at[i].instr, ", ", out, n);
	}
	len = strlen(out);
	if (b->more)
		snprintf(out + len, n - len, "; %u %s wait elsewhere", b->more, warps(b->more));
	len = strlen(out);
	if (b->exited)
		snprintf(out + len, n - len, "; %u %s of the CTA %s exited", b->exited,
			warps(b->exited), b->exited == 1 ? "has" : "have");
}

/* An index or address that is none of the targets of a branch or call. */
static void describe_target(
	const struct fault *f, const struct program *program, char *out, size_t n)
{
	const struct src_line *line =
		f->instr < program->ninstr ? &program->lines[program->code[f->instr].line] : NULL;
	unsigned long long value = (unsigned long long)f->address;

	if (line && line->opcode && !strncmp(line->opcode, "call", 4))
		snprintf(out, n,
			"call of 0x%llx, which is not the address of a function of that type",
			value);
	else
		snprintf(out, n, "branch to target %llu of a list of %u: the index must be 0 .. %u",
			value, f->targets, f->targets - 1);
}

void fault_describe(const struct fault *f, const struct program *program, char *out, size_t n)
{
	size_t len;

	if (n == 0)
		return;
	if (f->targets)
		describe_target(f, program, out, n);
	else
		describe_act(f, out, n);
	len = strlen(out);
	snprintf(out + len, n - len, ", thread (%u,%u,%u) of CTA (%u,%u,%u)", f->tid[0], f->tid[1],
		f->tid[2], f->ctaid[0], f->ctaid[1], f->ctaid[2]);
	describe_place(program, f->instr, ", ", out, n);
	if (f->kind == FAULT_DIVERGED_BARRIER)
		describe_barrier(&f->barrier, program, out, n);
}
