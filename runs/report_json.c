/* The JSON report: all inputs of a run and everything it measured. */
#include "runs/report.h"

#include "runs/json.h"
#include "runs/kernels/kernels.h"
#include "runs/output.h"
#include "runs/power.h"
#include "runs/sheet/sheet.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA 1

static json_t *words(const char *const *program)
{
	json_t *list = json_array();

	for (; *program; program++)
		json_append(list, json_name(*program));
	return list;
}

static json_t *command(const struct report *r)
{
	json_t *j = json_object();

	if (r->program)
		json_add(j, "program", words(r->program));
	else
		json_add(j, r->is_workload ? "workload" : "scenario", json_name(r->target));
	json_add(j, "chip", json_name(r->chip));
	if (r->is_workload) {
		json_add(j, "size", json_string(r->size));
		json_add(j, "seed", json_whole(r->seed));
		json_add(j, "address_bits", json_whole(r->address_bits));
		json_add(j, "ptx_changed_by_hand", json_boolean(r->altered));
	}
	return j;
}

static void add_input(json_t *list, const char *path, uint64_t sum)
{
	json_t *j = json_object();

	json_add(j, "path", json_name(path));
	json_add(j, "fnv1a", json_hash(sum));
	json_append(list, j);
}

static json_t *inputs(const struct report *r)
{
	json_t *list = json_array();

	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; r->sources[k] && i < r->sources[k]->ninputs; i++)
			add_input(
				list, r->sources[k]->inputs[i].path, r->sources[k]->inputs[i].hash);
	for (unsigned i = 0; i < gpu_files(r->gpu); i++) {
		struct gpu_file f = gpu_file(r->gpu, i);

		add_input(list, report_path(r, f.path), f.hash);
	}
	return list;
}

json_t *report_json_setting(
	const char *path, const char *value, const struct param_def *def, bool given)
{
	json_t *j = json_object(), *v;

	switch (def->type) {
	case PARAM_UINT:
		v = json_whole(strtoull(value, NULL, 10));
		break;
	case PARAM_REAL:
		v = json_number(strtod(value, NULL));
		break;
	case PARAM_BOOL:
		v = json_boolean(!strcmp(value, "true"));
		break;
	default:
		v = json_name(value);
	}
	json_add(j, "path", json_string(path));
	json_add(j, "value", v);
	json_add(j, "unit", json_string(def->type == PARAM_CHOICE ? "" : def->unit));
	json_add(j, "given", json_boolean(given));
	return j;
}

static void add_plain(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	json_append(ctx, report_json_setting(path, value, def, given));
}

json_t *report_json_settings(const struct config *config)
{
	json_t *list = json_array();

	config_echo(config, add_plain, list);
	return list;
}

struct settings {
	json_t *list;
	const struct config *config;
};

/* The settings that this one overrides, the last first. */
static json_t *overridden(const struct config *config, const char *path)
{
	json_t *list = json_array();
	const char *value, *origin;

	for (unsigned i = 1; config_setting(config, path, i, &value, &origin); i++) {
		json_t *j = json_object();

		json_add(j, "value", json_name(value));
		json_add(j, "origin", json_name(origin));
		json_append(list, j);
	}
	return list;
}

static void add_setting(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	const struct settings *s = ctx;
	json_t *j = report_json_setting(path, value, def, given);
	const char *set, *origin;

	if (config_setting(s->config, path, 0, &set, &origin)) {
		json_add(j, "origin", json_name(origin));
		if (config_setting(s->config, path, 1, &set, &origin))
			json_add(j, "overrides", overridden(s->config, path));
	}
	json_append(s->list, j);
}

/* The end of each SM's last CTA; null where it had none. */
static json_t *sm_ends(const struct report *r, unsigned i, unsigned sms)
{
	json_t *list = json_array();

	for (unsigned sm = 0; sm < sms; sm++) {
		uint64_t end = chip_launch_sm_end(r->gpu, i, sm);

		json_append(list, end ? json_whole(end) : json_null());
	}
	return list;
}

