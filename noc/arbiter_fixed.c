/* Fixed-priority arbiter: the requesting input of the lowest index. It starves the others. */
#include "noc/network.h"

static unsigned pick(const void *self, const struct arbiter_view *v)
{
	(void)self;
	for (unsigned w = 0; w < (v->n + 63) / 64; w++) {
		if (v->requests[w])
			return w * 64 + low_bit(v->requests[w]);
	}
	BUG_ON(true);
	return 0;
}

static const struct arbiter_ops fixed = {.pick = pick};

const struct plugin arbiter_fixed = {
	.kind = "arbiter",
	.name = "fixed",
	.text = "The requesting input of the lowest index; can starve the others.",
	.ops = &fixed,
};
