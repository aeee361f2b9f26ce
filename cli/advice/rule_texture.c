/* Fetches that wait for the texture unit. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

#define LEAST_CYCLES 20 /* of a fetch without the limit */

/* The cycles for which the unit was full, and of late results the unit's own latency. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0, fetches = 0, full = 0;
	double own = fmax(0, f->texture_cycles - LEAST_CYCLES) / fmax(1, f->texture_cycles);

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];

		if (!facts_is_texture(l))
			continue;
		fetches += (double)l->stalls.event[STALL_EXECUTED];
		full += facts_caused(l, REASON_TEX_THROTTLE);
		advice_add(a, l,
			facts_caused(l, REASON_TEX_THROTTLE) +
				own * (1 - facts_queued(f)) *
					facts_caused(l, REASON_LONG_SCOREBOARD),
			&most);
	}
	text_add(&a->measured,
		"%.0f fetches of textures, for which schedulers waited %.0f cycles because the unit "
		"was full",
		fetches, full);
}

const struct rule advice_texture = {
	.name = "texture",
	.limit = "texture",
	.change = "what is not filtered is loaded from global memory, not fetched from a texture",
	.basis = "the cycles for which the texture unit was full, and its part of late results",
	.relieves = 0,
	.look = look,
};
