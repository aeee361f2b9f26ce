/* warpbeam reproduce: a paper's table or figure, measured; all of a paper's; or the list of them.
 */
#include "cli/command.h"
#include "cli/reproduce_shards.h"
#include "papers/papers.h"
#include "runs/checkpoint/checkpoint.h"
#include "runs/work.h"

#include <string.h>

static const struct paper_list *find_paper(
	const struct paper_list *lists, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(lists[i].paper->name, name))
			return &lists[i];
	return NULL;
}

static int list(const struct options *o, struct session *s, struct err *err)
{
	unsigned n;
	const struct paper_list *lists = papers_listed(&n, &s->arena);

	for (unsigned p = 0; p < n; p++) {
		for (unsigned i = 0; i < lists[p].n; i++)
			text_add(&s->out, "%-10s \t%s\n", lists[p].targets[i]->name,
				lists[p].targets[i]->text);
		text_add(&s->out, "%-10s \t%s\n", lists[p].paper->name, lists[p].paper->text);
	}
	return output_report(&s->out, o->run.uncut, err);
}

static int unknown(const char *name, struct session *s, struct err *err)
{
	unsigned n = 0, all = 0, npapers;
	const struct paper_list *lists = papers_listed(&npapers, &s->arena);
	const char **names, *near;

	for (unsigned p = 0; p < npapers; p++)
		all += 1 + lists[p].n;
	names = arena_alloc(&s->arena, all + 1, sizeof(*names));
	for (unsigned p = 0; p < npapers; p++) {
		names[n++] = lists[p].paper->name;
		for (unsigned i = 0; i < lists[p].n; i++)
			names[n++] = lists[p].targets[i]->name;
	}
	near = err_nearest(name, names, n);
	return err_add(err, ERR_USAGE,
		"reproduce %s: there is no such table%s%s%s; see warpbeam "
		"reproduce",
		name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Workloads that a target does not have; all targets of a paper together have any. */
static int check_workloads(const struct target *t, const struct paper_options *o, struct err *err)
{
	for (unsigned i = 0; i < o->workloads.n && t->takes; i++) {
		const char *workload = o->workloads.at[i];

		if (!work_admit(workload, &o->run, err) && !t->takes(workload))
			err_add(err, ERR_USAGE, "reproduce %s: it does not have '%s'", t->name,
				workload);
	}
	return err->count ? -1 : 0;
}

static int no_curves(const char *name, struct err *err)
{
	return err_add(err, ERR_USAGE, "reproduce %s has no curves that --svg could draw", name);
}

static bool plots(const struct target *const *some, unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++)
		any |= some[i]->plots;
	return any;
}

static struct paper_options paper_options_of(const struct options *o)
{
	unsigned named = o->operands.n && !o->all ? 1 : 0;

	return (struct paper_options){.run = o->run,
		.workloads = {o->operands.at + named, o->operands.n - named},
		.target = o->all ? "--all" : o->operands.at[0],
		.html = o->html,
		.out = o->out,
		.files = options_files(o)};
}

static int measure_all(const struct options *o, struct session *s, struct err *err)
{
	struct paper_options p = paper_options_of(o);

	if (!o->html && !o->shard)
		err_add(err, ERR_USAGE, "--all needs --html FILE, the page that it writes");
	if (o->shard && (o->html || o->slurm))
		err_add(err, ERR_USAGE, "--shard writes no page: leave --html and --slurm out");
	if (o->readings || o->why)
		err_add(err, ERR_USAGE,
			"--readings and --why go with one table or paper, not with --all");
	if (o->json || o->csv || o->svg)
		err_add(err, ERR_USAGE,
			"--json, --csv and --svg go with one table; --all writes a page");
	if (err->count)
		return -1;
	return (o->shard   ? reproduce_shard(o, &p, s, err)
		: o->slurm ? reproduce_slurm(o, &p, s, err)
			   : papers_measure_all(&p, s, err));
}

static int measure(const struct options *o, struct session *s, struct err *err)
{
	struct paper_options asked = paper_options_of(o);
	unsigned npapers, n = 1;
	const struct paper_list *lists = papers_listed(&npapers, &s->arena), *paper;
	const struct target *target = target_find(asked.target), *const *some = &target;

	paper = find_paper(lists, npapers, asked.target);
	if (!paper && !target)
		return unknown(asked.target, s, err);
	if (paper) {
		some = paper->targets;
		n = paper->n;
	}
	if (o->svg && !plots(some, n))
		return no_curves(asked.target, err);
	if (!paper && check_workloads(target, &asked, err))
		return -1;
	if (o->readings && o->why)
		return err_add(err, ERR_USAGE, "--readings and --why are measured one at a time");
	return (o->readings ? papers_measure_readings
		: o->why    ? papers_measure_why
			    : papers_measure)(some, n, &asked, s, err);
}

int command_reproduce(const struct options *o, struct session *s, struct err *err)
{
	if (checkpoint_admit_points(&o->run, o->out, err))
		return -1;
	if ((o->shard || o->slurm) && !o->all)
		return err_add(err, ERR_USAGE, "--shard and --slurm go with --all");
	if (o->all)
		return measure_all(o, s, err);
	if (!o->operands.n)
		return list(o, s, err);
	return options_one_to_stdout(o, err) ? -1 : measure(o, s, err);
}
