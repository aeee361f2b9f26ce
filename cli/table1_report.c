/* A paper's table beside ours, told: text for people, JSON and CSV for programs. */
#include "cli/table1_run.h"

#include "cli/compare.h"
#include "cli/json.h"
#include "cli/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA 1
#define CAUSE 512

static const char *verdict(bool missing, bool within)
{
	if (missing)
		return "missing";
	return within ? "within" : "missed";
}

static bool is_spill(unsigned f)
{
	return f >= TABLE1_SPILLED_18;
}

static const char *figure_verdict(const struct reproduced_row *row, unsigned f)
{
	if (!row->missing && is_spill(f) && row->shift)
		return "shifted";
	if (!row->missing && !reproduce_judges(row, f))
		return "";
	return verdict(row->missing, table1_within(row->paper, f, row->ours[f]));
}

static const char *category_verdict(const struct reproduced_row *row)
{
	return verdict(row->missing, row->category == row->paper->category);
}

static bool misses(const char *verdict_of)
{
	return !strcmp(verdict_of, "missed");
}

/* Why the figure misses, in a room of CAUSE bytes; NULL: it does not, or nobody knows. Fewer
 * instructions with few registers than the paper's are no fault. */
static const char *figure_cause(const struct reproduced_row *row, unsigned f, char *room)
{
	const char *cause = table1_cause(row->paper, table1_figures[f].name), *side = "";

	if (!misses(figure_verdict(row, f)) || !cause)
		return NULL;
	if (is_spill(f))
		side = row->ours[f] < row->paper->figure[f] ? "below the paper, it spills less: "
							    : "above the paper: ";
	snprintf(room, CAUSE, "%s%s", side, cause);
	return room;
}

static const char *category_cause(const struct reproduced_row *row)
{
	if (!misses(category_verdict(row)))
		return NULL;
	if (table1_categorise(row->paper->figure) == row->category)
		return "the rule says the same of the paper's own figures";
	return table1_cause(row->paper, TABLE1_CATEGORY);
}

/* ---- text */
static void cause_line(const char *cause, struct text *out)
{
	if (cause)
		text_add(out, "    because %s\n", cause);
}

static void figure_line(const struct reproduced_row *row, unsigned f, struct text *out)
{
	const struct table1_figure_def *d = &table1_figures[f];
	char band[64] = "", unit[64], low[32], high[32], paper[32], ours[32], cause[CAUSE];

	snprintf(unit, sizeof(unit), "%s", d->unit);
	if (is_spill(f) && row->shift)
		snprintf(unit, sizeof(unit), "of 64's, ours with %+d", row->shift);
	if (reproduce_judges(row, f))
		snprintf(band, sizeof(band), "%s .. %s",
			compare_number(table1_low(row->paper, f), d->decimals + 1, low),
			compare_number(table1_high(row->paper, f), d->decimals + 1, high));
	text_add(out, "  %-20s %10s %10s  %18s  %-8s %s\n", d->label,
		compare_number(row->paper->figure[f], d->decimals, paper),
		compare_number(row->ours[f], d->decimals, ours), band, figure_verdict(row, f),
		unit);
	cause_line(figure_cause(row, f, cause), out);
}

static void row_lines(const struct reproduced_row *row, struct text *out)
{
	text_add(out, "\n%s", row->paper->workload);
	if (row->missing) {
		text_add(out, ": missing, there is no such workload (%s, %s)\n", row->paper->name,
			table1_categories[row->paper->category]);
		return;
	}
	text_add(out, " (%s)\n  %-20s %10s %10s  %18s  %s\n", row->paper->name, "", "paper", "ours",
		"band", "verdict");
	for (unsigned f = 0; f < TABLE1_FIGURES; f++)
		figure_line(row, f, out);
	text_add(out, "  %-20s %s; ours: %s: %s\n", "category",
		table1_categories[row->paper->category], table1_categories[row->category],
		category_verdict(row));
	cause_line(category_cause(row), out);
}

static void score_line(const char *label, struct reproduce_score s, struct text *out)
{
	text_add(out, "  %-20s %3u of %u", label, s.within, s.measured);
	if (s.below + s.above)
		text_add(out, "; %u below, %u above", s.below, s.above);
	text_add(out, "\n");
}

void reproduce_text(const struct reproduction *r, struct text *out)
{
	unsigned missing = 0;

	text_add(out,
		"warpbeam %s (%s): Table 1 of Gebhart et al., MICRO 2012\n"
		"size %s, seed %" PRIu64 ", 32-bit addresses; one SM, 8 B/ns, no L2, unbounded "
		"registers and shared memory\n",
		program_version(), program_build(), r->o->size ? "full" : "small", r->o->seed);
	for (unsigned i = 0; i < r->n; i++) {
		row_lines(&r->rows[i], out);
		missing += r->rows[i].missing;
	}
	text_add(out, "\nwithin the band, of the rows measured\n");
	for (unsigned f = 0; f < TABLE1_FIGURES; f++)
		if (table1_figures[f].band > 0)
			score_line(table1_figures[f].label, reproduce_figure_score(r, f), out);
	score_line("category", reproduce_category_score(r), out);
	text_add(out, "  %-20s %3u of %u\n", "missing rows", missing, r->n);
}

