/* The GPU's private state, shared by the files of chip/. */
#ifndef CHIP_GPU_INSIDE_H
#define CHIP_GPU_INSIDE_H

#include "chip/elsewhere.h"
#include "chip/gpu.h"
#include "core/mem.h"
#include "energy/chip.h"
#include "mem/image.h"
#include "mem/storage/storage.h"
#include "ptx/levels/levels.h"
#include "sm/sm.h"

#define GPU_PARAMS(P, T) \
	P(T, UINT, max_regs, 255, 16, 255, "registers", \
		"Register limit per thread; values that do not fit are spilled to local memory.") \
	P(T, BOOL, all_regs, false, 0, 1, "", \
		"Every kernel may have 255 registers per thread, whatever max_regs, kernels and its " \
		".maxnreg say.") \
	P(T, NAME, allocator, "", 0, 0, "register allocator", \
		"Register allocator; empty: the default.") \
	P(T, CHOICE, schedule, SCHEDULE_NONE, 0, 0, \
		"none|early_loads|near|near_early_loads|latency", \
		"Instruction scheduling within blocks: none (the order of the PTX), early_loads, " \
		"near, near_early_loads, latency.") \
	P(T, UINT, schedule_extra, 0, 0, 255, "registers", \
		"Registers that scheduling may use beyond what the order of the PTX needs.") \
	P(T, UINT, schedule_least, 0, 0, 255, "registers", \
		"Registers that scheduling may use, however few the order of the PTX needs.") \
	P(T, BOOL, merge_shared, false, 0, 1, "", \
		"Accesses of shared memory side by side become vectors of 8 or 16 bytes, where " \
		"addresses are known to be multiples of that.") \
	P(T, BOOL, reorder, true, 0, 1, "", \
		"Where registers are short, reorders the instructions of blocks to spill least.") \
	P(T, BOOL, spread_banks, true, 0, 1, "", \
		"Renumbers registers to avoid bank conflicts between the sources of an " \
		"instruction, without using more registers.") \
	P(T, CHOICE, spill, SPILL_LOCAL, 0, 0, "local|shared", \
		"Where values go that find no register: to local memory, or as far as there are " \
		"slots to shared memory.") \
	P(T, UINT, spill_slots, 8, 1, SPILL_SLOTS_MAX, "words", \
		"With gpu.spill=shared: slots in shared memory per thread, at most.") \
	P(T, CHOICE, spill_stack, STACK_MOVING, 0, 0, "moving|register|traditional", \
		"With gpu.spill=shared: a callee's slots begin behind the live ones of its caller, " \
		"moved together; behind the highest live one; behind all.") \
	P(T, CHOICE, spill_rank, RANK_LIVE, 0, 0, "live|uses", \
		"With gpu.spill=shared: where slots are short, those values stay in local memory " \
		"that are live at the fewest points, or accessed least.") \
	P(T, NAME, kernels, "", 0, 0, "", \
		"Limits of single kernels, with commas between them: NAME:REGISTERS, or " \
		"NAME:REGISTERS+SLOTS for spills to that many slots of shared memory.") \
	P(T, CHOICE, level_memory, LEVEL_OFF_CHIP, 0, 0, "offchip|spills", \
		"What the rule that chooses a level of concurrency counts as memory: all accesses " \
		"off the chip, or those of spilled values.") \
	P(T, UINT, heap_bytes, GPU_HEAP_BYTES, GPU_HEAP_LEAST, GPU_HEAP_MOST, "bytes", \
		"Memory that kernels allocate from with malloc(), headers of 16 bytes included; of " \
		"a CUDA program what it has not set (cudaLimitMallocHeapSize).") \
	P(T, UINT, page_bytes, 1, 1, UINT64_C(1) << 30, "bytes", \
		"A CUDA program's allocations are whole pages of that size, all of which kernels " \
		"may access, as they may on a GPU (2M); 1: what is beyond an allocation is a fault.") \
	P(T, NAME, isa, "", 0, 0, "", \
		"Host instruction-set level of the lane operations; empty: the best.")

enum level_memory { LEVEL_OFF_CHIP, LEVEL_SPILLS };

/* What a launch did on one SM. */
struct launch_part {
	uint64_t started;   /* CTAs */
	uint64_t end_cycle; /* of the last so far; 0: none */
};

/* What of a launch ran without time, beside its instructions: CTAs that sampling skipped; what
 * accesses would have done, where caches are kept warm. Or what threads computed of one that the
 * executor alone ran. */
struct launch_rest {
	uint64_t ctas, l2_sectors, l2_hits, read_bytes, write_bytes;
	uint64_t thread_instructions;
	struct work_sum work;
	bool alone;      /* the latter */
	bool clocked;    /* its program reads the time: all of it has one */
	uint64_t ask_at; /* from that cycle on, whether it advances without time */
};

/* A launch, from queueing until it is over: complete, and nothing more is counted for it. Its
 * number, in the order of queueing, is grid.gridid. */
