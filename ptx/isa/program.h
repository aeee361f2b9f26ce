/* A compiled kernel: decoded instructions with physical registers, executed by both the functional
 * and the timing model. */
#ifndef PTX_ISA_PROGRAM_H
#define PTX_ISA_PROGRAM_H

#include "core/err.h"
#include "core/mem.h"
#include "ptx/isa/forms.h"
#include "ptx/isa/types.h"

#include <stddef.h>

/* Generic addresses: shared and local memory are windows of the generic address space; a global
 * address is its own generic address. Both 64-bit and 32-bit addressing use these windows, which no
 * device buffer overlaps. */
#define GENERIC_SHARED_BASE 0x01000000u /* 16 MB window */
#define GENERIC_LOCAL_BASE 0x02000000u  /* 32 MB window */
#define SHARED_WINDOW_BYTES (GENERIC_LOCAL_BASE - GENERIC_SHARED_BASE)
#define GENERIC_GLOBAL_BASE 0x10000000u /* device buffers start here: 256 MB */

#define WARP_LANES 32u
#define HALF_LANES (WARP_LANES / 2)
#define SLOT_ROW (4 * WARP_LANES) /* bytes: a spill slot of a warp in shared memory */

/* What the lanes of each half of a full warp access, as in blocks of 16 x 16 threads: consecutive
 * elements, or one. */
enum lane_halves { HALVES_ANY, HALVES_ROWS, HALVES_SAME };

enum operand_kind {
	OPND_NONE,
	OPND_REG,  /* `words` 32-bit registers from `index` on (a 64-bit value: two, low word first)
		    */
	OPND_PRED, /* predicate register `index` */
	OPND_CONST, /* `words` planes of the constant pool from `index` on */
};

struct operand {
	uint8_t kind;
	uint8_t words;
	uint16_t index;
};

#define INSTR_DSTS 4
#define INSTR_SRCS 11
#define NO_GUARD 0xff

struct instr {
	uint16_t op;    /* operation, for ACT_LANES, ACT_WARP, ACT_MATRIX; of ldmatrix and stmatrix:
			   ptx/isa/matrix.h */
	uint8_t action; /* enum action */
	uint8_t unit;   /* enum unit */
	uint8_t guard;  /* predicate register, or NO_GUARD */
	bool guard_negated;
	uint8_t ndst, nsrc;
	struct operand dst[INSTR_DSTS]; /* vector loads: one per element; a sink is OPND_NONE */
	struct operand
		src[INSTR_SRCS]; /* memory: src[0] is the address base (OPND_NONE: absolute) */
	int64_t offset;          /* memory: added to the base; without a base: the address */
	uint32_t target; /* branch, call: instruction index; of an indexed branch, by src[0]: the
			    first of `offset` targets in program.targets */
	uint32_t reconv; /* branch: reconvergence point (immediate post-dominator), instruction
			    index, or NO_RECONV */
	uint32_t line;   /* index into program.lines */
	/* As in form_match, except that a 128-bit access is two of 64 bits, and an atomic on eight
	 * halves is one on four pairs. */
	uint8_t space, mem_type, vec, atom_op, cache_op, barrier;
	bool uniform;
	uint8_t sreg;          /* ACT_SREG */
	uint8_t address_words; /* 1: 32-bit addressing, 2: 64-bit */
	uint8_t src_negated;   /* bit i: predicate source i is read negated */
	uint8_t op_class;      /* enum op_class */
	uint8_t work;          /* for each thread: ptx/isa/operations.h */
	bool slot;             /* load or store of a spill slot in shared memory */
	bool unread;           /* of an atomic: no instruction reads its result */
	bool simple; /* arithmetic that each lane executes for itself, of few operands: exec_simple
		      */
	bool moves;  /* load or store of values, not of a matrix */
	/* Entries of a warp's scoreboard, each once: [r] of register plane r, [-1 - p] of predicate
	 * p. The results' come first. */
	uint8_t nresults, nentries;
	const int16_t *entries;
};

#define NO_RECONV UINT32_MAX

struct src_line {
	const char *ptx_file;
	const char *opcode; /* full opcode of the statement; NULL: inserted by the compiler */
	uint32_t ptx_line, ptx_col;
	uint32_t cuda_file, cuda_line; /* 0 without .loc */
	bool spill;                    /* access to a spill slot, inserted by the compiler */
	bool move;                     /* of a slot to another one, around a call */
};

struct program_levels;
struct levels_options;

struct param_slot {
	const char *name;
	enum ptx_type type;
	uint32_t offset, bytes, align; /* in the kernel's parameter space */
};

