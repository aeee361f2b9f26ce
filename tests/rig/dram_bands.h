/* Results of two independent simulators, DRAMsim3 and Ramulator 1 (FR-FCFS), for traces in one
 * channel of the gtx480 device: the lower and the higher of their figures. */
#ifndef TESTS_RIG_DRAM_BANDS_H
#define TESTS_RIG_DRAM_BANDS_H

#include <stdbool.h>

/* All accesses at once: share of the peak bandwidth, and row hits. */
static const struct saturated_band {
	bool refresh;
	const char *map, *trace;
	unsigned queue;
	double share[2], hits[2];
} saturated_bands[] = {
	{false, "RoBaBgCo", "mix50", 32, {0.7743, 0.8254}, {0.9844, 0.9844}},
	{false, "RoBaBgCo", "mix50", 64, {0.8900, 0.9133}, {0.9844, 0.9844}},
	{false, "RoBaBgCo", "pingpong", 32, {0.2927, 0.5943}, {0.8333, 0.9841}},
	{false, "RoBaBgCo", "pingpong", 64, {0.2927, 0.6287}, {0.8333, 0.9921}},
	{false, "RoBaBgCo", "random", 32, {0.3077, 0.3166}, {0.0001, 0.0003}},
	{false, "RoBaBgCo", "random", 64, {0.3078, 0.3167}, {0.0002, 0.0004}},
	{false, "RoBaBgCo", "random128", 32, {0.6154, 0.6377}, {0.5000, 0.5001}},
	{false, "RoBaBgCo", "random128", 64, {0.6155, 0.6369}, {0.5001, 0.5001}},
	{false, "RoBaBgCo", "seq", 32, {0.8827, 0.9961}, {0.9844, 0.9844}},
	{false, "RoBaBgCo", "seq", 64, {0.9922, 1.0000}, {0.9844, 0.9844}},
	{false, "RoBaBgCo", "stride2k", 32, {0.6154, 0.6667}, {0.5000, 0.5000}},
	{false, "RoBaBgCo", "stride2k", 64, {0.6154, 0.6667}, {0.5000, 0.5000}},
	{false, "RoBaBgCo", "writeseq", 32, {0.8951, 0.9961}, {0.9844, 0.9844}},
	{false, "RoBaBgCo", "writeseq", 64, {0.9922, 1.0000}, {0.9844, 0.9844}},
	{false, "RoBaCoBg", "mix50", 32, {0.8332, 0.9152}, {0.9844, 0.9844}},
	{false, "RoBaCoBg", "mix50", 64, {0.9027, 0.9341}, {0.9844, 0.9844}},
	{false, "RoBaCoBg", "random", 32, {0.3077, 0.3167}, {0.0001, 0.0003}},
	{false, "RoBaCoBg", "random", 64, {0.3078, 0.3165}, {0.0003, 0.0003}},
	{false, "RoBaCoBg", "random128", 32, {0.3077, 0.3165}, {0.0002, 0.0003}},
	{false, "RoBaCoBg", "random128", 64, {0.3078, 0.3162}, {0.0003, 0.0003}},
	{false, "RoBaCoBg", "seq", 32, {0.9978, 1.0000}, {0.9844, 0.9844}},
	{false, "RoBaCoBg", "seq", 64, {0.9981, 1.0000}, {0.9844, 0.9844}},
	{false, "RoBaCoBg", "stride2k", 32, {0.6531, 0.6667}, {0.8750, 0.8750}},
	{false, "RoBaCoBg", "stride2k", 64, {0.6531, 0.6667}, {0.8750, 0.8750}},
	{false, "RoBaCoBg", "writeseq", 32, {0.9930, 1.0000}, {0.9844, 0.9844}},
	{false, "RoBaCoBg", "writeseq", 64, {0.9978, 1.0000}, {0.9844, 0.9844}},
	{true, "RoBaBgCo", "mix50", 32, {0.7473, 0.7939}, {0.9824, 0.9827}},
	{true, "RoBaBgCo", "pingpong", 32, {0.2830, 0.5769}, {0.8325, 0.9840}},
	{true, "RoBaBgCo", "random", 32, {0.2965, 0.3027}, {-0.0030, 0.0001}},
	{true, "RoBaBgCo", "random128", 32, {0.5901, 0.6105}, {0.4978, 0.4979}},
	{true, "RoBaBgCo", "seq", 32, {0.8765, 0.9574}, {0.9832, 0.9833}},
	{true, "RoBaBgCo", "stride2k", 32, {0.5908, 0.5913}, {0.4979, 0.4983}},
	{true, "RoBaBgCo", "writeseq", 32, {0.8862, 0.9574}, {0.9831, 0.9832}},
	{true, "RoBaCoBg", "mix50", 32, {0.8024, 0.8807}, {0.9808, 0.9812}},
	{true, "RoBaCoBg", "random", 32, {0.2965, 0.3023}, {-0.0030, 0.0001}},
	{true, "RoBaCoBg", "random128", 32, {0.2965, 0.3021}, {-0.0030, 0.0002}},
	{true, "RoBaCoBg", "seq", 32, {0.9603, 0.9648}, {0.9814, 0.9819}},
	{true, "RoBaCoBg", "stride2k", 32, {0.6309, 0.6420}, {0.8720, 0.8725}},
	{true, "RoBaCoBg", "writeseq", 32, {0.9572, 0.9613}, {0.9814, 0.9821}},
};

