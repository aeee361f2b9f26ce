#include "papers/score.h"

#include <string.h>

/* The rank of each number, from 1; equal ones share the mean of theirs. */
static double *ranks_of(const double *v, unsigned n, struct arena *arena)
{
	double *rank = arena_alloc(arena, n + 1, sizeof(*rank));

	for (unsigned i = 0; i < n; i++) {
		unsigned less = 0, equal = 0;

		for (unsigned k = 0; k < n; k++) {
			less += v[k] < v[i];
			equal += v[k] == v[i];
		}
		rank[i] = less + (equal + 1) / 2.0;
	}
	return rank;
}

double score_rank(const double *x, const double *y, unsigned n, struct arena *arena)
{
	const double *a = ranks_of(x, n, arena), *b = ranks_of(y, n, arena);
	double mean = (n + 1) / 2.0, ab = 0, aa = 0, bb = 0;

	for (unsigned i = 0; i < n; i++) {
		ab += (a[i] - mean) * (b[i] - mean);
		aa += (a[i] - mean) * (a[i] - mean);
		bb += (b[i] - mean) * (b[i] - mean);
	}
	return n < 3 || aa == 0 || bb == 0 ? NAN : ab / sqrt(aa * bb);
}

static bool counts(const struct book_said *s, const struct score *score, unsigned column)
{
	return !strcmp(s->row.unit, score->unit) && s->row.judge == BOOK_BAND && !s->fitted &&
	       book_measures(s, column);
}

static void fill(struct score *score, const struct book_said *said, unsigned n,
	const struct target *t, unsigned column, struct arena *arena)
{
	double *ours = arena_alloc(arena, n + 1, sizeof(*ours));
	double *paper = arena_alloc(arena, n + 1, sizeof(*paper));

	for (unsigned i = 0; i < n; i++) {
		const struct book_said *s = &said[i];

		if (s->target != t || !counts(s, score, column))
			continue;
		score->judged++;
		score->within += !strcmp(book_verdict(&s->row, s->ours[column]), "within");
		if (isnan(s->row.paper) || isnan(s->ours[column]))
			continue;
		ours[score->n] = s->ours[column];
		paper[score->n++] = s->row.paper;
		score->error += fabs(s->ours[column] - s->row.paper);
	}
	score->error = score->n ? score->error / score->n : NAN;
	score->rank = score_rank(ours, paper, score->n, arena);
}

unsigned score_target(const struct book_said *said, unsigned n, const struct target *t,
	unsigned column, struct arena *arena, struct score out[SCORE_UNITS])
{
	unsigned units = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned u = 0;

		if (said[i].target != t || !book_measures(&said[i], column))
			continue;
		while (u < units && strcmp(out[u].unit, said[i].row.unit) != 0)
			u++;
		if (u == units && units < SCORE_UNITS)
			out[units++] = (struct score){.unit = said[i].row.unit};
	}
	for (unsigned u = 0; u < units; u++)
		fill(&out[u], said, n, t, column, arena);
	return units;
}
