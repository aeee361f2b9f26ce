/* Private to ptx/: reorders instructions within a block to reduce register pressure before
 * spilling. */
#ifndef PTX_ALLOC_REGROUP_H
#define PTX_ALLOC_REGROUP_H

#include "ptx/alloc/spill.h"
#include "ptx/ir/schedule.h"

/* A region of a block between two instructions that do not move. */
struct regroup_stretch {
	const struct sched_graph *graph;
	const uint8_t *words; /* by virtual register */
	const bool *again;    /* by instruction: a load that may be repeated */
	const uint8_t *made;  /* by value: instructions that recompute it; 0: not possible */
	uint32_t room;        /* 32-bit registers available */
};

/* 32-bit registers that a value takes. */
static inline uint32_t regroup_words(const struct regroup_stretch *s, uint32_t value)
{
	return ir_reg_words(s->words[s->graph->value[value].reg]);
}

/* ptx/alloc/regroup_order.c: enumerates candidate orders: results that share the most operands are
 * computed together, in groups of increasing size. `across`: ties prefer results that are far
 * apart. */
struct regroup_orders;
struct regroup_orders *regroup_orders_new(
	const struct regroup_stretch *, bool across, struct arena *);
/* Fills `order` with the instructions of the region. False: no more orders. */
bool regroup_orders_next(struct regroup_orders *, uint32_t *order);

/* A load that is repeated before position `at` of the order. */
struct regroup_load {
	uint32_t place, value;
};

/* ptx/alloc/regroup_keep.c: the cost of an order with that number of registers: spill loads and
 * stores when the value with the furthest next use is evicted. */
struct regroup_keep;
struct regroup_keep *regroup_keep_new(const struct regroup_stretch *, struct arena *);
float regroup_keep_cost(struct regroup_keep *, const uint32_t *order);
/* Of the last order evaluated: the loads that are repeated, by position. */
const struct regroup_load *regroup_keep_loads(const struct regroup_keep *, uint32_t *n);

/* Of the last order evaluated: whether the value was evicted and needed again. */
bool regroup_keep_lost(const struct regroup_keep *, uint32_t value);

/* ptx/alloc/regroup.c: the plan's function with the regions reordered whose pressure exceeds their
 * capacity. *lost: by register of the result, whether it is preferred for spilling over others of
 * the same cost. Liveness must be computed again. */
struct ir_function regroup_function(const struct spill_plan *, bool **lost);

/* The function in the order that would need the fewest spill loads and stores with a handful of
 * registers: each value is used as soon after its definition as possible. No load is repeated; the
 * pressure may be higher than before. */
struct ir_function regroup_near(
	const struct ir_module *, const struct ir_function *, const struct live *, struct arena *);

/* ptx/alloc/early.c: hoists updates of loop-carried registers. */
void update_early(struct ir_function *, struct arena *work);

#endif
