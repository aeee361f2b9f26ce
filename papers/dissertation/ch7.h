/* Figures and tables of chapter 7 of Gebhart's dissertation (University of Texas at Austin, 2012):
 * six workloads on fixed, limited and unified storage. Methods and bands: doc/reproduce.md. */
#ifndef PAPERS_DISSERTATION_CH7_H
#define PAPERS_DISSERTATION_CH7_H

#include "papers/store.h"

enum ch7_column { CH7_PAPER, CH7_CHIP };
#define CH7_BOTH (1u << CH7_CHIP)

/* ---- workloads */
#define CH7_WORKLOADS 6
extern const char *const ch7_workloads[CH7_WORKLOADS];
/* Entries of it. */
enum { CH7_BFS, CH7_MUMMER, CH7_DGEMM, CH7_NEEDLE, CH7_PCR, CH7_HOTSPOT };

/* Whether it is one of them. */
bool ch7_takes(const char *workload);

/* Its index among the measured workloads; -1: it is not measured. */
int ch7_at(const struct book *, unsigned workload);

/* Whether all six are measured; else rows about all of them are NAN. */
bool ch7_has_all(const struct book *);

/* ---- designs */
enum ch7_design {
	CH7_F128_32, /* fixed: KB of registers, cache, shared memory */
	CH7_F128_64,
	CH7_LIMITED, /* 256 KB of registers, 64 KB split 48/16 or 16/48 */
	CH7_BASE,    /* fixed 256/64/64: the base of all others */
	CH7_F256,    /* 256 of each */
	CH7_F512,
	CH7_U128, /* unified, the cache a power of two of at most 256 KB */
	CH7_U256,
	CH7_U384,
	CH7_U512,
	CH7_DESIGNS
};
struct ch7_design_def {
	const char *name;
	unsigned kb; /* in all */
};
extern const struct ch7_design_def ch7_designs[CH7_DESIGNS];

/* The design as the workload runs fastest on it: needle's blocking factor, the split of the limited
 * design, the threads of the unified one with 384 KB. Choices that do not fit are left out. */
struct design ch7_best(struct book *, unsigned workload, enum ch7_design);

/* A unified design of 384 KB with at most this many threads (0: as many as fit). */
struct design ch7_threads(struct book *, unsigned workload, unsigned threads);
#define CH7_THREADS 6
extern const unsigned ch7_thread_counts[CH7_THREADS]; /* ascending; 1024 is the last */

/* One split of the limited design, 1: 48 KB of shared memory, 2: 16. */
struct design ch7_limited(unsigned split);

/* Storage of the machines of the MICRO paper's figures 2 to 4, on which one storage is small or
 * large and all others are without bound. */
#define CH7_REGISTERS 64
#define CH7_CACHE_KB 64
#define CH7_FULL 1024 /* threads */
/* Cycles of a design by those of another; NAN: one does not run. */
double ch7_relative(struct book *, unsigned workload, struct design, struct design by);

/* ---- figures of the best; against the base. NAN while runs are missing. */
double ch7_speed(struct book *, unsigned workload, enum ch7_design);
double ch7_energy(struct book *, unsigned workload, enum ch7_design);
double ch7_dram(struct book *, unsigned workload, enum ch7_design);

extern const struct paper ch7_paper;

#endif
