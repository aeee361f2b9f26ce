/* Private to ptx/: the intermediate representation between syntax tree and decoded program:
 * functions of instructions over virtual registers, their basic blocks, and the storage of
 * variables. */
#ifndef PTX_IR_IR_H
#define PTX_IR_IR_H

#include "core/base.h"
#include "ptx/front/ast.h"
#include "ptx/front/note.h"

#define NO_VREG UINT32_MAX
#define NO_BLOCK UINT32_MAX
#define IR_TARGETS (1u << 20)
#define NO_TARGET UINT32_MAX

/* In ir_function.words: the virtual register is a spill slot of the frame, with that number of
 * words. */
#define IR_SLOT 4u
/* With IR_SLOT: it is in shared memory, not in the frame of local memory. */
#define IR_SHARED 8u

enum ir_kind {
	IR_NONE,  /* a sink, or no base */
	IR_REG,   /* virtual register `index`; words 0: a predicate */
	IR_CONST, /* `bits` */
	IR_VAR,   /* address of variable `index` plus `bits`; as a base: the variable itself */
	IR_CALLEE /* virtual register `index` of function `bits`: an argument or a result of a call
		   */
};

struct ir_value {
	uint8_t kind;
	uint8_t words; /* 32-bit registers; 0: a predicate */
	uint32_t index;
	uint64_t bits;
};

/* What the compiler must know about an instruction beyond its action. */
enum ir_shape {
	IR_PLAIN,
	IR_COPY,   /* dst[0] = src[0], same words: deleted when both have the same location */
	IR_PACK,   /* dst[0] (two words) = { src[0], src[1] } */
	IR_UNPACK, /* { dst[0], dst[1] } = src[0] (two words) */
	IR_FILL,   /* dst[0] = spill slot src[0] */
	IR_SPILL,  /* spill slot dst[0] = src[0] */
	IR_OWN,    /* inserted: rematerialised, or spill code of a predicate */
	IR_GONE    /* deleted */
};

struct ir_instr {
	uint16_t op;
	uint8_t action, unit, op_class, shape;
	uint8_t ndst, nsrc;
	uint8_t space, mem_type, vec, atom_op, cache_op, barrier, sreg, address_words;
	uint8_t src_negated; /* bit i: predicate source i */
	uint8_t work;        /* for each thread: ptx/isa/operations.h */
	uint8_t fresh;       /* bit i: no earlier value of dst[i] reaches this instruction */
	bool uniform, guard_negated;
	bool waits; /* waits for all threads of the CTA: a barrier, or a call that leads to one */
	uint32_t guard;              /* virtual register, or NO_VREG */
	uint32_t target;             /* branch: instruction; call: function */
	uint32_t *targets, ntargets; /* indexed branch, by src[0]; NO_TARGET: a fault */
	int64_t offset;              /* memory */
	const char *opcode;          /* of the statement; NULL: inserted by the compiler */
	struct ast_pos pos;
	struct ast_loc loc;
	struct ir_value dst[INSTR_DSTS], src[INSTR_SRCS];
};

/* Instructions first .. end - 1; of two successors the fall-through block comes first. */
struct ir_block {
	uint32_t first, end;
	uint32_t *succ, nsucc;
	uint32_t ipdom;  /* immediate post-dominator, NO_BLOCK: the virtual exit */
	uint32_t reconv; /* reconvergence point of a divergent branch: the immediate post-dominator
			    on the path to the chosen exit; NO_BLOCK: none */
	uint32_t order;  /* index in reverse postorder from the entry */
	bool exits;      /* leaves the function */
	bool waits;      /* its last instruction waits for the CTA */
};

struct ir_call {
	uint32_t instr, callee;
	uint32_t live;        /* 32-bit registers of the caller that are live across the call */
	uint32_t regs, preds; /* register numbers of the caller below which all of these are */
};

