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
	P(T, NAME, allocator, "", 0, 0, "register allocator", \
		"Register allocator; empty: the default.") \
	P(T, CHOICE, schedule, SCHEDULE_NONE, 0, 0, "none|early_loads|near|near_early_loads", \
		"Instruction scheduling within blocks: none (the order of the PTX), early_loads, " \
		"near, near_early_loads.") \
	P(T, UINT, schedule_extra, 0, 0, 255, "registers", \
		"Registers that scheduling may use beyond what the order of the PTX needs.") \
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
	P(T, NAME, isa, "", 0, 0, "", \
		"Host instruction-set level of the lane operations; empty: the best.")

enum level_memory { LEVEL_OFF_CHIP, LEVEL_SPILLS };

/* What a launch did on one SM. */
struct launch_part {
	uint64_t started;   /* CTAs */
	uint64_t end_cycle; /* of the last so far; 0: none */
};

/* A launch, from queueing to its end. */
struct launch_state {
	struct grid grid;
	struct launch queued; /* as it was queued; the arguments are the GPU's */
	const char *name;     /* the kernel's */
	const char *file;     /* the module's */
	unsigned stream;
	uint64_t sms[GPU_MAX_SMS / 64];
	struct storage_need need;
	struct storage_split split; /* the split that it wants of an SM; set when it is admitted */
	struct storage_hold hold;   /* what a CTA takes of it */
	uint64_t ctas;              /* of the grid */
	uint64_t timed;             /* of them, those that run with timing */
	uint64_t started, finished; /* of those */
	struct launch_part *part;   /* by SM; NULL: without a chip */
	void *policy;               /* the dispatch policy's state of it */
	unsigned usable;            /* SMs it may use */
	uint32_t next;              /* launch that waits for this one's end; NO_LAUNCH: none */
	uint64_t instructions;      /* warp instructions, summed after a run */
	uint64_t untimed_instructions; /* those executed without time */
	uint64_t start_cycle, end_cycle;
	uint32_t ctas_per_sm; /* resident at once, at most */
	bool active, complete;
};

#define NO_LAUNCH UINT32_MAX

/* A loaded module. */
struct gpu_module {
	struct module *module;
	unsigned first_file, nfiles; /* of g->files */
	const char *text;            /* of gpu_module_text's only one; else NULL */
	struct err errors;           /* of kernels that did not compile */
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
	struct arena arena; /* launches and their parameters */
	struct gpu_module **modules;
	unsigned nmodules;
	struct gpu_file *files; /* of all modules; paths are the GPU's */
	unsigned nfiles;
	struct files *read; /* those that the command reads and writes; NULL: unknown */
	struct launch_state **launches;
	struct grid_table grids;
	uint32_t nlaunches, launch_capacity;
	uint32_t untimed_done;         /* launches the untimed runner has finished */
	struct texture_table textures; /* of all modules' references and the host's own */
	struct gpu_place place;
	struct exec_output output;      /* where printed text goes; write NULL: nowhere */
	struct gpu_pages pages;         /* of managed variables; take NULL: as others */
	struct gpu_elsewhere elsewhere; /* where launches run instead; address NULL: nowhere else */
	struct exec_notes *notes;       /* of what the executor alone runs */
	struct chip *chip;
};

extern const struct param_table gpu_param_table;

/* chip/modules.c. */
void gpu_free_module(struct gpu_module *); /* accepts NULL */

/* chip/launch.c: the kernel of a module; NULL and its reason: the errors of kernels that did not
 * compile, if any. */
const struct program *gpu_find_kernel(const struct gpu_module *, const char *name, struct err *);

/* chip/registers.c: fills g->levels and g->energy from parameters under "rf" and "energy". */
void gpu_read_levels(struct gpu *, struct err *);

/* chip/kernel_limits.c: reads gpu.kernels. 0 or -1. */
int gpu_read_kernels(struct gpu *, struct err *);

/* Gives the launch's warps local memory: `slots` warp slots in the whole machine. */
int gpu_local_memory(struct gpu *, struct launch_state *, uint64_t slots, struct err *);

/* chip/texture.c: a handle for a module's reference; whether all that a kernel names are bound. */
int gpu_place_reference(struct gpu *, struct module *, uint32_t var, struct err *);
int gpu_check_references(const struct gpu *, const struct program *, struct err *);

/* Device memory for the executor alone. */
struct exec_memory gpu_memory(const struct gpu *);

/* chip/unfinished.c: adds a message that begins with `head` and lists running kernels and the
 * positions of their warps: in the untimed run of the launch `untimed_done`, and on the chip. Both
 * return -1. */
struct positions;
int unfinished_untimed(
	const struct gpu *, enum err_code, const char *head, struct positions *, struct err *);
int unfinished_timed(struct chip *, enum err_code, const char *head, struct err *);

/* The message of a fault: kernel, location, CTA, thread, address, nearest buffer. Code
 * ERR_FAULT. */
void gpu_explain(
	const struct gpu *, const struct fault *, const struct launch_state *, struct err *);

#endif
