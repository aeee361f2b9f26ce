/* The latencies of Mei et al.'s table 3 (NPC 2014): what holds the data and which TLB has the page
 * are states, made on purpose out of what is known of page, TLBs and window. A state is measured at
 * SAMPLES addresses, and has a latency when all of them agree. */
#include "runs/probe/inside.h"

#define SAMPLES 16u
#define SKEW 256u /* bytes from one page's address to the next one's, in the page */
#define STEP (8192u + 256u)
#define LEVEL "patterns"

static uint32_t in_page(const struct prober *p, uint32_t i)
{
	return i * p->page + (uint32_t)((uint64_t)i * SKEW % p->page);
}

/* A segment of its own: the address after it is touched again, so that its time is that of a first
 * step (latency.c). */
static void time_alone(struct prober *p, uint32_t address)
{
	plan_add(p, address, VERBS_CA, VERBS_TIME);
	plan_add(p, address, VERBS_CA, VERBS_TOUCH);
}

/* Adds the results to the range. */
static void take(struct prober *p, struct range *r)
{
	for (uint32_t i = 0; i < p->nresults && !p->bad; i++)
		range_add(r, p->results[i]);
}

static void say_state(struct prober *p, const char *item, struct range r, const char *how)
{
	uint32_t less = p->one - p->addition;

	if (p->bad)
		return;
	if (p->overflow || !r.high)
		say_not(p, LEVEL, item, "the state takes a script that is too long");
	else if (r.low != r.high)
		say_not(p, LEVEL, item,
			words(p, "%u addresses do not agree: %u to %u cycles", SAMPLES,
				r.low - less, r.high - less));
	else
		say(p, LEVEL, item, r.low - less, words(p, "%u cycles", r.low - less), how);
}

/* Data that the nearest cache has, of a page that was used right before. */
static void near_data(struct prober *p)
{
	struct range r = {0, 0};

	plan_start(p);
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < SAMPLES; i++)
			plan_add(p, i * SKEW, VERBS_CA, VERBS_TOUCH);
	for (uint32_t i = 0; i < SAMPLES; i++)
		time_alone(p, i * SKEW);
	plan_run(p, 0);
	take(p, &r);
	say_state(p, "hit, hit", r, "lines of one page, each touched twice before");
}

/* Data that are near, after n pages: each of them misses the TLBs that have fewer entries. */
static void near_after(struct prober *p, const char *item, uint32_t n)
{
	struct range r = {0, 0};

	for (unsigned run = 0; run < 2; run++) { /* the first brings data and table to the L2 */
		plan_start(p);
		for (uint32_t i = 0; i < n; i++)
			plan_add(p, in_page(p, i), VERBS_CA, VERBS_TOUCH);
		for (uint32_t i = 0; i < SAMPLES; i++)
			time_alone(p, in_page(p, i));
		plan_run(p, 0);
	}
	take(p, &r);
	say_state(p, item, r, words(p, "pages touched before, after %u pages", n));
}

static void far_data(struct prober *p)
{
	uint32_t step = STEP < p->page / (2 * SAMPLES) ? STEP : p->page / (2 * SAMPLES) / 4 * 4;
	struct range r = {0, 0};

	plan_forget(p);
	plan_start(p);
	plan_add(p, 0, VERBS_CA, VERBS_TOUCH);
	for (uint32_t i = 1; i <= SAMPLES; i++)
		time_alone(p, i * step);
	plan_run(p, 0);
	take(p, &r);
	say_state(p, "miss, hit", r, "lines never touched, of one page");
}

/* Lines never touched, of pages that the second TLB has and the first has not. */
static void far_after(struct prober *p, uint32_t n)
{
	struct range r = {0, 0};

	plan_forget(p);
	plan_start(p);
	for (uint32_t i = 0; i < n; i++)
		plan_add(p, in_page(p, i), VERBS_CA, VERBS_TOUCH);
	for (uint32_t i = 0; i < SAMPLES; i++)
		time_alone(p, in_page(p, i) + p->page / 2);
	plan_run(p, 0);
	take(p, &r);
	say_state(p, "miss, miss, hit", r,
		words(p, "lines never touched, of pages touched before, after %u pages", n));
}

/* A page never touched, `from` bytes from the one before it. */
static void cold_pages(struct prober *p, const char *item, uint32_t from, const char *how)
{
	struct range r = {0, 0};

	for (uint32_t i = 1; i <= SAMPLES; i++) {
		plan_forget(p);
		plan_start(p);
		plan_add(p, 0, VERBS_CA, VERBS_TOUCH);
		time_alone(p, from + in_page(p, 3 * i));
		plan_run(p, 0);
		take(p, &r);
	}
	say_state(p, item, r, how);
}

void probe_patterns(struct prober *p)
{
	uint32_t near = 2 * p->reach[0], far = 2 * p->reach[1];

	near_data(p);
	if (!p->page || !near || !far || near > p->reach[1]) {
		say_not(p, LEVEL, "hit, miss, hit",
			"no two TLBs, or the second is not twice the first");
		return;
	}
	near_after(p, "hit, miss, hit", near);
	if ((uint64_t)far * p->page < (p->window ? p->window : PROBE_BUFFER))
		near_after(p, "hit, miss, miss", far);
	else
		say_not(p, LEVEL, "hit, miss, miss",
			"twice the pages of the second TLB exceed buffer or window");
	far_data(p);
	far_after(p, near);
	cold_pages(p, "miss, miss, miss", 0, "pages never touched");
	if (p->window)
		cold_pages(p, "another window", p->window,
			"pages never touched, in another window than the page before");
}
