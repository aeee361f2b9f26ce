/* The instruction caches of an SM: an L0 for each scheduler, and an L1. */
#ifndef SM_ICACHE_H
#define SM_ICACHE_H

#include "core/table.h"
#include "sm/fetch.h"

#define ICACHE_PARAMS(P, T) \
	P(T, CHOICE, mode, FETCH_OFF, 0, 0, "off|perfect|real", \
		"Instructions: off, and perfect, which counts their lines, come without a stall; " \
		"real, through the caches from the L2.") \
	P(T, UINT, instruction_bytes, 8, 4, 16, "bytes", \
		"Size of an instruction, a power of two: 8 to Pascal, 16 from Volta on.") \
	P(T, UINT, line_bytes, 128, 32, 256, "bytes", \
		"Line size of both, a power of two: a warp's buffer holds one.") \
	P(T, UINT, l0_bytes, 12288, 0, 1 << 20, "bytes", "Capacity of a scheduler's L0; 0: none.") \
	P(T, UINT, l0_ways, 4, 1, CACHE_WAYS, "ways", "Its associativity.") \
	P(T, UINT, l1_bytes, 131072, 0, 1 << 24, "bytes", "Capacity of the L1; 0: none.") \
	P(T, UINT, l1_ways, 8, 1, CACHE_WAYS, "ways", "Its associativity.") \
	P(T, UINT, l1_cycles, 20, 1, 1000, "cycles", \
		"What a miss in the L0 that hits in the L1 delays the warp's issue.") \
	P(T, UINT, fill_cycles, 20, 0, 1000, "cycles", \
		"From the arrival of a line from the L2 to the warp's issue.") \
	P(T, UINT, prefetch_lines, 0, 0, FETCH_AHEAD, "lines", \
		"Lines of a scheduler's stream buffer: a miss in the L0 that it does not have either " \
		"starts it again with the lines that follow; one of its lines goes into the L0 when a " \
		"warp enters it, and the next one is asked for. 0: there is none.") \
	P(T, UINT, buffer_instructions, 0, 0, 64, "instructions", \
		"What a fetch brings into a warp's buffer, whose last instruction, or a branch, " \
		"starts the next fetch; an SM fetches for one warp a cycle. 0: a line, at once.") \
	P(T, UINT, fetch_cycles, 2, 1, 1000, "cycles", \
		"With buffer_instructions: from the issue that starts a fetch to the next one.")

#define ICACHE_STATS(S, T) \
	S(T, COUNT, icache__lines, "lines", \
		"Lines of instructions that warps entered, with an instruction cache.") \
	S(T, COUNT, icache__lines_lookup_hit, "lines", "Those that were in the L0.") \
	S(T, COUNT, icache__stream_lines_lookup_hit, "lines", \
		"Others that the stream buffer had, or had asked for.") \
	S(T, COUNT, icache__l1_lines_lookup_hit, "lines", "Others that were in the L1.") \
	S(T, COUNT, icache__lines_missed, "lines", "Others: their warps waited for the L2.") \
	S(T, COUNT, icache__lines_prefetched, "lines", "Lines that stream buffers asked for.") \
	S(T, COUNT, icache__l2_read_bytes, "bytes", "Requested from the L2.")

/* The lines that follow the last miss of a scheduler's warps (Huerta et al., MICRO 2025, section 5:
 * a stream buffer beside each L0). */
struct icache_stream {
	uint64_t first; /* address of its first line */
	unsigned lines;
	uint64_t ready[FETCH_AHEAD]; /* by line: the cycle it can be taken from */
};

struct sm_icache {
	struct {
		ICACHE_PARAMS(PARAM_FIELD, sm_icache)
	} p;
	struct {
		ICACHE_STATS(STAT_FIELD, sm_icache)
	} s;
	struct fetcher fetch;
	struct icache_stream stream[FETCH_NEARS]; /* by scheduler */
	uint64_t line[FETCH_LINES];               /* by warp: in its buffer; an odd number: none */
	uint64_t next[FETCH_LINES];               /* by warp: the buffer's next instruction */
	uint8_t left[FETCH_LINES];                /* by warp: instructions in the buffer */
	uint64_t port;                            /* the cycle from which the SM can fetch again */
};

void icache_init(struct sm *, struct arena *, struct err *);

/* The warp in the slot is new: its buffer is empty. */
void icache_start(struct sm *, unsigned w);

/* The warp goes on to its next instruction: fetches the line, if its buffer has another one. */
void icache_next(struct sm *, unsigned w, uint64_t cycle);

/* A line came from the L2, its last part in cycle `ready`; those warps wait for it. */
void icache_arrived(struct sm *, uint64_t line, uint64_t warps, uint64_t ready, uint64_t cycle);
void icache_close(struct sm *);
void icache_audit(const struct sm *, struct audit *);

#endif
