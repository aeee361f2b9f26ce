/* An L2 slice: a component between the request network, one DRAM channel and the reply network;
 * with capacity 0 it passes requests through. Ports: "request" in, "reply" out, "dram_out",
 * "dram_in"; with copies "ask", "lend" out, "asked", "lent" in, to and from its peer.
 */
#ifndef MEM_SLICE_H
#define MEM_SLICE_H

#include "core/config.h"
#include "mem/cache.h"
#include "msg/audit.h"

/* The requester of a slice's own fetches, from DRAM or its peer, and write-backs; a fetch's tag is
 * its MSHR entry, a write's its number in the profile. */
#define SLICE_ITSELF UINT16_MAX

struct slice_config {
	const char *name;        /* "l2.0.1" */
	unsigned period_ps;      /* 0: the core clock's */
	unsigned index;          /* global slice number */
	unsigned interleave;     /* slices in all */
	unsigned block;          /* consecutive lines that map to one slice */
	struct packet_port port; /* of replies; 0 bytes: a plain one */
	unsigned walks; /* of the page table that can be in flight, on ports "walk" in and "entry"
			   out; 0: there are none */
	bool copies;    /* it has a peer, of whose lines it keeps copies */
	bool free_port; /* replies do not occupy the port: an ideal network accepts any number a
			   cycle */
};

struct slice_counts {
	uint64_t reads, writes, atomics;    /* packets taken from the network */
	uint64_t sectors_read, sectors_hit; /* groups of 32 bytes looked up by reads, and hit */
	uint64_t fills, writebacks;         /* packets to DRAM */
	uint64_t fill_bytes, writeback_bytes;
	uint64_t flushed_bytes; /* dirty at the end, in whole memory transactions */
};

/* Creates the component in the partition, ports declared; parameters under "l2" (bytes per slice,
 * ways, replacement, write policy, banks, queues, atomics per cycle ...). Never NULL; faults go
 * into err. */
struct component *slice_new(struct partition *, const struct slice_config *, struct config *,
	struct arena *, struct err *);

/* Whether slices under these settings have a cache. */
bool slice_caches(struct config *);

/* Cycles that a read miss spends in the slice in total, unloaded (request and reply). */
unsigned slice_latency_cycles(const struct component *);
uint64_t slice_bytes(const struct component *); /* of cache; 0: none */

void slice_counts(const struct component *, struct slice_counts *);

/* Counters of a slice for the audit, in bytes of granules. */
struct slice_flows {
	struct traffic taken, replied;     /* on the networks' side */
	struct traffic to_dram, from_dram; /* on DRAM's side */
	uint64_t acks;                     /* writes received that require one */
	uint64_t hit, merged, missed;      /* of what reads and atomics requested */
	uint64_t extra;                    /* fetched beyond what was missed */
	uint64_t through; /* written to DRAM without having been dirty here; of atomics that are
			     written together `joined` are not counted again */
	uint64_t joined;
	uint64_t padding;     /* written back beyond what was dirty */
	uint64_t walks;       /* bytes of page table entries read */
	uint64_t asked, lent; /* bytes of copies that were missed here, that the peer asked for */
	uint64_t warm_written, warm_evicted; /* by slice_warm: kept dirty, and written back */
};
const struct slice_flows *slice_flows(const struct component *);

/* What accesses without time would have moved: sectors of 32 bytes that reads looked up and hit,
 * bytes of DRAM's transactions. `blocks`: granules rounded up to transactions; `in_flight`: fetches
 * of a slice in DRAM's unloaded latency, at most. */
struct slice_warmth {
	uint64_t sectors, hits, read_bytes, write_bytes;
	const uint8_t *blocks;
	unsigned in_flight;
};
/* Passes a request through the tags at once; what the last ones fetched
 * is in flight, and what they are merged with. Not of a profiled slice. Adds to the warmth. */
void slice_warm(struct component *, const struct packet *, uint64_t cycle, struct slice_warmth *);

/* The slice whose lines it keeps copies of, and which keeps copies of its own. */
void slice_set_peer(struct component *, struct component *peer);

/* Reports counters of the slice that do not balance to the audit. */
void slice_audit(const struct component *, struct audit *);

/* What the reads of one launch looked up and hit, in sectors of 32 bytes. */
struct launch_lookups {
	uint64_t sectors, hits;
};

/* Visits the last writer of every dirty line (mem/cache.h); at rest. */
void slice_each_owner(struct component *, cache_owner_fn *, void *ctx);

/* From now on lookups of launch i are added to by_launch[i]; only while nothing runs. NULL (at
 * first): they are not counted. */
void slice_count_into(struct component *, struct launch_lookups *by_launch);

/* After the run, before the flush: the size of memory's transactions, which are aligned blocks, a
 * power of two from a granule to a line. The flush is counted in them, as earlier writes are. */
void slice_memory_blocks(struct component *, unsigned bytes);

/* After the run: counts the dirty lines as written back and cleans them; calls `visit` (may be
 * NULL) for each one. Returns their bytes. */
uint64_t slice_flush(struct component *, cache_flush_fn *visit, void *ctx);

/* At rest: empties the cache. Dirty lines are dropped, and not counted as written back. */
void slice_forget(struct component *);

#endif
