/* DRAM schedulers: which requests may have commands now. A plugin of kind "dram scheduler" each;
 * `ops` is a struct dram_sched_ops. A scheduler only chooses: no state, no clock.
 *
 * The controller issues, of all commands that the scheduler lets through, the one that the timings
 * allow first; of several at one clock, reads and writes of open rows go before activates and
 * precharges, then the oldest request's goes first. A row that a request waits for is never closed
 * for another one unless `passes` says so. */
#ifndef DRAM_SCHED_H
#define DRAM_SCHED_H

#include "core/plugin.h"

enum { DRAM_SERVE_READS = 1, DRAM_SERVE_WRITES = 2, DRAM_SERVE_BOTH = 3 };

struct dram_sched_view {
	unsigned queued[2];    /* reads, writes */
	unsigned write_places; /* for as many there is room */
	unsigned high, low;    /* writes: dram.write_high and dram.write_low of the places */
	unsigned cap;          /* dram.cap */
};

struct dram_sched_ops {
	/* Requests are served in order of arrival. While those that have opened their rows wait for
	 * them, the next one's row is opened. The verbs are not asked. */
	bool in_order;
	/* Whom to serve now (DRAM_SERVE_), asked when a request has been served and when one has
	 * come that was not to be; `serving` is the last answer, 0 after an empty queue. NULL:
	 * both. */
	unsigned (*serve)(const struct dram_sched_view *, unsigned serving);
	/* May one more request to a bank's open row go before an older one to another row?
	 * `columns` reads and writes were issued since the row was opened. NULL: always. */
	bool (*passes)(const struct dram_sched_view *, unsigned columns);
};

#endif
