/* A comparison: targets on the chip, on the one-SM shortcut, and on the rungs between them. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "cli/command.h"
#include "runs/figures.h"
#include "runs/trial.h"
#include "runs/variants.h"
#include "runs/work.h"

struct subject;

/* The ladder, lowest rung first: each adds something to the one before, or, beside the ladder, to
 * the chip. One run may be two rungs, by two of its figures. */
struct rung {
	enum variant_id variant;
	enum figure_id cycles;
	const char *name, *text;
	bool beside;
	/* Of a chip whose DRAM has banks, whose last rung they are; text NULL: the same. */
	enum variant_id banked;
	const char *banked_text;
};
extern const struct rung rungs[];
extern const unsigned nrungs;

/* What the rung is on the target's chip. */
enum variant_id rung_variant(const struct subject *, unsigned rung);
const char *rung_text(const struct subject *, unsigned rung);

/* True when the run of the rung was stopped by a limit. */
bool rung_stopped(const struct subject *, unsigned rung);

/* The rung that a target's changes on `rung` are relative to: the chip's, or the previous one that
 * was not left out. -1: there is none. */
int rung_before(const struct subject *, unsigned rung);

/* A target's cycles or bytes on a rung, NAN when it was left out, and their change from the rung
 * before, in per cent: NAN on the first. */
double rung_figure(const struct subject *, unsigned rung, enum figure_id);
double rung_change_pct(const struct subject *, unsigned rung, enum figure_id);

/* ---- a target on one configuration */
struct subject {
	const char *target;
	const char *scenario; /* its file; the second configuration may have another */
	unsigned sms;
	double bytes_per_ns, share_bytes_per_ns;
	const char *network;
	/* Settings, ended by NULL: bandwidth servers instead of banks, and, where an SM has a
	 * slice of its own, the mean distance. */
	const char *servers[6], *middle[6];
	bool banked;     /* its DRAM */
	unsigned tck_ps; /* of banked channels of the chip's bandwidth; 0: the rung is left out */
	unsigned burst_bytes; /* the smallest DRAM transfer; 0: rungs of larger bursts are left out
			       */
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

/* Checks the options and targets completely before anything runs. 0 or -1. */
int compare_plan(struct comparison *, const struct options *, struct session *, struct err *);

/* The settings that make a subject's chip the variant's, "path=value": later ones override. Returns
 * their number, at most COMPARE_SETTINGS; memory is the arena's. */
#define COMPARE_SETTINGS (KNOBS + 12)
unsigned compare_settings(
	const struct subject *, enum variant_id, const char **set, struct arena *);

/* The trial of a subject on a variant; memory is the arena's. */
struct trial compare_trial(
	const struct subject *, enum variant_id, struct arena *, const char *config_name);

/* False: the variant does not exist on the subject's chip. */
bool compare_runs(const struct subject *, enum variant_id);

/* time(base) / time(against) on the variant. */
double compare_speedup(const struct comparison *, unsigned target, enum variant_id);

/* ---- reports */
void compare_text(const struct comparison *, struct text *);
void compare_csv(const struct comparison *, struct text *);
void compare_svg(const struct comparison *, struct text *);
int compare_json(const struct comparison *, struct text *);

/* Schema, program and command: what every comparison's JSON starts with. A new reference. */
json_t *compare_head(const struct options *);

/* A part of a run's report; null without one. A new reference. */
json_t *compare_part(const json_t *report, const char *name);

/* How many targets are of that kind; the chip of all runs: NULL where scenarios have their own. */
unsigned compare_count(const struct options *, enum work_kind);
const char *compare_chip(const struct options *);

/* The head of the text: program, targets, options. */
void compare_title(const struct options *, struct text *);

/* A figure, or "-", right-aligned; an error as "+1.2 %". Into out (at least 32 bytes), which is
 * returned. */
char *compare_number(double, unsigned decimals, char *out);
char *compare_percent(double, char *out);

/* warpbeam compare --together, and --hardware. */
command_fn compare_together, compare_hardware;

#endif
