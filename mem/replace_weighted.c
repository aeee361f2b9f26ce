/* Replacement: a random way, each with its own probability. Of the four ways of Fermi's L1 one is
 * evicted every second time, the others every sixth (Mei et al., NPC 2014). */
#include "mem/replace.h"

#include "core/base.h"
#include "core/state.h"

#define MOST 256u

#define PARAMS(P, T) \
	P(T, NAME, weights, "1", 0, 0, "", \
		"Of each way, separated by commas: its weight by the sum is the probability that it " \
		"is evicted. More ways than weights take them from the first again. Fermi: 1,3,1,1.")

struct weighted {
	struct {
		PARAMS(PARAM_FIELD, weighted)
	} p;
	uint32_t weight[MOST], sum; /* by way */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, weighted)};

/* The weights of all ways. Returns their sum; 0: the text cannot be read. */
static uint32_t read_weights(const struct weighted *s, unsigned ways, uint32_t *out)
{
	unsigned n = replace_numbers(s->p.weights, out, MOST);
	uint32_t sum = 0;

	for (unsigned i = 0; n && i < ways; i++) {
		out[i] = out[i % n];
		sum += out[i];
	}
	return n > ways ? 0 : sum;
}

static int check(const void *self, const char *where, unsigned ways, struct err *err)
{
	const struct weighted *s = self;
	uint32_t weight[MOST];

	if (read_weights(s, ways, weight))
		return 0;
	return err_add(err, ERR_INPUT,
		"%s.weights = '%s': must be at most %u numbers, not all 0, such as 1,3,1,1", where,
		s->p.weights, ways);
}

static void init(void *self, uint64_t sets, unsigned ways, struct arena *arena)
{
	struct weighted *s = self;

	(void)sets;
	(void)arena;
	s->sum = read_weights(s, ways, s->weight);
}

static unsigned victim(
	const void *self, uint64_t set, const struct cache_access *access, struct rng *rng)
{
	const struct weighted *s = self;
	uint32_t at = rng_below(rng, s->sum);
	unsigned way = 0;

	(void)set;
	(void)access;
	for (; at >= s->weight[way]; way++)
		at -= s->weight[way];
	return way;
}

static const struct replace_ops ops = {.check = check, .init = init, .victim = victim};

const struct plugin replace_weighted = {
	.kind = "replacement",
	.name = "weighted",
	.text = "Evicts a random way, each with a probability of its own.",
	.size = sizeof(struct weighted),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
	.state = state_none,
};