static void add_slots(const struct launch_report *l, json_t *j)
{
	json_add(j, "slots", json_whole(l->slots));
	json_add(j, "slot_loads", json_whole(l->slot_loads));
	json_add(j, "slot_stores", json_whole(l->slot_stores));
	json_add(j, "slot_moves", json_whole(l->slot_moves));
}

/* What the compiler made of the kernel. */
static void add_code(const struct launch_report *l, json_t *j)
{
	json_add(j, "registers", json_whole(l->regs));
	json_add(j, "max_live_registers", json_whole(l->max_live));
	json_add(j, "shared_bytes", json_whole(l->shared_bytes));
	json_add(j, "local_bytes", json_whole(l->local_bytes));
	json_add(j, "spill_bytes", json_whole(l->spill_bytes));
	json_add(j, "spill_loads", json_whole(l->spill_loads));
	json_add(j, "spill_stores", json_whole(l->spill_stores));
	if (l->slots)
		add_slots(l, j);
}

/* What it did without time, and would have moved. */
static void add_warm(const struct launch_report *l, json_t *j)
{
	json_add(j, "skipped_ctas", json_whole(l->skipped_ctas));
	if (!l->untimed)
		json_add(j, "untimed_warp_instructions", json_whole(l->untimed_instructions));
	json_add(j, "warm_dram_read_bytes", json_whole(l->warm_read_bytes));
	json_add(j, "warm_dram_write_bytes", json_whole(l->warm_write_bytes));
	json_add(j, "warm_l2_sectors_read", json_whole(l->warm_l2_sectors));
	json_add(j, "warm_l2_sectors_hit", json_whole(l->warm_l2_hits));
}

static json_t *launch(const struct report *r, const struct sheet *sheet, unsigned i)
{
	struct launch_report l;
	json_t *j = json_object();

	chip_launch_report(r->gpu, i, &l);
	json_add(j, "kernel", json_name(l.kernel));
	json_add(j, "file", json_name(report_path(r, l.file)));
	json_add(j, "grid", json_dims(l.grid));
	json_add(j, "block", json_dims(l.block));
	json_add(j, "stream", json_whole(l.stream));
	json_add(j, "ctas", json_whole(l.ctas));
	json_add(j, "timed_ctas", json_whole(l.timed_ctas));
	json_add(j, "started_ctas", json_whole(l.started_ctas));
	if (l.untimed)
		json_add(j, "untimed_warp_instructions", json_whole(l.untimed_instructions));
	json_add(j, "finished_ctas", json_whole(l.finished_ctas));
	json_add(j, "ctas_per_sm", json_whole(l.ctas_per_sm));
	json_add(j, "sm_register_bytes", json_whole(l.sm_register_bytes));
	json_add(j, "sm_shared_bytes", json_whole(l.sm_shared_bytes));
	json_add(j, "sm_cache_bytes", json_whole(l.sm_cache_bytes));
	add_code(&l, j);
	json_add(j, "start_cycle", l.begun ? json_whole(l.start_cycle) : json_null());
	json_add(j, "end_cycle", l.complete ? json_whole(l.end_cycle) : json_null());
	json_add(j, "sm_end_cycles", sm_ends(r, i, l.sms));
	json_add(j, "warp_instructions", json_whole(l.warp_instructions));
	json_add(j, "dram_read_bytes", json_whole(l.dram_read_bytes));
	json_add(j, "dram_write_bytes", json_whole(l.dram_write_bytes));
	json_add(j, "flushed_bytes", json_whole(l.flushed_bytes));
	json_add(j, "l2_sectors_read", json_whole(l.l2_sectors));
	json_add(j, "l2_sectors_hit", json_whole(l.l2_hits));
	json_add(j, "complete", json_boolean(l.complete));
	if (l.warm)
		add_warm(&l, j);
	if (sheet)
		kernels_json_launch(r->gpu, sheet, i, j);
	return j;
}

static json_t *launches(const struct report *r, const struct sheet *sheet)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < chip_launches(r->gpu); i++)
		json_append(list, launch(r, sheet, i));
	return list;
}

