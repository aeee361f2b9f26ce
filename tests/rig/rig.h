/* A test bench for parts of the memory system: sources that send packets by a script, sinks that
 * record packets and cycles, and a simulation around them. */
#ifndef TESTS_RIG_RIG_H
#define TESTS_RIG_RIG_H

#include "core/config.h"
#include "msg/packet.h"

struct rig {
	struct arena arena;
	struct config *config;
	struct sim *sim;
	struct err err;
};

/* Threads 0 means 1, window 0 means 20. Fails the test when there is no memory. */
struct rig *rig_new(struct sim_config);
void rig_free(struct rig *);

/* Overrides a parameter. */
void rig_set(struct rig *, const char *path, const char *value);

/* Elaborates and runs until nothing more happens, at most `max_cycles`. Faults fail the test. */
enum run rig_run(struct rig *, uint64_t max_cycles);

/* Sends its packets in order, each in its cycle or as soon after as the link accepts it. Port
 * "out". */
struct source;
struct source *source_new(
	struct rig *, struct partition *, unsigned index, unsigned capacity, bool occupies);
void source_add(struct source *, uint64_t cycle, struct packet);

/* Packets from an SM to a slice: a read of a whole line, one flit; a write of one, five. */
struct packet packet_read(unsigned slice, unsigned source, uint32_t tag);
struct packet packet_write(unsigned slice, unsigned source, uint32_t tag);
/* The cycle in which packet i left. */
uint64_t source_sent_at(const struct source *, unsigned i);

struct arrival {
	uint64_t cycle;
	struct packet packet;
};

/* Takes every packet when it becomes visible, or one in every `period` cycles. Port "in". */
struct sink;
struct sink *sink_new(
	struct rig *, struct partition *, unsigned index, unsigned capacity, unsigned period);
unsigned sink_count(const struct sink *);
const struct arrival *sink_arrival(const struct sink *, unsigned i);
/* Packets that arrived in cycles from .. to - 1. */
unsigned sink_count_between(const struct sink *, uint64_t from, uint64_t to);

/* All arrivals, with their cycles, in order, as one number; chains with `sum`. */
uint64_t sink_digest(const struct sink *, uint64_t sum);

/* The component's statistics, in the order of its table; chains with `sum`. */
uint64_t rig_add_stats(const struct component *, uint64_t sum);

/* The result of `run` is the same, however components are ordered and woken: `orders` shuffles,
 * each plain, with early wakes, and hostile. */
typedef uint64_t rig_run_fn(const void *ctx, struct sim_config);
void rig_assert_order_unseen(rig_run_fn *, const void *ctx, unsigned orders);

#endif
