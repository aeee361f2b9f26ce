/* The SM's private state, shared by the files of sm/. */
#ifndef SM_STATE_H
#define SM_STATE_H

#include "core/probe.h"
#include "core/stall.h"
#include "mem/coalesce.h"
#include "mem/contention.h"
#include "ptx/exec/barrier.h"
#include "ptx/isa/operations.h"
#include "sm/advance.h"
#include "sm/arbiter.h"
#include "sm/conflicts.h"
#include "sm/constants.h"
#include "sm/copies.h"
#include "sm/events.h"
#include "sm/icache.h"
#include "sm/ideal.h"
#include "sm/l1.h"
#include "sm/outbox.h"
#include "sm/pipes.h"
#include "sm/profile.h"
#include "sm/sched.h"
#include "sm/sm.h"
#include "sm/text.h"
#include "sm/tlb.h"

#define SM_WARPS SCHED_WARPS
#define SM_SCHEDULERS FETCH_NEARS
#define SM_WHEEL 64 /* cycles that a warp's wake can be ahead in the ring */

enum sm_placement { PLACE_INTERLEAVED, PLACE_BLOCKS, PLACE_ROTATED };

#define SM_PARAMS(P, T) \
	P(T, UINT, warps, 32, 1, 64, "warps", "Warp slots.") \
	P(T, UINT, ctas, 32, 1, 64, "CTAs", "CTA slots.") \
	P(T, UINT, schedulers, 1, 1, 4, "schedulers", \
		"Warp schedulers; sm.placement says which warps belong to each.") \
	P(T, CHOICE, placement, PLACE_INTERLEAVED, 0, 0, "interleaved|blocks|rotated", \
		"Which warp slots belong to a scheduler: slot w to scheduler w mod n; neighbouring " \
		"ones to one; w mod n, CTA slot c beginning with scheduler c mod n.") \
	P(T, NAME, scheduler, "two_level", 0, 0, "warp scheduler", "How warps are chosen.") \
	P(T, UINT, progress_cycles, 1000000, 1, 1000000000000, "cycles", \
		"A warp that is ready and not chosen for this time, by any policy, gets a turn " \
		"of that many cycles: it is active, and issues first.") \
	P(T, UINT, issue_width, 1, 1, 2, "instructions/cycle", \
		"What a scheduler issues in a cycle. 2: with an instruction also the next one of " \
		"its warp, if that depends on nothing outstanding, a pipe is free for it, and " \
		"neither is a branch, barrier or fence.") \
	P(T, UINT, alu_cycles, 8, 1, 1000, "cycles", \
		"Latency of the ALU; table pipe has it by class.") \
	P(T, UINT, sfu_cycles, 20, 1, 1000, "cycles", "Latency of special functions.") \
	P(T, UINT, sfu_lanes, 8, 1, 32, "lanes/cycle", "Throughput of special functions.") \
	P(T, UINT, shared_cycles, 20, 1, 1000, "cycles", "Latency of shared memory.") \
	P(T, UINT, shared_cycles_64, 0, 0, 1000, "cycles", \
		"The same of an access of 64 bits a lane; 0: as shared_cycles.") \
	P(T, UINT, shared_cycles_128, 0, 0, 1000, "cycles", \
		"The same of more than 64 bits a lane; 0: as shared_cycles.") \
	P(T, REAL, shared_pass_cycles, 1, 1, 1000, "cycles", \
		"What each further way of a bank conflict adds to a load's latency, rounded once " \
		"for all, at least shared_bank_cycles, for which it occupies shared memory.") \
	P(T, UINT, shared_bank_cycles, 1, 1, 16, "cycles", \
		"Cycles for which a pass occupies shared memory's banks; 2: Fermi, whose banks " \
		"deliver a word every second clock.") \
	P(T, UINT, shared_more_128, 0, 0, 16, "passes", \
		"What each quarter-warp of an access of more than 64 bits a lane takes beside " \
		"the passes of its conflicts; 1: Fermi.") \
	P(T, BOOL, shared_merges, false, 0, 1, "", \
		"Wide loads of one address by pairs of lanes take half the passes (Maxwell).") \
	P(T, UINT, shared_bank_bytes, 0, 0, 8, "bytes", \
		"Width of shared memory's banks: 4, 8 (Kepler's), or 0: the storage design's.") \
	P(T, UINT, shared_bank_mode, 8, 4, 8, "bytes", \
		"Of banks of 8 bytes, what is in neighbouring banks: 8, or 4, Kepler's 32-bit " \
		"mode: word w of 4 bytes in bank w mod 32, in the same row as word w + 32 of 64.") \
	P(T, UINT, texture_cycles, 400, 2, 1000, "cycles", \
		"From a texture fetch to its dependant's issue, at least; texels may take " \
		"longer.") \
	P(T, UINT, texture_lanes, 4, 1, 32, "lanes/cycle", "Throughput of texture fetches.") \
	P(T, UINT, branch_cycles, 8, 1, 1000, "cycles", "From a branch to the warp's next issue.") \
	P(T, UINT, barrier_cycles, 1, 1, 1000, "cycles", \
		"From the last arrival at a barrier to the warps' next issue.") \
	P(T, UINT, barrier_warp_cycles, 0, 0, 1000, "cycles", \
		"Between arrivals of warps at barriers, of which the SM accepts one at a time; 0: " \
		"any number at once.") \
	P(T, UINT, rfc_tag_cycles, 1, 0, 100, "cycles", \
		"Cycles that a register file cache's tags add.") \
	P(T, UINT, shared_atomic_cycles, 2, 1, 1000, "cycles", \
		"Cycles of an atomic on shared memory for each pass over the banks; lanes " \
		"that want the same word have passes of their own. 2, a read and a write: as " \
		"measured from Maxwell to Turing; Kepler, which locks words: 123.") \
	P(T, UINT, shared_atomic_first_cycles, 0, 0, 1000, "cycles", \
		"Cycles of the first of these passes; 0: as of the others.") \
	P(T, BOOL, conflicts_block_issue, true, 0, 1, "", \
		"Bank conflicts take issue slots, as in the paper; else only the memory pipe.") \
	P(T, CHOICE, bank_conflicts, CONFLICTS_OF_MEMORY, 0, 0, "none|memory|penalty|cycle|delay", \
		"What accesses of an instruction that meet in a bank cost: none, nothing; " \
		"memory, " \
		"those to shared memory one cycle each but the first; penalty, registers and " \
		"cache also; cycle, what they wait for banks, those of other instructions " \
		"included; delay, as penalty, but the instruction's own result alone is late: " \
		"neither issue slot nor memory pipe is held.") \
	P(T, UINT, bank_queue, 8, 1, 64, "accesses", \
		"With bank_conflicts=cycle: accesses of memory that wait for banks.") \
	P(T, UINT, memory_bytes, 0, 0, 4096, "bytes/cycle", \
		"What shared memory, and the L1 by hits, move to the lanes at most; 0: what their " \
		"banks allow.") \
	P(T, UINT, lsu_queue, 8, 1, 64, "instructions", "Memory instructions waiting for tags.") \
	P(T, UINT, lsu_ops, 256, 1, 4096, "instructions", "Memory instructions in flight.") \
	P(T, UINT, store_log, 4096, 64, 1048576, "entries", "Lane stores of one window.") \
	P(T, BOOL, invalidate_l1, true, 0, 1, "", "The L1 is invalidated when a new launch starts.")

