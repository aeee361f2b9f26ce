/* Where the warps of an unfinished run stand: at which instruction, what they wait for, and who
 * goes round a loop without getting anywhere. */
#ifndef PTX_EXEC_STANDING_H
#define PTX_EXEC_STANDING_H

#include "core/text.h"
#include "ptx/exec/spin.h"

#define STANDING_ROWS 256

struct standing_row {
	const struct program *program;
	uint32_t instr;  /* the next one; of a spin the branch back */
	const char *why; /* "wait at a barrier"; of a spin NULL */
	uint32_t load;   /* of a spin, as in struct spin */
	uint64_t warps;
};

/* A zeroed struct is a valid empty one. */
struct standing {
	struct standing_row row[STANDING_ROWS];
	unsigned n;
	uint64_t others;                /* warps for which there was no row */
	uint64_t ended, begun, waiting; /* CTAs: at their end, under way, not started */
	uint64_t next;                  /* the lowest that has not started */
};

/* One more warp stands before the instruction. `why` outlives the struct; `spin` may be NULL. */
void standing_add(struct standing *, const struct program *, uint32_t instr, const char *why,
	const struct spin *);

/* Lines of "12 warps before k.ptx:20:2 (bar.sync): waiting at a barrier", the most warps first, two
 * spaces and `which` in front of each: messages that are the same are told once. */
void standing_tell(struct standing *, const char *which, struct text *);

/* "k.ptx:20:2 (bar.sync)": where the instruction stands in the PTX. */
void standing_place(const struct program *, uint32_t instr, struct text *);

#endif
