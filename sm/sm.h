/* A streaming multiprocessor: a component that holds CTAs, schedules their warps, executes their
 * instructions and sends their memory traffic. Ports: "cta" in and "done" out to the dispatcher,
 * "request" out and "reply" in to the networks. */
#ifndef SM_SM_H
#define SM_SM_H

#include "core/config.h"
#include "mem/log.h"
#include "mem/storage/storage.h"
#include "msg/audit.h"
#include "noc/mmu.h"
#include "ptx/exec/exec.h"
#include "sm/reasons.h"

/* Launches that have begun, by account. Grows only while nothing runs. */
struct grid_table {
	const struct grid **grids;
};

/* What each SM of a chip is created with. */
struct sm_config {
	const char *name; /* "sm.7" */
	unsigned index, sms, slices;
	unsigned window_cycles;
	const struct grid_table *grids;
	const struct lanes *lanes;
	struct image *image;
	struct bank_layout banks;
	uint64_t max_cache_bytes;        /* the largest L1 any partitioning leaves */
	uint64_t max_shared_bytes;       /* the same of shared memory */
	uint64_t interleave_bytes;       /* consecutive bytes of memory in one slice */
	const struct policy *slice_hash; /* of blocks of that size; NULL: modulo */
	/* With copies in slices of the SM's side: its number, and the channels of a side; slices
	 * are numbered by channel. 0: there are none. */
	unsigned side, side_channels;
	bool own_slice; /* all memory traffic goes to the slice of the SM's own index */
	const struct mmu_settings *mmu; /* of address translation; NULL: there is none */
	unsigned flit_ps; /* time between a packet's flits in the network; 0: the SM's period */
	struct packet_port request_port; /* of the SM */
	struct packet_port reply_port;   /* the narrowest that replies pass */
	bool whole_replies; /* replies are delivered with their last flit, otherwise with their
			       first */
};

/* Makes the component in the partition, ports declared; parameters under "sm", "l1",
 * "tex", "const" and "icache".
 * Never NULL; faults go into err. */
struct component *sm_new(struct partition *, const struct sm_config *, struct config *,
	struct arena *, struct err *);

/* Entries of a warp's reconvergence stack: what a program may need at most (two for each lane, one
 * for each call frame). */
#define SM_STACK_ENTRIES 192

/* Warp and CTA slots: what the dispatcher may fill. */
unsigned sm_warp_slots(const struct component *);
/* The slots of an SM of that configuration, which may be wrong and is not changed. */
void sm_slots_peek(struct config *, uint32_t *warps, uint32_t *ctas);
/* Whether it has a unit for the class of arithmetic (enum op_class). */
bool sm_executes(const struct component *, unsigned op_class);
/* Latency of a hit in the L1. */
unsigned sm_hit_cycles(const struct component *);
unsigned sm_cta_slots(const struct component *);

/* Cycles from a load's issue to its dependant's that are spent inside the SM when that number of
 * bytes comes from memory: the chip subtracts them from the configured latencies. */
unsigned sm_load_overhead_cycles(const struct component *, unsigned bytes);

/* Bytes that a load of 4 bytes fetches. */
unsigned sm_load_bytes(const struct component *);

/* Packets that left to be translated. */
uint64_t sm_to_translate(const struct component *);

/* A launch that is newer than all before it finds empty caches. */
bool sm_invalidates(const struct component *);

/* Accesses of CTAs that run without time pass the tags of the SM's caches at once, and what these
 * lack goes to the sink: requests for the L2, of which only line, origin, slice, kind, granules,
 * PTX line and warp are set. First a launch begins, as with its first CTA in time. Not of a
 * profiled SM. */
struct sm_warmth {
	void *ctx;
	void (*sink)(void *ctx, const struct packet *);
	const struct grid *grid;
	const struct texels *texels; /* of a texture fetch; NULL: none */
	uint64_t local_base; /* of the warp's local memory, where access->addr begins at 0 */
	uint64_t cycle;
	uint8_t warp;
	bool missed; /* the sink says so: an access needs DRAM */
};
void sm_warm_begin(struct component *, const struct cta_start *, uint64_t cycle);
void sm_warm(
	struct component *, const struct sm_warmth *, const struct instr *, const struct access *);

/* Between two windows the SM's warps of a launch execute further, without time: what is in flight
 * stays so, accesses pass the tags of the caches, and results are in memory at once. sm_advance, as
 * often as wanted, then sm_settle. Stores of the window before must be in memory. */