#define SM_STATS(S, T) \
	S(T, COUNT, smsp__inst_executed, "warp instructions", "Warp instructions executed.") \
	S(T, COUNT, smsp__inst_issued, "warp instructions", \
		"Issues of them: accesses to several spaces are issued once for each.") \
	S(T, COUNT, smsp__thread_inst_executed, "thread instructions", "Their active lanes.") \
	S(T, COUNT, smsp__operations_f16, "operations", \
		"Arithmetic of threads in f16 and bf16: sums, products, quotients, roots, special " \
		"functions; a multiply-add is two.") \
	S(T, COUNT, smsp__operations_f32, "operations", "The same in f32.") \
	S(T, COUNT, smsp__operations_f64, "operations", "The same in f64.") \
	S(T, COUNT, smsp__operations_int, "operations", \
		"The same of integers, logic and shifts included.") \
	S(T, COUNT, smsp__operations_tensor, "operations", "The same of products of matrices.") \
	S(T, COUNT, smsp__bytes_shared, "bytes", "What threads asked of shared memory.") \
	S(T, COUNT, sm__cycles_active, "cycles", "Cycles with at least one resident warp.") \
	S(T, COUNT, sm__warps_active, "warp cycles", "Resident warps, summed over cycles.") \
	S(T, COUNT, sm__ctas_launched, "CTAs", "CTAs started.") \
	S(T, MAX, sm__ctas_resident, "CTAs", "Most CTAs at once.") \
	S(T, COUNT, smsp__inst_executed_op_branch, "warp instructions", \
		"Branches, calls, returns.") \
	S(T, COUNT, smsp__inst_executed_pipe_sfu, "warp instructions", "Special functions.") \
	S(T, COUNT, smsp__inst_executed_op_shared, "warp instructions", "Shared-memory accesses.") \
	S(T, COUNT, smsp__inst_executed_op_global, "warp instructions", "Global-memory accesses.") \
	S(T, COUNT, smsp__inst_executed_op_surface, "warp instructions", "Surface accesses.") \
	S(T, COUNT, smsp__inst_executed_pipe_tex, "warp instructions", "Texture fetches.") \
	S(T, COUNT, smsp__inst_executed_op_local, "warp instructions", "Local-memory accesses.") \
	S(T, COUNT, smsp__sass_branch_targets_divergent, "warp instructions", \
		"Divergent branches.") \
	S(T, COUNT, l1tex__data_bank_conflicts_pipe_lsu, "cycles", "Extra shared-memory passes.") \
	SM_REASONS(SM_REASON_STAT, S, T)

