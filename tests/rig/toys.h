/* A random network of toy components, for tests of ordering: generators, pipes, routers and
 * servers, on several clocks, over near and far links, with timed events and far wake-ups. */
#ifndef TESTS_RIG_TOYS_H
#define TESTS_RIG_TOYS_H

#include "core/sim.h"

struct toys;

struct toys_shape {
	uint64_t seed;                          /* of everything in the network */
	unsigned requests;                      /* of each generator */
	unsigned cut;                           /* partitions of the network, at least 1 */
	unsigned deal;                          /* how components are distributed to them */
	unsigned core_ps, router_ps, server_ps; /* clocks; 0: 1000, the core's, 750 */
};

/* Builds and elaborates one; NULL with err when the kernel refuses. */
struct toys *toys_new(struct toys_shape, const struct sim_config *, struct err *);
void toys_free(struct toys *);
struct sim *toys_sim(struct toys *);

/* Everything that any component sent and received, with its tick, in order, as one number. */
uint64_t toys_digest(const struct toys *);

/* True when every request got exactly one reply, at its owner. */
bool toys_replied(const struct toys *);

#endif
