/* Who caused what traffic: what the parts of the memory system count while a run is profiled. Every
 * part has tables of its own, so that threads need not meet; chip/profile.c makes and adds them up.
 * Nothing of this exists in a run that is not profiled. */
#ifndef MEM_PROFILE_H
#define MEM_PROFILE_H

#include "mem/image.h"
#include "msg/packet.h"

/* What is counted in the name of an instruction, a buffer and an SM; doc/guide.md, section 8,
 * defines it. */
#define PROFILE_COUNTS(X) \
	X(ASKED, asked, "bytes", "Bytes that lanes asked for, each lane's own.") \
	X(DISTINCT, distinct, "bytes", "Distinct bytes among them, access by access.") \
	X(LOADED, loaded, "bytes", "16-byte granules that loads touch, after coalescing.") \
	X(STORED, stored, "bytes", "Granules that stores touch.") \
	X(ATOMIC, atomic, "bytes", "Granules that atomics touch.") \
	X(L1_HIT, l1_hit, "bytes", "Of the loaded granules, those that the L1 had.") \
	X(L1_MERGED, l1_merged, "bytes", "Those that were asked for already.") \
	X(L1_MISSED, l1_missed, "bytes", "Those that the L1 had to ask for.") \
	X(SENT_READ, sent_read, "bytes", "Granules that SMs asked the L2 for.") \
	X(SENT_WRITE, sent_write, "bytes", "Granules that they sent to be written.") \
	X(SENT_ATOMIC, sent_atomic, "bytes", "Granules that atomics were sent to.") \
	X(RETURNED, returned, "bytes", "Granules that came back to the SMs.") \
	X(L1_FILLED, l1_filled, "bytes", "Granules that the L1 took from the network.") \
	X(L1_USED, l1_used, "bytes", "Of those, the ones that a load touched before they left.") \
	X(TAKEN_READ, taken_read, "bytes", "Granules of reads that came to the L2.") \
	X(TAKEN_WRITE, taken_write, "bytes", "Granules of writes that came to it.") \
	X(TAKEN_ATOMIC, taken_atomic, "bytes", "Granules of atomics that came to it.") \
	X(L2_HIT, l2_hit, "bytes", "Granules that reads and atomics found in the L2.") \
	X(L2_MISSED, l2_missed, "bytes", \
		"Those that had to come from DRAM, or were on their way.") \
	X(L2_FILLED, l2_filled, "bytes", "Granules that the L2 took from DRAM.") \
	X(L2_USED, l2_used, "bytes", "Of those, the ones that an SM asked for before they left.") \
	X(REWRITTEN, rewritten, "bytes", "Granules written that were dirty already.") \
	X(PADDED, padded, "bytes", "Granules that move because a part of their sector does.") \
	X(WRITTEN_BACK, written_back, "bytes", "Granules that left the L2 for DRAM.") \
	X(FLUSHED, flushed, "bytes", \
		"Dirty in the L2 at the end, written back then in whole transactions.") \
	X(FETCHED, fetched, "bytes", "Granules that DRAM was asked for.") \
	X(DRAM_READ, dram_read, "bytes", "Bytes of DRAM's read transactions.") \
	X(DRAM_WRITE, dram_write, "bytes", "Bytes of DRAM's write transactions.") \
	X(ROW_HIT, row_hit, "bursts", "Bursts that found their row open.") \
	X(ROW_MISS, row_miss, "bursts", "Bursts that found their bank closed.") \
	X(ROW_CONFLICT, row_conflict, "bursts", "Bursts that found another row open.") \
	X(STALL_SM, stall_sm, "cycles", "Of stalls on long scoreboards: inside the SM.") \
	X(STALL_NOC, stall_noc, "cycles", "In the networks.") \
	X(STALL_L2, stall_l2, "cycles", "In the L2.") \
	X(STALL_DRAM, stall_dram, "cycles", "In DRAM and its queue.")

#define PROFILE_ID(id, name, unit, text) PROFILE_##id,
enum profile_count { PROFILE_COUNTS(PROFILE_ID) PROFILE_COUNT };
#undef PROFILE_ID

struct profile_row {
	uint64_t n[PROFILE_COUNT];
};

/* Times of one request, in cycles. */
struct profile_trip {
	uint64_t sent, taken;     /* by the SM; by the L2 */
	uint64_t missed;          /* it had to wait for DRAM; 0: it had not */
	uint64_t found, answered; /* what it asks for is there; the reply is made */
	uint32_t next_free;
};

/* What all parts share. Changes only while nothing runs. */
struct profile_map {
	const struct image *image;
	uint32_t *first_site; /* by launch: its program's instructions are numbered from here on */
	uint32_t nsites, nbuffers; /* buffers: from 0 on, which is none */
	uint32_t *named;           /* by buffer: the first one of its name */
	unsigned sms;
	struct profile_trip *trips[256]; /* by SM */
};

/* One part's counts. */
#define PROFILE_NO_BUFFER UINT32_MAX
#define PROFILE_SEVERAL (UINT32_MAX - 1)
struct profile_tables {
	const struct profile_map *map;
	struct profile_row *site, *buffer;
	struct profile_row *sm; /* NULL: all is of one SM, which adds up the sites */
	uint32_t *site_buffer;  /* by site: the buffer it went to, or one of the two above */
};

static inline unsigned profile_buffer(const struct profile_map *m, uint64_t line)
{
	return image_find(m->image, line, 1);
}

static inline uint32_t profile_site(const struct profile_map *m, const struct origin *o)
{
	return m->first_site[o->launch] + o->instr;
}

/* Counts n of something for an origin, whose buffer is that of the line. */
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
	return (uint64_t)count_bits(granules) * GRANULE_BYTES;
}

/* ---- sectors: 32 bytes, two granules, with one last writer */
#define SECTORS 4u

struct sector_owners {
	struct origin of[SECTORS];
};

/* Notes the writer of the sectors that have any of these granules. */
static inline void sector_owners_note(
	struct sector_owners *s, unsigned granules, const struct origin *writer)
{
	for (unsigned k = 0; k < SECTORS; k++)
		if (granules >> 2 * k & 3)
			s->of[k] = *writer;
}

/* ---- the L2's side (mem/slice_profile.c) */
struct component;

/* A profile of the slice, in the arena; tables must be the caller's until the slice's end. From now
 * on it counts. */
void slice_profile_start(struct component *slice, struct profile_tables *, struct arena *);

/* Who wrote the sectors of a write of the profiled slice, until DRAM has taken it; NULL: all of it
 * was written by the packet's own origin. */
const struct sector_owners *slice_profile_owners(
	const struct component *slice, const struct packet *);

/* After the flush: closes what is still open. */
void slice_profile_end(struct component *slice);

#endif
