/* Estimates of how long runs take. */
#include "cli/pace.h"

#include <stdio.h>
#include <string.h>

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

double pace_mean_s(const struct paces *p, const struct pace *pace)
{
	double sum = 0;
	unsigned n = 0;

	if (pace->n)
		return pace->sum_s / pace->n;
	for (unsigned i = 0; i < p->n; i++) {
		sum += p->at[i].sum_s;
		n += p->at[i].n;
	}
	return n ? sum / n : 0;
}

void pace_show_left(double left)
{
	if (left > 7200)
		fprintf(stderr, ", about %.1f h left", left / 3600);
	else if (left > 120)
		fprintf(stderr, ", about %.0f min left", left / 60);
	else if (left > 0)
		fprintf(stderr, ", about %.0f s left", left);
}
