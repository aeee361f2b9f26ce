/* warpbeam replay: a trace of accesses through one part of the memory system alone. */
#include "cli/accesses.h"

#include "dram/replay.h"
#include "draw/number.h"
#include "runs/json.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA 1

struct replay {
	const struct options *o;
	const char *path;
	struct dram_replay *r;
	struct dram_access *accesses;
	uint32_t n;
	const char *inject;
	struct dram_load load;
	struct dram_replayed result;
};

/* ---- the trace */
static int bad_line(const struct replay *r, unsigned line, struct err *err)
{
	return err_add(err, ERR_INPUT,
		"%s:%u: must be 'R ADDRESS' or 'W ADDRESS', the address decimal or hexadecimal (0x)",
		r->path, line);
}

static int read_access(void *ctx, char *line, unsigned number, struct err *err)
{
	struct replay *r = ctx;
	struct dram_access *a = &r->accesses[r->n];

	if ((*line != 'R' && *line != 'W') || (line[1] != ' ' && line[1] != '\t') ||
		!number_whole(line + 2 + strspn(line + 2, " \t"), &a->address))
		return bad_line(r, number, err);
	a->dir = *line == 'R' ? DRAM_READ : DRAM_WRITE;
	r->n++;
	return 0;
}

static int read_trace(struct replay *r, struct session *s, struct err *err)
{
	size_t lines;
	char *text = accesses_text(s, r->path, &lines, err);

	if (!text)
		return -1;
	r->accesses = arena_alloc(&s->arena, lines, sizeof(*r->accesses));
	return accesses_each(text, r->path, read_access, r, err);
}

/* ---- options */
static int read_inject(struct replay *r, struct err *err)
{
	const char *text = r->inject, *colon = strchr(text, ':');

	r->load.seed = r->o->run.seed;
	if (!strcmp(text, "sat"))
		return 0;
	r->load.kind = strncmp(text, "cbr:", 4) ? DRAM_BERNOULLI : DRAM_CONSTANT;
	if ((strncmp(text, "cbr:", 4) && strncmp(text, "pois:", 5)) ||
		!number_real(colon + 1, &r->load.share) ||
		!(r->load.share >= 0.0001 && r->load.share <= 1))
		return err_add(err, ERR_USAGE,
			"--inject %s: must be sat, cbr:SHARE or pois:SHARE, a share of the peak "
			"bandwidth from 0.0001 to 1",
			text);
	return 0;
}

/* The short options are settings. */
static int enter_settings(struct replay *r, struct session *s, struct err *err)
{
	const struct short_setting given[] = {
		{"dram.device", r->o->device, "--device"},
		{"dram.map", r->o->map, "--map"},
		{"dram.scheduler", r->o->scheduler, "--scheduler"},
	};
	const struct param_table *t = &dram_replay_params;
	int bad = session_part(s, &r->o->run, given, ARRAY_LEN(given), err);

	if (!s->config)
		return -1;
	r->r = arena_alloc(&s->arena, 1, sizeof(*r->r));
	bad |= config_load(s->config, t->prefix, t->defs, t->n, r->r, err);
	bad |= controller_init(&r->r->controller,
		&(struct controller_config){&r->r->p, &r->r->s, 0, s->config}, &s->arena, err);
	return bad | config_finish(s->config, err);
}

/* ---- results */
static void latency_line(const char *from, const struct dram_latency *l, struct text *out)
{
	text_add(out, "  read latency from %-12s %10.1f mean %8u p50 %8u p99 %8u most CK\n", from,
		l->mean, l->p50, l->p99, l->most);
}

static void report_lines_of(const struct replay *r, struct text *out)
{
	const struct dram_replayed *d = &r->result;
	const struct dram_stats *s = &r->r->s;
	const struct dram_device *device = &r->r->controller.device;

	text_add(out, "%s on %s (%u ps a CK), %s, %s, %s\n", r->path, device->name, device->tck_ps,
		controller_map(&r->r->controller), r->r->p.scheduler, r->inject);
	text_add(out, "  %-30s %10u reads, %u writes\n", "accesses", (unsigned)s->reads,
		(unsigned)s->writes);
	text_add(
		out, "  %-30s %10.4f of peak, %.3f B/ns\n", "bandwidth", d->share, d->bytes_per_ns);
	text_add(out, "  %-30s %10.4f\n", "row hits", d->row_hits);
	if (d->nreads) {
		latency_line("acceptance", &d->accepted, out);
		latency_line("arrival", &d->arrived, out);
	}
	text_add(
		out, "  %-30s %10llu CK\n", "to the last data beat", (unsigned long long)d->clocks);
	text_add(out, "  %-30s %10llu activates, %llu precharges, %llu refreshes\n", "commands",
		(unsigned long long)s->activates, (unsigned long long)s->precharges,
		(unsigned long long)s->refreshes);
}

