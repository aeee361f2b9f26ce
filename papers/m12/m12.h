/* Figures and tables of Gebhart et al., MICRO 2012, each a target (papers/book.h): as the
 * paper measured them, on one SM, and on the chip. Methods and bands: doc/reproduce.md. */
#ifndef PAPERS_M12_M12_H
#define PAPERS_M12_M12_H

#include "papers/store.h"

/* ---- the paper's workloads and what it says of them */
#define M12_CAPACITIES 3
#define M12_LARGEST_KB 384
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

/* Measured workloads, by index in m12_gains; -1: it is not measured. */
int m12_at(const struct book *, unsigned gain);

/* Measured workloads of Table 1 that do not gain; the paper has 18. */
#define M12_OTHERS 18
unsigned m12_others(const struct book *, unsigned list[]);

/* Those of a list that no table chose (book_is_fitted); returns their number. */
unsigned m12_not_fitted(const struct book *, const unsigned list[], unsigned n, unsigned out[]);

/* ---- rows */
/* A row of a ratio: its band is a fifth of the paper's distance from 1, or 3 points. */
void m12_ratio(struct book *, const struct book_row *);
/* The mean speed of the eight that gain: the text has 16.2 %, Table 6 1.16; within 2 points of the
 * table's. */
struct band m12_mean_speed(void);
/* A row of `n` workloads together, where the paper's is of `all`: fewer are not judged. */
void m12_say_all(struct book *, const struct book_row *, unsigned n, unsigned all);
void m12_say_text(struct book *, const char *text, struct book_row, unsigned n, unsigned all);

extern const struct paper m12_paper;

#endif
