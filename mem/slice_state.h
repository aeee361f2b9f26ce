/* The state of an L2 slice, shared by the files that make it: slice.c and slice_lookup.c.
 *
 * Why it cannot deadlock. Replies drain: the reply network and the SMs take them whatever requests
 * do. What comes from DRAM can always be taken: a fill's waiters have had their places in `ready`
 * since they were accepted (waiters are at most `merges`, and of promised replies at most `replies`
 * were accepted without waiting), and its victim has a place in `dram` (requests enter only below
 * dram_queue entries, the other `mshrs` places are for the victims of at most `mshrs` fetches in
 * flight). A reply passed through waits for nothing but the reply link. So DRAM's replies drain,
 * hence DRAM takes requests, hence `dram` drains, hence the head of `pipe` can move, hence the
 * network drains. The bounds of `fills` and of what waits to be written change nothing of this: a
 * fill waits for its bank alone, which time frees, and has its victim's place in `dram` and among
 * the evict_queue writes since it was asked for, as long as it is in flight. */
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
		"From a request's arrival to its hit's reply, or to its miss's request to DRAM.") \
	P(T, UINT, mshrs, 256, 1, 65536, "lines", "Lines that can be waited for at once.") \
	P(T, UINT, merges, 1024, 1, 65536, "requests", \
		"Requests that can wait for lines at once, in all.") \
	P(T, UINT, replies, 32, 1, 4096, "packets", \
		"Replies that may wait for the network before requests are held back.") \
	P(T, UINT, dram_queue, 16, 1, 4096, "packets", \
		"Packets that may wait for DRAM before requests are held back.") \
	P(T, UINT, evict_queue, 512, 1, 1u << 20, "packets", \
		"Writes that may wait for DRAM, a victim of each fetch on its way included, " \
		"before requests are held back.") \
	P(T, UINT, fill_queue, 8, 1, 4096, "packets", \
		"Fetches that came back and may wait for their bank before DRAM is held back.") \
	P(T, UINT, banks, 1, 1, 1024, "banks", \
		"Banks of the slice, each with every n-th set; they must divide the sets.") \
	P(T, UINT, bank_cycles, 0, 0, 64, "cycles", \
		"How long 32 bytes that are read or written occupy a bank; 0: banks limit " \
		"nothing.") \
	P(T, UINT, sector_bytes, 16, 16, LINE_BYTES, "bytes", \
		"What moves to and from DRAM are whole sectors of so many bytes, a power of two.") \
	P(T, NAME, write_policy, "back", 0, 0, "write policy", \
		"When DRAM hears of what was written.") \
	P(T, BOOL, write_allocate, true, 0, 1, "", \
		"A write gives its line a place, if it has none.") \
	P(T, NAME, set_hash, "modulo", 0, 0, "hash", "Which set a line belongs to.") \
	P(T, UINT, atomics_per_cycle, 2, 1, 32, "lanes", \
		"Lanes of atomics that the slice executes in a cycle. 2: with 12 slices the 24 " \
		"of Fermi's GF110; Kepler's GK104 has 64 in all.") \
	P(T, UINT, atomic_address_cycles, 9, 0, 1000, "cycles", \
		"From an operation on a word of 4 bytes to the next on the same one: 9 on Fermi, " \
		"1 from Kepler on; 0: as many at once as there are lanes.") \
	P(T, UINT, atomic_cycles, 0, 0, 1000, "cycles", \
		"From the execution of an atomic's last lanes to its reply.") \
	P(T, BOOL, fill_line, 1, 0, 1, "", \
		"A miss fetches the whole line, instead of the 16-byte granules asked for.")

