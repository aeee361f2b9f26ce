/* The points of a sweep, and their keys in the file of results. */
#include "cli/sweep/sweep.h"

#include "draw/number.h"
#include "runs/json.h"
#include "runs/keys.h"
#include "runs/report.h"
#include "runs/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Incremented when the same configuration would be written differently. */
#define KEY_VERSION 1

static const char *const default_metrics[] = {
	"gpc__cycles_elapsed.max", "sm__inst_executed.avg.per_cycle_elapsed", "dram__bytes.sum"};

/* ---- keys */
static void add_head(const struct sweep *s, const struct sweep_point *p, struct text *out)
{
	text_raw(out, "%d\n%s\n%s\n", KEY_VERSION, s->program, p->target);
	if (work_kind(p->target) == WORK_WORKLOAD)
		text_raw(out, "%s\n%" PRIu64 "\n%d\n", p->options->run.size ? "full" : "small",
			p->options->run.seed, p->options->run.wide ? 64 : 32);
	region_words(&p->options->run.region, out);
}

static void add_parameter(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	(void)def;
	(void)given;
	text_raw(ctx, "%s=%s\n", path, value);
}

static void add_sources(const struct source *source, struct text *out)
{
	for (unsigned i = 0; source && i < source->ninputs; i++)
		text_raw(
			out, "%s %016" PRIx64 "\n", source->inputs[i].path, source->inputs[i].hash);
}

/* Of a recording the manifest, which has the hashes of all else. */
static int key_of_program(const char *target, struct session *s, struct text *out, struct err *err)
{
	const char **words;

	if (cuda_is_recording(target)) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/recording.json", target);
		return key_file(NULL, path, out, err);
	}
	words = work_words(target, &s->arena, err);
	return words ? key_program_files(words, out, err) : -1;
}

/* A workload's PTX has a path of its own (workloads/workload.h); a scenario's modules are known
 * when it has been set up. */
static int add_inputs(const struct sweep_point *p, struct session *s, struct work *w,
	struct text *out, struct err *err)
{
	char path[4096];

	add_sources(&s->source, out);
	if (w->workload) {
		snprintf(path, sizeof(path), "%s/%s/%s%s", w->workload->data_dir, p->target,
			p->target, p->options->run.wide ? ".64.ptx" : ".ptx");
		return key_file(p->options->run.files, path, out, err);
	}
	if (work_kind(p->target) == WORK_PROGRAM)
		return key_of_program(p->target, s, out, err);
	if (work_setup(w, s->gpu, err))
		return -1;
	add_sources(scenario_source(s->scenario), out);
	for (unsigned i = 0; i < gpu_files(s->gpu); i++)
		text_raw(out, "%016" PRIx64 "\n", gpu_file(s->gpu, i).hash);
	return 0;
}

/* ---- opening a point */
struct wanted {
	const char *name;
	bool found;
};

static void match_metric(void *ctx, const struct metric *m)
{
	struct wanted *w = ctx;

	w->found |= !strcmp(m->name, w->name);
}

static int check_metrics(const struct sweep *s, const struct gpu *gpu, struct err *err)
{
	for (unsigned i = 0; i < s->nmetrics; i++) {
		struct wanted w = {s->metrics[i], false};
		const char *now = renamed_to(renamed_stats, w.name);

		chip_metrics(gpu, match_metric, &w);
		if (!w.found && now)
			err_add(err, ERR_USAGE, "--metric %s: it was renamed to %s", w.name, now);
		else if (!w.found)
			err_add(err, ERR_USAGE,
				"--metric %s: there is no such metric; see "
				"warpbeam stats",
				w.name);
	}
	return err->count ? -1 : 0;
}

/* Opens and closes the point. Sets its key, or its messages. */
int sweep_open(const struct sweep *s, struct sweep_point *p, struct arena *arena, struct err *err)
{
	struct session *probe = session_within(arena);
	struct text words = {0};
	struct work work;
	int bad = 0;

	add_head(s, p, &words);
	if (!trial_open(&p->trial, &p->options->run, probe, &work, &p->err)) {
		config_echo(probe->config, add_parameter, &words);
		p->opens = !add_inputs(p, probe, &work, &words, &p->err);
		bad = check_metrics(s, probe->gpu, err);
	}
	if (p->opens)
		bad |= key_make(&words, p->key, err);
	else
		p->state = POINT_FAILED;
	text_clear(&words);
	session_close(probe);
	return bad;
}

static void add_json(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	json_append(ctx, report_json_setting(path, value, def, given));
}

static json_t *asked_settings(const struct sweep *s, const struct sweep_point *p)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < s->naxes; i++) {
		json_t *j = json_object();

		json_add(j, "path", json_name(s->axes[i].path));
		json_add(j, "value", json_name(p->values[i]));
		json_add(j, "unit", json_string(""));
		json_append(list, j);
	}
	return list;
}

