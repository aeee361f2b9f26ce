/* Reporting, at a window's edge and at the end: by time, then component, then order. */
#include "core/probe_inside.h"

static void report_value(const struct probes *all, unsigned id, tick_t at, uint64_t value)
{
	for (unsigned s = 0; s < all->nsinks; s++)
		if (all->values[id] >> s & 1)
			all->sink[s].value(all->sink[s].ctx, id, at, value);
}

static void report_event(const struct probes *all, const struct probe *p, const struct record *r)
{
	struct probe_event e = {r->what - RECORD_EVENT, r->id, r->value};

	for (unsigned s = 0; s < all->nsinks; s++)
		if (p->events >> s & 1)
			all->sink[s].event(all->sink[s].ctx, p->component, r->at, &e);
}

/* The signal's value after the record: each of a link's two ends reports half of it. */
static uint64_t whole(struct link_sum *links, const struct record *r)
{
	if (r->what == RECORD_VALUE)
		return r->value;
	if (r->what == RECORD_SENT)
		links[r->id].sent = r->value;
	else
		links[r->id].taken = r->value;
	return links[r->id].sent - links[r->id].taken;
}

static void report_record(struct probes *all, const struct probe *p, const struct record *r)
{
	if (r->what >= RECORD_EVENT)
		report_event(all, p, r);
	else
		report_value(all, r->id, r->at, whole(all->links, r));
}

static void report_mean(struct probes *all, tick_t length, const struct record *r)
{
	uint64_t sum = whole(all->link_means, r);

	for (unsigned s = 0; s < all->nsinks; s++)
		if (all->means[r->id] >> s & 1)
			all->sink[s].mean(all->sink[s].ctx, r->id, r->at, length, sum);
}

/* Reports all sums. The intervals of all components end at the same times. */
static void report_sums(struct probes *all, tick_t length)
{
	tick_t at = 0;

	while (at != TICK_NEVER) {
		tick_t next = TICK_NEVER;

		for (uint32_t i = 0; i < all->sim->nnodes; i++) {
			struct probe *p = &all->probe[i];

			while (p->sums_reported < p->nsums && p->sums[p->sums_reported].at <= at)
				report_mean(all, length, &p->sums[p->sums_reported++]);
			if (p->sums_reported < p->nsums)
				next = min_u64(next, p->sums[p->sums_reported].at);
		}
		at = next;
	}
	for (uint32_t i = 0; i < all->sim->nnodes; i++)
		all->probe[i].nsums = all->probe[i].sums_reported = 0;
}

/* Reports the component's records up to that time. Returns the time of its next one. */
static tick_t report_up_to(struct probes *all, struct probe *p, tick_t at)
{
	while (p->reported < p->nrecords && p->records[p->reported].at <= at)
		report_record(all, p, &p->records[p->reported++]);
	return p->reported < p->nrecords ? p->records[p->reported].at : TICK_NEVER;
}

/* Moves the records of the next window to the front. */
static void keep_rest(struct probe *p)
{
	for (uint32_t i = p->reported; i < p->nrecords; i++)
		p->records[i - p->reported] = p->records[i];
	p->nrecords -= p->reported;
	p->reported = 0;
}

static tick_t first_record(const struct probes *all)
{
	tick_t first = TICK_NEVER;

	for (uint32_t i = 0; i < all->sim->nnodes; i++)
		if (all->probe[i].nrecords)
			first = min_u64(first, all->probe[i].records[0].at);
	return first;
}

static void report_records(struct probes *all, tick_t end)
{
	tick_t at = first_record(all);

	while (at < end) {
		tick_t next = TICK_NEVER;

		for (uint32_t i = 0; i < all->sim->nnodes; i++)
			if (all->probe[i].nrecords)
				next = min_u64(next, report_up_to(all, &all->probe[i], at));
		at = next;
	}
	for (uint32_t i = 0; i < all->sim->nnodes; i++)
		if (all->probe[i].reported)
			keep_rest(&all->probe[i]);
}

/* Sleeping components have changes to report as well. While a signal changes with time alone, every
 * window's edge is requested, so that never more than one window's changes are pending. */
static void catch_all_up(struct probes *all, tick_t end)
{
	tick_t until = min_u64(end, all->to);

	for (uint32_t i = 0; i < all->sim->nnodes; i++) {
		struct probe *p = &all->probe[i];

		if (!p->nwatched)
			continue;
		if (!p->based && end > all->from)
			probe_base(p);
		if (!p->based)
			continue;
		probe_catch_up(p, end);
		if (p->lazy && !p->closed && p->ops->next(p->component, p->sampled) != UINT64_MAX)
			edge_request(p->component);
		if (p->means && until >= probe_interval_end(p))
			probe_roll(p, until);
	}
}

/* The start of the next window that will run: until then only time passes. */
static tick_t quiet_until(const struct sim *sim, tick_t end)
{
	const unsigned over = FLAG_STOP | FLAG_FINISH | FLAG_PAUSE;
	tick_t next = sim->next, limit;
	unsigned flags = sim->flags;

	for (uint32_t i = 0; i < sim->nparts; i++) {
		next = min_u64(next, partition_next(sim->parts[i]));
		flags |= sim->parts[i]->flags;
	}
	if (next == TICK_NEVER || flags & over ||
		atomic_load_explicit(&sim->stop, memory_order_relaxed))
		return end;
	limit = sim->max_cycles / sim->config.window_cycles;
	if (limit < next / sim->window_ps)
		next = limit * sim->window_ps;
	return max_u64(end, next - next % sim->window_ps);
}

/* True while a signal changes with time alone. */
static bool any_changes(const struct probes *all)
{
	for (uint32_t i = 0; i < all->sim->nnodes; i++) {
		const struct probe *p = &all->probe[i];

		if (p->lazy && p->based && !p->closed &&
			p->ops->next(p->component, p->sampled) != UINT64_MAX)
			return true;
	}
	return false;
}

static void report_all(struct probes *all, tick_t end)
{
	catch_all_up(all, end);
	report_sums(all, all->every);
	report_records(all, end);
}

/* Up to this edge, and window by window over those that will not run. */
void probes_report(void *ctx, tick_t end)
{
	struct probes *all = ctx;
	tick_t quiet = quiet_until(all->sim, end);

	report_all(all, end);
	while (end < quiet && any_changes(all)) {
		end += all->sim->window_ps;
		report_all(all, end);
	}
}

tick_t probes_finish(struct probes *all)
{
	tick_t end = sim_time(all->sim), until = min_u64(end, all->to);
	tick_t last = all->from;

	report_all(all, end);
	for (uint32_t i = 0; i < all->sim->nnodes; i++) {
		struct probe *p = &all->probe[i];

		if (!p->based || !p->means)
			continue;
		last = p->start;
		probe_roll_last(p, until);
	}
	if (until > last)
		report_sums(all, until - last);
	return max_u64(until, all->from);
}
