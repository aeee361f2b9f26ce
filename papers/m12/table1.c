/* Table 1: what the workloads need of an SM's storage. DRAM bytes by cache in both columns; what
 * threads need, which no machine changes, once. Rules and bands: doc/reproduce.md. */
#include "papers/m12/m12.h"
#include "papers/m12/table1_rows.h"

#include <stdio.h>
#include <stdlib.h>

#define CACHES 3
static const unsigned caches_kb[CACHES] = {0, 64, 256};

/* As many registers as figures 2 to 4 give, more than any workload takes. */
#define REGISTERS 64
#define FEWEST 16
#define MOST 255

struct needs {
	const struct table1_row *paper;
	double ours[TABLE1_FIGURES];
	int shift; /* of the registers with which instructions are counted */
};

/* ---- instructions with few registers */
/* Registers with which it is executed where the paper's have table1_regs[k]. */
static int registers_of(const struct needs *n, unsigned k)
{
	int regs = (int)table1_regs[k] + n->shift;

	return regs < FEWEST ? FEWEST : regs > MOST ? MOST : regs;
}

static double instructions(struct book *b, unsigned w, const struct needs *n, unsigned k)
{
	struct design d = design_of("m12", "gpu.max_regs=%d", registers_of(n, k));

	d.way = &points_untimed;
	d.as_it_is = true;
	return json_number_value(json_object_get(store_report(b, w, &d), "warp_instructions"));
}

static void spills(struct book *b, unsigned w, struct needs *n)
{
	double most = instructions(b, w, n, TABLE1_REGS - 1);

	for (unsigned k = 0; k + 1 < TABLE1_REGS; k++)
		n->ours[TABLE1_SPILLED_18 + k] = instructions(b, w, n, k) / most;
}

/* ---- one workload */
static struct design with_cache(unsigned k)
{
	return store_unbounded(TABLE1_THREADS, REGISTERS, caches_kb[k]);
}

/* False: runs are missing. */
static bool measure(struct book *b, unsigned w, struct needs *n)
{
	struct design largest = with_cache(CACHES - 1);
	const json_t *report = store_report(b, w, &largest);

	for (unsigned f = 0; f < TABLE1_FIGURES; f++)
		n->ours[f] = NAN;
	for (unsigned k = 0; k < CACHES; k++) {
		struct design d = with_cache(k);

		n->ours[TABLE1_DRAM_0 + k] = store_dram_ratio(b, w, &largest, &d);
	}
	if (!report)
		return false;
	table1_read(report, n->ours);
	n->shift = table1_shift(n->paper, n->ours[TABLE1_REGISTERS]);
	spills(b, w, n);
	return !isnan(n->ours[TABLE1_DRAM_0]) && !isnan(n->ours[TABLE1_DRAM_64]);
}

/* ---- notes */
static bool is_spill(unsigned f)
{
	return f >= TABLE1_SPILLED_18;
}

static bool is_dram(unsigned f)
{
	return f >= TABLE1_DRAM_0 && f <= TABLE1_DRAM_256;
}

static bool is_judged(const struct needs *n, unsigned f)
{
	return table1_figures[f].band > 0 && !(is_spill(f) && n->shift);
}

static double rate(struct book *b, unsigned w, unsigned k, const char *metric)
{
	struct design d = with_cache(k);

	return store_metric(b, w, &d, metric);
}

/* What the caches did. */
static const char *caches_words(struct book *b, unsigned w)
{
	static const char l1[] = "l1tex__t_line_load_hit_rate.pct",
			  l2[] = "lts__t_sector_op_read_hit_rate.pct";
	const char *slices = "";
	double mb[CACHES];

	for (unsigned k = 0; k < CACHES; k++) {
		struct design d = with_cache(k);

		mb[k] = store_dram(b, w, &d) / 1e6;
	}
	if (book_column(b) == STORE_CHIP)
		slices = book_words(b, ", the L2 %.0f, %.0f and %.0f %%", rate(b, w, 0, l2),
			rate(b, w, 1, l2), rate(b, w, 2, l2));
	return book_words(b,
		"the L1 hits %.0f and %.0f %% with 64 and 256 KB%s; DRAM %.4g, %.4g, %.4g MB",
		rate(b, w, 1, l1), rate(b, w, 2, l1), slices ? slices : "", mb[0], mb[1], mb[2]);
}

