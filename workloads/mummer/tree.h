/* The suffix tree of a text, as arrays of nodes that a device can walk. */
#ifndef WORKLOADS_MUMMER_TREE_H
#define WORKLOADS_MUMMER_TREE_H

#include "core/mem.h"

#define LETTERS 4u

/* The edge that leads to a node: text[start .. end - 1], below `above` letters. `link` is the node
 * that spells the same without the first letter. Node 0 is the root, and no node's child. */
struct edge {
	int32_t start, end, link, above;
};

/* The node above, the first one below, the next one beside, in the order of letters; 0: none. */
struct branch {
	int32_t parent, child, next;
};

/* All arrays have `nodes` elements, in the caller's arena. */
struct tree {
	const uint8_t *text; /* the caller's: n letters, each below LETTERS, then LETTERS */
	int32_t n;
	int32_t nodes;
	int32_t (*children)[LETTERS]; /* by their edges' first letters; 0: none */
	int32_t *ends;                /* the child whose edge is the text's end; 0: none */
	struct edge *edges;
	struct branch *branches;
	int32_t *leaves; /* at or below a node */
};

/* A leaf for each of the n + 1 suffixes, the end alone too: it is found at edge.start - edge.above.
 * Where several begin alike, an inner node's edge.start - edge.above is the first of them. */
struct tree tree_new(const uint8_t *text, uint32_t n, struct arena *);

#endif
