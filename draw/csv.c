/* Cells of CSV, as RFC 4180 quotes them. */
#include "draw/csv.h"

#include "draw/number.h"

#include <string.h>

/* Line ends and tabs are data in a cell; all other control characters are made visible. */
static void add_plain(const char *s, struct text *out)
{
	while (*s) {
		size_t n = strcspn(s, "\n\r\t\"");

		if (n)
			text_plain(out, s, n);
		s += n;
		if (!*s)
			return;
		text_bytes(out, s, 1);
		if (*s == '"')
			text_bytes(out, s, 1);
		s++;
	}
}

static bool is_number(const char *s)
{
	double v;

	return number_real(*s == '+' || *s == '-' ? s + 1 : s, &v);
}

static void cell(const char *s, bool quoted, struct text *out)
{
	bool formula = *s && strchr("=+-@\t\r", *s) && !is_number(s);

	if (quoted)
		text_bytes(out, "\"", 1);
	if (formula)
		text_bytes(out, "'", 1);
	add_plain(s, out);
	if (quoted)
		text_bytes(out, "\"", 1);
}

void csv_words(const char *s, struct text *out)
{
	cell(s, strpbrk(s, ",\"\n\r\t"), out);
}

void csv_quoted(const char *s, struct text *out)
{
	cell(s, true, out);
}
