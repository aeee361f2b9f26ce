/* Warps that wait for one of their CTA, at a barrier or at its end, because it has more to do. */
#include "cli/advice/advice.h"

/* The line with most of it: the barrier that they wait at. */
static const struct traffic_item *barrier_of(const struct facts *f)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	const struct traffic_item *most = NULL;

	for (unsigned i = 0; i < v->n; i++)
		if (v->item[i].stalls.event[STALL_BARRED] >
			(most ? most->stalls.event[STALL_BARRED] : 0))
			most = &v->item[i];
	return most;
}

static void look(const struct facts *f, struct advice *a)
{
	/* where a unit on the path to memory is busy, it is so whatever warp has more to do */
	a->cycles = f->resident * f->lasting * (1 - facts_queued(f));
	a->line = barrier_of(f);
	text_add(&a->measured,
		"from begin to end a warp of a CTA executes %.0f%% of the instructions of the one with "
		"most, in the mean, and between barriers %.0f%%",
		100 * (1 - f->lasting), 100 * (1 - f->uneven));
}

const struct rule advice_warps = {
	.name = "warps",
	.limit = "warp_balance",
	.change = "the warps of a CTA have the same amount of work",
	.basis =
		"CTAs' cycles, by the share of the instructions of the warp with most that the mean has",
	.relieves = 0,
	.look = look,
};
