/* Tables and figures of Hayes and Zhang, "Unified On-chip Memory Allocation for SIMT Architecture",
 * ICS 2014, on the descriptions of their two GPUs, and a square of their method and the unified
 * storage of Gebhart et al. (MICRO 2012). Readings and bands: doc/reproduce.md. */
#ifndef PAPERS_HAY_HAY_H
#define PAPERS_HAY_HAY_H

#include "papers/papers.h"
#include "runs/levels/levels.h"

#define HAY_KEPLER "gtx680"
#define HAY_FERMI "c2075"
#define HAY_CHIP_COLUMN (1u << 1)

/* ---- their seven workloads; of table 1, Fermi's and Kepler's */
#define HAY_SEVEN 7
struct hay_workload {
	const char *name;
	double registers[2], growth[2];    /* of a thread; instructions after / before, at auto */
	double missed[2], missed_local[2]; /* %, with slots and without */
	bool below[2];                     /* auto is below the best, as figures 6 and 7 show */
	bool judged; /* dxtc's levels are not: its CTA slots allow one level only */
};
extern const struct hay_workload hay_seven[HAY_SEVEN];
extern const char *const hay_machines[2]; /* Fermi, Kepler */
bool hay_takes(const char *workload);
int hay_at(const struct book *, unsigned of_seven); /* -1: it is not measured */

/* ---- levels (papers/hay/levels.c) */
extern const struct point_way hay_levels;

/* What the levels of a workload measured: cycles of the unchanged program, of the rule's level of
 * each kernel, of the fastest and of the slowest level. NAN while runs are missing. */
struct hay_result {
	double base, automatic, best, worst;
	double growth; /* instructions at auto by those of the unchanged program */
	double missed,
		missed_local;   /* lines of local loads at auto that missed, %; without slots */
	double shared_by_local; /* cycles with slots by those without, the same registers and
				    level, at most; NAN: no level has slots */
	double registers;       /* of the first kernel, unchanged */
	const char *note;       /* levels and counts of auto and best */
	const char *misled; /* which count misled the rule, by kernel; NULL: it chose the best */
};
/* `base` is the machine without the levels' settings. */
struct hay_result hay_measure(struct book *, unsigned workload, const struct design *base);
/* The setting of the rule's level of each kernel; NULL: nothing changes, or not known yet. */
const char *hay_automatic(struct book *, unsigned workload, const struct design *base);
/* Of the fastest level, others' kernels unchanged; NULL: no level is faster than none. */
const char *hay_fastest(struct book *, unsigned workload, const struct design *base);
/* Of each kernel's level with the most threads; without its slots: spills stay local. NULL: all
 * have one level only. */
const char *hay_most(struct book *, unsigned workload, const struct design *base, bool slots);
struct design hay_design(const char *machine, const char *more);

/* Threads of the rule's level of the first kernel with this threshold. */
double hay_level_at(struct book *, unsigned workload, const struct design *base, double threshold);

/* Cycles of a dependent load from DRAM. */
double hay_latency(struct book *, const char *machine);

/* ---- rows of figures 6 and 7: machine 0 is Fermi's, 1 Kepler's */
void hay_speedups(struct book *, unsigned machine);

extern const struct paper hay_paper;

#endif
