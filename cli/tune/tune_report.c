/* The curve of a tuning and its best point: text, a drawing, CSV and JSON. */
#include "cli/tune/tune.h"

#include "cli/compare/compare.h"
#include "draw/chart.h"
#include "draw/csv.h"
#include "draw/number.h"
#include "draw/svg.h"
#include "runs/json.h"
#include "runs/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA 1
#define BAR 40

/* Speedup over the default: the most threads; of splits the first; of levels the unchanged program.
 */
static double speedup(const struct tune *t, unsigned i)
{
	return t->candidates[t->base].cycles / t->candidates[i].cycles;
}

/* Of levels: the slowest that no limit stopped. */
static unsigned worst(const struct tune *t)
{
	unsigned w = t->best;

	for (unsigned i = 0; i < t->n; i++)
		if (!t->candidates[i].stopped && t->candidates[i].cycles > t->candidates[w].cycles)
			w = i;
	return w;
}

static const char *what(const struct tune *t)
{
	if (t->o->concurrency)
		return "level";
	return t->o->splits ? "split" : "threads";
}

static double slowest(const struct tune *t)
{
	double most = 1;

	for (unsigned i = 0; i < t->n; i++)
		most = fmax(most, t->candidates[i].cycles);
	return most;
}

/* ---- text */
static double ratio_of(const struct tune_candidate *c)
{
	return c->kernel ? (double)c->level.instrs / c->kernel->level[0].instrs : NAN;
}

static void level_columns(const struct tune_candidate *c, struct text *out)
{
	const struct thread_level *l = &c->level;
	char slots[24];

	snprintf(slots, sizeof(slots), "%u/%u", l->slots, l->budget);
	text_add(out, "\t%4u\t%4u\t%7s\t%5u\t%5u\t%6u\t%6.3f\t%8.2f\t%9.1f", l->ctas, l->regs,
		slots, l->local, l->moves, l->instrs, ratio_of(c), l->interval, l->intensity);
}

static const struct tune_candidate *fastest_of(
	const struct tune *t, const struct kernel_levels *k, unsigned *level)
{
	const struct tune_candidate *best = NULL;

	for (unsigned i = 0; i < t->n; i++) {
		const struct tune_candidate *c = &t->candidates[i];

		if (c->kernel == k && !c->stopped && (!best || c->cycles < best->cycles))
			best = c;
	}
	for (*level = 0; best && k->level[*level].threads != best->level.threads;)
		++*level;
	return best;
}

/* What the rule counted wrong of a kernel whose level is not its fastest; none: nothing. */
static void misled(const struct tune *t, const struct kernel_levels *k, struct text *out)
{
	struct levels_ask ask = {k->level, k->n, t->levels.cores, LEVELS_INTENSITY};
	unsigned level;

	if (fastest_of(t, k, &level))
		levels_misled_words(&ask, level, out);
}

static void misled_lines(const struct tune *t, struct text *out)
{
	for (unsigned i = 0; i < t->levels.n; i++) {
		struct text words = {0};

		misled(t, &t->levels.kernel[i], &words);
		if (words.len)
			text_add(out, "%s: %s\n", t->levels.kernel[i].kernel, text_str(&words));
		text_clear(&words);
	}
}

/* The levels that are chosen without running any. */
static void level_lines(const struct tune *t, struct text *out)
{
	text_add(out,
		"intensity counts %s; %.0f lanes of cores; miss %%: lines of local memory "
		"that loads did not find in the L1\n",
		t->levels.spills ? "accesses of spilled values" : "all accesses off the chip",
		t->levels.cores);
	for (unsigned i = 0; i < t->n; i++) {
		const struct tune_candidate *c = &t->candidates[i];

		if (c->automatic && c->kernel)
			text_add(out,
				"a, chosen without running: %s %u threads (%u CTAs), speedup %.3f\n",
				c->kernel->kernel, c->level.threads, c->level.ctas, speedup(t, i));
	}
	misled_lines(t, out);
	text_add(out, "w, the worst: %s threads, speedup %.3f\n", t->candidates[worst(t)].value,
		speedup(t, worst(t)));
}

