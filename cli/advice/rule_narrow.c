/* Loads and stores of neighbouring bytes and halves. */
#include "cli/advice/advice.h"

#include <math.h>

/* Instructions of a loop around an access: it, its address, a count, a comparison, a branch. */
#define LOOP 6

/* Where most of what is executed is accesses and the loop around them, passes that words save. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0, n = 0, wide = 0, saved = 0, bytes, all, keep;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];
		double executed = (double)l->stalls.event[STALL_EXECUTED];

		if (!facts_is_narrow(l, &bytes)) {
			wide += l->stalls.event[STALL_LINES] ? executed : 0;
			continue;
		}
		n += executed;
		saved += executed * (1 - bytes / 4);
		advice_add(a, l, (double)traffic_caused(&l->stalls), &most);
	}
	all = facts_metric(f, "smsp__inst_executed.sum");
	keep = n > 0 ? fmin(1, LOOP * n / fmax(1, all)) * saved / (n + wide) : 0;
	a->cycles = keep * f->resident;
	a->left[UNIT_OF_ISSUE] = f->busy[UNIT_OF_ISSUE] * (1 - keep);
	a->left[UNIT_OF_TAGS] = f->busy[UNIT_OF_TAGS] * (1 - keep);
	a->left[UNIT_OF_NETWORK] = f->busy[UNIT_OF_NETWORK] * (1 - keep / 2);
	text_add(&a->measured, "%.0f of %.0f accesses of warps are of bytes or halves side by side",
		n, n + wide);
}

const struct rule advice_narrow = {
	.name = "narrow",
	.limit = "narrow",
	.change = "each thread accesses a word, or four, of neighbouring bytes at a time",
	.basis = "the passes that words save, as far as the run is such accesses and their loop",
	.relieves = 1u << UNIT_OF_ISSUE | 1u << UNIT_OF_TAGS | 1u << UNIT_OF_NETWORK,
	.look = look,
};
