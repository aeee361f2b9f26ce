/* Executable graphs. */
#ifndef CUDA_GRAPH_EXEC_H
#define CUDA_GRAPH_EXEC_H

#include "cuda/graph/graph.h"

#define EXEC_LANES 16u /* streams of a graph; the first is the one that it is launched into */
#define EXEC_NONE UINT64_MAX

/* A node in the order. */
struct step {
	unsigned at, lane; /* at: of the graph's nodes */
	uint64_t done;     /* an event that other lanes wait for; EXEC_NONE */
};

struct exec {
	void *handle;
	struct graph *graph;
	struct step *step; /* by order */
	unsigned *order;   /* of the graph's nodes, their steps */
	unsigned nlanes;
	uint64_t lane[EXEC_LANES],
		done[EXEC_LANES]; /* done: the lane's last step is; [0]: all is */
	uint64_t begun, stream;   /* of the last launch; stream EXEC_NONE: there was none */
	unsigned long long flags;
	struct exec **child; /* by step; NULL */
};

#endif
