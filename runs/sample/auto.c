/* The policy "auto": as "launches" while a kernel's launches are even; of launches in time, as
 * "within", "spread", "ctas" or "interval", by how often their CTAs fill the chip and how long
 * they take: where two fills end before "spread" has its first window, as "ctas". */
#include "runs/sample/policies.h"

static const struct {
	uint64_t fills; /* at least, times the resident CTAs */
	const struct sample_policy *policy;
} choices[] = {
	{64, &sample_interval}, {16, &sample_ctas}, {4, &sample_spread_out}, {0, &sample_within}};

/* Fewer than half of the resident CTAs have ended when the first window may begin: "spread" would
 * time two fills of them, most of the launch. */
static bool last(struct sample_progress *p, const struct gpu_cta_view *v)
{
	if (!p->chosen && (v->cycle >= v->start_cycle + p->within.settled ||
				  2 * v->finished >= v->resident)) {
		p->chosen = true;
		p->lasting = 2 * v->finished < v->resident;
	}
	return p->lasting;
}

static const struct sample_policy *choose(struct sample_progress *p, const struct gpu_cta_view *v)
{
	unsigned i = 0;

	while (v->ctas < choices[i].fills * v->resident)
		i++;
	return choices[i].policy == &sample_spread_out && last(p, v) ? &sample_within
								     : choices[i].policy;
}

static bool times(const struct sample_offer *o)
{
	return o->uneven || sample_launches.times(o);
}

static uint64_t skip(struct sample_progress *p, const struct gpu_cta_view *v)
{
	const struct sample_policy *policy = choose(p, v);

	if (policy == &sample_spread_out && !p->within.n)
		policy = &sample_ctas;
	return policy->skip ? policy->skip(p, v) : 0;
}

static uint64_t advance(struct sample_progress *p, const struct gpu_cta_view *v, uint64_t *again)
{
	const struct sample_policy *policy = choose(p, v);

	return policy->advance ? policy->advance(p, v, again) : 0;
}

const struct sample_policy sample_auto = {.name = "auto",
	.text = "launches, and of those in time within, spread, ctas or interval",
	.settles = true,
	.times = times,
	.skip = skip,
	.advance = advance};