struct sm_advance {
	const struct grid *grid;
	const struct exec_memory *memory;
	struct sm_warmth *warmth; /* NULL: caches keep what they have */
	uint64_t cycle;           /* in which the next window begins */
	uint32_t warp_turn;       /* instructions */
	double late;   /* of what a warp executed since the last stretch, that it loses by a miss */
	uint64_t seek; /* instructions of a warp, by which it may exceed its share to go back */
	uint64_t ended; /* CTAs that no other has replaced */
	uint64_t idle;  /* warps that have no part, and could execute */
	struct untimed_counts *counts;
	struct fault *fault;
	int bad; /* -1: a fault */
};
/* False: of an SM with a profile, an instruction cache or barriers that cost nothing. */
bool sm_advances(const struct component *);
/* First. */
void sm_mark(struct component *, const struct sm_advance *);
/* As many instructions more, divided over the SM's warps of the grid as those in time since the
 * last stretch. A warp that waits, exits or asks memory leaves its part to one that has none, as an
 * active set would. What it executes more counts the next time. 0, or -1 and a fault. */
int sm_advance(struct component *, struct sm_advance *, uint64_t instructions);
/* Whether a CTA has ended; that one of the grid continues in its slot. */
bool sm_takes(const struct component *);
void sm_take(struct component *, struct sm_advance *, uint64_t cta);
/* Warps execute until they are at the instruction that they were at first, in another iteration of
 * a loop, or in another CTA, if they come to it: what is in flight is what it would be there. 0 or
 * -1. */
int sm_go_back(struct component *, struct sm_advance *);
/* Last. */
void sm_settle(struct component *, struct sm_advance *);

/* The SM's store log, applied by the chip at the end of every window. */
struct store_log *sm_log(struct component *);

/* The oldest text that the SM's warps printed and the chip has not taken: false when there is none.
 * At the end of every window the chip takes all of it. */
bool sm_text_peek(const struct component *, uint64_t *cycle, const char **text, size_t *n);
void sm_text_pop(struct component *);

/* What the SM's warps executed that PTX leaves undefined. */
const struct exec_notes *sm_notes(const struct component *);

/* The slice that a line belongs to. */
unsigned sm_slice_of(const struct sm_config *, uint64_t line);
/* Sets the slice that an access of that kind to its line goes to. */
void sm_route(const struct sm_config *, struct packet *);

/* What stopped the simulation, when this SM did: its first fault; kind FAULT_NONE otherwise. */
struct sm_fault {
	struct fault fault;
	uint32_t launch;
	uint64_t cycle;
};
const struct sm_fault *sm_fault(const struct component *);

/* Accounts for all cycles up to `cycle`, so that statistics are complete; may be called repeatedly.
 * The owners of every scheduler's cycles add up to `cycle`, asserted. */
void sm_close(struct component *, uint64_t cycle);

/* As sm_close, of accesses to registers alone. */
void sm_close_registers(struct component *);

/* Statistics tables of the SM's parts, for reports: calls visit for each statistic, with where its
 * value is. */
typedef void sm_stat_fn(void *ctx, const struct stat_def *, const uint64_t *at);
void sm_visit_stats(const struct component *, sm_stat_fn *, void *ctx);

/* What the SM sent to the network and took from it. */
const struct traffic *sm_sent(const struct component *);
const struct traffic *sm_got(const struct component *);

/* Audits the SM: what does not balance between the tag stage and the network. */
void sm_audit(const struct component *, struct audit *);

/* Cycles of the windows over which rf__mrf_reads_window takes its peak. */
#define SM_RF_WINDOW 256u

/* Parameter tables, for `params`. */
extern const struct param_table sm_param_tables[7];

/* A profile of the SM, in the arena, before anything has run: from now on it counts into the
 * tables, which must stay. Returns the records of its requests' times (profile_map.trips). */
struct profile_tables;
struct stall_table;
struct profile_trip *sm_profile_start(
	struct component *, struct profile_tables *, struct stall_table *, struct arena *);

/* The run is over: adds what is the same each time that one of the program's instructions, whose
 * sites begin there, is executed. Call once for each program. */
void sm_profile_program(struct component *, const struct program *, uint32_t first_site);
/* The same: attributes the last stalls. Call once, after sm_close. Returns the stalled
 * cycles that no request ended. */
uint64_t sm_profile_end(struct component *, uint64_t cycle);

/* Cycles in which schedulers had that reason, up to sm_close. */
uint64_t sm_reason_cycles(const struct component *, enum sm_reason);

/* Adds the positions of the launch's warps on the SM (ptx/exec/positions.h); between runs. `memory`
 * is the device's memory, and is only read. */
struct positions;
struct spin_space;
void sm_positions(const struct component *, uint32_t launch, const struct lanes *,
	const struct exec_memory *memory, struct spin_space *, struct positions *);

/* Whether it fetches lines of instructions, or of constants for instructions of any kind. */
bool sm_fetches(const struct component *);

/* Warp instructions executed by the SM so far. */
uint64_t sm_executed(const struct component *);

/* Warp instructions issued by the SM for each launch are kept in an array that the chip owns. */
void sm_count_into(struct component *, uint64_t *instructions_by_launch);

/* Moves notes of instructions whose programs are spaces (core/state.h). */
struct state;
void sm_notes_state(struct state *, struct exec_notes *);

#endif
