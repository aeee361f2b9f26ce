/* The policy "within": short windows in time between stretches in which resident warps, and the
 * CTAs that follow them, are executed only: systematic sampling (Wunderlich et al., SMARTS, ISCA
 * 2003) of a whole chip. */
#include "runs/sample/policies.h"

#include <math.h>

#define STRETCH 9  /* times what is in time between two stretches, */
#define LONGER 2   /* times as long once the error is */
#define SMALL 0.01 /* of the cycles of all stretches, */
#define DOUBT 0.1  /* of stretches: warps progress, and reach the end, otherwise than in time */
#define ENOUGH 16  /* after that many windows */
#define LEAST 64   /* instructions of a resident warp: a shorter one is mostly the way back */

/* Evenly between 3/4 and 5/4: stretches are not in step with a loop of the kernel. */
static double uneven(uint64_t n)
{
	double whole;

	return 0.75 + modf((double)n * 0.618034, &whole) / 2;
}

static uint64_t advance(struct sample_progress *p, const struct gpu_cta_view *v, uint64_t *again)
{
	const struct sample_stretches *s = &p->within;
	double half, cycles, longer = 1, instructions;

	p->within.doubt = DOUBT;
	if (!sample_measure(&p->within, v, again))
		return 0;
	cycles = sample_stretched(s, v->executed, &half);
	if (s->n > ENOUGH && half < SMALL * cycles)
		longer = LONGER;
	instructions = uneven(s->n) * fmin(STRETCH * longer * (double)sample_period(s),
					      sample_most(&p->within, v));
	return instructions < LEAST * (double)v->warps ? 0 : (uint64_t)instructions;
}

const struct sample_policy sample_within = {.name = "within",
	.text = "of each launch, short windows between stretches of its resident warps",
	.settles = true,
	.advance = advance};
