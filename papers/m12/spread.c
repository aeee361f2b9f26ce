/* The least, the most and the mean of a figure over a set of workloads, and rows of them. */
#include "papers/m12/spread.h"

#include <stdio.h>

void spread_add(struct spread *s, double v, unsigned workload)
{
	if (!s->n || v < s->least) {
		s->least = v;
		s->at_least = workload;
	}
	if (!s->n || v > s->most) {
		s->most = v;
		s->at_most = workload;
	}
	s->sum += v;
	s->n++;
}

double spread_mean(const struct spread *s)
{
	return s->n ? s->sum / s->n : NAN;
}

double spread_or_nan(const struct spread *s, double v)
{
	return s->n ? v : NAN;
}

/* A row of `of[0]` workloads together, where the paper's is of of[1]. */
void spread_say(struct book *b, const struct book_row *row, const char *format, const char *name,
	const unsigned of[2])
{
	struct book_row r = *row;

	snprintf(r.text, sizeof(r.text), format, name);
	m12_say_all(b, &r, of[0], of[1]);
}

void spread_say_one(
	struct book *b, const struct book_row *row, const char *format, const char *name)
{
	spread_say(b, row, format, name, (unsigned[]){1, 1});
}
