/* Private to ptx/: what a register allocator does. One plugin a file, kind "register allocator". */
#ifndef PTX_ALLOC_H
#define PTX_ALLOC_H

#include "core/plugin.h"
#include "ptx/live.h"

#define ALLOC_KIND "register allocator"
#define ALLOC_DEFAULT "colour"

/* One register file's share of the work: the registers of one class, predicates or 32-bit words. */
struct alloc_job {
	const struct ir_function *function;
	const struct live *live;
	bool preds;
	uint32_t floor;  /* no assignment can need fewer */
	uint16_t *place; /* out: place[v] for all v of the class; a 64-bit value also has place[v] +
			    1 */
	struct arena *work;
};

static inline bool alloc_mine(const struct alloc_job *j, uint32_t v)
{
	return (j->function->words[v] == 0) == j->preds;
}

/* Places of the class that register v takes. */
static inline uint32_t alloc_size(const struct alloc_job *j, uint32_t v)
{
	return j->preds ? 1 : j->function->words[v];
}

/* Two registers that hold needed values at one point never share a place; results of one
 * instruction never share one either, and a result nobody reads still needs a place. A result may
 * share with a source that dies there.
 *
 * Per-thread liveness is enough under divergence: a place is a plane of 32 lanes, every write is
 * masked to the active lanes, so each lane's storage sees only the writes on the path of its own
 * thread. A value live in one arm cannot be lost to the other arm's execution, because that touches
 * other lanes. The same holds for predicates, which are lane masks written under the same mask. */
struct alloc_ops {
	uint32_t (*assign)(const struct alloc_job *); /* returns places used */
};

#endif
