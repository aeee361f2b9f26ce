/* warpbeam exec: the executor alone, without timing: checks the results and counts the work. */
#include "cli/command.h"

#include "cli/exec_report.h"
#include "draw/number.h"
#include "runs/live.h"
#include "runs/pace.h"
#include "runs/work.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#define DEFAULT_LIMIT (UINT64_C(1) << 40)

struct exec {
	const struct options *o;
	struct session *s;
	const char *target;
	struct work work;
	struct profile profile;
	struct usage usage;
	struct untimed_watch watches[2];
	struct untimed_counts counts;
	struct live live;
	double wall_s;
	enum verdict verdict;
	bool complete;
};

static int prepare(struct exec *e, struct err *err)
{
	struct session *s = e->s;
	const struct options *o = e->o;
	int bad = work_admit(e->target, &o->run, err);

	if (o->json && o->csv && !strcmp(o->json, "-") && !strcmp(o->csv, "-"))
		bad = err_add(err, ERR_USAGE, "--json and --csv cannot both be written to stdout");
	if (bad || session_open(s, &o->run, work_is_scenario(e->target) ? e->target : NULL, err))
		return -1;
	if (work_open(&e->work, e->target, s->scenario, &o->run, s->gpu, s->config, &s->arena, err))
		return -1;
	return config_finish(s->config, err) ? -1 : work_setup(&e->work, s->gpu, err);
}

/* Calls both observers. */
static void look(void *ctx, const struct warp *w, const struct instr *in, uint32_t mask,
	const struct access *a)
{
	const struct exec *e = ctx;

	for (unsigned i = 0; i < ARRAY_LEN(e->watches); i++)
		if (e->watches[i].executed)
			e->watches[i].executed(e->watches[i].ctx, w, in, mask, a);
}

/* ---- signals: blocked while the executor runs, which polls for them */
static void hold(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGUSR1);
	sigprocmask(SIG_BLOCK, &held, before);
}

