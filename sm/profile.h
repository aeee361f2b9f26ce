/* The SM's events for its profile, if it has one: which instructions access what, which parts of a
 * line in the L1 are used, and where the requests that ended stalls spent their time. Private to
 * sm/. */
#ifndef SM_PROFILE_H
#define SM_PROFILE_H

#include "mem/profile.h"
#include "ptx/levels/levels.h"
#include "sm/stalls.h"

/* Register planes that a warp can have, and the entries of its scoreboard. */
#define SM_REGS (256 + LEVELS_MAX_RFC + LEVELS_SLOTS + LEVELS_RFC_PLANES)
#define SM_PREDS 256
#define STALL_ENTRIES (SM_REGS + SM_PREDS)

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

/* Cycles that are not charged yet: one warp waits for one thing. */
struct stall_span {
	uint64_t from, until; /* until: other warps of the set have their turns */
	uint64_t set;         /* warps that wait; and what it was chosen from */
	uint64_t waiting, ready, active;
	uint32_t site, cause;
	uint8_t reason; /* IDLE: there is none */
};

/* Of a warp: instructions by site, and nothing else. */
struct stall_warp {
	uint32_t first;                   /* of its program */
	uint32_t issued;                  /* the last */
	uint32_t memory;                  /* the last that went to the L1 */
	uint32_t producer[STALL_ENTRIES]; /* [SM_PREDS + e]: the last to write entry e */
};

/* Of the warps of a set, the one whose turn it is. */
struct stall_turn {
	uint64_t set, turn;
	unsigned warp;
};

/* Since the last barrier that all warps of the CTA passed: instructions of the warps that have come
 * to its end. */
struct cta_phase {
	uint64_t began, most, sum;
};

/* The CTAs that the SM has, from when, and what it had issued by then; since it had none: at most,
 * what was issued, the cycles with most and what was issued in them, CTAs that ended, their
 * instructions, those of the one with most. */
struct cta_crowd {
	unsigned ctas, most;
	uint64_t began, from, issued_before, issued, full_cycles, full_issued;
	uint64_t ended, instructions, most_instructions;
};

#define PROFILE_SEEN 65536u

struct sm_profile {
	struct profile_tables *tables;
	struct profile_trip *trips; /* [0] is none's */
	uint32_t free_trip, used_trips;
	uint8_t *lane_bytes; /* by entry of the queue */
	struct l1_fate *fates;
	uint16_t *seen;             /* by hash of a line: the launch that missed it last; 0: none */
	uint8_t *touched;           /* by MSHR: granules that loads wait for */
	enum profile_count found;   /* the texture cache's result for texels, unless they missed */
	enum profile_count outcome; /* of the line in the tag stage, a load's; COUNT: none */
	struct came_back now;       /* the reply that is being received, or the hit */
	struct came_back last[4];   /* by scheduler */
	uint64_t blamed[4];         /* stalled cycles that have been examined */
	uint64_t kept[TRIP_PLACES]; /* parts of a cycle */
	uint64_t unblamed;          /* stalled cycles */

	/* stalls.c; instructions by site */
	struct stall_table *stalls;
	struct cta_phase phase[64]; /* by CTA slot */
	struct cta_phase whole[64]; /* from begin to end */
	struct cta_crowd crowd;
	uint64_t phase_from[64]; /* by warp: instructions before its CTA's present phase */
	bool registers_vary; /* their conflicts, from one execution of an instruction to another */
	unsigned lasting;    /* reasons whose cycles are charged together */
	struct stall_span span[4]; /* by scheduler */
	struct stall_turn turn[4];
	/* the SM's own counts: thread instructions, conflicts of shared memory, those of atomics on
	 * one word, conflicts of registers */
	uint64_t threads, conflicts, same_word, registers;
	struct stall_warp *warp;
	uint32_t last_long[4];        /* by scheduler: the last to wait for memory's results */
	uint32_t shared_by, fetch_by; /* the last access to shared memory; the last fetch */
	uint32_t pipe_by[PIPE_COUNT][PIPE_UNITS]; /* the last to take the unit */
	uint64_t pipe_free[PIPE_COUNT][PIPE_UNITS];
	/* of the LSU's queue: entries so far; lines behind its head, for that number and head */
	uint64_t entered, behind_entered, lines_behind;
	uint32_t behind_head;
	uint64_t barred[64]; /* by warp: the cycle in which it began to wait at its barrier */
};

