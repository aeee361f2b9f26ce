/* What runs without time on a chip, at the edges of windows: whole launches, the CTAs that
 * chip.share leaves out, and those that sampling skips. They leave the caches as they would in
 * time, if that was asked for. */
#include "chip/inside.h"

#include <string.h>

#define WARP_TURN 32 /* instructions: warps of a chip's CTAs advance together */

void gpu_warm(struct gpu *g)
{
	if (g->chip)
		g->chip->warms = true;
}

void gpu_skip(struct gpu *g, const struct gpu_skipping *skipping)
{
	struct chip *c = g->chip;
	bool in_order = c && !strcmp(c->dispatcher->policy.plugin->name, "dynamic");

	if (!in_order || c->p.share > 1)
		return;
	c->skipping = *skipping;
}

bool chip_stopped_untimed(const struct gpu *g)
{
	return g->chip && g->chip->rest_stopped;
}

int rest_admit(struct chip *c, struct launch_state *l, struct err *err)
{
	if (!c->warms && !c->skipping.skip)
		return 0;
	l->rest = mem_alloc(1, sizeof(*l->rest));
	return l->rest ? 0 : err_add(err, ERR_RESOURCE, "no host memory for launches");
}

/* ---- caches */
struct warming {
	struct chip *chip;
	struct launch_state *launch;
	struct texels texels;
	struct slice_warmth to;
	uint8_t blocks[256];
	struct sm_warmth at;
	uint32_t nwarps, warp_slots;
	unsigned sms;
	uint16_t sm[GPU_MAX_SMS]; /* those that the launch may use */
};

static void to_slice(void *ctx, const struct packet *p)
{
	struct warming *w = ctx;

	slice_warm(w->chip->slice[p->slice], p, w->at.cycle, &w->to);
}

/* Resident CTAs are dealt over the SMs, as the dispatcher does; one that starts in another's entry
 * is on that one's SM. */
static void accessed(
	void *ctx, const struct warp *warp, const struct instr *in, const struct access *a)
{
	struct warming *w = ctx;
	uint32_t cta = warp->slot / w->nwarps;
	uint32_t sm = w->sm[cta % w->sms];
	uint32_t slot = cta / w->sms * w->nwarps + warp->slot % w->nwarps;
	uint64_t place = (uint64_t)sm * w->warp_slots + slot % w->warp_slots;

	w->at.warp = (uint8_t)(slot % w->warp_slots);
	w->at.texels = in->unit == UNIT_TEXTURE ? &w->texels : NULL;
	w->at.local_base = w->launch->grid.local_base + place * w->launch->grid.local_stride;
	sm_warm(w->chip->sm[sm], &w->at, in, a);
}

static void open_warming(
	struct warming *w, struct chip *c, struct launch_state *l, uint64_t cycle, bool begins)
{
	struct cta_start first = {.cache_bytes = l->split.cache_bytes, .launch = l->grid.launch};
	const struct channel_ops *dram = c->dram->ops;
	struct channel_counts counts = {0};

	dram->counts(c->channel[0], &counts);
	memset(w->blocks, 0xff, sizeof(w->blocks));
	w->blocks[0] = 0;
	if (counts.block_bytes < LINE_BYTES)
		packet_blocks(w->blocks, counts.block_bytes / GRANULE_BYTES);
	w->chip = c;
	w->launch = l;
	w->to = (struct slice_warmth){.blocks = w->blocks};
	w->at = (struct sm_warmth){.ctx = w, .sink = to_slice, .grid = &l->grid, .cycle = cycle};
	w->nwarps = grid_cta_warps(&l->grid);
	w->warp_slots = sm_warp_slots(c->sm[0]);
	w->sms = 0;
	for (unsigned i = 0; i < c->p.sms; i++) {
		if (!(l->sms[i / 64] >> (i % 64) & 1))
			continue;
		w->sm[w->sms++] = (uint16_t)i;
		if (begins)
			sm_warm_begin(c->sm[i], &first, cycle);
	}
}

