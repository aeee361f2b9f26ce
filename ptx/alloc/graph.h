/* Private to ptx/: which registers of a class may not share a place, and which would like to. */
#ifndef PTX_ALLOC_GRAPH_H
#define PTX_ALLOC_GRAPH_H

#include "ptx/alloc/alloc.h"

/* A wish: place of the owner = place of `other` + delta, to save a move. */
struct alloc_hint {
	uint32_t other, next; /* next: 1 + index, 0: none */
	int32_t delta;
};

struct alloc_graph {
	const struct alloc_job *job;
	uint32_t *node, n; /* registers of the class that occur, in reverse postorder of the code */
	uint64_t *first;   /* by virtual register + 1: edges first[v] .. first[v + 1] - 1 */
	uint32_t *edges;
	bool counting; /* edges, while the graph is built */
	struct alloc_hint *hints;
	uint32_t *hint_of, nhints; /* 1 + index */
};

/* The job's; all in its arena. */
void alloc_graph_build(struct alloc_graph *, const struct alloc_job *);

#endif
