/* The report on registers after an untimed run: values, strands, operands, levels, energy. */
#ifndef RUNS_USAGE_REPORT_H
#define RUNS_USAGE_REPORT_H

#include "core/text.h"
#include "energy/registers.h"
#include "runs/usage.h"

#include <jansson.h>

struct usage_report {
	const struct usage *usage;
	/* of all levels, by entries of the ORF or RFC as they are priced; `priced`: all are */
	struct register_accesses accesses[LEVELS_MAX_ORF + 1];
	bool priced, cache; /* cache: the upper level is hardware's */
	const struct register_energy *energy;
};

/* One figure. `of`: the total of which it is a share; 0: none. */
struct usage_row {
	const char *group, *key, *label, *unit, *of_what;
	uint64_t count, of;
};
#define USAGE_ROWS 64

/* Gathers what an untimed run counted, of programs compiled with these options. */
void usage_describe(struct usage_report *, const struct usage *, const struct register_energy *,
	const struct levels_options *, const struct untimed_counts *);

/* All figures; returns their number. Groups without data are left out. */
unsigned usage_rows(const struct usage_report *, struct usage_row out[USAGE_ROWS]);

void usage_text(const struct usage_report *, struct text *);
void usage_csv(const struct usage_report *, struct text *); /* part,metric,value,unit */
json_t *usage_json(const struct usage_report *);

#endif