/* Before the first candidate of each kernel. */
static void kernel_line(const struct tune *t, unsigned i, struct text *out)
{
	const struct kernel_levels *k = t->candidates[i].kernel;

	if (!t->o->concurrency || (i && k == t->candidates[i - 1].kernel))
		return;
	if (k)
		text_add(out, "kernel %s\n", k->kernel);
	else
		text_add(out, "all kernels, each at its level a\n");
}

static void row(const struct tune *t, unsigned i, struct text *out)
{
	const struct tune_candidate *c = &t->candidates[i];
	int length = (int)lround(BAR * c->cycles / slowest(t));
	char cycles[32], bytes[32], cache[32];

	kernel_line(t, i, out);
	text_add(out, "  %9s", c->value);
	if (t->o->splits)
		text_add(out, "\t%7.0f", c->threads);
	if (t->o->concurrency)
		level_columns(c, out);
	if (c->stopped) {
		text_add(out, "\t%14s \tstopped by a limit\n", "-");
		return;
	}
	text_add(out, "\t%14s\t%8.3f\t%12s\t%9s\t%s ", number_grouped((uint64_t)c->cycles, cycles),
		speedup(t, i), number_bytes(c->dram_bytes, bytes),
		number_bytes(c->cache_bytes, cache), i == t->best ? "*" : " ");
	if (t->o->concurrency)
		text_add(out, "%s%s\t%6.2f ", c->automatic ? "a" : " ", i == worst(t) ? "w" : " ",
			c->local_miss);
	for (int k = 0; k < length; k++)
		text_add(out, "=");
	text_add(out, "\n");
}

void tune_text(void *ctx, struct text *out)
{
	const struct tune *t = ctx;
	const struct tune_candidate *best = &t->candidates[t->best];

	text_add(out, "warpbeam %s (%s): %s, %s of an SM, storage %s\n", program_version(),
		program_build(), t->target, what(t), t->sm.name);
	report_machine_lines(json_object_get(t->report, "machine"), out);
	text_add(out, "\v  %9s", what(t));
	if (t->o->splits)
		text_add(out, "\t%7s", "threads");
	if (t->o->concurrency)
		text_add(out, "\t%4s\t%4s\t%7s\t%5s\t%5s\t%6s\t%6s\t%8s\t%9s", "CTAs", "regs",
			"slots", "local", "moves", "instrs", "ratio", "interval", "intensity");
	text_add(out, "\t%14s\t%8s\t%12s\t%9s%s\n", "cycles", "speedup", "DRAM bytes", "cache",
		t->o->concurrency ? "\t   \tmiss %" : "");
	for (unsigned i = 0; i < t->n; i++)
		row(t, i, out);
	if (t->o->concurrency)
		level_lines(t, out);
	text_add(out, "best: %s %s, %.3f times as fast as %s (--set %s)\n", what(t), best->value,
		speedup(t, t->best), t->candidates[t->base].value, best->setting);
}

/* ---- CSV */
void tune_csv(void *ctx, struct text *out)
{
	const struct tune *t = ctx;

	text_add(out,
		"%s,room_threads,setting,cycles,speedup,dram_bytes,cache_bytes,energy_nj,best\n",
		what(t));
	for (unsigned i = 0; i < t->n; i++) {
		const struct tune_candidate *c = &t->candidates[i];

		csv_words(c->value, out);
		text_add(out, ",%.0f,", c->threads);
		csv_words(c->setting, out);
		if (c->stopped) {
			text_add(out, ",,,,,,limit\n");
			continue;
		}
		text_add(out, ",%.0f,%.6f,%.0f,%.0f,%.6f,%d\n", c->cycles, speedup(t, i),
			c->dram_bytes, c->cache_bytes, c->energy_nj, i == t->best);
	}
}

