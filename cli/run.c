/* warpbeam run: a workload or a scenario, from its inputs to its reports. */
#include "cli/command.h"

#include "cli/progress.h"
#include "cli/report.h"
#include "core/file.h"
#include "workloads/workload.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct dump {
	buffer_t buffer;
	const char *path;
};

struct job {
	const struct options *o;
	struct session *s;
	const char *target;
	bool is_scenario;
	struct workload_run *workload;
	struct dump *dumps;
	struct progress progress;
	double wall_s;
	enum verdict verdict;
	bool started, complete;
};

/* ---- before the run: everything that can be wrong is found here */
static bool names_file(const char *target)
{
	const char *dot = strrchr(target, '.');

	return strchr(target, '/') || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")));
}

static int check_options(const struct job *j, struct err *err)
{
	static const struct {
		enum option_id id;
		const char *name;
	} inputs[] = {{OPTION_SIZE, "size"}, {OPTION_PTX, "ptx"}, {OPTION_SEED, "seed"}};

	for (unsigned i = 0; i < ARRAY_LEN(inputs) && j->is_scenario; i++)
		if (j->o->given >> inputs[i].id & 1)
			err_add(err, ERR_USAGE,
				"--%s goes with a workload; a scenario has its own inputs",
				inputs[i].name);
	if (j->o->json && j->o->csv && !strcmp(j->o->json, "-") && !strcmp(j->o->csv, "-"))
		err_add(err, ERR_USAGE, "--json and --csv cannot both be written to stdout");
	return err->count ? -1 : 0;
}

