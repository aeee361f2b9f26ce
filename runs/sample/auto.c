/* The policy "auto": as "launches" while a kernel's launches are even; of launches in time, as
 * "interval" where CTAs fill the chip several times, and as "within" where they are too few for
 * that, or short. */
#include "runs/sample/policies.h"

#define FEW 4 /* times the resident CTAs */
#define MANY 32

static bool times(const struct sample_offer *o)
{
	return o->uneven || sample_launches.times(o);
}

static bool fills(const struct gpu_cta_view *v)
{
	return v->ctas >= FEW * v->resident && v->ctas < MANY * v->resident;
}

static uint64_t skip(struct sample_progress *p, const struct gpu_cta_view *v)
{
	return fills(v) ? sample_interval.skip(p, v) : 0;
}

static uint64_t advance(struct sample_progress *p, const struct gpu_cta_view *v, uint64_t *again)
{
	return (fills(v) ? sample_interval : sample_within).advance(p, v, again);
}

const struct sample_policy sample_auto = {.name = "auto",
	.text = "launches, and of those in time interval or within",
	.times = times,
	.skip = skip,
	.advance = advance};
