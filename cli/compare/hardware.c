/* warpbeam compare --hardware: our cycles for a described machine beside those of a real GPU. */
#include "cli/compare/hardware.h"

#include "core/file.h"
#include "papers/score.h"
#include "runs/hardware/hardware.h"
#include "runs/hardware/kernel_pairs.h"
#include "runs/json.h"
#include "runs/output.h"
#include "runs/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double real_ratio(const struct real_row *r)
{
	return r->cycles / r->gpu_cycles;
}

bool real_pair_agrees(const struct real_pair *p)
{
	return (p->ours > 1) == (p->theirs > 1);
}

/* ---- files */
static json_t *read_results(const struct options *o, const char *path, struct err *err)
{
	size_t bytes;
	char *text = file_read(o->run.files, path, &bytes, ERR_INPUT, err);
	json_error_t wrong;
	const char *schema;
	json_t *j;

	if (!text)
		return NULL;
	j = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &wrong);
	mem_free(text);
	schema = json_string_value(json_object_get(j, "schema"));
	if (!j)
		err_add(err, ERR_INPUT, "%s:%d:%d: %s", path, wrong.line, wrong.column, wrong.text);
	else if (!schema || strcmp(schema, HARDWARE_SCHEMA) != 0)
		err_add(err, ERR_INPUT, "%s: is no file of warpbeam hardware --json (%s)", path,
			HARDWARE_SCHEMA);
	else if (!json_is_false(json_object_get(j, "stand_in")))
		err_add(err, ERR_INPUT,
			"%s: was made by a stand-in for a driver, without a GPU: there is nothing "
			"to compare with",
			path);
	else
		return j;
	json_decref(j);
	return NULL;
}

static void let_go(void *json)
{
	json_decref(json);
}

