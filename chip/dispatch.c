/* The dispatcher: launches in order per stream, CTAs over the SMs they may use, as the policy
 * chooses. */
#include "chip/inside.h"

#include <string.h>

static const struct stat_def dispatcher_stats[] = {DISPATCH_STATS(STAT_ROW, dispatcher)};

static const struct plugin part = {
	.kind = "component",
	.name = "dispatcher",
	.text = "Hands CTAs to SMs.",
	.stats = dispatcher_stats,
	.nstats = ARRAY_LEN(dispatcher_stats),
};

/* True when one more CTA of the launch fits the SM. */
static bool fits(const struct sm_mirror *m, const struct launch_state *l)
{
	return m->warps + l->need.warps_per_cta <= l->need.warp_slots &&
	       m->ctas < l->need.cta_slots &&
	       m->register_bytes + l->hold.register_bytes <= m->split.register_bytes &&
	       m->shared_bytes + l->hold.shared_bytes <= m->split.shared_bytes;
}

static bool is_partitioned(const struct sm_mirror *m)
{
	static const struct storage_split never = {0};

	return memcmp(&m->split, &never, sizeof(never));
}

static uint64_t unused_before(const struct dispatcher *d, const struct sm_mirror *m, uint64_t cycle)
{
	const struct storage_split *s = &m->split;
	uint64_t all = d->chip->sm_config.banks.bytes;
	uint64_t used = s->register_bytes + s->shared_bytes + s->cache_bytes;

	if (!is_partitioned(m) || used >= all || cycle <= m->since)
		return m->unused;
	return m->unused + (all - used) * (cycle - m->since);
}

uint64_t dispatcher_unused(const struct dispatcher *d, uint64_t cycle)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < d->chip->p.sms; i++)
		sum += unused_before(d, &d->sm[i], cycle);
	return sum;
}

/* An empty SM takes the split that a launch wants; others keep theirs. */
static bool repartition(
	struct dispatcher *d, struct sm_mirror *m, const struct storage_split *want, uint64_t cycle)
{
	if (!memcmp(want, &m->split, sizeof(*want)))
		return true;
	if (m->ctas)
		return false;
	d->s.storage__repartitions += is_partitioned(m);
	m->unused = unused_before(d, m, cycle);
	m->since = cycle;
	m->split = *want;
	return true;
}

static bool may_use(const struct launch_state *l, unsigned sm)
{
	return l->sms[sm / 64] >> (sm % 64) & 1;
}

/* Of the SMs that the launch may use, those below `sm`. */
static unsigned usable_below(const struct launch_state *l, unsigned sm)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sm / 64; i++)
		n += count_bits(l->sms[i]);
	return sm % 64 ? n + count_bits(l->sms[sm / 64] << (64 - sm % 64)) : n;
}

static struct dispatch_view view(
	const struct dispatcher *d, const struct launch_state *l, unsigned sm)
{
	return (struct dispatch_view){.ctas = l->timed,
		.started = l->started,
		.started_here = l->part[sm].started,
		.sms = l->usable,
		.position = usable_below(l, sm),
		.dispatcher = d,
		.launch = l};
}

/* The SM at that position among those that the launch may use. */
static unsigned usable_at(const struct launch_state *l, unsigned position)
{
	unsigned word = 0;
	uint64_t bits;

	while (position >= count_bits(l->sms[word]))
		position -= count_bits(l->sms[word++]);
	for (bits = l->sms[word]; position; position--)
		bits &= bits - 1;
	return word * 64 + low_bit(bits);
}

struct dispatch_load dispatch_look(const struct dispatch_view *v, unsigned position)
{
	const struct launch_state *l = v->launch;
	unsigned sm = usable_at(l, position);
	const struct sm_mirror *m = &v->dispatcher->sm[sm];
	struct storage_split left = m->split;
	struct storage_need need = l->need;
	struct dispatch_load load = {.started = l->part[sm].started,
		.ctas = m->ctas,
		.warps = m->warps,
		.most = l->ctas_per_sm};

	if (!m->ctas)
		load.room = load.most;
	if (!m->ctas || memcmp(&m->split, &l->split, sizeof(left)) != 0)
		return load;
	left.register_bytes -= m->register_bytes;
	left.shared_bytes -= m->shared_bytes;
	need.warp_slots -= m->warps;
	need.cta_slots -= m->ctas;
	load.room = need.warp_slots && need.cta_slots ? storage_fit(&left, &l->hold, &need) : 0;
	return load;
}

