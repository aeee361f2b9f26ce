/* Breadth-first search level by level, one thread a node: `bfs_expand` lets every node of the
 * frontier give its unvisited neighbours a cost, `bfs_advance` makes those the next frontier and
 * tells the host that there is one (Harish and Narayanan, HiPC 2007). */
#include "cuda.h"

struct node {
	int first, degree;
};

/* Several threads may give one neighbour its cost: all of them give the same. */
extern "C" __global__ void bfs_expand(const node *nodes, const int *edges, bool *frontier,
	bool *updating, const bool *visited, int *cost, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i >= n || !frontier[i])
		return;
	frontier[i] = false;
	for (int e = nodes[i].first; e < nodes[i].first + nodes[i].degree; e++) {
		int neighbour = edges[e];

		if (!visited[neighbour]) {
			cost[neighbour] = cost[i] + 1;
			updating[neighbour] = true;
		}
	}
}

extern "C" __global__ void bfs_advance(
	bool *frontier, bool *updating, bool *visited, int *more, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i >= n || !updating[i])
		return;
	frontier[i] = true;
	visited[i] = true;
	*more = 1;
	updating[i] = false;
}
