/* Why rows of the dissertation's figures miss, as far as it was found out: words for readers. */
#ifndef CLI_DIS_CAUSES_H
#define CLI_DIS_CAUSES_H

#include <stddef.h>

#define DIS_CAUSE_REUSE NULL
#define DIS_CAUSE_ORDER NULL
#define DIS_CAUSE_SHARED NULL
#define DIS_CAUSE_WRITEBACKS NULL
#define DIS_CAUSE_RFC_WRITES NULL
#define DIS_CAUSE_LRF NULL
#define DIS_CAUSE_DUAL NULL
#define DIS_CAUSE_SPLIT NULL
#define DIS_CAUSE_ENERGY NULL
#define DIS_CAUSE_SIZE NULL
#define DIS_CAUSE_ADDITIVE NULL
#define DIS_CAUSE_ONE NULL
#define DIS_CAUSE_ENCODING NULL
#define DIS_CAUSE_READS NULL
#define DIS_CAUSE_THREE NULL
#define DIS_CAUSE_STRANDS NULL
#define DIS_CAUSE_LIMITS NULL

#endif
