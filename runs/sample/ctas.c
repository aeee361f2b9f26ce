/* The policy "ctas": of a launch, CTAs are timed until their rate is stable; the others are
 * executed only while those in time stay where they are, and so its beginning and its end are
 * simulated. */
#include "runs/sample/policies.h"

#include <math.h>

#define LEAST 4     /* times the resident CTAs: of fewer nothing is skipped */
#define WAVE 4      /* windows while as many CTAs end as are resident */
#define STABLE 0.02 /* of the rate */
#define WORTH 4     /* less than this part of a launch is not skipped */

/* Where CTAs run in step, windows differ and waves do not. */
static double error_of(const struct sample_progress *p)
{
	double spread = sample_spread(p, 0, p->n);

	if (spread > STABLE && p->n >= 2 * WAVE)
		spread = fabs(sample_rate(p, p->n - WAVE, p->n) -
				 sample_rate(p, p->n - 2 * WAVE, p->n - WAVE)) /
			 sample_rate(p, 0, p->n);
	return spread;
}

static uint64_t skip(struct sample_progress *p, const struct gpu_cta_view *v)
{
	uint64_t window = (v->resident + WAVE - 1) / WAVE, left = v->ctas - v->started;

	left -= left % v->resident; /* the grid's last CTAs fill the chip as they would */
	if (v->ctas < LEAST * v->resident || v->skipped || p->n == SAMPLE_WINDOWS)
		return 0;
	if (!p->open && v->finished >= v->resident)
		sample_open_window(p, v);
	if (!sample_close_window(p, v, window) || p->n % WAVE)
		return 0;
	p->spread = error_of(p);
	return p->spread <= STABLE && left >= v->ctas / WORTH ? left : 0;
}

const struct sample_policy sample_ctas = {.name = "ctas",
	.text = "of each launch, CTAs until their rate is stable, and its end",
	.skip = skip};
