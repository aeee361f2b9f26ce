/* Executes decoded instructions on the 32 lanes of a warp, without timing.
 *
 * The executor is an instruction source: exec_peek returns the next instruction of a warp (a timing
 * model reads its registers and unit), exec_issue executes it and reports the memory accessed.
 * Values are only in the allocated registers. */
#ifndef PTX_EXEC_EXEC_H
#define PTX_EXEC_EXEC_H

#include "ptx/isa/operations.h"
#include "ptx/isa/texture.h"
#include "ptx/levels/levels.h"

/* A grid launch, shared by all its CTAs. */
struct grid {
	const struct program *program;
	uint32_t grid[3], block[3];
	const unsigned char *params; /* program->param_bytes of them */
	uint32_t dynamic_shared_bytes;
	uint64_t gridid; /* number of the launch */
	uint16_t launch; /* its account: part of every request's origin */
	/* local memory for every warp slot of the machine, local_stride bytes each; NULL when none
	 * is used, and in the untimed runner, which has its own */
	unsigned char *local;
	uint64_t local_base, local_stride;
	uint64_t code_at;   /* instructions of all kernels before this one: where its code is */
	uint64_t workspace; /* address of the counters of grid-wide barriers; 0: none */
	const struct texture_table *textures; /* the objects of handles; NULL: none */
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
/* Of one CTA: the program's own bytes (static + alignment + dynamic), and all, with its spill
 * slots. */
uint32_t grid_own_shared_bytes(const struct grid *);
uint32_t grid_shared_bytes(const struct grid *);

/* A resident CTA. The owner provides the storage (an SM's shared memory, or the untimed runner's).
 */
struct cta {
	const struct grid *grid;
	uint32_t id[3];
	unsigned char *shared; /* grid_shared_bytes; contents are undefined for the program */
	uint32_t shared_bytes; /* the program's own, below the spill slots */
	uint32_t slots_at, slots_end; /* spill slots: rows of WARP_LANES words */
	uint32_t warps_running;
};

/* An entry of the reconvergence stack (immediate post-dominator). */
struct frame {
	uint32_t pc, reconv, mask;
	uint32_t ret; /* call entries: return address; else NO_RECONV */
};

/* A resident warp. The owner provides regs, preds, stack and local, sized by the program. */
struct warp {
	const struct program *program;
	struct cta *cta;
	uint32_t *regs;       /* program->planes planes of WARP_LANES words */
	uint32_t *preds;      /* program->preds lane masks */
	struct frame *stack;  /* program->stack_depth entries */
	uint32_t depth;       /* entries in use; 0 when all threads have exited */
	uint32_t exited;      /* lanes that exited or never existed */
	uint32_t done;        /* lanes that have already executed the next instruction */
	uint32_t parked;      /* lanes at a barrier, until the warp's others are at one */
	uint32_t first_tid;   /* flat thread index of lane 0 in its CTA */
	uint32_t slot;        /* in the untimed runner: unique among resident warps */
	unsigned char *local; /* program->local_bytes * WARP_LANES bytes, word-interleaved */
	uint64_t local_base;  /* device address of local[0], as the timing model sees it */
	uint64_t instructions, thread_instructions; /* executed so far */
	uint16_t mrf_banks;            /* of a hardware-managed register hierarchy: as note.banks
					  (ptx/levels/levels.h), of the last instruction */
	struct level_traffic *traffic; /* accesses that depend on execution: never NULL when the
					  program has upper levels */
};

/* Time and location, for special registers. */
struct exec_context {
	uint64_t cycle;
	uint32_t period_ps; /* of a cycle: the global timer counts ns */
	uint32_t smid, nsmid, warpid, nwarpid;
};

/* The memory access of one instruction. Addresses are device addresses for global, const and local,
 * and offsets in the CTA's shared memory for shared. */
#define LANE_BYTES_MAX 32u /* the largest access of a lane: v8 of 32 bits */
struct access {
	uint8_t space;  /* SPACE_GLOBAL, LOCAL, SHARED, CONST, PARAM; NONE: no memory */
	uint8_t action; /* ACT_LOAD, ACT_STORE, ACT_ATOM, ACT_RED */
	uint8_t bytes;  /* per lane: element size times vec */
	uint8_t mem_type, vec, atom_op, cache_op;
	bool contiguous; /* all 32 lanes active, addr[i] = addr[0] + i * bytes */
	uint8_t halves;  /* enum lane_halves: of all 32 lanes */
	bool more;       /* other lanes have generic addresses in another space: the warp's next
			    instruction is the same one, for them */
	uint32_t mask;   /* active lanes */
	uint64_t same;   /* bits that are the same in all active lanes' addresses; 0: not known */
	uint64_t addr[WARP_LANES];
};

#define FAULT_TEXT 512u

enum fault_kind {
	FAULT_NONE,
	FAULT_OUT_OF_BOUNDS,
	FAULT_MISALIGNED,
	FAULT_TRAP,
	FAULT_ASSERT, /* described by `text` */
	FAULT_FREE,   /* the same: of free(), `instr` is its call */
	FAULT_STACK,
	FAULT_DIVERGED_BARRIER,
	FAULT_BAD_TARGET,
	FAULT_BAD_HANDLE,      /* `address` is the handle */
	FAULT_OUTSIDE_SURFACE, /* `address` is x, in bytes, and y << 32 */
	FAULT_LIVELOCK         /* of a grid, not of a thread: no warp can make progress */
};

/* A barrier that cannot complete, and where the CTA's other warps wait. All counts are in warps. */
#define FAULT_PLACES 4
struct fault_barrier {
	uint32_t id, arrived, expected;
	bool whole;      /* expects all warps that have not exited: no count was given */
	uint32_t exited; /* of the CTA */
	uint32_t n;      /* locations where others wait, */
	uint32_t more;   /* and warps that wait elsewhere */
	struct {
		uint32_t instr, id, warps;
	} at[FAULT_PLACES];
};

/* An illegal operation of a thread. */
struct fault {
	enum fault_kind kind;
	uint32_t instr; /* index in the program */
	uint32_t lane;
	uint32_t tid[3], ctaid[3];
	uint8_t space, action, bytes;
	uint64_t address;
	uint32_t targets; /* FAULT_BAD_TARGET of an indexed branch: the number of targets; `address`
			     is the index */
	struct fault_barrier barrier; /* FAULT_DIVERGED_BARRIER */
	char text[FAULT_TEXT];        /* of an assertion; else empty */
};

/* Device memory as the executor uses it. Data is lane-major, access->bytes each; lanes outside the
 * mask are neither read nor written. Each function returns 0, or 1 + the lane of the first illegal
 * address, or EXEC_RETRY when the access cannot be made yet (it then has no effect). */
#define EXEC_RETRY (-1)

/* Receives the text of vprintf: of all lanes of a warp at once, at most EXEC_TEXT bytes. False: the
 * buffer is full; the instruction returns EXEC_AGAIN. */
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
	 * of atom_lane (ATOM_PLANES of them, NULL if unused; NULL for red), now or at any time
	 * before the instruction's result is declared ready. */
	int (*atomic)(void *ctx, const struct access *, const unsigned char *data,
		const unsigned char *data_b, uint32_t *const *dst);
	const struct exec_output *output; /* NULL: text is dropped */
	/* Receives the texels of a texture fetch, in addition to the access of its first corners;
	 * NULL: not needed. */
	struct texels *texels;
	struct exec_notes *notes; /* NULL: not needed */
};

