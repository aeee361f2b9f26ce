/* One DRAM controller for tests, configured by settings, and the traces that simulators are
 * compared on. */
#ifndef TESTS_RIG_DRAM_RIG_H
#define TESTS_RIG_DRAM_RIG_H

#include "dram/replay.h"
#include "tests/rig/rig.h"

struct dram_rig {
	struct rig *rig;
	struct dram_replay *r;
};

/* `settings`: path, value, ..., NULL. Faults fail the test. */
struct dram_rig dram_rig_new(const char *const *settings);
/* The same, but faults stay in rig->err. */
struct dram_rig dram_rig_try(const char *const *settings);
void dram_rig_free(struct dram_rig);

/* The first n accesses of a trace by name: seq, random, random128, stride2k, pingpong, mix50,
 * writeseq, for bursts of 64 bytes, 16 banks and rows of 4 KB; copy, whose reads and writes are in
 * the same banks, skewed, where they are not, and random_mix75, three reads to a write. The caller
 * frees it with test_free. */
struct dram_access *dram_trace(const char *name, uint32_t n);

#endif