json_t *sweep_settings(const struct sweep *s, const struct sweep_point *p, struct arena *arena)
{
	struct session *probe = session_within(arena);
	struct err ignored = {0};
	struct work work;
	json_t *list;

	if (!p->opens)
		return asked_settings(s, p);
	list = json_array();
	if (!trial_open(&p->trial, &p->options->run, probe, &work, &ignored))
		config_echo(probe->config, add_json, list);
	else
		mem_lose(); /* it opened before: now the host lacks memory */
	session_close(probe);
	err_clear(&ignored);
	return list;
}

struct result_point sweep_result(const struct sweep *s, const struct sweep_point *p)
{
	struct result_point r = {.key = p->key, .target = p->target, .build = s->program};

	if (work_kind(p->target) == WORK_WORKLOAD) {
		r.size = p->options->run.size ? "full" : "small";
		r.seed = p->options->run.seed;
		r.address_bits = p->options->run.wide ? 64 : 32;
	}
	return r;
}

/* ---- points */
/* Size, seed and address bits are no parameters of the machine, but can be swept like them. */
static bool is_option(const char *path)
{
	return !strcmp(path, "size") || !strcmp(path, "seed") || !strcmp(path, "ptx");
}

static int set_option(struct options *o, const char *path, const char *value, struct err *err)
{
	uint64_t v;

	if (!strcmp(path, "seed")) {
		if (number_whole(value, &o->run.seed))
			return 0;
		return err_add(err, ERR_USAGE, "--over seed=%s: must be a whole number", value);
	}
	if (!strcmp(path, "size") && (!strcmp(value, "small") || !strcmp(value, "full")))
		o->run.size = !strcmp(value, "full");
	else if (!strcmp(path, "ptx") && number_whole(value, &v) && (v == 32 || v == 64))
		o->run.wide = v == 64;
	else
		return err_add(err, ERR_USAGE, "--over %s=%s: must be %s", path, value,
			*path == 's' ? "small or full" : "32 or 64");
	return 0;
}

/* The settings of the point: its options, and a layer on the machine. */
static int set_values(
	const struct sweep *s, struct sweep_point *p, struct arena *arena, struct err *err)
{
	struct options *own = arena_alloc(arena, 1, sizeof(*own));
	struct layer *layer = arena_alloc(arena, 1, sizeof(*layer));
	const char **set = arena_alloc(arena, s->naxes, sizeof(*set));

	*own = *s->o;
	own->run.no_pin = true;
	layer->origin = "--over";
	layer->set = set;
	for (unsigned i = 0; i < s->naxes; i++) {
		const char *path = s->axes[i].path;
		size_t n = strlen(path) + strlen(p->values[i]) + 2;
		char *text;

		if (is_option(path)) {
			if (set_option(own, path, p->values[i], err))
				return -1;
			continue;
		}
		text = arena_alloc(arena, n, 1);
		snprintf(text, n, "%s=%s", path, p->values[i]);
		set[layer->nset++] = text;
	}
	p->options = own;
	p->trial.machine.layers = layer;
	p->trial.machine.nlayers = 1;
	return 0;
}

static int name_point(
	const struct sweep *s, struct sweep_point *p, struct arena *arena, struct err *err)
{
	struct text name = {0};
	int bad;

	text_add(&name, "%s", p->target);
	for (unsigned i = 0; i < s->naxes; i++)
		text_add(&name, ", %s=%s", s->axes[i].path, p->values[i]);
	bad = name.failed ? err_add(err, ERR_RESOURCE, "no host memory for a point's name") : 0;
	p->name = bad ? "" : arena_strdup(arena, text_str(&name));
	text_clear(&name);
	return bad;
}

/* The key of the request, before the point is opened. */
static int ask(const struct sweep *s, struct sweep_point *p, struct err *err)
{
	struct text words = {0};
	int bad;

	text_raw(&words, "asked\n%s\n", s->o->run.chip ? s->o->run.chip : "");
	add_head(s, p, &words);
	for (unsigned i = 0; i < s->o->run.set.n; i++)
		text_raw(&words, "%s\n", s->o->run.set.at[i]);
	for (unsigned i = 0; i < s->naxes; i++)
		text_raw(&words, "%s=%s\n", s->axes[i].path, p->values[i]);
	bad = key_make(&words, p->asked_key, err);
	text_clear(&words);
	memcpy(p->key, p->asked_key, sizeof(p->key));
	return bad;
}

static int make_point(struct sweep *s, unsigned index, struct arena *arena, struct err *err)
{
	struct sweep_point *p = &s->points[index];
	struct party *party = arena_alloc(arena, 1, sizeof(*party));
	const char **scenario = arena_alloc(arena, 1, sizeof(*scenario));

	p->values = arena_alloc(arena, s->naxes, sizeof(*p->values));
	for (unsigned i = s->naxes; i-- > 0; index /= s->axes[i].n)
		p->values[i] = s->axes[i].values[index % s->axes[i].n];
	p->target = s->o->operands.at[index];
	party->target = *scenario = p->target;
	if (name_point(s, p, arena, err))
		return -1;
	p->trial = (struct trial){.name = p->name,
		.machine = {.scenarios = scenario, .nscenarios = work_is_scenario(p->target)},
		.parties = party,
		.nparties = 1};
	return set_values(s, p, arena, err) || ask(s, p, err) ? -1 : 0;
}