static int check_workload(const char *name, struct err *err)
{
	const char *names[64], *near;
	size_t n = 0;

	for (size_t i = 0; plugins[i]; i++) {
		if (strcmp(plugins[i]->kind, "workload"))
			continue;
		if (!strcmp(plugins[i]->name, name))
			return 0;
		if (n < ARRAY_LEN(names))
			names[n++] = plugins[i]->name;
	}
	near = err_nearest(name, names, n);
	return err_add(err, ERR_USAGE,
		"there is no workload '%s'%s%s%s; see warpbeam list (a scenario's name ends in "
		".yaml)",
		name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool has_folder(const char *data_dir, const char *name)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s", data_dir, name);

	return n > 0 && (size_t)n < sizeof(path) && !access(path, R_OK);
}

/* Where the workloads' folders are: $WARPBEAM_DATADIR, the source tree, or where they were
 * installed. */
static const char *find_data(struct arena *arena, const char *name)
{
	const char *tops[] = {getenv("WARPBEAM_DATADIR"), WARPBEAM_SRCDIR, WARPBEAM_DATADIR};
	char *path = NULL;

	for (unsigned i = 0; i < ARRAY_LEN(tops); i++) {
		size_t n;

		if (!tops[i] || !*tops[i])
			continue;
		n = strlen(tops[i]) + sizeof("/workloads");
		path = arena_alloc(arena, n, 1);
		snprintf(path, n, "%s/workloads", tops[i]);
		if (!i || has_folder(path, name))
			break;
	}
	return path;
}

static int open_workload(struct job *j, struct err *err)
{
	j->workload = workload_open(j->target, j->s->gpu, j->s->config, &j->s->arena, err);
	if (!j->workload)
		return -1;
	j->workload->size = j->o->size ? SIZE_FULL : SIZE_SMALL;
	j->workload->address_bits = j->o->wide ? 64 : 32;
	j->workload->seed = j->o->seed;
	j->workload->data_dir = find_data(&j->s->arena, j->target);
	return 0;
}

/* "BUFFER=FILE": the buffer must be there before the run starts. */
static int find_dumps(struct job *j, struct err *err)
{
	j->dumps = arena_alloc(&j->s->arena, j->o->dump.n + 1, sizeof(*j->dumps));
	for (unsigned i = 0; i < j->o->dump.n; i++) {
		const char *text = j->o->dump.at[i], *sign = strchr(text, '=');
		char *name;

		if (!sign || sign == text || !sign[1])
			return err_add(
				err, ERR_USAGE, "--dump %s: must have the form BUFFER=FILE", text);
		name = arena_strndup(&j->s->arena, text, (size_t)(sign - text));
		j->dumps[i].path = sign + 1;
		j->dumps[i].buffer = gpu_buffer_named(j->s->gpu, name);
		if (!j->dumps[i].buffer)
			return err_add(err, ERR_USAGE, "--dump %s: %s has no buffer '%s'", text,
				j->target, name);
	}
	return 0;
}

static int prepare(struct job *j, struct err *err)
{
	if (check_options(j, err) || (!j->is_scenario && check_workload(j->target, err)))
		return -1;
	if (session_open(j->s, j->o, j->is_scenario ? j->target : NULL, err))
		return -1;
	if (!j->is_scenario && open_workload(j, err))
		return -1;
	if (config_finish(j->s->config, err))
		return -1;
	if (j->is_scenario ? scenario_setup(j->s->scenario, j->s->gpu, err)
			   : j->workload->ops->setup(j->workload, err))
		return -1;
	return find_dumps(j, err);
}

/* ---- the run */
/* Runs until a workload has no more launches to queue. */
static int run_all(struct job *j, const struct host_hooks *hooks, struct err *err)
{
	for (;;) {
		int more = 0, bad = chip_run(j->s->gpu, j->o->max_cycles, hooks, err);

		signal(SIGUSR1, SIG_IGN);
		if (bad)
			return -1;
		if (j->workload && j->workload->ops->advance)
			more = j->workload->ops->advance(j->workload, err);
		if (more <= 0)
			return more;
	}
}

static int check(struct job *j, struct err *err)
{
	int bad;

	if (j->workload) {
		bad = j->workload->ops->check(j->workload, err);
	} else if (scenario_checks(j->s->scenario)) {
		bad = scenario_check(j->s->scenario, j->s->gpu, err);
	} else {
		j->verdict = VERDICT_NONE;
		return 0;
	}
	if (!bad)
		j->verdict = VERDICT_PASSED;
	else if (err->code == ERR_CHECK)
		j->verdict = VERDICT_FAILED;
	return bad;
}

static int drive(struct job *j, struct err *err)
{
	struct host_hooks hooks;
	int bad;

	j->progress = progress_new(j->s->gpu, j->o->quiet);
	hooks = progress_hooks(&j->progress);
	bad = run_all(j, &hooks, err);
	progress_end(&j->progress);
	j->wall_s = progress_now_s() - j->progress.start_s;
	j->complete = !bad;
	j->started = !bad || chip_progress(j->s->gpu).cycle;
	if (!bad)
		bad = check(j, err);
	chip_close(j->s->gpu);
	return bad;
}

/* ---- after the run */
static struct host_report measure_host(const struct job *j)
{
	struct host_report h = {.wall_s = j->wall_s,
		.warp_instructions = chip_progress(j->s->gpu).warp_instructions,
		.threads = (unsigned)j->o->threads};
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	h.peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	return h;
}

static struct report describe(
	const struct job *j, const struct host_report *host, const struct err *err)
{
	struct report r = {.gpu = j->s->gpu,
		.config = j->s->config,
		.target = j->target,
		.is_workload = !j->is_scenario,
		.chip = j->o->chip,
		.sources = {&j->s->source},
		.verdict = j->verdict,
		.complete = j->complete,
		.code = err->code,
		.message = err_text(err),
		.host = j->o->host_stats ? host : NULL};

	if (j->is_scenario) {
		r.sources[1] = scenario_source(j->s->scenario);
		r.chip = r.chip ? r.chip : scenario_chip(j->s->scenario);
	} else {
		r.size = j->o->size ? "full" : "small";
		r.seed = j->o->seed;
		r.address_bits = j->workload->address_bits;
		r.data_dir = j->workload->data_dir;
	}
	r.chip = r.chip ? r.chip : "m12";
	return r;
}

/* Files first: whoever reads stdout may go away early. */
static int write_reports(struct job *j, struct err *err)
{
	struct host_report host = measure_host(j);
	struct report r = describe(j, &host, err);
	struct text *out = &j->s->out;
	const char *json = j->o->json, *csv = j->o->csv;
	struct err wrong = {0};

	if (json) {
		if (report_json(&r, out))
			err_add(&wrong, ERR_RESOURCE, "%s: no host memory for JSON", json);
		else
			output_file(json, out, &wrong);
		text_clear(out);
	}
	if (csv) {
		report_csv(&r, out);
		output_file(csv, out, &wrong);
		text_clear(out);
	}
	if (!j->o->quiet && (!json || strcmp(json, "-")) && (!csv || strcmp(csv, "-"))) {
		report_text(&r, &j->s->arena, out);
		output_text(out, &wrong);
	}
	if (wrong.code && !err->code)
		err->code = wrong.code;
	err_move(err, &wrong);
	return err->code ? -1 : 0;
}

static int write_dumps(const struct job *j, struct err *err)
{
	int bad = 0;

	for (unsigned i = 0; i < j->o->dump.n && j->complete; i++) {
		uint64_t n = gpu_buffer_bytes(j->s->gpu, j->dumps[i].buffer);
		void *data = arena_alloc(&j->s->arena, n, 1);

		gpu_read(j->s->gpu, j->dumps[i].buffer, 0, data, n);
		bad |= file_write(j->dumps[i].path, data, n, err);
	}
	return bad;
}

int command_run(const struct options *o, struct session *s, struct err *err)
{
	struct job j = {.o = o, .s = s, .target = o->operands.at[0]};

	j.is_scenario = names_file(j.target);
	if (prepare(&j, err))
		return -1;
	drive(&j, err);
	if (!j.started)
		return -1;
	write_dumps(&j, err);
	return write_reports(&j, err);
}
