/* What a run's host read of device memory, and in which order its launches ended: with it, another
 * run of the same host comes to the same point without running the chip. */
#ifndef CHIP_JOURNAL_H
#define CHIP_JOURNAL_H

#include "chip/gpu.h"

/* A zeroed struct is an empty one. Reads are noted behind its end; those up to there are returned
 * instead of memory's contents. */
struct gpu_journal {
	unsigned char *bytes;
	size_t n, room;
	size_t at;     /* what is before was noted, or returned, already */
	uint32_t runs; /* of the chip that are complete, noted or not */
	bool failed;   /* no memory, or the host read something else than it did before */
};

void gpu_journal_clear(struct gpu_journal *);

/* From now on the GPU's reads and ends of launches are noted there, or taken from there. */
void gpu_journal(struct gpu *, struct gpu_journal *);

/* Instead of chip_run, of one that is noted: all queued launches are complete, in the order in
 * which they were. False, and `failed`: they were other ones. */
bool gpu_journal_run(struct gpu *);

#endif
