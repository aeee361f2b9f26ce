/* What runs without time on a chip, at the edges of windows: whole launches, the CTAs that
 * chip.share leaves out, and those that sampling skips. They leave the caches as they would in
 * time, if that was asked for. */
#include "chip/inside.h"
#include "chip/untimed/together.h"

#include <math.h>
#include <string.h>

#define LAPS 8
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

bool gpu_reads_time(const struct program *p)
{
	bool found = false;

	for (uint32_t i = 0; i < p->ninstr && !found; i++)
		found = p->code[i].action == ACT_SREG && p->code[i].sreg >= SREG_CLOCK &&
			p->code[i].sreg <= SREG_GLOBALTIMER_HI;
	return found;
}

int rest_admit(struct chip *c, struct launch_state *l, struct err *err)
{
	if (!c->warms && !c->skipping.state)
		return 0;
	l->rest = mem_alloc(1, sizeof(*l->rest));
	if (!l->rest)
		return err_add(err, ERR_RESOURCE, "no host memory for launches");
	l->rest->clocked = gpu_reads_time(l->grid.program);
	return 0;
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
	uint64_t before = w->to.read_bytes;

	slice_warm(w->chip->slice[p->slice], p, w->at.cycle, &w->to);
	w->at.missed |= w->to.read_bytes != before;
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

/* Lines of a slice that are fetched in DRAM's unloaded latency at its peak (Little's law). */
static unsigned in_flight(const struct chip *c)
{
	double bytes = chip_dram_bytes_per_cycle(c->gpu) * c->dram_cycles;

	return (unsigned)(bytes / LINE_BYTES / (double)(c->p.channels * c->p.slices));
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
	w->to = (struct slice_warmth){.blocks = w->blocks, .in_flight = in_flight(c)};
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
/* CTAs first, first + step, .. before end; 0: to the grid's. */
struct some_ctas {
	uint64_t first, step, end;
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

/* Explains a fault, or says that the host wants an end. */
static void note_end(struct chip *c, struct launch_state *l, const struct fault *fault)
{
	if (fault->kind != FAULT_NONE)
		gpu_explain(c->gpu, fault, l, &c->rest_errors);
	c->rest_failed = c->rest_errors.count;
	c->rest_stopped = !c->rest_failed;
}

static bool execute(
	struct chip *c, struct launch_state *l, const struct some_ctas *ctas, uint64_t cycle)
{
	uint64_t before = c->rest_counts.warp_instructions;
	struct exec_memory memory = gpu_memory(c->gpu);
	struct warming warming;
	struct untimed_watch watch = {.ctx = &warming, .accessed = accessed};
	struct untimed_limits limits = {.go_on = is_wanted, .ctx = c, .turns = {.end = ctas->end}};
	struct together_work work = {&l->grid, ctas->first, ctas->step, &memory, &limits};
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
	bad = together_run(c->gpu, &work, &c->rest_counts, &fault, &c->rest_errors);
	if (warms)
		close_warming(&warming);
	if (!bad) {
		l->untimed_instructions += c->rest_counts.warp_instructions - before;
		return true;
	}
	note_end(c, l, &fault);
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
static uint64_t warps_of(const struct launch_state *l)
{
	return (l->started - l->finished) * grid_cta_warps(&l->grid);
}

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
		.warps = warps_of(l),
		.cycle = cycle,
		.start_cycle = l->start_cycle,
		.instructions = row.instructions,
		.executed = l->untimed_instructions,
		.dram_bytes = row.read_bytes + row.write_bytes,
		.read_bytes = row.read_bytes};
}

/* The next CTAs of the grid do not start in time. Returns the first. */
static uint64_t leave_out(struct chip *c, struct launch_state *l, uint64_t n)
{
	uint64_t first = l->started + l->rest->ctas;

	l->rest->ctas += n;
	l->timed -= n;
	c->queued_ctas -= n;
	return first;
}

bool rest_skip(struct chip *c, struct launch_state *l, uint64_t cycle)
{
	uint64_t left = l->timed - l->started, n;
	struct gpu_cta_view view;
	struct some_ctas ctas = {.step = 1};

	if (!c->skipping.skip)
		return true;
	if (!l->active || !l->rest || l->rest->clocked || l->workspace || l->timed < 3 ||
		l->started >= l->timed)
		return true;
	view = view_of(c, l, cycle);
	n = min_u64(c->skipping.skip(c->skipping.ctx, &view), left - (l->started == l->finished));
	if (!n)
		return true;
	ctas.first = leave_out(c, l, n);
	ctas.end = ctas.first + n;
	return execute(c, l, &ctas, cycle);
}

/* ---- resident CTAs that advance */
/* Of a stretch that SMs execute in turns. */
struct stretch {
	struct chip *chip;
	struct launch_state *launch;
	struct sm_advance to;
	unsigned rounds;
	uint64_t due[GPU_MAX_SMS]; /* of an SM, in a round */
};

/* The grid's next CTAs take the slots of those that have ended, one on each SM in turn. Returns how
 * many. */
static uint64_t deal(struct stretch *s)
{
	struct chip *c = s->chip;
	struct launch_state *l = s->launch;
	uint64_t all = 0, before = 1;

	while (all != before) {
		before = all;
		for (unsigned i = 0; i < c->p.sms && l->started < l->timed; i++) {
			if (!sm_takes(c->sm[i]))
				continue;
			sm_take(c->sm[i], &s->to, leave_out(c, l, 1));
			all++;
		}
	}
	return all;
}

/* False: a fault, or the host's wish. */
static bool advance_all(struct stretch *s)
{
	const struct launch_state *l = s->launch;
	uint64_t most = (l->started - l->finished) / 16;

	for (unsigned round = 0; round < s->rounds && s->to.ended <= most; round++) {
		for (unsigned i = 0; i < s->chip->p.sms; i++)
			if (s->due[i] && sm_advance(s->chip->sm[i], &s->to, s->due[i]))
				return false;
		deal(s);
		if (!is_wanted(s->chip))
			return false;
	}
	return true;
}

static bool go_back(struct stretch *s)
{
	for (unsigned lap = 0; lap < LAPS; lap++) {
		for (unsigned i = 0; i < s->chip->p.sms; i++)
			if (sm_go_back(s->chip->sm[i], &s->to))
				return false;
		if (!deal(s))
			break;
	}
	return true;
}

static uint64_t issued(const struct stretch *s, unsigned sm)
{
	return s->chip->by_launch[sm][s->launch->grid.launch];
}

/* What SMs have issued in time since the last stretch, and what of their deviations from the mean
 * lasts from one window to the next: a regression, as of an SM's warps. One that was ahead may meet
 * what others will find in the caches, and fall back. */
static double note_progress(const struct stretch *s)
{
	struct shares *h = &s->chip->shares;
	double all = 0, sms = 0;

	if (h->launch != s->launch->grid.gridid + 1)
		*h = (struct shares){
			.launch = s->launch->grid.gridid + 1, .cycle = s->launch->start_cycle};
	for (unsigned i = 0; i < s->chip->p.sms; i++) {
		all += (double)(issued(s, i) - h->seen[i]);
		sms += issued(s, i) > 0;
	}
	for (unsigned i = 0; i < s->chip->p.sms && all > 0; i++) {
		double before = h->progress[i] - 1, now;

		now = (double)(issued(s, i) - h->seen[i]) * sms / all;
		if (h->seen[i]) {
			h->together += before * (now - 1);
			h->alone += before * before;
		}
		h->progress[i] = now;
		h->seen[i] = issued(s, i);
	}
	return h->together > 0 && h->alone > 0 ? fmin(h->together / h->alone, 1) : 0;
}

/* A miss takes as long as DRAM does at least, in which a warp would have executed as much as it has
 * in time since the last stretch. */
static void note_lateness(struct stretch *s)
{
	struct shares *h = &s->chip->shares;
	double miss_ps = (double)s->chip->dram_cycles * (double)s->chip->l2_ps;

	s->to.late = miss_ps / (double)s->chip->sm_ps / (double)(s->to.cycle - h->cycle);
	h->cycle = s->to.cycle;
}

/* Each SM's instructions of a round. */
static void divide(struct stretch *s, uint64_t instructions)
{
	const struct shares *h = &s->chip->shares;
	double kept = note_progress(s), sms = 0;

	note_lateness(s);
	for (unsigned i = 0; i < s->chip->p.sms; i++)
		sms += issued(s, i) > 0;
	for (unsigned i = 0; i < s->chip->p.sms; i++) {
		double part = issued(s, i) ? 1 + kept * (h->progress[i] - 1) : 0;

		s->due[i] = (uint64_t)((double)instructions * part / fmax(sms, 1) / s->rounds);
		sm_mark(s->chip->sm[i], &s->to);
	}
}

static bool stretch(struct chip *c, struct launch_state *l, uint64_t instructions, uint64_t cycle)
{
	uint64_t before = c->rest_counts.warp_instructions;
	uint64_t each = instructions / max_u64(warps_of(l), 1);
	struct exec_memory memory = gpu_memory(c->gpu);
	struct warming warming;
	struct fault fault = {0};
	struct stretch s = {.chip = c,
		.launch = l,
		.rounds = (unsigned)(each / WARP_TURN + 1),
		.to = {.grid = &l->grid,
			.memory = &memory,
			.cycle = cycle,
			.warp_turn = WARP_TURN,
			.seek = each,
			.counts = &c->rest_counts,
			.fault = &fault}};
	bool good;

	divide(&s, instructions);
	if (c->warms) {
		open_warming(&warming, c, l, cycle, false);
		memory.texels = &warming.texels;
		s.to.warmth = &warming.at;
	}
	good = advance_all(&s) && go_back(&s);
	for (unsigned i = 0; i < c->p.sms; i++)
		sm_settle(c->sm[i], &s.to);
	if (c->warms)
		close_warming(&warming);
	l->untimed_instructions += c->rest_counts.warp_instructions - before;
	if (!good)
		note_end(c, l, &fault);
	return good;
}

void rest_begin(const struct chip *c, struct launch_state *l, uint64_t cycle)
{
	bool asks = c->skipping.advance && !l->workspace && sm_advances(c->sm[0]);

	if (l->rest)
		l->rest->ask_at = asks && !l->rest->clocked ? cycle + 1 : UINT64_MAX;
}

static bool overlaps(const struct dispatcher *d, const struct launch_state *l)
{
	for (uint32_t i = 0; i < d->nrunnable; i++)
		if (d->runnable[i] != l && d->runnable[i]->active)
			return true;
	return false;
}

bool rest_advance(struct chip *c, struct launch_state *l, uint64_t cycle)
{
	struct gpu_cta_view view;
	uint64_t n;

	if (!l->active || !l->rest || l->rest->ask_at > cycle)
		return true;
	view = view_of(c, l, cycle);
	n = c->skipping.advance(c->skipping.ctx, &view, &l->rest->ask_at);
	l->rest->ask_at = max_u64(l->rest->ask_at, cycle);
	if (l->rest->ask_at != UINT64_MAX)
		wake_at(&c->dispatcher->base, l->rest->ask_at);
	if (!n)
		return rest_skip(c, l, cycle);
	return !view.instructions || overlaps(c->dispatcher, l) || stretch(c, l, n, cycle);
}