/* CTAs that were executed without time between those that started. */
static uint64_t skipped(const struct launch_state *l)
{
	return l->rest ? l->rest->ctas : 0;
}

static bool start_cta(struct dispatcher *d, struct launch_state *l, unsigned sm, uint64_t cycle)
{
	struct sm_mirror *m = &d->sm[sm];
	struct dispatch_view v;
	struct cta_start *msg;
	uint64_t cta;

	if (!may_use(l, sm) || !link_can_send(d->start_out[sm]))
		return false;
	v = view(d, l, sm);
	cta = d->choose->next(d->policy.self, l->policy, &v);
	if (cta == NO_CTA || !repartition(d, m, &l->split, cycle) || !fits(m, l))
		return false;
	m->warps += l->need.warps_per_cta;
	m->ctas++;
	m->register_bytes += l->hold.register_bytes;
	m->shared_bytes += l->hold.shared_bytes;
	msg = link_slot(d->start_out[sm]);
	*msg = (struct cta_start){.cta = (cta + skipped(l)) * d->chip->p.share,
		.cache_bytes = m->split.cache_bytes,
		.launch = l->grid.launch};
	link_send(d->start_out[sm], 1);
	if (d->choose->started)
		d->choose->started(d->policy.self, l->policy, &v, cta);
	l->started++;
	l->part[sm].started++;
	return true;
}

uint64_t dispatcher_next(const struct dispatcher *d, const struct launch_state *l)
{
	uint64_t least = NO_CTA;

	for (unsigned sm = 0; sm < d->chip->p.sms && l->started < l->timed; sm++) {
		struct dispatch_view v = view(d, l, sm);
		uint64_t cta =
			may_use(l, sm) ? d->choose->next(d->policy.self, l->policy, &v) : NO_CTA;

		if (cta != NO_CTA)
			least = min_u64(least, (cta + skipped(l)) * d->chip->p.share);
	}
	return least;
}

/* False: it waits for an account. */
static bool begin(struct dispatcher *d, struct launch_state *l, uint64_t cycle)
{
	if (!accounts_take(d->chip, l))
		return false;
	l->active = true;
	l->start_cycle = cycle;
	epochs_begin(d->chip, l, cycle);
	rest_begin(d->chip, l, cycle);
	probe_event(&d->base, LAUNCH_BEGINS, l->grid.launch, 0);
	return true;
}

/* Starts CTAs of the launch, at most one for each SM in a cycle. True when more could start next
 * cycle. */
static bool dispatch(struct dispatcher *d, struct launch_state *l, uint64_t cycle)
{
	unsigned n = (unsigned)d->chip->p.sms, first = d->next_sm;
	bool any = false;

	if (!l->active && !begin(d, l, cycle))
		return false;
	for (unsigned i = 0; i < n && l->started < l->timed; i++) {
		unsigned sm = (first + i) % n;

		if (!start_cta(d, l, sm, cycle))
			continue;
		d->next_sm = (sm + 1) % n;
		any = true;
	}
	return any && l->started < l->timed;
}

/* Removes the launch from the runnable ones; the launch that waited for it is entered. */
void dispatcher_leave(struct dispatcher *d, const struct launch_state *l)
{
	struct launch_state *next = l->follower;
	uint32_t i = 0;

	while (d->runnable[i] != l)
		i++;
	for (d->nrunnable--; i < d->nrunnable; i++)
		d->runnable[i] = d->runnable[i + 1];
	if (!next)
		return;
	for (i = d->nrunnable++; i && d->runnable[i - 1]->grid.gridid > next->grid.gridid; i--)
		d->runnable[i] = d->runnable[i - 1];
	d->runnable[i] = next;
}

static void complete(struct dispatcher *d, struct launch_state *l)
{
	launches_complete(d->gpu, l);
	epochs_end(d->chip, l);
	l->after = d->chip->ended;
	d->chip->ended = l;
	d->s.chip__launches++;
	dispatcher_leave(d, l);
	if (d->pauses ? !l->follower : l->grid.gridid == d->until)
		sim_pause(&d->base);
}

/* The last timed CTA is done: the launch is complete, or the rest of it runs at the end of the
 * window. */
