/* A run as a page: parts of a run with all their sections, launches over time. What `run` and
 * `profile` show. */
#ifndef CLI_HTML_HTML_H
#define CLI_HTML_HTML_H

#include "runs/kernels/kernels.h"
#include "runs/report.h"
#include "runs/sheet/sheet.h"

/* A part that a page shows: the run, a kernel, or a launch. Strings are the arena's. */
struct page_part {
	struct run_part part;
	const char *name; /* "kernel transpose" */
	unsigned launch;  /* whose occupancy it has; PAGE_NO_LAUNCH: none */
};
#define PAGE_NO_LAUNCH UINT32_MAX

struct page_run {
	const struct report *report;
	struct arena *arena;
	struct kernels kernels;
	struct sheet sheet;
	struct page_part *part; /* the run first, then kernels, then launches */
	unsigned parts, left;   /* left: launches that are not shown, the shorter ones */
	unsigned longest;       /* the number of launches that are shown, at most */
};

/* Looks at a closed run; memory is the arena's. */
void page_run_look(struct page_run *, const struct report *, struct arena *);

/* What ran, on what, how it ended: the lines below the heading. */
void page_run_head(const struct page_run *, struct text *);
/* Launches over time, by kernel and by SM. */
void page_run_times(const struct page_run *, struct text *);
/* Power over time up to that cycle, where it was counted; below them. */
void page_run_power(const struct page_run *, uint64_t cycles, struct text *);
/* A table of kernels, one of launches, and the sections of every part. */
void page_run_parts(const struct page_run *, struct text *);

/* Roofline: a picture for each precision that was used, and a table of all kernels. With a
 * function, what it counted of a part is shown, not the part's metrics. */
struct roofline;
typedef void page_counted_fn(void *ctx, const struct page_part *, struct roofline *);
void page_roofline(const struct page_run *, page_counted_fn *, void *ctx, struct text *);

/* ---- the sections of a part, each from its metrics */
void page_light(const struct page_run *, const struct metric_set *, struct text *);
void page_memory(const struct metric_set *, struct text *); /* the memory chart */
void page_occupancy(const struct page_run *, const struct page_part *, struct text *);
void page_figures(const struct page_run *, const struct metric_set *, struct text *);
void page_stalls(const struct metric_set *, struct text *);

/* ---- plots over time, which zoom together: open; shapes between 0 and 1000 in x, 0 and `high` in
 * y; close, with an axis in cycles */
struct page_plot {
	const char *name; /* for readers of screens */
	int high;
	uint64_t cycles; /* at the right end */
};
#define PAGE_PLOT_LEFT 130
#define PAGE_PLOT_WIDE 740
#define PAGE_PLOT_ALL 960
void page_plot_open(const struct page_plot *, struct text *);
void page_plot_label(double y, const char *words, struct text *); /* before page_plot_shapes */
void page_plot_shapes(const struct page_plot *, struct text *);
void page_plot_close(const struct page_plot *, struct text *);
void page_plot_buttons(struct text *); /* above the plots, once */

/* The whole page of `run`. */
void page_run(const struct report *, struct arena *, struct text *);

#endif