#define SLICE_STATS(S, T) \
	S(T, COUNT, t_requests_op_read, "packets", "Reads taken from the network.") \
	S(T, COUNT, t_requests_op_write, "packets", "Writes taken from the network.") \
	S(T, COUNT, t_requests_op_atom, "packets", "Atomics taken from the network.") \
	S(T, COUNT, replies_sent, "packets", "Replies and acknowledgements sent.") \
	S(T, COUNT, t_sectors_op_read, "sectors", "Sectors of 32 bytes looked up by reads.") \
	S(T, COUNT, t_sectors_op_read_lookup_hit, "sectors", "Sectors that reads found valid.") \
	S(T, COUNT, t_requests_merged, "packets", \
		"Requests that joined a line already waited for.") \
	S(T, COUNT, dram_reads, "packets", "Reads sent to DRAM.") \
	S(T, COUNT, dram_read_bytes, "bytes", "Bytes of the reads sent to DRAM.") \
	S(T, COUNT, dram_writes, "packets", "Writes sent to DRAM.") \
	S(T, COUNT, dram_write_bytes, "bytes", "Bytes of the writes sent to DRAM.") \
	S(T, COUNT, flushed_bytes, "bytes", "Bytes still dirty at the end, written back then.") \
	S(T, COUNT, stall_cycles, "cycles", \
		"Cycles that the oldest request stood still for want of a place to wait in.") \
	S(T, COUNT, bank_conflict_cycles, "cycles", \
		"Cycles that the oldest request stood still because its bank was occupied.") \
	S(T, COUNT, fill_wait_cycles, "cycles", \
		"Cycles that fetches which came back waited for their banks.") \
	S(T, COUNT, atomic_lanes, "lanes", "Lanes of atomics executed.") \
	S(T, COUNT, atomic_wait_cycles, "cycles", \
		"Cycles that atomics waited for the atomic unit.") \
	S(T, COUNT, atomic_conflict_cycles, "cycles", \
		"Cycles that atomics took longer because operations were on one word.")

/* Words of a line that atomics hold. */
struct atomic_line {
	uint64_t line, until; /* all of them are free from that cycle on */
	uint64_t free[LINE_BYTES / 4];
};
#define ATOMIC_LINES 64u

/* The atomic unit. Lanes go through it in order of arrival; those whose word is held wait aside. */
struct atomic_unit {
	uint64_t free;    /* the cycle from which lanes can go in */
	uint64_t replied; /* when the last reply leaves: they keep their order */
	struct atomic_line lines[ATOMIC_LINES];
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
	unsigned pipe_cycles;
	struct link *request, *reply, *dram_out, *dram_in;
	struct policy replacement, hash, write;
	struct cache *cache;
	struct mshr *mshr;
	struct fifo pipe;       /* requests on their way to the lookup; at: when they get there */
	struct fifo dram;       /* packets to DRAM */
	struct fifo fills;      /* fetches that wait for their bank; at: since when */
	struct fifo atomics;    /* replies of atomics in execution; at: when they are done */
	struct fifo ready;      /* replies to the network */
	unsigned promised;      /* replies that wait for no fetch: ready, executing, acks to come */
	struct packet *waiters; /* requests that wait for a fetch; the MSHR knows them by index */
	uint32_t *free_waiters;
	unsigned nfree;
	unsigned fetches;     /* in flight to DRAM */
	uint16_t *fetches_of; /* by MSHR entry */
	struct atomic_unit atomic_unit;
	uint64_t stalled_since;  /* UINT64_MAX: not stalled */
	uint64_t took, looked;   /* 1 + the last cycle in which a request was taken, looked up */
	uint64_t conflict_since; /* UINT64_MAX: the oldest request waits for no bank */
	uint64_t *bank_free;     /* by bank: the cycle from which it is; NULL: they limit nothing */
	unsigned evicting;       /* writes in `dram` */
	uint8_t acts[2];         /* sums of write_act: of a line that is not there, that is */
	uint8_t whole[256];      /* granules rounded up to sectors */
	struct slice_books books;
	struct launch_lookups *by_launch, nobody;
	struct slice_profile *profile; /* NULL: the run is not profiled */
};

/* The cycle from which the line's bank is free. Only where banks limit something. */
static inline uint64_t slice_bank_free(const struct slice *s, uint64_t line)
{
	return s->bank_free[cache_set(s->cache, line) % s->p.banks];
}

/* The lookup of one request: true when it went its way, false when it must wait (then nothing
 * changed). */
bool slice_look_up(struct slice *, const struct packet *, uint64_t cycle);

/* Sends an atomic whose granules are there through the atomic unit. Answers the cycle from which
 * its reply may leave. */
uint64_t slice_atomic(struct slice *, const struct packet *, uint64_t cycle);

/* A fetch came back from DRAM: fills, and wakes who waits when the line is complete. */
void slice_take_fetch(struct slice *, const struct packet *, uint64_t cycle);

/* Puts the reply to a request into the queue to the network. */
void slice_reply(
	struct slice *, const struct packet *request, enum packet_kind kind, uint64_t cycle);

/* What a slice shows to whoever looks: its queues. */
extern const struct probe_ops slice_probe;

#include "mem/slice_profile_told.h"

#endif
