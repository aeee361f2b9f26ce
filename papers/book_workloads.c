/* The workloads that tables are measured on. */
#include "papers/book_inside.h"

#include <string.h>

static bool exists(const char *workload)
{
	for (size_t i = 0; plugins[i]; i++)
		if (!strcmp(plugins[i]->kind, "workload") && !strcmp(plugins[i]->name, workload))
			return true;
	return false;
}

static void add_workload(struct book *b, const char *name)
{
	if ((exists(name) || b->paper->own_kernels) && book_find(b, name) < 0)
		b->workload[b->nworkloads++] = name;
}

/* Parameters of workloads that are not measured would change nothing. */
static int check_settings(const struct book *b, struct err *err)
{
	const struct string_list *set = &b->o->run.set;

	if (b->paper->own_kernels && !strcmp(b->o->target, "--all")) /* others may have them */
		return 0;
	for (unsigned i = 0; i < set->n; i++) {
		const char *workload = points_workload_of(set->at[i]);

		if (workload && book_find(b, workload) < 0)
			err_add(err, ERR_USAGE, "--set %s: '%s' is not among the workloads",
				set->at[i], workload);
	}
	return err->count ? -1 : 0;
}

/* A name after the target. */
static int admit(struct book *b, const char *name, struct err *err)
{
	if (!exists(name))
		return err_add(err, ERR_USAGE, "there is no workload '%s'", name);
	if (b->paper->own_kernels && strcmp(b->o->target, "--all") != 0)
		return err_add(err, ERR_USAGE, "reproduce %s: it runs no workload, not '%s'",
			b->o->target, name);
	if (!b->paper->own_kernels)
		add_workload(b, name);
	return 0;
}

/* Those that are named after the target; else the paper's suite, as far as it exists. */
static void choose(struct book *b, struct err *err)
{
	const struct string_list *named = &b->o->workloads;
	unsigned n = 0;

	while (b->paper->suite[n])
		n++;
	b->workload = arena_alloc(b->arena, n + named->n + 1, sizeof(*b->workload));
	for (unsigned i = 0; i < named->n; i++)
		admit(b, named->at[i], err);
	if (named->n && !b->paper->own_kernels)
		return;
	for (unsigned i = 0; b->paper->suite[i]; i++)
		add_workload(b, b->paper->suite[i]);
}

int book_choose_workloads(struct book *b, struct err *err)
{
	choose(b, err);
	return err->count || check_settings(b, err) ? -1 : 0;
}