struct program {
	const char *name, *file; /* the PTX file that contains it */
	const char *source;      /* its name in the source, for messages */
	const struct module *module;
	const struct instr *code;
	uint32_t ninstr, entry;
	const struct src_line *lines; /* one per instruction: lines[code[i].line] */
	uint32_t nlines;
	uint32_t regs;   /* 32-bit registers per thread, including callees */
	uint32_t planes; /* planes of a warp: registers, then the upper levels of
			    ptx/levels/levels.h */
	const struct program_levels *levels;
	uint32_t preds;    /* predicate registers per thread, including callees */
	uint32_t max_live; /* in 32-bit registers: the lower bound of any allocation without spills
			    */
	uint32_t spill_bytes;               /* part of local_bytes used by spill slots */
	uint32_t spill_loads, spill_stores; /* of local memory: static instruction counts */
	uint32_t slots;                     /* words of shared memory per thread for spill slots */
	uint32_t slot_budget;               /* the words that it was allowed */
	uint32_t slot_loads, slot_stores;   /* static instruction counts, without moves */
	uint32_t slot_moves; /* words moved before and back behind calls: four instructions each */
	uint32_t slot_pointer;   /* the register with the address of the thread's first slot */
	const uint32_t *targets; /* of indexed branches */
	uint32_t ntargets;
	uint32_t *consts; /* constant pool: nconsts planes of WARP_LANES equal words */
	uint32_t nconsts;
	const struct param_slot *params;
	uint32_t nparams, param_bytes;
	uint32_t shared_bytes; /* static allocation */
	bool wide_shared;      /* a CTA's shared memory is whole units of 16 bytes */
	bool dynamic_shared;   /* has `extern .shared` */
	uint32_t dynamic_shared_align;
	uint32_t local_bytes;            /* per thread, all frames */
	uint32_t call_depth;             /* frames below the kernel's own */
	uint32_t stack_depth;            /* capacity needed for the reconvergence stack */
	uint32_t reqntid[3], maxntid[3]; /* the kernel's directives; 0: not given */
	bool explicit_cluster;           /* .explicitcluster */
	bool independent;                /* for sm_70 and later: each thread arrives at a barrier */
	uint8_t matrices; /* it multiplies matrices: bit 0, of class TENSOR; bit 1, of TENSOR64 */
	uint32_t maxnreg, minnctapersm;
	uint32_t resident_regs; /* the limit on `regs` by .maxntid and .minnctapersm; 0: none */
	bool ctas_ignored;      /* .minnctapersm has no effect: the SM does not hold them */
	const uint32_t *refs;   /* the textures, samplers and surfaces that it names */
	uint32_t nrefs;
};

/* A module variable in device memory. */
struct module_var {
	const char *name;
	enum ptx_space space; /* SPACE_GLOBAL or SPACE_CONST */
	uint64_t bytes;
	uint32_t align;
	uint8_t kind; /* enum object_kind; a reference to a texture, sampler or surface takes no
			 device memory: its address is its handle */
	const unsigned char *init; /* NULL: zero; of a sampler: a struct sampler, or NULL */
	uint64_t address;          /* set by module_place */
	bool placed, managed;      /* managed: .attribute(.managed), of host and device */
};

/* A compiled module: the kernels that compiled. */
struct module {
	const char *file;    /* of several texts, "a.ptx, b.ptx" */
	bool uses_workspace; /* a function reads %envreg1 or 2 */
	unsigned address_bits;
	struct program **kernels;
	uint32_t nkernels;
	struct module_var *vars;
	uint32_t nvars;
	const char **cuda_files;
	const uint64_t *cuda_bytes; /* their sizes when they were compiled; 0: unknown */
	uint32_t ncuda_files;
	struct module_patch *patches; /* private to ptx/ */
};

/* The file of CUDA-C that a line of the program is from; NULL: unknown. */
static inline const char *program_cuda_file(const struct program *p, const struct src_line *l)
{
	return l->cuda_file && l->cuda_file < p->module->ncuda_files
		       ? p->module->cuda_files[l->cuda_file]
		       : NULL;
}

/* An error in a text, or an unsupported construct (ERR_UNSUPPORTED). The strings are valid during
 * the call. */
struct compile_note {
	enum err_code code;
	const char *file;
	uint32_t line, col;    /* from 1; 0: concerns the whole file */
	const char *function;  /* that contains it; NULL: none */
	bool is_kernel;        /* the function is a kernel */
	const char *cuda_file; /* from .loc; NULL: unknown */
	uint32_t cuda_line;
	const char *opcode; /* full opcode, or NULL */
	const char *text;   /* a sentence that repeats none of these */
};
typedef void compile_note_fn(void *ctx, const struct compile_note *);