static void close_warming(const struct warming *w)
{
	struct launch_rest *r = w->launch->rest;

	r->l2_sectors += w->to.sectors;
	r->l2_hits += w->to.hits;
	r->read_bytes += w->to.read_bytes;
	r->write_bytes += w->to.write_bytes;
}

/* ---- CTAs */
/* CTAs first, first + step, .. to last. */
struct some_ctas {
	uint64_t first, step, last;
	bool begins; /* the launch does with them */
};

/* A launch may take long, and the host's loop waits for it. With several threads other parts'
 * counts are not read. */
static bool is_wanted(void *ctx)
{
	const struct chip *c = ctx;
	const struct host_hooks *hooks = c->alone ? c->hooks : NULL;

	if (hooks && hooks->status && host_is_asked())
		hooks->status(hooks->ctx, c->sim);
	if (hooks && hooks->progress)
		hooks->progress(hooks->ctx, c->sim);
	return host_is_wanted(c->hooks);
}

static bool execute(
	struct chip *c, struct launch_state *l, const struct some_ctas *ctas, uint64_t cycle)
{
	uint64_t before = c->rest_counts.warp_instructions;
	struct exec_memory memory = gpu_memory(c->gpu);
	struct warming warming;
	struct untimed_watch watch = {.ctx = &warming, .accessed = accessed};
	struct untimed_limits limits = {
		.go_on = is_wanted, .ctx = c, .turns = {.last = ctas->last}};
	struct fault fault = {0};
	bool warms = c->warms && !c->profile;
	int bad;

	if (warms) {
		open_warming(&warming, c, l, cycle, ctas->begins);
		memory.texels = &warming.texels;
		limits.watch = &watch;
		limits.turns.ctas = l->usable * l->ctas_per_sm;
		limits.turns.warp_instructions = WARP_TURN;
	}
	bad = untimed_run(&l->grid, ctas->first, ctas->step, c->gpu->lanes, &memory, &limits,
		&c->rest_counts, &fault, &c->rest_errors);
	if (warms)
		close_warming(&warming);
	if (!bad) {
		l->untimed_instructions += c->rest_counts.warp_instructions - before;
		return true;
	}
	if (fault.kind != FAULT_NONE)
		gpu_explain(c->gpu, &fault, l, &c->rest_errors);
	c->rest_failed = c->rest_errors.count;
	c->rest_stopped = !c->rest_failed;
	return false;
}

bool rest_run(struct chip *c, struct launch_state *l, uint64_t cycle)
{
	uint64_t share = l->timed ? c->p.share : 1;
	struct some_ctas ctas = {.first = l->timed ? 1 : 0, .step = share, .begins = !l->timed};

	for (; ctas.first < share; ctas.first++)
		if (!execute(c, l, &ctas, cycle))
			return false;
	return true;
}

/* ---- sampling within a launch */
static struct gpu_cta_view view_of(const struct chip *c, struct launch_state *l, uint64_t cycle)
{
	struct launch_row row = {0};

	accounts_add_counts(c, l, &row);
	return (struct gpu_cta_view){.launch = l->grid.gridid,
		.ctas = l->ctas,
		.started = l->started,
		.finished = l->finished,
		.skipped = l->rest->ctas,
		.resident = (uint64_t)l->usable * l->ctas_per_sm,
		.cycle = cycle,
		.start_cycle = l->start_cycle,
		.instructions = row.instructions,
		.executed = l->untimed_instructions,
		.dram_bytes = row.read_bytes + row.write_bytes};
}

bool rest_skip(struct chip *c, struct launch_state *l, uint64_t cycle)
{
	uint64_t left = l->timed - l->started, n;
	struct gpu_cta_view view;
	struct some_ctas ctas = {.step = 1};

	if (!l->active || !l->rest || l->workspace || l->timed < 3 || l->started >= l->timed - 1)
		return true;
	view = view_of(c, l, cycle);
	n = min_u64(c->skipping.skip(c->skipping.ctx, &view), left - 1);
	if (!n)
		return true;
	ctas.first = l->started + l->rest->ctas;
	ctas.last = ctas.first + n - 1;
	l->rest->ctas += n;
	l->timed -= n;
	c->queued_ctas -= n;
	return execute(c, l, &ctas, cycle);
}
