/* Parameters of parts that the chip does not use. */
#include "runs/params.h"

#include "core/policy.h"
#include "dram/replay.h"
#include "mem/cache_replay.h"
#include "noc/replay.h"

static int load(struct session *s, const char *prefix, const struct param_def *defs, size_t n,
	size_t room, struct err *err)
{
	for (size_t k = 0; k < n; k++)
		room = max_u64(room, defs[k].offset + sizeof(uint64_t));
	return config_load(s->config, prefix, defs, n, arena_alloc(&s->arena, 1, room), err);
}

/* Parts that the chip does not use have parameters too: they are loaded once, to be listed. The
 * same holds for parts outside of chips, which replays use. */
int params_load_parts(struct session *s, struct err *err)
{
	static const struct param_table *const replayed[] = {
		&dram_replay_params, &cache_replay_params, &noc_traffic_params};
	int bad = 0;

	for (size_t i = 0; plugins[i]; i++) {
		const struct plugin *p = plugins[i];

		if (p->path && p->nparams)
			bad |= load(s, p->path, p->params, p->nparams, p->size, err);
		if (p->other_path && p->nparams)
			bad |= load(s, p->other_path, p->params, p->nparams, p->size, err);
	}
	for (size_t i = 0; i < ARRAY_LEN(replayed); i++)
		bad |= load(s, replayed[i]->prefix, replayed[i]->defs, replayed[i]->n, 0, err);
	return bad | policies_load(s->config, &s->arena, err);
}
