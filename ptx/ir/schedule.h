/* Private to ptx/: instructions of a block in another order, before registers are allocated. */
#ifndef PTX_IR_SCHEDULE_H
#define PTX_IR_SCHEDULE_H

#include "ptx/ir/live.h"

struct schedule_options {
	enum schedule_kind kind;
	uint32_t extra;    /* registers more than the order of the PTX needs */
	uint32_t max_regs; /* that a thread may have */
};

/* ptx/ir/schedule.c: orders each block anew. Needs no more registers at once than before plus
 * `extra`, and where that stays below max_regs; where the function already needs more than
 * max_regs, no block needs more than before or than max_regs. Liveness is not true any more
 * afterwards. */
void schedule_function(
	struct ir_function *, const struct live *, const struct schedule_options *, struct arena *);

/* A stretch of a block between two instructions that stay where they are: its instructions are
 * numbered from 0 in their first order. */
#define NO_NODE UINT32_MAX  /* nor value, read, edge */
#define SCHEDULE_CLASSES 2u /* registers, predicates */

/* A register from a write (or the stretch's begin) to the next one. */
struct sched_value {
	uint32_t reg;
	uint32_t def;         /* instruction; or NO_NODE: from before */
	uint32_t first, last; /* reads that are not scheduled yet, in their first order */
	bool out;             /* needed behind the stretch */
};

struct sched_read {
	uint32_t value, instr, prev, next; /* reads of the same value */
	uint32_t sibling;                  /* next one of the same instruction */
};

struct sched_edge {
	uint32_t to, next;
};

struct sched_node {
	uint32_t edges;    /* to those that must come later */
	uint32_t waits;    /* how many must come before and have not */
	uint32_t reads;    /* first one */
	uint32_t def, end; /* values that it makes */
	uint32_t wave;     /* late results, one behind the other, before it can be executed */
	bool late;         /* its result comes late */
	bool leads;        /* a late result of the same wave needs it */
	bool done;
};

struct sched_graph {
	const struct ir_function *f;
	const struct ir_instr *code;
	uint32_t n;
	struct sched_node *node;
	struct sched_value *value;
	struct sched_read *read;
	struct sched_edge *edge;
	uint32_t nvalues, nreads, nedges;
	uint32_t *held, *stamp; /* by register: its last value, when stamp is now */
	uint32_t now;
	uint32_t *readers; /* of each memory since it was written */
};

/* ptx/ir/schedule_graph.c: room for any stretch of the function. */
struct sched_graph sched_graph_new(const struct ir_function *, struct arena *);
/* Of the n instructions from `code` on; `after`: what is needed behind them. */
void sched_graph_build(struct sched_graph *, const struct ir_instr *code, uint32_t n,
	const struct live_set *after);
/* Nothing moves past it. */
bool sched_is_fixed(const struct ir_instr *);
bool sched_is_late(const struct ir_instr *);

/* Takes a read out of its value's list. */
void sched_drop_read(struct sched_graph *, uint32_t read);

#endif
