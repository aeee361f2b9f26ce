/* A compiled kernel: allocated, decoded instructions; what function and timing both execute. */
#ifndef PTX_ISA_PROGRAM_H
#define PTX_ISA_PROGRAM_H

#include "core/err.h"
#include "core/mem.h"
#include "ptx/isa/forms.h"
#include "ptx/isa/types.h"

#include <stddef.h>

/* Generic addresses: shared and local memory are windows of the generic space; global addresses are
 * themselves. 64-bit and 32-bit addressing use windows that no device buffer overlaps. */
#define GENERIC_SHARED_BASE 0x01000000u /* 16 MB window */
#define GENERIC_LOCAL_BASE 0x02000000u  /* 32 MB window */
#define SHARED_WINDOW_BYTES (GENERIC_LOCAL_BASE - GENERIC_SHARED_BASE)
#define GENERIC_GLOBAL_BASE 0x10000000u /* device buffers start here: 256 MB */

#define WARP_LANES 32u

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
#define INSTR_SRCS 8
#define NO_GUARD 0xff

struct instr {
	uint16_t op;    /* lane kernel */
	uint8_t action; /* enum action */
	uint8_t unit;   /* enum unit */
	uint8_t guard;  /* predicate register, or NO_GUARD */
	bool guard_negated;
	uint8_t ndst, nsrc;
	struct operand dst[INSTR_DSTS]; /* vector loads: one each element; a sink is OPND_NONE */
	struct operand
		src[INSTR_SRCS]; /* memory: src[0] is the address base (OPND_NONE: absolute) */
	int64_t offset;          /* memory: added to the base; with no base: the address */
	uint32_t target; /* branch, call: instruction index; of a branch to one of several, which
			  * src[0] chooses: the first of `offset` in program.targets */
	uint32_t reconv; /* branch: immediate post-dominator, instruction index, or NO_RECONV */
	uint32_t line;   /* index into program.lines */
	/* As in form_match; but 128 bits are loaded and stored as two of 64, and an atomic on eight
	 * halves is one on four pairs. */
	uint8_t space, mem_type, vec, atom_op, cache_op, barrier;
	bool uniform;
	uint8_t sreg;          /* ACT_SREG */
	uint8_t address_words; /* 1: 32-bit addressing, 2: 64-bit */
	uint8_t src_negated;   /* bit i: predicate source i is read negated */
};

#define NO_RECONV UINT32_MAX

struct src_line {
	const char *ptx_file;
	const char *opcode; /* the statement's full spelling; NULL: the compiler's own */
	uint32_t ptx_line, ptx_col;
	uint32_t cuda_file, cuda_line; /* 0 when there is no .loc */
	bool spill;                    /* to or from a spill slot: the compiler's own */
};

struct program_levels;
struct levels_options;

struct param_slot {
	const char *name;
	enum ptx_type type;
	uint32_t offset, bytes, align; /* in the kernel's parameter space */
};

struct program {
	const char *name, *file; /* the PTX file it stands in */
	const struct module *module;
	const struct instr *code;
	uint32_t ninstr, entry;
	const struct src_line *lines; /* one per instruction: lines[code[i].line] */
	uint32_t nlines;
	uint32_t regs;   /* 32-bit registers per thread, all frames */
	uint32_t planes; /* of a warp: registers, then ptx/levels/levels.h's upper levels */
	const struct program_levels *levels;
	uint32_t preds;    /* predicate registers per thread, all frames */
	uint32_t max_live; /* 32-bit equivalents: what no allocation without spills can go below */
	uint32_t spill_bytes;               /* of local_bytes: what spilling added */
	uint32_t spill_loads, spill_stores; /* instructions of the code */
	const uint32_t *targets;            /* of branches to one of several */
	uint32_t ntargets;
	uint32_t *consts; /* constant pool: nconsts planes of WARP_LANES equal words */
	uint32_t nconsts;
	const struct param_slot *params;
	uint32_t nparams, param_bytes;
	uint32_t shared_bytes; /* static */
	bool dynamic_shared;   /* has `extern .shared` */
	uint32_t dynamic_shared_align;
	uint32_t local_bytes;            /* per thread, all frames */
	uint32_t call_depth;             /* frames below the kernel's own */
	uint32_t stack_depth;            /* reconvergence entries it can need */
	uint32_t reqntid[3], maxntid[3]; /* the kernel's directives; 0: not given */
	bool explicit_cluster;           /* .explicitcluster */
	uint32_t maxnreg, minnctapersm;
	const uint32_t *refs; /* variables of the module: textures, samplers, surfaces it names */
	uint32_t nrefs;
};

