/* The policy "spread": of a launch of many CTAs, short windows in time between CTAs that are
 * executed only, over the whole grid, whose rate may change along it. */
#include "runs/sample/policies.h"

#include <math.h>

#define LEAST 4    /* times the resident CTAs: of fewer nothing is skipped */
#define SHORT 2    /* times the resident CTAs have ended before the first window: all run in time */
#define TIMED 2.5  /* times the resident CTAs: in time, at least, */
#define MOST 9     /* and a stretch is no more times what is in time between two */
#define DOUBT 0.03 /* of stretches: memory is as the CTAs between windows leave it */

/* Instructions of a CTA, as far as they have run: those that are resident, half of them. */
static double of_cta(const struct gpu_cta_view *v)
{
	double ctas = (double)(v->finished + v->skipped);

	return (double)(v->instructions + v->executed) /
	       (ctas + (double)(v->started - v->finished) / 2);
}

/* CTAs that may still be skipped: in all a multiple of those that are resident, so that a grid's
 * last CTAs fill the chip as they would. */
static uint64_t left(const struct gpu_cta_view *v)
{
	uint64_t fills = (uint64_t)((double)v->ctas / (double)v->resident - TIMED);

	return fills * v->resident - v->skipped;
}

/* What is skipped is asked for next. */
static uint64_t advance(struct sample_progress *p, const struct gpu_cta_view *v, uint64_t *again)
{
	double times = fmin((double)v->ctas / (TIMED * (double)v->resident) - 1, MOST);

	p->wait = 0;
	p->within.doubt = DOUBT;
	if (v->ctas < LEAST * v->resident || !left(v) ||
		(!p->within.n && v->finished >= SHORT * v->resident))
		*again = UINT64_MAX;
	else if (sample_measure(&p->within, v, again))
		p->wait =
			(uint64_t)fmin(times * (double)sample_period(&p->within) / of_cta(v) + 0.5,
				(double)left(v));
	return 0;
}

static uint64_t skip(struct sample_progress *p, const struct gpu_cta_view *v)
{
	uint64_t n = p->wait;

	(void)v;
	p->wait = 0;
	return n;
}

const struct sample_policy sample_spread_out = {.name = "spread",
	.text = "of each launch, short windows between CTAs, over the whole grid",
	.settles = true,
	.skip = skip,
	.advance = advance};
