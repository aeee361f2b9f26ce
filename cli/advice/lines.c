/* How many lines accesses touch, and need. */
#include "cli/advice/inside.h"

#include <math.h>
#include <string.h>

#define USED 0.95
#define USUAL 0.75
#define CAMPED 0.9
#define LEAST_WAIT 0.1
#define FEW_ATOMICS 0.1

double facts_needed(const struct traffic_item *i)
{
	double lines = (double)i->stalls.event[STALL_LINES];
	double fill = ceil((double)i->counts.n[PROFILE_DISTINCT] / LINE_BYTES);

	return fmin(lines, fmax(fill, (double)i->stalls.event[STALL_EXECUTED]));
}

bool facts_is_local(const struct traffic_item *l)
{
	return l->ptx_text && strstr(l->ptx_text, "ld.local");
}

bool facts_is_array(const struct traffic_item *l)
{
	return !l->spill && (facts_is_local(l) || (l->ptx_text && strstr(l->ptx_text, "st.local")));
}

/* Whether loads together use the lines that they miss: what one leaves of a line others use, and no
 * line is missed in excess. */
static bool all_used(const struct facts *f)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double bytes = 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];

		if (!l->spill && l->counts.n[PROFILE_LOADED] && !facts_is_atomic(l) &&
			!facts_is_local(l))
			bytes += (double)l->counts.n[PROFILE_DISTINCT];
	}
	return bytes >= USED * f->missed * LINE_BYTES;
}

double facts_excess(const struct facts *f, const struct traffic_item *l)
{
	double all = (double)l->stalls.event[STALL_LINES];

	if (all <= 0 || (l->counts.n[PROFILE_LOADED] && f->used && !facts_is_local(l)))
		return 0;
	return 1 - facts_needed(l) / all;
}

double facts_crowded(const struct facts *f, const struct traffic_item *l)
{
	const uint64_t *n = l->counts.n;
	double all = (double)(n[PROFILE_STALL_NOC] + n[PROFILE_STALL_L2] + n[PROFILE_STALL_DRAM]);

	return all > 0 ? f->crowded * (1 + (double)n[PROFILE_STALL_NOC] / all) / 2 : 0;
}

/* Packets that wait at random, or from many SMs for neighbouring lines in turn, leave up to 0.7 of
 * the slices that as many could ask without a request; those of rows in the same slices 0.9. It
 * does not matter where SMs' ports hardly wait, or where a hash spreads all strides; atomics are
 * rule_atomics.c's. */
static double crowded(const struct facts *f)
{
	double waits = facts_metric(f, "noc_request__wait_cycles.sum");
	double share = facts_metric(f, "noc_request__crowded_cycles.sum") / fmax(1, waits);

	if (!f->strided || f->atomics > FEW_ATOMICS ||
		waits < LEAST_WAIT * f->cycles * f->traffic->sum.sms)
		return 0;
	return fmin(1, fmax(0, (share - USUAL) / (CAMPED - USUAL)));
}

static bool has_narrow_type(const struct traffic_item *l)
{
	static const char *const types[] = {".u8", ".s8", ".b8", ".u16", ".s16", ".b16"};

	for (unsigned i = 0; l->ptx_text && i < ARRAY_LEN(types); i++)
		if (strstr(l->ptx_text, types[i]))
			return true;
	return false;
}

bool facts_is_narrow(const struct traffic_item *l, double *bytes)
{
	double n = (double)l->stalls.event[STALL_EXECUTED];
	double threads = (double)l->stalls.event[STALL_THREADS];

	*bytes = threads > 0 ? (double)l->counts.n[PROFILE_DISTINCT] / threads : 0;
	return n > 0 && (double)l->stalls.event[STALL_LINES] < 1.1 * n && threads > 24 * n &&
	       (fabs(*bytes - 1) < 0.1 || fabs(*bytes - 2) < 0.1) && !facts_is_atomic(l) &&
	       has_narrow_type(l);
}

void lines_look(struct facts *f)
{
	f->used = all_used(f);
	f->crowded = crowded(f);
}
