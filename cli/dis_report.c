/* The dissertation's figures beside ours: text, CSV and JSON. */
#include "cli/dis.h"

#include "cli/compare.h"
#include "cli/json.h"
#include "cli/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA 1

/* Some digits more for small numbers. */
static const char *number(double v, char out[32])
{
	double size = fabs(v);

	if (isnan(v))
		return "";
	snprintf(out, 32, "%.*f", size < 10 ? 3 : size < 100 ? 2 : 1, v);
	return out;
}

/* ---- text */
static bool missed(const struct dis_row *row)
{
	return row->judge == DIS_BAND && strcmp(dis_verdict(row), "within");
}

/* What else a miss would be; figures that do not differ tell nothing. */
static void view_lines(const struct dis_said *said, struct text *out)
{
	static const char *const names[VIEWS] = {
		[VIEW_STRANDS] = "workloads with strands of 8 instructions and more",
		[VIEW_KEPT] = "nothing lost where strands end or warps step aside",
		[VIEW_DATA] = "memory addresses left out"};
	char ours[32], other[32];

	for (unsigned v = 0; v < VIEWS && missed(&said->row); v++) {
		const char *now = number(said->row.ours, ours),
			   *then = number(said->ours[v], other);

		if (*then && strcmp(now, then))
			text_add(out, "             %s: %s\n", names[v], then);
	}
}

static void row_lines(const struct dis_row *row, struct text *out)
{
	char paper[32], ours[32], low[32], high[32], band[72] = "";

	if (!isnan(row->low))
		snprintf(band, sizeof(band), "%s .. %s", number(row->low, low),
			number(row->high, high));
	text_add(out, "  %-8s %-58s %9s %9s  %-18s %-14s %s\n", row->claim, row->text,
		number(row->paper, paper), number(row->ours, ours), band, dis_verdict(row),
		row->unit);
	if (row->cause && strcmp(dis_verdict(row), "within"))
		text_add(out, "             %s\n", row->cause);
}

static void score_lines(const struct dis_said *said, unsigned n, struct text *out)
{
	unsigned within = 0, judged = 0;

	for (unsigned i = 0; i < n; i++) {
		judged += said[i].row.judge == DIS_BAND;
		within += !strcmp(dis_verdict(&said[i].row), "within");
	}
	if (judged)
		text_add(out, "\nwithin the band: %u of %u\n", within, judged);
}

void dis_text(const struct dis *d, struct text *out)
{
	const struct options *o = dis_options(d);
	const struct dis_table *table = NULL;
	unsigned n;
	const struct dis_said *said = dis_all_said(d, &n);

	text_add(out,
		"warpbeam %s (%s): figures of Gebhart's dissertation\n"
		"size %s, seed %" PRIu64 ", 32-bit addresses; %u workloads, arithmetic means over "
		"them\n",
		program_version(), program_build(), o->size ? "full" : "small", o->seed,
		dis_workloads(d));
	for (unsigned i = 0; i < n; i++) {
		if (said[i].table != table)
			text_add(out, "\n%s: %s\n  %-8s %-58s %9s %9s  %-18s %s\n",
				said[i].table->name, said[i].table->text, "claim", "", "paper",
				"ours", "band", "verdict");
		table = said[i].table;
		row_lines(&said[i].row, out);
		view_lines(&said[i], out);
	}
	score_lines(said, n, out);
}

/* ---- CSV */
static void csv_number(double v, struct text *out)
{
	char text[32] = "";

	if (!isnan(v))
		report_real(v, text);
	text_add(out, ",%s", text);
}

void dis_csv(const struct dis *d, struct text *out)
{
	unsigned n;
	const struct dis_said *said = dis_all_said(d, &n);

	text_add(out, "table,claim,text,paper,ours,low,high,verdict,unit,cause,long_strands,kept,"
		      "no_addresses\n");
	for (unsigned i = 0; i < n; i++) {
		const struct dis_row *row = &said[i].row;

		text_add(out, "%s,%s,", said[i].table->name, row->claim);
		compare_csv_name(row->text, out);
		csv_number(row->paper, out);
		csv_number(row->ours, out);
		csv_number(row->low, out);
		csv_number(row->high, out);
		text_add(out, ",%s,%s,", dis_verdict(row), row->unit);
		compare_csv_name(row->cause ? row->cause : "", out);
		csv_number(said[i].ours[VIEW_STRANDS], out);
		csv_number(said[i].ours[VIEW_KEPT], out);
		csv_number(said[i].ours[VIEW_DATA], out);
		text_add(out, "\n");
	}
}

/* ---- JSON */
static json_t *row_json(const struct dis_said *said)
{
	const struct dis_row *row = &said->row;
	json_t *j = json_object();

	json_add(j, "table", json_string(said->table->name));
	json_add(j, "claim", *row->claim ? json_string(row->claim) : json_null());
	json_add(j, "text", json_name(row->text));
	json_add(j, "paper", json_number(row->paper));
	json_add(j, "ours", json_number(row->ours));
	json_add(j, "low", json_number(row->low));
	json_add(j, "high", json_number(row->high));
	json_add(j, "verdict", json_string(dis_verdict(row)));
	json_add(j, "unit", json_string(row->unit));
	json_add(j, "cause", json_name(row->cause));
	json_add(j, "long_strands", json_number(said->ours[VIEW_STRANDS]));
	json_add(j, "kept", json_number(said->ours[VIEW_KEPT]));
	json_add(j, "no_addresses", json_number(said->ours[VIEW_DATA]));
	return j;
}

int dis_json(const struct dis *d, struct text *out)
{
	json_t *j = json_object(), *rows = json_array(), *workloads = json_array();
	const struct options *o = dis_options(d);
	unsigned n;
	const struct dis_said *said = dis_all_said(d, &n);

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(rows, row_json(&said[i]));
	for (unsigned w = 0; w < dis_workloads(d); w++)
		json_array_append_new(workloads, json_string(dis_workload(d, w)));
	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "size", json_string(o->size ? "full" : "small"));
	json_add(j, "seed", json_whole(o->seed));
	json_add(j, "workloads", workloads);
	json_add(j, "rows", rows);
	return json_print(j, out);
}