static json_t *latency_json(const struct dram_latency *l)
{
	json_t *j = json_object();

	json_add(j, "mean", json_number(l->mean));
	json_add(j, "p50", json_whole(l->p50));
	json_add(j, "p99", json_whole(l->p99));
	json_add(j, "most", json_whole(l->most));
	return j;
}

static void add_setting(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	(void)def;
	(void)given;
	json_add(ctx, path, json_name(value));
}

static json_t *banks_json(const struct controller *c)
{
	json_t *list = json_array();

	for (unsigned b = 0; b < c->device.banks; b++) {
		json_t *j = json_object();

		json_add(j, "bursts", json_whole(c->bank[b].bursts + c->bank[b].columns));
		json_add(j, "activates", json_whole(c->bank[b].activates));
		json_append(list, j);
	}
	return list;
}

static json_t *timings_json(const struct dram_device *d)
{
	json_t *j = json_object();

	json_add(j, "tck_ps", json_whole(d->tck_ps));
#define ADD(P, T, name, text) json_add(j, #name, json_whole(d->t.name));
	DRAM_TIMINGS(ADD, , )
#undef ADD
	return j;
}

static json_t *stats_json(const struct dram_stats *s)
{
	json_t *j = json_object();

#define ADD(T, kind, name, unit, text) json_add(j, #name, json_whole(s->name));
	DRAM_STATS(ADD, )
#undef ADD
	return j;
}

static json_t *replay_json(const struct replay *r, const struct session *s)
{
	const struct dram_replayed *d = &r->result;
	json_t *j = json_object(), *settings = json_object();

	config_echo(s->config, add_setting, settings);
	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "trace", json_name(r->path));
	json_add(j, "fnv1a", json_hash(s->source.inputs[0].hash));
	json_add(j, "inject", json_name(r->inject));
	json_add(j, "seed", json_whole(r->o->run.seed));
	json_add(j, "settings", settings);
	json_add(j, "map", json_name(controller_map(&r->r->controller)));
	json_add(j, "timings_ck", timings_json(&r->r->controller.device));
	json_add(j, "share_of_peak", json_number(d->share));
	json_add(j, "bytes_per_ns", json_number(d->bytes_per_ns));
	json_add(j, "row_hit_rate", json_number(d->row_hits));
	json_add(j, "clocks", json_whole(d->clocks));
	json_add(j, "read_latency_from_acceptance_ck",
		d->nreads ? latency_json(&d->accepted) : json_null());
	json_add(j, "read_latency_from_arrival_ck",
		d->nreads ? latency_json(&d->arrived) : json_null());
	json_add(j, "counts", stats_json(&r->r->s));
	json_add(j, "banks", banks_json(&r->r->controller));
	return j;
}

static int write_all(const struct replay *r, struct session *s, struct err *err)
{
	const char *json = r->o->json;
	int bad = 0;

	if (json) {
		bad = json_print(replay_json(r, s), &s->out);
		if (bad)
			err_add(err, ERR_RESOURCE, "%s: no host memory for JSON", json);
		else
			bad = output_file(r->o->run.files, json, &s->out, err);
		text_clear(&s->out);
	}
	if (r->o->run.quiet || (json && !strcmp(json, "-")))
		return bad;
	report_lines_of(r, &s->out);
	return output_report(&s->out, r->o->run.uncut, err) | bad;
}

/* ---- kinds of replay */
int command_replay(const struct options *o, struct session *s, struct err *err)
{
	struct replay r = {.o = o, .inject = o->inject ? o->inject : "sat"};
	const struct replay_kind *kind = replay_find(o->operands.at[0]);

	if (!kind)
		return err_add(
			err, ERR_USAGE, "replay %s: must be dram, cache or noc", o->operands.at[0]);
	if (options_of_replay(o, kind->bit, err))
		return -1;
	if (kind->bit == COMMAND_REPLAY_CACHE)
		return replay_cache(o, s, err);
	if (kind->bit == COMMAND_REPLAY_NOC)
		return replay_noc(o, s, err);
	r.path = o->operands.at[1];
	if (read_inject(&r, err) || enter_settings(&r, s, err) || read_trace(&r, s, err))
		return -1;
	dram_replay(r.r, r.accesses, r.n, &r.load, &s->arena, &r.result);
	return write_all(&r, s, err);
}
