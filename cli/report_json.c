/* The JSON report: everything a run was made of and everything it measured. */
#include "cli/report.h"

#include "cli/command.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA 1

/* Readers of JSON hold integers up to 2^53 exactly; larger ones are strings. */
static json_t *whole(uint64_t v)
{
	char digits[24];

	if (v <= UINT64_C(1) << 53)
		return json_integer((json_int_t)v);
	snprintf(digits, sizeof(digits), "%" PRIu64, v);
	return json_string(digits);
}

/* NULL for what JSON cannot say. */
static json_t *real(double v)
{
	json_t *j = json_real(v);

	return j ? j : json_null();
}

static json_t *hash(uint64_t v)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%016" PRIx64, v);
	return json_string(digits);
}

/* File names may hold any bytes, JSON may not. */
static json_t *words(const char *s, size_t n)
{
	json_t *j = json_stringn(s, n);
	struct text plain = {0};

	if (j)
		return j;
	for (size_t i = 0; i < n; i++)
		text_add(&plain, "%c", s[i] >= ' ' && s[i] <= '~' ? s[i] : '?');
	j = json_string(text_str(&plain));
	text_clear(&plain);
	return j;
}

static json_t *name(const char *s)
{
	return words(s, strlen(s));
}

static void add(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *program(void)
{
	json_t *j = json_object();

	add(j, "name", json_string("warpbeam"));
	add(j, "version", json_string(program_version()));
	add(j, "build", json_string(program_build()));
	return j;
}

static json_t *command(const struct report *r)
{
	json_t *j = json_object();

	add(j, r->is_workload ? "workload" : "scenario", name(r->target));
	add(j, "chip", name(r->chip));
	if (r->is_workload) {
		add(j, "size", json_string(r->size));
		add(j, "seed", whole(r->seed));
		add(j, "address_bits", whole(r->address_bits));
	}
	return j;
}

static void add_input(json_t *list, const char *path, uint64_t sum)
{
	json_t *j = json_object();

	add(j, "path", name(path));
	add(j, "fnv1a", hash(sum));
	json_array_append_new(list, j);
}

static json_t *inputs(const struct report *r)
{
	json_t *list = json_array();

	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; r->sources[k] && i < r->sources[k]->ninputs; i++)
			add_input(
				list, r->sources[k]->inputs[i].path, r->sources[k]->inputs[i].hash);
	for (unsigned i = 1; i <= gpu_modules(r->gpu); i++) {
		struct gpu_module_info m = gpu_module_info(r->gpu, i);

		add_input(list, report_path(r, m.path), m.hash);
	}
	return list;
}

static void add_setting(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	json_t *j = json_object(), *v;

	switch (def->type) {
	case PARAM_UINT:
		v = whole(strtoull(value, NULL, 10));
		break;
	case PARAM_REAL:
		v = real(strtod(value, NULL));
		break;
	case PARAM_BOOL:
		v = json_boolean(!strcmp(value, "true"));
		break;
	default:
		v = name(value);
	}
	add(j, "path", json_string(path));
	add(j, "value", v);
	add(j, "unit", json_string(def->unit));
	add(j, "given", json_boolean(given));
	json_array_append_new(ctx, j);
}

static json_t *dims(const uint32_t d[3])
{
	json_t *j = json_array();

	for (unsigned i = 0; i < 3; i++)
		json_array_append_new(j, whole(d[i]));
	return j;
}

static json_t *launch(const struct report *r, unsigned i)
{
	struct launch_report l;
	json_t *j = json_object();

	chip_launch_report(r->gpu, i, &l);
	add(j, "kernel", name(l.kernel));
	add(j, "file", name(report_path(r, l.file)));
	add(j, "grid", dims(l.grid));
	add(j, "block", dims(l.block));
	add(j, "stream", whole(l.stream));
	add(j, "ctas", whole(l.ctas));
	add(j, "ctas_per_sm", whole(l.ctas_per_sm));
	add(j, "registers", whole(l.regs));
	add(j, "shared_bytes", whole(l.shared_bytes));
	add(j, "local_bytes", whole(l.local_bytes));
	add(j, "start_cycle", whole(l.start_cycle));
	add(j, "end_cycle", whole(l.end_cycle));
	add(j, "warp_instructions", whole(l.warp_instructions));
	add(j, "complete", json_boolean(l.complete));
	return j;
}

static json_t *launches(const struct report *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < chip_launches(r->gpu); i++)
		json_array_append_new(list, launch(r, i));
	return list;
}

static void add_metric(void *ctx, const struct metric *m)
{
	json_t *j = json_object();

	add(j, "value", m->is_real ? real(m->real) : whole(m->count));
	add(j, "unit", json_string(m->unit));
	add(ctx, m->name, j);
}

static void add_part_metric(void *ctx, const char *part, const struct metric *m)
{
	json_t *j = json_object_get(ctx, part);

	if (!j) {
		add(ctx, part, json_object());
		j = json_object_get(ctx, part);
	}
	add_metric(j, m);
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

		json_array_append_new(lines, words(line, n));
		line += n + (line[n] == '\n');
	}
	add(j, "code", whole(r->code));
	add(j, "name", json_string(exit_codes[r->code].name));
	add(j, "messages", lines);
	return j;
}

static json_t *host(const struct host_report *h)
{
	json_t *j = json_object();

	add(j, "wall_s", real(h->wall_s));
	add(j, "warp_instructions_per_s",
		real(h->wall_s > 0 ? (double)h->warp_instructions / h->wall_s : 0));
	add(j, "threads", whole(h->threads));
	add(j, "peak_rss_bytes", whole(h->peak_rss_bytes));
	return j;
}

static int append(const char *bytes, size_t n, void *ctx)
{
	text_bytes(ctx, bytes, n);
	return ((struct text *)ctx)->failed ? -1 : 0;
}

int report_json(const struct report *r, struct text *out)
{
	json_t *j = json_object(), *settings = json_array(), *metrics = json_object(),
	       *parts = json_object();
	int bad;

	config_echo(r->config, add_setting, settings);
	chip_metrics(r->gpu, add_metric, metrics);
	chip_part_metrics(r->gpu, add_part_metric, parts);
	add(j, "schema", json_integer(SCHEMA));
	add(j, "program", program());
	add(j, "command", command(r));
	add(j, "complete", json_boolean(r->complete));
	add(j, "check", json_string(verdict_name(r->verdict)));
	add(j, "error", error(r));
	add(j, "inputs", inputs(r));
	add(j, "configuration", settings);
	add(j, "launches", launches(r));
	add(j, "metrics", metrics);
	add(j, "parts", parts);
	if (r->host)
		add(j, "host", host(r->host));
	bad = json_dump_callback(j, append, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	text_add(out, "\n");
	json_decref(j);
	return bad || out->failed ? -1 : 0;
}
