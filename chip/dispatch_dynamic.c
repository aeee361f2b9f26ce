/* Dynamic dispatch: the first CTA that has not started, to an SM with space. */
#include "chip/policy.h"

static uint64_t next(const void *self, const void *launch, const struct dispatch_view *v)
{
	(void)self;
	(void)launch;
	return v->started < v->ctas ? v->started : NO_CTA;
}

static const struct dispatch_ops ops = {.next = next};

const struct plugin dispatch_dynamic = {
	.kind = "dispatch",
	.name = "dynamic",
	.text = "The next CTA goes to the next SM, round robin, that has space.",
	.ops = &ops,
};
