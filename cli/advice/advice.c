/* Advice: what the rules find, as estimates of the run's time, those with most to gain first: by
 * proof, where there is one. */
#include "cli/advice/inside.h"

#include "core/base.h"
#include "draw/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_TEXT(id, text) text,
static const char *const unit_names[] = {ADVICE_UNITS(UNIT_TEXT)};

void advice_add(struct advice *a, const struct traffic_item *line, double cycles, double *most)
{
	if (cycles <= 0)
		return;
	a->cycles += cycles;
	if (cycles > *most) {
		*most = cycles;
		a->line = line;
	}
}

/* The rest of the run takes as long as before, but not less than a unit needs that is not
 * relieved. */
static void estimate(const struct facts *f, struct advice *a)
{
	double share = f->resident > 0 ? fmin(0.999, a->cycles / f->resident) : 0;

	a->after = f->cycles * (1 - share);
	for (unsigned u = 0; u < ADVICE_UNIT_COUNT; u++) {
		bool relieved = a->rule->relieves >> u & 1;
		double least = fmin(relieved ? a->left[u] : f->busy[u], f->cycles);

		if (least <= a->after)
			continue;
		a->after = least;
		a->bound = unit_names[u];
	}
	a->speedup = a->after > 0 ? f->cycles / a->after : 1;
}

static double least_known(const struct advice *a)
{
	return isnan(a->proved) ? a->after : a->proved;
}

static int by_gain(const void *x, const void *y)
{
	double a = least_known(x), b = least_known(y);

	if (a != b)
		return a < b ? -1 : 1;
	return strcmp(
		((const struct advice *)x)->rule->name, ((const struct advice *)y)->rule->name);
}

void advice_sort(struct advices *all)
{
	qsort(all->at, all->n, sizeof(*all->at), by_gain);
}

/* Whole numbers of the text with separators. */
static void group_numbers(struct text *t)
{
	struct text out = {0};
	size_t n;

	for (const char *at = text_str(t); *at; at += n) {
		char number[32];

		n = strcspn(at, "0123456789");
		text_bytes(&out, at, n);
		at += n;
		n = strspn(at, "0123456789");
		if (n > 3 && n < 19 && at[n] != '.')
			text_raw(&out, "%s", number_grouped(strtoull(at, NULL, 10), number));
		else
			text_bytes(&out, at, n);
		if (at[n] == '.') { /* decimals */
			at += n;
			n = 1 + strspn(at + 1, "0123456789");
			text_bytes(&out, at, n);
		}
	}
	out.failed |= t->failed;
	text_clear(t);
	*t = out;
}

struct advices advice_look(const struct traffic *t)
{
	struct facts f = {0};
	struct advices all = {0};
	unsigned n = 0;

	facts_gather(&f, t);
	while (rules[n])
		n++;
	all.at = arena_alloc(t->arena, n + 1, sizeof(*all.at));
	for (unsigned i = 0; i < n && f.cycles > 0; i++) {
		struct advice a = {.rule = rules[i],
			.limit = &limits[limit_find(rules[i]->limit)],
			.also = rules[i]->also ? &limits[limit_find(rules[i]->also)] : NULL,
			.proved = NAN,
			.fixed = {NAN, NAN}};

		rules[i]->look(&f, &a);
		estimate(&f, &a);
		if (a.speedup < ADVICE_LEAST) {
			text_clear(&a.measured);
			continue;
		}
		group_numbers(&a.measured);
		all.at[all.n++] = a;
	}
	advice_sort(&all);
	return all;
}

const char *advice_limits(const struct advice *a, char out[64])
{
	snprintf(out, 64, "%s%s%s", a->limit->name, a->also ? " and " : "",
		a->also ? a->also->name : "");
	return out;
}

void advice_clear(struct advices *all)
{
	for (unsigned i = 0; i < all->n; i++)
		text_clear(&all->at[i].measured);
	all->n = 0;
}