/* Cycles over which the peak of the register traffic is taken. In that time all schedulers together
 * cannot make a count of 16 bits overflow. */
_Static_assert(SM_RF_WINDOW *SM_SCHEDULERS *(LEVEL_COUNT_END - 1) <= UINT16_MAX, "too long");

#define RF_STAT(S, T, name, unit, text) S(T, COUNT, rf__##name, unit, text)
#define RF_STATS(S, T) \
	LEVEL_TRAFFIC(RF_STAT, S, T) \
	S(T, MAX, rf__mrf_reads_window, "warp operands", \
		"Most MRF reads in 256 cycles from a multiple of them on.")

/* Accesses to the registers of the SM's warps. */
struct sm_rf {
	struct {
		RF_STATS(STAT_FIELD, sm_rf)
	} s;
	struct level_traffic traffic; /* except `packed` */
	struct level_counts packed;   /* of this window */
	uint64_t window_end;          /* its last cycle + 1 */
	uint64_t reads_before;        /* of the MRF, before this window */
	uint64_t closed;              /* issues and deschedules that `s` has */
};

/* A resident warp's slot. */
struct slot {
	struct warp warp;
	const struct instr *next; /* what it would issue; NULL: all threads have exited */
	uint64_t issue_at;        /* not before this cycle (branches) */
	uint64_t latest;          /* all finite result times are at or before this cycle, */
	uint64_t latest_late;     /* or before this one: those of long latency */
	uint64_t ready_at;        /* when the next instruction's operands are available; READY_LONG:
				     unknown */
	uint32_t pending;         /* memory instructions in flight */
	uint32_t long_regs;       /* registers waiting for them */
	uint8_t reason;           /* enum sm_reason: what it waits for; SELECTED: ready */
	uint8_t cta;              /* CTA slot */
	uint8_t hold; /* REASON_MEMBAR, REASON_LG_THROTTLE, REASON_BARRIER: why issue_at is in the
			 future; 0: a branch */
	uint8_t gate; /* enum gate, or of a pipe: what the next instruction needs */
	bool waiting_barrier;
	struct copies copies;
	/* READY_CODE, or READY_LONG: [r] of register plane r, [-1 - p] of predicate p */
	uint64_t *ready;
};

