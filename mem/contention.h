/* Lanes of an atomic that want the same word of 4 bytes take turns. */
#ifndef MEM_CONTENTION_H
#define MEM_CONTENTION_H

#include "mem/banks.h"
#include "msg/packet.h"

/* What lanes of an atomic want of one line. */
struct contention {
	uint32_t words;  /* bit i: bytes 4 i .. 4 i + 3 of the line */
	uint8_t deepest; /* most lanes on one of them, 1 to 32; 0: no lane */
};

/* Of those lanes of a global atomic, whose elements lie in one line. */
struct contention contention_of_line(const struct access *, uint32_t lanes);

/* Turns that the lanes of an atomic on shared memory take: in each bank (or cluster) its rows one
 * after the other, each as often as the most lanes want one word of it; of the busiest bank. What
 * `passes` is to loads and stores, of which lanes share a word (bank_use); never less. */
unsigned contention_of_shared(const struct access *, const struct bank_layout *, unsigned passes);

#endif
