/* Why rows of the MICRO 2012 figures miss, as far as measurements and reading the kernels explain
 * it: words for readers, from which nothing is computed. */
#ifndef PAPERS_CAUSES_H
#define PAPERS_CAUSES_H

/* What is known of a workload's figure in a column; NULL: nothing. Figures are "speedup" and with
 * the least capacity "least", "dram", "fermi", "partition", "cache". */
const char *store_cause(const char *workload, unsigned column, const char *figure);

#define CAUSE_L2 "the L2 holds what the L1 does not"
#define CAUSE_ROWS "follows from the workloads' rows"
#define CAUSE_ONE_CTA "one CTA of 512 threads fits, not two (hwt); "
#define CAUSE_LEAKAGE "follows the speed, and how leakage is read: the rows below"
#define CAUSE_BANKS NULL
#define CAUSE_CONFLICTS \
	"registers are placed by bank (gpu.spread_banks); without that fewer: doc/findings.md"
#define CAUSE_ADDRESSES \
	"a load's address is read from a bank of its own line in one of four cases; in time " \
	"the two seldom meet (sm.bank_conflicts=cycle, doc/findings.md)"
#define CAUSE_COMBINE \
	"needle alone gains two thirds, so that the paper's plain design cannot have counted by " \
	"cluster (doc/findings.md)"
#define CAUSE_STRANDS "short strands: a warp's loads are right before their use (doc/findings.md)"
#define CAUSE_ACTIVE \
	"fewer registers are read, so that fewer of them conflict; what eight active warps " \
	"lose is fig2.7's"

#endif
