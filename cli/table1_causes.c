/* Why rows of Table 1 miss the paper's figures: what was found out by measuring at other sizes and
 * parameters. Data for readers; nothing is computed from it. */
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

static const struct cause {
	const char *workload, *figure, *text;
} causes[] = {
	{"needle", "dram_64", SMALL_SCORES},
	{"lu", "dram_0", SMALL_LU},
	{"matrixmul", "dram_64", SMALL_B},
	{"vectoradd", "dram_0", WHOLE_LINES},
	{"vectoradd", TABLE1_CATEGORY, WHOLE_LINES},
	{"hotspot", "dram_0", HALO},
};

const char *table1_cause(const struct table1_row *row, const char *figure)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (!strcmp(causes[i].workload, row->workload) && !strcmp(causes[i].figure, figure))
			return causes[i].text;
	return NULL;
}
