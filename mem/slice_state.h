/* The state of an L2 slice, shared by the files that implement it: slice.c and slice_lookup.c.
 *
 * Why it cannot deadlock. Replies drain: the reply network and the SMs accept them whatever
 * requests do. Data from DRAM can always be accepted: a fill's waiters have had their entries in
 * `ready` since they were accepted (waiters are at most `merges`, and of promised replies at most
 * `replies` were accepted without waiting), and its victim has an entry in `dram` (requests enter
 * only below dram_queue entries, the other `mshrs` entries are for the victims of at most `mshrs`
 * fetches in flight). A reply passed through waits for the reply link only. So DRAM's replies
 * drain, hence DRAM accepts requests, hence `dram` drains, hence the head of `pipe` can move, hence
 * the network drains. The limits of `fills` and of writes that wait change nothing of this: a fill
 * waits for its bank only, which time frees, and while in flight it has its victim's entry in
 * `dram` and among the evict_queue writes. */
#ifndef MEM_SLICE_STATE_H
#define MEM_SLICE_STATE_H

#include "core/probe.h"
#include "mem/mshr.h"
#include "mem/slice.h"
#include "mem/slice_profile.h"
#include "mem/write.h"
#include "msg/fifo.h"

#define SLICE_PARAMS(P, T) \
	P(T, UINT, bytes, 65536, 0, 1u << 30, "bytes", "Capacity of a slice; 0: no L2.") \
	P(T, UINT, ways, 8, 1, 32, "ways", "Associativity.") \
	P(T, NAME, replacement, "lru", 0, 0, "replacement", "Replacement policy.") \
	P(T, UINT, hit_cycles, 20, 0, 1000, "cycles", \
		"Latency from a request's arrival to a hit's reply, or to a miss's DRAM request.") \
	P(T, UINT, mshrs, 256, 1, 65536, "lines", "Outstanding lines (MSHR entries).") \
	P(T, UINT, merges, 1024, 1, 65536, "requests", \
		"Requests that can wait for outstanding lines, in total.") \
	P(T, UINT, replies, 32, 1, 4096, "packets", \
		"Replies that may wait for the network before requests stall.") \
	P(T, UINT, dram_queue, 16, 1, 4096, "packets", \
		"Packets that may wait for DRAM before requests stall.") \
	P(T, UINT, evict_queue, 512, 1, 1u << 20, "packets", \
		"Writes that may wait for DRAM, a victim for each fetch in flight included, " \
		"before requests stall.") \
	P(T, UINT, fill_queue, 8, 1, 4096, "packets", \
		"Returned fetches that may wait for their bank before DRAM stalls.") \
	P(T, UINT, banks, 1, 1, 1024, "banks", \
		"Banks of the slice, interleaved by set; must divide the number of sets.") \
	P(T, UINT, bank_cycles, 0, 0, 64, "cycles", \
		"Bank occupancy of 32 bytes that are read or written; 0: banks limit " \
		"nothing.") \
	P(T, UINT, sector_bytes, 16, 16, LINE_BYTES, "bytes", \
		"Sector size: traffic to and from DRAM is in whole sectors; a power of two.") \
	P(T, NAME, write_policy, "back", 0, 0, "write policy", \
		"Write policy: when written data goes to DRAM.") \
	P(T, BOOL, write_allocate, true, 0, 1, "", "A write miss allocates its line.") \
	P(T, NAME, set_hash, "modulo", 0, 0, "hash", "Hash that maps a line to its set.") \
	P(T, REAL, atomics_per_cycle, 2, 0.01, 32, "lanes", \
		"Lanes of atomics that the slice executes in a cycle. 2: with 12 slices the 24 " \
		"of Fermi's GF110; Kepler's GK104 has 64 in all.") \
	P(T, REAL, atomic_address_cycles, 9, 0, 1000, "cycles", \
		"Interval between operations on the same word of 4 bytes: 9 on Fermi, " \
		"1 from Kepler on; 0: all lanes at once.") \
	P(T, UINT, atomic_cycles, 0, 0, 1000, "cycles", \
		"Latency from the execution of an atomic's last lanes to its reply.") \
	P(T, BOOL, fill_line, 1, 0, 1, "", \
		"A miss fetches the whole line, instead of the requested sectors.") \
	P(T, UINT, fetch_bytes, 16, 16, LINE_BYTES, "bytes", \
		"Without l2.fill_line, a miss fetches the aligned blocks of that many bytes that " \
		"it touches, a power of two: 64 for two sectors of 32 bytes.")

