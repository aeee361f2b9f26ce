/* Papers' tables and figures beside our measurements. A target has rows and curves; the runs that
 * they need are made, each once, and the rows are evaluated again, until no run is missing.
 * `struct book` holds the targets that are measured together. */
#ifndef PAPERS_BOOK_H
#define PAPERS_BOOK_H

#include "runs/output.h"
#include "runs/points.h"

#include <jansson.h>
#include <math.h>

/* What the user asked for. */
struct paper_options {
	struct run_options run;
	struct string_list workloads; /* none: the suite, and what each paper adds */
	const char *target;           /* a target, a paper, "--all" */
	const char *html, *out;       /* files: the page; the file of results; or NULL */
	struct output_files files;    /* the others */
	const struct points_elsewhere *elsewhere; /* of --all: who else runs points; or NULL */
};

/* ---- points: a point is a workload on a design */

/* Settings, separated by spaces, on a preset chip. `way`: how it runs; NULL: with time. */
struct design {
	char set[1024];
	const char *chip;
	const struct point_way *way;
	bool as_it_is;   /* no column changes it */
	bool foreign;    /* with the PTX of --ptx-dir */
	bool wide;       /* with 64-bit addresses */
	unsigned copies; /* of the workload, side by side, one on each SM; 0: one, on any SM */
};
struct design design_of(const char *chip, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

struct book;

/* The report of a point in the present column (runs/points.h: without parts, configuration,
 * inputs); NULL: it was not run yet, and will be, or it does not run. */
const json_t *book_report(struct book *, unsigned workload, const struct design *);

/* The same for a point that may fail: that a CTA does not fit is a result. */
const json_t *book_try(struct book *, unsigned workload, const struct design *);

/* Whether such a point failed. */
bool book_fails(struct book *, unsigned workload, const struct design *);

unsigned book_workloads(const struct book *);
const char *book_workload(const struct book *, unsigned);
int book_find(const struct book *, const char *workload); /* -1: it is not measured */
/* Whether a table chose the workload's input or layout (workloads/workload.h). */
bool book_is_fitted(const struct book *, unsigned workload);
unsigned book_column(const struct book *); /* the present one */
int book_view(const struct book *);        /* its name */
const struct paper *book_paper(const struct book *);
const struct paper_options *book_options(const struct book *);

/* ---- rows */
enum book_judge {
	BOOK_BAND,       /* within low .. high, near, or missed */
	BOOK_TOLD,       /* the paper gives no number, or none that a band can be put around */
	BOOK_PRIVATE,    /* the paper measured private traces: not comparable */
	BOOK_CALIBRATION /* the number sets a parameter of the machine: its band judges nothing */
};

/* One row. `claim` may be "". NAN: there is no such number. */
struct book_row {
	const char *claim, *unit;
	char text[112];
	double paper, low, high, ours;
	enum book_judge judge;
	const char *note; /* what the row's runs measured besides, in words; or NULL */
};
/* Adds a row. Rows are the same, in the same order, in all columns and before and after runs. */
void book_say(struct book *, const struct book_row *);
/* The same with a formatted text. */
void book_sayf(struct book *, const struct book_row *, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The paper's number and the bounds within which ours agrees with it, computed from that number by
 * one of the rules below. NAN: the paper gives no number. */
struct band {
	double paper, low, high;
};

/* Bounds are decimals: without the error of binary arithmetic. */
static inline struct band band_of(double paper, double low, double high)
{
	const double digits = 1e9;

	return (struct band){paper, round(low * digits) / digits, round(high * digits) / digits};
}

/* Only the paper's number. */
static inline struct band band_exact(double paper)
{
	return band_of(paper, paper, paper);
}

/* Within a percentage of it. */
static inline struct band band_percent(double paper, double percent)
{
	return band_of(paper, paper * (100 - percent) / 100, paper * (100 + percent) / 100);
}

/* Within a distance from it, in its own unit. */
static inline struct band band_points(double paper, double points)
{
	return band_of(paper, paper - points, paper + points);
}

/* Within a percentage of it, or a distance from it: the wider. */
static inline struct band band_percent_or_points(double paper, double percent, double points)
{
	return band_points(paper, fmax(points, percent / 100 * fabs(paper)));
}

/* A ratio whose effect is its distance from 1: within a percentage of the effect, or a distance
 * from the ratio: the wider. */
static inline struct band band_change(double ratio, double percent, double points)
{
	return band_points(ratio, fmax(points, percent / 100 * fabs(ratio - 1)));
}

/* From a fraction of it to a multiple: the order of magnitude. */
static inline struct band band_factor(double paper, double factor)
{
	return band_of(paper, paper / factor, paper * factor);
}

/* "At most": from 0 to it. */
static inline struct band band_at_most(double paper)
{
	return band_of(paper, 0, paper);
}

/* "At least": from it to twice it. */
static inline struct band band_at_least(double paper)
{
	return band_of(paper, paper, 2 * paper);
}

/* A direction without a number: from 0 to below a bound; a ratio above 1, up to twice; a ratio
 * below 1, down to half. */
static inline struct band band_below(double bound)
{
	return band_of(NAN, 0, bound);
}

static inline struct band band_above_one(void)
{
	return band_of(NAN, 1, 2);
}

static inline struct band band_below_one(void)
{
	return band_of(NAN, 0.5, 1);
}

/* Bounds that the paper gives in numbers or in words, where it says no more than a range, a
 * direction or a word ("equal", "slightly"): what the words are taken as is in doc/reproduce.md or
 * beside the row. */
static inline struct band band_between(double paper, double low, double high)
{
	return band_of(paper, low, high);
}

/* A row that a band judges, and one that nothing judges, with the paper's number or NAN. Texts are
 * empty. */
struct book_row book_band(
	const char *claim, const char *unit, struct band, double ours, const char *note);
struct book_row book_told(
	const char *claim, const char *unit, double paper, double ours, const char *note);

/* A row whose band is shown and judges nothing. */
struct book_row book_unjudged(struct book_row);

/* A row with a text. */
void book_say_text(struct book *, const char *text, struct book_row);

/* Adds a row that is equal in all columns: only the first one has it. */
void book_say_once(struct book *, const struct book_row *);

/* A formatted note, which lives as long as the rows. NULL while runs are missing. */
const char *book_words(struct book *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The workloads that dominate a mean, in words: those with the largest figures (or the least), at
 * most `most`, until the mean of the others is below `flat`; then the number of the others and
 * their mean. Sorts the list, and drops figures that are NAN. */
struct book_ranked {
	unsigned workload;
	double figure;
};
struct book_ranking {
	unsigned most;
	double flat; /* -INFINITY: no such limit */
	bool least_first;
	int decimals;
};
const char *book_rank(struct book *, struct book_ranked *, unsigned n, const struct book_ranking *);

/* A row without a number of the paper. */
void book_tell(struct book *, const char *unit, double ours, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A point of a curve. A target's points with the same title are one picture for each column, with
 * the same series one curve; the axes' words are those of the picture's first point. Points with
 * NAN are left out. A series whose name begins with BOOK_PAPER is the paper's and dashed. */
#define BOOK_PAPER "paper"
struct book_dot {
	const char *title, *series, *x_axis, *y_axis;
	double x, y;
};
void book_plot(struct book *, const struct book_dot *);

/* ---- columns, papers, targets */
#define BOOK_COLUMNS 5

/* A condition under which all rows of a paper are measured. */
struct book_column {
	const char *name, *key; /* for people; in CSV and JSON */
	bool judged; /* has verdicts and notes; else its figures are printed below misses */
	int view;    /* the paper's own name for it */
};

struct target;
/* Targets of a paper are measured in the same columns. */
struct paper {
	const char *name, *text;  /* asks for all its targets: "dis" */
	const char *title;        /* "Gebhart et al., MICRO 2012" */
	const char *const *suite; /* the workloads unless some are named; ends with NULL */
	/* The suite is no workload but kernels of a way of its own: none can be named, and all
	 * tables together have it, whatever is named. */
	bool own_kernels;
	unsigned ncolumns;
	struct book_column columns[BOOK_COLUMNS]; /* the first one is always judged */
	/* The design that a column runs instead; NULL: the same. */
	struct design (*seen)(const struct design *, unsigned column);
	unsigned order; /* among papers, ascending */
	/* The same with other columns, all of them for all targets, for --ptx-dir; NULL: it has
	 * none. */
	const struct paper *foreign;
};

struct target {
	const char *name, *text;
	const struct paper *paper;
	void (*rows)(struct book *);
	unsigned columns; /* bits: where it is measured besides the first */
	bool plots;       /* has curves */
	unsigned order;   /* among those of its paper, ascending */
	/* Whether the target has rows of a workload; NULL: of any. */
	bool (*takes)(const char *workload);
	const char *first; /* the first column's name, where it is not the paper's; or NULL */
};

/* For people: what the target's figures of the column are of. */
static inline const char *target_column(const struct target *t, unsigned column)
{
	return !column && t->first ? t->first : t->paper->columns[column].name;
}

/* ---- the reader's side */
struct book_said {
	const struct target *target;
	const struct paper *paper;
	unsigned columns;     /* bits: measured in these besides the first */
	unsigned used, nused; /* the points that the first column's figure comes from: book_point */
	struct book_row row;
	bool once;
	bool fitted; /* all its points are of workloads that a table chose: it is in no score */
	/* By column; NAN: not measured in it. */
	double ours[BOOK_COLUMNS];
	const char *note[BOOK_COLUMNS];
};

struct book_curve_dot {
	const struct target *target;
	const struct paper *paper;
	unsigned column;
	struct book_dot dot;
};

/* The targets (the array stays the caller's), without measurements yet. NULL and messages. Memory
 * is the arena's. */
struct book *book_new(const struct target *const *, unsigned n, const struct paper_options *,
	struct points *, struct arena *, struct err *);

/* Evaluates all rows from the points that were run. True: none is missing, the rows are complete.
 */
bool book_ask(struct book *);

/* Evaluates the tables and runs the missing points, until none is missing. 0; or -1: something
 * could not be run, or a point that may not fail did. */
int book_fill(struct book *const *, unsigned n, struct points *, struct err *);

const struct book_said *book_rows(const struct book *, unsigned *n);
const struct book_curve_dot *book_dots(const struct book *, unsigned *n);
unsigned book_runs(const struct book *); /* points that rows need */

/* Point i of a row's nused. Rows that are computed together share their points. */
const struct point *book_point(const struct book *, const struct book_said *, unsigned i);

/* Whether a row was measured in a column. */
bool book_measures(const struct book_said *, unsigned column);

/* The verdict on a row with this number of ours. */
const char *book_verdict(const struct book_row *, double ours);

/* The number of rows judged in a column, without fitted ones, and of those within their bands;
 * `target` NULL: of all. */
struct book_score {
	unsigned judged, within;
};
struct book_score book_score(const struct book *, const struct target *, unsigned column);

/* A line that names the workloads that are fitted; nothing where none is. */
void book_fitted_line(const struct book *, struct text *);

/* The machines of the rows' runs, each once: its title, and what it was validated against. The
 * caller owns the list of {"title", "validated"}. */
json_t *book_machines(const struct book *);
void book_machine_lines(const struct book *, struct text *);

/* All rows (target NULL), or a target's. */
void book_text(const struct book *, struct text *);
void book_csv(const struct book *, struct text *);
int book_json(const struct book *, struct text *);
void book_svg(const struct book *, struct text *);
/* A target's pictures alone, one <svg> each; nothing when it has none. */
void book_pictures(const struct book *, const struct target *, struct text *);

#endif
