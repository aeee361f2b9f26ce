/* Attribution of memory traffic: what the parts of the memory system count while a run is profiled.
 * Every part has its own tables, so that threads never share one; chip/profile/profile.c creates
 * and sums them. A run without a profile has none of this. */
#ifndef MEM_PROFILE_H
#define MEM_PROFILE_H

#include "mem/image.h"
#include "msg/packet.h"

/* What is attributed to an instruction, a buffer and an SM; defined in doc/guide.md, section 8. */
#define PROFILE_COUNTS(X) \
	X(ASKED, asked, "bytes", "Bytes requested by lanes, each lane's own.") \
	X(DISTINCT, distinct, "bytes", "Distinct bytes among them, in each access.") \
	X(LOADED, loaded, "bytes", "16-byte granules that loads touch, after coalescing.") \
	X(STORED, stored, "bytes", "Granules that stores touch.") \
	X(ATOMIC, atomic, "bytes", "Granules that atomics touch.") \
	X(L1_HIT, l1_hit, "bytes", "Loaded granules that hit in the L1.") \
	X(L1_MERGED, l1_merged, "bytes", "Loaded granules that were already in flight.") \
	X(L1_MISSED, l1_missed, "bytes", "Loaded granules that the L1 requested.") \
	X(SENT_READ, sent_read, "bytes", "Granules that SMs requested from the L2.") \
	X(SENT_WRITE, sent_write, "bytes", "Granules of writes that SMs sent.") \
	X(SENT_ATOMIC, sent_atomic, "bytes", "Granules of atomics that SMs sent.") \
	X(RETURNED, returned, "bytes", "Granules of replies to the SMs.") \
	X(L1_FILLED, l1_filled, "bytes", "Granules filled into the L1.") \
	X(L1_USED, l1_used, "bytes", "Filled granules that a load touched before their eviction.") \
	X(TAKEN_READ, taken_read, "bytes", "Granules of reads that arrived at the L2.") \
	X(TAKEN_WRITE, taken_write, "bytes", "Granules of writes that arrived at the L2.") \
	X(TAKEN_ATOMIC, taken_atomic, "bytes", "Granules of atomics that arrived at the L2.") \
	X(L2_HIT, l2_hit, "bytes", "Granules of reads and atomics that hit in the L2.") \
	X(L2_MISSED, l2_missed, "bytes", \
		"Granules of reads and atomics that missed or were in flight.") \
	X(L2_FILLED, l2_filled, "bytes", "Granules filled into the L2.") \
	X(L2_USED, l2_used, "bytes", \
		"Filled granules that an SM requested before their eviction.") \
	X(REWRITTEN, rewritten, "bytes", "Written granules that were already dirty.") \
	X(PADDED, padded, "bytes", "Granules moved only because another part of their sector is.") \
	X(WRITTEN_BACK, written_back, "bytes", "Granules written back from the L2 to DRAM.") \
	X(FLUSHED, flushed, "bytes", \
		"Dirty in the L2 at the end, written back by the flush in whole transactions.") \
	X(FETCHED, fetched, "bytes", "Granules requested from DRAM.") \
	X(DRAM_READ, dram_read, "bytes", "Bytes of DRAM's read transactions.") \
	X(DRAM_WRITE, dram_write, "bytes", "Bytes of DRAM's write transactions.") \
	X(ROW_HIT, row_hit, "bursts", "Bursts to an open row.") \
	X(ROW_MISS, row_miss, "bursts", "Bursts to a closed bank.") \
	X(ROW_CONFLICT, row_conflict, "bursts", "Bursts to a bank with another row open.") \
	X(STALL_SM, stall_sm, "cycles", \
		"Long-scoreboard stall cycles with the request in the SM.") \
	X(STALL_NOC, stall_noc, "cycles", \
		"Long-scoreboard stall cycles with the request in the networks.") \
	X(STALL_L2, stall_l2, "cycles", \
		"Long-scoreboard stall cycles with the request in the L2.") \
	X(STALL_DRAM, stall_dram, "cycles", \
		"Long-scoreboard stall cycles with the request in DRAM and its queue.") \
	X(STALL_TRANSLATION, stall_translation, "cycles", \
		"Long-scoreboard stall cycles with the request waiting for its translation.")

