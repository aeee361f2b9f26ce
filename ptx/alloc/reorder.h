/* Private to ptx/: reorders instructions within a block to reduce register pressure before
 * spilling. */
#ifndef PTX_ALLOC_REORDER_H
#define PTX_ALLOC_REORDER_H

#include "ptx/alloc/spill.h"
#include "ptx/ir/schedule.h"

/* A region of a block between two instructions that do not move. */
struct reorder_region {
	const struct sched_graph *graph;
	const uint8_t *words; /* by virtual register */
	const bool *again;    /* by instruction: a load that may be repeated */
	const uint8_t *made;  /* by value: instructions that recompute it; 0: not possible */
	uint32_t capacity;    /* 32-bit registers available */
};

/* 32-bit registers that a value takes. */
static inline uint32_t reorder_words(const struct reorder_region *s, uint32_t value)
{
	return ir_reg_words(s->words[s->graph->value[value].reg]);
}

/* ptx/alloc/reorder_orders.c: enumerates candidate orders: results that share the most operands are
 * computed together, in groups of increasing size. `across`: ties prefer results that are far
 * apart. */
struct reorder_orders;
struct reorder_orders *reorder_orders_new(
	const struct reorder_region *, bool across, struct arena *);
/* Fills `order` with the instructions of the region. False: no more orders. */
bool reorder_orders_next(struct reorder_orders *, uint32_t *order);

/* A load that is repeated before position `at` of the order. */
struct reorder_load {
	uint32_t position, value;
};

/* ptx/alloc/reorder_cost.c: the cost of an order with that number of registers: spill loads and
 * stores when the value with the furthest next use is evicted. */
struct reorder_cost;
struct reorder_cost *reorder_cost_new(const struct reorder_region *, struct arena *);
float reorder_cost_of(struct reorder_cost *, const uint32_t *order);
/* Of the last order evaluated: the loads that are repeated, by position. */
const struct reorder_load *reorder_cost_loads(const struct reorder_cost *, uint32_t *n);

/* Of the last order evaluated: whether the value was evicted and needed again. */
bool reorder_cost_lost(const struct reorder_cost *, uint32_t value);

/* ptx/alloc/reorder.c: the plan's function with the regions reordered whose pressure exceeds their
 * capacity. *lost: by register of the result, whether it is preferred for spilling over others of
 * the same cost. Liveness must be computed again. */
struct ir_function reorder_function(const struct spill_plan *, bool **lost);

/* The function in the order that would need the fewest spill loads and stores with a handful of
 * registers: each value is used as soon after its definition as possible. No load is repeated; the
 * pressure may be higher than before. */
struct ir_function reorder_near_uses(
	const struct ir_module *, const struct ir_function *, const struct live *, struct arena *);

/* ptx/alloc/hoist.c: hoists updates of loop-carried registers. */
void hoist_updates(struct ir_function *, struct arena *work);

#endif
