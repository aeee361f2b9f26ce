/* An L2 slice: a component between the request network, one DRAM channel and the reply network;
 * with capacity 0 it passes requests through. Ports: "request" in, "reply" out, "dram_out",
 * "dram_in". */
#ifndef MEM_SLICE_H
#define MEM_SLICE_H

#include "core/config.h"
#include "mem/cache.h"
#include "msg/audit.h"

/* Who asks DRAM when the slice fetches or writes back for itself; a fetch's tag is the MSHR entry,
 * a write's what its profile knows it by. */
#define SLICE_ITSELF UINT16_MAX

struct slice_config {
	const char *name;    /* "l2.0.1" */
	unsigned index;      /* global slice number */
	unsigned interleave; /* slices in all */
	unsigned block;      /* lines in a row that come to one slice */
	bool free_port; /* replies do not occupy the port: an ideal network takes any number a cycle
			 */
};

struct slice_counts {
	uint64_t reads, writes, atomics; /* packets taken from the network */
	uint64_t sectors_read,
		sectors_hit;        /* granule-groups of 32 bytes looked up by reads, and hit */
	uint64_t fills, writebacks; /* packets to DRAM */
	uint64_t fill_bytes, writeback_bytes;
	uint64_t flushed_bytes; /* dirty at the end, in what memory's transactions are */
};

/* Makes the component in the partition, ports declared; parameters under "l2" (bytes per slice,
 * ways, replacement, write policy, banks, queues, atomics per cycle ...). Never NULL; faults go
 * into err. */
struct component *slice_new(struct partition *, const struct slice_config *, struct config *,
	struct arena *, struct err *);

/* Cycles that a read which misses spends in the slice in all, unloaded (way in and way back). */
unsigned slice_latency_cycles(const struct component *);
uint64_t slice_bytes(const struct component *); /* of cache; 0: none */

void slice_counts(const struct component *, struct slice_counts *);

/* The books of a slice, in bytes of granules. */
struct slice_books {
	struct traffic taken, replied; /* on the networks' side */
	struct traffic asked, given;   /* on DRAM's */
	uint64_t acks;                 /* writes taken that want one */
	uint64_t hit, merged, missed;  /* of what reads and atomics asked for */
	uint64_t extra;                /* fetched beyond what was missed */
	uint64_t through; /* written to DRAM without having been dirty here; of atomics that are
			   * written together `joined` are not counted again */
	uint64_t joined;
	uint64_t padding; /* written back beyond what was dirty */
};
const struct slice_books *slice_books(const struct component *);

/* Tells the audit what does not balance inside the slice. */
void slice_audit(const struct component *, struct audit *);

/* What the reads of one launch looked up and found, in sectors of 32 bytes. */
struct launch_lookups {
	uint64_t sectors, hits;
};

/* Lookups of launch i are added to by_launch[i] from now on; only while nothing runs. NULL (at
 * first): they are not counted. */
void slice_count_into(struct component *, struct launch_lookups *by_launch);

/* After the run, before the flush: what memory's transactions are aligned blocks of, a power of two
 * from a granule to a line. The flush is counted in them, as what was written before is. */
void slice_memory_blocks(struct component *, unsigned bytes);

/* After the run: counts the dirty lines as written back and cleans them; `visit` (may be NULL) is
 * told each one. Returns their bytes. */
uint64_t slice_flush(struct component *, cache_flush_fn *visit, void *ctx);

#endif
