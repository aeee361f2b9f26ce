/* The counts of a roofline as a profile has them, instruction by instruction: of each kernel, as
 * text and tables. */
#ifndef CLI_TRAFFIC_ROOFLINE_H
#define CLI_TRAFFIC_ROOFLINE_H

#include "cli/traffic/traffic.h"
#include "runs/kernels/roofline.h"

/* Kernel k of the profile's sum; k == sum.nkernels: all of them. */
struct roofline traffic_roofline(const struct traffic *, uint32_t k);

/* The run's operations, with operations for a byte of each level and the rate. */
void traffic_roofline_text(const struct traffic *, struct text *);
/* A row for each kernel, the last one for all; the machine's roofs. */
json_t *traffic_roofline_rows(const struct traffic *, const struct kernels *);
json_t *traffic_roofs(const struct sheet *);

#endif
