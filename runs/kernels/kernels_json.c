/* Kernels and launches for programs: JSON and CSV. */
#include "runs/kernels/kernels.h"

#include "runs/json.h"
#include "runs/kernels/chart.h"
#include "runs/kernels/light.h"
#include "runs/kernels/whatif.h"
#include "runs/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_value(const struct metric *m, json_t *j)
{
	json_add(j, m->name, m->is_real ? json_number(m->real) : json_whole(m->count));
}

/* In an arena of its own: the part's metrics into j, unless it is NULL; with a data sheet, adds
 * Speed of Light and memory chart to `to`. False when the part has none. */
static bool add_metrics(const struct gpu *g, const struct run_part *part, json_t *j,
	const struct sheet *sheet, json_t *to)
{
	struct arena arena = {0};
	struct metric_set s = {.arena = &arena};
	struct light lights[LIGHTS];
	struct chart_edge edges[CHART_EDGES];
	jmp_buf escape;

	arena.escape = &escape;
	if (setjmp(escape)) {
		mem_lose();
		arena_free(&arena);
		return false;
	}
	run_part_metrics(g, part, &s);
	for (unsigned i = 0; j && i < s.n; i++)
		add_value(&s.at[i], j);
	if (sheet && s.n) {
		json_add(to, "speed_of_light", light_json(lights, light_of(&s, sheet, lights)));
		json_add(to, "memory_chart", chart_json(edges, chart_of(&s, edges)));
	}
	arena_free(&arena);
	return s.n;
}

static void add_none(json_t *j)
{
	json_add(j, "metrics", json_null());
	json_add(j, "speed_of_light", json_null());
	json_add(j, "memory_chart", json_null());
}

/* Adds all to the object; null: the part has none. */
static void add_part(
	const struct gpu *g, const struct run_part *part, const struct sheet *sheet, json_t *j)
{
	json_t *metrics = json_object();

	if (add_metrics(g, part, metrics, sheet, j)) {
		json_add(j, "metrics", metrics);
		return;
	}
	json_decref(metrics);
	add_none(j);
}

void kernels_json_run(const struct gpu *g, const struct sheet *sheet, json_t *j)
{
	add_metrics(g, &(struct run_part){0}, NULL, sheet, j);
}

static struct run_part part_of(const struct kernel_sum *k)
{
	return (struct run_part){
		.what = PART_KERNEL, .kernel = k->first.kernel, .file = k->first.file};
}

json_t *kernels_rows(const struct gpu *g, const struct kernels *kernels)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < kernels->n; i++) {
		const struct kernel_sum *k = &kernels->at[i];
		struct run_part part = part_of(k);
		json_t *j = json_object();

		json_add(j, "kernel", json_name(k->first.kernel));
		json_add(j, "source", json_name(k->name));
		json_add(j, "launches", json_whole(k->launches));
		if (add_metrics(g, &part, j, NULL, NULL))
			json_append(list, j);
		else
			json_decref(j);
	}
	return list;
}

json_t *kernels_launch_rows(const struct gpu *g, const struct kernels *kernels)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < chip_epochs(g); i++) {
		struct run_part part = {.what = PART_EPOCH, .epoch = i};
		json_t *j = json_object();
		struct epoch_report e;

		chip_epoch(g, i, &e);
		json_add(j, "launch", json_whole(e.first));
		json_add(j, "launches", json_whole(e.launches));
		json_add(j, "kernel", json_name(e.kernel ? e.kernel : ""));
		json_add(j, "source", json_name(e.kernel ? kernels_name(kernels, e.kernel) : ""));
		json_add(j, "common", json_whole(e.common));
		json_add(j, "begin_cycle", json_whole(e.begin_cycle));
		if (e.launches && add_metrics(g, &part, j, NULL, NULL))
			json_append(list, j);
		else
			json_decref(j);
	}
	return list;
}

json_t *kernels_json(const struct gpu *g, const struct sheet *sheet, const struct kernels *kernels)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < kernels->n; i++) {
		const struct kernel_sum *k = &kernels->at[i];
		struct run_part part = part_of(k);
		json_t *j = json_object();

		json_add(j, "kernel", json_name(k->first.kernel));
		json_add(j, "name", json_name(k->name));
		json_add(j, "launches", json_whole(k->launches));
		json_add(j, "first_launch", json_whole(k->number));
		json_add(j, "cycles", json_whole(k->cycles));
		json_add(j, "warp_instructions", json_whole(k->instructions));
		json_add(j, "occupancy", whatif_json(g, k->number));
		add_part(g, &part, sheet, j);
		json_append(list, j);
	}
	return list;
}

