/* Pictures as SVG. */
#include "draw/svg.h"

#include "core/plain.h"

#include <string.h>

void svg_escaped(const char *s, struct text *out)
{
	size_t left = strlen(s);

	while (left) {
		char plain[PLAIN_BYTES];
		size_t n = plain_step(s, left, plain);

		if (strchr("<&>\"'", *s))
			text_add(out, "&#%d;", *s);
		else if (*s == '\n' || *s == '\t')
			text_bytes(out, s, 1);
		else
			text_bytes(out, plain, strlen(plain));
		s += n;
		left -= n;
	}
}

void svg_label(int x, int y, const char *style, const char *words, struct text *out)
{
	text_add(out, "<text x=\"%d\" y=\"%d\"%s>", x, y, style);
	svg_escaped(words, out);
	text_add(out, "</text>\n");
}

#define LIGHT(n, colour) " class=\"s" #n "\" color=\"" colour "\""
static const char *const series[SVG_SERIES] = {LIGHT(0, "#1f4e8c"), LIGHT(1, "#b5651d"),
	LIGHT(2, "#3f7f4e"), LIGHT(3, "#8c2d4a"), LIGHT(4, "#6a51a3"), LIGHT(5, "#25808f"),
	LIGHT(6, "#777777"), LIGHT(7, "#9c7a10")};

const char *svg_series(unsigned k)
{
	return series[k % SVG_SERIES];
}

/* Inside a page none of it applies: there the root is no picture. */
static const char dark[] =
	"<style>@media(prefers-color-scheme:dark){svg:root{fill:#dde3ea}svg:root .sheet{fill:#14181e}"
	"svg:root .ax{stroke:#9aa6b3}svg:root .gr{stroke:#2f3742}svg:root .s0{color:#7fb2ee}"
	"svg:root .s1{color:#f0a654}svg:root .s2{color:#7fcb90}svg:root .s3{color:#ff93ad}"
	"svg:root .s4{color:#b9a3f0}svg:root .s5{color:#69cfe0}svg:root .s6{color:#aab2bb}"
	"svg:root .s7{color:#e8cf6a}}</style>\n";

static void open_picture(
	int width, int height, const char *style, const char *title, struct text *out)
{
	text_add(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
		"0 "
		"%d %d\" class=\"drawn\" fill=\"#1d2430\" font-family=\"sans-serif\" "
		"font-size=\"12\" role=\"img\"",
		width, height, width, height);
	if (*title) {
		text_add(out, " aria-label=\"");
		svg_escaped(title, out);
		text_add(out, "\"");
	}
	text_raw(out, ">\n%s", style);
	text_add(out, "<rect class=\"sheet\" width=\"%d\" height=\"%d\" fill=\"white\"/>\n", width,
		height);
	if (*title)
		svg_label(12, 24, " font-size=\"15\"", title, out);
}

void svg_open(int width, int height, const char *title, struct text *out)
{
	open_picture(width, height, dark, title, out);
}

void svg_open_inside(int width, int height, const char *title, struct text *out)
{
	open_picture(width, height, "", title, out);
}
