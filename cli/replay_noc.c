/* warpbeam replay noc: synthetic traffic through one network alone, load by load. */
#include "cli/command.h"

#include "draw/number.h"
#include "noc/replay.h"
#include "runs/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA 1
#define MOST_LOADS 256
#define MOST_LOAD 1000
#define MOST_PORTS 512

struct point {
	double asked;
	struct noc_result r;
};

struct replay {
	const struct options *o;
	const char *pattern;
	struct noc_traffic t;
	struct point point[MOST_LOADS];
	unsigned n;
};

/* ---- options */
static bool whole(const char *text, size_t n, unsigned *out)
{
	char digits[16];
	uint64_t v;

	if (n >= sizeof(digits))
		return false;
	memcpy(digits, text, n);
	digits[n] = '\0';
	if (!number_whole(digits, &v) || !v || v > MOST_PORTS)
		return false;
	*out = (unsigned)v;
	return true;
}

static int bad_pattern(const struct replay *r, struct err *err)
{
	return err_add(err, ERR_USAGE,
		"replay noc %s: must be uniform, hotspot, permutation or reverse, and may name the "
		"ports, 1 to %u, as uniform:32x12",
		r->pattern, MOST_PORTS);
}

/* KIND or KIND:INPUTSxOUTPUTS. */
static int read_pattern(struct replay *r, struct err *err)
{
	size_t n = strcspn(r->pattern, ":");
	const char *ports = r->pattern + n, *by;
	unsigned kind = 0;

	while (kind < TRAFFIC_KINDS && (strlen(noc_traffic_names[kind]) != n ||
					       strncmp(noc_traffic_names[kind], r->pattern, n)))
		kind++;
	if (kind == TRAFFIC_KINDS)
		return bad_pattern(r, err);
	r->t.kind = (enum noc_traffic_kind)kind;
	r->t.inputs = 32;
	r->t.outputs = 12;
	if (!*ports)
		return 0;
	by = strchr(++ports, 'x');
	if (!by || !whole(ports, (size_t)(by - ports), &r->t.inputs) ||
		!whole(by + 1, strlen(by + 1), &r->t.outputs))
		return bad_pattern(r, err);
	return 0;
}

static int bad_loads(const struct replay *r, struct err *err)
{
	return err_add(err, ERR_USAGE,
		"--loads %s: must be numbers above 0 up to %u, as 0.1,0.5 or 0.1..0.9:0.1, at most "
		"%u",
		r->o->loads, MOST_LOAD, MOST_LOADS);
}

static bool add_load(struct replay *r, double load)
{
	if (!(load > 0 && load <= MOST_LOAD) || r->n == MOST_LOADS)
		return false;
	r->point[r->n++].asked = load;
	return true;
}

/* F, or FROM..TO:STEP with both ends. */
static bool add_loads(struct replay *r, char *text)
{
	char *to = strstr(text, ".."), *by = to ? strchr(to, ':') : NULL;
	double first, last, step;

	if (!to)
		return number_real(text, &first) && add_load(r, first);
	if (!by)
		return false;
	*to = *by = '\0';
	if (!number_real(text, &first) || !number_real(to + 2, &last) ||
		!number_real(by + 1, &step) || !(step > 0) || !(last >= first))
		return false;
	for (unsigned i = 0; first + i * step <= last + step / 1000; i++)
		if (!add_load(r, first + i * step))
			return false;
	return true;
}

static int read_loads(struct replay *r, struct session *s, struct err *err)
{
	char *at = arena_strdup(&s->arena, r->o->loads ? r->o->loads : "0.1..0.9:0.1,0.95,1");

	while (at) {
		char *next = strchr(at, ',');

		if (next)
			*next++ = '\0';
		if (!add_loads(r, at))
			return bad_loads(r, err);
		at = next;
	}
	return 0;
}

