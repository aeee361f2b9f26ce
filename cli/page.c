#include "cli/page.h"

#include "core/text.h"

#include <string.h>

enum { PAGE_COLUMNS = 100 };

/* The bytes of a line that fit: up to a blank, or to the end of a word that is longer than a line.
 */
static size_t fits(const char *s, size_t n, size_t columns)
{
	size_t cut = columns;

	if (n <= columns)
		return n;
	while (cut && s[cut] != ' ')
		cut--;
	if (!cut)
		for (cut = columns; cut < n && s[cut] != ' ';)
			cut++;
	return cut;
}

static void wrap_line(const char *s, size_t n, struct text *out)
{
	bool item = n >= 2 && !strncmp(s, "- ", 2);
	size_t indent = 0;

	do {
		size_t first = indent ? 0 : item ? 2 : 0; /* "- " is not where a line ends */
		size_t len = first + fits(s + first, n - first, PAGE_COLUMNS - indent - first);

		text_raw(out, "%*s%.*s\n", (int)indent, "", (int)len, s);
		len += len < n;
		s += len;
		n -= len;
		indent = item ? 2 : 0;
	} while (n);
}

void page_wrapped(const struct text *page, struct text *out)
{
	bool fence = false;

	for (const char *s = text_str(page); *s;) {
		size_t n = strcspn(s, "\n");

		fence ^= n >= 3 && !strncmp(s, "```", 3);
		if (fence)
			text_raw(out, "%.*s\n", (int)n, s);
		else
			wrap_line(s, n, out);
		s += n + (s[n] == '\n');
	}
	out->failed |= page->failed;
}