/* An executed instruction whose behaviour PTX leaves undefined: its mask names lanes that do not
 * execute it, or omits some that do. Lanes without a thread may be omitted. */
struct exec_note {
	const struct program *program;
	uint32_t instr;
	uint32_t exited, elsewhere; /* lanes named that have exited, or that diverged */
	uint32_t unnamed;           /* lanes that execute it */
	uint32_t warp, ctaid[3];    /* of the first occurrence */
	uint64_t cycle;
};

/* Keeps the first occurrence of each instruction; a zeroed struct is valid and empty. */
#define EXEC_NOTES 64
struct exec_notes {
	struct exec_note at[EXEC_NOTES];
	unsigned n;
};

/* Adds the note, unless there is one for that instruction or the array is full. */
void exec_notes_add(struct exec_notes *, const struct exec_note *);

/* "k.ptx:41:2 (shfl.sync.down.b32): its mask names lanes 16-31, which have exited: ..." */
struct text;
void exec_note_describe(const struct exec_note *, struct text *);

/* Divides a new CTA's shared memory: sets shared_bytes, slots_at and slots_end, and spoils the
 * slots, so that a value read before it was written is noticed. */
void exec_shared(struct cta *);

/* Starts a warp of a new CTA at its program's entry: lanes beyond the CTA's threads are marked as
 * exited. */
void exec_start(struct warp *, struct cta *, uint32_t warp_in_cta);

