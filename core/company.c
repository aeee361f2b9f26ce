/* How many workers run the shares. Where the host has other work, a worker that the others wait for
 * may have no core for some milliseconds, again in each window, and many threads take a hundred
 * times as long as one. Then worker 0 runs all shares, for so long that what was lost is a small
 * part of it, and tries again. Results do not depend on it. */
#include "core/kernel.h"

#define LEAST_LOST 2000000u    /* ns, about one turn of another program */
#define HORIZON 100000000u     /* ns; what was before counts half */
#define ALONE 128u             /* times what was lost, the first time */
#define MOST_ALONE 2000000000u /* ns */

static void part(struct sim *sim)
{
	sim->company.together = false;
	pin_release(sim->pin);
}

static void join(struct sim *sim, uint64_t now)
{
	struct company *c = &sim->company;

	c->together = true;
	c->from = now;
	c->waited = crew_waited(sim->crew);
	pin_bind(sim->pin, 0);
}

unsigned company_workers(struct sim *sim)
{
	struct company *c = &sim->company;

	if (c->most == 1)
		return 1;
	if (!c->together) {
		uint64_t now = crew_clock();

		if (now < c->until)
			return 1;
		join(sim, now);
	}
	return c->most;
}

/* Alone, n workers' work takes n times as long as the time in which they do not wait, or less. */
bool company_lags(struct sim *sim)
{
	struct company *c = &sim->company;
	uint64_t lost = crew_waited(sim->crew) - c->waited, now, took;

	if (!c->together || lost < LEAST_LOST)
		return false;
	now = crew_clock();
	took = now - c->from;
	if (lost * (c->most + 1) >= took * (c->most - 1)) {
		c->alone = max_u64(2 * c->alone, ALONE * lost);
		c->alone = min_u64(c->alone, MOST_ALONE);
		c->until = now + c->alone;
		part(sim);
		return true;
	}
	if (took > HORIZON) {
		c->from = now - took / 2;
		c->waited += lost / 2;
		c->alone = 0;
	}
	return false;
}
