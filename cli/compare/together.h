/* Targets that share a chip: how they slow each other, and share its bandwidth. */
#ifndef CLI_TOGETHER_H
#define CLI_TOGETHER_H

#include "cli/compare/compare.h"

/* The figures of one party of a run. */
struct party_figures {
	double cycles; /* to the end of its last launch */
	double instructions, l2_hit_pct;
	double read_bytes, written_bytes; /* its dirty data may be written after its end */
	double read_bytes_per_ns;         /* over its cycles */
	bool stopped;                     /* by a limit: the figures are NAN */
};

struct together_party {
	struct party party;
	const char *label; /* the target; of several equal ones "needle", "needle 2" */
	const char *sms;   /* as it was given; NULL: all */
	struct party_figures alone, shared;
};

struct together {
	const struct options *o;
	struct together_party *parties;
	unsigned n;
	const json_t *report; /* of the shared run */
};

double together_slowdown(const struct together_party *);

/* Measures of the whole mix. */
struct together_summary {
	double throughput; /* sum of the speeds against running alone; n is perfect */
	double turnaround; /* mean slowdown; 1 is perfect */
	double fairness;   /* the least slowdown by the greatest */
};
struct together_summary together_summary(const struct together *);

void together_text(const struct together *, struct text *);
void together_csv(const struct together *, struct text *);
int together_json(const struct together *, struct text *);

#endif
