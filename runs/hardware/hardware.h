/* Workloads and scenarios on a real GPU, beside the executor: results, times, what the driver's
 * compiler needs. */
#ifndef RUNS_HARDWARE_H
#define RUNS_HARDWARE_H

#include "driver/driver.h"
#include "runs/report.h"
#include "runs/session.h"

#include <jansson.h>

/* What a GPU does beside kernels, by two kernels of our own. */
struct hardware_clock {
	double mhz; /* of the SMs: %clock64 over %globaltimer; 0: unknown, its timer is constant */
	double empty_us; /* an empty kernel between events: what every time contains */
};

/* Measures it on an open driver. 0 or -1. */
int hardware_clock(struct driver *, struct hardware_clock *, struct err *);

/* A kernel: what ours and theirs need, and its time over all its launches, of each repeat. */
struct hardware_kernel {
	const struct program *program;            /* ours */
	int registers, local_bytes, shared_bytes; /* as the driver compiled it */
	unsigned launches;
	double *us;
	/* The copy that reads the clocks of the SMs: its registers, the cycles of all launches; 0:
	 * unknown. */
	int clocked_registers;
	uint64_t clocked_cycles;
};

/* A buffer after all launches, beside the executor's. Words of 4 bytes; words that hold the
 * address of the same byte of a buffer are equal. */
struct hardware_buffer {
	const char *name;
	uint64_t bytes, differ, addresses;
	uint64_t first; /* offset of the first word that differs */
	uint32_t ours, theirs;
	bool compared; /* false: the driver does not know the variable */
};

struct hardware_result {
	const char *target, *size;  /* size NULL: a scenario */
	enum verdict executor, gpu; /* of the checks */
	struct hardware_kernel *kernels;
	struct hardware_buffer *buffers;
	unsigned nkernels, nbuffers, launches, repeats, unsteady;
	double *kernels_us, *span_us; /* by repeat */
	struct hardware_clock before, after;
	bool measured; /* times are there */
	/* Of all launches, by the SMs' clocks in a run of its own; 0: not counted, and why. */
	uint64_t clocked_cycles;
	const char *unclocked;
	enum err_code code;
	const char *message; /* of a target that failed; NULL: none did */
};

/* Runs result->target by the executor and on the GPU, once to warm up, then result->repeats times,
 * and once with clocks; the caller sets these two. Memory is the arena's. 0, or -1 with messages:
 * of the check as well, and then everything else is there. The driver's context may be broken after
 * other errors.
 */
int hardware_run(struct driver *, const struct run_options *, struct arena *,
	struct hardware_result *, struct err *);

/* The median, least and most of n values; zeros of none. */
struct hardware_spread {
	double median, least, most;
};
struct hardware_spread hardware_spread(const double *, unsigned n);

/* GPU cycles from times: by events x the measured clock; 0 when either is missing. */
double hardware_cycles(const struct hardware_result *);

/* The version of files of results. */
#define HARDWARE_SCHEMA "warpbeam-hardware/1"

/* The head of such a file: schema, program, date ("2026-01-31"), GPU, clocks. */
json_t *hardware_head(const struct driver_gpu *, const char *date, bool locked);
/* `set`: the settings it ran with. */
json_t *hardware_json(const struct hardware_result *, const struct string_list *set);

/* Rows for SQLite, of such a file: tables gpu, targets, kernels, buffers. */
json_t *hardware_tables(const json_t *file);

#endif
