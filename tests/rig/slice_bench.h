/* An L2 slice on a test bench: a script sends requests, a DRAM channel or another script replies.
 * Included after cmocka.h. */
#ifndef TESTS_RIG_SLICE_BENCH_H
#define TESTS_RIG_SLICE_BENCH_H

#include "dram/channel.h"
#include "mem/slice.h"
#include "tests/rig/rig.h"

#define DRAM_CYCLES 100u
#define HIT_CYCLES 20u

/* Latency from sending a request: link, pipeline, (DRAM with its links), link. */
#define HIT (1 + HIT_CYCLES + 1)
#define MISS (1 + HIT_CYCLES + 1 + DRAM_CYCLES + 1 + 1)
#define PASS (1 + 1 + DRAM_CYCLES + 1 + 1)

struct setting {
	const char *path, *value;
};

/* Links of latency 1 everywhere. With `channel` a DRAM channel replies, else a sink receives the
 * packets to DRAM and a source sends the replies. */
struct bench {
	struct rig *rig;
	struct component *slice, *channel;
	const struct channel_ops *ops;
	struct source *source, *dram_source;
	struct sink *sink, *dram_sink;
	struct source *asked, *lent; /* the peer: what it asks for, and lends */
	struct sink *ask, *lend;
};

/* Settings end with an empty one; NULL: none. Faults are in rig->err. */
struct bench bench_new(const struct setting *, bool channel, bool free_port);

/* With a peer, too, which is a script as DRAM is. */
struct bench bench_new_copies(const struct setting *);

/* To the end, where the slice's counters must balance. */
void bench_run(struct bench *);
struct slice_counts bench_counts(const struct bench *);

/* Requests of SM 4, whose origin's instruction is the tag. */
struct packet request(enum packet_kind, unsigned line, uint8_t granules, uint32_t tag);
struct packet atomic(unsigned line, uint8_t granules, uint8_t lanes, uint32_t tag);
struct packet acked_write(unsigned line, uint8_t granules, uint32_t tag);

/* DRAM's reply to the fetch of those granules that has the MSHR entry. */
struct packet fetched(unsigned line, uint8_t granules, uint32_t entry);

void assert_arrival(
	const struct bench *, unsigned i, uint32_t tag, enum packet_kind, uint64_t cycle);

/* Packet i that went to DRAM. */
void assert_to_dram(const struct bench *, unsigned i, enum packet_kind, unsigned line,
	uint8_t granules, uint32_t instr);

#endif