static double number_of(const json_t *j, const char *outer, const char *inner)
{
	const json_t *v = json_object_get(j, outer);

	if (inner)
		v = json_object_get(v, inner);
	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* ---- rows */
static const char *label_of(const struct real_row *r, struct arena *arena)
{
	struct text words = {0};
	const char *label;

	text_raw(&words, "%s", r->target);
	for (unsigned i = 0; i < r->set.n; i++)
		text_raw(&words, "%s%s", i ? " " : ", ", r->set.at[i]);
	label = arena_strdup(arena, text_str(&words));
	text_clear(&words);
	return label;
}

/* Cycles that the SMs' clocks counted, if there are; else those of the time. A launch's time
 * contains that of an empty launch, which ours does not have. */
static void read_times(struct real_row *r)
{
	double counted = number_of(r->theirs, "clocked_cycles", NULL);
	double empty = number_of(r->theirs, "clock_before", "empty_launch_us");
	double mhz = (number_of(r->theirs, "clock_before", "mhz") +
			     number_of(r->theirs, "clock_after", "mhz")) /
		     2;

	r->gross_us = number_of(r->theirs, "us", "median");
	r->net_us = r->gross_us - empty * number_of(r->theirs, "launches", NULL);
	r->counted = counted > 0;
	r->gpu_cycles = r->counted ? counted : r->net_us * mhz;
}

static const char *why_unscored(const struct real_row *r)
{
	const char *check = json_string_value(json_object_get(r->theirs, "check"));

	if (work_calibrates(r->target))
		return "calibrates machines";
	if (json_integer_value(json_object_get(r->theirs, "code")) || !check ||
		(strcmp(check, "passed") != 0 && strcmp(check, "none") != 0))
		return "failed on the GPU";
	if (!isfinite(r->gpu_cycles))
		return "no time or clock of the GPU";
	return !r->counted && r->net_us < r->gross_us - r->net_us ? "shorter than its launches"
								  : NULL;
}

static void fill_row(
	struct real_row *r, const struct options *o, const json_t *file, struct arena *arena)
{
	const json_t *set = json_object_get(r->theirs, "set");
	const char *size = json_string_value(json_object_get(r->theirs, "size"));

	r->target = json_string_value(json_object_get(r->theirs, "target"));
	r->set.at = arena_alloc(arena, json_array_size(set) + 1, sizeof(*r->set.at));
	for (size_t i = 0; i < json_array_size(set); i++) {
		const char *text = json_string_value(json_array_get(set, i));

		if (text)
			r->set.at[r->set.n++] = text;
	}
	r->options = o->run;
	r->options.wide = 1;
	r->options.size = size && !strcmp(size, "full");
	r->options.seed = (uint64_t)json_integer_value(json_object_get(file, "seed"));
	r->cycles = r->us = NAN;
	if (r->target)
		r->label = label_of(r, arena);
	read_times(r);
}

static bool is_wanted(const struct options *o, const char *target)
{
	for (unsigned i = 0; i < o->operands.n; i++)
		if (!strcmp(o->operands.at[i], target))
			return true;
	return !o->operands.n;
}

static int add_file(struct real *c, const char *path, struct arena *arena, struct err *err)
{
	void **kept = arena_own(arena, let_go);
	json_t *file = read_results(c->o, path, err), *targets = json_object_get(file, "targets");
	size_t n = json_array_size(targets);
	struct real_row *rows;

	*kept = file;
	if (!file)
		return -1;
	rows = arena_alloc(arena, c->n + n, sizeof(*rows));
	if (c->n)
		memcpy(rows, c->rows, c->n * sizeof(*rows));
	c->rows = rows;
	if (!c->curve_rows && !c->o->operands.n)
		c->curve_rows = json_object_get(file, "curves");
	if (!c->gpu) {
		c->gpu = json_object_get(file, "gpu");
		c->date = json_string_value(json_object_get(file, "date"));
	}
	for (size_t i = 0; i < n; i++) {
		struct real_row *r = &rows[c->n];

		*r = (struct real_row){.file = path, .theirs = json_array_get(targets, i)};
		fill_row(r, c->o, file, arena);
		if (!r->target)
			return err_add(err, ERR_INPUT, "%s: target %zu has no name", path, i);
		c->n += is_wanted(c->o, r->target);
	}
	return 0;
}

/* ---- our runs */
static struct trial trial_of(const struct real_row *r, struct arena *arena)
{
	struct layer *layer = arena_alloc(arena, 1, sizeof(*layer));
	struct party *party = arena_alloc(arena, 1, sizeof(*party));
	const char **scenario = arena_alloc(arena, 1, sizeof(*scenario));

	*layer = (struct layer){.origin = r->file, .set = r->set.at, .nset = r->set.n};
	party->target = *scenario = r->target;
	return (struct trial){.name = r->label,
		.machine = {scenario, work_is_scenario(r->target) ? 1 : 0, layer, 1},
		.parties = party,
		.nparties = 1};
}

/* Rows of one file and size are one pool: trials share their options. */
static int run_rows(
	struct real *c, unsigned first, unsigned n, struct arena *arena, struct err *err)
{
	struct trial *trials = arena_alloc(arena, n, sizeof(*trials));
	int bad;

	for (unsigned i = 0; i < n; i++)
		trials[i] = trial_of(&c->rows[first + i], arena);
	bad = trials_run(&c->rows[first].options, trials, n, err);
	for (unsigned i = 0; i < n && !bad; i++) {
		struct outcome o;

		outcome_read(&o, trials[i].report, 1);
		c->rows[first + i].cycles = o.figure[FIGURE_CHIP_CYCLES];
		c->rows[first + i].us = c->rows[first + i].cycles * o.cycle_ns / 1000;
	}
	trials_free(trials, n);
	return bad;
}

static int run_all(struct real *c, struct arena *arena, struct err *err)
{
	for (unsigned first = 0, n; first < c->n; first += n) {
		const struct real_row *r = &c->rows[first];

		for (n = 1; first + n < c->n && c->rows[first + n].file == r->file &&
			    c->rows[first + n].options.size == r->options.size;)
			n++;
		if (run_rows(c, first, n, arena, err))
			return -1;
	}
	return 0;
}

/* ---- scores */
static double geometric_error(const double *ratios, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += fabs(log(ratios[i]));
	return n ? 100 * (exp(sum / n) - 1) : (double)NAN;
}

static double correlation_of(const double *x, const double *y, unsigned n)
{
	double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

	for (unsigned i = 0; i < n; i++) {
		mx += log(x[i]) / n;
		my += log(y[i]) / n;
	}
	for (unsigned i = 0; i < n; i++) {
		double a = log(x[i]) - mx, b = log(y[i]) - my;

		xx += a * a;
		yy += b * b;
		xy += a * b;
	}
	return n > 2 && xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

static void score(struct real *c, struct arena *arena)
{
	double *ratios = arena_alloc(arena, c->n + 1, sizeof(double));
	double *ours = arena_alloc(arena, c->n + 1, sizeof(double));
	double *theirs = arena_alloc(arena, c->n + 1, sizeof(double));
	unsigned n = 0;

	c->error_pct = 0;
	for (unsigned i = 0; i < c->n; i++) {
		struct real_row *r = &c->rows[i];

		r->unscored = why_unscored(r);
		if (r->unscored)
			continue;
		ratios[n] = real_ratio(r);
		ours[n] = r->cycles;
		theirs[n] = r->gpu_cycles;
		c->error_pct += 100 * fabs(ratios[n++] - 1);
	}
	c->scored = n;
	c->error_pct = n ? c->error_pct / n : NAN;
	c->geometric = means_of(ratios, n).geometric;
	c->correlation = correlation_of(ours, theirs, n);
	c->geometric_error_pct = geometric_error(ratios, n);
	c->rank = n > 2 ? score_rank(ours, theirs, n, arena) : NAN;
}

/* What b has and a does not, as a pair of runs; NULL: they are none. Of kernels in the table of
 * variants its pairs count, of other targets any two runs with different settings. */
static const char *pair_of(const struct real_row *a, const struct real_row *b)
{
	if (a->unscored || b->unscored || strcmp(a->target, b->target) != 0 ||
		a->options.size != b->options.size || !strcmp(a->label, b->label))
		return NULL;
	if (kernel_variant(a->target, 0))
		return kernel_pair(a->target, &a->set, &b->set);
	return a < b ? "other settings" : NULL;
}

static void pair_up(struct real *c, struct arena *arena)
{
	c->pairs = arena_alloc(arena, (size_t)c->n * c->n / 2 + 1, sizeof(*c->pairs));
	for (unsigned i = 0; i < c->n * c->n; i++) {
		const struct real_row *a = &c->rows[i / c->n], *b = &c->rows[i % c->n];
		const char *what = pair_of(a, b);

		if (!what)
			continue;
		c->pairs[c->npairs] = (struct real_pair){
			a, b, what, a->cycles / b->cycles, a->gpu_cycles / b->gpu_cycles};
		c->signs += real_pair_agrees(&c->pairs[c->npairs++]);
	}
}

/* ---- the command */
static int write_json(void *ctx, struct text *out)
{
	return real_json(ctx, out);
}

static void write_csv(void *ctx, struct text *out)
{
	real_csv(ctx, out);
}

static void write_svg(void *ctx, struct text *out)
{
	real_scatter(ctx, out);
}

static void write_text(void *ctx, struct text *out)
{
	real_text(ctx, out);
}

static int write_page(const struct real *c, struct err *err)
{
	const struct options *o = c->o;
	struct text page = {0};
	int bad = 0;

	if (o->html) {
		real_html(c, &page);
		bad = output_file(o->run.files, o->html, &page, err);
		text_clear(&page);
	}
	return bad;
}

int compare_hardware(const struct options *o, struct session *s, struct err *err)
{
	struct real *c = arena_alloc(&s->arena, 1, sizeof(*c));
	struct output_texts outputs = {c, write_json, write_csv, write_svg, write_text};

	c->o = o;
	c->arena = &s->arena;
	if (compare_admit(o, err))
		return -1;
	if (!o->run.chip)
		return err_add(err, ERR_USAGE,
			"--hardware needs --chip: the machine that describes the GPU");
	for (unsigned i = 0; i < o->hardware.n; i++)
		if (add_file(c, o->hardware.at[i], &s->arena, err))
			return -1;
	if (!c->n && !json_array_size(c->curve_rows))
		return err_add(err, ERR_INPUT, "%s: has none of the targets", o->hardware.at[0]);
	if (run_all(c, &s->arena, err) || real_curves(c, &s->arena, err))
		return -1;
	score(c, &s->arena);
	pair_up(c, &s->arena);
	return write_page(c, err) | options_write(o, &outputs, &s->out, err);
}
