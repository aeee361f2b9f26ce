/* What was found out of a machine, as text, JSON and pictures. */
#ifndef CLI_PROBE_PROBE_H
#define CLI_PROBE_PROBE_H

#include "chip/chip.h"
#include "core/config.h"
#include "core/text.h"
#include "runs/live.h"
#include "runs/probe/probe.h"

#include <jansson.h>

/* What the configuration says beside it (--compare): by finding, "" where it says nothing. */
struct probe_told {
	const char *path; /* the parameters */
	double number;
	bool same;
};

struct probing {
	const struct probe_report *report;
	const struct probe_told *told; /* NULL: not compared */
	const char *machine;           /* its name, or the recording's */
	bool partial;
};

/* The same verbs of a chip, with lines on stderr as they take time. */
struct verbs probing_told(const struct verbs *, const struct gpu *, struct live *, struct arena *);

void probing_text(void *probing, struct text *);
int probing_json(void *probing, struct text *);
void probing_svg(void *probing, struct text *);
void probing_html(const struct probing *, struct text *);

/* Compares numbers with those of the configuration; the arena's. */
const struct probe_told *probing_compare(
	const struct probe_report *, struct config *, struct arena *);

#endif