/* Who learns of each issue, as bits: the profile; the policy, the instruction cache. */
enum learner { LEARNER_PROFILE = 1, LEARNER_OTHERS = 2 };

/* The cycles that the profile learns of: none; those without an issue; all. */
enum watched { WATCHED_NONE, WATCHED_STALLED, WATCHED_ALL };

/* When a result is available, and its kind: cycle * 4 + kind. */
enum ready_kind {
	READY_FIXED,
	READY_SHORT, /* short scoreboard */
	READY_LATE   /* from cache or memory: known at last */
};
#define READY_LONG UINT64_MAX
#define READY_CODE(cycle, kind) ((cycle)*4 + (kind))
#define READY_CYCLE(code) ((code) / 4)
#define READY_KIND(code) ((code) % 4)

/* Registers, predicates, stacks and scoreboards of warps in the host's memory: close together,
 * because the working set of many SMs does not fit the host's caches. */
struct warp_memory {
	unsigned char *packed; /* warp_memory.bytes for each warp slot */
	unsigned char *sparse; /* per slot, as much as any program needs */
	size_t bytes;
};

struct cta_slot {
	struct cta cta;
	struct barriers barriers;
	uint32_t launch;
	uint32_t running;            /* warps with threads left or operations in flight */
	uint64_t index;              /* flat, in the grid */
	uint64_t shared_at;          /* the offset of its piece of shared memory */
	uint64_t shared_space;       /* its bytes, in whole lines */
	uint64_t warps;              /* warp slots it holds */
	uint8_t warp_slot[SM_WARPS]; /* of its warps, in order */
	struct warp *warp[SM_WARPS]; /* the same */
};

/* A memory instruction in flight. */
struct op {
	const struct instr *instr;
	uint64_t ready;     /* last of the results known so far */
	uint16_t late;      /* cycles by which bank conflicts delay the result behind that */
	uint16_t remaining; /* lines still out */
	uint8_t warp;
	bool has_result;
	uint16_t ptx_line;   /* of the instruction, or UINT16_MAX: that one or a later one */
	uint16_t hit_cycles; /* latency of a line that hits */
	uint32_t copies;     /* 1 + the group of a copy to shared memory */
	uint32_t next_free;
};

/* A memory instruction waiting for the tag stage. */
struct lsu_entry {
	struct line_access lines[COALESCE_MAX];
	struct origin origin;
	uint32_t op;
	uint16_t n, at; /* lines; the next one for the tags */
	uint8_t action;
	const struct l1_way *way;
	bool copied;   /* of an atomic: what it operates on is its warp's */
	uint8_t words; /* of an atomic: operations a lane, one a word of vectors and of 128 bits */
	struct contention meets[WARP_LANES]; /* of each line */
};

struct scheduler {
	uint64_t mine; /* warp slots that belong to it */
	struct sched_view view;
	uint64_t chosen;     /* what the policy's activate() last returned */
	uint64_t issue_free; /* bank conflicts hold the issue slot before this cycle */
	struct stall stall;
};

/* A texture fetch in flight: its op is held until `due` as by one more line. */
struct fetch_due {
	uint64_t due;
	uint32_t op;
};