#define SLICE_STATS(S, T) \
	S(T, COUNT, t_requests_op_read, "packets", "Reads received from the network.") \
	S(T, COUNT, t_requests_op_write, "packets", "Writes received from the network.") \
	S(T, COUNT, t_requests_op_atom, "packets", "Atomics received from the network.") \
	S(T, COUNT, replies_sent, "packets", "Replies and acknowledgements sent.") \
	S(T, COUNT, t_sectors_op_read, "sectors", "Sectors of 32 bytes looked up by reads.") \
	S(T, COUNT, t_sectors_op_read_lookup_hit, "sectors", "Sectors of reads that hit.") \
	S(T, COUNT, t_sectors_srcunit_ltcfabric, "sectors", \
		"Sectors of 32 bytes looked up for copies in the slice of the other side.") \
	S(T, COUNT, t_sectors_srcunit_ltcfabric_lookup_hit, "sectors", "Of these, that hit.") \
	S(T, COUNT, t_requests_merged, "packets", "Requests merged with an outstanding line.") \
	S(T, COUNT, dram_reads, "packets", "Reads sent to DRAM.") \
	S(T, COUNT, dram_read_bytes, "bytes", "Bytes of the reads sent to DRAM.") \
	S(T, COUNT, dram_writes, "packets", "Writes sent to DRAM.") \
	S(T, COUNT, dram_write_bytes, "bytes", "Bytes of the writes sent to DRAM.") \
	S(T, COUNT, flushed_bytes, "bytes", \
		"Bytes still dirty at the end, written back by the flush.") \
	S(T, COUNT, stall_cycles, "cycles", \
		"Cycles that the oldest request stalled on a full queue.") \
	S(T, COUNT, bank_conflict_cycles, "cycles", \
		"Cycles that the oldest request stalled on an occupied bank.") \
	S(T, COUNT, fill_wait_cycles, "cycles", \
		"Cycles that returned fetches waited for their banks.") \
	S(T, COUNT, atomic_lanes, "lanes", "Lanes of atomics executed.") \
	S(T, COUNT, atomic_wait_cycles, "cycles", \
		"Cycles that atomics waited for the atomic unit.") \
	S(T, COUNT, atomic_conflict_cycles, "cycles", \
		"Cycles by which operations on the same word delayed atomics.")

/* Words of a line held by atomics. */
struct atomic_line {
	uint64_t line, until; /* all of them are free from that cycle on */
	uint64_t free[LINE_BYTES / 4];
};
#define ATOMIC_LINES 64u

/* The atomic unit. Lanes pass through it in order of arrival; those whose word is held wait beside
 * it. */
struct atomic_unit {
	uint64_t free;    /* the next cycle in which lanes can enter */
	uint64_t replied; /* when the last reply leaves: they keep their order */
	struct atomic_line lines[ATOMIC_LINES];
};

/* What was fetched of a line: slice_warm.c. */
struct warm_fetch {
	uint64_t line;
	uint8_t granules; /* 0: nothing */
};

struct slice {
	struct component base;
	struct {
		SLICE_PARAMS(PARAM_FIELD, )
	} p;
	struct {
		SLICE_STATS(STAT_FIELD, )
	} s;
	bool pass; /* no L2: requests pass through */
	bool free_port;
	struct packet_port port;
	unsigned pipe_cycles;
	struct link *request, *reply, *dram_out, *dram_in;
	struct link *walk_in, *entry_out;       /* NULL: no walks */
	struct link *ask, *asked, *lend, *lent; /* NULL: no copies */
	struct slice *peer;
	struct policy replacement, hash, write;
	struct cache *cache;
	struct mshr *mshr;
	struct fifo pipe;       /* requests before the lookup; at: when they reach it */
	struct fifo dram;       /* packets to DRAM */
	struct fifo fills;      /* fills that wait for their bank; at: since when */
	struct fifo atomics;    /* replies of atomics in execution; at: when they are done */
	struct fifo ready;      /* replies to the network */
	struct fifo entries;    /* page table entries to the translation unit */
	struct fifo loans;      /* to the peer: copies, and lines whose copies are to be dropped */
	bool peer_last;         /* the last lookup was the peer's */
	unsigned promised;      /* replies that wait for no fetch: ready, executing, acks to come */
	struct packet *waiters; /* requests that wait for a fetch; the MSHR stores their index */
	uint32_t *free_waiters;
	unsigned nfree;
	unsigned fetches;     /* in flight to DRAM */
	uint16_t *fetches_of; /* by MSHR entry */
	struct atomic_unit atomic_unit;
	uint64_t stalled_since;  /* UINT64_MAX: not stalled */
	uint64_t took, looked;   /* 1 + the last cycle in which a request was taken, looked up */
	uint64_t conflict_since; /* UINT64_MAX: the oldest request waits for no bank */
	uint64_t *bank_free;  /* by bank: the cycle from which it is; NULL: banks limit nothing */
	unsigned evicting;    /* writes in `dram` */
	uint8_t acts[2];      /* sums of write_act: of a line that is absent, present */
	uint8_t whole[256];   /* granules rounded up to sectors */
	uint8_t fetched[256]; /* granules rounded up to what a miss of them fetches */
	struct slice_flows flows;
	struct warm_fetch *warm; /* the last ones without time, of `mshrs` at most */
	unsigned warmed;         /* of them, so far */
	struct launch_lookups *by_launch, unattributed;
	struct slice_profile *profile; /* NULL: the run is not profiled */
};

