/* Special functions whose unit is occupied. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0;
	double cycles = 0;

	for (unsigned i = 0; i < v->n; i++) {
		double n = facts_caused(&v->item[i], REASON_MATH_PIPE_THROTTLE);

		if (facts_arithmetic_of(&v->item[i]) != FACTS_SPECIAL)
			continue;
		cycles += n;
		advice_add(a, &v->item[i], n, &most);
	}
	text_add(&a->measured, "schedulers waited %.0f cycles for the pipe", cycles);
}

const struct rule advice_pipe = {
	.name = "pipe",
	.limit = "specials",
	.change = "special functions are spread among other instructions, replaced, or not needed",
	.basis = "the cycles stalled for the pipe",
	.relieves = 0,
	.look = look,
};
