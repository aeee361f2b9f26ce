/* A list of accesses through one channel alone: at most one is offered per clock, in order; one
 * that finds the queue full blocks all behind it. */
#ifndef DRAM_REPLAY_H
#define DRAM_REPLAY_H

#include "dram/controller.h"

/* Controller parameters and statistics as one struct for the tables. */
struct dram_replay {
	struct dram_params p;
	struct dram_stats s;
	struct controller controller;
};

extern const struct param_table dram_replay_params;

struct dram_access {
	uint64_t address; /* in the channel */
	enum dram_command dir;
	uint16_t requester;
};

enum dram_inject {
	DRAM_SATURATE, /* all arrive at clock 0 */
	DRAM_CONSTANT, /* at a constant rate */
	DRAM_BERNOULLI /* one in a clock with a fixed probability */
};

struct dram_load {
	enum dram_inject kind;
	double share; /* of the peak bandwidth: above 0, at most 1 */
	uint64_t seed;
};

/* Latencies in CK to the last data beat. */
struct dram_latency {
	double mean;
	uint32_t p50, p99, most;
};

struct dram_replayed {
	uint64_t clocks; /* to the last data beat */
	uint64_t nreads;
	double share;        /* of the peak: bursts between 5% and 95% of all reads and writes */
	double bytes_per_ns; /* the same */
	double row_hits;     /* of all bursts, the share of row hits */
	struct dram_latency accepted, arrived; /* of reads, from acceptance and from arrival */
};

/* Runs the accesses through the replay's controller, in the state after controller_init. Memory
 * from the arena: 8 bytes an access. */
void dram_replay(struct dram_replay *, const struct dram_access *, uint32_t n,
	const struct dram_load *, struct arena *, struct dram_replayed *);

#endif
