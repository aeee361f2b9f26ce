/* warpbeam cuda: a compiled CUDA program, its kernels on the chip. */
#include "cli/command.h"

#include "cli/cuda/how.h"
#include "cli/progress.h"
#include "cli/run_report.h"
#include "cli/run_trace.h"
#include "runs/cuda/cuda.h"
#include "runs/pace.h"
#include "runs/work.h"

static int prepare(const struct options *o, struct session *s, struct err *err)
{
	if (run_report_admit(o, err) | run_trace_admit(o, err) ||
		session_open(s, &o->run, NULL, err) || config_finish(s->config, err))
		return -1;
	return run_trace_open(o, o->operands.at[0], s->gpu, err);
}

/* The operands, ended by NULL. */
static const char **arguments(const struct options *o, struct arena *arena)
{
	const char **argv = arena_alloc(arena, o->operands.n + 1, sizeof(*argv));

	for (unsigned i = 0; i < o->operands.n; i++)
		argv[i] = o->operands.at[i];
	return argv;
}

static struct report describe(const struct options *o, struct session *s,
	const struct cuda_end *end, const struct err *err)
{
	return (struct report){.gpu = s->gpu,
		.config = s->config,
		.target = o->operands.at[0],
		.chip = work_chip(&o->run, NULL),
		.sources = {&s->source},
		.verdict = VERDICT_NONE,
		.complete = end->complete,
		.code = err->code,
		.message = err_text(err)};
}

int command_cuda(const struct options *o, struct session *s, struct err *err)
{
	struct progress progress;
	struct host_hooks hooks;
	struct cuda_run run = {.arena = &s->arena,
		.argv = arguments(o, &s->arena),
		.max_cycles = o->run.max_cycles,
		.untimed = o->untimed,
		.hooks = &hooks};
	struct host_report host;
	struct cuda_end end = {0};
	struct report r;
	int bad;

	if (o->how)
		return cuda_how(o->operands.at[0], s, err);
	if (o->timed && o->untimed)
		return err_add(err, ERR_USAGE,
			"--timed and --untimed: the first times the launches that it names, the "
			"second none; give one of them");
	run.library = cuda_library(&s->arena, err);
	if (!run.library || cuda_read_timed(o->timed, &s->arena, &run, err) || prepare(o, s, err))
		return -1;
	run.gpu = s->gpu;
	run.config = s->config;
	if (!o->json)
		gpu_forget_ends(s->gpu);
	progress = progress_new(s->gpu, o->run.quiet);
	hooks = progress_hooks(&progress);
	bad = cuda_run(&run, &end, err);
	progress_end(&progress);
	bad |= run_trace_close(s->gpu, err);
	chip_close(s->gpu);
	report_warnings(s->gpu);
	if (!end.launches)
		return bad ? -1 : 0;
	host = run_report_host(o, s->gpu, pace_now_s() - progress.start_s);
	r = describe(o, s, &end, err);
	r.host = o->host_stats ? &host : NULL;
	return run_report_write(o, s, &r, err);
}
