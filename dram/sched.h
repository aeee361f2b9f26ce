/* DRAM schedulers: which bursts may have commands now. Two choices, made apart: which burst goes
 * before which, a plugin of kind "dram scheduler" (`ops` is a struct dram_sched_ops), and when
 * writes are served, one of kind "dram writes" (struct dram_writes_ops). Both are policies
 * (core/policy.h), one for each channel.
 *
 * Without `rank` the controller issues, of all commands that they let through, the one that the
 * timings allow first; of several at one clock, reads and writes of open rows go before activates
 * and precharges, then the oldest burst's goes first. A row that a burst waits for is never closed
 * for another one unless `passes` says so. With `rank` every bank serves the burst of the smallest
 * rank, whatever its row, and of several commands at one clock that of the smallest rank goes
 * first. In both, a row that was opened is used before another burst closes it: what it was opened
 * for is finished also when reads' or writes' turn has ended. */
#ifndef DRAM_SCHED_H
#define DRAM_SCHED_H

#include "core/policy.h"

enum { DRAM_SERVE_READS = 1, DRAM_SERVE_WRITES = 2, DRAM_SERVE_BOTH = 3 };

/* What does not change while it runs. */
struct dram_sched_shape {
	unsigned bursts;       /* places for bursts */
	unsigned write_places; /* for requests: for as many writes there is room */
	unsigned banks;
};

struct dram_sched_view {
	unsigned queued[2];    /* requests: reads, writes */
	unsigned write_places; /* for as many there is room */
};

/* A queued burst. */
struct dram_asked {
	uint64_t order;    /* its number, in order of arrival */
	uint64_t accepted; /* command clock of its arrival */
	uint32_t row;
	uint16_t burst;     /* its place: below shape.bursts, its own while it is queued */
	uint16_t requester; /* SM; of a write-back the last writer's */
	uint8_t bank;
	bool write;
};

struct dram_sched_ops {
	/* Bursts are served in order of arrival, reads and writes alike. While those that have
	 * opened their rows wait for them, the next one's row is opened. Nothing else is asked. */
	bool in_order;
	/* Sets state up, before anything runs. 0, or -1 and a message. May be NULL. */
	int (*init)(void *self, const struct dram_sched_shape *, struct arena *, struct err *);

	/* ---- choosing */
	/* May one more burst to a bank's open row go before an older one to another row? `columns`
	 * reads and writes were issued since the row was opened, one at least. NULL: always. */
	bool (*passes)(const void *self, const struct dram_sched_view *, unsigned columns);
	/* The burst's rank, `hit` when its row is open; of equal ones the oldest goes first. It
	 * changes with events alone. NULL: bursts have none. */
	uint32_t (*rank)(const void *self, const struct dram_asked *, bool hit);

	/* ---- events; each may be NULL */
	void (*accepted)(void *self, const struct dram_asked *);
	void (*served)(void *self, const struct dram_asked *); /* read or written */
};

struct dram_writes_ops {
	int (*init)(void *self, const struct dram_sched_shape *, struct arena *, struct err *);
	/* Whom to serve now (DRAM_SERVE_), asked when a burst has been served and when one has
	 * come that was not to be; `serving` is the last answer, 0 after an empty queue. NULL:
	 * both. */
	unsigned (*serve)(const void *self, const struct dram_sched_view *, unsigned serving);
};

#endif