struct sm_texture {
	uint64_t free;         /* the cycle from which the pipe is free */
	struct texels texels;  /* of the newest fetch */
	struct fetch_due *due; /* ring of lsu_ops entries, in order of issue */
	uint32_t due_head, due_n;
	/* the newest fetch's texels of corners from half_at on wait for space in the queue */
	bool half_waits;
	uint8_t half_at;
	uint32_t half_op;
	struct origin half_origin;
};

/* The turn (progress.c): a warp until a cycle; no warp is chosen before look_at. */
struct turns {
	uint64_t since[SM_WARPS]; /* a warp has been ready since then, and has not issued */
	uint64_t until, look_at, age;
	uint8_t warp;
};

struct sm {
	struct component base;
	struct {
		SM_PARAMS(PARAM_FIELD, sm)
	} p;
	struct {
		SM_STATS(STAT_FIELD, sm)
	} s;
	struct sm_l1 l1;
	struct sm_tex tex;
	struct sm_tlb tlb;
	struct sm_rf rf;
	struct sm_banks banks;
	struct arbiter arbiter;
	struct sm_flows flows;
	struct outbox outbox;
	struct sm_constants constants;
	struct sm_icache icache;
	struct fetch_waits waits;
	struct sm_config c;
	struct link *cta_in, *done_out, *request_out, *reply_in;

	/* sets of warps: bit w is warp slot w */
	uint64_t resident;
	uint64_t by_reason[REASON_COUNT]; /* [SELECTED]: ready to issue */
	uint64_t drained;                 /* waiting, and short-latency writes done */
	uint64_t moved; /* policies have not yet seen that they came, left, wait, or drained */
	uint64_t wheel[SM_WHEEL];  /* warps that wake at that cycle */
	uint64_t wheel_used;       /* bit per slot of the wheel */
	uint64_t wheel_due;        /* the first of those cycles, or UINT64_MAX */
	uint64_t gate_next[GATES]; /* warps by what their next instruction needs */
	uint64_t age[SM_WARPS], arrivals;
	struct turns turn;
	struct slot slot[SM_WARPS];
	struct warp_memory warp_memory;
	struct scheduler sched[SM_SCHEDULERS];
	struct policy policy; /* of all of them */
	const struct sched_ops *choose;
	uint8_t after_issue;          /* enum learner */
	uint8_t watched;              /* enum watched */
	bool fetches;                 /* warps wait for constants or instructions */
	uint64_t issued_at[SM_WARPS]; /* 1 + the cycle of the warp's last issue; 0: none yet */

	uint64_t work[WORK_KINDS]; /* threads by what they did: ptx/isa/operations.h */
	struct sm_pipes pipes;
	struct sm_ideal ideal;
	uint8_t sched_of[SM_WARPS];     /* the scheduler of each warp slot */
	uint64_t shared_free;           /* the cycle from which shared memory is free */
	uint64_t barrier_free;          /* the cycle from which barriers accept an arrival */
	uint16_t shared_cycles[WIDTHS]; /* by enum width */
	struct bank_layout shared_banks;
	uint8_t shared_word_shift; /* its words are 1 << this of c.banks */
	struct sm_texture texture;

	unsigned char *shared; /* shared_space bytes: CTAs hold pieces of it */
	uint64_t shared_space; /* c.max_shared_bytes, and a line for each CTA */
	struct cta_slot cta[SM_WARPS];
	uint64_t cta_used;      /* CTA slots in use */
	uint64_t cta_finished;  /* CTA slots whose end has not been reported */
	uint64_t newest_launch; /* + 1 */

	struct lsu_entry *queue; /* ring of lsu_queue entries */
	uint32_t queue_head, queue_n;
	struct op *ops;
	uint32_t op_free, ops_used; /* free list head, or UINT32_MAX */

	struct store_log *log;
	struct exec_memory memory;
	struct exec_context context; /* of the instruction that issues */
	struct sm_text text;
	struct sm_fault fault;
	uint64_t *by_launch;        /* warp instructions by launch, or NULL */
	struct sm_profile *profile; /* NULL: the run is not profiled */

