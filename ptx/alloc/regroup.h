/* Private to ptx/: instructions of a block in an order that needs fewer registers, before what is
 * left is spilled. */
#ifndef PTX_ALLOC_REGROUP_H
#define PTX_ALLOC_REGROUP_H

#include "ptx/alloc/spill.h"
#include "ptx/ir/schedule.h"

/* A stretch of a block between two instructions that stay where they are. */
struct regroup_stretch {
	const struct sched_graph *graph;
	const uint8_t *words; /* by virtual register */
	const bool *again;    /* by instruction: a load that may be executed once more */
	const uint8_t *made;  /* by value: instructions that make it anew; 0: none can */
	uint32_t room;        /* 32-bit registers */
};

/* Words that a value takes of 32-bit registers. */
static inline uint32_t regroup_words(const struct regroup_stretch *s, uint32_t value)
{
	return ir_reg_words(s->words[s->graph->value[value].reg]);
}

/* ptx/alloc/regroup_order.c: orders worth trying, one after the other: results that share the most
 * are made together, in ever larger groups. `across`: of equals, those far from each other. */
struct regroup_orders;
struct regroup_orders *regroup_orders_new(
	const struct regroup_stretch *, bool across, struct arena *);
/* Fills order with the stretch's instructions. False: there is no other. */
bool regroup_orders_next(struct regroup_orders *, uint32_t *order);

/* A value that is loaded once more before the instruction at that place of the order. */
struct regroup_load {
	uint32_t place, value;
};

/* ptx/alloc/regroup_keep.c: what an order costs in so many registers: instructions that fetch and
 * store, when what is needed last makes way first. */
struct regroup_keep;
struct regroup_keep *regroup_keep_new(const struct regroup_stretch *, struct arena *);
float regroup_keep_cost(struct regroup_keep *, const uint32_t *order);
/* Of the order that was looked at last: the loads that are executed again, by place. */
const struct regroup_load *regroup_keep_loads(const struct regroup_keep *, uint32_t *n);

/* Of the order that was looked at last: whether the value made way and was needed again. */
bool regroup_keep_lost(const struct regroup_keep *, uint32_t value);

/* ptx/alloc/regroup.c: the plan's function with stretches that need more registers than their room
 * in other orders. *lost: by register of the result, whether it should be spilled there rather than
 * others that cost as much. Liveness must be found anew. */
struct ir_function regroup_function(const struct spill_plan *, bool **lost);

/* The function in the order that would fetch and store the least if there were but a handful of
 * registers: values are used as soon behind their making as possible. No load is repeated; it may
 * need more registers at once than before. */
struct ir_function regroup_near(
	const struct ir_module *, const struct ir_function *, const struct live *, struct arena *);

/* ptx/alloc/early.c: updates of registers for the next turn of a loop stand early. */
void update_early(struct ir_function *, struct arena *work);

#endif