/* Below 80% of saturation, without refresh, 32 entries: the mean latency of reads in CK. */
static const struct loaded_band {
	const char *map, *trace;
	bool constant; /* rate; else Bernoulli */
	double load, latency[2];
} loaded_bands[] = {
	{"RoBaBgCo", "mix50", true, 0.01, {15.4, 15.7}},
	{"RoBaBgCo", "mix50", true, 0.1, {15.6, 16.6}},
	{"RoBaBgCo", "mix50", true, 0.2, {17.3, 18.9}},
	{"RoBaBgCo", "mix50", true, 0.25, {18.9, 20.4}},
	{"RoBaBgCo", "mix50", true, 0.3, {21.9, 22.2}},
	{"RoBaBgCo", "mix50", true, 0.4, {26.6, 30.5}},
	{"RoBaBgCo", "mix50", true, 0.5, {35.4, 35.6}},
	{"RoBaBgCo", "mix50", true, 0.6, {45.5, 45.8}},
	{"RoBaBgCo", "mix50", false, 0.01, {15.6, 15.9}},
	{"RoBaBgCo", "mix50", false, 0.1, {17.2, 17.9}},
	{"RoBaBgCo", "mix50", false, 0.2, {18.8, 20.7}},
	{"RoBaBgCo", "mix50", false, 0.25, {20.0, 22.4}},
	{"RoBaBgCo", "mix50", false, 0.3, {22.5, 24.3}},
	{"RoBaBgCo", "mix50", false, 0.4, {29.3, 30.3}},
	{"RoBaBgCo", "mix50", false, 0.5, {37.1, 37.8}},
	{"RoBaBgCo", "mix50", false, 0.6, {46.6, 48.3}},
	{"RoBaBgCo", "random", true, 0.01, {39.0, 39.0}},
	{"RoBaBgCo", "random", true, 0.1, {40.8, 40.8}},
	{"RoBaBgCo", "random", true, 0.2, {45.8, 45.9}},
	{"RoBaBgCo", "random", false, 0.01, {39.3, 39.3}},
	{"RoBaBgCo", "random", false, 0.1, {43.2, 43.2}},
	{"RoBaBgCo", "random", false, 0.2, {51.0, 51.1}},
	{"RoBaBgCo", "random128", true, 0.01, {27.0, 27.0}},
	{"RoBaBgCo", "random128", true, 0.1, {30.5, 30.5}},
	{"RoBaBgCo", "random128", true, 0.2, {37.3, 37.3}},
	{"RoBaBgCo", "random128", true, 0.25, {39.1, 39.3}},
	{"RoBaBgCo", "random128", true, 0.3, {41.5, 41.9}},
	{"RoBaBgCo", "random128", true, 0.4, {44.9, 45.1}},
	{"RoBaBgCo", "random128", false, 0.01, {27.9, 27.9}},
	{"RoBaBgCo", "random128", false, 0.1, {33.8, 33.9}},
	{"RoBaBgCo", "random128", false, 0.2, {38.4, 38.5}},
	{"RoBaBgCo", "random128", false, 0.25, {40.5, 40.6}},
	{"RoBaBgCo", "random128", false, 0.3, {42.5, 42.7}},
	{"RoBaBgCo", "random128", false, 0.4, {47.0, 47.5}},
	{"RoBaBgCo", "seq", true, 0.01, {15.4, 15.4}},
	{"RoBaBgCo", "seq", true, 0.1, {15.5, 15.5}},
	{"RoBaBgCo", "seq", true, 0.2, {15.8, 15.8}},
	{"RoBaBgCo", "seq", true, 0.25, {16.1, 16.1}},
	{"RoBaBgCo", "seq", true, 0.3, {16.4, 16.4}},
	{"RoBaBgCo", "seq", true, 0.4, {17.4, 17.4}},
	{"RoBaBgCo", "seq", true, 0.5, {19.7, 19.7}},
	{"RoBaBgCo", "seq", true, 0.6, {28.5, 29.1}},
	{"RoBaBgCo", "seq", true, 0.7, {48.5, 48.9}},
	{"RoBaBgCo", "seq", false, 0.01, {15.4, 15.4}},
	{"RoBaBgCo", "seq", false, 0.1, {15.9, 15.9}},
	{"RoBaBgCo", "seq", false, 0.2, {16.6, 16.6}},
	{"RoBaBgCo", "seq", false, 0.25, {17.1, 17.1}},
	{"RoBaBgCo", "seq", false, 0.3, {17.7, 17.7}},
	{"RoBaBgCo", "seq", false, 0.4, {19.5, 19.5}},
	{"RoBaBgCo", "seq", false, 0.5, {23.2, 23.3}},
	{"RoBaBgCo", "seq", false, 0.6, {32.2, 32.4}},
	{"RoBaBgCo", "seq", false, 0.7, {49.2, 49.6}},
	{"RoBaCoBg", "mix50", true, 0.01, {15.4, 15.6}},
	{"RoBaCoBg", "mix50", true, 0.1, {15.4, 16.0}},
	{"RoBaCoBg", "mix50", true, 0.2, {16.7, 17.2}},
	{"RoBaCoBg", "mix50", true, 0.25, {18.2, 18.2}},
	{"RoBaCoBg", "mix50", true, 0.3, {19.0, 19.2}},
	{"RoBaCoBg", "mix50", true, 0.4, {21.7, 26.5}},
	{"RoBaCoBg", "mix50", true, 0.5, {24.9, 29.6}},
	{"RoBaCoBg", "mix50", true, 0.6, {30.9, 32.3}},
	{"RoBaCoBg", "mix50", false, 0.01, {15.5, 15.7}},
	{"RoBaCoBg", "mix50", false, 0.1, {16.7, 16.8}},
	{"RoBaCoBg", "mix50", false, 0.2, {17.9, 18.3}},
	{"RoBaCoBg", "mix50", false, 0.25, {18.5, 19.2}},
	{"RoBaCoBg", "mix50", false, 0.3, {19.7, 20.3}},
	{"RoBaCoBg", "mix50", false, 0.4, {22.6, 24.7}},
	{"RoBaCoBg", "mix50", false, 0.5, {25.8, 29.6}},
	{"RoBaCoBg", "mix50", false, 0.6, {31.3, 33.6}},
	{"RoBaCoBg", "random", true, 0.01, {39.0, 39.0}},
	{"RoBaCoBg", "random", true, 0.1, {40.8, 40.8}},
	{"RoBaCoBg", "random", true, 0.2, {45.8, 45.8}},
	{"RoBaCoBg", "random", false, 0.01, {39.3, 39.3}},
	{"RoBaCoBg", "random", false, 0.1, {43.1, 43.1}},
	{"RoBaCoBg", "random", false, 0.2, {51.0, 51.1}},
	{"RoBaCoBg", "random128", true, 0.01, {39.0, 39.0}},
	{"RoBaCoBg", "random128", true, 0.1, {39.0, 39.0}},
	{"RoBaCoBg", "random128", true, 0.2, {44.1, 44.1}},
	{"RoBaCoBg", "random128", false, 0.01, {39.1, 39.1}},
	{"RoBaCoBg", "random128", false, 0.1, {42.0, 42.1}},
	{"RoBaCoBg", "random128", false, 0.2, {49.9, 50.1}},
	{"RoBaCoBg", "seq", true, 0.01, {15.4, 15.4}},
	{"RoBaCoBg", "seq", true, 0.1, {15.4, 15.4}},
	{"RoBaCoBg", "seq", true, 0.2, {15.4, 15.4}},
	{"RoBaCoBg", "seq", true, 0.25, {15.4, 15.4}},
	{"RoBaCoBg", "seq", true, 0.3, {15.4, 15.4}},
	{"RoBaCoBg", "seq", true, 0.4, {15.6, 15.6}},
	{"RoBaCoBg", "seq", true, 0.5, {15.7, 15.8}},
	{"RoBaCoBg", "seq", true, 0.6, {16.0, 16.1}},
	{"RoBaCoBg", "seq", true, 0.7, {16.6, 16.6}},
	{"RoBaCoBg", "seq", false, 0.01, {15.4, 15.4}},
	{"RoBaCoBg", "seq", false, 0.1, {15.4, 15.4}},
	{"RoBaCoBg", "seq", false, 0.2, {15.6, 15.6}},
	{"RoBaCoBg", "seq", false, 0.25, {15.7, 15.7}},
	{"RoBaCoBg", "seq", false, 0.3, {15.8, 15.8}},
	{"RoBaCoBg", "seq", false, 0.4, {16.0, 16.0}},
	{"RoBaCoBg", "seq", false, 0.5, {16.4, 16.4}},
	{"RoBaCoBg", "seq", false, 0.6, {17.0, 17.0}},
	{"RoBaCoBg", "seq", false, 0.7, {18.0, 18.0}},
};