	uint64_t stepped_cycle; /* + 1: the last step's cycle; detects repeated calls */
	enum step answer;
	uint64_t counted_to;           /* occupancy is summed up to this cycle */
	struct sm_mark mark[SM_WARPS]; /* while warps advance without time: advance.c */
	uint64_t cta_left;             /* CTA slots whose CTAs have ended in it */
	struct sm_pace pace;
	struct { /* probe.c: counts up to the observed cycle */
		uint64_t warp_cycles, owned[SM_SCHEDULERS][REASON_COUNT];
	} seen;
};

/* probe.c: signals of an SM. */
extern const struct probe_ops sm_probe;

/* warp.c: what a warp waits for. */
void warp_refresh(struct sm *, unsigned w, uint64_t cycle);
void warp_results(struct sm *, unsigned w, const struct instr *, uint64_t ready_code);
void warp_arrived(struct sm *, unsigned w, const struct instr *, uint64_t ready); /* READY_LATE */
void warp_wait(struct sm *, unsigned w, uint64_t cycle, enum sm_reason); /* without a known end */
/* The memory cannot accept the warp's access before the end of the window. */
void warp_retry(struct sm *, unsigned w, uint64_t cycle);
void wheel_advance(struct sm *, uint64_t cycle);
void warp_warm(const struct slot *); /* fetches the next instruction's operands */
/* The next instruction depends on nothing that is outstanding in the cycle. */
bool warp_independent(const struct slot *, uint64_t cycle);
/* The entry of slot->ready that decides when the next instruction has its operands; of none: a
 * branch delays it. */
#define WAITS_FOR_NONE PTRDIFF_MAX
ptrdiff_t warp_waits_for(const struct slot *);

/* ideal.c: whether what that many lanes executed takes no time; a store of which nothing is sent; a
 * load's line, which hits. */
bool ideal_rides(struct sm *, unsigned w, const struct instr *, const struct access *,
	uint64_t lanes, uint64_t cycle);
uint64_t ideal_slot(const struct sm *); /* the cycle of the next slot for such instructions */
enum tag_owner ideal_held(struct sm *, const struct lsu_entry *, uint64_t cycle);
enum tag_owner ideal_load(struct sm *, const struct lsu_entry *, uint64_t cycle);

/* reasons.c: the reason for a cycle in which none of the scheduler's warps could issue. */
enum sm_reason reason_stalled(const struct sm *, const struct scheduler *);

/* work.c: what threads computed, and bytes on the way to the L2. */
void work_close(struct sm *);

/* registers.c: accesses to the register file hierarchy. */
void registers_window(struct sm *, uint64_t cycle); /* another window begins */
void registers_step_aside(struct sm *, uint64_t warps);
void registers_close(struct sm *);

/* warp_memory.c */
void warp_memory_init(struct sm *, struct arena *);
void warp_memory_take(struct sm *, unsigned w, const struct program *);
void warp_memory_state(struct state *, struct sm *); /* with the addresses of slots */

/* cta.c: residency. */
void cta_accept(struct sm *, uint64_t cycle);
void cta_warp_exited(struct sm *, unsigned w, uint64_t cycle);
void cta_warp_done(struct sm *, unsigned w, uint64_t cycle);
void cta_tell(struct sm *);
void cta_barrier(struct sm *, unsigned w, const struct instr *, uint32_t mask, uint64_t cycle);
void sm_count_occupancy(struct sm *, uint64_t cycle);

/* lsu.c: the path to the L1 and the network. */
static inline bool lsu_full(const struct sm *sm)
{
	return sm->queue_n == sm->p.lsu_queue || sm->op_free == UINT32_MAX;
}
const struct lsu_entry *lsu_enter(
	struct sm *, unsigned w, const struct instr *, const struct access *);
/* An operation of `lines` lines, and an entry at the queue's end for the caller to fill: lsu_full
 * returned false. */
