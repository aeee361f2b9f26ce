/* Figures and tables of Gebhart's dissertation (University of Texas at Austin, 2012), chapters 2 to
 * 6, measured on our workloads. Each is a target (papers/book.h) in a file. */
#ifndef PAPERS_DISSERTATION_DIS_H
#define PAPERS_DISSERTATION_DIS_H

#include "papers/papers.h"

#include "energy/registers.h"

/* Designs of chapters 2 and 6; `entries` of ORF or RFC, `more` settings or "". They run without
 * time, except dis_active. */
struct design dis_single(void);
struct design dis_soft(unsigned entries, unsigned lrf, const char *more);
struct design dis_hard(unsigned entries, unsigned lrf, const char *more);
struct design dis_active(unsigned warps);

#define DIS_ENTRIES 3 /* of the ORF, with which the paper's designs are best */
/* Three levels with an LRF split by operand slot; and with DIS_ENTRIES, the paper's best design. */
struct design dis_split(unsigned entries);
struct design dis_best_design(const char *more);

/* What one run measured: a figure of its report. */
typedef double dis_metric(const json_t *report);
dis_metric dis_saved;        /* energy against a single level, % */
dis_metric dis_mrf_reads;    /* by instruction */
dis_metric dis_mrf_writes;   /* by instruction */
dis_metric dis_all_reads;    /* of all levels, by operand that is read */
dis_metric dis_all_writes;   /* by operand that is written */
dis_metric dis_upper_writes; /* of ORF or RFC and LRF, by operand that is written */
dis_metric dis_lrf_reads;    /* of all operands that are read, % */
dis_metric dis_strand;       /* instructions of a strand that warps run */
dis_metric dis_ipc;

/* Count "group.key" by "group.key", of a report of the executor; NAN when there is none. */
double dis_ratio(const json_t *report, const char *count, const char *by);

/* The same without the operands that are addresses of memory; NAN of hardware-managed levels. */
dis_metric *dis_data_metric(dis_metric *);
const char *dis_data_count(const char *);

/* Means over all workloads, arithmetic; and one workload's. NAN while runs are missing. */
double dis_mean(struct book *, const struct design *, dis_metric *);
double dis_mean_ratio(struct book *, const struct design *, const char *count, const char *by);
double dis_one_ratio(
	struct book *, unsigned workload, const struct design *, const char *count, const char *by);
double dis_of(struct book *, unsigned workload, const struct design *, dis_metric *);
bool dis_long_strands(struct book *, unsigned workload); /* of DIS_LONG_STRAND and more */

/* Energy of the registers in per cent of a single level's: the mean; that of dis_best_design. */
double dis_energy(struct book *, const struct design *);
double dis_best_energy(struct book *, const char *more);
/* Per cent by which `after` is less than `before`. */
double dis_less(double before, double after);

/* 1 .. most entries: the one with the largest (smallest) mean. */
typedef struct design dis_sweep(unsigned entries);
double dis_best(struct book *, dis_sweep *, unsigned most, dis_metric *);

/* The columns: all workloads; only those with long strands; with nothing lost where a strand ends
 * or a warp is descheduled; without operands that are addresses; without workloads that a
 * table chose (book_is_fitted). */
enum dis_view { VIEW_ALL, VIEW_STRANDS, VIEW_KEPT, VIEW_DATA, VIEW_NOT_FITTED };
#define DIS_VIEWS (1u << VIEW_STRANDS | 1u << VIEW_KEPT | 1u << VIEW_DATA | 1u << VIEW_NOT_FITTED)
#define DIS_LONG_STRAND 8 /* instructions, on average over a workload's run */

extern const struct paper dis_paper;

/* The programs of table 4.2; papers/dissertation/table42.c. Ends with NULL. */
extern const char *const dis_suite[];

/* papers/dissertation/measure.c: how a design is run without time. */
extern const struct point_way dis_registers;

#endif
