/* Roofline (Williams et al., CACM 2009): arithmetic operations and bytes of each kernel at each
 * level of memory, and the machine's roofs. */
#ifndef CLI_TRAFFIC_ROOFLINE_H
#define CLI_TRAFFIC_ROOFLINE_H

#include "cli/traffic/traffic.h"
#include "ptx/isa/operations.h"

#define ROOFLINE_LEVELS(X) \
	X(SHARED, shared, "shared") X(L1, l1, "L1") X(L2, l2, "L2") X(DRAM, dram, "DRAM")

#define ROOFLINE_LEVEL_ENUM(id, name, label) ROOFLINE_##id,
enum roofline_level { ROOFLINE_LEVELS(ROOFLINE_LEVEL_ENUM) ROOFLINE_LEVEL_COUNT };

/* Of one kernel, or of the run. */
struct roofline {
	uint64_t operations[PRECISION_COUNT];
	uint64_t bytes[ROOFLINE_LEVEL_COUNT];
};

/* "f32", "DRAM". */
extern const char *const roofline_precisions[PRECISION_COUNT];
extern const char *const roofline_labels[ROOFLINE_LEVEL_COUNT];

/* The machine's roofs: operations and bytes a nanosecond. NAN: none follows from its parameters. */
struct sheet;
double roofline_peak(const struct sheet *, enum precision);
double roofline_rate(const struct sheet *, enum roofline_level);

/* Kernel k of the profile's sum; k == sum.nkernels: all of them. */
struct roofline roofline_of(const struct traffic *, uint32_t k);

/* The run's operations, with operations for a byte of each level and the rate. */
void roofline_text(const struct traffic *, struct text *);
/* A row for each kernel, the last one for all; the machine's roofs. */
json_t *roofline_rows(const struct traffic *, const struct kernels *);
json_t *roofline_roofs(const struct sheet *);

/* A picture for each precision that was used, and a table of all kernels: cli/traffic/
 * roofline_page.c. */
struct page_run;
void roofline_html(const struct traffic *, const struct page_run *, struct text *);

#endif
