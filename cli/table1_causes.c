/* Why rows of Table 1 miss the paper's figures at size small: what was found out by measuring at
 * other sizes and parameters, and by reading the kernels. Data for readers; nothing is computed
 * from it. */
#include "cli/table1.h"

#include <stddef.h>
#include <string.h>

#define SMALL_LU "the matrix of size small fits into 256 KB: at size full it is 1.91"
#define HALO \
	"two steps a launch load 16 x 16 cells for 12 x 12: with hotspot.halo=1 and " \
	"hotspot.n=512 it is 1.40"
#define SMALL_B \
	"a matrix of size small is as large as the cache, and each row of tiles walks through it " \
	"again: with matrixmul.n=384 it is 1.14"
#define SMALL_SCORES \
	"what a diagonal of blocks leaves is still in 256 KB when the next comes, at size small: " \
	"with needle.n=1024 it is 1.00"
#define WHOLE_LINES "a warp's load asks for its whole line: as many bytes with a cache as without"
#define LIVE \
	"so few values live at once, and arguments are read when they are needed; what the " \
	"paper's compiler kept besides is not known"
#define ARGUMENTS \
	"arguments lie in registers as long as they are needed; machine code of the time takes " \
	"them from constant memory as operands"
#define LOOPS \
	"arguments, sizes of CTA and grid, and addresses that the compiler moved out of the " \
	"loops lie in registers all the time"
#define TILE "a tile of 16 x 17 words for 256 threads is 4.25 bytes a thread, twice the paper's"
#define FULL_AT_32 \
	"fewer registers than the paper's 33, though within the band: 32 are what the register " \
	"file holds"
#define ROWS_OF_17 \
	"rows of 17 weights begin anywhere in a transaction: with dram.min_bytes=64 it is 1.52"
#define WINDOWS_OF_5 \
	"windows of five neurons begin anywhere in a transaction: with dram.min_bytes=32 it is " \
	"20.17"
#define ONCE "a CTA's input comes in whole lines, each once, and stays in shared memory"
#define TREE \
	"a lookup fetches a whole line for a node of the tree: with l1.whole_line=false it is " \
	"1.49; the original reads the tree through a texture"
#define GRAPH \
	"it depends on the graph, which the paper does not give: with bfs.n=4096 it is 3.37, " \
	"with " \
	"bfs.n=65536 1.98"
#define POSITIONS "positions are shared in a tile, 16 bytes a thread, as in the suite"
#define SMALL_CTAS \
	"each CTA reads all bodies, and has 32 threads at size small: with nbody.threads=128 it " \
	"is 3.00"
#define SAME_TILES "CTAs side by side read the same tile of b, which a cache catches"
#define DISPLACEMENTS \
	"every displacement reads its pixels of the frame again, as in the suite; without a " \
	"cache " \
	"they come from DRAM"

#define AGAIN \
	"constants, arguments and special registers are read again where they are needed, and " \
	"what was fetched stays until there is no room: little is left to spill"
#define SUMS \
	"16 sums of two registers each go round the loop, and each of its 16 steps needs 8 more " \
	"values: where not all sums find room, they are made in two groups, and what both need " \
	"is read from shared memory twice, which 48 (at 40 registers) or 64 more of 412 " \
	"instructions do; that the paper's executes none says that its kernel keeps fewer sums"
#define PIXELS \
	"16 pixels stay through the loop; beside them 13 registers are in use at its busiest " \
	"point: eleven pixels and a bound are fetched in each turn of about 100 instructions"

const struct table1_cause_row table1_causes[] = {
	{"needle", "dram_64", SMALL_SCORES},
	{"sto", "dram_0", ONCE},
	{"sto", TABLE1_INSTRUCTIONS, AGAIN},
	{"lu", "dram_0", SMALL_LU},
	{"mummer", "dram_64", TREE},
	{"bfs", "registers", ARGUMENTS},
	{"bfs", "register_file", ARGUMENTS},
	{"bfs", "dram_0", GRAPH},
	{"backprop", "registers", LIVE},
	{"backprop", "register_file", LIVE},
	{"backprop", "shared_bytes", TILE},
	{"backprop", "dram_0", ROWS_OF_17},
	{"matrixmul", "dram_64", SMALL_B},
	{"nbody", "shared_bytes", POSITIONS},
	{"nbody", "dram_0", SMALL_CTAS},
	{"vectoradd", "registers", LIVE},
	{"vectoradd", "register_file", LIVE},
	{"vectoradd", "dram_0", WHOLE_LINES},
	{"vectoradd", TABLE1_CATEGORY, WHOLE_LINES},
	{"dgemm", "dram_0", SAME_TILES},
	{"dgemm", TABLE1_INSTRUCTIONS, SUMS},
	{"pcr", TABLE1_INSTRUCTIONS, AGAIN},
	{"pcr", "dram_0", ONCE},
	{"pcr", "dram_64", ONCE},
	{"pcr", TABLE1_CATEGORY, FULL_AT_32},
	{"bicubictexture", TABLE1_INSTRUCTIONS, AGAIN},
	{"bicubictexture", TABLE1_CATEGORY, FULL_AT_32},
	{"hwt", "dram_0", DISPLACEMENTS},
	{"ray", TABLE1_INSTRUCTIONS, AGAIN},
	{"hotspot", TABLE1_INSTRUCTIONS, AGAIN},
	{"hotspot", "dram_0", HALO},
	{"recursivegaussian", "registers", ARGUMENTS},
	{"recursivegaussian", "register_file", ARGUMENTS},
	{"recursivegaussian", "shared_bytes", TILE},
	{"scalarprod", "registers", LOOPS},
	{"scalarprod", "register_file", LOOPS},
	{"sad", TABLE1_INSTRUCTIONS, PIXELS},
	{"aes", TABLE1_INSTRUCTIONS, AGAIN},
	{"dct8x8", TABLE1_INSTRUCTIONS, AGAIN},
	{"nn", "dram_0", WINDOWS_OF_5},
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

const char *table1_cause(const struct table1_row *row, const char *figure)
{
	for (unsigned i = 0; i < table1_ncauses; i++) {
		const struct table1_cause_row *c = &table1_causes[i];

		if (table1_cause_is(c, row->workload, figure))
			return c->text;
	}
	return NULL;
}
