/* Roofline (Williams et al., CACM 2009) of a part of a run: arithmetic operations of threads by
 * precision, bytes at each level of memory, and the machine's roofs. */
#ifndef RUNS_KERNELS_ROOFLINE_H
#define RUNS_KERNELS_ROOFLINE_H

#include "core/text.h"
#include "ptx/isa/operations.h"
#include "runs/kernels/part.h"

#define ROOFLINE_LEVELS(X) \
	X(SHARED, shared, "shared") X(L1, l1, "L1") X(L2, l2, "L2") X(DRAM, dram, "DRAM")

#define ROOFLINE_LEVEL_ENUM(id, name, label) ROOFLINE_##id,
enum roofline_level { ROOFLINE_LEVELS(ROOFLINE_LEVEL_ENUM) ROOFLINE_LEVEL_COUNT };

struct roofline {
	uint64_t operations[PRECISION_COUNT];
	uint64_t bytes[ROOFLINE_LEVEL_COUNT];
	double ns; /* in which its launches ran */
};

/* "f32"; "l2", "L2". */
extern const char *const roofline_precisions[PRECISION_COUNT];
extern const char *const roofline_levels[ROOFLINE_LEVEL_COUNT];
extern const char *const roofline_labels[ROOFLINE_LEVEL_COUNT];

/* From the part's metrics. */
struct roofline roofline_of(const struct metric_set *);

/* The machine's roofs: operations and bytes a nanosecond. NAN: none follows from its parameters. */
struct sheet;
#define ROOFLINE_ROOFS (PRECISION_COUNT + ROOFLINE_LEVEL_COUNT)
extern const char *const roofline_roofs[ROOFLINE_ROOFS]; /* names in the sheet, in this order */
double roofline_peak(const struct sheet *, enum precision);
double roofline_rate(const struct sheet *, enum roofline_level);

/* A line for each precision that was used. */
void roofline_lines(const struct roofline *, const struct sheet *, struct text *);

#endif
