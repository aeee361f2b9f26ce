/* Table 1 of Gebhart et al., MICRO 2012, as rows of a book: for pages on which it stands beside
 * others. */
#include "cli/reproduce.h"
#include "cli/table1_run.h"

#include <stdio.h>
#include <string.h>

static struct design cache_design(unsigned cache_kb)
{
	struct design d = {.chip = "m12"};
	size_t n = 0;

	for (unsigned i = 0; i < table1_nmachine; i++)
		n += (size_t)snprintf(d.set + n, sizeof(d.set) - n, "%s ", table1_machine[i]);
	snprintf(d.set + n, sizeof(d.set) - n, "storage.partitioned.cache_bytes=%uK", cache_kb);
	return d;
}

static struct design few_registers(const struct reproduced_row *row, unsigned k)
{
	struct design d = {.chip = "m12", .way = &points_untimed};

	snprintf(d.set, sizeof(d.set), "gpu.max_regs=%d", reproduce_registers(row, k));
	return d;
}

/* Fills the row; false: not all of it is known yet. */
static bool measure(struct book *b, unsigned w, struct reproduced_row *row)
{
	bool known = true;

	for (unsigned f = 0; f < TABLE1_FIGURES; f++)
		row->ours[f] = NAN;
	for (unsigned k = 0; k < REPRODUCE_CACHES; k++) {
		struct design d = cache_design(reproduce_cache_kb[k]);

		row->report[k] = book_report(b, w, &d);
		known &= row->report[k] != NULL;
	}
	if (!known)
		return false;
	reproduce_read(row);
	row->shift = reproduce_shift(row);
	for (unsigned k = 0; k < TABLE1_REGS; k++) {
		struct design d = few_registers(row, k);
		const json_t *answer = book_report(b, w, &d);

		known &= answer != NULL;
		row->instructions[k] =
			json_number_value(json_object_get(answer, "warp_instructions"));
	}
	for (unsigned k = 0; k + 1 < TABLE1_REGS && known; k++)
		row->ours[TABLE1_SPILLED_18 + k] =
			row->instructions[k] / row->instructions[TABLE1_REGS - 1];
	return known;
}

static void say_figure(struct book *b, const struct reproduced_row *r, unsigned f)
{
	const struct table1_figure_def *d = &table1_figures[f];
	bool judged = d->band > 0 && (f < TABLE1_SPILLED_18 || !r->shift);
	struct book_row row = {.claim = "",
		.unit = d->unit,
		.paper = r->paper->figure[f],
		.low = judged ? table1_low(r->paper, (enum table1_figure)f) : NAN,
		.high = judged ? table1_high(r->paper, (enum table1_figure)f) : NAN,
		.ours = r->ours[f],
		.judge = judged ? BOOK_BAND : BOOK_TOLD,
		.cause = judged ? table1_cause(r->paper, d->name) : NULL};

	if (f >= TABLE1_SPILLED_18 && r->shift)
		row.cause = book_words(b, "ours has %+d registers", r->shift);
	snprintf(row.text, sizeof(row.text), "%s: %s", r->paper->workload, d->label);
	book_say(b, &row);
}

/* Equal or not: 1 or 0. */
static void say_category(struct book *b, const struct reproduced_row *r, bool known)
{
	bool equal = r->category == r->paper->category;
	struct book_row row = {.claim = "",
		.unit = "equal",
		.paper = 1,
		.low = 1,
		.high = 1,
		.ours = known ? equal : NAN,
		.judge = BOOK_BAND};

	if (known && !equal)
		row.cause = table1_categorise(r->paper->figure) == r->category
				    ? "the rule says the same of the paper's own figures"
				    : table1_cause(r->paper, TABLE1_CATEGORY);
	snprintf(row.text, sizeof(row.text), "%s: category, %s", r->paper->workload,
		table1_categories[r->paper->category]);
	book_say(b, &row);
}

static void rows(struct book *b)
{
	for (unsigned i = 0; i < TABLE1_ROWS; i++) {
		struct reproduced_row r = {.paper = &table1_rows[i]};
		int w = book_find(b, r.paper->workload);
		bool known;

		if (w < 0)
			continue;
		known = measure(b, (unsigned)w, &r);
		for (unsigned f = 0; f < TABLE1_FIGURES; f++)
			say_figure(b, &r, f);
		say_category(b, &r, known);
	}
}

static const struct target table1_target;
static const struct target *const targets[] = {&table1_target, NULL};

const struct paper table1_paper = {
	.name = "m12-table1",
	.text = "Table 1.",
	.title = "Gebhart et al., MICRO 2012: Table 1",
	.ncolumns = 1,
	.columns = {{"ours", "ours", true}},
	.targets = targets,
};

static const struct target table1_target = {
	.name = "table1",
	.text = "Registers, shared memory, DRAM traffic by cache, instructions by registers.",
	.paper = &table1_paper,
	.rows = rows,
};
