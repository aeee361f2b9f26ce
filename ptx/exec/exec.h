/* Executing decoded instructions on the 32 lanes of a warp; knows nothing of time.
 *
 * The executor is an instruction source: exec_peek says what a warp does next (a timing model looks
 * at its registers and unit), exec_issue does it and tells what memory it touched. Values live in
 * the allocated registers, nowhere else. */
#ifndef PTX_EXEC_EXEC_H
#define PTX_EXEC_EXEC_H

#include "ptx/isa/texture.h"
#include "ptx/levels/levels.h"

/* What a grid launch is, shared by all its CTAs. */
struct grid {
	const struct program *program;
	uint32_t grid[3], block[3];
	const unsigned char *params; /* program->param_bytes of them */
	uint32_t dynamic_shared_bytes;
	uint64_t gridid;
	uint16_t launch; /* index of the launch: goes into every request's origin */
	/* local memory for every warp slot of the machine, local_stride bytes each; NULL when none
	 * is used, and in the untimed runner, which brings its own */
	unsigned char *local;
	uint64_t local_base, local_stride;
	uint64_t workspace; /* address of what grid-wide barriers count in; 0: none */
	const struct texture_table *textures; /* what handles mean; NULL: nothing */
};

/* Threads, warps and shared bytes of one CTA of the grid. */
static inline uint32_t grid_cta_threads(const struct grid *g)
{
	return g->block[0] * g->block[1] * g->block[2];
}
static inline uint32_t grid_cta_warps(const struct grid *g)
{
	return (grid_cta_threads(g) + WARP_LANES - 1) / WARP_LANES;
}
static inline uint64_t grid_ctas(const struct grid *g)
{
	return (uint64_t)g->grid[0] * g->grid[1] * g->grid[2];
}
uint32_t grid_shared_bytes(const struct grid *); /* static + alignment + dynamic */

/* A resident CTA. Storage is the owner's (an SM's shared memory, or the untimed runner's). */
struct cta {
	const struct grid *grid;
	uint32_t id[3];
	unsigned char *shared; /* grid_shared_bytes, zero or left over: undefined to the program */
	uint32_t shared_bytes;
	uint32_t warps_running;
};

/* One entry of the reconvergence stack (immediate post-dominator). */
struct frame {
	uint32_t pc, reconv, mask;
	uint32_t ret; /* call entries: where to go on; else NO_RECONV */
};

/* A resident warp. regs, preds, stack, local are storage of the owner, sized by the program. */
struct warp {
	const struct program *program;
	struct cta *cta;
	uint32_t *regs;       /* program->planes planes of WARP_LANES words */
	uint32_t *preds;      /* program->preds lane masks */
	struct frame *stack;  /* program->stack_depth entries */
	uint32_t depth;       /* entries in use; 0 when all threads have exited */
	uint32_t exited;      /* lanes that exited or never existed */
	uint32_t done;        /* lanes that are through with the next instruction already */
	uint32_t first_tid;   /* flat thread index of lane 0 in its CTA */
	uint32_t place;       /* in the untimed runner: no other warp under way has the same */
	unsigned char *local; /* program->local_bytes * WARP_LANES bytes, word-interleaved */
	uint64_t local_base;  /* device address of local[0]: what timing sees */
	uint64_t instructions, thread_instructions; /* executed so far */
	uint16_t mrf_banks;            /* where hardware manages the registers: as note.banks
					* (ptx/levels/levels.h),	    of the instruction executed last */
	struct level_traffic *traffic; /* what depends on execution: never NULL when the program
					* has upper levels */
};

/* Time and place, for special registers. */
struct place {
	uint64_t cycle, globaltimer_ns;
	uint32_t smid, nsmid, warpid, nwarpid;
};

/* One memory instruction's view of memory: what exec_issue touched. Addresses are device addresses
 * for global, const and local, offsets into the CTA's shared memory for shared. */
