/* One channel's controller: a queue of requests, each of some bursts, a scheduler, banks and their
 * timings. Time is in command clocks (CK); the state changes only when the owner offers a burst or
 * advances the controller, so clocks without a command cost nothing. Order of life: fill params,
 * controller_init; then offer and advance in order of time. */
#ifndef DRAM_CONTROLLER_H
#define DRAM_CONTROLLER_H

#include "core/mem.h"
#include "core/text.h"
#include "dram/map.h"
#include "dram/sched.h"
#include "dram/timing.h"

#define DRAM_TIMING_PARAM(P, T, name, text) \
	P(T, UINT, name, 0, 0, 1000000, "CK", text ". 0: the device's.")

#define DRAM_SHAPE_PARAM(P, T, name, unit, text) \
	P(T, UINT, name, 0, 0, 1u << 24, unit, text ". 0: the device's.")

#define DRAM_PARAMS(P, T) \
	P(T, NAME, device, "m12", 0, 0, "", \
		"The device: m12, gtx480, gddr5_6000, gddr5_6000_4gb, gddr5_7000, gddr5x_10000, " \
		"gddr6_10000, gddr6_14000, gddr6x_19000, hbm2, hbm2e, hbm3 or hbm3_5200.") \
	P(T, NAME, map, "device", 0, 0, "", \
		"Address map, most significant field first: row, bank, bank group, column, as " \
		"RoBaCo5BgCo1; device: the device's own.") \
	P(T, NAME, hash, "none", 0, 0, "dram hash", "Permutation of the banks by the row.") \
	P(T, NAME, scheduler, "frfcfs", 0, 0, "dram scheduler", \
		"Scheduling policy: which burst is next.") \
	P(T, NAME, writes, "drain", 0, 0, "dram writes", \
		"Write policy: when writes are served; fcfs serves them in order of arrival.") \
	P(T, UINT, queue, 64, 1, 4096, "requests", \
		"Read queue entries: requests of a line or less, of any number of bursts.") \
	P(T, UINT, write_queue, 64, 0, 4096, "requests", \
		"Write queue entries. 0: writes share the read queue.") \
	P(T, UINT, bank_queue, 0, 0, 4096, "bursts", \
		"Entries of each bank's queue, behind the read and write queues: the " \
		"scheduler " \
		"considers these only. 0: no bank queues, it considers all queued bursts.") \
	P(T, UINT, max_wait, 4096, 1, 1000000000, "CK", \
		"A burst that has waited this long has priority over all others.") \
	P(T, BOOL, closed_page, 0, 0, 1, "", \
		"Closed-page policy: a row is closed when no burst to it is queued.") \
	P(T, BOOL, refresh, 1, 0, 1, "", "All banks are refreshed every tREFI.") \
	P(T, BOOL, refresh_banks, 0, 0, 1, "", \
		"Banks are refreshed one after the other, each every tREFI; the others go on.") \
	P(T, UINT, tck_ps, 0, 0, 100000, "ps", "The command clock. 0: the device's.") \
	P(T, BOOL, keep_ns, 0, 0, 1, "", \
		"With dram.tck_ps: the device's timings keep their nanoseconds, except gaps of " \
		"bursts and commands (tCCD, tPPD). Else they keep their clocks.") \
	P(T, UINT, useful_bytes, 0, 0, 128, "bytes", \
		"Bytes of a burst that requests can use: each block of that size is a burst of its " \
		"own, whose other bytes are lost. 0: all bytes.") \
	DRAM_SHAPE(DRAM_SHAPE_PARAM, P, T) \
	DRAM_TIMINGS(DRAM_TIMING_PARAM, P, T)

