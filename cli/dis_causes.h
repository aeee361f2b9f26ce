/* Why rows of the dissertation's figures miss at size small, as far as it was found out by reading
 * the code with explain and by measuring: words for readers. NULL: not known. */
#ifndef CLI_DIS_CAUSES_H
#define CLI_DIS_CAUSES_H

#include <stddef.h>

/* Measured with gpu.schedule, rf.keep_past_waits and rf.keep_past_branches: doc/findings.md. */
#define DIS_CAUSE_STRANDS \
	"short strands: loads right before their use (gpu.schedule tells how much that is), " \
	"branches, barriers"
#define DIS_CAUSE_ENERGY \
	"a seventh: loads right before their use; a third if 8 registers more are spent on that " \
	"(gpu.schedule). If no strand lost anything: two thirds. The rest is not known"
#define DIS_CAUSE_LRF \
	"not known; not the strands: if none lost anything, the LRF would serve a point more"
#define DIS_CAUSE_THREE \
	"2.2 if loads are asked for early (gpu.schedule), 2.5 if no strand lost anything; the " \
	"rest is not known"
#define DIS_CAUSE_DUAL "of short strands more results are needed later, and go to two levels"
#define DIS_CAUSE_ADDITIVE "short strands hold few branches, and few values that do not fit"
#define DIS_CAUSE_LIMITS \
	"short strands: with loads asked for early and 8 registers more (gpu.schedule), the " \
	"entries best for each bring 3.7, 8 entries 7.5, and stepping aside costs 4.8"

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