#define LANE_BYTES_MAX 32u /* the most that a lane loads or stores at once: v8 of 32 bits */
struct access {
	uint8_t space;  /* SPACE_GLOBAL, LOCAL, SHARED, CONST, PARAM; NONE: no memory */
	uint8_t action; /* ACT_LOAD, ACT_STORE, ACT_ATOM, ACT_RED */
	uint8_t bytes;  /* per lane: element size times vec */
	uint8_t mem_type, vec, atom_op, cache_op;
	bool contiguous; /* all 32 lanes active, addr[i] = addr[0] + i * bytes */
	bool more;       /* generic addresses of other lanes lie in another space: the warp's next
			  * instruction is the same again, for them */
	uint32_t mask;   /* lanes that take part */
	uint64_t addr[WARP_LANES];
};

#define FAULT_TEXT 512u

enum fault_kind {
	FAULT_NONE,
	FAULT_OUT_OF_BOUNDS,
	FAULT_MISALIGNED,
	FAULT_TRAP,
	FAULT_ASSERT, /* `text` says which */
	FAULT_STACK,
	FAULT_DIVERGED_BARRIER,
	FAULT_BAD_TARGET,
	FAULT_BAD_HANDLE,      /* `address` is the handle */
	FAULT_OUTSIDE_SURFACE, /* `address` is x, in bytes, and y << 32 */
	FAULT_LIVELOCK /* of a grid, not of a thread: nothing that runs can change anything */
};

/* A barrier that cannot complete, and where the CTA's other warps wait. All counts are of warps. */
#define FAULT_PLACES 4
struct fault_barrier {
	uint32_t id, arrived, expected;
	bool whole;      /* all warps that still run are expected: no number was given */
	uint32_t exited; /* of the CTA */
	uint32_t n;      /* places where others wait, */
	uint32_t more;   /* and warps that wait at others than these */
	struct {
		uint32_t instr, id, warps;
	} at[FAULT_PLACES];
};

/* An illegal act of a thread. */
struct fault {
	enum fault_kind kind;
	uint32_t instr; /* index into the program */
	uint32_t lane;
	uint32_t tid[3], ctaid[3];
	uint8_t space, action, bytes;
	uint64_t address;
	uint32_t targets; /* FAULT_BAD_TARGET of a branch to one of several: how many, `address` is
			   * the index */
	struct fault_barrier barrier; /* FAULT_DIVERGED_BARRIER */
	char text[FAULT_TEXT];        /* of an assertion; else empty */
};

/* Device memory as the executor sees it. Data is lane-major, access->bytes each; lanes outside the
 * mask are neither read nor written. Each returns 0, or the 1 + lane of the first illegal address,
 * or EXEC_RETRY when the access cannot be made yet (then nothing has happened). */
#define EXEC_RETRY (-1)

/* Where the text of vprintf goes: of all lanes of a warp at once, at most EXEC_TEXT bytes. False:
 * there is no room now, the instruction answers EXEC_AGAIN. */
#define EXEC_TEXT (32u * 1024u)
struct exec_output {
	void *ctx;
	bool (*write)(void *ctx, const char *text, size_t n);
};

struct exec_notes;
struct exec_memory {
	void *ctx;
	int (*load)(void *ctx, const struct access *, unsigned char *data);
	int (*store)(void *ctx, const struct access *, const unsigned char *data);
	/* data: operand a; data_b: operand b of CAS, else NULL. Old values go to `dst`, the planes
	 * of atom_lane (ATOM_PLANES of them, NULL for none; of red NULL), now or at any time before
	 * the instruction's result is declared ready. */
	int (*atomic)(void *ctx, const struct access *, const unsigned char *data,
		const unsigned char *data_b, uint32_t *const *dst);
	const struct exec_output *output; /* NULL: text is dropped */
	/* Where a texture fetch leaves what it touched, beside the access of its first corners;
	 * NULL: nobody asks. */
	struct texels *texels;
	struct exec_notes *notes; /* NULL: nobody asks */
};

/* An instruction of a warp that PTX leaves undefined, and that goes on all the same: its mask names
 * lanes that do not execute it, or does not name some that do. Lanes that have no thread are not
 * missed. */
struct exec_note {
	const struct program *program;
	uint32_t instr;
	uint32_t exited,
		elsewhere;       /* lanes named: their threads have exited, or went another way */
	uint32_t unnamed;        /* lanes that execute it */
	uint32_t warp, ctaid[3]; /* where it happened first */
	uint64_t cycle;
};