#define DRAM_STATS(S, T) \
	S(T, COUNT, reads, "bursts", "Reads served.") \
	S(T, COUNT, writes, "bursts", "Writes served.") \
	S(T, COUNT, bytes_read, "bytes", "Bytes of read bursts accepted.") \
	S(T, COUNT, bytes_write, "bytes", "Bytes of write bursts accepted.") \
	S(T, COUNT, busy_ps, "ps", "Time that the data bus was occupied.") \
	S(T, COUNT, row_hits, "bursts", "Bursts to an open row.") \
	S(T, COUNT, row_misses, "bursts", "Bursts to a closed bank.") \
	S(T, COUNT, row_conflicts, "bursts", "Bursts to a bank with another row open.") \
	S(T, COUNT, activates, "commands", "Activates.") \
	S(T, COUNT, precharges, "commands", "Precharges, those before refreshes included.") \
	S(T, COUNT, refreshes, "commands", "Refreshes, of all banks or of one.") \
	S(T, COUNT, overdue, "bursts", "Bursts with priority because of dram.max_wait.") \
	S(T, COUNT, read_ck, "CK", \
		"Latency from a read's acceptance to its last data beat, summed over reads.") \
	S(T, COUNT, queue_sum, "requests", \
		"Queue occupancy at each arrival, summed over arrivals.") \
	S(T, MAX, queue_peak, "requests", "Peak queue occupancy.")
struct dram_params {
	DRAM_PARAMS(PARAM_FIELD, )
};

struct dram_stats {
	DRAM_STATS(STAT_FIELD, )
};

/* A queued burst. */
struct dram_burst {
	uint64_t order, accepted; /* number of its kind's acceptance; CK */
	uint32_t user, row;
	uint16_t next, before, newer,
		older; /* of its direction: in its bank's list, or arrivals; in all */
	uint16_t request;
	uint8_t bank, dir;
	uint8_t found;    /* 0: its row open, 1: the bank closed, 2: another row */
	bool in_its_bank; /* else among the arrivals, which the scheduler does not see */
};

/* A queued request. */
struct dram_request {
	uint16_t left, next; /* bursts not yet read or written; the next unused one */
	uint16_t requester;
	uint8_t dir;
};

struct dram_list {
	uint16_t head, tail;
};

/* A bank's bursts, by direction (DRAM_READ, DRAM_WRITE), oldest first; and the state of its row. */
struct dram_bank_queue {
	struct dram_list list[2];
	uint16_t hit[2];            /* the oldest to the open row */
	uint16_t opener;            /* the burst that the row was opened for, until it is served */
	unsigned held;              /* bursts */
	uint32_t columns;           /* reads and writes since the row was opened */
	uint64_t bursts, activates; /* bursts before the row was opened */
};

struct dram_choice {
	uint64_t at, key; /* CK; smaller keys have priority */
	uint16_t burst;
	uint8_t command; /* enum dram_command, or one of the controller's own */
};

/* Fields may be read; the functions below change them. */
struct controller {
	const struct dram_params *p;
	struct dram_stats *s;
	struct dram_device device; /* with its geometry and timings as set by parameters */
	char own_map[DRAM_MAP_TEXT];
	struct dram_map map;
	struct policy hash, scheduler, when; /* `when`: when writes are served */
	const struct dram_sched_ops *sched;
	const struct dram_writes_ops *writes;
	struct dram_sched_view view;
	unsigned serving, entries[2];
	uint64_t now;          /* commands up to this clock are decided */
	uint64_t orders, done; /* bursts accepted; finished */
	uint64_t max_wait, refresh_due;
	uint64_t refresh_every;       /* CK */
	unsigned refresh_bank;        /* the next one, if banks are refreshed one by one */
	uint64_t waiting[2], hits[2]; /* a bit per bank */
	uint64_t unused[2]; /* a bit per bank: row opened for that direction, and not used yet */
	struct dram_burst *bursts;
	struct dram_request *requests;
	struct dram_list arrivals[2];        /* with bank queues: those that are in none */
	uint16_t free, oldest[2], newest[2]; /* by direction */
	uint16_t free_request;
	unsigned nrequests, nbursts; /* entries of the tables */
	uint16_t front[2];           /* in_order: all older ones have opened their rows */
	bool decided;
	struct dram_choice choice;
	struct dram_timing timing;
	struct dram_bank_queue bank[DRAM_BANKS];
};