uint32_t lsu_op(struct sm *, unsigned w, const struct instr *, unsigned lines, bool has_result);
struct lsu_entry *lsu_behind(struct sm *);
/* One line of the operation is available (loads, atomics) or sent (stores). */
void lsu_line_done(struct sm *, uint32_t op, uint64_t ready, uint64_t cycle);
/* Tags of packets: an MSHR entry, an operation without an MSHR, or texels, whose MSHRs are found by
 * their lines. */
#define TAG_OP 0x80000000u
#define TAG_TEXELS 0x40000000u
/* Sends a packet for the entry's line. TAG_BUSY, or TAG_NETWORK when there is no credit. */
enum tag_owner lsu_send(
	struct sm *, const struct lsu_entry *, enum packet_kind, uint8_t granules, uint32_t tag);
bool lsu_step(struct sm *, uint64_t cycle); /* of a queue that holds something; true: more could
					       move next cycle */
void lsu_replies(struct sm *, uint64_t cycle);
void lsu_close(struct sm *, uint64_t cycle);
/* The event for the caches' policies: the entry's lookup of a line. */
struct cache_access lsu_access(
	const struct sm *, const struct lsu_entry *, uint64_t line, uint64_t cycle);
/* The same of a reply that fills its line. */
struct cache_access lsu_fill_access(const struct packet *, uint64_t line, uint64_t cycle);

/* l1.c: makes the L1; gives it another capacity (0: none); the sectors of a line that have any of
 * these granules. */
void l1_init(struct sm *, struct config *, struct arena *, struct err *);
void l1_resized(struct sm *, uint64_t bytes);
uint8_t l1_sectors(const struct sm_l1 *, uint8_t granules);
/* The scheduling policy learns whose line was evicted from a way. */
void l1_tell_evicted(struct sm *, int way, const struct victim *, uint64_t cycle);

/* sectors.c: a miss that is not simply of a whole line. `entry`: of the line's MSHR, or -1. */
enum tag_owner lsu_miss_sectors(struct sm *, const struct lsu_entry *, int entry, uint64_t cycle);

/* outbox.c: whether the tag stage may send a packet. When it may not, the SM is woken as soon as
 * that changes. If the port is not free: the queue's next slot, or NULL; its packet waits. */
struct packet *outbox_behind(struct sm *);
void outbox_wait(struct sm *);

static inline bool outbox_open(struct sm *sm)
{
	/* where packets wait, the port is not free: outbox_send took what it could */
	return link_can_send(sm->request_out) || sm->outbox.misses < sm->l1.p.miss_queue;
}

/* texture.c: the texture pipe, in front of the tag stage. */
bool texture_busy(const struct sm *, uint64_t cycle);
void texture_enter(struct sm *, unsigned w, const struct instr *, uint64_t cycle);
void texture_due(struct sm *, uint64_t cycle);         /* fetches that are due */
void texture_second_half(struct sm *, uint64_t cycle); /* if there is space now */

/* texture_cache.c: tags for texels, if tex.bytes is not 0. */
void texture_cache_init(struct sm *, struct config *, struct arena *, struct err *);
enum tag_owner texture_cache_line(struct sm *, struct lsu_entry *, uint64_t cycle);
void texture_cache_reply(
	struct sm *, const struct packet *, uint64_t cycle, mshr_wake_fn *, void *ctx);

/* sm.c */
void sm_stop(struct sm *, const struct fault *, uint32_t launch, uint64_t cycle);

/* issue.c: one cycle of the schedulers; true when one of them may issue in the next cycle. */
bool issue_step(struct sm *, uint64_t cycle);
void sm_state(struct component *, struct state *); /* saved.c: for component_ops */
/* text.c: makes the SM's memory deliver text. */
void text_init(struct sm *, struct arena *);

#include "sm/active.h"
#include "sm/profile_told.h"

#endif
