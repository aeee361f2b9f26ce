/* Figures and tables of Gebhart et al., MICRO 2012, each a target (cli/book.h): as the
 * paper measured them, on one SM, and on the chip. Methods and bands: doc/reproduce.md. */
#ifndef CLI_M12_H
#define CLI_M12_H

#include "cli/compare.h"
#include "cli/reproduce.h"

/* As the paper did it; likewise, with conflicts of the unified design counted by cluster instead of
 * by bank; and 32 SMs with all they share. */
enum m12_column { M12_PAPER, M12_CLUSTERS, M12_CHIP };
#define M12_BOTH (1u << M12_CHIP)
#define M12_ALL (1u << M12_CLUSTERS | M12_BOTH)

/* ---- the paper's workloads and what it says of them */
#define M12_CAPACITIES 3
extern const unsigned m12_capacities_kb[M12_CAPACITIES]; /* 128, 256, 384 */

/* A row of table 6: a workload that gains from the unified design. */
struct m12_gain {
	const char *workload, *name;
	double speedup[M12_CAPACITIES], energy[M12_CAPACITIES]; /* against partitioned */
	double dram;                                            /* at 384 KB, from Table 1 */
	double registers, register_kb, shared_kb, cache_kb;     /* at 384 KB, from Table 1 */
	double threads, partitioned_threads;
};
#define M12_GAINS 8
extern const struct m12_gain m12_gains[M12_GAINS];
bool m12_gains_from(const char *workload);
bool m12_is_other(const char *workload); /* of Table 1, and does not gain */

/* Workloads of the book, by place in m12_gains; -1: the book is not about it. */
int m12_at(const struct book *, unsigned gain);

/* Workloads of Table 1 in the book that do not gain; the paper has 18. */
#define M12_OTHERS 18
unsigned m12_others(const struct book *, unsigned list[]);

/* ---- designs; columns put them on one SM or on the chip */
struct design m12_partitioned(const char *more);
struct design m12_unified(unsigned kb, const char *more);
struct design m12_fermi(unsigned split, const char *more); /* 1, 2 */
/* Registers and shared memory without bound: up to so many threads an SM, spills above so many
 * registers, so much cache. */
struct design m12_unbounded(unsigned threads, unsigned registers, unsigned cache_kb);
/* What a column runs instead of a design. */
struct design m12_seen(const struct design *, unsigned column);
/* Of the ladder, whatever the column. */
struct design m12_variant(enum variant_id, const struct design *);

/* ---- one workload; its inputs are those of doc/reproduce.md. NAN while runs are missing. */
const json_t *m12_report(struct book *, unsigned workload, const struct design *);
const json_t *m12_try(struct book *, unsigned workload, const struct design *); /* may not fit */
double m12_metric(struct book *, unsigned workload, const struct design *, const char *name);
double m12_cycles(struct book *, unsigned workload, const struct design *);
double m12_dram(struct book *, unsigned workload, const struct design *); /* bytes */
/* Cycles of a design that need not run: NAN then, too; and the faster one of two, where what does
 * not run is slower than anything. */
double m12_try_cycles(struct book *, unsigned workload, const struct design *);
struct design m12_faster(
	struct book *, unsigned workload, const struct design *, const struct design *other);

/* cycles(before) / cycles(after), and so on for the others: after by before. */
double m12_speedup(
	struct book *, unsigned workload, const struct design *before, const struct design *after);
double m12_dram_ratio(
	struct book *, unsigned workload, const struct design *before, const struct design *after);

/* Energy of two reports with the power of the SM's rest as in `before` (or its energy: `work`),
 * under one of the leakages of energy/chip.h, by its name (NULL: the one of the runs). Of runs NULL
 * is what the options say: energy.leakage, energy.reading. */
struct m12_energy {
	const char *leakage;
	bool work;
};
double m12_energy_of(const json_t *before, const json_t *after, const struct m12_energy *);
double m12_energy_ratio(struct book *, unsigned workload, const struct design *before,
	const struct design *after, const struct m12_energy *);

/* An SM's partitioning while the kernel ran that executes most, and the threads that fit. */
struct m12_partition {
	double threads, registers;
	double register_kb, shared_kb, cache_kb; /* set aside */
	double shared_used_kb;
};
struct m12_partition m12_partition_of(const json_t *report);
double m12_cta_threads(const json_t *launch);

/* What a workload's time went to in a design, or in two, in words: for causes. */
const char *m12_time_words(struct book *, unsigned workload, const struct design *);
const char *m12_change_words(
	struct book *, unsigned workload, const struct design *before, const struct design *after);

/* ---- rows */
/* The paper's ratio, ours, and a band of 3 points or a fifth of its distance from 1. */
void m12_ratio(struct book *, const struct book_row *);
double m12_band(double paper);
/* A row of `n` workloads together, where the paper's is of `all`: fewer are told, not judged. */
void m12_say_all(struct book *, const struct book_row *, unsigned n, unsigned all);

extern const struct target m12_table1, m12_fig2, m12_fig3, m12_fig4, m12_table5, m12_fig7, m12_fig8,
	m12_fig9, m12_ladder, m12_tuned, m12_fig10, m12_table6, m12_fig11, m12_section2;

#endif