static void finished(struct dispatcher *d, struct launch_state *l, uint64_t cycle)
{
	l->end_cycle = d->chip->last_end = cycle;
	probe_event(&d->base, LAUNCH_ENDS, l->grid.launch, 0);
	if (l->timed + skipped(l) == l->ctas) {
		complete(d, l);
		return;
	}
	d->rest[d->nrest++] = l;
	edge_request(&d->base);
}

static void take_done(struct dispatcher *d, uint64_t cycle)
{
	for (unsigned sm = 0; sm < d->chip->p.sms; sm++) {
		const struct cta_done *msg;

		while ((msg = link_peek(d->done_in[sm]))) {
			struct launch_state *l = d->chip->accounts.of[msg->launch];
			struct sm_mirror *m = &d->sm[sm];

			m->warps -= l->need.warps_per_cta;
			m->ctas--;
			m->register_bytes -= l->hold.register_bytes;
			m->shared_bytes -= l->hold.shared_bytes;
			d->s.chip__ctas++;
			l->part[sm].end_cycle = cycle;
			if (++l->finished == l->timed)
				finished(d, l, cycle);
			d->skips |= d->chip->skipping.skip != NULL;
			link_pop(d->done_in[sm]);
		}
	}
	if (d->skips)
		edge_request(&d->base);
}

/* The edge at which a launch is asked about. */
static void await_edges(struct dispatcher *d, uint64_t cycle)
{
	for (uint32_t i = 0; i < d->nrunnable; i++) {
		const struct launch_state *l = d->runnable[i];

		if (!l->active || !l->rest || l->rest->ask_at == UINT64_MAX)
			continue;
		if (l->rest->ask_at <= cycle)
			edge_request(&d->base);
		else
			wake_at(&d->base, l->rest->ask_at);
	}
}

bool dispatcher_rest(struct dispatcher *d, uint64_t cycle)
{
	if (d->skips)
		for (uint32_t i = 0; i < d->nrunnable; i++)
			if (!rest_skip(d->chip, d->runnable[i], cycle))
				return false;
	d->skips = false;
	for (uint32_t i = 0; d->chip->skipping.advance && i < d->nrunnable; i++)
		if (!rest_advance(d->chip, d->runnable[i], cycle))
			return false;
	for (uint32_t i = 0; i < d->nrest; i++) {
		struct launch_state *l = d->rest[i];

		if (!rest_run(d->chip, l, cycle))
			return false;
		complete(d, l);
		wake_at(&d->base, cycle);
	}
	d->nrest = 0;
	return true;
}

/* ---- its signals */
static uint64_t get_ctas(struct component *c, unsigned arg, uint64_t cycle)
{
	const struct dispatcher *d = CONTAINER_OF(c, const struct dispatcher, base);
	uint64_t sum = 0;

	(void)arg;
	(void)cycle;
	for (unsigned i = 0; i < d->chip->p.sms; i++)
		sum += d->sm[i].ctas;
	return sum;
}

static const struct signal_def signals[] = {
	{.name = "launches",
		.kind = SIGNAL_LEVEL,
		.bits = 17,
		.unit = "launches",
		.text = "Launches that may run.",
		.offset = offsetof(struct dispatcher, nrunnable),
		.bytes = 4},
	{.name = "ctas_resident",
		.kind = SIGNAL_LEVEL,
		.bits = 16,
		.unit = "CTAs",
		.text = "CTAs in flight to SMs, on SMs, and in flight back.",
		.get = get_ctas},
};

/* In a cycle every SM's last CTA may end a launch, and every launch begin. */
static const struct probe_ops probe = {
	.defs = signals, .n = ARRAY_LEN(signals), .events = 2 * GPU_MAX_SMS};

static enum step step(struct component *c, uint64_t cycle)
{
	struct dispatcher *d = CONTAINER_OF(c, struct dispatcher, base);
	bool again = false;

	if (d->stepped_cycle == cycle + 1)
		return d->answer;
	d->stepped_cycle = cycle + 1;
	take_done(d, cycle);
	for (uint32_t i = 0; i < d->nrunnable; i++) {
		struct launch_state *l = d->runnable[i];

		if (l->started < l->timed)
			again |= dispatch(d, l, cycle);
		else if (!l->active && begin(d, l, cycle))
			finished(d, l, cycle);
	}
	if (d->chip->skipping.advance)
		await_edges(d, cycle);
	d->answer = again ? STEP_AGAIN : STEP_SLEEP;
	return d->answer;
}

