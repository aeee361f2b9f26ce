/* Lanes of an atomic that operate on the same word of 4 bytes are serialised. */
#ifndef MEM_CONTENTION_H
#define MEM_CONTENTION_H

#include "mem/banks.h"
#include "msg/packet.h"

/* The words of one line on which the lanes of an atomic operate. */
struct contention {
	uint32_t words;  /* bit i: bytes 4 i .. 4 i + 3 of the line */
	uint8_t deepest; /* most lanes on one of them, 1 to 32; 0: no lane */
};

/* For those lanes of a global atomic whose elements are in one line. */
struct contention contention_of_line(const struct access *, uint32_t lanes);

/* The serialised passes of an atomic on shared memory: a bank (or cluster) accesses its rows in
 * sequence, each once for every lane that operates on the row's most contended word; the maximum
 * over the banks. The counterpart of `passes` of loads and stores, whose lanes can share a word
 * (bank_use); never less. */
unsigned contention_of_shared(const struct access *, const struct bank_layout *, unsigned passes);

#endif
