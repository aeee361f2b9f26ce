/* The policy "auto": as "launches" while a kernel's launches are even; of launches in time, as
 * "interval" where many CTAs follow each other on an SM, and as "ctas" else. */
#include "runs/sample/policies.h"

#define MANY 64 /* times the resident CTAs */

static bool times(const struct sample_offer *o)
{
	return o->uneven || sample_launches.times(o);
}

static uint64_t skip(struct sample_progress *p, const struct gpu_cta_view *v)
{
	return v->ctas >= MANY * v->resident ? sample_interval.skip(p, v) : sample_ctas.skip(p, v);
}

const struct sample_policy sample_auto = {.name = "auto",
	.text = "launches, and of those in time ctas or interval",
	.times = times,
	.skip = skip};
