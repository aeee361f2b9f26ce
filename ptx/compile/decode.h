/* Private to ptx/compile/: the decoding of one kernel. */
#ifndef PTX_COMPILE_DECODE_H
#define PTX_COMPILE_DECODE_H

#include "ptx/alloc/slots.h"
#include "ptx/compile/module.h"

/* A constant, or the address of a module variable (var), in one or two planes. */
struct pool_entry {
	uint64_t bits;
	uint32_t var;   /* NO_VREG: a number */
	uint32_t index; /* first plane */
	uint8_t words;
};

struct pool {
	struct pool_entry *entry;
	uint32_t n, cap, planes;
	uint32_t *slot, nslots; /* 1 + entry */
};

struct decode {
	struct ir_module *m;
	const struct frames *frames;
	struct program *program;
	uint32_t function; /* current function */
	const struct ir_function *f;
	const struct frame_base *base;
	uint32_t **at; /* by function, by instruction: its index in the code */
	struct shared_vars *shared;
	struct instr *code;
	struct src_line *lines;
	uint32_t *targets; /* of indexed branches */
	uint32_t n, nlines, ntargets;
	struct pool pool;
};

/* ptx/compile/decode.c */
struct operand decode_value(struct decode *, const struct ir_value *);
/* The source line of an instruction; compared as bytes. */
struct src_line decode_line(const struct decode *, const struct ir_instr *);
/* Appends an instruction to the code. */
void decode_add(struct decode *, const struct instr *, const struct src_line *);

/* ptx/compile/decode_slots.c: spill slots in shared memory, of kernels with a slot plan.
 * The kernel's first instructions, which compute the pointer to the thread's slots, and how many
 * they are. */
uint32_t slots_entry_instrs(const struct decode *);
void slots_entry(struct decode *);
/* Instructions that an instruction of a function becomes beyond its own. */
uint32_t slots_more_instrs(const struct decode *, uint32_t function, uint32_t instr);
/* Whether it is an access to a slot in shared memory. */
static inline bool slots_in_shared(const struct ir_function *f, const struct ir_instr *i)
{
	if (i->shape == IR_FILL)
		return f->words[i->src[0].index] & IR_SHARED;
	return i->shape == IR_SPILL && f->words[i->dst[0].index] & IR_SHARED;
}
/* Appends the access, one instruction for each word; `out` has its plain fields. */
void slots_access(struct decode *, const struct ir_instr *, struct instr *out);
/* Appends a call, with the moves before and behind it. */
void slots_call(struct decode *, const struct ir_instr *, const struct instr *call);

#endif
