/* Arrays of local memory: what indexes them is not known to the compiler. */
#include "cli/advice/advice.h"

#include <math.h>

/* What memory did for the line, less what shared memory takes: a cycle of its pipe, and for a load
 * its latency, while other warps go on. */
static double saved(const struct facts *f, const struct traffic_item *l, double warps)
{
	double n = (double)l->stalls.event[STALL_EXECUTED];
	double late = l->counts.n[PROFILE_LOADED] ? n * f->shared_cycles / fmax(1, warps) : 0;

	return fmax(0, facts_caused(l, REASON_LONG_SCOREBOARD) +
			       facts_caused(l, REASON_LG_THROTTLE) + facts_caused(l, REASON_DRAIN) -
			       n - late);
}

/* Of the bytes that SMs and DRAM moved, the others'. */
static void relieve(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double lines[2] = {0}, sent[2] = {0}, dram[2] = {0};

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];
		const uint64_t *n = l->counts.n;
		bool is = facts_is_array(l);

		lines[is] += (double)l->stalls.event[STALL_LINES];
		sent[is] += (double)(n[PROFILE_SENT_READ] + n[PROFILE_SENT_WRITE]);
		dram[is] += (double)(n[PROFILE_DRAM_READ] + n[PROFILE_DRAM_WRITE]);
	}
	a->left[UNIT_OF_TAGS] = f->busy[UNIT_OF_TAGS] * lines[0] / fmax(1, lines[0] + lines[1]);
	a->left[UNIT_OF_NETWORK] = f->busy[UNIT_OF_NETWORK] * sent[0] / fmax(1, sent[0] + sent[1]);
	a->left[UNIT_OF_DRAM] = f->busy[UNIT_OF_DRAM] * dram[0] / fmax(1, dram[0] + dram[1]);
}

static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double warps = facts_warps(f), most = 0, n = 0, lines = 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];

		if (!facts_is_array(l))
			continue;
		n += (double)l->stalls.event[STALL_EXECUTED];
		lines += (double)l->stalls.event[STALL_LINES];
		advice_add(a, l, saved(f, l, warps), &most);
	}
	relieve(f, a);
	if (n > 0)
		text_add(&a->measured,
			"%.0f accesses of warps to arrays of local memory, %.1f lines each", n,
			lines / n);
}

const struct rule advice_local = {
	.name = "local",
	.limit = "local",
	.change =
		"an array of each thread is in shared memory, a column for each, or in registers, as when "
		"what indexes it is constant in an unrolled loop",
	.basis = "the cycles that its loads and stores caused, less shared memory's latency",
	.relieves = 1u << UNIT_OF_TAGS | 1u << UNIT_OF_NETWORK | 1u << UNIT_OF_DRAM,
	.look = look,
};
