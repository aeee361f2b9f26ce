/* A row's picture: what was measured as bars, the paper's number as a line, its band as an area. */
#include "papers/page.h"

#include <string.h>

#define WIDTH 240
#define EDGE 4
#define BAR 8
#define GAP 3

/* A bar beyond twice the paper's and the band's would make all others short. */
#define MOST_OVER 3

static void widen(struct page_scale *s, double v)
{
	if (isnan(v) || isinf(v))
		return;
	s->low = fmin(s->low, v);
	s->high = fmax(s->high, v);
}

struct page_scale page_scale_of(const struct book *b, const struct book_said *row)
{
	struct page_scale s = {row->target, row->row.unit, 0, 0}, ours;
	unsigned n;
	const struct book_said *all = book_rows(b, &n);

	for (unsigned i = 0; i < n; i++) {
		if (all[i].target != s.target || strcmp(all[i].row.unit, s.unit))
			continue;
		widen(&s, all[i].row.paper);
		widen(&s, all[i].row.low);
		widen(&s, all[i].row.high);
	}
	ours = s;
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = 0; c < page_columns(row->paper); c++)
			if (all[i].target == s.target && !strcmp(all[i].row.unit, s.unit))
				widen(&ours, all[i].ours[c]);
	if (s.high > s.low) {
		ours.high = fmin(ours.high, MOST_OVER * s.high);
		ours.low = fmax(ours.low, -MOST_OVER * (s.high - s.low));
		widen(&ours, s.low);
		widen(&ours, s.high);
	}
	return ours;
}

/* In tenths of a pixel, for the same digits everywhere. */
static double place(const struct page_scale *s, double v)
{
	double x = (fmin(fmax(v, s->low), s->high) - s->low) / (s->high - s->low);

	return round(10 * (EDGE + x * (WIDTH - 2 * EDGE))) / 10;
}

static void bar(const struct page_scale *s, double v, unsigned c, struct text *out)
{
	double zero = place(s, 0), x = place(s, v), y = GAP + c * (BAR + GAP);
	bool beyond = v > s->high + 1e-9 || v < s->low - 1e-9;

	text_add(out, "<rect class=\"c%u\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%d\"/>", c,
		fmin(zero, x), y, fmax(fabs(x - zero), 0.5), BAR);
	if (beyond)
		text_add(out,
			"<rect class=\"more\" x=\"%.1f\" y=\"%.0f\" width=\"2\" height=\"%d\"/>",
			x + (v > 0 ? -8 : 6), y, BAR);
}

void page_bars(const struct book_said *said, const struct page_scale *s, struct text *out)
{
	const struct book_row *row = &said->row;
	unsigned columns = page_columns(said->paper);
	unsigned height = GAP + columns * (BAR + GAP);

	if (!(s->high > s->low))
		return;
	text_add(out, "<svg class=\"bars\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\">",
		WIDTH, height, WIDTH, height);
	if (!isnan(row->low) && !isnan(row->high)) {
		double low = place(s, row->low), high = place(s, row->high);

		text_add(out,
			"<rect class=\"band\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%u\"/>",
			low, fmax(high - low, 1), height);
	}
	text_add(out, "<line class=\"zero\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%u\"/>",
		place(s, 0), place(s, 0), height);
	for (unsigned c = 0; c < columns; c++)
		if (!isnan(said->ours[c]))
			bar(s, said->ours[c], c, out);
	if (!isnan(row->paper))
		text_add(out, "<line class=\"paper\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%u\"/>",
			place(s, row->paper), place(s, row->paper), height);
	text_add(out, "</svg>");
}
