/* Why rows of Table 1 miss the paper's figures, from measurements at other sizes and parameters (of
 * one SM, unless words say otherwise) and from the kernels. Data for
 * readers; nothing is computed from it. */
#include "papers/m12/table1_rows.h"

#include "papers/causes.h"
#include "papers/m12/m12.h"

#include <stddef.h>
#include <string.h>

#define ONE_SM (1u << STORE_PAPER)
#define CHIP (1u << STORE_CHIP)
#define ANY (ONE_SM | CHIP)

#define HALO \
	"two steps a launch load 16 x 16 cells for 12 x 12: with hotspot.halo=1 they are 1.40 " \
	"and 1.09 at size full"
#define TILES \
	"each row of tiles walks through a matrix again, which 64 KB hold up to matrixmul.n=112 " \
	"and 256 KB up to 240: with 96 they are 4.33 and 1.00"
#define GRANULES \
	"with a cache a load fetches whole lines, without one the 16 bytes at least that it " \
	"touches: with dram.min_bytes=64 it is 0.77"
#define WHOLE_LINES "a warp's load asks for its whole line: as many bytes with a cache as without"
#define LIVE \
	"so few values live at once, and arguments are read when they are needed; what the " \
	"paper's compiler kept besides is not known"
#define ARGUMENTS \
	"arguments are in registers as long as they are needed; machine code of the time reads " \
	"them from constant memory as operands"
#define LOOPS \
	"arguments, sizes of CTA and grid, and addresses that the compiler moved out of the " \
	"loops are always in registers"
#define TILE "a tile of 16 x 17 words for 256 threads is 4.25 bytes a thread, twice the paper's"
#define FULL_AT_32 \
	"fewer registers than the paper's 33, though within the band: 32 are what the register " \
	"file holds"
#define ROWS_OF_17 \
	"rows of 17 weights begin anywhere in a transaction: with dram.min_bytes=64 it is 1.52"
#define WINDOWS_OF_5 \
	"windows of five neurons begin anywhere in a transaction: with dram.min_bytes=32 it is " \
	"20.17, and 20.81 at size full"
#define ONCE "a CTA's input comes in whole lines, each once, and stays in shared memory"
#define TREE \
	"a lookup fetches a whole line for a node of the tree, which the original reads through a " \
	"texture: with l1.whole_line=false 64 KB are 1.26 at size small, and 1.19 on the chip"
#define GRAPH \
	"it depends on the graph, which the paper does not give, and on whole lines fetched for " \
	"a neighbour's word: with bfs.n=262144 and l1.whole_line=false they are 1.70 and 1.19"
#define POSITIONS "positions are shared in a tile, 16 bytes a thread, as in the suite"
#define ALL_BODIES \
	"each CTA reads all bodies, of which 64 KB hold 4096: with nbody.n=2048 and " \
	"nbody.threads=256 they are 3.00 and 1.00"
#define SAME_TILES \
	"neighbouring CTAs read the same tile of b, which a cache holds at size small and not " \
	"at full"
#define DISPLACEMENTS \
	"every displacement reads its pixels of the frame again, as in the suite; without a " \
	"cache they come from DRAM, or from the L2"
#define RUNNING_SUMS \
	"a point's running sums of up to 131 x 131 words go through memory from stage to stage"

#define AGAIN \
	"constants, arguments and special registers are read again where they are needed, and " \
	"what was fetched stays until no register is left: little is left to spill"
#define SUMS \
	"16 sums of two registers each are live through the loop, and each of its 16 steps " \
	"needs 8 more values: where not all sums fit, they are made in two groups, and what both need " \
	"is read from shared memory twice, which 48 (at 40 registers) or 64 more of 412 " \
	"instructions do; the paper's kernel executes none, so that it keeps fewer sums"
#define PIXELS \
	"16 pixels are live through the loop; beside them 13 registers are in use at its busiest " \
	"point: eleven pixels and a bound are fetched in each iteration of about 100 instructions"

