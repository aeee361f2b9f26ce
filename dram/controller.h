/* One channel's controller: a queue of requests, each of some bursts, a scheduler, banks and their
 * timings. Time is in command clocks (CK); nothing happens but when its owner offers a burst or
 * lets it advance, so it costs nothing between commands. Order of life: fill params,
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

#define DRAM_PARAMS(P, T) \
	P(T, NAME, device, "m12", 0, 0, "", \
		"The device: m12, gtx480, gddr5_6000, gddr5_6000_4gb, gddr6_14000 or hbm2.") \
	P(T, NAME, map, "device", 0, 0, "", \
		"Address map, most significant field first: row, bank, bank group, column, as " \
		"RoBaCo5BgCo1; device: the device's own.") \
	P(T, NAME, hash, "none", 0, 0, "dram hash", "How rows change banks.") \
	P(T, NAME, scheduler, "frfcfs", 0, 0, "dram scheduler", "Which burst is next.") \
	P(T, NAME, writes, "drain", 0, 0, "dram writes", \
		"When writes are served; fcfs serves them as they come.") \
	P(T, UINT, queue, 64, 1, 4096, "requests", \
		"Places for reads: requests of a line or less, however many bursts each is.") \
	P(T, UINT, write_queue, 64, 0, 4096, "requests", \
		"Places for writes. 0: they share those for reads.") \
	P(T, UINT, bank_queue, 0, 0, 4096, "bursts", \
		"Places of each bank's own queue, behind those for reads and writes: the " \
		"scheduler " \
		"looks at these alone. 0: there are none, it looks at all that wait.") \
	P(T, UINT, max_wait, 4096, 1, 1000000000, "CK", \
		"A burst that has waited so long goes before all others.") \
	P(T, BOOL, closed_page, 0, 0, 1, "", "Rows are closed when no burst to them is queued.") \
	P(T, BOOL, refresh, 1, 0, 1, "", "All banks are refreshed every tREFI.") \
	P(T, UINT, tck_ps, 0, 0, 100000, "ps", "The command clock. 0: the device's.") \
	DRAM_TIMINGS(DRAM_TIMING_PARAM, P, T)

#define DRAM_STATS(S, T) \
	S(T, COUNT, reads, "bursts", "Reads served.") \
	S(T, COUNT, writes, "bursts", "Writes served.") \
	S(T, COUNT, bytes_read, "bytes", "Bytes of read bursts accepted.") \
	S(T, COUNT, bytes_write, "bytes", "Bytes of write bursts accepted.") \
	S(T, COUNT, busy_ps, "ps", "Time that the data bus was occupied.") \
	S(T, COUNT, row_hits, "bursts", "Bursts that found their row open.") \
	S(T, COUNT, row_misses, "bursts", "Bursts that found their bank closed.") \
	S(T, COUNT, row_conflicts, "bursts", "Bursts that found another row open.") \
	S(T, COUNT, activates, "commands", "Rows opened.") \
	S(T, COUNT, precharges, "commands", "Rows closed, those before refreshes too.") \
	S(T, COUNT, refreshes, "commands", "Refreshes of all banks.") \
	S(T, COUNT, overdue, "bursts", "Bursts served at once because of dram.max_wait.") \
	S(T, COUNT, read_ck, "CK", "From reads' acceptance to their last data beat, summed.") \
	S(T, COUNT, queue_sum, "requests", \
		"Requests found in the queue by those that came, summed over all that came.") \
	S(T, MAX, queue_peak, "requests", "Most requests that were in the queue at once.")
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
		older; /* of its way: in its bank's list, or arrivals; in all */
	uint16_t request;
	uint8_t bank, way;
	uint8_t found;    /* 0: its row open, 1: the bank closed, 2: another row */
	bool in_its_bank; /* else among the arrivals, which the scheduler does not see */
};

/* A queued request. */
struct dram_request {
	uint16_t left, next; /* bursts not yet read or written; the next free one */
	uint16_t requester;
	uint8_t way;
};

struct dram_list {
	uint16_t head, tail;
};

/* A bank's bursts, by way (DRAM_READ, DRAM_WRITE), oldest first; and what was done to it. */
struct dram_bank_queue {
	struct dram_list list[2];
	uint16_t hit[2];            /* the oldest to the open row */
	uint16_t opener;            /* the burst that the row was opened for, until it goes */
	unsigned held;              /* bursts */
	uint32_t columns;           /* reads and writes since the row was opened */
	uint64_t bursts, activates; /* bursts before the row was opened */
};

