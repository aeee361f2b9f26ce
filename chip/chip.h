/* A whole chip in time: SMs, networks, L2 slices and DRAM channels around a GPU's memory and
 * launches. */
#ifndef CHIP_CHIP_H
#define CHIP_CHIP_H

#include "chip/gpu.h"
#include "core/host.h"
#include "ptx/isa/operations.h"

struct chip;
struct launch_state;

/* How the host runs the simulation; none of it changes a result. */
struct chip_host {
	unsigned threads;
	bool pin;
	bool shuffle, early_wakes, hostile; /* for tests */
	uint64_t seed;                      /* of the tests' shuffling */
};

/* Builds the chip that the GPU's configuration describes (prefixes "chip", "noc", "l2", "dram",
 * "sm", "l1", "tex", "storage") and attaches it to the GPU. All faults at once in err; -1 then. */
int chip_new(struct gpu *, const struct chip_host *, struct err *);
void chip_free(struct chip *); /* accepts NULL; gpu_free does it */

/* Whether SMs have one split of storage for all launches (chip.partition=application), and
 * chip_foresee has not been called yet. */
bool chip_must_foresee(const struct gpu *);

/* Sets what will be launched: what was launched on `rehearsal`, a GPU without a chip. Several calls
 * add up; all come before the first launch. 0, or -1 when no split holds a CTA of each kernel. */
int chip_foresee(struct gpu *, const struct gpu *rehearsal, struct err *);

/* Checks that the launch can run on this chip: called by gpu_launch. */
int chip_admit(struct chip *, struct launch_state *, struct err *);

/* Queues an admitted launch, now the GPU's last, behind those of its stream. */
void chip_queue(struct chip *, struct launch_state *);
/* One that was queued, the oldest of its stream, has run without the chip. */
void chip_leave(struct chip *, const struct launch_state *);

/* Runs until all queued launches are complete and no traffic is in flight, and audits the run. 0,
 * or -1 with ERR_FAULT, ERR_DEADLOCK, ERR_LIMIT, ERR_INTERRUPTED or ERR_BUG. max_cycles counts from
 * the chip's start; 0: no limit. */
int chip_run(struct gpu *, uint64_t max_cycles, const struct host_hooks *, struct err *);

/* The same, but returns at the end of the window in which the last launch queued in any stream was
 * complete, whatever others do; call it again to continue. *at_rest: all is complete, as after
 * chip_run. (NULL: this is chip_run.) */
int chip_run_stream(
	struct gpu *, uint64_t max_cycles, const struct host_hooks *, bool *at_rest, struct err *);

/* The same, but returns at the end of the window in which the launch was complete: the n-th queued,
 * from 0 on (gpu_launches). At once if it is. Launches behind it in its stream may have begun,
 * untimed ones have ended. */
int chip_run_launch(struct gpu *, uint32_t launch, uint64_t max_cycles, const struct host_hooks *,
	struct err *);

/* Whether the n-th launch is complete. */
bool chip_launch_complete(const struct gpu *, uint32_t launch);

/* After a chip_run that ended at rest: all L2 slices are empty, as at the start. (The caches of an
 * SM are at each launch.) */
void chip_forget(struct gpu *);

/* Cycles so far; the end of the last launch's last CTA, or, while any is unfinished, the cycles so
 * far; CTAs finished and queued, for progress. */
struct chip_progress {
	uint64_t cycle, end_cycle, ctas_done, ctas, warp_instructions;
	uint64_t untimed_warp_instructions; /* of launches and CTAs that ran without time */
};
struct chip_progress chip_progress(const struct gpu *);

/* Before the first run: metrics count from the first window's edge at or behind that cycle on, of
 * the chip and of its parts; peaks, launches and epochs are whole. 0 or -1. Then whether it was
 * reached, if it was asked for, and that edge's cycle (0: none). */
int chip_skip_cycles(struct gpu *, uint64_t cycles, struct err *);
bool chip_skipped(const struct gpu *, uint64_t *cycles);

/* The last run was stopped within what it executed without time. */
bool chip_stopped_untimed(const struct gpu *);

/* Writes back dirty data and closes all counts. Call once after the last chip_run, before the
 * report; also after a failed or interrupted run: the report is then a valid partial one. */
void chip_close(struct gpu *);

/* One result. Values are counts unless real. */
struct metric {
	const char *name; /* "dram__bytes_read.sum"; valid during the visit */
	const char *unit, *text;
	bool is_real;
	uint64_t count;
	double real;
};
typedef void metric_fn(void *ctx, const struct metric *);