const struct table1_cause_row table1_causes[] = {
	{"needle", "dram_0", ONE_SM, GRANULES},
	{"sto", "dram_0", ANY, ONCE},
	{"sto", TABLE1_INSTRUCTIONS, ANY, AGAIN},
	{"lu", "dram_0", CHIP, CAUSE_L2},
	{"lu", "dram_64", CHIP, CAUSE_L2},
	{"mummer", "dram_0", ANY, TREE},
	{"mummer", "dram_64", ANY, TREE},
	{"bfs", "registers", ANY, ARGUMENTS},
	{"bfs", "register_file", ANY, ARGUMENTS},
	{"bfs", "dram_0", ANY, GRAPH},
	{"bfs", "dram_64", ANY, GRAPH},
	{"backprop", "registers", ANY, LIVE},
	{"backprop", "register_file", ANY, LIVE},
	{"backprop", "shared_bytes", ANY, TILE},
	{"backprop", "dram_0", ONE_SM, ROWS_OF_17},
	{"backprop", "dram_0", CHIP, CAUSE_L2},
	{"backprop", TABLE1_CATEGORY, CHIP, CAUSE_L2},
	{"matrixmul", "dram_0", ONE_SM, TILES},
	{"matrixmul", "dram_0", CHIP, CAUSE_L2},
	{"matrixmul", "dram_64", ONE_SM, TILES},
	{"matrixmul", TABLE1_CATEGORY, CHIP, CAUSE_L2},
	{"nbody", "shared_bytes", ANY, POSITIONS},
	{"nbody", "dram_0", ONE_SM, ALL_BODIES},
	{"nbody", "dram_0", CHIP, CAUSE_L2},
	{"nbody", "dram_64", ONE_SM, ALL_BODIES},
	{"nbody", TABLE1_CATEGORY, CHIP, CAUSE_L2},
	{"vectoradd", "registers", ANY, LIVE},
	{"vectoradd", "register_file", ANY, LIVE},
	{"vectoradd", "dram_0", ANY, WHOLE_LINES},
	{"vectoradd", TABLE1_CATEGORY, ANY, WHOLE_LINES},
	{"srad", TABLE1_CATEGORY, CHIP, CAUSE_L2},
	{"dgemm", "dram_0", ONE_SM, SAME_TILES},
	{"dgemm", "dram_64", ONE_SM, SAME_TILES},
	{"dgemm", TABLE1_INSTRUCTIONS, ANY, SUMS},
	{"pcr", TABLE1_INSTRUCTIONS, ANY, AGAIN},
	{"pcr", "dram_0", ANY, ONCE},
	{"pcr", "dram_64", ANY, ONCE},
	{"pcr", TABLE1_CATEGORY, ANY, FULL_AT_32},
	{"bicubictexture", TABLE1_INSTRUCTIONS, ANY, AGAIN},
	{"bicubictexture", TABLE1_CATEGORY, ANY, FULL_AT_32},
	{"hwt", "dram_0", ANY, DISPLACEMENTS},
	{"hwt", "dram_64", ANY, RUNNING_SUMS},
	{"ray", TABLE1_INSTRUCTIONS, ANY, AGAIN},
	{"hotspot", TABLE1_INSTRUCTIONS, ANY, AGAIN},
	{"hotspot", "dram_0", ONE_SM, HALO},
	{"hotspot", "dram_0", CHIP, CAUSE_L2},
	{"hotspot", "dram_64", ONE_SM, HALO},
	{"recursivegaussian", "registers", ANY, ARGUMENTS},
	{"recursivegaussian", "register_file", ANY, ARGUMENTS},
	{"recursivegaussian", "shared_bytes", ANY, TILE},
	{"scalarprod", "registers", ANY, LOOPS},
	{"scalarprod", "register_file", ANY, LOOPS},
	{"sad", TABLE1_INSTRUCTIONS, ANY, PIXELS},
	{"aes", TABLE1_INSTRUCTIONS, ANY, AGAIN},
	{"dct8x8", TABLE1_INSTRUCTIONS, ANY, AGAIN},
	{"lps", "dram_0", CHIP, CAUSE_L2},
	{"nn", "dram_0", ONE_SM, WINDOWS_OF_5},
	{"nn", "dram_0", CHIP, CAUSE_L2},
};
const unsigned table1_ncauses = sizeof(table1_causes) / sizeof(table1_causes[0]);

bool table1_cause_is(const struct table1_cause_row *c, const char *workload, const char *figure)
{
	if (strcmp(c->workload, workload))
		return false;
	if (!strcmp(c->figure, TABLE1_INSTRUCTIONS))
		return !strncmp(figure, c->figure, strlen(c->figure));
	return !strcmp(c->figure, figure);
}

const char *table1_cause(const struct table1_row *row, unsigned column, const char *figure)
{
	for (unsigned i = 0; i < table1_ncauses; i++) {
		const struct table1_cause_row *c = &table1_causes[i];

		if (c->columns >> column & 1 && table1_cause_is(c, row->workload, figure))
			return c->text;
	}
	return NULL;
}
