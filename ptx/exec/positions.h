/* The state of the warps of an unfinished run: their instructions, what they wait for, and which of
 * them spin in a loop without progress. */
#ifndef PTX_EXEC_POSITIONS_H
#define PTX_EXEC_POSITIONS_H

#include "core/text.h"
#include "ptx/exec/spin.h"

#define POSITIONS_ROWS 256

struct positions_row {
	const struct program *program;
	uint32_t instr;  /* the next one; of a spinning warp the backward branch */
	const char *why; /* "wait at a barrier"; NULL for a spinning warp */
	uint32_t load;   /* of a spinning warp, as in struct spin */
	uint64_t warps;
};

/* A zeroed struct is valid and empty. */
struct positions {
	struct positions_row row[POSITIONS_ROWS];
	unsigned n;
	uint64_t others;                /* warps without a row */
	uint64_t ended, begun, waiting; /* CTAs: completed, resident, not started */
	uint64_t next;                  /* the lowest that has not started */
};

/* Adds a warp whose next instruction is `instr`. `why` must outlive the struct; `spin` may be NULL.
 */
void positions_add(struct positions *, const struct program *, uint32_t instr, const char *why,
	const struct spin *);

/* Adds lines of "12 warps before k.ptx:20:2 (bar.sync): waiting at a barrier", the most warps
 * first, each after two spaces and `which`; warps with the same message share a line. */
void positions_report(struct positions *, const char *which, struct text *);

/* "k.ptx:20:2 (bar.sync, k.cu:7)": the instruction's location in the PTX and, where it is known, in
 * CUDA-C. */
void positions_location(const struct program *, uint32_t instr, struct text *);

#endif
