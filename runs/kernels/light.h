/* Speed of Light: of each unit of the chip what a part of a run achieved, against its peak. */
#ifndef RUNS_KERNELS_LIGHT_H
#define RUNS_KERNELS_LIGHT_H

#include "core/text.h"
#include "runs/kernels/part.h"

/* Achieved and peak in `unit`, over the cycles in which the part's launches ran. */
struct light {
	const char *name, *label, *unit;
	double achieved, peak;
};
#define LIGHTS 14

/* From the part's metrics and the chip's data sheet: the number of rows. */
struct sheet;
unsigned light_of(const struct metric_set *, const struct sheet *, struct light out[LIGHTS]);
/* Per cent of the peak. */
double light_pct(const struct light *);

/* A line for each unit that was used, and a sentence that names the two that bind. */
void light_text(const struct light *, unsigned n, struct text *);

/* The sentence alone; false: fewer than two units were used. */
bool light_binds(const struct light *, unsigned n, struct text *out);

/* Warp instructions of a pipe, and per cent of all; pipes that had none are left out. */
struct light_share {
	const char *label;
	double instructions, pct;
};
#define LIGHT_SHARES 9
unsigned light_mix_of(const struct metric_set *, struct light_share out[LIGHT_SHARES]);
/* The same as lines. */
void light_mix_text(const struct metric_set *, struct text *);

struct json_t;
/* A list of objects: unit, label, achieved, peak, measure, pct. */
struct json_t *light_json(const struct light *, unsigned n);

#endif