/* What a cycle of a scheduler belongs to (stalls.c). */
void stalls_init(struct sm *, struct stall_table *, struct arena *);
/* An instruction was issued, or a part of it, and has its latency; the warp's last was not the
 * first that its scheduler issued in the cycle. */
void stalls_note_issued(
	struct sm *, unsigned w, const struct instr *, uint32_t pc, const struct access *);
void stalls_note_second(struct sm *, unsigned w);
/* All schedulers have acted in this cycle. */
void stalls_note_cycle(struct sm *, uint64_t cycle);
/* Charges cycles before `cycle`, before anything changes in it; and those that are left. */
void stalls_settle(struct sm *, uint64_t cycle);
void stalls_end(struct sm *, uint64_t cycle);
/* At the end: how often instructions were executed, and conflicts of registers that are the same
 * each time. */
void stalls_add_issued(struct sm *, const struct program *, uint32_t first_site);
/* A CTA begins; one of its warps has come to a barrier, and those are released; has nothing left in
 * flight, before it leaves its slot; its barrier is complete. */
void stalls_note_begin(struct sm *, unsigned cta, uint64_t cycle);
void stalls_note_barrier(struct sm *, unsigned w, uint64_t released, uint64_t cycle);
void stalls_note_done(struct sm *, unsigned w, uint64_t cycle);
static inline void stalls_note_passed(struct sm_profile *f, unsigned w, uint64_t cycle)
{
	f->stalls->row[f->warp[w].issued].event[STALL_BARRED] += cycle - f->barred[w];
}
/* Cycles of long scoreboards, caused by the instruction at that site. */
static inline void stalls_add_long(struct sm_profile *f, uint32_t site, uint64_t cycles)
{
	f->stalls->row[site].caused[REASON_LONG_SCOREBOARD] += cycles;
}

/* An instruction has entered the queue; the line that comes to the tag stage is in another buffer
 * than the last one; it went through the stage. */
void profile_note_entered(struct sm *, const struct lsu_entry *, unsigned lane_bytes);
void profile_note_buffer(struct sm *, uint64_t line);
void profile_note_line(struct sm *, const struct lsu_entry *);

/* The L1 has dropped the line. */
void profile_note_dropped(struct sm *, const struct lsu_entry *);

/* The result of the lookup of a load's line, in that way of the L1 (-1: an ideal one has none); of
 * texels, whose result is in `found`. */
void profile_note_hit(struct sm *, const struct lsu_entry *, int way);
void profile_note_missed(struct sm *, const struct lsu_entry *, int entry, bool merged);
void profile_note_passed(struct sm *); /* there is no L1 */
void profile_note_texels(struct sm *, const struct lsu_entry *, unsigned granules);

/* A packet leaves. */
void profile_note_sent(struct sm *, struct packet *, uint64_t cycle);

/* A reply has arrived; the L1 has received it, in that way (-1: in none); the waiting instructions
 * have been notified. */
void profile_note_reply(struct sm *, const struct packet *, uint64_t cycle);
void profile_note_filled(struct sm *, const struct packet *, int way);
void profile_note_replied(struct sm *);

/* The result of an operation is available, or its time known. */
void profile_note_completed(struct sm *, const struct op *, uint64_t cycle);

/* For checkpoints: of an SM that has one. */
struct state;
void sm_profile_state(struct state *, struct sm *);

#endif
