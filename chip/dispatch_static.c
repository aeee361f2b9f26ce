/* Static dispatch: the CTAs of each SM are fixed before the launch starts, as the single-SM
 * shortcut assumes. */
#include "chip/policy.h"

static uint64_t next(const void *self, const void *launch, const struct dispatch_view *v)
{
	uint64_t cta = v->position + v->started_here * v->sms;

	(void)self;
	(void)launch;
	return cta < v->ctas ? cta : NO_CTA;
}

static const struct dispatch_ops ops = {.next = next};

const struct plugin dispatch_static = {
	.kind = "dispatch",
	.name = "static",
	.text = "CTA i goes to SM i mod n, even if others have space.",
	.ops = &ops,
};
