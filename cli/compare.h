/* A comparison: targets on the chip, on the one-SM shortcut, and on the rungs between them. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "cli/trial.h"

/* ---- the machines that are compared: compare_plan.c */
enum variant_id {
	VARIANT_CHIP,
	VARIANT_WHOLE,
	VARIANT_SHARE,
	VARIANT_FIXED,
	VARIANT_EVEN,
	VARIANT_SHARED,
	VARIANT_NETWORK,
	VARIANT_BURSTS_32,
	VARIANT_BURSTS_64,
	VARIANT_BANKS,
	VARIANT_KEPT,
	VARIANTS
};

/* How the chip's configuration becomes the variant's. */
enum knob_kind {
	KNOB_END,
	KNOB_VALUE,
	KNOB_SHARE_BYTES, /* the shortcut's bandwidth */
	KNOB_SMS,         /* the chip's number of SMs */
	KNOB_TCK          /* the command clock that gives the chip's bandwidth */
};

struct knob {
	const char *path;
	enum knob_kind kind;
	const char *value;
};

#define KNOBS 8
struct variant {
	const char *name, *text;
	bool shortcut; /* stands beside the chip */
	struct knob knobs[KNOBS];
};
extern const struct variant variants[VARIANTS];

/* ---- what a run measured: compare_figures.c */
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
	bool judged; /* the shortcut's error in it is told */
};
extern const struct figure_def figure_defs[FIGURES];

/* What the cycles of schedulers went to. */
struct stall_def {
	const char *name, *metric;
};
#define STALLS 13
extern const struct stall_def stall_defs[STALLS];

/* NAN: there is no such thing on that machine. */
struct outcome {
	const json_t *report; /* NULL: it was not run, or a limit stopped it: */
	bool stopped;
	double figure[FIGURES]; /* in the unit of the definition */
	double stall[STALLS];   /* per cent of the schedulers' cycles */
};

/* `divisor` is what a run's cycles count by: 1, or the chip's SMs for the whole grid on one. */
void outcome_read(struct outcome *, const json_t *report, double divisor);

/* Of a run that a limit stopped: it has no figures. */
void outcome_stop(struct outcome *);

/* True when the run of the rung was stopped by a limit. */
struct subject;
bool rung_stopped(const struct subject *, unsigned rung);

/* ours / theirs - 1, in per cent; NAN when theirs is none or 0. */
double error_pct(double ours, double theirs);

/* The ladder, lowest rung first: each adds something to the one before, or, beside the ladder, to
 * the chip. One run may be two rungs, by two of its figures. */
struct rung {
	enum variant_id variant;
	enum figure_id cycles;
	const char *name, *text;
	bool beside;
};
extern const struct rung rungs[];
extern const unsigned nrungs;

/* The rung that a target's changes on `rung` are told from: the chip's, or the one before that was
 * not left out. -1: there is none. */
int rung_before(const struct subject *, unsigned rung);

/* A target's cycles or bytes on a rung, NAN when it was left out, and their change from the rung
 * before, in per cent: NAN on the first. */
double rung_figure(const struct subject *, unsigned rung, enum figure_id);
double rung_change_pct(const struct subject *, unsigned rung, enum figure_id);

/* Means over n values without the NANs; NAN when none is left. Geometric and harmonic: of positive
 * values, NAN when one is not. */
struct means {
	double arithmetic, geometric, harmonic;
	unsigned n;
};
struct means means_of(const double *, unsigned n);

/* ---- a target on one configuration */
struct subject {
	const char *target;
	const char *scenario; /* its file; of the second configuration perhaps another */
	unsigned sms;
	double bytes_per_ns, share_bytes_per_ns;
	const char *network;
	unsigned tck_ps; /* of banked channels of the chip's bandwidth; 0: the rung is left out */
	unsigned burst_bytes; /* the least that moves to or from DRAM; 0: rungs of larger bursts are
			       * left out */
	const struct layer *layers; /* of the second configuration */
	unsigned nlayers;
	struct outcome outcome[VARIANTS];
};

struct comparison {
	const struct options *o;
	struct subject *base, *against; /* n each; against NULL: there is one configuration */
	unsigned n;
	const char *against_name; /* as it was given */
};

/* The same for options and names alone, for every kind of comparison. */
int compare_admit(const struct options *, struct err *);

/* Finds everything that is wrong with the options and targets before anything runs. 0 or -1. */
int compare_plan(struct comparison *, const struct options *, struct session *, struct err *);

/* The trial of a subject on a variant; memory is the arena's. */
struct trial compare_trial(
	const struct subject *, enum variant_id, struct arena *, const char *config_name);

/* False: the variant means nothing on the subject's chip. */
bool compare_runs(const struct subject *, enum variant_id);

/* cycles(base) / cycles(against), as the variant tells it. */
double compare_speedup(const struct comparison *, unsigned target, enum variant_id);

/* ---- telling it */
void compare_text(const struct comparison *, struct text *);
void compare_csv(const struct comparison *, struct text *);
void compare_svg(const struct comparison *, struct text *);
int compare_json(const struct comparison *, struct text *);

/* Schema, program and command: what every comparison's JSON starts with. A new reference. */
json_t *compare_head(const struct options *);

/* A part of a run's report; null without one. A new reference. */
json_t *compare_part(const json_t *report, const char *name);

/* How many targets are scenarios, and the chip of all runs: NULL where scenarios bring theirs. */
unsigned compare_scenarios(const struct options *);
const char *compare_chip(const struct options *);

/* The head of the text: program, targets, options. */
void compare_title(const struct options *, struct text *);

/* A figure, or "-", right-aligned; an error as "+1.2 %". Into out (at least 32 bytes), which is
 * returned. */
char *compare_number(double, unsigned decimals, char *out);
char *compare_percent(double, char *out);

/* Writes what the options ask for; texts are made by the callers' functions. */
struct compare_output {
	void *ctx;
	int (*json)(void *ctx, struct text *);
	void (*csv)(void *ctx, struct text *), (*svg)(void *ctx, struct text *);
	void (*text)(void *ctx, struct text *);
};
int compare_write(
	const struct options *, const struct compare_output *, struct text *, struct err *);

/* warpbeam compare --together. */
command_fn compare_together;

#endif
