/* The chip's private state, shared by the files of chip/. */
#ifndef CHIP_INSIDE_H
#define CHIP_INSIDE_H

#include "chip/chip.h"
#include "chip/gpu_inside.h"
#include "dram/channel.h"
#include "mem/slice.h"
#include "noc/network.h"

#define CHIP_CHANNELS 64
#define CHIP_SLICES 128

#define CHIP_PARAMS(P, T) \
	P(T, UINT, sms, 32, 1, GPU_MAX_SMS, "SMs", "Streaming multiprocessors.") \
	P(T, UINT, channels, 6, 1, CHIP_CHANNELS, "channels", "DRAM channels.") \
	P(T, UINT, slices, 2, 1, 8, "slices", "L2 slices in front of each channel.") \
	P(T, REAL, bytes_per_ns, 256, 0.001, 100000, "B/ns", "DRAM bandwidth of all channels.") \
	P(T, UINT, read_cycles, 400, 1, 100000, "cycles", \
		"Unloaded latency of a DRAM read, from a load's issue to its dependant's.") \
	P(T, UINT, interleave_bytes, 256, 128, 1048576, "bytes", \
		"Consecutive bytes in one slice; a multiple of the line.") \
	P(T, BOOL, hash, false, 0, 1, "", "Slices are chosen by a hash of the address.") \
	P(T, UINT, window, 20, 1, 1000, "cycles", \
		"Partitions run alone for a window; links between them are no shorter.") \
	P(T, NAME, network, "crossbar", 0, 0, "network", "The network between SMs and slices.") \
	P(T, UINT, link_cycles, 20, 1, 1000, "cycles", \
		"Latency of a link to or from the network.") \
	P(T, UINT, link_queue, 8, 1, 1024, "packets", "A router port's own buffer.") \
	P(T, NAME, dram, "bandwidth", 0, 0, "dram", "The model of a DRAM channel.") \
	P(T, NAME, storage, "partitioned", 0, 0, "storage", "The design of an SM's storage.")

#define DISPATCH_STATS(S, T) \
	S(T, COUNT, chip__launches, "launches", "Launches completed.") \
	S(T, COUNT, chip__ctas, "CTAs", "CTAs completed.")

/* What the dispatcher knows of an SM. */
struct sm_mirror {
	struct storage_split split;
	uint64_t register_bytes, shared_bytes; /* in use */
	uint32_t warps, ctas;                  /* in use */
};

/* Hands CTAs to SMs, round robin; launches of one stream run in order. */
struct dispatcher {
	struct component base;
	struct {
		DISPATCH_STATS(STAT_FIELD, dispatcher)
	} s;
	struct gpu *gpu;
	struct chip *chip;
	struct link *start_out[GPU_MAX_SMS], *done_in[GPU_MAX_SMS];
	struct sm_mirror sm[GPU_MAX_SMS];
	uint32_t first; /* launches before this one are complete */
	unsigned next_sm;
	uint64_t stepped_cycle; /* + 1: the last step's cycle; answers repeated calls */
	enum step answer;
};

struct chip {
	struct {
		CHIP_PARAMS(PARAM_FIELD, chip)
	} p;
	struct gpu *gpu;
	struct arena arena;
	struct sim *sim;
	const struct plugin *network, *dram, *storage;
	void *storage_self;
	struct storage_split largest; /* the most of each that a partitioning gives */
	struct sm_config sm_config;
	struct dispatcher *dispatcher;
	struct component *sm[GPU_MAX_SMS];
	struct component *request, *reply;
	struct component *slice[CHIP_SLICES], *channel[CHIP_CHANNELS];
	struct store_log *log[GPU_MAX_SMS];
	uint64_t *by_launch[GPU_MAX_SMS];
	uint32_t by_launch_room;
	unsigned dram_cycles; /* derived from read_cycles */
	uint64_t flushed_bytes;
	bool closed;
};

void dispatcher_init(struct dispatcher *, struct chip *, struct partition *);
/* Queued launches may be there: called between runs. */
void dispatcher_wake(struct dispatcher *);
/* All queued launches are complete. */
bool dispatcher_idle(const struct dispatcher *);

/* CTAs of the launch that one SM holds at once; 0: it can never fit. */
uint32_t chip_occupancy(
	const struct chip *, const struct launch_state *, const struct storage_split *);

static inline const struct storage_ops *chip_storage(const struct chip *chip)
{
	return chip->storage->ops;
}

#endif