struct launch_state {
	struct grid grid;
	struct launch queued; /* as it was queued; the arguments are the GPU's */
	const char *name;     /* the kernel's */
	struct kernel_place *kernel;
	unsigned stream;
	buffer_t local, workspace; /* memory that it alone uses; 0: none */
	uint64_t sms[GPU_MAX_SMS / 64];
	struct storage_need need;
	struct storage_split split; /* the split that it wants of an SM; set when it is admitted */
	struct storage_hold hold;   /* what a CTA takes of it */
	uint64_t ctas;              /* of the grid */
	uint64_t timed;             /* of them, those that run with timing */
	uint64_t started, finished; /* of those */
	struct launch_part *part;   /* by SM; NULL: without a chip */
	void *policy;               /* the dispatch policy's state of it */
	struct launch_rest *rest;   /* what it did without time; NULL: that is not counted */
	unsigned usable;            /* SMs it may use */
	struct launch_state *follower;       /* waits for this one's end; NULL: none */
	struct launch_state *before, *after; /* those that are not complete, in order */
	uint64_t untimed_instructions;       /* those executed without time */
	uint64_t start_cycle, end_cycle;
	uint32_t ctas_per_sm; /* resident at once, at most */
	uint32_t epoch;       /* chip/epochs.h; NO_EPOCH: it has not begun, or is untimed */
	bool active, complete;
};

#define NO_LAUNCH UINT64_MAX
#define NO_ACCOUNT UINT32_MAX
#define NO_EPOCH UINT32_MAX

/* What is kept of a launch. */
struct launch_row {
	struct launch_state *state; /* until it is over; then the rest is valid */
	const struct program *program;
	uint64_t *sm_ends;        /* by SM; NULL: not kept */
	struct launch_rest *rest; /* NULL: not counted */
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared_bytes, stream;
	uint32_t ctas_per_sm, epoch;
	bool untimed; /* as it was queued */
	uint64_t timed, start_cycle, end_cycle;
	uint64_t instructions, untimed_instructions;
	uint64_t read_bytes, write_bytes, flushed_bytes, l2_sectors, l2_hits;
	struct storage_split split;
};
#define LAUNCH_ROWS 256u /* allocated at once */

/* A kernel of a module. */
struct kernel_place {
	uint64_t code_at;  /* where its code is: instructions of all kernels before */
	uint32_t accounts; /* with a profile: its launches' free accounts; NO_ACCOUNT: none */
	uint32_t shared;   /* while accounts are collected: that of its older launches */
	uint32_t site;     /* with a profile: of its first instruction */
	uint32_t epoch;    /* its common one, of launches without their own; 0: none */
};

/* Addresses of launches' own memory that no buffer is given yet. */
struct kept_addresses {
	buffer_t *buffer; /* a ring */
	uint64_t *bytes, all_bytes;
	uint32_t first, n, room;
};

/* A kernel that did not compile. */
struct left_out {
	const struct left_out *next;
	const char *name;
};

/* A loaded module. */
struct gpu_module {
	struct module *module;
	unsigned first_file, nfiles; /* of g->files */
	struct module_text *texts;   /* what was compiled */
	unsigned ntexts;
	bool given;                  /* by gpu_module_text */
	struct kernel_place *kernel; /* of module->kernels */
	struct err errors;           /* of kernels that did not compile */
	const struct left_out *left_out;
	struct arena arena;
};

struct gpu {
	struct {
		GPU_PARAMS(PARAM_FIELD, gpu)
	} p;
	struct levels_options levels; /* of the registers of all modules */
	struct kernel_limit *kernels; /* of p.kernels */
	unsigned nkernels;
	struct energy energy;
	struct config *config;
	struct image *image;
	const struct lanes *lanes;
	struct arena arena; /* of p.kernels */
	struct gpu_module **modules;
	unsigned nmodules;
	uint64_t code_end;      /* of all modules' kernels: the next one's code_at */
	struct gpu_file *files; /* of all modules; paths are the GPU's */
	unsigned nfiles;
	struct files *read;       /* those that the command reads and writes; NULL: unknown */
	struct launch_row **rows; /* blocks of LAUNCH_ROWS, by number */
	struct launch_state *oldest, *newest; /* of those that are not complete, by `after` */
	uint32_t row_blocks;
	uint32_t nlaunches, npending; /* of all; of those that are not complete */
	struct kept_addresses kept;
	buffer_t heap;         /* of malloc(), of all modules; 0: none */
	uint32_t heap_since;   /* the launches before it was made, or made empty */
	enum fault_kind fault; /* the last one */
	gpu_timed_fn *timed;   /* NULL: every launch runs in time */
	void *timed_ctx;
	bool forgets_ends;             /* of each SM, once a launch is over */
	struct texture_table textures; /* of all modules' references and the host's own */
	struct gpu_place place;
	struct exec_output output;      /* where printed text goes; write NULL: nowhere */
	struct gpu_pages pages;         /* of managed variables; take NULL: as others */
	struct gpu_elsewhere elsewhere; /* where launches run instead; address NULL: nowhere else */
	struct gpu_journal *journal;    /* NULL: nothing is noted */
	struct exec_notes *notes;       /* of what the executor alone runs */
	struct races *races;            /* the same; NULL: not looked for */
	unsigned threads;               /* of the host, for that; 0 is 1 */
	bool threads_always;            /* for tests */
	struct together *together;      /* those threads; NULL: not yet */
	struct chip *chip;
};