static bool busy(const struct component *c)
{
	const struct dispatcher *d = CONTAINER_OF(c, const struct dispatcher, base);

	for (uint32_t i = 0; i < d->nrunnable && d->chip->accounts.held; i++)
		if (d->runnable[i]->active)
			return true;
	return d->nrunnable && !d->chip->accounts.held;
}

static void stuck(const struct component *c, struct text *out)
{
	const struct dispatcher *d = CONTAINER_OF(c, struct dispatcher, base);

	for (uint32_t i = 0; i < d->nrunnable; i++) {
		const struct launch_state *l = d->runnable[i];

		text_add(out,
			"  launch %u, kernel '%s': %llu of %llu CTAs started, %llu finished\n",
			(unsigned)l->grid.gridid, l->grid.program->source,
			(unsigned long long)l->started, (unsigned long long)l->timed,
			(unsigned long long)l->finished);
	}
}

static const struct component_ops ops = {
	.step = step, .busy = busy, .stuck = stuck, .state = dispatcher_state, .probe = &probe};

int dispatcher_init(
	struct dispatcher *d, struct chip *chip, struct partition *partition, struct err *err)
{
	static const struct policy_scope place = {"dispatch", "chip", "dispatch", "chip"};

	d->chip = chip;
	d->until = NO_LAUNCH;
	d->gpu = chip->gpu;
	component_init(&d->base, partition, &ops, &part, "dispatcher", 0);
	for (unsigned i = 0; i < chip->p.sms; i++) {
		port_declare(
			&d->base, PORT_OUT, "start", i, &cta_start_type, &d->start_out[i], false);
		port_declare(&d->base, PORT_IN, "done", i, &cta_done_type, &d->done_in[i], false);
	}
	if (policy_choose(
		    &d->policy, &place, chip->p.dispatch, chip->gpu->config, &chip->arena, err))
		return -1;
	component_policy(&d->base, &d->policy);
	d->choose = d->policy.ops;
	return 0;
}

void dispatcher_wake(struct dispatcher *d)
{
	wake_at(&d->base, sim_time(d->base.sim) / d->base.period_ps);
}

/* Capacity of the tables of launches. */
static int grow(struct dispatcher *d, struct err *err)
{
	uint32_t room = d->room ? d->room * 2 : 64;
	struct launch_state **runnable, **rest;

	runnable = mem_grow(d->runnable, d->room, room, sizeof(*runnable));
	if (runnable)
		d->runnable = runnable;
	rest = mem_grow(d->rest, d->room, room, sizeof(*rest));
	if (rest)
		d->rest = rest;
	if (!runnable || !rest)
		return err_add(err, ERR_RESOURCE, "no host memory for launches");
	d->room = room;
	return 0;
}

/* The launch's counts by SM, and the SMs it may use: none named means all. */
static int open_parts(struct dispatcher *d, struct launch_state *l, struct err *err)
{
	unsigned n = (unsigned)d->chip->p.sms;
	size_t policy;
	uint64_t any = 0;

	for (unsigned i = 0; i < ARRAY_LEN(l->sms); i++)
		any |= l->sms[i];
	for (unsigned i = 0; i < n && !any; i++)
		l->sms[i / 64] |= UINT64_C(1) << i % 64;
	for (unsigned i = 0; i < ARRAY_LEN(l->sms); i++)
		l->usable += count_bits(l->sms[i]);
	policy = d->choose->launch_size + l->usable * d->choose->sm_size;
	l->part = mem_alloc(n * sizeof(*l->part) + policy, 1);
	l->policy = l->part ? l->part + n : NULL;
	return l->part ? 0 : err_add(err, ERR_RESOURCE, "no host memory for launches");
}

int dispatcher_grow(struct dispatcher *d, struct launch_state *l, struct err *err)
{
	if (d->gpu->npending >= d->room && grow(d, err))
		return -1;
	return open_parts(d, l, err);
}

void dispatcher_queue(struct dispatcher *d, struct launch_state *l)
{
	struct launch_state *last = l->before;

	while (last && last->stream != l->stream)
		last = last->before;
	if (last)
		last->follower = l;
	else
		d->runnable[d->nrunnable++] = l;
}

void dispatcher_free(struct dispatcher *d)
{
	if (!d)
		return;
	mem_free(d->runnable);
	mem_free(d->rest);
}