static int enter_settings(struct replay *r, struct session *s, struct err *err)
{
	int bad = session_part(s, &r->o->run, NULL, 0, err);

	if (!s->config)
		return -1;
	bad |= config_load(s->config, noc_traffic_params.prefix, noc_traffic_params.defs,
		noc_traffic_params.n, &r->t, err);
	if (r->t.p.data_bytes % 16)
		bad |= err_add(err, ERR_INPUT,
			"traffic.data_bytes = %llu: must be a multiple of 16 bytes",
			(unsigned long long)r->t.p.data_bytes);
	return bad;
}

/* Unknown settings are reported after the first network was made. */
static int run_all(struct replay *r, struct session *s, struct err *err)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct point *p = &r->point[i];

		if (noc_replay(&r->t, p->asked, s->config, &p->r, err))
			return -1;
		if (!i && config_finish(s->config, err))
			return -1;
	}
	return 0;
}

/* ---- results */
/* The last load at which the network accepted less than was offered, or NULL. */
static const struct point *saturated(const struct replay *r)
{
	const struct point *p = NULL;

	for (unsigned i = 0; i < r->n; i++)
		if (!r->point[i].r.stable && (!p || r->point[i].asked >= p->asked))
			p = &r->point[i];
	return p;
}

static void text_line(const struct point *p, struct text *out)
{
	const struct noc_result *r = &p->r;

	text_add(out, "  %7.4f\t%8.4f", r->offered, r->accepted);
	if (r->stable && r->followed)
		text_add(out, "\t%10.2f\t%6u\t%6u\t%6u", r->mean, r->p50, r->p99, r->most);
	else
		text_add(out, "\t%10s\t%6s\t%6s\t%6s", "-", "-", "-", "-");
	if (r->transit >= 0)
		text_add(out, "\t%9.2f", r->transit);
	else
		text_add(out, "\t%9s", "-");
	text_add(out, "\t%6.3f\t%6.3f\n", r->least_source, r->most_source);
}

static void report_text(const struct replay *r, struct text *out)
{
	const struct point *full = saturated(r);

	text_add(out, "%s, %u x %u, %g flits a packet, through %s alone\n",
		noc_traffic_names[r->t.kind], r->t.inputs, r->t.outputs, r->point[0].r.flits,
		r->t.network);
	text_add(out, "  %-16s %-31s %9s %s\n", "load", "latency, cycles", "network", "sources");
	text_add(out, "\v  %7s\t%8s\t%10s\t%6s\t%6s\t%6s\t%9s\t%6s\t%6s\n", "offered", "accepted",
		"mean", "p50", "p99", "most", "alone", "least", "most");
	for (unsigned i = 0; i < r->n; i++)
		text_line(&r->point[i], out);
	if (full)
		text_add(out, "  saturation throughput: %.4f of the smaller side's ports\n",
			full->r.accepted);
	else
		text_add(out, "  saturation throughput: not reached\n");
}

static void report_csv(const struct replay *r, struct text *out)
{
	text_add(out, "network,pattern,inputs,outputs,flits,seed,offered,accepted,stable,packets,"
		      "latency_mean,latency_p50,latency_p99,latency_most,network_latency_mean,"
		      "least_source,most_source\n");
	for (unsigned i = 0; i < r->n; i++) {
		const struct noc_result *p = &r->point[i].r;

		text_add(out, "%s,%s,%u,%u,%g,%llu,%.6f,%.6f,%d,%llu,", r->t.network,
			noc_traffic_names[r->t.kind], r->t.inputs, r->t.outputs, p->flits,
			(unsigned long long)r->t.seed, p->offered, p->accepted, p->stable,
			(unsigned long long)p->followed);
		if (p->stable && p->followed)
			text_add(out, "%.4f,%u,%u,%u,", p->mean, p->p50, p->p99, p->most);
		else
			text_add(out, ",,,,");
		if (p->transit >= 0)
			text_add(out, "%.4f", p->transit);
		text_add(out, ",%.4f,%.4f\n", p->least_source, p->most_source);
	}
}

