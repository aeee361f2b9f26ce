/* Reports of a run: text for people, JSON and CSV for programs. */
#ifndef RUNS_REPORT_H
#define RUNS_REPORT_H

#include "chip/chip.h"
#include "runs/description.h"
#include "runs/kernels/part.h"
#include "runs/sample/sample.h"

enum verdict { VERDICT_NOT_REACHED, VERDICT_NONE, VERDICT_PASSED, VERDICT_FAILED };
const char *verdict_name(enum verdict);

/* The host's side of a run. */
struct host_report {
	double wall_s;
	uint64_t warp_instructions;
	unsigned threads;
	uint64_t peak_rss_bytes;
};

/* Everything that a report contains. */
struct report {
	const struct gpu *gpu;
	const struct config *config;
	const char *target;         /* the workload's name, or the scenario's path */
	const char *const *program; /* the words of a program's command line, then NULL; or NULL */
	bool is_workload;
	const char *size; /* of a workload */
	uint64_t seed;
	unsigned address_bits;
	const char *altered; /* a workload's PTX file that was changed by hand, or NULL */
	const char *chip;
	const struct description *machine; /* NULL: none, as in untimed runs */
	const char
		*data_dir; /* workloads' files are reported relative to it; NULL: there is none */
	const struct source *sources[2];
	enum verdict verdict;
	bool complete;
	enum err_code code; /* ERR_NONE: no error */
	const char *message;
	const struct host_report *host; /* NULL: not requested */
	bool power;                     /* reports power over time, where it was counted */
	const struct sampling *sample;  /* that chose what ran in time; NULL: none */
	struct arena *arena;  /* for metrics of kernels and launches in JSON and CSV; NULL: none */
	struct run_part part; /* whose sections the text shows before the sum; PART_RUN: the
				 slowest kernel's, if there are several */
};

/* A line of the text report: a metric, and for shares the parameter of the total. */
struct report_line {
	const char *group, *label, *metric, *of;
};
extern const struct report_line report_lines[];
extern const unsigned nreport_lines;

void report_text(const struct report *, struct arena *, struct text *);
void report_csv(const struct report *, struct text *);
/* 0, or -1 when there is no memory. */
int report_json(const struct report *, struct text *);

/* Parts of all reports: what ran, what the host did; as JSON: schema, program, command, verdict,
 * error, inputs. */
void report_header(const struct report *, struct text *);
/* "check: passed", and a line's end. */
void report_check(const struct report *, struct text *);
void report_host(const struct host_report *, struct text *);
struct json_t *report_json_head(const struct report *);
struct json_t *report_json_host(const struct host_report *);
/* Adds a metric, value and unit, to the object `ctx`: a metric_fn. */
metric_fn report_json_metric;

/* True when another parameter gave the value that has this origin (config_setting): that
 * parameter's path, perhaps with its value. Origins in files have a colon. */
bool report_derived(const char *origin);

/* The machine as JSON: description_json, and in `changed` the parameters that scenario or command
 * line set otherwise; and its lines in a text, title and what it was validated against: of such an
 * object (NULL: none), or of a report, also as two lines of CSV. */
struct json_t *report_machine(const struct description *, const struct config *);
void report_machine_lines(const struct json_t *machine, struct text *);
void report_machine_text(const struct description *, const struct config *, struct text *);
void report_machine_of(const struct report *, struct text *);
void report_machine_csv(const struct report *, struct text *);

/* Reports on stderr what the run executed that PTX leaves undefined. */
void report_warnings(const struct gpu *);

/* A setting in JSON: path, value, unit, whether it was given. */
struct json_t *report_json_setting(
	const char *path, const char *value, const struct param_def *, bool given);

/* All of them, without their origins. */
struct json_t *report_json_settings(const struct config *);

/* A module's path in reports. */
const char *report_path(const struct report *, const char *path);

/* The shortest text that reads back as the same number; out has at least 32 bytes. */
char *report_real(double, char *out);

#endif
