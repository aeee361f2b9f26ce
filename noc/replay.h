/* One network alone under synthetic traffic: open loop, as in Dally and Towles, "Principles and
 * Practices of Interconnection Networks", chapter 23. Every input has a source with an unbounded
 * queue, every output accepts all packets. After a warm-up all packets generated in the measured
 * cycles are tracked until they have arrived, while the traffic continues. */
#ifndef NOC_REPLAY_H
#define NOC_REPLAY_H

#include "noc/network.h"

#define TRAFFIC_PARAMS(P, T) \
	P(T, UINT, data_bytes, 0, 0, 128, "bytes", \
		"Data of a packet, a multiple of 16; the header is one more flit.") \
	P(T, UINT, warmup_cycles, 10000, 0, 100000000, "cycles", \
		"Warm-up before the measurement.") \
	P(T, UINT, measured_cycles, 20000, 100, 100000000, "cycles", \
		"Measured cycles: packets generated in them are tracked.") \
	P(T, UINT, drain_cycles, 20000, 0, 100000000, "cycles", \
		"Limit on the cycles until the last of them arrives.") \
	P(T, REAL, hot_share, 0.5, 0, 1, "", "Share of packets to output 0, in pattern hotspot.")

struct noc_traffic_params {
	TRAFFIC_PARAMS(PARAM_FIELD, )
};

/* The parameters traffic.NAME. */
extern const struct param_table noc_traffic_params;

/* Destinations of packets. */
enum noc_traffic_kind {
	TRAFFIC_UNIFORM,     /* to any output, uniformly */
	TRAFFIC_HOTSPOT,     /* a share of them to output 0, the others uniformly */
	TRAFFIC_PERMUTATION, /* from input i to output i * outputs / inputs */
	TRAFFIC_REVERSE,     /* the same, outputs counted from the last */
	TRAFFIC_KINDS
};
extern const char *const noc_traffic_names[TRAFFIC_KINDS];

struct noc_traffic {
	struct noc_traffic_params p;
	const char *network; /* name of a plugin; parameters under "noc" */
	enum noc_traffic_kind kind;
	unsigned inputs, outputs;
	uint64_t seed;
};

/* Throughputs are in flits a cycle, as shares of the capacity of the smaller side's ports, one flit
 * each a cycle. Latencies are in cycles, from a packet's generation to its last flit's departure
 * (its first flit's, for networks in which packets leave with the first). */
struct noc_result {
	double offered, accepted;
	double flits; /* a packet's */
	bool stable;  /* the offered load was accepted, and all tracked packets arrived */
	uint64_t followed;
	double mean;
	uint32_t p50, p99, most;
	double transit; /* mean latency without the source's queue; negative: not known */
	/* flits accepted from the source with the lowest and the highest throughput, over the mean
	 */
	double least_source, most_source;
};

/* Runs the traffic at that offered load through a new network. 0, or -1 with err. */
int noc_replay(const struct noc_traffic *, double offered, struct config *, struct noc_result *,
	struct err *);

#endif
