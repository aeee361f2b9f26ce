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

static void bar(const struct subject *s, unsigned rung, int y, struct text *out)
{
	static const char *const colours[] = {"#9aa7b1", "#8ba1b5", "#7d9bb8", "#6e95bb", "#5f8fbf",
		"#3f7fc4", "#1f4e8c", "#8877b8", "#7a64ad", "#6a51a3", "#b08a3c"};
	double cycles = rung_figure(s, rung, FIGURE_CHIP_CYCLES);
	double ratio = cycles / s->outcome[VARIANT_CHIP].figure[FIGURE_CHIP_CYCLES];
	int width = isfinite(ratio) ? (int)fmin(round(ratio * UNIT), LIMIT) : 0;
	char number[32], words[80];
	struct text beside = {0};

	svg_label(12, y + 13, "", rung_text(s, rung), out);
	text_add(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", LEFT,
		y + 2, width, ROW - 5, colours[rung % ARRAY_LEN(colours)]);
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
