/* Causes of misses of the MICRO 2012 figures, by workload, from measurements at other sizes and
 * parameters and from the kernels. Figures in words are of runs at size small, unless they say
 * otherwise. */
#include "papers/causes.h"

#include "papers/store.h"

#include <string.h>

#define ONE_SM (1u << STORE_PAPER | 1u << STORE_CLUSTERS)
#define CLUSTERS (1u << STORE_CLUSTERS)
#define CHIP (1u << STORE_CHIP)
#define ANY (ONE_SM | CHIP)

#define GRAPH \
	"it depends on the graph, which the paper does not give: what fits beside it into the " \
	"cache"
#define ONCE "each CTA reads its input once: a cache finds no reuse"
#define NO_LOADS "the scene is in the kernel's parameters: a cache finds no reuse"
#define TREE \
	"a lookup fetches a whole line for a node of the tree, which the original reads through " \
	"a texture: with l1.whole_line=false one SM is 1.20 times as fast"
#define DIAGONAL \
	"the scores' diagonals are in one cluster, and in four of its banks: counted by cluster " \
	"they take 32 cycles in either design, by bank 32 and 8"
#define FEW_BLOCKS \
	"a diagonal has fewer blocks than two for each SM: the rest of the storage is unused"
#define WALKS_AGAIN "each row of tiles walks through a matrix again that is larger than 64 KB"
#define LOOKUPS "lookups in tables of shared memory use fewer banks than before, or clusters"
#define LOOKUPS_CLUSTERS \
	"counted by cluster, accesses to its tile in shared memory conflict more often; by bank they do not"
#define MORE_KEPT "DRAM bytes fall as the paper's do, but take a larger part of our kernel's time"
#define LU_INTERIOR \
	"the kernel that executes most has 8 bytes a thread of shared memory, only another one 96"
#define MORE_THREADS "shared memory holds twice the threads; at size full their conflicts cost more"
#define FEWER_BYTES "bound by DRAM: it saves the cycles that the saved bytes take at 8 B/ns"
#define ISSUE "issue and conflicts fill most cycles in either design"
#define BANKS_ALONE \
	"the gain is conflicts counted by bank, which no capacity changes; counted by cluster it " \
	"is 1.05, 1.01 and 0.99 for 128, 256 and 384 KB (size full): 384 threads are as fast as 1024"
#define LARGE_CTAS "CTAs have 256 threads: one fits, where smaller ones would leave 384 and more"
#define THREADS_DO "768 threads fit, and issue as often as 1024"
#define OWN_CTAS \
	"an SM has only its own CTAs, and an L1 that each launch invalidates: at size full it hits " \
	"5 % partitioned and 3 % with what 128 KB leave (one SM: 38 and 6 %)"
#define STORES_MEET \
	"the same stores wait 23 % longer in the network's and the DRAM's queues at size full, " \
	"at any capacity; one SM takes the same time"
#define LARGE_TREE \
	"its tree is far larger than all caches: a line is fetched for one node of it, where " \
	"without a cache only the node is, and 512 KB keep more of it than 256"

static const struct {
	const char *workload, *figure;
	unsigned columns; /* bits */
	const char *text;
} causes[] = {
	{"bfs", "speedup", ANY, GRAPH},
	{"bfs", "dram", ANY, GRAPH},
	{"dgemm", "speedup", ANY, ISSUE},
	{"lu", "speedup", ONE_SM, ISSUE},
	{"lu", "dram", CHIP, CAUSE_L2},
	{"mummer", "speedup", ANY, TREE},
	{"mummer", "dram", ANY, TREE},
	{"pcr", "speedup", ANY, ONCE},
	{"pcr", "dram", ANY, ONCE},
	{"ray", "speedup", ANY, NO_LOADS},
	{"ray", "dram", ANY, NO_LOADS},
	{"srad", "speedup", ONE_SM, MORE_KEPT},
	{"srad", "speedup", CHIP, CAUSE_L2},
	{"srad", "dram", CHIP, CAUSE_L2},
	{"needle", "speedup", CLUSTERS, DIAGONAL},
	{"needle", "speedup", CHIP, FEW_BLOCKS},
	{"needle", "speedup", 1u << STORE_PAPER, BANKS_ALONE},
	{"dgemm", "least", ANY, LARGE_CTAS},
	{"lu", "least", CHIP, OWN_CTAS},
	{"pcr", "least", ANY, THREADS_DO},
	{"ray", "least", ANY, THREADS_DO},
	{"lu", "fermi", ONE_SM, ISSUE},
	{"pcr", "fermi", ANY, ONCE},
	{"ray", "fermi", ANY, NO_LOADS},
	{"needle", "fermi", CHIP, FEW_BLOCKS},
	{"pcr", "cache", ANY, ONCE},
	{"mummer", "cache", ANY, LARGE_TREE},
	{"lu", "partition", ANY, LU_INTERIOR},
	{"dgemm", "partition", ANY, "CTAs have 256 threads"},
	{"matrixmul", "speedup", ANY, WALKS_AGAIN},
	{"nn", "speedup", ANY, CAUSE_ADDRESSES},
	{"hotspot", "speedup", ANY, CAUSE_ADDRESSES},
	{"hwt", "speedup", ANY, CAUSE_ADDRESSES},
	{"lps", "speedup", CLUSTERS, LOOKUPS_CLUSTERS},
	{"dwthaar1d", "speedup", ANY, CAUSE_ADDRESSES},
	{"aes", "speedup", ANY, LOOKUPS},
	{"sto", "speedup", ANY, MORE_THREADS},
	{"sobolqrng", "speedup", CHIP, STORES_MEET},
	{"backprop", "speedup", ANY, FEWER_BYTES},
	{"recursivegaussian", "speedup", ANY, FEWER_BYTES},
};

const char *store_cause(const char *workload, unsigned column, const char *figure)
{
	for (unsigned i = 0; i < ARRAY_LEN(causes); i++)
		if (!strcmp(causes[i].workload, workload) && !strcmp(causes[i].figure, figure) &&
			causes[i].columns >> column & 1)
			return causes[i].text;
	return NULL;
}
