/* The six workloads of chapter 7 in the order of a figure, and the rows that claims about all six
 * make. */
#include "papers/dissertation/six.h"

#include <stdio.h>
#include <string.h>

static void plot(struct book *b, unsigned w, enum ch7_design id, const char *axis, double y)
{
	bool is_unified = id >= CH7_U128;

	book_plot(b, &(struct book_dot){book_workload(b, w),
			     id == CH7_LIMITED ? "limited"
			     : is_unified      ? "unified"
					       : "fixed",
			     "KB of storage", axis, ch7_designs[id].kb, y});
}

void six_tell(struct book *b, ch7_figure *figure, const char *unit)
{
	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int at = ch7_at(b, i);
		unsigned w = (unsigned)at;

		for (unsigned id = 0; at >= 0 && id < CH7_DESIGNS; id++) {
			enum ch7_design design = (enum ch7_design)id;
			double v = figure(b, w, design);

			plot(b, w, design, unit, v);
			if (id == CH7_BASE)
				continue;
			book_tell(b, unit, v, "%s: %s", ch7_workloads[i], ch7_designs[id].name);
		}
	}
}

double six_gain(double ratio)
{
	return 100 * (ratio - 1);
}

struct six six_of(struct book *b, ch7_figure *figure, enum ch7_design id)
{
	struct six s = {.n = 0};

	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int w = ch7_at(b, i);
		double v = w < 0 ? NAN : six_gain(figure(b, (unsigned)w, id));
		unsigned at = s.n;

		if (isnan(v))
			continue;
		for (; at && s.v[at - 1] > v; at--) {
			s.v[at] = s.v[at - 1];
			s.workload[at] = s.workload[at - 1];
		}
		s.v[at] = v;
		s.workload[at] = i;
		s.n++;
	}
	return s;
}

double six_count(const struct six *s, double low, double high)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++)
		n += s->v[i] >= low && s->v[i] <= high;
	return s->n == CH7_WORKLOADS ? (double)n : NAN;
}

double six_at(const struct six *s, unsigned workload)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->workload[i] == workload)
			return s->v[i];
	return NAN;
}

bool six_is_from(const struct six *s, unsigned workload, double low, double high)
{
	return six_at(s, workload) >= low && six_at(s, workload) <= high;
}

double six_least(const struct six *s)
{
	return s->n == CH7_WORKLOADS ? s->v[0] : NAN;
}

double six_most(const struct six *s)
{
	return s->n == CH7_WORKLOADS ? s->v[CH7_WORKLOADS - 1] : NAN;
}

const char *six_name(const struct six *s, unsigned i)
{
	return s->n == CH7_WORKLOADS ? ch7_workloads[s->workload[i]] : NULL;
}

const char *six_words(struct book *b, const struct six *s)
{
	char words[480] = "";

	for (unsigned i = 0; i < s->n; i++) {
		size_t n = strlen(words);

		snprintf(words + n, sizeof(words) - n, "%s%s %.1f", i ? ", " : "",
			ch7_workloads[s->workload[i]], s->v[i]);
	}
	return s->n == CH7_WORKLOADS ? book_words(b, "%s", words) : NULL;
}

void six_say_count(struct book *b, const char *claim, const char *text, double paper,
	const double range[2], const struct six *s)
{
	book_say_text(b, text,
		book_band(claim, "workloads", band_exact(paper), six_count(s, range[0], range[1]),
			six_words(b, s)));
}

void six_say_sorted(
	struct book *b, const char *claim, const double *paper, double points, const struct six *s)
{
	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		bool whole = s->n == CH7_WORKLOADS;
		struct book_row row =
			book_band(claim, "% more", band_percent_or_points(paper[i], 20, points),
				whole ? s->v[i] : NAN, six_name(s, i));

		book_sayf(b, &row, "gains in their order: %u", i + 1);
	}
}
