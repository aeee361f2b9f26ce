/* A comparison with a real GPU as a scatter plot: both axes are logarithmic and alike, so the
 * diagonal is equality. Its classes let a page choose the colours. */
#include "cli/compare/hardware.h"

#include "draw/svg.h"

#include <math.h>
#include <stdio.h>

#define SIDE 330 /* of the square; with its margins it is 400 wide */
#define LEFT 58
#define TOP 40

struct axes {
	int low, high; /* powers of ten */
};

static int place_of(const struct axes *a, double v)
{
	return (int)lround((log10(v) - a->low) / (a->high - a->low) * SIDE);
}

static bool is_drawn(const struct real_row *r)
{
	return r->cycles > 0 && r->gpu_cycles > 0 && isfinite(r->cycles + r->gpu_cycles);
}

static struct axes axes_of(const struct real *c)
{
	double least = INFINITY, most = 1;
	struct axes a = {0, 1};

	for (unsigned i = 0; i < c->n; i++)
		if (is_drawn(&c->rows[i])) {
			least = fmin(least, fmin(c->rows[i].cycles, c->rows[i].gpu_cycles));
			most = fmax(most, fmax(c->rows[i].cycles, c->rows[i].gpu_cycles));
		}
	if (isfinite(least)) {
		a.low = (int)floor(log10(least));
		a.high = (int)fmax(a.low + 1, ceil(log10(most)));
	}
	return a;
}

static void draw_axes(const struct axes *a, struct text *out)
{
	text_add(out,
		"<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
		"stroke=\"#888\"/>\n<line class=\"equal\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" "
		"stroke=\"#c33\" stroke-dasharray=\"3 3\"><title>equality</title></line>\n",
		LEFT, TOP, SIDE, SIDE, LEFT, TOP + SIDE, LEFT + SIDE, TOP);
	for (int p = a->low; p <= a->high; p++) {
		int at = place_of(a, pow(10, p));
		char words[16];

		snprintf(words, sizeof(words), "1e%d", p);
		text_add(out,
			"<path class=\"grid\" d=\"M%d %dV%dM%d %dH%d\" stroke=\"#ddd\" "
			"stroke-width=\"0.5\"/>\n",
			LEFT + at, TOP, TOP + SIDE, LEFT, TOP + SIDE - at, LEFT + SIDE);
		svg_label(LEFT + at, TOP + SIDE + 16, " text-anchor=\"middle\"", words, out);
		svg_label(LEFT - 6, TOP + SIDE - at + 4, " text-anchor=\"end\"", words, out);
	}
	svg_label(LEFT + SIDE / 2, TOP + SIDE + 34, " text-anchor=\"middle\"", "the GPU, cycles",
		out);
	text_add(out, "<g transform=\"translate(14 %d) rotate(-90)\">", TOP + SIDE / 2);
	svg_label(0, 0, " text-anchor=\"middle\"", "ours, cycles", out);
	text_add(out, "</g>\n");
}

static void draw_dot(const struct axes *a, const struct real_row *r, struct text *out)
{
	char n[3][32];

	text_add(out, "<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"><title>",
		r->unscored ? "unscored" : "scored", LEFT + place_of(a, r->gpu_cycles),
		TOP + SIDE - place_of(a, r->cycles), r->unscored ? "#bbb" : "#1f4e8c");
	svg_escaped(r->label, out);
	text_add(out, ", %s: ours %s, the GPU %s cycles, ratio %s",
		r->options.size ? "full" : "small", compare_number(r->cycles, 0, n[0]),
		compare_number(r->gpu_cycles, 0, n[1]), compare_number(real_ratio(r), 3, n[2]));
	if (r->unscored) {
		text_add(out, "; not scored: ");
		svg_escaped(r->unscored, out);
	}
	text_add(out, "</title></circle>\n");
}

void real_scatter(const struct real *c, struct text *out)
{
	struct axes a = axes_of(c);
	struct text title = {0};

	text_raw(&title, "%s beside %s: cycles", c->o->run.chip, real_gpu_name(c));
	svg_open(LEFT + SIDE + 12, TOP + SIDE + 44, text_str(&title), out);
	out->failed |= title.failed;
	text_clear(&title);
	draw_axes(&a, out);
	for (unsigned i = 0; i < c->n; i++)
		if (is_drawn(&c->rows[i]))
			draw_dot(&a, &c->rows[i], out);
	text_add(out, "</svg>\n");
}