/* DRAMsim3's own GDDR5 of 6 Gbps (our gddr5_6000), whose 16 banks have queues of 8, behind 32
 * entries for reads and writes each; 100,000 accesses at once, RoBaBgCo: share of the peak. */
static const struct copy_figure {
	const char *trace;
	double share;
} copy_figures[] = {{"copy", 0.5635}, {"skewed", 0.6579}};

/* DRAMsim3 on the gtx480's channel, RoBaBgCo, without refresh: three random reads to a random write
 * at constant loads, and the mean latency of reads in CK. */
static const struct mix_figure {
	double load, latency;
} mix_figures[] = {{0.10, 42.8}, {0.20, 56.8}, {0.25, 81.6}, {0.30, 118.3}};

/* The same trace with Ramulator 1 and first come, first served. */
static const struct fcfs_figure {
	const char *map, *trace;
	double share, hits;
} fcfs_figures[] = {
	{"RoBaBgCo", "pingpong", 0.0500, 0.0000},
	{"RoBaBgCo", "random", 0.1289, 0.0001},
	{"RoBaBgCo", "random128", 0.1392, 0.5000},
	{"RoBaBgCo", "seq", 0.5981, 0.9844},
	{"RoBaBgCo", "stride2k", 0.1429, 0.5000},
	{"RoBaBgCo", "writeseq", 0.6038, 0.9844},
	{"RoBaCoBg", "random", 0.1293, 0.0001},
	{"RoBaCoBg", "random128", 0.1442, 0.0001},
	{"RoBaCoBg", "seq", 0.9094, 0.9844},
	{"RoBaCoBg", "stride2k", 0.3478, 0.8750},
	{"RoBaCoBg", "writeseq", 0.9127, 0.9844},
};

#endif
