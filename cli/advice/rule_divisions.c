/* Divisions and roots, whose pipe is slow. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* The cycles for which the pipe was occupied, and of results the latency beyond other arithmetic's.
 */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0, n = 0, cycles = 0;
	double late = fmax(0, 1 - f->alu_cycles / fmax(1, f->sfu_cycles));

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];

		if (facts_arithmetic_of(l) != FACTS_DIVISION)
			continue;
		n += (double)l->stalls.event[STALL_EXECUTED];
		cycles += facts_caused(l, REASON_MATH_PIPE_THROTTLE);
		advice_add(a, l,
			facts_caused(l, REASON_MATH_PIPE_THROTTLE) +
				late * facts_caused(l, REASON_SHORT_SCOREBOARD),
			&most);
	}
	text_add(&a->measured,
		"%.0f divisions and roots of warps; schedulers waited %.0f cycles for their pipe",
		n, cycles);
}

const struct rule advice_divisions = {
	.name = "divisions",
	.limit = "divisions",
	.change =
		"a division by what does not change becomes a product or a shift, or an approximation",
	.basis = "the cycles stalled for the pipe, and for results that take longer than others",
	.relieves = 1u << UNIT_OF_SFU,
	.look = look,
};
