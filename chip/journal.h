/* What a run's host read of device memory, and in which order its launches ended: with it, another
 * run of the same host comes to the same point without running the chip. */
#ifndef CHIP_JOURNAL_H
#define CHIP_JOURNAL_H

#include "chip/chip.h"

/* A zeroed struct is an empty one. Reads are noted behind its end; those up to there are returned
 * instead of memory's contents. */
struct gpu_journal {
	unsigned char *bytes;
	size_t n, room;
	size_t at;                     /* what is before was noted, or returned, already */
	struct chip_progress progress; /* of the run that was repeated last */
	bool failed; /* no memory, or the host read something else than it did before */
};

void gpu_journal_clear(struct gpu_journal *);

/* From now on the GPU's reads and runs are noted there. After chip_resume (chip/checkpoint.h) they
 * are taken from there as far as it goes: launches are complete in the order in which they were,
 * and nothing runs. */
void gpu_journal(struct gpu *, struct gpu_journal *);

/* What the host reads, of memory or of reports between runs: noted, or replaced by what was noted.
 * Nothing without a journal. */
void gpu_note(const struct gpu *, void *data, uint64_t bytes);

#endif
