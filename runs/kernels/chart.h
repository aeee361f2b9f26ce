/* The memory chart of a part of a run: what passes between its kernels and the levels of memory. */
#ifndef RUNS_KERNELS_CHART_H
#define RUNS_KERNELS_CHART_H

#include "core/text.h"
#include "runs/kernels/part.h"

/* What goes from one level to another. */
struct chart_edge {
	const char *from, *to;
	const char *unit;       /* of the requests */
	double requests, bytes; /* bytes NAN: they are not counted */
	double hit_pct;         /* of lookups in `to`; NAN: none are made */
};
#define CHART_EDGES 13

/* From the part's metrics: the number of edges, all of them; 0: it has no metrics. */
unsigned chart_of(const struct metric_set *, struct chart_edge out[CHART_EDGES]);

/* A line for each edge that was used. */
void chart_text(const struct chart_edge *, unsigned n, struct text *);

struct json_t;
/* A list of objects: from, to, requests, unit, bytes, hit_pct; null: NAN. */
struct json_t *chart_json(const struct chart_edge *, unsigned n);

#endif
