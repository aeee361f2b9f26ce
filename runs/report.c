/* Words that all reports share, and the CSV report. */
#include "runs/report.h"

#include "ptx/exec/races.h"
#include "runs/kernels/kernels.h"
#include "runs/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {"not reached", "none", "passed", "failed"};

	return names[v];
}

const char *report_path(const struct report *r, const char *path)
{
	size_t n = r->data_dir ? strlen(r->data_dir) : 0;

	return n && !strncmp(path, r->data_dir, n) && path[n] == '/' ? path + n + 1 : path;
}

char *report_real(double v, char *out)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(out, 32, "%.*g", digits, v);
		if (strtod(out, NULL) == v)
			break;
	}
	return out;
}

static void csv_part(void *ctx, const char *part, const struct metric *m)
{
	char number[32];

	if (m->is_real)
		report_real(m->real, number);
	else
		snprintf(number, sizeof(number), "%" PRIu64, m->count);
	text_add(ctx, "%s,%s,%s,%s\n", part, m->name, number, m->unit);
}

static void csv_total(void *ctx, const struct metric *m)
{
	csv_part(ctx, "chip", m);
}

void report_csv(const struct report *r, struct text *out)
{
	text_add(out, "part,metric,value,unit\n");
	text_add(out, "run,complete,%d,\nrun,check,%s,\n", r->complete, verdict_name(r->verdict));
	report_machine_csv(r, out);
	chip_metrics(r->gpu, csv_total, out);
	chip_part_metrics(r->gpu, csv_part, out);
	if (r->arena)
		kernels_csv(r->gpu, r->arena, out);
	if (r->sample && r->arena) {
		struct sample_result sample = sample_estimate(r->gpu, r->sample, r->arena);

		sample_csv(&sample, out);
	}
}

static void tell(struct text *line)
{
	output_note("warning: %s", line->failed ? "no host memory for its words" : text_str(line));
	text_clear(line);
}

static void warn(void *ctx, const struct exec_note *note)
{
	struct text line = {0};

	(void)ctx;
	exec_note_describe(note, &line);
	tell(&line);
}

static void tell_races(const struct races *r)
{
	for (unsigned i = 0; r && i < r->n; i++) {
		struct text line = {0};

		race_describe(&r->at[i], &line);
		tell(&line);
	}
	if (r && r->others)
		output_note("warning: further pairs of instructions race, %llu times",
			(unsigned long long)r->others);
	if (r && !r->n)
		output_note("no races for shared or global memory");
}

void report_warnings(const struct gpu *g)
{
	gpu_notes(g, warn, NULL);
	tell_races(gpu_races(g));
}
