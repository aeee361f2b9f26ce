/* The curve of a tuning and its best point: text, a drawing, CSV and JSON. */
#include "cli/tune.h"

#include "cli/compare/compare.h"
#include "draw/csv.h"
#include "draw/number.h"
#include "draw/svg.h"
#include "runs/json.h"
#include "runs/report.h"

#include <inttypes.h>
#include <math.h>

#define SCHEMA 1
#define BAR 40

/* The first that no limit stopped; there is one. */
static unsigned first_done(const struct tune *t)
{
	unsigned i = 0;

	while (t->candidates[i].stopped)
		i++;
	return i;
}

/* Speedup over the default: the most threads; of splits the first. */
static double speedup(const struct tune *t, unsigned i)
{
	return t->candidates[first_done(t)].cycles / t->candidates[i].cycles;
}

static const char *what(const struct tune *t)
{
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
static void row(const struct tune *t, unsigned i, struct text *out)
{
	const struct tune_candidate *c = &t->candidates[i];
	int length = (int)lround(BAR * c->cycles / slowest(t));
	char cycles[32], bytes[32];

	text_add(out, "  %9s", c->value);
	if (t->o->splits)
		text_add(out, " %7.0f", c->threads);
	if (c->stopped) {
		text_add(out, " %14s  stopped by a limit\n", "-");
		return;
	}
	text_add(out, " %14s %8.3f %16s %9.1f %s ", number_grouped((uint64_t)c->cycles, cycles),
		speedup(t, i), number_grouped((uint64_t)c->dram_bytes, bytes),
		c->cache_bytes / 1024, i == t->best ? "*" : " ");
	for (int k = 0; k < length; k++)
		text_add(out, "=");
	text_add(out, "\n");
}

void tune_text(void *ctx, struct text *out)
{
	const struct tune *t = ctx;
	const struct tune_candidate *best = &t->candidates[t->best];

	text_add(out, "warpbeam %s (%s): %s, %s of an SM, storage %s\n", program_version(),
		program_build(), t->target, what(t), t->storage);
	report_machine_lines(json_object_get(t->report, "machine"), out);
	text_add(out, "  %9s", what(t));
	if (t->o->splits)
		text_add(out, " %7s", "threads");
	text_add(out, " %14s %8s %16s %9s\n", "cycles", "speedup", "DRAM bytes", "cache KB");
	for (unsigned i = 0; i < t->n; i++)
		row(t, i, out);
	text_add(out, "best: %s %s, %.3f times as fast as %s (--set %s)\n", what(t), best->value,
		speedup(t, t->best), t->candidates[first_done(t)].value, best->setting);
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
#define WIDTH 640
#define HEIGHT 320
#define LEFT 60
#define TOP 50

static int x_of(const struct tune *t, unsigned i)
{
	return LEFT + (int)((t->n - 1 - i) * (WIDTH - 2 * LEFT) / (t->n > 1 ? t->n - 1 : 1));
}

static int y_of(const struct tune *t, unsigned i)
{
	return TOP + (int)lround((HEIGHT - 2 * TOP) * (1 - t->candidates[i].cycles / slowest(t)));
}

/* Candidates from the fewest threads on the left; cycles from zero up. */
void tune_svg(void *ctx, struct text *out)
{
	const struct tune *t = ctx;
	struct text words = {0};
	bool drawn = false;

	text_add(&words, "%s: cycles by %s, storage %s", t->target, what(t), t->storage);
	svg_open(WIDTH, HEIGHT, text_str(&words), out);
	text_clear(&words);
	text_add(out, "<path fill=\"none\" stroke=\"#1f4e8c\" stroke-width=\"2\" d=\"");
	for (unsigned i = 0; i < t->n; i++) {
		if (t->candidates[i].stopped)
			continue;
		text_add(out, "%c%d %d", drawn ? 'L' : 'M', x_of(t, i), y_of(t, i));
		drawn = true;
	}
	text_add(out, "\"/>\n<path stroke=\"#888888\" d=\"M%d %dH%d\"/>\n", LEFT, HEIGHT - TOP,
		WIDTH - LEFT);
	for (unsigned i = 0; i < t->n; i++) {
		if (t->candidates[i].stopped)
			continue;
		text_add(out, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"%s\"/>\n", x_of(t, i),
			y_of(t, i), i == t->best ? 6 : 3, i == t->best ? "#b5651d" : "#1f4e8c");
		if (t->n <= 16 || i == t->best || i == 0 || i == t->n - 1)
			svg_label(x_of(t, i), HEIGHT - TOP + 20, " text-anchor=\"middle\"",
				t->candidates[i].value, out);
	}
	text_add(out, "</svg>\n");
}
