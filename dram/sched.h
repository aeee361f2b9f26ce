/* DRAM schedulers: which bursts may have commands now. Two separate choices: the priority of
 * bursts, a plugin of kind "dram scheduler" (`ops` is a struct dram_sched_ops), and when writes are
 * served, one of kind "dram writes" (struct dram_writes_ops). Both are policies (core/policy.h),
 * one for each channel.
 *
 * Without `rank` the controller issues, of all commands that they permit, the first that the
 * timings allow; of several at one clock, reads and writes of open rows have priority over
 * activates and precharges, then the oldest burst's command has. A row that a burst waits for is
 * never closed for another one unless `passes` says so. With `rank` every bank serves the burst of
 * the smallest rank, whatever its row, and of several commands at one clock that of the smallest
 * rank has priority. In both, a row that was opened is used before another burst closes it: the
 * burst that it was opened for is also served when the reads' or writes' turn has ended. */
#ifndef DRAM_SCHED_H
#define DRAM_SCHED_H

#include "core/policy.h"

enum { DRAM_SERVE_READS = 1, DRAM_SERVE_WRITES = 2, DRAM_SERVE_BOTH = 3 };

/* Constant during the run. */
struct dram_sched_shape {
	unsigned bursts;        /* entries for bursts */
	unsigned write_entries; /* for requests: queue entries for writes */
	unsigned banks;
};

struct dram_sched_view {
	unsigned queued[2];     /* requests: reads, writes */
	unsigned write_entries; /* queue entries for writes */
};

/* A queued burst. */
struct dram_queued_burst {
	uint64_t order;    /* its number, in order of arrival */
	uint64_t accepted; /* command clock of its arrival */
	uint32_t row;
	uint16_t entry;     /* of the queue: below shape.bursts, unique while it is queued */
	uint16_t requester; /* SM; of a write-back the last writer's */
	uint8_t bank;
	bool write;
};

struct dram_sched_ops {
	/* Bursts are served in order of arrival, reads and writes alike. While those that have
	 * opened their rows wait for them, the next one's row is opened. The other functions are
	 * not called. */
	bool in_order;
	/* Initialises the state, before anything runs. 0, or -1 and a message. May be NULL. */
	int (*init)(void *self, const struct dram_sched_shape *, struct arena *, struct err *);

	/* ---- choosing */
	/* May one more burst to a bank's open row be served before an older one to another row?
	 * `columns` (at least one) reads and writes were issued since the row was opened. NULL:
	 * always. */
	bool (*passes)(const void *self, const struct dram_sched_view *, unsigned columns);
	/* The burst's rank, `hit` when its row is open; of equal ranks the oldest burst has
	 * priority. It changes with events only. NULL: bursts have none. */
	uint32_t (*rank)(const void *self, const struct dram_queued_burst *, bool hit);

	/* ---- events; each may be NULL */
	void (*accepted)(void *self, const struct dram_queued_burst *);
	void (*served)(void *self, const struct dram_queued_burst *); /* read or written */
};

struct dram_writes_ops {
	int (*init)(void *self, const struct dram_sched_shape *, struct arena *, struct err *);
	/* The directions to serve now (DRAM_SERVE_), called when a burst has been served and when
	 * one of a direction not served has arrived; `serving` is the last result, 0 after an empty
	 * queue. NULL: both. */
	unsigned (*serve)(const void *self, const struct dram_sched_view *, unsigned serving);
};

#endif