static void add_setting(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	(void)def;
	(void)given;
	json_add(ctx, path, json_name(value));
}

static json_t *latency_json(const struct noc_result *r)
{
	json_t *j;

	if (!r->stable || !r->followed)
		return json_null();
	j = json_object();
	json_add(j, "mean", json_number(r->mean));
	json_add(j, "p50", json_whole(r->p50));
	json_add(j, "p99", json_whole(r->p99));
	json_add(j, "most", json_whole(r->most));
	return j;
}

static json_t *point_json(const struct noc_result *r)
{
	json_t *j = json_object();

	json_add(j, "offered", json_number(r->offered));
	json_add(j, "accepted", json_number(r->accepted));
	json_add(j, "stable", json_boolean(r->stable));
	json_add(j, "packets", json_whole(r->followed));
	json_add(j, "latency_cycles", latency_json(r));
	json_add(j, "network_latency_mean_cycles",
		r->transit >= 0 ? json_number(r->transit) : json_null());
	json_add(j, "least_source", json_number(r->least_source));
	json_add(j, "most_source", json_number(r->most_source));
	return j;
}

static json_t *report_json(const struct replay *r, const struct session *s)
{
	const struct point *full = saturated(r);
	json_t *j = json_object(), *settings = json_object(), *points = json_array();

	config_echo(s->config, add_setting, settings);
	for (unsigned i = 0; i < r->n; i++)
		json_append(points, point_json(&r->point[i].r));
	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "network", json_name(r->t.network));
	json_add(j, "pattern", json_name(noc_traffic_names[r->t.kind]));
	json_add(j, "inputs", json_whole(r->t.inputs));
	json_add(j, "outputs", json_whole(r->t.outputs));
	json_add(j, "flits", json_number(r->point[0].r.flits));
	json_add(j, "seed", json_whole(r->t.seed));
	json_add(j, "settings", settings);
	json_add(j, "saturation_throughput", full ? json_number(full->r.accepted) : json_null());
	json_add(j, "loads", points);
	return j;
}

static int write_json(const struct replay *r, struct session *s, struct err *err)
{
	int bad = json_print(report_json(r, s), &s->out);

	if (bad)
		err_add(err, ERR_RESOURCE, "%s: no host memory for JSON", r->o->json);
	else
		bad = output_file(r->o->run.files, r->o->json, &s->out, err);
	text_clear(&s->out);
	return bad;
}

static int write_csv(const struct replay *r, struct session *s, struct err *err)
{
	int bad;

	report_csv(r, &s->out);
	bad = output_file(r->o->run.files, r->o->csv, &s->out, err);
	text_clear(&s->out);
	return bad;
}

static int write_all(const struct replay *r, struct session *s, struct err *err)
{
	const struct options *o = r->o;
	int bad = 0;

	if (o->json)
		bad |= write_json(r, s, err);
	if (o->csv)
		bad |= write_csv(r, s, err);
	if (o->run.quiet || (o->json && !strcmp(o->json, "-")) || (o->csv && !strcmp(o->csv, "-")))
		return bad;
	report_text(r, &s->out);
	return output_report(&s->out, o->run.uncut, err) | bad;
}

int replay_noc(const struct options *o, struct session *s, struct err *err)
{
	struct replay *r = arena_alloc(&s->arena, 1, sizeof(*r));

	r->o = o;
	r->pattern = o->operands.at[1];
	r->t.network = o->network ? o->network : "router";
	r->t.seed = o->run.seed;
	if (o->json && o->csv && !strcmp(o->json, "-") && !strcmp(o->csv, "-"))
		return err_add(err, ERR_USAGE, "--json - and --csv -: stdout takes one of them");
	if (read_pattern(r, err) || read_loads(r, s, err) || enter_settings(r, s, err) ||
		run_all(r, s, err))
		return -1;
	return write_all(r, s, err);
}
