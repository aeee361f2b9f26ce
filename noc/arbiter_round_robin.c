/* Round-robin arbiter: the first requesting input after the one granted last. */
#include "noc/network.h"

static unsigned pick(const void *self, const struct arbiter_view *v)
{
	unsigned words = (v->n + 63) / 64, first = v->last + 1 < v->n ? v->last + 1 : 0;
	const uint64_t *requests = v->requests;
	uint64_t bits = requests[first / 64] & UINT64_MAX << first % 64;

	(void)self;
	/* The first word is visited twice, the second time for the inputs before `first`. */
	for (unsigned k = 0, w = first / 64; k <= words; k++) {
		if (bits)
			return w * 64 + low_bit(bits);
		w = w + 1 < words ? w + 1 : 0;
		bits = requests[w];
	}
	BUG_ON(true);
	return 0;
}

static const struct arbiter_ops round_robin = {.pick = pick};

const struct plugin arbiter_round_robin = {
	.kind = "arbiter",
	.name = "round_robin",
	.text = "The first requesting input after the one granted last: no input starves.",
	.ops = &round_robin,
};
