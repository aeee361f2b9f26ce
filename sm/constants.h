/* The constant cache of an SM: a small L1 and an L1.5, for ld.const and kernel parameters. */
#ifndef SM_CONSTANTS_H
#define SM_CONSTANTS_H

#include "core/table.h"
#include "ptx/exec/exec.h"
#include "sm/fetch.h"

#define CONST_PARAMS(P, T) \
	P(T, CHOICE, mode, FETCH_OFF, 0, 0, "off|perfect|real", \
		"Constants: off, all as an ALU's operand; perfect, as hits in the L1; real, " \
		"through its caches from the L2.") \
	P(T, UINT, l1_cycles, 27, 1, 1000, "cycles", \
		"From ld.const to its dependant's issue on a hit in the L1.") \
	P(T, UINT, parameter_cycles, 0, 0, 1000, "cycles", \
		"The same of a kernel parameter, which is an operand of the instruction that uses " \
		"it; 0: sm.alu_cycles.") \
	P(T, UINT, l1_bytes, 2048, 0, 1 << 20, "bytes", "Capacity of the L1; 0: none.") \
	P(T, UINT, l1_line_bytes, 64, 32, 256, "bytes", "Its line size, a power of two.") \
	P(T, UINT, l1_ways, 4, 1, CACHE_WAYS, "ways", "Its associativity.") \
	P(T, UINT, l15_cycles, 89, 1, 1000, "cycles", \
		"From ld.const to its dependant's issue on a hit in the L1.5.") \
	P(T, UINT, l15_bytes, 32768, 0, 1 << 24, "bytes", "Capacity of the L1.5; 0: none.") \
	P(T, UINT, l15_line_bytes, 256, 32, 256, "bytes", "Its line size, a power of two.") \
	P(T, UINT, l15_ways, 8, 1, CACHE_WAYS, "ways", "Its associativity.") \
	P(T, UINT, fill_cycles, 0, 0, 1000, "cycles", \
		"From the arrival of a line to its lookup in the L1, which then hits.")

#define CONST_STATS(S, T) \
	S(T, COUNT, const__requests, "warp instructions", \
		"Loads of constants and parameters, with a constant cache.") \
	S(T, COUNT, const__passes, "words", "Different addresses of each of them: one a cycle.") \
	S(T, COUNT, const__lines, "lines", "Line lookups in the constant L1.") \
	S(T, COUNT, const__lines_lookup_hit, "lines", "Those that hit.") \
	S(T, COUNT, const__l15_lines_lookup_hit, "lines", "Others that hit in the L1.5.") \
	S(T, COUNT, const__lines_missed, "lines", "Others: their warps waited for the L2.") \
	S(T, COUNT, const__l2_read_bytes, "bytes", "Requested from the L2.")

/* A load whose lines are looked up one after the other. */
struct const_load {
	const struct instr *in;
	uint64_t line[WARP_LANES];
	uint64_t ready; /* when the lookups so far are done */
	uint8_t n, at;
	bool parameter, late; /* late: a line was not in the L1 */
};

struct sm_constants {
	struct {
		CONST_PARAMS(PARAM_FIELD, sm_constants)
	} p;
	struct {
		CONST_STATS(STAT_FIELD, sm_constants)
	} s;
	struct fetcher fetch;
	struct const_load *load; /* by warp */
	uint64_t free;           /* the cycle from which the next word can be read */
};

void constants_init(struct sm *, struct arena *, struct err *);

/* Constants have a cache. */
static inline bool constants_cached(const struct sm_constants *c)
{
	return c->p.mode != FETCH_OFF;
}

/* The instruction's access, issued in that cycle. */
void constants_issue(
	struct sm *, unsigned w, const struct instr *, const struct access *, uint64_t cycle);

/* A line has arrived: these warps go on at `ready`. */
void constants_arrived(struct sm *, uint64_t warps, uint64_t ready, uint64_t cycle);

void constants_close(struct sm *);
void constants_audit(const struct sm *, struct audit *);

#endif
