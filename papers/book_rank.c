/* The workloads that dominate a mean, in words. */
#include "papers/book.h"

#include "core/text.h"

#include <stdlib.h>
#include <string.h>

static int by_figure(const void *a, const void *b)
{
	const struct book_ranked *x = a, *y = b;

	if (x->figure != y->figure)
		return x->figure < y->figure ? -1 : 1;
	return x->workload < y->workload ? -1 : 1;
}

/* Drops figures that are not known. */
static unsigned known(struct book_ranked *list, unsigned n)
{
	unsigned m = 0;

	for (unsigned i = 0; i < n; i++)
		if (!isnan(list[i].figure))
			list[m++] = list[i];
	return m;
}

const char *book_rank(
	struct book *b, struct book_ranked *list, unsigned n, const struct book_ranking *how)
{
	char names[400] = "";
	unsigned left = n = known(list, n);
	double sum = 0;
	const char *words;

	qsort(list, n, sizeof(*list), by_figure);
	for (unsigned i = 0; i < n; i++)
		sum += list[i].figure;
	for (unsigned i = 0; i < how->most && left && sum / left >= how->flat; i++) {
		const struct book_ranked *r = &list[how->least_first ? i : n - 1 - i];
		size_t len = strlen(names);

		sum -= r->figure;
		left--;
		snprintf(names + len, sizeof(names) - len, "%s %.*f, ",
			book_workload(b, r->workload), how->decimals, r->figure);
	}
	words = book_words(
		b, "%sthe other %u %.*f", names, left, how->decimals, left ? sum / left : 0);
	return words;
}