/* The warp's next instruction, or NULL when all its threads have exited. */
static inline const struct instr *exec_peek(const struct warp *w)
{
	return w->depth ? &w->program->code[w->stack[w->depth - 1].pc] : NULL;
}

/* Lanes that would execute it (guard applied, except for branches). */
uint32_t exec_mask(const struct warp *, const struct instr *);

enum exec_result { EXEC_OK, EXEC_AGAIN, EXEC_FAULT };

/* Deschedules the warp: the upper levels of its registers are written back, if hardware manages
 * them, and lost. */
void exec_deschedule(struct warp *);

struct lanes;

/* Executes the next instruction. EXEC_AGAIN: memory returned EXEC_RETRY; nothing happened.
 * EXEC_FAULT: *fault is filled in. An access whose generic addresses are in several spaces is
 * issued once for each of them and counted with the last. A barrier only advances the warp: the
 * caller handles the waiting. */
enum exec_result exec_issue(struct warp *, const struct lanes *, const struct exec_context *,
	const struct exec_memory *, struct access *, struct fault *);

/* The same of the instruction `next`, which is `simple` and, where the program has upper levels of
 * registers, `plain`: it needs nothing else. Returns the number of lanes. */
unsigned exec_simple(struct warp *, const struct instr *next, const struct lanes *);

/* The lane operations compiled for an instruction-set level ("baseline", "x86-64-v3", "x86-64-v4",
 * "arm64"). NULL name: the best of this host. NULL and a message when it is unknown or not
 * available. */
const struct lanes *lanes_select(const char *name, struct err *);
const char *lanes_name(const struct lanes *);

/* ---- untimed execution of a whole grid: checks, counts, limit studies. */
struct untimed_counts {
	uint64_t warp_instructions, thread_instructions, ctas;
	uint64_t by_class[CLASS_COUNT];
	uint64_t by_work[WORK_KINDS];   /* threads, by ptx/isa/operations.h */
	struct level_traffic registers; /* of programs with a register hierarchy */
};
/* Called after each instruction, with the lanes that executed it (of a branch: all active lanes,
 * taken or not), for statistics that the plain runner does not collect. */
struct untimed_watch {
	void *ctx;
	void (*executed)(void *ctx, const struct warp *, const struct instr *, uint32_t mask,
		const struct access *);
	/* Called after accesses of global and local memory and after texture fetches alone. Either
	 * may be NULL. */
	void (*accessed)(
		void *ctx, const struct warp *, const struct instr *, const struct access *);
};
/* Which CTAs take turns: as many as a chip would hold at once, a few instructions of each warp at a
 * time. Zeros: as untimed_run says. */
struct untimed_turns {
	uint32_t ctas;              /* at once */
	uint32_t warp_instructions; /* a warp's turn */
	uint64_t end;               /* no CTA from this one on; 0: to the grid's end */
};
struct positions;
struct races;
struct untimed_limits {
	uint64_t warp_instructions;        /* limit of all CTAs, against endless loops; 0: none */
	const struct untimed_watch *watch; /* NULL: none */
	/* Polled every few milliseconds: false ends the run as the limit does. NULL: not polled. */
	bool (*go_on)(void *ctx);
	void *ctx;
	struct positions *positions; /* receives the state of the warps of an ended run; or NULL */
	struct untimed_turns turns;
	struct races *races; /* receives races for shared memory (ptx/exec/races.h); or NULL */
};
/* Executes CTAs first, first + step, ... of the grid, each to completion before the next starts, if
 * it takes no more than 2^20 warp instructions. CTAs that take longer, or whose warps all wait for
 * values that others must write, are time-sliced while others start: at most 4096 CTAs of 262144
 * threads and 1 GB of host memory are resident. 0, or -1 with *fault filled in; a barrier that
 * cannot complete is FAULT_DIVERGED_BARRIER, CTAs that wait for each other forever are
 * FAULT_LIVELOCK; the limit, or `go_on` returning false, gives FAULT_NONE. ERR_RESOURCE in err when
 * the host has no memory. */
int untimed_run(const struct grid *, uint64_t first, uint64_t step, const struct lanes *,
	const struct exec_memory *, const struct untimed_limits *, struct untimed_counts *,
	struct fault *, struct err *);

/* Writes a sentence: "out-of-bounds 4-byte load from global address 0x..., thread (1,0,0) of CTA
 * (3,0,0), file:line:col", without the nearest buffer, which the caller knows. */
void fault_describe(const struct fault *, const struct program *, char *out, size_t n);

#endif
