/* The policy "interval": of a launch, windows of CTAs in time between stretches that are executed
 * only, as systematic sampling takes them (Wunderlich et al., SMARTS, ISCA 2003). */
#include "runs/sample/policies.h"

#define LEAST 16    /* times the resident CTAs: of fewer nothing is skipped */
#define FEW 4       /* windows */
#define EACH 6      /* times the resident CTAs: a window for each */
#define STABLE 0.03 /* of the rate: where its error is below, distances grow */
#define LONGEST 4   /* times as long */

/* How many times as far the next window is. Resident CTAs find their lines evicted by those that
 * are skipped: the fewer stretches, the less. */
static uint64_t farther(const struct sample_progress *p)
{
	return p->n < FEW || p->spread > STABLE ? 1 : p->n < 2 * FEW ? 2 : LONGEST;
}

/* A window has half as many CTAs as are resident, behind a quarter that is not measured. */
static uint64_t skip(struct sample_progress *p, const struct gpu_cta_view *v)
{
	uint64_t windows = v->ctas / (EACH * v->resident + 1), period;
	uint64_t behind = v->resident / 4 + 1, window = v->resident / 2 + 1;

	if (v->ctas < LEAST * v->resident || p->n == SAMPLE_WINDOWS)
		return 0;
	windows = windows < FEW ? FEW : windows < SAMPLE_WINDOWS ? windows : SAMPLE_WINDOWS;
	period = (v->ctas - 2 * v->resident) / windows;
	if (!p->open && v->finished >= (p->n ? p->wait : v->resident))
		sample_open_window(p, v);
	if (!sample_close_window(p, v, window))
		return 0;
	p->open = false;
	p->wait = v->finished + behind;
	p->spread = sample_spread(p, 0, p->n);
	period *= farther(p);
	return period > behind + window ? period - behind - window : 0;
}

const struct sample_policy sample_interval = {.name = "interval",
	.text = "of each launch, windows of CTAs at equal distances",
	.skip = skip};