/* What a controller is created from. */
struct controller_config {
	const struct dram_params *p; /* must outlive it, as must the statistics */
	struct dram_stats *s;
	unsigned line_bytes;     /* the largest request; 0: a burst each */
	struct config *settings; /* for the parameters of its policies; NULL: the defaults */
};

/* Initialises the controller from the parameters. All errors go into err, and the controller can
 * still be used. 0 or -1. */
int controller_init(
	struct controller *, const struct controller_config *, struct arena *, struct err *);

/* Sets the device's geometry and timings that parameters give. */
void dram_device_set(struct dram_device *, const struct dram_params *);

/* The address map in use. */
const char *controller_map(const struct controller *);

/* Bytes of a line that a burst serves: dram.useful_bytes, or all its bytes. */
static inline unsigned controller_block_bytes(const struct controller *c)
{
	unsigned n = (unsigned)c->p->useful_bytes, all = c->device.burst_bytes;

	return n < DRAM_LEAST_BYTES || n > all || n & (n - 1) ? all : n;
}

/* Whether dram.useful_bytes is a part of a burst. 0 or -1. */
int dram_useful_check(const struct controller *, struct err *);

/* Free queue entries for that direction. */
static inline unsigned controller_space(const struct controller *c, enum dram_command dir)
{
	unsigned taken =
		c->entries[1] ? c->view.queued[dir] : c->view.queued[0] + c->view.queued[1];

	return c->entries[c->entries[1] ? dir : 0] - taken;
}

/* Allocates a queue entry, of which one must be free, for a request of that many bursts, which are
 * offered next: returns its number. `requester`: the SM, for the scheduler. */
uint16_t controller_request(
	struct controller *, enum dram_command dir, unsigned bursts, unsigned requester);

/* Accepts a burst (its number: address / burst bytes) of the request at clock `now`, after
 * controller_advance has returned false for that clock. Its first command is issued at least one
 * clock later. `user` is returned with its events. */
void controller_offer_of(
	struct controller *, uint16_t request, uint64_t burst, uint32_t user, uint64_t now);

/* Both for a request of one burst, of SM 0. */
void controller_offer(
	struct controller *, enum dram_command dir, uint64_t burst, uint32_t user, uint64_t now);

/* A burst as the scheduler sees it. */
static inline struct dram_queued_burst controller_queued_burst(
	const struct controller *c, uint16_t i)
{
	const struct dram_burst *r = &c->bursts[i];

	return (struct dram_queued_burst){.order = r->order,
		.accepted = r->accepted,
		.row = r->row,
		.entry = i,
		.requester = c->requests[r->request].requester,
		.bank = r->bank,
		.write = r->dir == DRAM_WRITE};
}

/* The clock of the next command in the current state; UINT64_MAX: nothing is queued. */
uint64_t controller_next(struct controller *);

/* An issued command. */
struct dram_event {
	enum dram_command command; /* DRAM_READ and DRAM_WRITE finish a burst */
	uint32_t user, bank, row;
	uint64_t clock, accepted, end; /* CK: of the command; of the last data beat */
};

/* Issues the next command if its clock is not after `until`: true, and the command. False: all
 * commands up to there have been issued. */
bool controller_advance(struct controller *, uint64_t until, struct dram_event *);

/* Unfinished bursts. */
static inline uint64_t controller_queued(const struct controller *c)
{
	return c->orders - c->done;
}

/* Moves its state (core/state.h). */
struct state;
void controller_state(struct state *, struct controller *);

/* The queued bursts, for the deadlock report. */
void controller_stuck(const struct controller *, struct text *);

#endif
