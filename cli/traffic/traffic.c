/* warpbeam profile: runs a workload or a scenario and reports where its DRAM traffic comes from. */
#include "cli/traffic/traffic.h"

#include "chip/power.h"
#include "cli/advice/advice.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "runs/checkpoint/checkpoint.h"
#include "runs/json.h"
#include "runs/levels/levels.h"
#include "runs/results/results.h"
#include "runs/sheet/sheet.h"
#include "runs/work.h"

#include <string.h>

struct profiling {
	const struct options *o;
	struct session *s;
	struct work work;
	struct checkpoint *checkpoint;
	enum verdict verdict;
	bool started, complete;
};

/* ---- before the run */
static int check_outputs(const struct options *o, struct err *err)
{
	const char *const files[] = {o->json, o->csv, o->html};
	unsigned n = 0;

	for (unsigned i = 0; i < ARRAY_LEN(files); i++)
		n += files[i] && !strcmp(files[i], "-");
	if (n > 1)
		return err_add(err, ERR_USAGE,
			"only one of --json, --csv and --html can be written to stdout");
	if (o->prove && o->level)
		return err_add(err, ERR_USAGE, "--prove does not go with --concurrency");
	if (o->sqlite && !strcmp(o->sqlite, "-"))
		return err_add(err, ERR_USAGE, "--sqlite needs a file, not stdout");
#ifndef HAVE_SQLITE
	if (o->sqlite)
		return err_add(
			err, ERR_HOST, "--sqlite %s: this build is without SQLite", o->sqlite);
#endif
	return 0;
}

static int prepare(struct profiling *p, struct err *err)
{
	struct session *s = p->s;
	const char *target = p->o->operands.at[0];
	int bad = work_admit(target, &p->o->run, err) | check_outputs(p->o, err);

	if (bad || levels_open(s, target, &p->o->run, p->o->level, err))
		return -1;
	if (chip_profile(s->gpu, err) || chip_power(s->gpu, err))
		return -1;
	if (work_open(&p->work, target, s->scenario, &p->o->run, s->gpu, s->config, &s->arena, err))
		return -1;
	p->checkpoint = checkpoint_open(&p->work, &p->o->run.checkpoint, p->o->run.files, err);
	if (!p->checkpoint || config_finish(s->config, err) || work_setup(&p->work, s->gpu, err))
		return -1;
	return checkpoint_begin(p->checkpoint, err);
}

/* ---- the run */
static int run_all(struct profiling *p, const struct host_hooks *hooks, struct err *err)
{
	for (;;) {
		int more, bad = work_run(&p->work, p->o->run.max_cycles, hooks, err);

		if (checkpoint_check(p->checkpoint, err) || bad)
			return -1;
		more = work_advance(&p->work, err);
		if (more <= 0)
			return more;
		checkpoint_advanced(p->checkpoint);
	}
}

static void drive(struct profiling *p, struct err *err)
{
	struct progress progress = progress_new(p->s->gpu, p->o->run.quiet);
	struct host_hooks hooks = progress_hooks(&progress);
	bool bad;

	hooks = checkpoint_hooks(p->checkpoint, &hooks);
	bad = run_all(p, &hooks, err);
	if (checkpoint_spoiled(p->checkpoint)) {
		progress_end(&progress);
		return;
	}
	p->complete = work_complete(&p->work, bad);
	progress_end(&progress);
	p->started = p->complete || chip_progress(p->s->gpu).cycle;
	if (!bad)
		work_verify(&p->work, p->s->gpu, &p->verdict, err);
	chip_close(p->s->gpu);
}

/* ---- after the run */
static struct report describe(const struct profiling *p, const struct err *err)
{
	struct report r = work_report(&p->work, p->s->gpu, &p->s->source, err);

	r.verdict = p->verdict;
	r.complete = p->complete;
	return r;
}

/* A file of results has what was run beside what was counted. */
static json_t *with_settings(const struct profiling *p, json_t *tables)
{
	json_t *all = json_copy(tables), *program = json_array();

	json_append(program, json_program());
	json_add(all, "program", program);
	json_add(all, "configuration", report_json_settings(p->s->config));
	return all;
}

static void write_sqlite(const struct profiling *p, json_t *tables, struct err *err)
{
	static const struct results_kind kind = {"warpbeam profile", 0x77627072 /* "wbpr" */};
	json_t *all = with_settings(p, tables);

	if (!json_is_whole())
		err_add(err, ERR_RESOURCE, "%s: no host memory for the tables", p->o->sqlite);
	else
		results_tables(p->o->run.files, p->o->sqlite, &kind, all, err);
	json_decref(all);
}

static void write_tables(const struct profiling *p, const struct traffic *t, struct err *err)
{
	struct sheet sheet = {.arena = &p->s->arena};
	struct text *out = &p->s->out;
	json_t *tables;

	sheet_read(&sheet, p->s->config);
	tables = traffic_tables(t, &t->kernels, &sheet);
	if (!json_is_whole()) {
		json_decref(tables);
		err_add(err, ERR_RESOURCE, "no host memory for the tables");
		return;
	}
	if (p->o->json) {
		if (traffic_json(t, tables, out))
			err_add(err, ERR_RESOURCE, "%s: no host memory for JSON", p->o->json);
		else
			output_file(p->o->run.files, p->o->json, out, err);
		text_clear(out);
	}
	if (p->o->csv) {
		traffic_csv(tables, out);
		output_file(p->o->run.files, p->o->csv, out, err);
		text_clear(out);
	}
	if (p->o->sqlite)
		write_sqlite(p, tables, err);
	json_decref(tables);
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

/* Files first: the reader of stdout may close it early. */
static int write_reports(const struct profiling *p, struct err *err)
{
	const struct options *o = p->o;
	struct report r = describe(p, err);
	struct traffic t = {.top = o->top ? (unsigned)o->top : 10, .files = o->run.files};
	struct text *out = &p->s->out;
	struct err wrong = {0};
	struct advices advices;

	r.machine = session_machine(p->s, &wrong);
	traffic_look(&t, &r, &p->s->arena);
	advices = advice_look(&t);
	t.advices = &advices;
	t.proved = o->prove && !advice_prove(&advices, &t, o, &wrong);
	if (o->json || o->csv || o->sqlite)
		write_tables(p, &t, &wrong);
	if (o->html) {
		traffic_html(&t, out);
		output_file(o->run.files, o->html, out, &wrong);
		text_clear(out);
	}
	if (!o->run.quiet && !is_stdout(o->json) && !is_stdout(o->csv) && !is_stdout(o->html)) {
		traffic_text(&t, out);
		output_report(out, o->run.uncut, &wrong);
	}
	advice_clear(&advices);
	if (wrong.code && !err->code)
		err->code = wrong.code;
	err_move(err, &wrong);
	return err->code ? -1 : 0;
}

/* Without a report only the audit is done. */
static bool is_asked_for(const struct options *o)
{
	return !o->run.quiet || o->json || o->csv || o->sqlite || o->html;
}

int command_profile(const struct options *o, struct session *s, struct err *err)
{
	struct profiling p = {.o = o, .s = s};

	if (prepare(&p, err))
		return -1;
	drive(&p, err);
	if (!p.started)
		return -1;
	return is_asked_for(o) ? write_reports(&p, err) : -(err->code != ERR_NONE);
}
