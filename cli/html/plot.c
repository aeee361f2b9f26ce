/* Plots over time: one range of cycles for all of a page, which its script changes. */
#include "cli/html/html.h"

#include "draw/number.h"
#include "draw/svg.h"

void page_plot_open(const struct page_plot *p, struct text *out)
{
	text_add(out,
		"<div class=\"wide\"><svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot-time\" "
		"viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-size=\"12\" "
		"data-cycles=\"%llu\" role=\"img\" aria-label=\"",
		PAGE_PLOT_ALL, p->high + 30, PAGE_PLOT_ALL, p->high + 30,
		(unsigned long long)p->cycles);
	svg_escaped(p->name, out);
	text_add(out, "\">\n");
}

void page_plot_label(double y, const char *words, struct text *out)
{
	text_add(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" class=\"lb\">",
		PAGE_PLOT_LEFT - 8, y);
	svg_escaped(words, out);
	text_add(out, "</text>\n");
}

void page_plot_shapes(const struct page_plot *p, struct text *out)
{
	text_add(out,
		"<svg x=\"%d\" y=\"0\" width=\"%d\" height=\"%d\" viewBox=\"0 0 1000 %d\" "
		"data-high=\"%d\" preserveAspectRatio=\"none\">\n<rect x=\"0\" y=\"0\" "
		"width=\"1000\" height=\"%d\" class=\"bg\"/>\n",
		PAGE_PLOT_LEFT, PAGE_PLOT_WIDE, p->high, p->high, p->high, p->high);
}

void page_plot_close(const struct page_plot *p, struct text *out)
{
	text_add(out, "</svg>\n");
	for (unsigned i = 0; i <= 4; i++) {
		double x = PAGE_PLOT_LEFT + PAGE_PLOT_WIDE * i / 4.0;
		char number[32];

		text_add(out,
			"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" class=\"ax\"/><text "
			"x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" class=\"lb tick\">%s</text>\n",
			x, x, p->high, p->high + 5, x, p->high + 19,
			number_grouped(p->cycles * i / 4, number));
	}
	text_add(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" class=\"lb\">cycles</text>\n",
		PAGE_PLOT_ALL, p->high + 19);
	text_add(out, "</svg></div>\n");
}

void page_plot_buttons(struct text *out)
{
	text_add(out, "<p class=\"tools zoom\"><span class=\"dim\">All plots show the same cycles. "
		      "Keys + - 0 and arrows, the wheel with Ctrl.</span></p>\n");
}
