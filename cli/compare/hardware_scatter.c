/* A comparison with a real GPU as a scatter plot: both axes are logarithmic and alike, so the
 * diagonal is equality. */
#include "cli/compare/hardware.h"

#include "draw/chart.h"
#include "draw/svg.h"

#include <math.h>

static bool is_drawn(const struct real_row *r)
{
	return r->cycles > 0 && r->gpu_cycles > 0 && isfinite(r->cycles + r->gpu_cycles);
}

/* From decade to decade, over both axes. */
static struct chart_line equality(const struct real *c)
{
	double least = INFINITY, most = 0;

	for (unsigned i = 0; i < c->n; i++)
		if (is_drawn(&c->rows[i])) {
			least = fmin(least, fmin(c->rows[i].cycles, c->rows[i].gpu_cycles));
			most = fmax(most, fmax(c->rows[i].cycles, c->rows[i].gpu_cycles));
		}
	least = isfinite(least) ? pow(10, floor(log10(least))) : 1;
	most = fmax(10 * least, most > 0 ? pow(10, ceil(log10(most))) : 1);
	return (struct chart_line){"equality", least, least, most, most};
}

static const char *words_of(const struct real_row *r, struct arena *arena)
{
	struct text words = {0};
	const char *kept;
	char n[3][32];

	text_add(&words, "%s, %s: ours %s, the GPU %s cycles, ratio %s", r->label,
		r->options.size ? "full" : "small", compare_number(r->cycles, 0, n[0]),
		compare_number(r->gpu_cycles, 0, n[1]), compare_number(real_ratio(r), 3, n[2]));
	if (r->unscored)
		text_add(&words, "; not scored: %s", r->unscored);
	kept = arena_strdup(arena, text_str(&words));
	text_clear(&words);
	return kept;
}

void real_scatter(const struct real *c, struct text *out)
{
	struct chart_dot *dots = arena_alloc(c->arena, c->n + 1, sizeof(*dots));
	const struct chart_line line = equality(c);
	struct text title = {0};
	struct chart chart = {.title = "",
		.x_axis = "the GPU, cycles",
		.y_axis = "ours, cycles",
		.dots = dots,
		.kind = CHART_DOTS,
		.log = true,
		.dashed = "equality",
		.lines = &line,
		.nlines = 1};

	for (unsigned i = 0; i < c->n; i++) {
		const struct real_row *r = &c->rows[i];

		if (is_drawn(r))
			dots[chart.n++] =
				(struct chart_dot){.series = r->unscored ? "not scored" : "scored",
					.x = r->gpu_cycles,
					.y = r->cycles,
					.words = words_of(r, c->arena)};
	}
	text_raw(&title, "%s beside %s: cycles", c->o->run.chip, real_gpu_name(c));
	svg_open(CHART_WIDTH, CHART_HEIGHT, text_str(&title), out);
	out->failed |= title.failed;
	text_clear(&title);
	chart_draw(&chart, out);
	text_add(out, "</svg>\n");
}
