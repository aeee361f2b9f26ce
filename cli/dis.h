/* Figures and tables of Gebhart's dissertation (University of Texas at Austin, 2012), measured on
 * our workloads. A table is a file: it says its rows, and what they are computed from is run. */
#ifndef CLI_DIS_H
#define CLI_DIS_H

#include "cli/dis_causes.h"
#include "cli/reproduce.h"
#include "cli/trial.h"

#include "energy/registers.h"

#include <jansson.h>
#include <math.h>

/* A configuration that workloads run on: settings, separated by spaces. `timed`: on one SM in time,
 * else by the executor alone. */
struct dis_design {
	char set[400];
	bool timed;
};

/* Of chapters 2 and 6; `entries` of ORF or RFC, `more` settings or "". */
struct dis_design dis_single(void);
struct dis_design dis_soft(unsigned entries, unsigned lrf, const char *more);
struct dis_design dis_hard(unsigned entries, unsigned lrf, const char *more);
struct dis_design dis_active(unsigned warps, const char *more);

struct dis;

/* What one run measured: a figure of its report. */
typedef double dis_metric(const json_t *report);
dis_metric dis_saved;        /* energy against a single level, % */
dis_metric dis_mrf_reads;    /* by instruction */
dis_metric dis_mrf_writes;   /* by instruction */
dis_metric dis_all_reads;    /* of all levels, by operand that is read */
dis_metric dis_all_writes;   /* likewise written */
dis_metric dis_upper_writes; /* of ORF or RFC and LRF, by operand that is written */
dis_metric dis_lrf_reads;    /* of all operands that are read, % */
dis_metric dis_strand;       /* instructions of a strand that warps run */
dis_metric dis_ipc;

/* Count "group.key" by "group.key", of a report of the executor; NAN when there is none. */
double dis_ratio(const json_t *report, const char *count, const char *by);

/* The same without the operands that are addresses of memory; NAN of hardware-managed levels. */
dis_metric *dis_data_metric(dis_metric *);
const char *dis_data_count(const char *);

/* Means over all workloads, arithmetic; and one workload's. NAN while the runs are being planned:
 * asking is what plans them. */
double dis_mean(struct dis *, const struct dis_design *, dis_metric *);
double dis_mean_ratio(struct dis *, const struct dis_design *, const char *count, const char *by);
double dis_of(struct dis *, unsigned workload, const struct dis_design *, dis_metric *);
bool dis_long_strands(struct dis *, unsigned workload); /* of DIS_LONG_STRAND and more */
unsigned dis_workloads(const struct dis *);
const char *dis_workload(const struct dis *, unsigned);

/* 1 .. most entries: the one with the largest (smallest) mean. */
typedef struct dis_design dis_sweep(unsigned entries);
double dis_best(struct dis *, dis_sweep *, unsigned most, dis_metric *);

enum dis_judge {
	DIS_BAND,   /* within low .. high, or missed */
	DIS_TOLD,   /* the paper gives no number, or none that a band can be put around */
	DIS_PRIVATE /* the paper measured private traces: not comparable */
};

/* One row. `claim` may be "". NAN: there is no such number. */
struct dis_row {
	const char *claim, *unit;
	char text[112];
	double paper, low, high, ours;
	enum dis_judge judge;
	const char *cause; /* why ours lies outside, or what stands behind the row; or NULL */
};
void dis_say(struct dis *, const struct dis_row *);

/* Words for a cause, with what was measured in them; they live as long as the rows. */
const char *dis_words(struct dis *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Shorthands: a row without a number of the paper, and one with a band. */
void dis_tell(struct dis *, const char *unit, double ours, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* How rows are looked at: as they are; over the workloads with long strands alone; with nothing
 * lost where a strand ends or a warp steps aside; and without operands that are addresses. */
enum dis_view { VIEW_ALL, VIEW_STRANDS, VIEW_KEPT, VIEW_DATA, VIEWS };
#define DIS_VIEWS (1u << VIEW_STRANDS | 1u << VIEW_KEPT | 1u << VIEW_DATA)
#define DIS_LONG_STRAND 8 /* instructions, on average over a workload's run */

struct dis_table {
	const char *name, *text;
	void (*rows)(struct dis *);
	unsigned views; /* more than VIEW_ALL: bits of DIS_VIEWS */
};
extern const struct dis_table dis_fig27, dis_table45, dis_table46, dis_fig61, dis_fig610,
	dis_fig611, dis_fig612, dis_fig613, dis_fig614, dis_fig615, dis_fig616, dis_fig618,
	dis_table61, dis_fig619, dis_limits, dis_chapter5;

/* ---- the report's side */
struct dis_said {
	const struct dis_table *table;
	struct dis_row row;
	double ours[VIEWS]; /* NAN: the table is not looked at so */
};

const struct dis_said *dis_all_said(const struct dis *, unsigned *n);
const struct options *dis_options(const struct dis *);
const char *dis_verdict(const struct dis_row *);
void dis_text(const struct dis *, struct text *);
void dis_csv(const struct dis *, struct text *);
int dis_json(const struct dis *, struct text *);

/* cli/dis_measure.c: what the child of an untimed design does; settings of a design. */
int dis_act(const struct trial *, const struct options *, struct session *, struct err *);

#endif