/* All metrics of the run, in a fixed order: totals and derived figures first. */
void chip_metrics(const struct gpu *, metric_fn *, void *ctx);

/* What the run's energy is computed from (energy/chip.h): energy_of, with gpu_energy and another
 * run's reference, compares the two. All zero when there is no memory. */
struct energy_counts;
void chip_energy_counts(const struct gpu *, struct energy_counts *);

/* The same for single parts ("sm.3", "dram.0", "l2.0.1", "noc.request"), in a fixed order. */
typedef void part_metric_fn(void *ctx, const char *part, const struct metric *);
void chip_part_metrics(const struct gpu *, part_metric_fn *, void *ctx);
/* Only of parts whose names begin so. */
void chip_metrics_of_parts(const struct gpu *, const char *begin, part_metric_fn *, void *ctx);

/* One line per launch. */
struct launch_report {
	const char *kernel, *file;
	uint32_t grid[3], block[3];
	unsigned stream;
	uint64_t ctas, timed_ctas; /* of the grid; of them, those that run with timing, */
	uint64_t started_ctas, finished_ctas; /* and that have started and finished */
	/* of an incomplete launch the end is the current cycle; it is `begun` or has none */
	uint64_t start_cycle, end_cycle, warp_instructions;
	uint64_t dram_read_bytes, dram_write_bytes;
	uint64_t flushed_bytes;       /* of its writes, dirty in the L2 at the end */
	uint64_t l2_sectors, l2_hits; /* that its reads looked up and found */
	uint32_t regs, max_live;      /* registers of a thread; of them, live at once (program.h) */
	uint32_t shared_bytes, local_bytes, ctas_per_sm;
	uint64_t sm_register_bytes, sm_shared_bytes, sm_cache_bytes; /* its SMs' split of storage */
	unsigned sms;                                                /* of the chip */
	uint32_t spill_bytes, spill_loads, spill_stores;             /* as in program.h */
	uint32_t slots, slot_loads, slot_stores, slot_moves;         /* the same */
	uint32_t slot_budget, own_shared_bytes; /* slots allowed; of a CTA's, without its slots */
	uint64_t untimed_instructions; /* warp instructions executed without time, beside the others
					*/
	uint64_t skipped_ctas;         /* executed without time by gpu_skip */
	/* what accesses without time would have done, of gpu_warm: lookups of the L2 by reads,
	 * bytes of DRAM */
	bool warm;
	uint64_t warm_l2_sectors, warm_l2_hits, warm_read_bytes, warm_write_bytes;
	/* of one of the first EPOCHS_OWN launches that the executor alone ran, beside
	   untimed_instructions */
	bool works;
	uint64_t thread_instructions;
	struct work_sum work;
	bool begun, complete;
	bool untimed; /* as it was launched */
};
unsigned chip_launches(const struct gpu *);
void chip_launch_report(const struct gpu *, unsigned i, struct launch_report *);

/* CTAs of a launch that an SM could hold by each of its resources alone; UINT32_MAX: as many as
 * others allow. The least is ctas_per_sm, or the grid has fewer. */
struct launch_room {
	uint32_t warp_slots, cta_slots, registers, shared, grid;
};
void chip_launch_room(const struct gpu *, unsigned i, struct launch_room *);

/* CTAs of a launch that an SM would hold if the kernel had other needs: registers of a thread,
 * bytes of shared memory of a CTA, threads of a CTA. The split of storage is chosen again where the
 * chip chooses one for each kernel. 0: none. */
struct launch_need {
	uint32_t regs, shared_bytes, threads;
};
uint32_t chip_launch_fits(const struct gpu *, unsigned i, const struct launch_need *);

/* Of a CTA's shared memory, what its spill slots take, for messages; "" without slots. Returns out.
 */
#define CHIP_SLOT_WORDS 160
const char *chip_slot_words(const struct launch_report *, char out[CHIP_SLOT_WORDS]);

/* The cycle in which the last CTA of the launch on that SM was reported to the dispatcher; 0: none
 * was. */
uint64_t chip_launch_sm_end(const struct gpu *, unsigned i, unsigned sm);

/* The parts and links, for `topology`: one line each. */
void chip_topology(const struct gpu *, struct text *);

/* What DRAM moves in a cycle of the SMs, at most. */
double chip_dram_bytes_per_cycle(const struct gpu *);

/* Parameter tables of the chip's own parts (not of plugins). */
extern const struct param_table chip_param_tables[];
extern const unsigned chip_nparam_tables;

#endif
