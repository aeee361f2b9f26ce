/* Which workloads stand out, in words. */
#include "cli/book.h"

#include "core/text.h"

#include <stdlib.h>

/* An order for figures that are not there yet, too. */
static double key(const struct book_ranked *r)
{
	return isnan(r->figure) ? -INFINITY : r->figure;
}

static int by_figure(const void *a, const void *b)
{
	const struct book_ranked *x = a, *y = b;
	double v = key(x), w = key(y);

	if (v != w)
		return v < w ? -1 : 1;
	return x->workload < y->workload ? -1 : 1;
}

const char *book_rank(
	struct book *b, struct book_ranked *list, unsigned n, const struct book_ranking *how)
{
	struct text names = {0};
	unsigned left = n;
	double sum = 0;
	const char *words;

	qsort(list, n, sizeof(*list), by_figure);
	for (unsigned i = 0; i < n; i++)
		sum += list[i].figure;
	for (unsigned i = 0; i < how->most && left && sum / left >= how->flat; i++) {
		const struct book_ranked *r = &list[how->least_first ? i : n - 1 - i];

		sum -= r->figure;
		left--;
		text_add(&names, "%s %.*f, ", book_workload(b, r->workload), how->decimals,
			r->figure);
	}
	words = book_words(b, "%sthe other %u %.*f", text_str(&names), left, how->decimals,
		left ? sum / left : 0);
	text_clear(&names);
	return words;
}