static void let_go(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

/* Takes the signal, if it is pending. */
static bool has_come(int signum)
{
	sigset_t held, one;
	int which;

	sigpending(&held);
	if (!sigismember(&held, signum))
		return false;
	sigemptyset(&one);
	sigaddset(&one, signum);
	sigwait(&one, &which);
	return true;
}

static void describe_progress(const struct exec *e, struct text *line)
{
	char done[32], ctas[32];

	text_add(line, "%s warp instructions, %s CTAs done",
		number_grouped(e->counts.warp_instructions, done),
		number_grouped(e->counts.ctas, ctas));
}

static bool go_on(void *ctx)
{
	struct exec *e = ctx;
	bool asked = has_come(SIGUSR1);

	if (asked || live_is_due(&e->live)) {
		struct text line = {0};

		describe_progress(e, &line);
		if (asked) {
			live_wipe(&e->live);
			output_note("%s", text_str(&line));
		} else {
			live_tell(&e->live, &line);
		}
		text_clear(&line);
	}
	return !has_come(SIGINT) && !has_come(SIGTERM);
}

/* Runs until a workload has no more launches to queue. */
static int run_all(struct exec *e, struct err *err)
{
	struct untimed_watch watch = {.ctx = e, .executed = look};
	struct untimed_limits limits = {.warp_instructions = e->o->max_instructions
								     ? e->o->max_instructions
								     : DEFAULT_LIMIT,
		.watch = e->o->profile || e->o->registers ? &watch : NULL,
		.go_on = go_on,
		.ctx = e};

	if (e->o->racecheck && gpu_look_for_races(e->s->gpu, err))
		return -1;
	if (e->o->profile)
		e->watches[0] = profile_watch(&e->profile);
	if (e->o->registers)
		e->watches[1] = usage_watch(&e->usage);

	for (;;) {
		int more;

		if (work_run_untimed(&e->work, &limits, &e->counts, err))
			return -1;
		more = work_advance(&e->work, err);
		if (more <= 0)
			return more;
	}
}

static void drive(struct exec *e, struct err *err)
{
	double start = pace_now_s();
	sigset_t before;
	int bad;

	hold(&before);
	bad = run_all(e, err);
	let_go(&before);
	live_wipe(&e->live);
	e->wall_s = pace_now_s() - start;
	usage_finish(&e->usage);
	if (e->profile.failed || e->usage.failed)
		bad = err_add(err, ERR_RESOURCE, "no host memory for the profile");
	e->complete = work_complete(&e->work, bad);
	report_warnings(e->s->gpu);
	if (!bad)
		work_verify(&e->work, e->s->gpu, &e->verdict, err);
}

static struct host_report measure_host(const struct exec *e)
{
	struct host_report h = {.wall_s = e->wall_s,
		.warp_instructions = e->counts.warp_instructions,
		.threads = 1};
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	h.peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	return h;
}

static struct report describe(
	const struct exec *e, const struct host_report *host, const struct err *err)
{
	struct report r = {.gpu = e->s->gpu,
		.config = e->s->config,
		.target = e->target,
		.program = work_report_words(e->target, &e->s->arena),
		.is_workload = e->work.workload,
		.chip = "none (untimed)",
		.sources = {&e->s->source},
		.verdict = e->verdict,
		.complete = e->complete,
		.code = err->code,
		.message = err_text(err),
		.host = e->o->host_stats ? host : NULL};

	if (e->work.scenario)
		r.sources[1] = scenario_source(e->s->scenario);
	if (!e->work.workload)
		return r;
	r.size = e->o->run.size ? "full" : "small";
	r.seed = e->o->run.seed;
	r.address_bits = e->work.workload->address_bits;
	r.altered = e->work.workload->altered;
	r.data_dir = e->work.workload->data_dir;
	return r;
}

static struct usage_report describe_registers(const struct exec *e)
{
	const struct gpu *g = e->s->gpu;
	struct usage_report r;

	usage_describe(&r, &e->usage, gpu_register_energy(g), gpu_levels(g), &e->counts);
	return r;
}

/* Files first: the reader of stdout may close it early. */
static int write_reports(struct exec *e, struct err *err)
{
	struct host_report host = measure_host(e);
	struct usage_report registers = describe_registers(e);
	struct exec_report r = {describe(e, &host, err), &e->counts,
		e->o->profile ? &e->profile : NULL, e->o->registers ? &registers : NULL};
	const char *json = e->o->json, *csv = e->o->csv;
	struct text *out = &e->s->out;
	struct err wrong = {0};

	if (json) {
		if (exec_json(&r, &e->s->arena, out))
			err_add(&wrong, ERR_RESOURCE, "%s: no host memory for JSON", json);
		else
			output_file(e->o->run.files, json, out, &wrong);
		text_clear(out);
	}
	if (csv) {
		exec_csv(&r, &e->s->arena, out);
		output_file(e->o->run.files, csv, out, &wrong);
		text_clear(out);
	}
	if (!e->o->run.quiet && (!json || strcmp(json, "-")) && (!csv || strcmp(csv, "-"))) {
		exec_text(&r, &e->s->arena, out);
		output_report(out, e->o->run.uncut, &wrong);
	}
	if (wrong.code && !err->code)
		err->code = wrong.code;
	err_move(err, &wrong);
	return err->code ? -1 : 0;
}

int command_exec(const struct options *o, struct session *s, struct err *err)
{
	struct exec *e = arena_alloc(&s->arena, 1, sizeof(*e));
	jmp_buf *outer = s->arena.escape, here;

	*e = (struct exec){
		.o = o, .s = s, .target = o->operands.at[0], .live = live_new(o->run.quiet)};
	if (prepare(e, err))
		return -1;
	if (setjmp(here)) {
		profile_clear(&e->profile);
		usage_clear(&e->usage);
		s->arena.escape = outer;
		longjmp(*outer, 1);
	}
	s->arena.escape = &here;
	drive(e, err);
	write_reports(e, err);
	profile_clear(&e->profile);
	usage_clear(&e->usage);
	s->arena.escape = outer;
	return err->code ? -1 : 0;
}
