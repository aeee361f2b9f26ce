/* Estimates of how long runs take. */
#include "runs/pace.h"

#include <string.h>
#include <time.h>

struct pace *pace_of(struct paces *p, const char *kind, bool *fresh)
{
	*fresh = false;
	for (unsigned i = 0; i < p->n; i++)
		if (!strcmp(p->at[i].kind, kind))
			return &p->at[i];
	if (p->n == p->most)
		return &p->at[p->n - 1];
	*fresh = true;
	p->at[p->n] = (struct pace){.kind = kind};
	return &p->at[p->n++];
}

/* 0: unknown. */
static double expected_s(const struct paces *p, const struct pace *pace)
{
	double sum = pace->sum_s, mean;
	unsigned n = pace->n;

	for (unsigned i = 0; !pace->n && i < p->n; i++) {
		sum += p->at[i].sum_s;
		n += p->at[i].n;
	}
	mean = n ? sum / n : 0;
	return mean > pace->longest_s ? mean : 2 * pace->longest_s;
}

void pace_begin(struct paces *p)
{
	for (unsigned i = 0; i < p->n; i++) {
		p->at[i].left = 0;
		p->at[i].taken_s = p->at[i].longest_s = 0;
	}
}

void pace_run(struct pace *pace, double taken_s)
{
	pace->left++;
	pace->taken_s += taken_s;
	if (taken_s > pace->longest_s)
		pace->longest_s = taken_s;
}

double pace_left_s(const struct paces *p)
{
	double sum = 0;

	for (unsigned i = 0; i < p->n; i++)
		sum += p->at[i].left * expected_s(p, &p->at[i]) - p->at[i].taken_s;
	return sum;
}

void pace_add_left(double left, struct text *out)
{
	if (left > 7200)
		text_add(out, ", about %.1f h left", left / 3600);
	else if (left > 120)
		text_add(out, ", about %.0f min left", left / 60);
	else if (left > 0)
		text_add(out, ", about %.0f s left", left);
}

double pace_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