/* ---- CSV */
static void csv_number(double v, bool known, struct text *out)
{
	char number[32] = "";

	if (known && !isnan(v))
		report_real(v, number);
	text_add(out, ",%s", number);
}

static void csv_cause(const char *cause, struct text *out)
{
	text_add(out, ",");
	compare_csv_name(cause ? cause : "", out);
	text_add(out, "\n");
}

static void csv_row(const struct reproduced_row *row, struct text *out)
{
	char cause[CAUSE];

	for (unsigned f = 0; f < TABLE1_FIGURES; f++) {
		text_add(out, "%s,%s", row->paper->workload, table1_figures[f].name);
		csv_number(row->paper->figure[f], true, out);
		csv_number(row->ours[f], !row->missing, out);
		csv_number(table1_low(row->paper, f), reproduce_judges(row, f), out);
		csv_number(table1_high(row->paper, f), reproduce_judges(row, f), out);
		text_add(out, ",%s,%s", figure_verdict(row, f), table1_figures[f].unit);
		csv_cause(figure_cause(row, f, cause), out);
	}
	text_add(out, "%s,%s,%s,%s,,,%s,", row->paper->workload, TABLE1_CATEGORY,
		table1_categories[row->paper->category],
		row->missing ? "" : table1_categories[row->category], category_verdict(row));
	csv_cause(category_cause(row), out);
}

void reproduce_csv(const struct reproduction *r, struct text *out)
{
	text_add(out, "workload,figure,paper,ours,low,high,verdict,unit,cause\n");
	for (unsigned i = 0; i < r->n; i++)
		csv_row(&r->rows[i], out);
}

/* ---- JSON */
static json_t *figure_json(const struct reproduced_row *row, unsigned f)
{
	json_t *j = json_object();
	char cause[CAUSE];

	json_add(j, "paper", json_number(row->paper->figure[f]));
	json_add(j, "ours", row->missing ? json_null() : json_number(row->ours[f]));
	json_add(j, "low",
		reproduce_judges(row, f) ? json_number(table1_low(row->paper, f)) : json_null());
	json_add(j, "high",
		reproduce_judges(row, f) ? json_number(table1_high(row->paper, f)) : json_null());
	json_add(j, "verdict", json_string(figure_verdict(row, f)));
	json_add(j, "cause", json_name(figure_cause(row, f, cause)));
	json_add(j, "unit", json_string(table1_figures[f].unit));
	return j;
}

static json_t *category_json(const struct reproduced_row *row)
{
	json_t *j = json_object();

	json_add(j, "paper", json_string(table1_categories[row->paper->category]));
	json_add(j, "ours",
		row->missing ? json_null() : json_string(table1_categories[row->category]));
	json_add(j, "verdict", json_string(category_verdict(row)));
	json_add(j, "cause", json_name(category_cause(row)));
	return j;
}

static json_t *row_json(const struct reproduced_row *row)
{
	json_t *j = json_object(), *figures = json_object(), *runs = json_array();

	for (unsigned f = 0; f < TABLE1_FIGURES; f++)
		json_add(figures, table1_figures[f].name, figure_json(row, f));
	for (unsigned k = 0; k < REPRODUCE_CACHES && !row->missing; k++) {
		json_t *run = json_object();

		json_add(run, "cache_kb", json_whole(reproduce_cache_kb[k]));
		json_object_set(
			run, "configuration", json_object_get(row->report[k], "configuration"));
		json_object_set(run, "metrics", json_object_get(row->report[k], "metrics"));
		json_array_append_new(runs, run);
	}
	json_add(j, "workload", json_string(row->paper->workload));
	json_add(j, "name", json_string(row->paper->name));
	json_add(j, "missing", json_boolean(row->missing));
	json_add(j, "registers_shift", json_integer(row->shift));
	json_add(j, "figures", figures);
	json_add(j, TABLE1_CATEGORY, category_json(row));
	json_object_set(j, "inputs", json_object_get(row->report[0], "inputs"));
	json_add(j, "runs", runs);
	return j;
}

static json_t *score_json(struct reproduce_score s)
{
	json_t *j = json_object();

	json_add(j, "measured", json_whole(s.measured));
	json_add(j, "within", json_whole(s.within));
	json_add(j, "below", json_whole(s.below));
	json_add(j, "above", json_whole(s.above));
	return j;
}

int reproduce_json(const struct reproduction *r, struct text *out)
{
	json_t *j = json_object(), *command = json_object(), *rows = json_array(),
	       *scores = json_object();

	for (unsigned i = 0; i < r->n; i++)
		json_array_append_new(rows, row_json(&r->rows[i]));
	for (unsigned f = 0; f < TABLE1_FIGURES; f++)
		if (table1_figures[f].band > 0)
			json_add(scores, table1_figures[f].name,
				score_json(reproduce_figure_score(r, f)));
	json_add(scores, "category", score_json(reproduce_category_score(r)));
	json_add(command, "reproduce", json_string("table1"));
	json_add(command, "size", json_string(r->o->size ? "full" : "small"));
	json_add(command, "seed", json_whole(r->o->seed));
	json_add(command, "address_bits", json_whole(32));
	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "command", command);
	json_add(j, "rows", rows);
	json_add(j, "scores", scores);
	return json_print(j, out);
}