enum schedule_kind {
	SCHEDULE_NONE,        /* program order of the PTX */
	SCHEDULE_EARLY_LOADS, /* long-latency operations are issued as early as possible */
	SCHEDULE_NEAR,        /* values are used as soon after their definition as possible */
	SCHEDULE_NEAR_EARLY,  /* the same, then long-latency operations early */
	SCHEDULE_LATENCY /* an instruction when its sources are there, the longest chain first */
};

/* Where spilled values go: all to local memory, or what fits to slots of shared memory. */
enum spill_space { SPILL_LOCAL, SPILL_SHARED };

/* Where a callee's slots begin: behind those that are live across the call after these have moved
 * down, behind the highest of them, or behind the whole frame of the caller. */
enum spill_stack { STACK_MOVING, STACK_REGISTER, STACK_TRADITIONAL };

/* Which spilled values stay in local memory when slots are short: those live at the fewest of the
 * points where too many are, or those with the fewest accesses. */
enum spill_rank { RANK_LIVE, RANK_USES };

struct spill_options {
	enum spill_space space;
	enum spill_stack stack;
	enum spill_rank rank;
	unsigned slots; /* words of shared memory per thread, at most */
};
#define SPILL_SLOTS_MAX 255u

/* Limits of one kernel, beside those of all. */
struct kernel_limit {
	const char *name;
	unsigned max_regs;
	unsigned slots; /* spilled values go to that many slots of shared memory first; 0: as all */
};

/* Registers of a thread with which a multiprocessor holds that number of such CTAs at once; 0: it
 * does not with any. */
typedef uint32_t resident_regs_fn(void *ctx, uint32_t threads, uint32_t ctas);

struct compile_options {
	unsigned max_regs;     /* 32-bit registers per thread, 16..255; 0: 255. More are spilled */
	bool all_regs;         /* 255 for each kernel, whatever limits it */
	const char *allocator; /* plugin of kind "register allocator"; NULL: the default */
	enum schedule_kind schedule;
	unsigned schedule_extra; /* registers above the pressure of the PTX order that scheduling
				    may use */
	unsigned schedule_least; /* registers that it may use in any case */
	bool merge;              /* accesses of shared memory side by side become vectors */
	bool keep_order; /* also where registers are short; else the order with the fewest spills */
	bool any_bank;   /* no renumbering against bank conflicts */
	struct spill_options spill;
	const struct kernel_limit *kernels;
	unsigned nkernels;
	resident_regs_fn
		*resident; /* of .maxntid and .minnctapersm; NULL: any number is resident */
	void *resident_ctx;
	const struct levels_options *levels; /* NULL: no hierarchy */
	compile_note_fn *note; /* called for every message added to err; may be NULL */
	void *note_ctx;
};

/* Compiles PTX text. The result is in the arena, whose escape the caller has set. All kernels are
 * compiled; one with errors is omitted and its messages are in err (so err may be non-empty
 * although a module is returned). NULL when the text cannot be parsed at all. */
struct module *module_compile(const char *file, const char *text, size_t bytes,
	const struct compile_options *, struct arena *, struct err *);

/* The same for several texts, linked: a name that is declared .extern (or not defined) refers to
 * the .visible definition of another text; .weak definitions yield to others, .common ones are
 * merged to the largest. A duplicate definition is an error. An undefined name fails the kernels
 * that use it, as in a single text. */
struct module_text {
	const char *file, *text;
	size_t bytes;
};
struct module *module_compile_set(const struct module_text *, unsigned n,
	const struct compile_options *, struct arena *, struct err *);

/* The kernel of that name, or NULL and a message that lists the kernels. */
const struct program *module_kernel(const struct module *, const char *name, struct err *);

/* Sets the device address of variable i. After all are set, module_link patches the constants and
 * returns; initial data that contains addresses is read with module_var_init. */
void module_place(struct module *, uint32_t i, uint64_t address);
void module_link(struct module *);
/* Writes the initial bytes of variable i (vars[i].bytes of them) with addresses resolved. */
void module_var_init(const struct module *, uint32_t i, unsigned char *out);

/* Where a text declares malloc() or free(), 64-bit, their code is linked with it (of the set at
 * most once). It finds the heap by this variable of the module: its first HEAP_HEAD bytes are the
 * end of the last block and the heap's, each a 64-bit offset from its address, then zeros; blocks
 * follow. All modules may share one. */
#define HEAP_VARIABLE "__warpbeam_heap"
#define HEAP_HEAD 2048u
#define HEAP_FAULT "__warpbeam_fault" /* the function that reports a wrong free() */

#endif
