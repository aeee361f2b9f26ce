/* What the runs of a command came to. */
#include "runs/roll.h"

#include "runs/points.h"

#include <math.h>
#include <string.h>

static struct roll_run *next(struct roll *r)
{
	struct roll_run *all;

	if (r->n < r->room)
		return &r->run[r->n++];
	r->room = 2 * r->room + 16;
	all = arena_alloc(r->arena, r->room, sizeof(*all));
	if (r->n)
		memcpy(all, r->run, r->n * sizeof(*all));
	r->run = all;
	return &r->run[r->n++];
}

/* Of a report of run, or of profile. */
static double cycles_of(const json_t *report)
{
	const json_t *total = json_object_get(json_object_get(report, "profile"), "total");
	const json_t *cycles = json_object_get(json_array_get(total, 0), "cycles");

	return cycles ? json_number_value(cycles) : point_metric(report, "gpc__cycles_elapsed.max");
}

void roll_note(struct roll *r, const char *name, const char *settings, const json_t *report,
	const char *end)
{
	struct roll_run *run;

	if (!r)
		return;
	run = next(r);
	*run = (struct roll_run){.name = arena_strdup(r->arena, name),
		.settings = arena_strdup(r->arena, settings),
		.end = report ? "done" : arena_strdup(r->arena, end),
		.done = report,
		.cycles = cycles_of(report),
		.dram_bytes = point_metric(report, "dram__bytes.sum"),
		.energy_nj = point_metric(report, "energy__total.sum")};
}

void roll_cut(struct roll *r)
{
	if (r)
		r->cut = true;
}