/* ---- JSON */
static void add_level(const struct tune_candidate *c, json_t *j)
{
	const struct thread_level *l = &c->level;

	json_add(j, "kernel", json_name(c->kernel ? c->kernel->kernel : NULL));
	json_add(j, "ctas", json_whole(l->ctas));
	json_add(j, "registers", json_whole(l->regs));
	json_add(j, "slot_budget", json_whole(l->budget));
	json_add(j, "slots", json_whole(l->slots));
	json_add(j, "slot_moves", json_whole(l->moves));
	json_add(j, "local_spills", json_whole(l->local));
	json_add(j, "instructions", json_whole(l->instrs));
	json_add(j, "interval", json_number(l->interval));
	json_add(j, "intensity", json_number(l->intensity));
	json_add(j, "automatic", json_boolean(c->automatic));
	json_add(j, "instructions_off_chip", json_whole(l->off_chip));
	json_add(j, "instructions_spills", json_whole(l->spills));
	json_add(j, "instruction_ratio", json_number(ratio_of(c)));
	json_add(j, "local_miss_pct", json_number(c->local_miss));
}

static json_t *candidate(const struct tune *t, unsigned i)
{
	const struct tune_candidate *c = &t->candidates[i];
	json_t *j = json_object();

	json_add(j, "value", json_name(c->value));
	json_add(j, "setting", json_name(c->setting));
	json_add(j, "stopped", json_boolean(c->stopped));
	json_add(j, "room_threads", json_number(c->threads));
	json_add(j, "cycles", json_number(c->cycles));
	json_add(j, "speedup", json_number(speedup(t, i)));
	json_add(j, "dram_bytes", json_number(c->dram_bytes));
	json_add(j, "cache_bytes", json_number(c->cache_bytes));
	json_add(j, "energy_nj", json_number(c->energy_nj));
	if (t->o->concurrency)
		add_level(c, j);
	return j;
}

static json_t *command(const struct tune *t)
{
	static const char *const members[] = {"chip", "size", "seed", "address_bits"};
	json_t *j = json_object();

	json_add(j, "tune", json_name(t->target));
	json_add(j, "what", json_name(what(t)));
	/* From the runs' reports: a scenario has its own chip, and neither size nor seed. */
	for (unsigned i = 0; i < ARRAY_LEN(members); i++)
		json_share(j, json_object_get(t->report, "command"), members[i]);
	return j;
}

int tune_json(void *ctx, struct text *out)
{
	const struct tune *t = ctx;
	json_t *j = json_object(), *list = json_array();

	for (unsigned i = 0; i < t->n; i++)
		json_append(list, candidate(t, i));
	json_add(j, "schema", json_whole(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "command", command(t));
	json_share(j, t->report, "machine");
	json_add(j, "candidates", list);
	json_add(j, "best", candidate(t, t->best));
	json_share(j, t->report, "inputs");
	json_share(j, t->report, "configuration");
	return json_print(j, out);
}

/* ---- the picture */
static void draw(const struct tune *t, struct text *out)
{
	const char *places[TUNE_CANDIDATES];
	struct chart_dot dots[TUNE_CANDIDATES + 1];
	struct chart c = {.title = "",
		.x_axis = what(t),
		.y_axis = "cycles",
		.dots = dots,
		.places = places,
		.nplaces = t->n};
	char best[64];

	for (unsigned i = 0; i < t->n; i++) {
		const struct tune_candidate *of = &t->candidates[t->n - 1 - i];

		places[i] = of->value;
		if (!of->stopped)
			dots[c.n++] = (struct chart_dot){.series = "all", .x = i, .y = of->cycles};
	}
	snprintf(best, sizeof(best), "best: %s", t->candidates[t->best].value);
	if (!t->candidates[t->best].stopped)
		dots[c.n++] = (struct chart_dot){.series = best,
			.x = t->n - 1 - t->best,
			.y = t->candidates[t->best].cycles};
	chart_draw(&c, out);
}

/* Candidates from the fewest threads on the left; cycles from zero up. */
void tune_svg(void *ctx, struct text *out)
{
	const struct tune *t = ctx;
	struct text words = {0};

	text_add(&words, "%s: cycles by %s, storage %s", t->target, what(t), t->sm.name);
	svg_open(CHART_WIDTH, CHART_HEIGHT, text_str(&words), out);
	out->failed |= words.failed;
	text_clear(&words);
	draw(t, out);
	text_add(out, "</svg>\n");
}