void report_json_metric(void *ctx, const struct metric *m)
{
	json_t *j = json_object();

	json_add(j, "value", m->is_real ? json_number(m->real) : json_whole(m->count));
	json_add(j, "unit", json_string(m->unit));
	json_add(ctx, m->name, j);
}

static void add_part_metric(void *ctx, const char *part, const struct metric *m)
{
	json_t *j = json_object_get(ctx, part);

	if (!j) {
		json_add(ctx, part, json_object());
		j = json_object_get(ctx, part);
	}
	report_json_metric(j, m);
}

static json_t *error(const struct report *r)
{
	json_t *j, *lines;

	if (!r->code)
		return json_null();
	j = json_object();
	lines = json_array();
	for (const char *line = r->message; *line;) {
		size_t n = strcspn(line, "\n");

		json_append(lines, json_words(line, n));
		line += n + (line[n] == '\n');
	}
	json_add(j, "code", json_whole(r->code));
	json_add(j, "name", json_string(exit_codes[r->code].name));
	json_add(j, "messages", lines);
	return j;
}

json_t *report_json_host(const struct host_report *h)
{
	json_t *j = json_object();

	json_add(j, "wall_s", json_number(h->wall_s));
	json_add(j, "warp_instructions_per_s",
		json_number(h->wall_s > 0 ? (double)h->warp_instructions / h->wall_s : 0));
	json_add(j, "threads", json_whole(h->threads));
	json_add(j, "peak_rss_bytes", json_whole(h->peak_rss_bytes));
	return j;
}

json_t *report_json_head(const struct report *r)
{
	json_t *j = json_object();

	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "command", command(r));
	if (r->machine)
		json_add(j, "machine", report_machine(r->machine, r->config));
	json_add(j, "complete", json_boolean(r->complete));
	json_add(j, "check", json_string(verdict_name(r->verdict)));
	json_add(j, "error", error(r));
	json_add(j, "inputs", inputs(r));
	return j;
}

/* What JSON needs of the arena: when that runs out, nothing of JSON may have been made yet. */
struct by_launch {
	struct sheet sheet;
	struct kernels kernels;
	struct sample_result sample;
};

static void look_at_launches(const struct report *r, struct by_launch *b)
{
	b->sheet.arena = r->arena;
	sheet_read(&b->sheet, r->config);
	kernels_of(r->gpu, r->arena, &b->kernels);
	if (r->sample)
		b->sample = sample_estimate(r->gpu, r->sample, r->arena);
}

static void add_launches(const struct report *r, const struct by_launch *b, json_t *j)
{
	json_add(j, "launches", launches(r, r->arena ? &b->sheet : NULL));
	if (!r->arena)
		return;
	json_add(j, "groups", kernels_json_groups(r->gpu, &b->sheet));
	json_add(j, "kernels", kernels_json(r->gpu, &b->sheet, &b->kernels));
	kernels_json_run(r->gpu, &b->sheet, j);
	if (r->sample)
		json_add(j, "sample", sample_json(&b->sample));
}

int report_json(const struct report *r, struct text *out)
{
	json_t *j, *metrics, *parts;
	struct settings settings = {.config = r->config};
	struct by_launch by_launch = {0};
	uint64_t skipped;

	if (r->arena)
		look_at_launches(r, &by_launch);
	j = report_json_head(r);
	metrics = json_object();
	parts = json_object();
	settings.list = json_array();
	config_echo(r->config, add_setting, &settings);
	chip_metrics(r->gpu, report_json_metric, metrics);
	chip_part_metrics(r->gpu, add_part_metric, parts);
	if (chip_skipped(r->gpu, &skipped) && skipped)
		json_add(j, "skipped_cycles", json_whole(skipped));
	json_add(j, "configuration", settings.list);
	add_launches(r, &by_launch, j);
	json_add(j, "metrics", metrics);
	json_add(j, "parts", parts);
	if (r->power) {
		json_add(j, "power", power_summary(r->gpu));
		json_add(j, "power_time", power_rows(r->gpu));
	}
	if (r->host)
		json_add(j, "host", report_json_host(r->host));
	return json_print(j, out);
}
