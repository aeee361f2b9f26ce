/* Private to ptx/: the interference graph of a class, and its coalescing candidates. */
#ifndef PTX_ALLOC_GRAPH_H
#define PTX_ALLOC_GRAPH_H

#include "ptx/alloc/alloc.h"

/* Coalescing hint: location of the owner = location of `other` + delta saves a move. */
struct alloc_hint {
	uint32_t other, next; /* next: 1 + index, 0: none */
	int32_t delta;
};

struct alloc_graph {
	const struct alloc_job *job; /* NULL: not built */
	uint32_t *node, n; /* registers of the class that occur, in reverse postorder of the code */
	uint64_t *first;   /* by virtual register + 1: edges first[v] .. first[v + 1] - 1 */
	uint32_t *edges;
	struct alloc_hint *hints;
	uint32_t *hint_of, nhints; /* 1 + index */
};

/* The job's graph: built if it has none yet, in its arena. */
const struct alloc_graph *alloc_graph_of(const struct alloc_job *);

#endif
