/* Private to ptx/: instruction scheduling within basic blocks, before register allocation. */
#ifndef PTX_IR_SCHEDULE_H
#define PTX_IR_SCHEDULE_H

#include "ptx/ir/live.h"

struct schedule_options {
	enum schedule_kind kind;
	uint32_t extra;    /* registers allowed above the pressure of the PTX order */
	uint32_t least;    /* registers allowed in any case */
	uint32_t max_regs; /* limit of a thread */
};

/* ptx/ir/schedule.c: schedules each block, with SCHEDULE_LATENCY by latencies, else long-latency
 * operations early. The pressure rises by at most `extra`, or to `least`, and not above max_regs;
 * where it already exceeds max_regs, no block exceeds the larger of its previous pressure and
 * max_regs. Liveness must be computed again. */
void schedule_function(
	struct ir_function *, const struct live *, const struct schedule_options *, struct arena *);

/* A region of a block between two instructions that do not move; its instructions are numbered from
 * 0 in program order. */
#define NO_NODE UINT32_MAX  /* also: no value, read, edge */
#define SCHEDULE_CLASSES 2u /* registers, predicates */

/* The value of a register from a write (or the region's begin) to the next write. */
struct sched_value {
	uint32_t reg;
	uint32_t def;         /* instruction; NO_NODE: live-in */
	uint32_t first, last; /* reads that are not scheduled yet, in program order */
	bool out;             /* live after the region */
};

struct sched_read {
	uint32_t value, instr, prev, next; /* the reads of a value are linked */
	uint32_t sibling;                  /* next read of the same instruction */
};

struct sched_edge {
	uint32_t to, next;
};

struct sched_node {
	uint32_t edges;    /* to dependent instructions */
	uint32_t waits;    /* unscheduled predecessors */
	uint32_t reads;    /* first of its reads */
	uint32_t def, end; /* values that it defines */
	uint32_t height;   /* cycles from its issue to the region's end */
	uint32_t ready;    /* the cycle in which its sources are there */
	uint32_t wave;     /* the largest number of late results on a dependence chain to it */
	bool late;         /* its result has a long latency */
	bool leads;        /* a late result of the same wave depends on it */
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
	uint32_t *held, *stamp; /* by register: its last value, valid when stamp is now */
	uint32_t now;
	uint32_t *readers; /* of each memory, since the last write */
};

/* ptx/ir/schedule_graph.c: allocates for any region of the function. */
struct sched_graph sched_graph_new(const struct ir_function *, struct arena *);
/* Builds the dependence graph of n instructions from `code` on; `after`: live-out of the region. */
void sched_graph_build(struct sched_graph *, const struct ir_instr *code, uint32_t n,
	const struct live_set *after);
/* Whether no instruction may move across it. */
bool sched_is_fixed(const struct ir_instr *);
bool sched_is_late(const struct ir_instr *);

/* The cycles from the issue of the instruction `from` to that of `to`, which depends on it. */
uint32_t sched_distance(const struct sched_graph *, uint32_t from, uint32_t to);

/* Removes a read from its value's list. */
void sched_drop_read(struct sched_graph *, uint32_t read);

#endif
