/* Words in HTML. */
#include "draw/html.h"

#include "draw/svg.h"

#include <stdarg.h>
#include <stdio.h>

void html_add(struct text *out, const char *format, ...)
{
	char words[2048];
	va_list list;

	va_start(list, format);
	vsnprintf(words, sizeof(words), format, list);
	va_end(list);
	svg_escaped(words, out);
}
