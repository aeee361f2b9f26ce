/* warpbeam reproduce: a paper's table or figure, measured; all of a paper's; or the list of them.
 */
#include "cli/reproduce.h"

#include "cli/work.h"

#include <string.h>

#define MOST_NAMES 128

const struct paper *const papers[] = {&m12_paper, &dis_paper, &ch7_paper, NULL};

const struct target *target_find(const char *name)
{
	for (unsigned p = 0; papers[p]; p++)
		for (unsigned i = 0; papers[p]->targets[i]; i++)
			if (!strcmp(papers[p]->targets[i]->name, name))
				return papers[p]->targets[i];
	return NULL;
}

static const struct paper *find_paper(const char *name)
{
	for (unsigned p = 0; papers[p]; p++)
		if (!strcmp(papers[p]->name, name))
			return papers[p];
	return NULL;
}

unsigned paper_targets(const struct paper *p)
{
	unsigned n = 0;

	while (p->targets[n])
		n++;
	return n;
}

static int list(struct session *s, struct err *err)
{
	for (unsigned p = 0; papers[p]; p++) {
		for (unsigned i = 0; papers[p]->targets[i]; i++)
			text_add(&s->out, "%-10s  %s\n", papers[p]->targets[i]->name,
				papers[p]->targets[i]->text);
		text_add(&s->out, "%-10s  %s\n", papers[p]->name, papers[p]->text);
	}
	return output_text(&s->out, err);
}

static int unknown(const char *name, struct err *err)
{
	const char *names[MOST_NAMES], *near;
	unsigned n = 0;

	for (unsigned p = 0; papers[p]; p++) {
		names[n++] = papers[p]->name;
		for (unsigned i = 0; papers[p]->targets[i]; i++) {
			BUG_ON(n + 1 >= MOST_NAMES);
			names[n++] = papers[p]->targets[i]->name;
		}
	}
	near = err_nearest(name, names, n);
	return err_add(err, ERR_USAGE,
		"reproduce %s: there is no such table%s%s%s; see warpbeam "
		"reproduce",
		name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Workloads that a target says nothing of; all of a paper's targets say something of any. */
static int check_workloads(const struct target *t, const struct options *o, struct err *err)
{
	for (unsigned i = 1; i < o->operands.n && t->takes; i++) {
		const char *workload = o->operands.at[i];

		if (!work_admit(workload, o, err) && !t->takes(workload))
			err_add(err, ERR_USAGE, "reproduce %s: it says nothing of '%s'", t->name,
				workload);
	}
	return err->count ? -1 : 0;
}

static int no_curves(const char *name, struct err *err)
{
	return err_add(err, ERR_USAGE, "reproduce %s has no curves that --svg could draw", name);
}

static bool plots(const struct paper *paper, const struct target *target)
{
	bool any = target && target->plots;

	for (unsigned i = 0; paper && paper->targets[i]; i++)
		any |= paper->targets[i]->plots;
	return any;
}

int command_reproduce(const struct options *o, struct session *s, struct err *err)
{
	const char *name = o->operands.n ? o->operands.at[0] : NULL;
	const struct target *target;
	const struct paper *paper;

	if (o->all)
		return reproduce_all(o, s, err);
	if (!name)
		return list(s, err);
	if (options_one_to_stdout(o, err))
		return -1;
	paper = find_paper(name);
	target = target_find(name);
	if (!paper && !target)
		return unknown(name, err);
	if (o->svg && !plots(paper, target))
		return no_curves(name, err);
	if (paper)
		return book_command(paper->targets, paper_targets(paper), o, s, err);
	return check_workloads(target, o, err) ? -1 : book_command(&target, 1, o, s, err);
}
