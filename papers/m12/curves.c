/* What figures 2, 3 and 4 share: points of unbounded storage, their series, and claims about
 * curves. */
#include "papers/m12/curves.h"

#include <string.h>

const unsigned curve_threads[CURVE_THREADS] = {256, 512, 768, CURVE_MOST_THREADS};

double curve_against(
	struct book *b, unsigned w, const struct design *point, const struct design *base)
{
	return store_cycles(b, w, base) / store_try_cycles(b, w, point);
}

const char *curve_series(struct book *b, const char *format, unsigned n)
{
	const char *words = book_words(b, format, n);

	return words ? words : "";
}

void curve_claim(struct book *b, const char *name, const char *text, struct band band, double ours)
{
	book_say_text(b, text, book_band(name, "times as fast", band, ours, NULL));
}

double curve_by_registers(struct book *b, int w, unsigned t, unsigned r)
{
	struct design point = store_unbounded(t, r, CURVE_CACHE_KB),
		      base = store_unbounded(CURVE_MOST_THREADS, CURVE_REGISTERS, CURVE_CACHE_KB);

	return curve_against(b, (unsigned)w, &point, &base);
}

bool curve_has(const char *workload, const char *const list[4])
{
	for (unsigned i = 0; i < 4 && list[i]; i++)
		if (!strcmp(list[i], workload))
			return true;
	return false;
}
