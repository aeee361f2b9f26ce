/* A DRAM channel: a component that serves line requests of the L2 slices in front of it. Ports:
 * in[i] receives packets from slice i, out[i] replies to it. One plugin of kind "dram" per model.
 */
#ifndef DRAM_CHANNEL_H
#define DRAM_CHANNEL_H

#include "core/config.h"
#include "msg/traffic.h"

struct channel_config {
	const char *name; /* "dram.0" */
	unsigned index;
	unsigned slices;         /* ports */
	unsigned period_ps;      /* of its interface, the slices'; 0: the core clock's */
	unsigned latency_cycles; /* unloaded: from a read's arrival to its reply's departure; 0: the
				    least */
	double bytes_per_ns;     /* of this channel */
	/* Which addresses map to this channel: blocks of that many bytes, of every `interleave`
	 * consecutive blocks one to each port. 0: all addresses, in one block. */
	unsigned interleave;
	uint64_t block_bytes;
};

/* Traffic so far, by kind; both in bytes of transactions (not of useful data). */
struct channel_counts {
	uint64_t read_bytes, write_bytes, reads, writes;
	unsigned block_bytes;          /* transactions are aligned blocks of that many bytes */
	uint64_t busy_ps;              /* data bus */
	struct traffic taken, replied; /* on the slices' side */
};

/* The traffic of one launch on a channel, in bytes of transactions. */
struct launch_traffic {
	uint64_t read_bytes, write_bytes;
};

/* The geometry of a memory model. */
struct channel_memory {
	const char *name; /* of its device */
	unsigned channels;
	double bytes_per_ns;  /* of each channel */
	unsigned burst_bytes; /* that a read or write moves at least */
};

struct channel_profile;

struct channel_ops {
	/* Creates the component of this plugin in the partition, ports declared; parameters under
	 * "dram". Never NULL. */
	struct component *(*create)(const struct plugin *, struct partition *,
		const struct channel_config *, struct config *, struct arena *, struct err *);
	void (*counts)(const struct component *, struct channel_counts *);
	/* From now on the traffic of launch i is added to by_launch[i]; only while nothing runs.
	 * NULL (at first): it is not counted. */
	void (*count_into)(struct component *, struct launch_traffic *by_launch);
	/* The channels and the bandwidth of the configured memory, which a chip uses unless it sets
	 * its own: false after an error. NULL: the model supports any number and bandwidth. */
	bool (*memory)(struct config *, struct channel_memory *, struct err *);
	/* From now on all traffic is also counted there, as dram/profile.h says; before the first
	 * cycle. NULL: the model cannot be profiled. */
	void (*profile)(struct component *, struct channel_profile *, struct arena *);
};

/* True when bandwidths agree to within a percent. */
static inline bool channel_gives(double bytes_per_ns, double asked)
{
	return asked >= bytes_per_ns * 0.99 && asked <= bytes_per_ns * 1.01;
}

#endif
