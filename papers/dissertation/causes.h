/* Why rows of the dissertation's figures miss at size small: words for readers, with figures of
 * runs. Every run measures what they name and prints it below: the row over workloads with long
 * strands (a correlation, no proof), with nothing lost where strands end, and without operands that
 * are addresses. NULL: the row does not miss. */
#ifndef PAPERS_DISSERTATION_CAUSES_H
#define PAPERS_DISSERTATION_CAUSES_H

#include <stddef.h>

/* Measured with gpu.schedule, rf.keep_past_waits and rf.keep_past_branches: doc/findings.md. */
#define DIS_CAUSE_STRANDS \
	"short strands: loads right before their use (measured with gpu.schedule), " \
	"branches, barriers"
#define DIS_CAUSE_ENERGY \
	"half of it: the compiler (positions of loads, registers, addresses kept in loops). " \
	"With those of the time, sixteen workloads with strands of 8 instructions and more save " \
	"what the paper's do; ten of short strands (branches, barriers) and dgemm do not " \
	"(doc/findings.md)"
#define DIS_CAUSE_LRF \
	"the LRF holds no addresses, which count as operands here; with those left out and the " \
	"compiler's part (doc/findings.md) it serves 27 %, split 30 %. Not the strands: if none " \
	"lost anything, it would serve a point more"
#define DIS_CAUSE_THREE \
	"as for the energy: 2.2 if loads are asked for early (gpu.schedule), 2.4 with all of the " \
	"compiler's part, then 2.7 where strands are long (doc/findings.md)"
#define DIS_CAUSE_DUAL \
	"results that later strands need are written to two levels: 44 % more writes in dwthaar1d, 4 % " \
	"in matrixmul"
#define DIS_CAUSE_BRANCHES \
	"a forward branch is seldom inside a strand: arms that wait for loads also end strands"
#define DIS_CAUSE_ADDITIVE \
	"forward branches gain nothing (see there), and in short strands few values do not fit"
#define DIS_CAUSE_LIMITS \
	"short strands: with loads asked for early and 8 registers more (gpu.schedule), the " \
	"entries best for each bring 3.7, 8 entries 7.5, and descheduling costs 4.8"
#define DIS_CAUSE_WAITS "short strands: what is lost at their ends is more"
#define DIS_CAUSE_ADDRESSES \
	"the paper's figure fits if addresses of memory are not counted as operands; ours count"
#define DIS_CAUSE_READS "addresses of memory count as operands here, and strands are short"
#define DIS_CAUSE_ONE_READ \
	"recursivegaussian, nn, aes and matrixmul have 58 to 63 %; the other 23 workloads 33.0 %"
#define DIS_CAUSE_SPLIT \
	"all reads of a value must use one slot: 34 % more if any operand could read any of " \
	"the three (the row below). sto's fall from 45.6 to 38.0 % by it. Neither strands nor " \
	"addresses matter"
#define DIS_CAUSE_ENCODING \
	"operands kept in the ORF from their first read on are in two levels also, but are " \
	"not written there by an instruction's result: without them, too, it is within (the " \
	"row below)"
#define DIS_CAUSE_DGEMM \
	"sixteen 64-bit accumulators are used in turn: 61 % of the values are read once, but " \
	"more than 3 instructions later"
#define DIS_CAUSE_TIGHT "strands of 2.6 (reduction) and 3.7 instructions (scalarprod)"

#define DIS_INPUT "an input of the model"

#define DIS_CAUSE_ORDER NULL
#define DIS_CAUSE_WRITEBACKS NULL
#define DIS_CAUSE_RFC_WRITES NULL
#define DIS_CAUSE_DUAL_ONLY NULL

#endif