/* ---- options */
static int read_axes(struct sweep *s, struct arena *arena, struct err *err)
{
	s->naxes = s->o->over.n;
	s->axes = arena_alloc(arena, s->naxes, sizeof(*s->axes));
	for (unsigned i = 0; i < s->naxes; i++) {
		if (sweep_axis_read(s->o->over.at[i], arena, &s->axes[i], err))
			return -1;
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(s->axes[k].path, s->axes[i].path))
				return err_add(err, ERR_USAGE,
					"--over %s: it is swept twice; give all its values at once",
					s->axes[i].path);
		if (session_set(&s->o->run, s->axes[i].path, NULL))
			return err_add(err, ERR_USAGE,
				"--over %s: --set gives it a value, too; which is meant?",
				s->axes[i].path);
	}
	return 0;
}

static void read_metrics(struct sweep *s, struct arena *arena)
{
	unsigned room = ARRAY_LEN(default_metrics);

	for (unsigned i = 0; i < s->o->metric.n; i++)
		room += (unsigned)strlen(s->o->metric.at[i]);
	s->metrics = arena_alloc(arena, room, sizeof(*s->metrics));
	for (unsigned i = 0; i < s->o->metric.n; i++)
		for (const char *at = s->o->metric.at[i]; *at;) {
			size_t n = strcspn(at, ",");

			s->metrics[s->nmetrics++] = arena_strndup(arena, at, n);
			at += n + (at[n] == ',');
		}
	for (unsigned i = 0; i < ARRAY_LEN(default_metrics) && !s->o->metric.n; i++)
		s->metrics[s->nmetrics++] = default_metrics[i];
}

static int check_options(const struct sweep *s, struct err *err)
{
	const struct options *o = s->o;

	if (o->json && o->csv && !strcmp(o->json, "-") && !strcmp(o->csv, "-"))
		err_add(err, ERR_USAGE, "only one of --json and --csv can be written to stdout");
	for (unsigned i = 0; i < o->operands.n; i++) {
		const char *target = o->operands.at[i];

		work_admit(target, &o->run, err);
		for (unsigned k = 0; k < s->naxes && work_kind(target) != WORK_WORKLOAD; k++)
			if (is_option(s->axes[k].path))
				err_add(err, ERR_USAGE,
					"--over %s= goes with workloads; %s has its own inputs",
					s->axes[k].path, target);
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(o->operands.at[k], target))
				err_add(err, ERR_USAGE, "%s is given twice", target);
	}
	return err->count ? -1 : 0;
}

static int count_points(struct sweep *s, struct err *err)
{
	uint64_t n = s->o->operands.n;

	for (unsigned i = 0; i < s->naxes; i++) {
		n *= s->axes[i].n;
		if (n > SWEEP_POINTS)
			return err_add(err, ERR_USAGE, "more than %u points", SWEEP_POINTS);
	}
	s->n = (unsigned)n;
	return 0;
}

/* Values that are spelled differently, "64K" and "65536", may mean the same: one of them runs. */
void sweep_twins(struct sweep *s, struct arena *arena)
{
	unsigned room = 2 * s->n + 1;
	struct sweep_point **table = arena_alloc(arena, room, sizeof(struct sweep_point *));

	for (unsigned i = 0; i < s->n; i++) {
		struct sweep_point *p = &s->points[i];
		unsigned at = (unsigned)(gpu_hash(p->key, sizeof(p->key)) % room);

		while (table[at] && strcmp(table[at]->key, p->key))
			at = (at + 1) % room;
		if (!table[at]) {
			table[at] = p;
			continue;
		}
		p->twin = table[at];
		p->state = POINT_TWIN;
	}
}

int sweep_make(struct sweep *s, const struct options *o, struct arena *arena, struct err *err)
{
	*s = (struct sweep){.o = o};
	if (read_axes(s, arena, err) || check_options(s, err) || count_points(s, err))
		return -1;
	read_metrics(s, arena);
	s->program = key_program(arena, err);
	if (!s->program)
		return -1;
	s->points = arena_alloc(arena, s->n, sizeof(*s->points));
	for (unsigned i = 0; i < s->n; i++)
		if (make_point(s, i, arena, err))
			return -1;
	return 0;
}

int sweep_points(struct sweep *s, const struct options *o, struct arena *arena, struct err *err)
{
	unsigned opened = 0;

	if (sweep_make(s, o, arena, err))
		return -1;
	for (unsigned i = 0; i < s->n; i++) {
		if (sweep_open(s, &s->points[i], arena, err))
			return -1;
		opened += s->points[i].opens;
	}
	if (!opened)
		err_move(err, &s->points[0].err);
	sweep_twins(s, arena);
	return opened ? 0 : -1;
}

void sweep_clear(struct sweep *s)
{
	for (unsigned i = 0; i < s->n && s->points; i++)
		err_clear(&s->points[i].err);
}
