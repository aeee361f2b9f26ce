/* The SM's events for its profile, if it has one: which instructions access what, which parts of a
 * line in the L1 are used, and where the requests that ended stalls spent their time. Private to
 * sm/. */
#ifndef SM_PROFILE_H
#define SM_PROFILE_H

#include "mem/profile.h"

struct sm;
struct op;
struct lsu_entry;

#define PROFILE_TRIPS 4096u /* requests that can be followed at once */
#define PROFILE_PENDING 16u /* stalls of a scheduler that wait for a request to come back */

/* The history of the line in a way of the L1. */
struct l1_fate {
	uint64_t line; /* UINT64_MAX: none yet */
	struct origin filler;
	uint8_t filled, used; /* granules */
};

/* Where a request can be outside the SM: networks, L2, DRAM, translation. */
#define TRIP_PLACES 4u

/* A request that has come back, and for whom. */
struct came_back {
	bool followed; /* else it never left the SM */
	struct profile_trip trip;
	struct origin origin;
	uint64_t arrived, left; /* cycle of the reply; cycles from then to the result */
};

struct sm_profile {
	struct profile_tables *tables;
	struct profile_trip *trips; /* [0] is none's */
	uint32_t free_trip, used_trips;
	uint8_t *lane_bytes; /* by entry of the queue */
	struct l1_fate *fates;
	uint8_t *touched;           /* by MSHR: granules that loads wait for */
	enum profile_count found;   /* the texture cache's result for texels, unless they missed */
	struct came_back now;       /* the reply that is being received, or the hit */
	struct came_back last[4];   /* by scheduler */
	uint64_t blamed[4];         /* stalled cycles that have been examined */
	uint64_t kept[TRIP_PLACES]; /* parts of a cycle */
	uint64_t unblamed;          /* stalled cycles */
};

/* An instruction has entered the queue; its next line comes to the tag stage; went through it. */
void profile_note_entered(struct sm *, const struct lsu_entry *, unsigned lane_bytes);
void profile_note_at(struct sm *, struct lsu_entry *);
void profile_note_line(struct sm *, const struct lsu_entry *);

/* The result of the lookup of a load's line; of texels, whose result is in `found`. */
void profile_note_hit(struct sm *, const struct lsu_entry *);
void profile_note_missed(struct sm *, const struct lsu_entry *, int entry, bool merged);
void profile_note_passed(struct sm *, const struct lsu_entry *); /* there is no L1 */
void profile_note_texels(struct sm *, const struct lsu_entry *, unsigned granules);

/* A packet leaves. */
void profile_note_sent(struct sm *, struct packet *, uint64_t cycle);

/* A reply has arrived; the L1 has received it; the waiting instructions have been notified. */
void profile_note_reply(struct sm *, const struct packet *, uint64_t cycle);
void profile_note_filled(struct sm *, const struct packet *);
void profile_note_replied(struct sm *);

/* The result of an operation is available, or its time known. */
void profile_note_completed(struct sm *, const struct op *, uint64_t cycle);

#endif
