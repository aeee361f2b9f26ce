/* Machines that differ in the storage of an SM (partitioned, unified, Fermi-like, without bound),
 * and what one or two runs on them measured: what papers about the unified design have in common.
 */
#ifndef PAPERS_STORE_H
#define PAPERS_STORE_H

#include "papers/book.h"
#include "runs/figures.h"
#include "runs/variants.h"

/* As the paper did it, and 32 SMs with all they share. */
enum store_column { STORE_PAPER, STORE_CHIP };
#define STORE_BOTH (1u << STORE_CHIP)

/* ---- designs; columns put them on one SM or on the chip */
struct design store_partitioned(const char *more);
struct design store_unified(unsigned kb, const char *more);
struct design store_fermi(unsigned split, const char *more); /* 1, 2 */
/* Registers and shared memory without bound: at most `threads` an SM, spills above `registers`, a
 * cache of `cache_kb`. */
struct design store_unbounded(unsigned threads, unsigned registers, unsigned cache_kb);
/* What a column runs instead of a design. */
struct design store_seen(const struct design *, unsigned column);
/* A step of the ladder, the same in all columns. */
struct design store_variant(enum variant_id, const struct design *);

/* ---- one workload; its inputs are those of doc/reproduce.md, which
 * store_input adds once. NAN while runs are missing. */
struct design store_input(struct book *, unsigned workload, const struct design *);
const json_t *store_report(struct book *, unsigned workload, const struct design *);
const json_t *store_try(struct book *, unsigned workload, const struct design *); /* may not fit */
double store_metric(struct book *, unsigned workload, const struct design *, const char *name);
double store_cycles(struct book *, unsigned workload, const struct design *);
double store_dram(struct book *, unsigned workload, const struct design *); /* bytes */
/* Cycles of a design that may fail (NAN also then); and the faster one of two, of which one that
 * fails is the slower. */
double store_try_cycles(struct book *, unsigned workload, const struct design *);
struct design store_faster(
	struct book *, unsigned workload, const struct design *, const struct design *other);

/* cycles(before) / cycles(after), and so on for the others: after by before. */
double store_speedup(
	struct book *, unsigned workload, const struct design *before, const struct design *after);
double store_dram_ratio(
	struct book *, unsigned workload, const struct design *before, const struct design *after);

/* Energy of two reports with the power of the SM's rest as in `before` (or its energy: `work`),
 * under one of the leakages of energy/chip.h, by its name (NULL: the one of the runs). Of runs NULL
 * is what the options say: energy.leakage, energy.reading. */
struct store_energy {
	const char *leakage;
	bool work;
};
double store_energy_of(const json_t *before, const json_t *after, const struct store_energy *);
double store_energy_ratio(struct book *, unsigned workload, const struct design *before,
	const struct design *after, const struct store_energy *);

/* The split of an SM's storage while the kernel ran that executes most, and the threads that fit.
 */
struct store_partition {
	double threads, registers;
	double register_kb, shared_kb, cache_kb; /* allocated */
	double shared_used_kb;
};
struct store_partition store_partition_of(const json_t *report);
double store_cta_threads(const json_t *launch);

#endif
