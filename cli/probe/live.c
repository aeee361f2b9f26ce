/* Lines on stderr as a chip is probed (runs/live.h), after each act that takes simulated time. */
#include "cli/probe/probe.h"

#include "draw/number.h"

struct told {
	struct verbs of;
	const struct gpu *gpu;
	struct live *live;
	uint64_t acts;
};

static void tell(struct told *t)
{
	char acts[32], cycle[32];
	struct text line = {0};

	t->acts++;
	if (!live_is_due(t->live))
		return;
	text_add(&line, "probe: %s scripts done, cycle %s", number_grouped(t->acts, acts),
		number_grouped(chip_progress(t->gpu).cycle, cycle));
	live_tell(t->live, &line);
	text_clear(&line);
}

static int buffer(void *ctx, uint64_t bytes, struct err *err)
{
	struct told *t = ctx;

	return t->of.buffer(t->of.ctx, bytes, err);
}

static int script(void *ctx, const struct verbs_script *s, uint32_t *results, struct err *err)
{
	struct told *t = ctx;
	int bad = t->of.script(t->of.ctx, s, results, err);

	tell(t);
	return bad;
}

static int stride(void *ctx, unsigned stride, unsigned words, uint32_t *cycles, struct err *err)
{
	struct told *t = ctx;
	int bad = t->of.stride(t->of.ctx, stride, words, cycles, err);

	tell(t);
	return bad;
}

static int forget(void *ctx, struct err *err)
{
	struct told *t = ctx;

	return t->of.forget(t->of.ctx, err);
}

struct verbs probing_told(
	const struct verbs *of, const struct gpu *gpu, struct live *live, struct arena *arena)
{
	struct told *t = arena_alloc(arena, 1, sizeof(*t));

	*t = (struct told){.of = *of, .gpu = gpu, .live = live};
	return (struct verbs){t, buffer, script, stride, forget};
}