json_t *kernels_json_groups(const struct gpu *g, const struct sheet *sheet)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < chip_epochs(g); i++) {
		struct run_part part = {.what = PART_EPOCH, .epoch = i};
		struct epoch_report e;
		json_t *j;

		chip_epoch(g, i, &e);
		if (!e.launches || (!e.common && e.launches == 1))
			continue;
		j = json_object();
		json_add(j, "kernel", json_name(e.kernel));
		json_add(j, "launches", json_whole(e.launches));
		json_add(j, "overlap", json_boolean(!e.common || !e.kernel));
		json_add(j, "first_launch", e.common ? json_null() : json_whole(e.first));
		json_add(j, "cycles", json_whole(e.cycles));
		add_part(g, &part, sheet, j);
		json_append(list, j);
	}
	return list;
}

/* The number of an epoch among the groups. */
static unsigned group_of(const struct gpu *g, unsigned epoch)
{
	unsigned n = 0;

	for (unsigned i = 0; i < epoch; i++) {
		struct epoch_report e;

		chip_epoch(g, i, &e);
		n += e.launches && (e.common || e.launches > 1);
	}
	return n;
}

void kernels_json_launch(const struct gpu *g, const struct sheet *sheet, unsigned launch, json_t *j)
{
	struct run_part part = {.what = PART_EPOCH, .epoch = chip_launch_epoch(g, launch)};
	struct epoch_report e = {0};
	char limit[KERNELS_LIMIT];

	if (part.epoch != EPOCHS_NONE)
		chip_epoch(g, part.epoch, &e);
	kernels_limit(g, launch, limit);
	json_add(j, "limited_by", e.launches ? json_string(limit) : json_null());
	if (e.launches == 1 && !e.common) {
		json_add(j, "group", json_null());
		add_part(g, &part, sheet, j);
		return;
	}
	json_add(j, "group", e.launches ? json_whole(group_of(g, part.epoch)) : json_null());
	add_none(j);
}

/* ---- CSV */
static void csv_metrics(const char *name, const struct gpu *g, const struct run_part *part,
	struct arena *arena, struct text *out)
{
	struct metric_set s = {.arena = arena};

	run_part_metrics(g, part, &s);
	for (unsigned i = 0; i < s.n; i++) {
		const struct metric *m = &s.at[i];
		char number[32];

		if (m->is_real)
			report_real(m->real, number);
		else
			snprintf(number, sizeof(number), "%" PRIu64, m->count);
		text_add(out, "%s,%s,%s,%s\n", name, m->name, number, m->unit);
	}
}

/* Kernels of different files may have one name. */
static void kernel_name(const struct kernels *kernels, unsigned k, char *out, size_t n)
{
	unsigned same = 1;

	for (unsigned i = 0; i < k; i++)
		same += !strcmp(kernels->at[i].first.kernel, kernels->at[k].first.kernel);
	snprintf(
		out, n, same > 1 ? "kernel.%s.%u" : "kernel.%s", kernels->at[k].first.kernel, same);
}

void kernels_csv(const struct gpu *g, struct arena *arena, struct text *out)
{
	struct kernels kernels;
	char name[512];

	kernels_of(g, arena, &kernels);
	for (unsigned i = 0; i < kernels.n; i++) {
		const struct kernel_sum *k = &kernels.at[i];
		struct run_part part = part_of(k);

		kernel_name(&kernels, i, name, sizeof(name));
		csv_metrics(name, g, &part, arena, out);
	}
	for (unsigned i = 0; i < chip_epochs(g); i++) {
		struct run_part part = {.what = PART_EPOCH, .epoch = i};
		struct epoch_report e;

		chip_epoch(g, i, &e);
		if (!e.launches || e.common)
			continue;
		snprintf(name, sizeof(name), e.launches > 1 ? "launches.%u.%u" : "launch.%u",
			e.first, e.launches);
		csv_metrics(name, g, &part, arena, out);
	}
}