/* The cycle from which the line's bank is free. Only where banks limit something. */
static inline uint64_t slice_bank_free(const struct slice *s, uint64_t line)
{
	return s->bank_free[cache_set(s->cache, line) % s->p.banks];
}

/* Sets `whole` and `fetched` from the parameters. */
void slice_set_whole(struct slice *);

/* The lookup of one request: true when it was processed, false when it must wait (then nothing
 * changed). */
bool slice_look_up(struct slice *, const struct packet *, uint64_t cycle);

/* The same of a walk's read. */
bool slice_look_walk_up(struct slice *, const struct packet *, uint64_t cycle);

/* Sends queued packets to DRAM until the link refuses. */
void slice_drain_dram(struct slice *, uint64_t cycle);

/* slice_walk.c: the ports, if walks can be in flight; a cycle of them; an entry is available. */
void slice_walks_init(struct slice *, unsigned walks, struct arena *);
void slice_walks(struct slice *, uint64_t cycle);
bool slice_walks_busy(const struct slice *);
void slice_walked(struct slice *, const struct packet *, bool from_dram);
bool slice_walk_back(struct slice *, const struct packet *); /* the same without a cache: true */

/* The reply of DRAM or the peer to a fetch. False: the queue of those that wait for a bank is full.
 */
bool slice_take_back(struct slice *, const struct packet *, uint64_t cycle);

/* Sectors of 32 bytes that contain any of these granules. */
static inline unsigned slice_sectors(unsigned granules)
{
	return packet_granules((granules | granules >> 1) & 0x55);
}

/* The lookup of a read of the peer's, whose reply has space. */
bool slice_look_asked_up(struct slice *, const struct packet *, uint64_t cycle);

/* slice_peer.c: the ports, if there are copies; what the peer has lent, and what it is lent; a
 * lookup for it, if it asks and a reply has space; the next cycle in which time alone enables that.
 */
void slice_peer_init(struct slice *, bool copies, struct arena *, struct err *);
void slice_take_loans(struct slice *, uint64_t cycle);
void slice_send_loans(struct slice *);
bool slice_peer_look_up(struct slice *, uint64_t cycle);
uint64_t slice_peer_next(const struct slice *, uint64_t cycle);
bool slice_peer_busy(const struct slice *);
void slice_peer_stuck(const struct slice *, struct text *);
/* Whether more can be queued for the peer; a copy for it; it is to drop its copy of a line. */
bool slice_peer_has_space(const struct slice *);
void slice_lend(struct slice *, const struct packet *);
void slice_drop_copy(struct slice *, const struct packet *);
/* A read of a copy, that is to be fetched from the peer; whether that can wait here, and be asked
 * for; it is asked for. */
static inline bool slice_is_away(const struct packet *p)
{
	return p->copy && p->sm != SLICE_ITSELF;
}
bool slice_may_ask(struct slice *, int entry, bool missing);
void slice_ask(struct slice *, const struct packet *);

/* Executes an atomic whose granules are valid in the atomic unit. Returns the cycle from which its
 * reply may leave. */
uint64_t slice_atomic(struct slice *, const struct packet *, uint64_t cycle);

/* A fetch returned from DRAM: fills, and wakes the waiting requests when the line is complete. */
void slice_take_fetch(struct slice *, const struct packet *, uint64_t cycle);

/* Puts the reply to a request into the queue to the network. */
void slice_reply(
	struct slice *, const struct packet *request, enum packet_kind kind, uint64_t cycle);

/* The signals of a slice: its queues. */
extern const struct probe_ops slice_probe;

#include "mem/slice_profile_calls.h"

/* slice_saved.c: for component_ops. */
void slice_state(struct component *, struct state *);

/* The access, for the cache's policies. */
static inline struct cache_access slice_access(const struct packet *p, uint64_t cycle, bool fill)
{
	return (struct cache_access){.line = p->line,
		.cycle = cycle,
		.sm = p->origin.sm,
		.launch = p->origin.launch,
		.ptx_line = p->ptx_line,
		.warp = p->warp,
		.kind = p->kind,
		.fill = fill};
}

#endif
