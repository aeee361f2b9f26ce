/* Private to ptx/: what a compiled module keeps for linking. */
#ifndef PTX_COMPILE_MODULE_H
#define PTX_COMPILE_MODULE_H

#include "ptx/ir/frames.h"

/* A constant of a program that is the address of a module variable. */
struct const_patch {
	struct const_patch *next;
	struct program *program;
	uint32_t index, words; /* planes */
	uint32_t var;
	uint64_t addend;
};

/* An address inside a variable's initial data. */
struct data_patch {
	struct data_patch *next;
	uint64_t offset, addend;
	uint32_t var; /* the variable whose address it is; NO_VREG: the number is in addend (a
			 function's address) */
	uint8_t bytes, shift;
};

struct module_patch {
	struct const_patch *consts;
	struct data_patch **data; /* by variable */
};

/* ptx/compile/decode.c: decodes the kernel's program; *code is its code, which the caller may
 * change. 0, or -1 with a message. */
int decode_kernel(struct ir_module *, const struct frames *, struct program *, struct instr **code);

/* ---- limits of registers and slots: of all kernels, and of single ones (ptx/compile/limits.c). */
#define MAX_REGS 255u
struct limits {
	uint32_t max_regs;
	bool all_regs; /* there are MAX_REGS for all, whatever else is said */
	struct spill_options spill;
	const struct kernel_limit *kernels;
	unsigned nkernels;
	resident_regs_fn *resident;
	void *resident_ctx;
};

/* What .maxntid (or .reqntid) and .minnctapersm leave a thread. */
struct resident_limit {
	uint32_t regs; /* 0: they do not limit it */
	bool ignored;  /* .minnctapersm is */
};
struct resident_limit limits_resident(const struct limits *, const struct ast_function *);

/* The registers of a function, at most, with its own directives. */
uint32_t limits_regs(const struct limits *, const struct ir_function *);
struct spill_options limits_spill(const struct limits *, const struct ir_function *);

#endif
