/* The ladder as a picture: a group of bars for each target, cycles in ratio to the chip's. */
#include "cli/compare/compare.h"

#include "draw/svg.h"

#include <math.h>

#define WIDTH 860
#define LEFT 250  /* where bars start */
#define UNIT 220  /* length of the chip's bar */
#define LIMIT 460 /* longest bar */
#define ROW 20
#define HEAD 46

/* The rungs from one SM to the chip, the ladder's last, what is added to it, the rest. */
static void paint(unsigned rung, struct text *out)
{
	static const struct {
		unsigned series;
		double opacity;
	} paints[] = {{0, 0.4}, {0, 0.46}, {0, 0.52}, {0, 0.58}, {0, 0.64}, {0, 0.7}, {0, 1},
		{4, 0.6}, {4, 0.7}, {4, 0.8}, {7, 0.8}};
	unsigned i = rung % ARRAY_LEN(paints);

	text_raw(out, "%s fill=\"currentColor\" fill-opacity=\"%.2f\"",
		svg_series(paints[i].series), paints[i].opacity);
}

static void bar(const struct subject *s, unsigned rung, int y, struct text *out)
{
	double cycles = rung_figure(s, rung, FIGURE_CHIP_CYCLES);
	double ratio = cycles / s->outcome[VARIANT_CHIP].figure[FIGURE_CHIP_CYCLES];
	int width = isfinite(ratio) ? (int)fmin(round(ratio * UNIT), LIMIT) : 0;
	char number[32], words[80];
	struct text beside = {0};

	svg_label(12, y + 13, "", rung_text(s, rung), out);
	text_add(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", LEFT, y + 2, width,
		ROW - 5);
	paint(rung, out);
	text_raw(out, "/>\n");
	compare_percent(100 * (ratio - 1), words);
	if (rung_stopped(s, rung))
		text_add(&beside, "- (limit)");
	else
		text_add(&beside, "%s (%s)", compare_number(cycles, 0, number), words);
	svg_label(LEFT + width + 6, y + 13, "", text_str(&beside), out);
	out->failed |= beside.failed;
	text_clear(&beside);
}

void compare_svg(const struct comparison *c, struct text *out)
{
	int group = (int)(nrungs + 2) * ROW, height = HEAD + (int)c->n * group, y = HEAD;

	svg_open(WIDTH, height, "From one SM to the chip: cycles, relative to the chip's", out);
	for (unsigned i = 0; i < c->n; i++, y += group) {
		svg_label(12, y + 13, " font-weight=\"bold\"", c->base[i].target, out);
		for (unsigned k = 0; k < nrungs; k++)
			bar(&c->base[i], k, y + (int)(k + 1) * ROW, out);
		text_add(out,
			"<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#c33\" "
			"stroke-dasharray=\"3 3\"/>\n",
			LEFT + UNIT, y + ROW, LEFT + UNIT, y + (int)(nrungs + 1) * ROW);
	}
	text_add(out, "</svg>\n");
}
