/* A comparison with a real GPU: what its files share. */
#ifndef CLI_COMPARE_HARDWARE_H
#define CLI_COMPARE_HARDWARE_H

#include "cli/compare/compare.h"
#include "runs/hardware/curves.h"

/* A target of a file, ours beside the GPU's. */
struct real_row {
	const char *file, *target, *label; /* label: with its settings */
	const json_t *theirs;
	struct string_list set;
	struct run_options options;
	double gross_us, net_us; /* the GPU's: all, and without its launches' own time; NAN: none */
	bool counted;            /* cycles are of the SMs' clocks, else of net_us */
	double gpu_cycles;
	double cycles, us;    /* ours */
	const char *unscored; /* why it is in no score; NULL: it is in all */
};

struct real_pair { /* two runs of one target */
	const struct real_row *a, *b;
	const char *what;    /* b has */
	double ours, theirs; /* speedups, cycles of a over those of b */
};

struct real {
	const struct options *o;
	struct arena *arena;
	const json_t *gpu; /* of the first file */
	const char *date;
	struct real_row *rows;
	struct real_pair *pairs;
	unsigned n, npairs, scored, signs; /* signs: pairs of which both see the same */
	const json_t *curve_rows;          /* of the first file that has some */
	struct curves curves;              /* those, with our values */
	double *gpu_values;                /* of each */
	double geometric;                  /* mean of ratios */
	double error_pct;                  /* mean of |ours / theirs - 1| */
	double geometric_error_pct;        /* 100 * (e^mean of |ln ratio| - 1) */
	double correlation;                /* of the logarithms of cycles (Pearson's) */
	double rank;
};

/* ours / theirs, in cycles; NAN when one is missing. */
double real_ratio(const struct real_row *);

/* Both see the same sign of the speedup. */
bool real_pair_agrees(const struct real_pair *);

/* Measures what the file has curves of on the machine. 0, or -1 and a message. */
int real_curves(struct real *, struct arena *, struct err *);
void real_curves_text(const struct real *, struct text *);
json_t *real_curves_json(const struct real *);

void real_text(const struct real *, struct text *);
void real_csv(const struct real *, struct text *);
void real_scatter(const struct real *, struct text *);
void real_html(const struct real *, struct text *);
const char *real_gpu_name(const struct real *);
int real_json(const struct real *, struct text *);

#endif
