/* Why rows of the dissertation's figures miss at size small, as far as it was found out by reading
 * the code with explain and by measuring: words for readers. NULL: not known. */
#ifndef CLI_DIS_CAUSES_H
#define CLI_DIS_CAUSES_H

#include <stddef.h>

/* Half of our workloads have strands of fewer than 8 instructions: see fig6.13's last rows. */
#define DIS_CAUSE_STRANDS \
	"clang's PTX loads right before the use, and each such use ends a strand; nothing " \
	"reorders it"
#define DIS_CAUSE_ENERGY DIS_CAUSE_STRANDS
#define DIS_CAUSE_LRF DIS_CAUSE_STRANDS
#define DIS_CAUSE_THREE DIS_CAUSE_STRANDS
#define DIS_CAUSE_DUAL "of short strands more results are needed later, and go to two levels"
#define DIS_CAUSE_ADDITIVE "short strands hold few branches, and few values that do not fit"
#define DIS_CAUSE_LIMITS DIS_CAUSE_STRANDS

#define DIS_CAUSE_FEW \
	"an ALU's result takes 8 cycles, and 40 % of values are read by the next instruction: " \
	"six " \
	"warps leave cycles empty"

#define DIS_CAUSE_REUSE NULL
#define DIS_CAUSE_ORDER NULL
#define DIS_CAUSE_SHARED "addresses and what is stored count as read by the shared datapath"
#define DIS_CAUSE_WRITEBACKS NULL
#define DIS_CAUSE_RFC_WRITES NULL
#define DIS_CAUSE_SPLIT NULL
#define DIS_CAUSE_SIZE NULL
#define DIS_CAUSE_ENCODING NULL
#define DIS_CAUSE_READS "the paper itself says 1.23 and 1.6 operands; ours lies between"
#define DIS_CAUSE_DGEMM \
	"sixteen 64-bit accumulators are used in turn: none is needed again before 3 entries are " \
	"full"

#endif
