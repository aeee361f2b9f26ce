/* What runs need to know, whichever command asks for them. */
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

struct gpu;
struct host_hooks;

/* The defaults are the caller's; strings stay where they are. */
struct run_options {
	uint64_t size; /* enum workload_size */
	uint64_t wide; /* 1: 64-bit addressing */
	uint64_t seed;
	bool size_given, wide_given, seed_given; /* by the user: inputs of a workload */
	uint64_t max_cycles;
	uint64_t timeout; /* seconds of wall time that a run of several may take; 0: any */
	uint64_t threads; /* of the host, for one run */
	uint64_t jobs;    /* runs side by side; 0: as many as the host has cores */
	uint64_t regs;    /* 0: as the parameter says */
	const char *chip; /* a preset or a file; NULL: m12 */
	struct string_list set;
	bool no_pin, quiet;
	struct files *files; /* the command's, which the caller sets; NULL: nobody notes them */
	/* How a simulation is watched while it runs: its hooks, with memory from the arena. NULL:
	 * it is not. */
	struct host_hooks (*watch)(const struct gpu *, struct arena *);
};

#endif