/* A variable of the module that lives in device memory. */
struct module_var {
	const char *name;
	enum ptx_space space; /* SPACE_GLOBAL or SPACE_CONST */
	uint64_t bytes;
	uint32_t align;
	uint8_t kind; /* enum object_kind; a reference to a texture, sampler or surface takes no
		       * device memory, and its address is its handle */
	const unsigned char *init; /* NULL: zero; of a sampler: a struct sampler, or NULL */
	uint64_t address;          /* set by module_place */
	bool placed;
};

/* A compiled module: kernels that compiled, and what became of those that did not. */
struct module {
	const char *file;    /* of several, "a.ptx, b.ptx" */
	bool uses_workspace; /* a function reads %envreg1 or 2 */
	unsigned address_bits;
	struct program **kernels;
	uint32_t nkernels;
	struct module_var *vars;
	uint32_t nvars;
	const char **cuda_files;
	uint32_t ncuda_files;
	struct module_patch *patches; /* private to ptx/ */
};

/* One thing that is wrong with a text, or not supported in it (ERR_UNSUPPORTED). Strings live
 * during the call. */
struct compile_note {
	enum err_code code;
	const char *file;
	uint32_t line, col;    /* from 1; 0: of the file as a whole */
	const char *function;  /* in which it stands; NULL: in none */
	bool is_kernel;        /* the function is a kernel */
	const char *cuda_file; /* from .loc; NULL: not known */
	uint32_t cuda_line;
	const char *opcode; /* full spelling, or NULL */
	const char *text;   /* a sentence without all these */
};
typedef void compile_note_fn(void *ctx, const struct compile_note *);

enum schedule_kind {
	SCHEDULE_NONE,        /* as the PTX has them */
	SCHEDULE_EARLY_LOADS, /* what comes late is asked for as early as possible */
	SCHEDULE_NEAR,        /* values are used as soon behind their making as possible */
	SCHEDULE_NEAR_EARLY   /* that, then what comes late is asked for early */
};

struct compile_options {
	unsigned max_regs; /* 32-bit registers per thread, 16..255; 0: 255. The rest is spilled */
	const char *allocator; /* plugin of kind "register allocator"; NULL: the default */
	enum schedule_kind schedule;
	unsigned schedule_extra; /* registers more than the PTX's order needs that another may take
				  */
	bool keep_order; /* where registers run out, too; else there what spills the least */
	bool any_bank;   /* registers are placed without regard to banks */
	const struct levels_options *levels; /* NULL: no hierarchy */
	compile_note_fn *note; /* called for every message that goes into err; may be NULL */
	void *note_ctx;
};

/* Reads and compiles PTX text. Everything lives in the arena, whose escape the caller has set. All
 * kernels are compiled; a kernel that cannot be is left out and its messages stand in err (so err
 * may be non-empty although a module is returned). NULL when the text cannot be read at all. */
struct module *module_compile(const char *file, const char *text, size_t bytes,
	const struct compile_options *, struct arena *, struct err *);

/* The same for several texts, linked: names that one declares .extern (or does not define) mean the
 * .visible definitions of the others; .weak definitions yield to others, .common ones are merged to
 * the largest. What is defined twice is an error. What is defined nowhere fails the kernels that
 * use it, as in a single text. */
struct module_text {
	const char *file, *text;
	size_t bytes;
};
struct module *module_compile_set(const struct module_text *, unsigned n,
	const struct compile_options *, struct arena *, struct err *);

/* The kernel of that name, or NULL and a message naming those there are. */
const struct program *module_kernel(const struct module *, const char *name, struct err *);

/* Tells where variable i lies in device memory. After all are placed: module_link patches constants
 * and returns; initial data with addresses in it is fetched with module_var_init. */
void module_place(struct module *, uint32_t i, uint64_t address);
void module_link(struct module *);
/* Writes the initial bytes of variable i (vars[i].bytes of them), addresses resolved. */
void module_var_init(const struct module *, uint32_t i, unsigned char *out);

#endif