#define PROFILE_ID(id, name, unit, text) PROFILE_##id,
enum profile_count { PROFILE_COUNTS(PROFILE_ID) PROFILE_COUNT };
#undef PROFILE_ID

struct profile_row {
	uint64_t n[PROFILE_COUNT];
};

/* Times of one request, in the SMs' cycles. */
struct profile_trip {
	uint64_t sent, taken;    /* by the SM; by the L2 */
	uint64_t missed;         /* when it went to DRAM; 0: it did not */
	uint64_t found, replied; /* the data is available; the reply is sent */
	uint64_t translated;     /* cycles in which it waited for its translation */
	uint32_t next_free;
};

/* Shared by all parts. Changes only while nothing runs, except the sites of launches that begin. */
struct profile_map {
	const struct image *image;
	uint32_t *first_site; /* by account (msg/packet.h): its program's instructions are numbered
				 from here on */
	uint32_t nsites, nbuffers; /* buffers: accounts (mem/image.h) from 0 on, which is none */
	unsigned sms;
	bool by_hardware;                /* levels of registers are managed by it */
	unsigned cycle_ps;               /* of the SMs, in which times are counted */
	struct profile_trip *trips[256]; /* by SM */
};

/* One part's counts. */
#define PROFILE_NO_BUFFER UINT32_MAX
#define PROFILE_SEVERAL (UINT32_MAX - 1)
struct profile_tables {
	const struct profile_map *map;
	struct profile_row *site, *buffer;
	struct profile_row *sm;    /* NULL: all is of one SM, which sums the sites */
	uint32_t *site_buffer;     /* by site: the buffer it accessed, or one of the two above */
	struct account_range last; /* of an SM: where the last line was; forgotten between runs */
};

static inline uint16_t profile_buffer(const struct profile_map *m, uint64_t line)
{
	return image_account(m->image, line);
}

static inline uint32_t profile_site(const struct profile_map *m, const struct origin *o)
{
	return m->first_site[o->launch] + o->instr;
}

/* Counts n for an origin, whose buffer is the account of the line's. */
static inline void profile_add(
	struct profile_tables *t, const struct origin *o, enum profile_count what, uint64_t n)
{
	t->site[profile_site(t->map, o)].n[what] += n;
	t->buffer[o->buffer].n[what] += n;
	if (t->sm)
		t->sm[o->sm].n[what] += n;
}

static inline uint64_t profile_bytes(unsigned granules)
{
	return packet_granule_bytes[granules];
}

/* ---- sectors: 32 bytes, two granules, with one last writer */
#define SECTORS 4u
#define SECTOR_GRANULES 2u

struct sector_owners {
	struct origin of[SECTORS];
};

/* Records the writer of the sectors that have any of these granules. */
static inline void sector_owners_note(
	struct sector_owners *s, unsigned granules, const struct origin *writer)
{
	for (unsigned k = 0; k < SECTORS; k++)
		if (granules >> 2 * k & 3)
			s->of[k] = *writer;
}

/* ---- the L2's side (mem/slice_profile.c) */
struct component;

/* A profile of the slice, in the arena; the caller keeps the tables until the slice's end. From now
 * on it counts. */
void slice_profile_start(struct component *slice, struct profile_tables *, struct arena *);

/* The writers of the sectors of a write of the profiled slice, until DRAM has accepted it; NULL:
 * the packet's own origin wrote all of it. */
const struct sector_owners *slice_profile_owners(
	const struct component *slice, const struct packet *);

/* After the flush: closes what is still open. */
void slice_profile_end(struct component *slice);

#endif
