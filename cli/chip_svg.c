/* A machine's block diagram. */
#include "cli/chip.h"

#include "draw/svg.h"

#include <math.h>

#define WIDTH 900
#define HEIGHT 430
#define LEFT 24
#define SPAN (WIDTH - 2 * LEFT)
#define DRAWN 6u /* parts of a kind that are drawn; "x 80" says how many there are */

struct row {
	const char *name;
	unsigned series;
	int y, height;
	double n; /* parts of the kind */
};

static void box(int x, int y, int width, int height, unsigned series, struct text *out)
{
	text_add(out,
		"<g%s><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" "
		"fill=\"currentColor\" fill-opacity=\"0.2\"" SVG_AXIS "/></g>\n",
		svg_series(series), x, y, width, height);
}

static void label(int x, int y, const char *words, struct text *out)
{
	svg_label(x, y, " text-anchor=\"middle\"", words, out);
}

/* A row of parts, the first of them with its name and the number. */
static void parts(const struct row *r, struct text *out)
{
	unsigned n = r->n < DRAWN ? (unsigned)r->n : DRAWN;
	int step = SPAN / (int)(n ? n : 1);

	for (unsigned i = 0; i < n; i++) {
		struct text words = {0};

		if (!i)
			text_add(&words, "%s x %.0f", r->name, r->n);
		else if (i + 1 == n && r->n > DRAWN)
			text_add(&words, "...");
		box(LEFT + (int)i * step, r->y, step - 8, r->height, r->series, out);
		if (words.len)
			label(LEFT + (int)i * step + step / 2 - 4, r->y + r->height / 2 + 4,
				text_str(&words), out);
		out->failed |= words.failed;
		text_clear(&words);
	}
}

/* Between two rows: what moves there at most. */
static void arrow(
	const struct sheet *s, int y, const char *figure, const char *more, struct text *out)
{
	struct text words = {0};
	char number[48];

	text_add(out,
		"<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"" SVG_AXIS " stroke-width=\"2\"/>\n",
		WIDTH / 2 - 160, y, WIDTH / 2 - 160, y + 30);
	text_add(&words, "%s GB/s%s", sheet_amount(sheet_figure(s, figure), number), more);
	svg_label(WIDTH / 2 - 148, y + 19, "", text_str(&words), out);
	out->failed |= words.failed;
	text_clear(&words);
}

static void sm_words(const struct sheet *s, struct text *out)
{
	struct text words = {0};
	char number[48];

	text_add(&words, "an SM: %.0f warps, %.0f scheduler%s, ", sheet_number(s, "sm.warps"),
		sheet_number(s, "sm.schedulers"),
		text_s((uint64_t)sheet_number(s, "sm.schedulers")));
	sheet_storage(s, &words);
	svg_label(LEFT, 52, "", text_str(&words), out);
	out->failed |= words.failed;
	text_clear(&words);
	text_add(&words, "all: %s GFLOPS f32", sheet_amount(sheet_figure(s, "f32"), number));
	text_add(&words, ", %s GFLOPS f64", sheet_amount(sheet_figure(s, "f64"), number));
	text_add(&words, ", shared memory %s GB/s",
		sheet_amount(sheet_figure(s, "shared_gb_s"), number));
	text_add(&words, ", %s MHz", sheet_amount(sheet_figure(s, "sm_mhz"), number));
	svg_label(LEFT, 70, "", text_str(&words), out);
	out->failed |= words.failed;
	text_clear(&words);
}

static void network(const struct sheet *s, int y, struct text *out)
{
	struct text words = {0};
	char number[48];

	text_add(&words, "network: %s, %s MHz", sheet_word(s, "chip.network"),
		sheet_amount(sheet_figure(s, "l2_mhz"), number));
	box(LEFT, y, SPAN - 8, 34, 6, out);
	label(WIDTH / 2, y + 21, text_str(&words), out);
	out->failed |= words.failed;
	text_clear(&words);
}

void sheet_svg(const struct sheet *s, struct text *out)
{
	double channels = sheet_number(s, "chip.channels");
	const struct row sms = {"SM", 0, 84, 70, sheet_number(s, "chip.sms")},
			 slices = {"L2 slice", 2, 248, 46,
				 channels * sheet_number(s, "chip.slices")},
			 dram = {"DRAM channel", 1, 324, 46, channels};
	struct text title = {0}, more = {0};
	char number[48];

	text_add(&title, "%s: ", s->name);
	description_title(s->machine, &title);
	svg_open(WIDTH, HEIGHT, text_str(&title), out);
	sm_words(s, out);
	parts(&sms, out);
	arrow(s, 154, "sm_gb_s", " to the SMs", out);
	network(s, 184, out);
	arrow(s, 218, "l2_gb_s", " of the slices", out);
	parts(&slices, out);
	text_add(&more, " of DRAM; L2 of %s KB", sheet_amount(sheet_figure(s, "l2_kb"), number));
	arrow(s, 294, "dram_gb_s", text_str(&more), out);
	parts(&dram, out);
	text_clear(&more);
	text_add(&more, "validated against: %s", description_validated(s->machine));
	svg_label(LEFT, HEIGHT - 24, "", text_str(&more), out);
	text_add(out, "</svg>\n");
	out->failed |= title.failed | more.failed;
	text_clear(&more);
	text_clear(&title);
}