struct dram_choice {
	uint64_t at, key; /* CK; smaller keys go first */
	uint16_t burst;
	uint8_t command; /* enum dram_command, or one of the controller's own */
};

/* Fields may be read; the functions below change them. */
struct controller {
	const struct dram_params *p;
	struct dram_stats *s;
	struct dram_device device; /* with its timings as the parameters say */
	struct dram_map map;
	struct policy hash, scheduler, when; /* `when` writes are served */
	const struct dram_sched_ops *sched;
	const struct dram_writes_ops *writes;
	struct dram_sched_view view;
	unsigned serving, places[2];
	uint64_t now;          /* commands up to here are decided */
	uint64_t orders, done; /* bursts accepted; finished */
	uint64_t max_wait, refresh_due;
	uint64_t waiting[2], hits[2]; /* a bit per bank */
	uint64_t unused[2];           /* likewise: the row was opened for that way, and not used */
	struct dram_burst *bursts;
	struct dram_request *requests;
	struct dram_list arrivals[2];        /* with queues of banks: those that are in none */
	uint16_t free, oldest[2], newest[2]; /* by way */
	uint16_t free_request;
	uint16_t front[2]; /* in_order: all older ones have opened their rows */
	bool decided;
	struct dram_choice choice;
	struct dram_timing timing;
	struct dram_bank_queue bank[DRAM_BANKS];
};

/* What a controller is made from. */
struct controller_config {
	const struct dram_params *p; /* must outlive it, as must the statistics */
	struct dram_stats *s;
	unsigned line_bytes;     /* requests have so many or less; 0: a burst each */
	struct config *settings; /* for the parameters of its policies; NULL: the defaults */
};

/* Sets the controller up as the parameters say. All faults in err, and the controller may still be
 * used. 0 or -1. */
int controller_init(
	struct controller *, const struct controller_config *, struct arena *, struct err *);

/* The address map that is in use. */
const char *controller_map(const struct controller *);

/* Requests of that way that can be made now. */
static inline unsigned controller_room(const struct controller *c, enum dram_command way)
{
	unsigned taken = c->places[1] ? c->view.queued[way] : c->view.queued[0] + c->view.queued[1];

	return c->places[c->places[1] ? way : 0] - taken;
}

/* Takes a place, of which there must be one, for a request of so many bursts, which are offered
 * next: its number. `requester`: the SM, for the scheduler. */
uint16_t controller_request(
	struct controller *, enum dram_command way, unsigned bursts, unsigned requester);

/* Accepts a burst (its number: address / burst bytes) of the request at clock `now`, after
 * controller_advance has answered false for that clock. Its first command goes a clock later at the
 * earliest. `user` comes back. */
void controller_offer_of(
	struct controller *, uint16_t request, uint64_t burst, uint32_t user, uint64_t now);

/* Both for a request of one burst, of SM 0. */
void controller_offer(
	struct controller *, enum dram_command way, uint64_t burst, uint32_t user, uint64_t now);

/* What the scheduler may know of a burst. */
static inline struct dram_asked controller_asked(const struct controller *c, uint16_t i)
{
	const struct dram_burst *r = &c->bursts[i];

	return (struct dram_asked){.order = r->order,
		.accepted = r->accepted,
		.row = r->row,
		.burst = i,
		.requester = c->requests[r->request].requester,
		.bank = r->bank,
		.write = r->way == DRAM_WRITE};
}

/* The clock of the next command, as things are; UINT64_MAX: nothing is queued. */
uint64_t controller_next(struct controller *);

/* What a command was. */
struct dram_event {
	enum dram_command command; /* DRAM_READ and DRAM_WRITE finish a burst */
	uint32_t user, bank, row;
	uint64_t clock, accepted, end; /* CK: of the command; of the last data beat */
};

/* Issues the next command if its clock is not after `until`: true, and what it was. False: all
 * commands up to there are issued. */
bool controller_advance(struct controller *, uint64_t until, struct dram_event *);

/* Unfinished bursts. */
static inline uint64_t controller_queued(const struct controller *c)
{
	return c->orders - c->done;
}

/* What is queued, for reports of deadlocks. */
void controller_stuck(const struct controller *, struct text *);

#endif
