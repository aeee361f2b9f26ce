/* Arithmetic of f64, where the pipe for it is slow. */
#include "cli/advice/advice.h"

/* The cycles for which the pipe was occupied. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0, n = 0, cycles = 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];

		if (facts_arithmetic_of(l) != FACTS_DOUBLE)
			continue;
		n += (double)l->stalls.event[STALL_EXECUTED];
		cycles += facts_caused(l, REASON_MATH_PIPE_THROTTLE);
		advice_add(a, l, facts_caused(l, REASON_MATH_PIPE_THROTTLE), &most);
	}
	text_add(&a->measured,
		"%.0f instructions of f64; schedulers waited %.0f cycles for their pipe", n,
		cycles);
}

const struct rule advice_double = {
	.name = "double",
	.limit = "double",
	.change = "f32 replaces f64 where it is precise enough",
	.basis = "the cycles stalled for the pipe",
	.relieves = 0,
	.look = look,
};
