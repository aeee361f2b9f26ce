/* warpbeam run: a workload or a scenario, from its inputs to its reports. */
#include "cli/command.h"

#include "chip/power.h"
#include "cli/progress.h"
#include "cli/run_report.h"
#include "cli/run_trace.h"
#include "core/file.h"
#include "runs/checkpoint/checkpoint.h"
#include "runs/kernels/kernels.h"
#include "runs/levels/levels.h"
#include "runs/pace.h"
#include "runs/served.h"
#include "runs/work.h"

#include <string.h>

struct dump {
	buffer_t buffer;
	const char *path;
};

struct job {
	const struct options *o;
	struct session *s;
	const char *target;
	struct work work;
	struct checkpoint *checkpoint;
	struct dump *dumps;
	struct progress progress;
	double wall_s;
	enum verdict verdict;
	bool started, complete;
};

/* ---- before the run: all checks */
/* "BUFFER=FILE": the buffer must exist before the run starts. */
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
		j->dumps[i].buffer = work_buffer(&j->work, name);
		if (!j->dumps[i].buffer)
			return err_add(err, ERR_USAGE, "--dump %s: %s has no buffer '%s'", text,
				j->target, name);
	}
	return 0;
}

static int admit_record(const struct job *j, struct err *err)
{
	if (!j->o->record_dir || !strncmp(j->target, "-- ", 3))
		return 0;
	if (work_kind(j->target) != WORK_PROGRAM)
		return err_add(err, ERR_USAGE, "--record goes with a program");
	return err_add(err, ERR_USAGE, "--record: %s is a recording, no program", j->target);
}

/* A checkpoint has it where both runs ask for it. */
static int count_power(const struct job *j, struct err *err)
{
	const struct options *o = j->o;
	const struct checkpoint_options *c = &o->run.checkpoint;
	bool kept = c->file || c->resume || c->from;
	bool shown = o->html || (o->trace && !o->trace_filter);

	return o->power || (shown && !kept) ? chip_power(j->s->gpu, err) : 0;
}

static int prepare(struct job *j, struct err *err)
{
	struct session *s = j->s;
	int bad = work_admit(j->target, &j->o->run, err) | run_report_admit(j->o, err) |
		  run_trace_admit(j->o, err) | admit_record(j, err);

	if (bad || levels_open(s, j->target, &j->o->run, j->o->level, err))
		return -1;
	if (work_open(&j->work, j->target, s->scenario, &j->o->run, s->gpu, s->config, &s->arena,
		    err))
		return -1;
	j->work.record = j->o->record_dir;
	if (j->o->run.served) { /* from here on: a program may compute before its first launch */
		j->o->run.served->gpu = s->gpu;
		j->work.guest = &j->o->run.served->guest;
	}
	if (!j->o->json && work_kind(j->target) == WORK_PROGRAM && !j->o->run.checkpoint.file &&
		!j->o->run.checkpoint.resume && !j->o->run.checkpoint.from)
		gpu_forget_ends(s->gpu);
	j->checkpoint = checkpoint_open(&j->work, &j->o->run.checkpoint, j->o->run.files, err);
	if (!j->checkpoint)
		return -1;
	if (config_finish(s->config, err) || work_setup(&j->work, s->gpu, err))
		return -1;
	if (find_dumps(j, err))
		return -1;
	if (count_power(j, err) || run_trace_open(j->o, j->target, s->gpu, err))
		return -1;
	return checkpoint_begin(j->checkpoint, err);
}

/* ---- the run */
/* Runs until a workload has no more launches to queue. */
static int run_all(struct job *j, const struct host_hooks *hooks, struct err *err)
{
	for (;;) {
		int more, bad = work_run(&j->work, j->o->run.max_cycles, hooks, err);

		if (checkpoint_check(j->checkpoint, err) || bad)
			return -1;
		more = work_advance(&j->work, err);
		if (more <= 0)
			return more;
		checkpoint_advanced(j->checkpoint);
	}
}

static int drive(struct job *j, struct err *err)
{
	struct host_hooks hooks;
	int bad;

	j->progress = progress_new(j->s->gpu, j->o->run.quiet);
	hooks = progress_hooks(&j->progress);
	hooks.guest = j->work.guest;
	hooks = checkpoint_hooks(j->checkpoint, &hooks);
	bad = run_all(j, &hooks, err);
	progress_end(&j->progress);
	if (checkpoint_spoiled(j->checkpoint))
		return -1;
	j->wall_s = pace_now_s() - j->progress.start_s;
	j->complete = work_complete(&j->work, bad);
	j->started = j->complete || chip_progress(j->s->gpu).cycle;
	if (!bad)
		bad = work_verify(&j->work, j->s->gpu, &j->verdict, err);
	else if (j->work.program)
		j->verdict = VERDICT_NONE;
	if (j->started)
		bad |= run_trace_close(j->s->gpu, err);
	chip_close(j->s->gpu);
	report_warnings(j->s->gpu);
	return bad;
}

/* ---- after the run */
static struct report describe(
	const struct job *j, const struct host_report *host, const struct err *err)
{
	struct report r = work_report(&j->work, j->s->gpu, &j->s->source, err);

	r.verdict = j->verdict;
	r.complete = j->complete;
	r.host = j->o->host_stats ? host : NULL;
	r.power = j->o->power;
	return r;
}

/* What --kernel and --launch say. */
static int choose_part(struct job *j, struct report *r, struct err *err)
{
	uint64_t launch = j->o->given[OPTION_LAUNCH] ? j->o->launch : NO_LAUNCH_GIVEN;
	struct kernels kernels;

	kernels_of(r->gpu, &j->s->arena, &kernels);
	return kernels_choose(r->gpu, &kernels, j->o->kernel, launch, &r->part, err);
}

static int write_reports(struct job *j, struct err *err)
{
	struct host_report host = run_report_host(j->o, j->s->gpu, j->wall_s);
	struct report r = describe(j, &host, err);
	struct err wrong = {0};

	if (choose_part(j, &r, &wrong)) {
		run_report_write(j->o, j->s, &r, err);
		err_move(err, &wrong);
		return -1;
	}
	return run_report_write(j->o, j->s, &r, err);
}

static int write_dumps(const struct job *j, struct err *err)
{
	int bad = 0;

	for (unsigned i = 0; i < j->o->dump.n && j->complete; i++) {
		uint64_t n = gpu_buffer_bytes(j->s->gpu, j->dumps[i].buffer);
		void *data = arena_alloc(&j->s->arena, n, 1);

		if (!n) {
			bad |= err_add(err, ERR_USAGE,
				"--dump %s: it was freed before the end of the run",
				j->o->dump.at[i]);
			continue;
		}
		gpu_read(j->s->gpu, j->dumps[i].buffer, 0, data, n);
		bad |= file_write(j->o->run.files, j->dumps[i].path, data, n, err);
	}
	return bad;
}

int command_run_on(const struct options *o, const char *target, struct session *s, struct err *err)
{
	struct job j = {.o = o, .s = s, .target = target};

	if (prepare(&j, err))
		return -1;
	drive(&j, err);
	if (!j.started)
		return -1;
	if (j.work.program && !cuda_launches(j.work.program)) {
		if (!err->code && !o->run.quiet)
			output_note("the program launched no kernel: there is no report");
		return err->code ? -1 : 0;
	}
	write_dumps(&j, err);
	return write_reports(&j, err);
}

int command_run(const struct options *o, struct session *s, struct err *err)
{
	return command_run_on(o, o->operands.at[0], s, err);
}
