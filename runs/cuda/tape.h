/* A recording's messages, in order: a blob of entries, each followed by its bytes, of numbers of
 * the host's order (doc/recordings.md). */
#ifndef RUNS_CUDA_TAPE_H
#define RUNS_CUDA_TAPE_H

#include "cuda/wire.h"
#include "runs/cuda/blobs.h"

#include <jansson.h>

#define TAPE_FORMAT 1
#define TAPE_MANIFEST "recording.json"
#define TAPE_PAGES UINT32_MAX /* the operation: the program wrote memory that it shares */
#define TAPE_INLINE 512u      /* more bytes are a blob */

struct tape_entry {
	uint32_t op; /* enum wire_op, or TAPE_PAGES */
	uint32_t status;
	uint64_t a[6];  /* of the message; TAPE_PAGES: a[0] is the address */
	uint64_t reply; /* its first word */
	uint64_t bytes;
	char blob[BLOBS_NAME + 7]; /* its name; empty: the bytes follow */
};
_Static_assert(sizeof(struct tape_entry) == 112, "as doc/recordings.md says");

#endif
