/* Private to ptx/: spilled values in shared memory. What finds no register gets a slot of shared
 * memory while there are any; the rest stays in local memory (Hayes and Zhang, "Unified On-chip
 * Memory Allocation for SIMT Architecture", ICS 2014, section 3).
 *
 * A slot is one 32-bit word of each thread. The slots of a warp are rows of 32 words, one for each
 * lane: an access touches all banks once. A 64-bit value takes two rows and two instructions. */
#ifndef PTX_ALLOC_SLOTS_H
#define PTX_ALLOC_SLOTS_H

#include "ptx/alloc/fit.h"
#include "ptx/alloc/slots_window.h"

/* ---- which values (ptx/alloc/slots_live.c, ptx/alloc/slots_prune.c). */

/* A spilled value. */
struct slot_var {
	uint32_t function, vreg;
	uint32_t words;
	double uses; /* accesses, weighted by execution frequency */
	bool local;  /* out of slots_prune: stays in local memory */
};

/* Values that are live at once behind `times` instructions, including the frames of the callers:
 * the live set of composition instructions. */
struct slot_set {
	uint64_t *bits; /* by value */
	uint32_t words, times;
};

struct slot_sets {
	struct slot_var *var;
	uint32_t nvars, planes; /* planes: 64-bit words of a set */
	struct slot_set *set;   /* those above the limit */
	uint32_t n, cap;
	uint32_t max_live; /* words of the largest set */
};

/* Drops values until no set exceeds the limit: of those in a set that still does the one of the
 * lowest rank; among equals the one with fewer accesses, then the later one. */
void slots_prune(struct slot_sets *, uint32_t limit, enum spill_rank, struct arena *work);

/* ---- their slots (ptx/alloc/slots_colour.c). */

struct slot_graph {
	uint32_t n, planes;
	const uint8_t *size; /* words of each value */
	uint64_t *edge;      /* `planes` words for each value: whom it interferes with */
};

static inline bool slots_meet(const struct slot_graph *g, uint32_t a, uint32_t b)
{
	return g->edge[(size_t)a * g->planes + b / 64] >> b % 64 & 1;
}

/* Gives values slots below `budget`, in the order of falling degree, the lowest, so those in use
 * first; if that leaves values without one, by maximum cardinality search, which leaves none in a
 * chordal graph of single words. location: NO_LOCATION for those left. Returns their number. */
uint32_t slots_colour(
	const struct slot_graph *, uint32_t budget, uint16_t *location, struct arena *work);

/* ---- a kernel (ptx/alloc/slots.c, its frames ptx/alloc/slots_stack.c). */

struct slot_frame {
	uint32_t base, words;
	bool used;       /* it or a function that it calls has slots */
	uint32_t *first; /* by call of the function: its moves, first[c] .. first[c + 1] - 1 */
	struct slot_move *move;
};

struct slot_plan {
	uint32_t words; /* of a thread, all frames */
	uint32_t moves;
	uint32_t reserved;        /* registers above the kernel's frames: the pointer; with moves, a
				     second one that they pass through */
	struct slot_frame *frame; /* by function */
};

/* After fit_kernel has succeeded with this limit: allocates again with registers set aside, and
 * assigns slots in shared memory. plan->words is 0, and the allocation what it was, when there is
 * nothing to assign. 0, or -1 with a message. */
int slots_fit(
	struct fit *, struct fit_need limit, const struct spill_options *, struct slot_plan *);

/* The moves around the call at an instruction of a function, *n of them. */
const struct slot_move *slots_moves(const struct slot_plan *, const struct ir_module *,
	uint32_t function, uint32_t instr, uint32_t *n);

/* ---- shared by these files. */

/* A function of the kernel with the liveness of its slots. */
struct slot_code {
	uint32_t function;
	struct ir_function f; /* a copy, whose calls liveness may replace */
	const struct live *live;
	uint32_t *number; /* by virtual register: 1 + its value; 0: no slot */
};

/* The slots live behind an instruction. */
struct slot_point {
	uint32_t block, instr;
	const uint32_t *vreg;
	uint32_t n, words;
};
typedef void slot_point_fn(void *ctx, const struct slot_point *);

struct slots {
	struct fit *fit;
	const struct spill_options *options;
	struct arena *work;
	struct slot_code *code; /* in the order of the frames: callers before callees */
	uint32_t n;
	uint32_t *position; /* by function: its index in code */
	struct slot_sets sets;
};

/* ptx/alloc/slots_live.c: finds the values, all of them local so far. */
void slots_find(struct slots *);
/* Visits the instructions of a function, backwards; with `shared`, slots in shared memory only. */
void slots_walk(
	const struct slots *, const struct slot_code *, bool shared, slot_point_fn *, void *);
/* Collects the sets above the limit. 0, or -1 with a message: there are too many. */
int slots_collect(struct slots *, uint32_t limit);
/* ptx/alloc/slots_colour.c: assigns slots to the values of each function that are not local. Those
 * without a slot become local. Returns the words of each function's frame in frame[].words. */
void slots_assign(struct slots *, struct slot_plan *);
/* ptx/alloc/slots_stack.c: the frames' bases, the moves, and the plan's words. */
void slots_stack(struct slots *, struct slot_plan *);

#endif
