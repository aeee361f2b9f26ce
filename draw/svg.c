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

void svg_open(int width, int height, const char *title, struct text *out)
{
	text_add(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
		"0 "
		"%d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
		width, height, width, height, width, height);
	svg_label(12, 24, " font-size=\"15\"", title, out);
}