/* Of each instruction the first time; a zeroed struct is a valid empty one. */
#define EXEC_NOTES 64
struct exec_notes {
	struct exec_note at[EXEC_NOTES];
	unsigned n;
};

/* Adds the note, if there is none of that instruction and there is room. */
void exec_notes_add(struct exec_notes *, const struct exec_note *);

/* "k.ptx:41:2 (shfl.sync.down.b32): its mask names lanes 16-31, which have exited: ..." */
struct text;
void exec_note_describe(const struct exec_note *, struct text *);

/* Puts a warp of a new CTA at its program's entry: lanes beyond the CTA's threads are exited. */
void exec_start(struct warp *, struct cta *, uint32_t warp_in_cta);

/* The warp's next instruction, or NULL when all its threads have exited. */
const struct instr *exec_peek(const struct warp *);

/* Lanes that would execute it (guard applied, but for branches). */
uint32_t exec_mask(const struct warp *, const struct instr *);

enum exec_answer { EXEC_OK, EXEC_AGAIN, EXEC_FAULT };

/* The warp gives up its place among those that issue: what the upper levels of its registers hold
 * is written back, if hardware manages them, and lost. */
void exec_deschedule(struct warp *);

struct lanes;

/* Executes the next instruction. EXEC_AGAIN: memory said EXEC_RETRY; nothing happened. EXEC_FAULT:
 * *fault is filled. An access whose generic addresses lie in several spaces is issued once for each
 * of them and counted with the last. A barrier only moves the warp on: who waits is the owner's
 * business. */
enum exec_answer exec_issue(struct warp *, const struct lanes *, const struct place *,
	const struct exec_memory *, struct access *, struct fault *);

/* Lane kernels compiled for an instruction-set level ("baseline", "x86-64-v3", "x86-64-v4",
 * "arm64"). NULL name: the best this host has. NULL and a message when unknown or not available. */
const struct lanes *lanes_select(const char *name, struct err *);
const char *lanes_name(const struct lanes *);

/* ---- running a whole grid without time: checks, counts, limit studies. */
struct untimed_counts {
	uint64_t warp_instructions, thread_instructions, ctas;
	uint64_t by_unit[UNIT_COUNT];
	struct level_traffic registers; /* of programs that carry levels */
};
/* Looks at each instruction right after it was executed by the lanes of `mask` (a branch: by all
 * active ones, whether they take it or not), to count what the plain runner does not. */
struct untimed_watch {
	void *ctx;
	void (*executed)(void *ctx, const struct warp *, const struct instr *, uint32_t mask,
		const struct access *);
};
struct standing;
struct untimed_limits {
	uint64_t warp_instructions;        /* of all CTAs, against endless loops; 0: none */
	const struct untimed_watch *watch; /* NULL: nobody looks */
	/* Asked every few milliseconds: false ends the run as the limit does. NULL: nobody asks. */
	bool (*go_on)(void *ctx);
	void *ctx;
	struct standing *standing; /* where the warps of a run that is ended stand; or NULL */
};
/* Runs CTAs first, first + step, ... below the grid's number, each to its end before the next
 * begins, as long as that takes no more than 2^20 warp instructions. CTAs that take longer, or
 * whose warps all wait for what others would have to write, take turns, and others begin meanwhile:
 * 4096 CTAs of 262144 threads and 1 GB of host memory are under way at most. 0, or -1 with *fault
 * filled; a barrier that cannot complete is FAULT_DIVERGED_BARRIER; CTAs that wait for each other
 * for ever FAULT_LIVELOCK; the limit, or an owner who does not go on, gives FAULT_NONE.
 * ERR_RESOURCE in err when the host has no memory. */
int untimed_run(const struct grid *, uint64_t first, uint64_t step, const struct lanes *,
	const struct exec_memory *, const struct untimed_limits *, struct untimed_counts *,
	struct fault *, struct err *);

/* "out-of-bounds 4-byte load from global address 0x..., thread (1,0,0) of CTA (3,0,0),
 * file:line:col": writes a sentence without the nearest buffer, which the caller knows. */
void fault_describe(const struct fault *, const struct program *, char *out, size_t n);

#endif
