/* Curves as pictures: one for each target, title and column. */
#include "papers/book_inside.h"

#include "draw/chart.h"
#include "draw/svg.h"

#include <string.h>

/* Whether two points belong to one picture. */
static bool is_together(const struct book_curve_dot *a, const struct book_curve_dot *b)
{
	return a->target == b->target && a->column == b->column &&
	       !strcmp(a->dot.title, b->dot.title);
}

/* Whether a picture begins with this point. */
static bool is_first(const struct book *b, unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (is_together(&b->dots[i], &b->dots[at]))
			return false;
	return true;
}

static void draw(const struct book *b, unsigned at, struct text *out)
{
	const struct book_curve_dot *first = &b->dots[at];
	const struct paper *paper = first->paper;
	struct chart_dot *dots = mem_alloc(b->ndots, sizeof(*dots));
	struct chart c = {.x_axis = first->dot.x_axis,
		.y_axis = first->dot.y_axis,
		.dots = dots,
		.dashed = BOOK_PAPER};
	struct text title = {0};

	if (!dots) {
		out->failed = true;
		return;
	}
	for (unsigned i = at; i < b->ndots; i++) {
		const struct book_dot *d = &b->dots[i].dot;

		if (is_together(first, &b->dots[i]))
			dots[c.n++] = (struct chart_dot){.series = d->series, .x = d->x, .y = d->y};
	}
	text_add(&title, "%s, %s: %s", first->target->name, first->dot.title,
		paper->columns[first->column].name);
	c.title = text_str(&title);
	chart_draw(&c, out);
	out->failed |= title.failed;
	text_clear(&title);
	mem_free(dots);
}

void book_svg(const struct book *b, struct text *out)
{
	int n = 0;

	for (unsigned i = 0; i < b->ndots; i++)
		n += is_first(b, i);
	svg_open(CHART_WIDTH, 30 + n * CHART_HEIGHT, b->targets[0]->text, out);
	n = 0;
	for (unsigned i = 0; i < b->ndots; i++) {
		if (!is_first(b, i))
			continue;
		text_add(out, "<g transform=\"translate(0 %d)\">\n", 30 + n++ * CHART_HEIGHT);
		draw(b, i, out);
		text_add(out, "</g>\n");
	}
	text_add(out, "</svg>\n");
}

void book_pictures(const struct book *b, const struct target *target, struct text *out)
{
	for (unsigned i = 0; i < b->ndots; i++) {
		if (b->dots[i].target != target || !is_first(b, i))
			continue;
		svg_open_inside(CHART_WIDTH, CHART_HEIGHT, "", out);
		draw(b, i, out);
		text_add(out, "</svg>\n");
	}
}
