/* Says what an illegal act was, in a sentence. */
#include "ptx/exec.h"

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
	case FAULT_STACK:
		snprintf(out, n, "control flow nested deeper than the program can need");
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
			"%llu is no handle of a texture, sampler or surface as needed here",
			address);
		break;
	case FAULT_OUTSIDE_SURFACE:
		snprintf(out, n, "%u-byte access outside a surface, byte %d of row %d", f->bytes,
			(int32_t)(uint32_t)f->address, (int32_t)(f->address >> 32));
		break;
	case FAULT_LIVELOCK:
		snprintf(out, n, "warps that wait for each other for ever");
		break;
	case FAULT_NONE:
		snprintf(out, n, "no fault");
		break;
	}
}

void fault_describe(const struct fault *f, const struct program *program, char *out, size_t n)
{
	const struct src_line *line = NULL;
	size_t len;

	if (n == 0)
		return;
	describe_act(f, out, n);
	if (f->instr < program->ninstr && program->code[f->instr].line < program->nlines)
		line = &program->lines[program->code[f->instr].line];
	len = strlen(out);
	snprintf(out + len, n - len, ", thread (%u,%u,%u) of CTA (%u,%u,%u)", f->tid[0], f->tid[1],
		f->tid[2], f->ctaid[0], f->ctaid[1], f->ctaid[2]);
	len = strlen(out);
	if (line)
		snprintf(out + len, n - len, ", %s:%u:%u",
			line->ptx_file ? line->ptx_file : program->name, line->ptx_line,
			line->ptx_col);
}
