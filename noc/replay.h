/* One network alone under synthetic traffic: open loop, as in Dally and Towles, "Principles and
 * Practices of Interconnection Networks", chapter 23. Every input has a source with an endless
 * queue, every output takes what comes. After a warm-up all packets that are made in the measured
 * cycles are followed until they have arrived, while the traffic goes on. */
#ifndef NOC_REPLAY_H
#define NOC_REPLAY_H

#include "noc/network.h"

#define TRAFFIC_PARAMS(P, T) \
	P(T, UINT, data_bytes, 0, 0, 128, "bytes", \
		"Data of a packet, a multiple of 16; its header is a flit more.") \
	P(T, UINT, warmup_cycles, 10000, 0, 100000000, "cycles", \
		"Traffic before anything is measured.") \
	P(T, UINT, measured_cycles, 20000, 100, 100000000, "cycles", \
		"Packets made in them are followed.") \
	P(T, UINT, drain_cycles, 20000, 0, 100000000, "cycles", \
		"For the last of them to arrive, at most.") \
	P(T, REAL, hot_share, 0.5, 0, 1, "", "Share of packets to output 0, in pattern hotspot.")

struct traffic_params {
	TRAFFIC_PARAMS(PARAM_FIELD, )
};

/* What is set by traffic.NAME. */
extern const struct param_table traffic_params;

/* Where packets go. */
enum traffic_kind {
	TRAFFIC_UNIFORM,     /* to any output, each alike */
	TRAFFIC_HOTSPOT,     /* a share of them to output 0, the others to any */
	TRAFFIC_PERMUTATION, /* from input i to output i * outputs / inputs */
	TRAFFIC_REVERSE,     /* the same, outputs counted from the last */
	TRAFFIC_KINDS
};
extern const char *const traffic_names[TRAFFIC_KINDS];

struct traffic {
	struct traffic_params p;
	const char *network; /* name of a plugin; parameters under "noc" */
	enum traffic_kind kind;
	unsigned inputs, outputs;
	uint64_t seed;
};

/* Throughputs are in flits a cycle, as shares of what the smaller side's ports can carry, one each
 * a cycle. Latencies in cycles, from when a packet was made to when its last flit (its first, for
 * networks that let packets leave so) was out. */
struct traffic_result {
	double offered, accepted;
	double flits; /* a packet's */
	bool stable;  /* what was offered was accepted, and all followed packets arrived */
	uint64_t followed;
	double mean;
	uint32_t p50, p99, most;
	double transit; /* mean latency without the source's queue; negative: not known */
	/* flits accepted from the sources that got least and most through, over the mean */
	double least_source, most_source;
};

/* Runs the traffic at that offered load through a new network. 0, or -1 with err. */
int traffic_run(const struct traffic *, double offered, struct config *, struct traffic_result *,
	struct err *);

#endif
