/* A work profiled in a process of its own: its report is that of profile --json. */
#include "cli/diff/diff.h"

#include "chip/power.h"
#include "cli/traffic/traffic.h"
#include "runs/json.h"
#include "runs/sheet/sheet.h"
#include "runs/trial.h"
#include "runs/work.h"

static int prepare(const struct trial *t, const struct run_options *o, struct session *s,
	struct work *w, struct err *err)
{
	if (session_open_machine(s, o, &t->machine, err))
		return -1;
	if (chip_profile(s->gpu, err) || chip_power(s->gpu, err))
		return -1;
	if (work_open(w, t->parties[0].target, s->scenario, o, s->gpu, s->config, &s->arena, err))
		return -1;
	w->silent = true;
	gpu_output(s->gpu, &(struct exec_output){0}); /* stdout is the parent's */
	return config_finish(s->config, err) || work_setup(w, s->gpu, err) ? -1 : 0;
}

static int run(const struct run_options *o, struct session *s, struct work *w, struct err *err)
{
	struct host_hooks hooks = o->watch ? o->watch(s->gpu, &s->arena)
					   : (struct host_hooks){.broken = output_broken};
	int more;

	do {
		if (work_run(w, o->max_cycles, &hooks, err))
			return -1;
		more = work_advance(w, err);
	} while (more > 0);
	return more;
}

static int describe(struct session *s, const struct work *w, enum verdict verdict, struct err *err)
{
	struct report r = work_report(w, s->gpu, &s->source, err);
	struct sheet sheet = {.arena = &s->arena};
	struct traffic t = {.top = 1};
	json_t *tables;
	int bad;

	r.machine = session_machine(s, err);
	r.verdict = verdict;
	r.complete = true;
	traffic_look(&t, &r, &s->arena);
	sheet_read(&sheet, s->config);
	tables = traffic_tables(&t, &t.kernels, &sheet);
	bad = traffic_json(&t, tables, &s->out);
	json_decref(tables);
	return bad ? err_add(err, ERR_RESOURCE, "no host memory for the report") : 0;
}

int diff_profile(
	const struct trial *t, const struct run_options *o, struct session *s, struct err *err)
{
	struct work w = {0};
	enum verdict verdict = VERDICT_NONE;

	if (prepare(t, o, s, &w, err) || run(o, s, &w, err))
		return -1;
	if (work_verify(&w, s->gpu, &verdict, err))
		return -1;
	chip_close(s->gpu);
	return describe(s, &w, verdict, err);
}
