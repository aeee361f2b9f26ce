/* DRAM schedulers: which bursts may have commands now. Two choices, made apart: whether an open row
 * may go on before an older burst, a plugin of kind "dram scheduler" (`ops` is a struct
 * dram_sched_ops), and when writes are served, one of kind "dram writes" (struct dram_writes_ops).
 * Both only choose: no state, no clock.
 *
 * The controller issues, of all commands that they let through, the one that the timings allow
 * first; of several at one clock, reads and writes of open rows go before activates and precharges,
 * then the oldest burst's goes first. A row that a burst waits for is never closed for another one
 * unless `passes` says so. A row that was opened is used before another burst closes it: what
 * it was opened for is finished also when the other way's turn has come. */
#ifndef DRAM_SCHED_H
#define DRAM_SCHED_H

#include "core/plugin.h"

enum { DRAM_SERVE_READS = 1, DRAM_SERVE_WRITES = 2, DRAM_SERVE_BOTH = 3 };

struct dram_sched_view {
	unsigned queued[2];    /* requests: reads, writes */
	unsigned write_places; /* for as many there is room */
	unsigned high, low;    /* writes: dram.write_high and dram.write_low of the places */
	unsigned cap;          /* dram.cap, bursts */
};

struct dram_sched_ops {
	/* Bursts are served in order of arrival, reads and writes alike. While those that have
	 * opened their rows wait for them, the next one's row is opened. Nothing else is asked. */
	bool in_order;
	/* May one more burst to a bank's open row go before an older one to another row? `columns`
	 * reads and writes were issued since the row was opened, one at least. NULL: always. */
	bool (*passes)(const struct dram_sched_view *, unsigned columns);
};

struct dram_writes_ops {
	/* Whom to serve now (DRAM_SERVE_), asked when a burst has been served and when one has
	 * come that was not to be; `serving` is the last answer, 0 after an empty queue. NULL:
	 * both. */
	unsigned (*serve)(const struct dram_sched_view *, unsigned serving);
};

#endif
