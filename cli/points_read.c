/* What a run's report becomes: statistics by name. */
#include "cli/points_inside.h"

#include "cli/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 160

static double number(const json_t *v)
{
	if (json_is_string(v)) /* whole, but larger than JSON's readers hold exactly */
		return strtod(json_string_value(v), NULL);
	return json_is_number(v) ? json_number_value(v) : NAN;
}

static void add(json_t *metrics, const char *name, json_t *value)
{
	json_t *m = json_object();

	json_add(m, "value", value);
	json_add(m, "unit", json_string(""));
	json_add(metrics, name, m);
}

/* ---- launches */
/* Threads of one CTA. */
static double threads(const json_t *launch)
{
	const json_t *block = json_object_get(launch, "block");
	double n = 1;

	for (size_t i = 0; i < json_array_size(block); i++)
		n *= json_number_value(json_array_get(block, i));
	return n;
}

/* Whether another launch of the same kernel has larger CTAs: shared memory is allocated for those.
 */
static bool is_partial(const json_t *launches, const json_t *launch)
{
	const json_t *name = json_object_get(launch, "kernel"), *other;
	size_t i;

	json_array_foreach(launches, i, other)
	{
		if (json_equal(json_object_get(other, "kernel"), name) &&
			threads(other) > threads(launch))
			return true;
	}
	return false;
}

static double member(const json_t *launches, const json_t *l, const char *name)
{
	double v = number(json_object_get(l, name));

	if (!strcmp(name, "threads"))
		return threads(l);
	if (!strcmp(name, "resident_threads"))
		return threads(l) * number(json_object_get(l, "ctas_per_sm"));
	if (!strcmp(name, "shared_per_thread"))
		return is_partial(launches, l)
			       ? NAN
			       : number(json_object_get(l, "shared_bytes")) / threads(l);
	return v;
}

static void add_launches(json_t *metrics, const json_t *launches)
{
	static const char *const most[] = {"registers", "max_live_registers", "shared_bytes",
		"shared_per_thread", "threads", "sm_register_bytes", "sm_shared_bytes",
		"local_bytes", "spill_bytes"};
	static const char *const least[] = {"ctas_per_sm", "resident_threads", "sm_cache_bytes"};
	char name[NAME_ROOM];
	const json_t *l;
	size_t i;

	for (size_t k = 0; k < ARRAY_LEN(most) + ARRAY_LEN(least); k++) {
		bool is_most = k < ARRAY_LEN(most);
		const char *what = is_most ? most[k] : least[k - ARRAY_LEN(most)];
		double v = NAN;

		json_array_foreach(launches, i, l)
		{
			double one = member(launches, l, what);

			v = is_most ? fmax(v, one) : fmin(v, one);
		}
		snprintf(name, sizeof(name), "launch.%s.%s", what, is_most ? "max" : "min");
		add(metrics, name, json_number(v));
	}
	add(metrics, "launch.count", json_integer((json_int_t)json_array_size(launches)));
}

/* ---- answers of other ways than in time */
/* Every number, by the names that lead to it; a "count" has the name of its owner. */
static void flatten(json_t *metrics, const char *prefix, json_t *from)
{
	const char *key;
	json_t *v;

	json_object_foreach(from, key, v)
	{
		char name[NAME_ROOM];

		if (!strcmp(key, "count") && *prefix)
			snprintf(name, sizeof(name), "%s", prefix);
		else
			snprintf(name, sizeof(name), "%s%s%s", prefix, *prefix ? "." : "", key);
		if (json_is_object(v))
			flatten(metrics, name, v);
		else if (!isnan(number(v)))
			add(metrics, name, json_incref(v));
	}
}

void points_normalise(json_t *report)
{
	json_t *metrics = json_object_get(report, "metrics");

	if (metrics) {
		add_launches(metrics, json_object_get(report, "launches"));
		return;
	}
	metrics = json_object();
	flatten(metrics, "", report);
	json_add(report, "metrics", metrics);
}

/* ---- statistics */
static int by_name(const void *a, const void *b)
{
	const struct point_stat *x = a, *y = b;

	return x->name < y->name ? -1 : x->name > y->name;
}

void points_take(struct point *p, const json_t *metrics, struct arena *arena)
{
	const char *name;
	json_t *m;

	p->nstats = 0;
	p->stats = arena_alloc(arena, json_object_size(metrics) + 1, sizeof(*p->stats));
	json_object_foreach((json_t *)(uintptr_t)metrics, name, m)
	{
		p->stats[p->nstats++] = (struct point_stat){
			gpu_hash(name, strlen(name)), number(json_object_get(m, "value"))};
	}
	qsort(p->stats, p->nstats, sizeof(*p->stats), by_name);
	p->state = POINT_KNOWN;
}

const struct point *point_of(const json_t *report, struct arena *arena)
{
	struct point *p = arena_alloc(arena, 1, sizeof(*p));
	json_t *own = json_deep_copy(report);

	points_normalise(own);
	points_take(p, json_object_get(own, "metrics"), arena);
	json_decref(own);
	return p;
}
