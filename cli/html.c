/* Words in HTML and SVG. */
#include "cli/html.h"

#include <stdarg.h>
#include <stdio.h>

void html_escaped(const char *s, struct text *out)
{
	for (; *s; s++) {
		if (*s == '<' || *s == '&' || *s == '>' || *s == '"')
			text_add(out, "&#%d;", *s);
		else
			text_bytes(out, s, 1);
	}
}

void html_add(struct text *out, const char *format, ...)
{
	char words[2048];
	va_list list;

	va_start(list, format);
	vsnprintf(words, sizeof(words), format, list);
	va_end(list);
	html_escaped(words, out);
}
