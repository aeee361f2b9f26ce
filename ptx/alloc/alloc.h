/* Private to ptx/: the interface of a register allocator. One plugin per file, kind "register
 * allocator". */
#ifndef PTX_ALLOC_ALLOC_H
#define PTX_ALLOC_ALLOC_H

#include "core/plugin.h"
#include "ptx/ir/live.h"

#define ALLOC_KIND "register allocator"
#define ALLOC_DEFAULT "colour"

#define NO_LOCATION UINT16_MAX

/* What is allocated separately. */
enum alloc_class {
	ALLOC_WORDS, /* 32-bit registers */
	ALLOC_PREDS,
	ALLOC_SLOTS /* 32-bit words of spill slots in the frame; 64-bit slots are aligned to even
		       words */
};

struct alloc_graph; /* ptx/alloc/graph.h */

/* A limit on the locations. What does not fit is left unassigned; the caller spills it and calls
 * the allocator again. */
struct alloc_limit {
	const uint16_t *locations; /* by virtual register: its locations must be below this */
	const float *cost;     /* spill cost by virtual register; INFINITY: it cannot be spilled */
	uint32_t *left, nleft; /* out: the registers left unassigned; capacity for all registers */
};

/* The allocation of one class. */
struct alloc_job {
	const struct ir_function *function;
	const struct live *live;
	enum alloc_class class;
	uint32_t floor;     /* lower bound: no assignment needs fewer */
	uint16_t *location; /* out: location of each virtual register of the class; a 64-bit value
			    also takes the next one */
	struct alloc_limit *limit; /* NULL: unlimited */
	struct alloc_graph *graph; /* all zero, where the graph of the function and class is kept
				      for the next step; NULL: nowhere */
	struct arena *work;
};

static inline bool alloc_mine(const struct alloc_job *j, uint32_t v)
{
	uint8_t words = j->function->words[v];

	if (words & IR_SLOT)
		return j->class == ALLOC_SLOTS && !(words & IR_SHARED);
	return j->class == (words ? ALLOC_WORDS : ALLOC_PREDS);
}

/* The number of locations that virtual register v takes. */
static inline uint32_t alloc_size(const struct alloc_job *j, uint32_t v)
{
	return j->class == ALLOC_PREDS ? 1 : j->function->words[v] & ~IR_SLOT;
}

/* Whether a register of that size may start at the location. */
static inline bool alloc_aligned(const struct alloc_job *j, uint32_t location, uint32_t size)
{
	return j->class != ALLOC_SLOTS || size == 1 || location % 2 == 0;
}

/* Whether the register, at this location, stays below its limit. */
static inline bool alloc_fits(const struct alloc_job *j, uint32_t v, uint32_t location)
{
	return !j->limit || location + alloc_size(j, v) <= j->limit->locations[v];
}

/* Two registers that are live at the same point never share a location. Nor do two results of one
 * instruction, and a result that is never read still needs a location. A result may share its
 * location with a source that dies at the instruction.
 *
 * Per-thread liveness is correct under divergence: a location is 32 lanes wide and every write is
 * masked to the active lanes, so the storage of a lane sees only the writes on the path of its own
 * thread. The other arm of a branch cannot overwrite a live value, because it writes other lanes.
 * The same holds for predicates, which are lane masks written under the same mask, and for spill
 * slots, which are private to a thread. */
struct alloc_ops {
	uint32_t (*assign)(const struct alloc_job *); /* returns the number of locations used */
};

#endif
