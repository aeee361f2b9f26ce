/* An L2 slice at the end of a run, and at rest: dirty lines are written back, or forgotten. */
#include "mem/slice_state.h"

void slice_memory_blocks(struct component *c, unsigned bytes)
{
	struct slice *s = CONTAINER_OF(c, struct slice, base);

	s->p.sector_bytes = max_u64(s->p.sector_bytes, bytes);
	slice_set_whole(s);
}

struct flush {
	struct slice *slice;
	cache_flush_fn *visit;
	void *ctx;
	uint64_t bytes;
};

static void flush_line(void *ctx, const struct victim *v)
{
	struct flush *flush = ctx;
	struct victim whole = *v;

	whole.dirty = flush->slice->whole[v->dirty];
	flush->bytes += packet_granule_bytes[whole.dirty];
	slice_profile_flushed(flush->slice, v);
	if (flush->visit)
		flush->visit(flush->ctx, &whole);
}

uint64_t slice_flush(struct component *c, cache_flush_fn *visit, void *ctx)
{
	struct slice *s = CONTAINER_OF(c, struct slice, base);
	struct flush flush = {.slice = s, .visit = visit, .ctx = ctx};

	cache_flush(s->cache, flush_line, &flush);
	s->s.flushed_bytes += flush.bytes;
	return flush.bytes;
}

void slice_forget(struct component *c)
{
	cache_invalidate_all(CONTAINER_OF(c, struct slice, base)->cache);
}
