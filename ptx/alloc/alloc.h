/* Private to ptx/: what a register allocator does. One plugin a file, kind "register allocator". */
#ifndef PTX_ALLOC_ALLOC_H
#define PTX_ALLOC_ALLOC_H

#include "core/plugin.h"
#include "ptx/ir/live.h"

#define ALLOC_KIND "register allocator"
#define ALLOC_DEFAULT "colour"

#define NO_PLACE UINT16_MAX

/* What has places of its own. */
enum alloc_class {
	ALLOC_WORDS, /* 32-bit registers */
	ALLOC_PREDS,
	ALLOC_SLOTS /* words of spill slots; pairs begin at even places */
};

/* Places end somewhere: what gets none is spilled by the caller, who then asks again. */
struct alloc_limit {
	const uint16_t *places; /* by register: its places lie below */
	const float *cost;      /* of going without, by register; INFINITY: not possible */
	uint32_t *left, nleft;  /* out: those without a place; room for all registers */
};

/* One class's share of the work. */
struct alloc_job {
	const struct ir_function *function;
	const struct live *live;
	enum alloc_class class;
	uint32_t floor;  /* no assignment can need fewer */
	uint16_t *place; /* out: place[v] for all v of the class; a 64-bit value also has place[v] +
			    1 */
	struct alloc_limit *limit; /* NULL: none */
	struct arena *work;
};

static inline bool alloc_mine(const struct alloc_job *j, uint32_t v)
{
	uint8_t words = j->function->words[v];

	if (words & IR_SLOT)
		return j->class == ALLOC_SLOTS;
	return j->class == (words ? ALLOC_WORDS : ALLOC_PREDS);
}

/* Places of the class that register v takes. */
static inline uint32_t alloc_size(const struct alloc_job *j, uint32_t v)
{
	return j->class == ALLOC_PREDS ? 1 : j->function->words[v] & ~IR_SLOT;
}

/* Whether a register of that size may begin there. */
static inline bool alloc_aligned(const struct alloc_job *j, uint32_t place, uint32_t size)
{
	return j->class != ALLOC_SLOTS || size == 1 || place % 2 == 0;
}

/* Whether the register ends below its limit. */
static inline bool alloc_fits(const struct alloc_job *j, uint32_t v, uint32_t place)
{
	return !j->limit || place + alloc_size(j, v) <= j->limit->places[v];
}

/* Two registers that hold needed values at one point never share a place; results of one
 * instruction never share one either, and a result nobody reads still needs a place. A result may
 * share with a source that dies there.
 *
 * Per-thread liveness is enough under divergence: a place is a plane of 32 lanes, every write is
 * masked to the active lanes, so each lane's storage sees only the writes on the path of its own
 * thread. A value live in one arm cannot be lost to the other arm's execution, because that touches
 * other lanes. The same holds for predicates, which are lane masks written under the same mask, and
 * for spill slots, which each thread has for itself. */
struct alloc_ops {
	uint32_t (*assign)(const struct alloc_job *); /* returns places used */
};

#endif
