/* What a run measured: figures out of its report, scaled, judged, averaged. */
#ifndef RUNS_FIGURES_H
#define RUNS_FIGURES_H

#include <jansson.h>
#include <stdbool.h>

enum figure_id {
	FIGURE_CYCLES,
	FIGURE_CHIP_CYCLES,
	FIGURE_OWN_CYCLES,
	FIGURE_INSTRUCTIONS,
	FIGURE_IPC,
	FIGURE_READ,
	FIGURE_WRITTEN,
	FIGURE_BYTES,
	FIGURE_L1_HITS,
	FIGURE_L2_HITS,
	FIGURE_RATE,
	FIGURE_USED,
	FIGURES
};

struct figure_def {
	const char *name, *label, *unit;
	unsigned decimals;
	bool judged; /* the shortcut's error in it is reported */
};
extern const struct figure_def figure_defs[FIGURES];

/* The schedulers' cycles by reason. */
struct stall_def {
	const char *name, *metric;
};
#define STALLS 13
extern const struct stall_def stall_defs[STALLS];

/* NAN: that machine has no such figure. */
struct outcome {
	const json_t *report; /* NULL: it was not run, or a limit stopped it: */
	bool stopped;
	double figure[FIGURES]; /* in the unit of the definition */
	double stall[STALLS];   /* per cent of the schedulers' cycles */
	double cycle_ns;        /* of the machine's SMs */
};

/* Nanoseconds of a cycle of a report's SMs; NAN when it does not say. */
double report_cycle_ns(const json_t *report);

/* `divisor` divides a run's cycles: 1, or the chip's SMs for the whole grid on one. */
void outcome_read(struct outcome *, const json_t *report, double divisor);

/* Of a run that a limit stopped: it has no figures. */
void outcome_stop(struct outcome *);

/* ours / theirs - 1, in per cent; NAN when theirs is none or 0. */
double error_pct(double ours, double theirs);

/* Means over n values without the NANs; NAN when none is left. Geometric and harmonic: of positive
 * values, NAN when one is not. */
struct means {
	double arithmetic, geometric, harmonic;
	unsigned n;
};
struct means means_of(const double *, unsigned n);

#endif
