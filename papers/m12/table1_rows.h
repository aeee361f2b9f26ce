/* Table 1 of Gebhart et al., MICRO 2012: what its workloads need of an SM's storage. The paper's
 * figures, the bands around them, and the rule for the category: doc/reproduce.md. */
#ifndef PAPERS_M12_TABLE1_ROWS_H
#define PAPERS_M12_TABLE1_ROWS_H

#include "papers/book.h"

enum table1_figure {
	TABLE1_REGISTERS,
	TABLE1_REGISTER_FILE,
	TABLE1_SHARED,
	TABLE1_DRAM_0,
	TABLE1_DRAM_64,
	TABLE1_DRAM_256,
	TABLE1_SPILLED_18,
	TABLE1_SPILLED_24,
	TABLE1_SPILLED_32,
	TABLE1_SPILLED_40,
	TABLE1_FIGURES
};

struct table1_figure_def {
	const char *name, *label, *unit, *claim;
	unsigned decimals;
	double band;   /* in both directions; 0: not judged */
	bool absolute; /* the band; else relative */
};

/* Registers per thread for which instructions are counted; figures for all but the last. */
#define TABLE1_REGS 5
extern const unsigned table1_regs[TABLE1_REGS];

extern const struct table1_figure_def table1_figures[TABLE1_FIGURES];

enum table1_category {
	TABLE1_SHARED_LIMITED,
	TABLE1_CACHE_LIMITED,
	TABLE1_REGISTER_LIMITED,
	TABLE1_BALANCED,
	TABLE1_CATEGORIES
};
extern const char *const table1_categories[TABLE1_CATEGORIES];

struct table1_row {
	const char *workload, *name; /* ours, the paper's */
	enum table1_category category;
	double figure[TABLE1_FIGURES];
};
#define TABLE1_ROWS 26
extern const struct table1_row table1_rows[TABLE1_ROWS];

/* Threads that fill an SM. */
#define TABLE1_THREADS 1024

/* The category of figures, the paper's or ours. */
enum table1_category table1_categorise(const double figure[TABLE1_FIGURES]);

/* Registers, register file and shared memory of a run, from its report: the largest of
 * the kernels launched, of each with its largest CTA. */
void table1_read(const json_t *report, double ours[TABLE1_FIGURES]);

/* By how many registers ours differs from the paper's row; 0: within the band. The paper's curve of
 * instructions begins where its registers run out: ours is measured at the same distance from where
 * ours do. */
int table1_shift(const struct table1_row *, double registers);

/* The band around one of the paper's figures. */
struct band table1_band(const struct table1_row *, enum table1_figure);
bool table1_within(const struct table1_row *, enum table1_figure, double ours);

#endif
