/* Occupancy: the warps that an SM would hold if a launch had other needs. */
#ifndef RUNS_KERNELS_WHATIF_H
#define RUNS_KERNELS_WHATIF_H

#include "chip/chip.h"
#include "core/text.h"

/* What is varied; the others stay those of the launch. */
enum whatif { WHATIF_REGISTERS, WHATIF_SHARED, WHATIF_THREADS, WHATIFS };
#define WHATIF_STEPS 8

struct whatif_row {
	const char *name, *label;
	uint32_t now; /* the launch's own */
	unsigned n;
	struct {
		uint32_t value, ctas, warps;
	} at[WHATIF_STEPS];
};
struct whatif_row whatif_of(const struct gpu *, unsigned launch, enum whatif);

/* A line for each. */
void whatif_text(const struct gpu *, unsigned launch, struct text *);

struct json_t;
/* An object of lists: registers, shared_bytes, threads; value, ctas, warps. */
struct json_t *whatif_json(const struct gpu *, unsigned launch);

#endif
