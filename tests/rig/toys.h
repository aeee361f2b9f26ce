/* A random network of toy components, for tests of the order of things: generators, pipes, routers
 * and servers, on two clocks, over near and far links, with timed events and far wishes. */
#ifndef TESTS_RIG_TOYS_H
#define TESTS_RIG_TOYS_H

#include "core/sim.h"

struct toys;

struct toys_shape {
	uint64_t seed;     /* of everything in the network */
	unsigned requests; /* of each generator */
	unsigned cut;      /* partitions the network is cut into, at least 1 */
	unsigned deal;     /* how components are dealt out to them */
};

/* Builds and elaborates one; NULL with err when the kernel refuses. */
struct toys *toys_new(struct toys_shape, const struct sim_config *, struct err *);
void toys_free(struct toys *);
struct sim *toys_sim(struct toys *);

/* Everything that was sent and taken by anybody, with its tick, in order, as one number. */
uint64_t toys_digest(const struct toys *);

/* True when every request was answered exactly once, to its owner. */
bool toys_answered(const struct toys *);

#endif
