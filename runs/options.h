/* The options of a run, for all commands. */
#ifndef RUNS_OPTIONS_H
#define RUNS_OPTIONS_H

#include "core/files.h"
#include "core/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct string_list {
	const char **at;
	unsigned n;
};

/* Which launches run in time (runs/region.h); zeros: all. */
struct region_options {
	const char *timed;    /* KERNEL[:FIRST-LAST],..; NULL: any */
	const char *timed_by; /* the option that gave it; NULL: "timed" */
	uint64_t from_launch, launches;
	const char *sample;   /* a policy (runs/sample/sample.h); NULL: none */
	uint64_t skip_cycles; /* that metrics leave out */
	bool untimed;
	bool warm; /* launches without time keep the caches warm */
};

/* Checkpoints of a run (runs/checkpoint/checkpoint.h); zeros: none. */
struct checkpoint_options {
	const char *file; /* where they are written */
	const char
		*every; /* cycles, or with an "s" behind seconds of wall time; NULL: on SIGUSR2 */
	bool at_term;   /* SIGTERM writes one before it stops the run */
	const char *resume; /* the file that the run goes on from */
	const char *from;   /* the same, of a run with other parameters (runs/checkpoint/from.c) */
};

struct gpu;
struct host_hooks;
struct served;
struct roll;

/* The defaults are the caller's; strings are not copied. */
struct run_options {
	uint64_t size; /* enum workload_size */
	uint64_t wide; /* 1: 64-bit addressing */
	uint64_t seed;
	bool size_given, wide_given, seed_given; /* by the user: inputs of a workload */
	uint64_t max_cycles;
	uint64_t timeout;         /* seconds of wall time that a run of several may take; 0: any */
	uint64_t threads;         /* of the host, for one run */
	uint64_t jobs;            /* runs in parallel; 0: as many as the host has cores */
	uint64_t regs;            /* 0: the parameter's value */
	uint64_t slots;           /* spill slots in shared memory; 0: the parameters' values */
	const char *ptx_dir;      /* where foreign PTX is; NULL: workloads run their own */
	struct string_list chips; /* machines or files, each overriding those before; none: m12 */
	const char *chip;         /* their names in reports: "v100, small.yaml"; NULL: none */
	struct string_list set;
	struct region_options region;
	struct checkpoint_options checkpoint; /* of runs of several: only how often */
	bool no_pin, quiet;
	bool uncut;          /* tables are as wide as they are */
	struct files *files; /* the command's, which the caller sets; NULL: they are not noted */
	/* Observes a running simulation: its hooks, with memory from the arena. NULL: none. */
	struct host_hooks (*watch)(const struct gpu *, struct arena *);
	struct served
		*served;   /* where the command reports its runs while they run; NULL: nowhere */
	struct roll *roll; /* where it notes what they came to; NULL: nowhere */
};

#endif