/* The registers that instructions were counted with, where they are not the paper's. */
static const char *shift_words(struct book *b, const struct needs *n, unsigned f)
{
	if (!n->shift)
		return NULL;
	return book_words(b, "with %d by %d registers: ours needs %d %s",
		registers_of(n, f - TABLE1_SPILLED_18), registers_of(n, TABLE1_REGS - 1),
		abs(n->shift), n->shift > 0 ? "more" : "fewer");
}

static const char *category_words(struct book *b, const struct needs *n, enum table1_category ours)
{
	bool same = table1_categorise(n->paper->figure) == ours;

	return book_words(b, "%s%s", table1_categories[ours],
		same ? ": the rule says the same of the paper's own figures" : "");
}

/* ---- rows */
/* What a kernel needs does not depend on the machine. */
static void say(struct book *b, const struct book_row *row, unsigned f)
{
	if (is_dram(f))
		book_say(b, row);
	else
		book_say_once(b, row);
}

static void say_figure(struct book *b, unsigned w, const struct needs *n, unsigned f)
{
	const struct table1_figure_def *d = &table1_figures[f];
	bool judged = is_judged(n, f);
	struct book_row row =
		book_band(d->claim, d->unit, table1_band(n->paper, f), n->ours[f], NULL);

	if (!judged)
		row = book_told(d->claim, d->unit, n->paper->figure[f], n->ours[f], NULL);
	if (is_spill(f))
		row.note = shift_words(b, n, f);
	else if (f == TABLE1_DRAM_256)
		row.note = caches_words(b, w);
	snprintf(row.text, sizeof(row.text), "%s: %s", n->paper->workload, d->label);
	say(b, &row, f);
}

/* Equal or not: 1 or 0. */
static void say_category(struct book *b, const struct needs *n, bool known)
{
	enum table1_category ours = table1_categorise(n->ours);
	bool equal = ours == n->paper->category;
	struct book_row row = book_band("", "equal", band_exact(1), known ? equal : NAN, NULL);

	if (known && !equal)
		row.note = category_words(b, n, ours);
	book_sayf(b, &row, "%s: category, %s", n->paper->workload,
		table1_categories[n->paper->category]);
}

/* ---- how many rows are within, by figure */
struct score {
	unsigned judged, within, below, above;
};

static void count(struct score *s, const struct needs *n, unsigned f)
{
	if (!is_judged(n, f) || isnan(n->ours[f]))
		return;
	s->judged++;
	if (table1_within(n->paper, f, n->ours[f]))
		s->within++;
	else if (n->ours[f] < n->paper->figure[f])
		s->below++;
	else
		s->above++;
}

static void say_score(struct book *b, const struct score *s, unsigned f)
{
	struct book_row row =
		book_told("", "%", NAN, s->judged ? 100.0 * s->within / s->judged : NAN,
			book_words(b, "%u of %u; %u below, %u above", s->within, s->judged,
				s->below, s->above));

	snprintf(row.text, sizeof(row.text), "rows within: %s", table1_figures[f].label);
	say(b, &row, f);
}

static void rows(struct book *b)
{
	struct score scores[TABLE1_FIGURES] = {0};

	for (unsigned i = 0; i < TABLE1_ROWS; i++) {
		struct needs n = {.paper = &table1_rows[i]};
		int w = book_find(b, n.paper->workload);
		bool known;

		if (w < 0)
			continue;
		known = measure(b, (unsigned)w, &n);
		for (unsigned f = 0; f < TABLE1_FIGURES; f++) {
			say_figure(b, (unsigned)w, &n, f);
			if (!book_is_fitted(b, (unsigned)w))
				count(&scores[f], &n, f);
		}
		say_category(b, &n, known);
	}
	for (unsigned f = 0; f < TABLE1_FIGURES; f++)
		if (table1_figures[f].band > 0)
			say_score(b, &scores[f], f);
}

static bool has_row(const char *workload)
{
	return m12_gains_from(workload) || m12_is_other(workload);
}

const struct target m12_table1 = {
	.order = 10,
	.name = "table1",
	.text = "Registers, shared memory, DRAM bytes by cache, instructions by registers.",
	.paper = &m12_paper,
	.rows = rows,
	.takes = has_row,
	.columns = STORE_BOTH,
};