struct ir_function {
	const struct ast_function *ast;
	bool failed;
	bool waits;                      /* calls of it wait for the CTA */
	bool spills;                     /* has spill code or rematerialised values */
	const struct ir_function *plain; /* if so: the function without spill code */
	struct ir_instr *code;
	uint32_t ninstr, code_cap;
	uint8_t *words; /* of each virtual register: 0 predicate, 1, 2; with IR_SLOT: in memory */
	uint32_t nvregs, vregs_cap;
	uint32_t *reg_base;        /* AST register index -> first virtual register */
	uint32_t *in, nin;         /* defined at the entry: formal parameters */
	uint32_t *out, nout;       /* read by ret: results */
	uint32_t relay, relay_end; /* registers of call sequences' .param variables */
	uint32_t carry;            /* the carry flag's predicate plus one; 0: there is none */
	uint64_t frame_bytes;
	uint32_t frame_align;
	uint64_t slots_at; /* in the frame: offset of the spill slots, 4 bytes for each word */
	struct ir_block *blocks; /* reachable ones, text order; block 0 is the entry */
	uint32_t nblocks;
	uint32_t branches; /* that can diverge */
	uint32_t ntargets; /* of all indexed branches, at most IR_TARGETS: they can share a long
			      list */
	struct ir_call *calls;
	uint32_t ncalls;
	uint32_t max_live;    /* in 32-bit registers, without callees */
	uint32_t max_preds;   /* predicates live at once */
	uint16_t *location;   /* virtual register -> physical register, from 0 in this function */
	uint32_t regs, preds; /* registers used */
};

enum var_location {
	LOCATION_MODULE, /* device memory; `index` of module.vars */
	LOCATION_SHARED,
	LOCATION_DYNAMIC, /* extern .shared of unknown size */
	LOCATION_FRAME,   /* .local at `offset` of its function's frame */
	LOCATION_PARAM,   /* a kernel's parameter at `offset` */
	LOCATION_REGS,    /* a .param of a function or call: virtual registers from `index` on */
	LOCATION_NOWHERE  /* declared, but not defined */
};

struct ir_var {
	const struct ast_symbol *symbol;
	uint8_t location;
	uint8_t touched; /* how a .param variable is accessed: bits TOUCH_* */
	uint8_t element; /* of LOCATION_REGS: bytes of each register, 4 or 8 */
	uint32_t owner;  /* function, or NO_VREG */
	uint32_t same;   /* union-find parent: variables bound to each other by calls */
	uint32_t index;
	uint64_t offset;
	uint64_t largest; /* of a union-find root: bytes of its largest member */
};

enum { TOUCH_WORD = 1, TOUCH_DOUBLE = 2, TOUCH_MEMORY = 4 };

struct var_slot {
	const struct ast_symbol *symbol;
	uint32_t index;
};

/* The shared variables used by the kernel that is being decoded. */
struct shared_vars {
	uint64_t *offset; /* by variable: offset in shared memory, plus one; 0: not used */
	uint32_t *list, n;
};

struct ir_module {
	const struct ast_module *ast;
	struct module *out;
	struct arena *arena; /* of the result */
	struct arena *work;  /* freed after compilation */
	struct arena *trial; /* freed after each kernel that spills */
	struct notes notes;
	bool keep_order;  /* do not reorder instructions for register pressure */
	bool wide_shared; /* shared variables are aligned for vectors as large as they are */
	bool any_bank;    /* do not renumber registers against bank conflicts */
	struct ir_function *functions;
	uint32_t nfunctions;
	struct ir_var *vars;
	uint32_t nvars;
	uint64_t local_bytes;   /* .local variables at module scope, below all kernels' frames */
	struct var_slot *slots; /* hash table of symbols */
	uint32_t nslots;
	struct known_form *forms; /* ptx/ir/lower_form.c: of the opcodes met so far */
	/* buffers for decoding, reused for each kernel */
	uint32_t **at;
	struct shared_vars shared;
	const struct slot_plan *plan; /* of that kernel: its slots in shared memory; NULL: none */
	uint64_t decoded;             /* instructions of all kernels so far */
	uint16_t mov_op[3];           /* operations of mov.pred, mov.b32, mov.b64 */
	uint16_t selp_op, setp_op; /* of selp.b32 and setp.ne.u32: predicates to and from slots */
};

/* ptx/ir/vars.c: collects all variables and decides their storage; creates the registers of formal
 * parameters. */
