/* The lists of papers and targets, in their order. */
#include "papers/papers.h"

#include "core/base.h"

#include <stdlib.h>
#include <string.h>

static int compare_orders(unsigned a, unsigned b, const char *name, const char *other)
{
	return a != b ? (a > b) - (a < b) : strcmp(name, other);
}

static int by_paper(const void *a, const void *b)
{
	const struct paper *x = ((const struct paper_list *)a)->paper;
	const struct paper *y = ((const struct paper_list *)b)->paper;

	return compare_orders(x->order, y->order, x->name, y->name);
}

static int by_target(const void *a, const void *b)
{
	const struct target *x = *(const struct target *const *)a;
	const struct target *y = *(const struct target *const *)b;

	return compare_orders(x->order, y->order, x->name, y->name);
}

static struct paper_list list_of(const struct paper *paper, struct arena *arena)
{
	struct paper_list list = {paper, NULL, 0};
	unsigned all = 0;

	while (targets[all])
		all++;
	list.targets = arena_alloc(arena, all + 1, sizeof(*list.targets));
	for (unsigned i = 0; i < all; i++)
		if (targets[i]->paper == paper)
			list.targets[list.n++] = targets[i];
	qsort(list.targets, list.n, sizeof(*list.targets), by_target);
	return list;
}

struct paper_list *papers_listed(unsigned *n, struct arena *arena)
{
	struct paper_list *lists;

	for (*n = 0; papers[*n];)
		++*n;
	lists = arena_alloc(arena, *n + 1, sizeof(*lists));
	for (unsigned i = 0; i < *n; i++)
		lists[i] = list_of(papers[i], arena);
	qsort(lists, *n, sizeof(*lists), by_paper);
	return lists;
}

const struct target *target_find(const char *name)
{
	for (unsigned i = 0; targets[i]; i++)
		if (!strcmp(targets[i]->name, name))
			return targets[i];
	return NULL;
}
