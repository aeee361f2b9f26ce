/* What the files of the benchmark share: a table of figures, and how they are measured. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct bench {
	const char *warpbeam; /* the command */
	const char *systemc;  /* the program with SystemC's side, or NULL */
	const char *source;   /* the source folder */
	const char *scratch;  /* an existing folder for files */
	unsigned rounds;      /* every time is the least of this many */
	bool full;            /* also the workloads' full size */
	bool instructions;    /* count host instructions, with valgrind */
};

/* Each prints its table to stdout and adds its figures to the object. */
void bench_kernel(const struct bench *, json_t *out);
void bench_workloads(const struct bench *, json_t *out);
void bench_sizes(const struct bench *, json_t *out);
void bench_launches(const struct bench *, json_t *out);
void bench_families(const struct bench *, json_t *out);
void bench_cuda(const struct bench *, json_t *out);
/* Returns 1 when a profile adds more host instructions than it may. */
int bench_profile(const struct bench *, json_t *out);

/* Compares host instructions per warp instruction with the figures of the file: 0, 1 when one is
 * more than 5% above its own, 2 when nothing could be counted. `update` writes the file again. */
int bench_check(const struct bench *, const char *file, bool update);

/* ---- kernel.c: one measurement of the kernel, in ns per operation. */
enum kernel_test {
	EVENTS_32,
	EVENTS_1K,
	EVENTS_100K,
	CLOCKED,
	LINKS,
	POLLING,
	SPARSE,
	LOOP,
	BARRIER,
	SPINNING,
	KERNEL_TESTS
};
double kernel_measure(enum kernel_test);

/* ---- child.c: another program's run. */
struct child {
	int status;       /* as of waitpid */
	double user_s;    /* processor time */
	double system_s;  /* the system's */
	double peak_mb;   /* memory, at most */
	uint64_t counted; /* host instructions, where asked for; 0: could not be counted */
};

/* Runs argv (argv[0] the program, found on the path; NULL ends it) without output; what it prints
 * goes to the file `output` unless that is NULL. */
struct child child_run(const char *const *argv, const char *output);

/* Runs argv under valgrind and counts its instructions. */
struct child child_count(const struct bench *, const char *const *argv);

#endif