void vars_build(struct ir_module *);
uint32_t vars_find(const struct ir_module *, const struct ast_symbol *); /* NO_VREG: not found */
uint32_t vars_function(const struct ir_module *, const struct ast_symbol *function);
/* Adds a message about a location in the function. Returns -1. */
int ir_note(const struct ir_module *, const struct ast_function *, const struct ast_pos *,
	enum err_code, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The alignment of a variable in shared memory, in bytes. */
uint32_t vars_shared_align(const struct ir_module *, const struct ir_var *);
/* The registers of a formal parameter (or result): *first, and their number; 0: it is in memory. */
uint32_t vars_formal(const struct ir_module *, uint32_t function, const struct ast_symbol *formal,
	uint32_t *first);

/* ptx/ir/lower.c: lowers the statements of a function to instructions; on errors sets `failed`,
 * with messages in err. */
void lower_function(struct ir_module *, uint32_t function);
uint32_t ir_new_vreg(struct ir_module *, struct ir_function *, unsigned words);
struct ir_instr *ir_append(struct ir_module *, struct ir_function *, const struct ir_instr *);

/* ptx/ir/waits.c: marks the instructions that wait for the CTA, in all functions. */
void waits_mark(struct ir_module *);

/* ptx/ir/cfg.c: basic blocks, removal of unreachable code, reconvergence points. */
void cfg_build(struct ir_function *, struct arena *);

/* ptx/ir/reconverge.c: the exit that each block is expected to take, numbered from 1; 0: none was
 * considered. Exits are the blocks with `exits` set. Both arrays are by block and zeroed by the
 * caller. */
void reconverge_choose(
	const struct ir_function *, uint8_t *levels, bool *exits, struct arena *work);
/* Where some lanes take a short exit, the divergent lanes reconverge at that exit if no later
 * reconvergence point is reachable, so that the exit executes once. */
void reconverge_leaving(struct ir_function *, const uint8_t *levels, struct arena *work);

/* ptx/ir/forward.c: forwards arguments and results of calls past their .param variables. */
void forward_params(struct ir_function *, struct arena *);

/* ptx/ir/sink.c: sinks copies as far down their blocks as possible. */
void sink_copies(struct ir_function *);

/* ptx/ir/cfg.c: predecessors: the blocks with an edge to block b are from[(*pred_first)[b]] to
 * before from[(*pred_first)[b + 1]], where `from` is the return value; both in the arena. */
uint32_t *cfg_preds(const struct ir_function *, uint32_t **pred_first, struct arena *);

/* The virtual registers that an instruction reads: sources, guard, and results that a guarded write
 * preserves. Returns their number. A ret also reads function->out. */
#define IR_USES (INSTR_SRCS + INSTR_DSTS + 1)
static inline unsigned ir_uses(const struct ir_instr *i, uint32_t *uses)
{
	unsigned n = 0;

	for (unsigned s = 0; s < i->nsrc; s++)
		if (i->src[s].kind == IR_REG)
			uses[n++] = i->src[s].index;
	if (i->guard == NO_VREG)
		return n;
	uses[n++] = i->guard;
	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind == IR_REG && !(i->fresh >> d & 1))
			uses[n++] = i->dst[d].index;
	return n;
}

static inline bool ir_reads(const struct ir_instr *i, uint32_t vreg)
{
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(i, uses);

	while (n)
		if (uses[--n] == vreg)
			return true;
	return false;
}

static inline bool ir_writes(const struct ir_instr *i, uint32_t vreg)
{
	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind == IR_REG && i->dst[d].index == vreg)
			return true;
	return false;
}

/* Its opcode and line stay. */
static inline void ir_delete(struct ir_instr *i)
{
	*i = (struct ir_instr){.action = ACT_NOP,
		.unit = UNIT_CONTROL,
		.shape = IR_GONE,
		.guard = NO_VREG,
		.opcode = i->opcode,
		.pos = i->pos,
		.loc = i->loc};
}

/* 32-bit registers that a virtual register of this size takes. */
static inline uint32_t ir_reg_words(uint8_t words)
{
	return words & IR_SLOT ? 0 : words;
}

/* Whether dst[d] kills the earlier value of its register. */
static inline bool ir_kills(const struct ir_instr *i, unsigned d)
{
	return i->guard == NO_VREG || (i->fresh >> d & 1);
}

#endif