extern const struct param_table gpu_param_table;

/* chip/modules.c. */
void gpu_free_module(struct gpu_module *); /* accepts NULL */
/* Whether there is such a kernel that did not compile. */
bool gpu_is_left_out(const struct gpu_module *, const char *kernel);

/* chip/heap.c: the module's variable HEAP_VARIABLE, if it has one, gets the heap's address. 0 or
 * -1. */
int gpu_heap_place(struct gpu *, const struct module *, struct err *);
/* All of it is free. */
void gpu_heap_reset(struct gpu *);

/* chip/launch.c: the kernel of a module; NULL and its reason: the errors of kernels that did not
 * compile, if any. */
const struct program *gpu_find_kernel(const struct gpu_module *, const char *name, struct err *);

/* chip/registers.c: fills g->levels and g->energy from parameters under "rf" and "energy". */
void gpu_read_levels(struct gpu *, struct err *);

/* chip/kernel_limits.c: reads gpu.kernels. 0 or -1. */
int gpu_read_kernels(struct gpu *, struct err *);

/* ---- chip/launches.c */
/* The launch of that number; NULL: it is over. */
struct launch_state *launches_at(const struct gpu *, uint64_t number);
/* Its row; only of one that is over all of it is valid. */
struct launch_row *launches_row_at(struct gpu *, uint64_t number);
/* What is known of a launch, also of one that is not over. */
struct launch_row launches_row(const struct gpu *, uint64_t number);
/* The grid of a row, as far as its shape goes. */
struct grid launches_grid(const struct launch_row *);
/* What a CTA needs, before a chip's limits are set. */
struct storage_need launches_need(const struct grid *);
/* Space for one more row. 0 or -1. */
int launches_reserve(struct gpu *, struct err *);
/* The launch is queued: it has the next number. */
void launches_add(struct gpu *, struct launch_state *);
/* It is complete. */
void launches_complete(struct gpu *, struct launch_state *);
/* It is over: its row is what remains. */
void launches_end(struct gpu *, struct launch_state *);
/* Frees a launch that is in no table, with its memory; accepts NULL. */
void launch_free(struct gpu *, struct launch_state *);
void launches_free(struct gpu *);

/* ---- chip/launch_memory.c */
/* Gives the launch's warps local memory: `slots` warp slots in the whole machine. */
int gpu_local_memory(struct gpu *, struct launch_state *, uint64_t slots, struct err *);
/* What a driver allocates for cooperative launches: the words in which grid-wide barriers count. */
int gpu_workspace(struct gpu *, struct launch_state *, struct err *);
/* Frees both, between runs. Others are given the addresses only after 1 GB of them: caches still
 * have their lines. */
void gpu_launch_memory_free(struct gpu *, struct launch_state *);

/* chip/journal.c, only with a journal: at the end of a run, of the launches that are to be freed.
 */
struct chip;
void journal_ended(struct chip *);
/* A run is complete, and the chip at rest or not. */
void journal_ran(struct chip *, bool at_rest);
/* Whether a run is to be taken from the journal: that is done then, and true; false: it was not
 * complete, and goes on from the checkpoint, or journal->failed. */
bool journal_goes_on(const struct chip *);
bool journal_repeat(struct chip *, bool *at_rest);

/* chip/texture.c: a handle for a module's reference; whether all that a kernel names are bound. */
int gpu_place_reference(struct gpu *, struct module *, uint32_t var, struct err *);
/* Nothing is bound to its references. */
void gpu_reset_references(struct gpu *, const struct module *);
int gpu_check_references(const struct gpu *, const struct program *, struct err *);

/* Device memory for the executor alone. */
struct exec_memory gpu_memory(const struct gpu *);

/* chip/unfinished.c: adds a message that begins with `head` and lists running kernels and the
 * positions of their warps: in the untimed run of the oldest launch, and on the chip. Both return
 * -1. */
struct positions;
int unfinished_untimed(
	const struct gpu *, enum err_code, const char *head, struct positions *, struct err *);
int unfinished_timed(struct chip *, enum err_code, const char *head, struct err *);

/* The message of a fault: kernel, location, CTA, thread, address, nearest buffer. Code
 * ERR_FAULT. */
void gpu_explain(struct gpu *, const struct fault *, const struct launch_state *, struct err *);

#endif
