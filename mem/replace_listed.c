/* Replacement: the ways of a list in turn, in each set. Volta's L1 evicts the same way of every set
 * first (Jia et al., arXiv:1804.06826). */
#include "mem/replace.h"

#include "core/base.h"
#include "core/state.h"

#include <string.h>

#define MOST 256u

#define PARAMS(P, T) \
	P(T, NAME, order, "0", 0, 0, "", \
		"The ways that a set evicts one after the other, then again from the first: numbers " \
		"from 0, separated by commas.")

struct listed {
	struct {
		PARAMS(PARAM_FIELD, listed)
	} p;
	uint32_t way[MOST];
	unsigned n;
	uint32_t *next; /* by set: the position in the list */
	uint64_t sets;  /* of the largest capacity */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, listed)};

static int check(const void *self, const char *where, unsigned ways, struct err *err)
{
	const struct listed *s = self;
	uint32_t way[MOST];
	unsigned n = replace_numbers(s->p.order, way, MOST);

	if (!n)
		return err_add(err, ERR_INPUT,
			"%s.order = '%s': must be numbers of ways, at most %u, such as 0,2,1,3",
			where, s->p.order, MOST);
	for (unsigned i = 0; i < n; i++)
		if (way[i] >= ways)
			return err_add(err, ERR_INPUT,
				"%s.order = '%s': there is no way %u; must be below %u ways", where,
				s->p.order, way[i], ways);
	return 0;
}

static void init(void *self, uint64_t sets, unsigned ways, struct arena *arena)
{
	struct listed *s = self;

	(void)ways;
	s->n = replace_numbers(s->p.order, s->way, MOST);
	s->next = arena_alloc(arena, sets, sizeof(*s->next));
	s->sets = sets;
}

static void emptied(void *self, uint64_t sets)
{
	struct listed *s = self;

	(void)sets;
	memset(s->next, 0, s->sets * sizeof(*s->next));
}

static unsigned victim(
	const void *self, uint64_t set, const struct cache_access *access, struct rng *rng)
{
	const struct listed *s = self;

	(void)access;
	(void)rng;
	return s->way[s->next[set]];
}

static void evicted(void *self, uint64_t set, unsigned way, uint64_t line)
{
	struct listed *s = self;

	(void)way;
	(void)line;
	s->next[set] = s->next[set] + 1 == s->n ? 0 : s->next[set] + 1;
}

static void state(void *self, struct state *s)
{
	struct listed *l = self;

	state_bytes(s, l->next, l->sets * sizeof(*l->next));
}

static const struct replace_ops ops = {
	.check = check, .init = init, .victim = victim, .evicted = evicted, .emptied = emptied};

const struct plugin replace_listed = {
	.kind = "replacement",
	.name = "listed",
	.text = "Evicts the ways of a list in turn.",
	.size = sizeof(struct listed),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
	.state = state,
};
