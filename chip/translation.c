/* Address translation in a chip: the unit between the SMs' links and the request network, in that
 * network's partition, with links of its own to the slices. */
#include "chip/inside.h"

static unsigned slice_of(const void *ctx, uint64_t line)
{
	return sm_slice_of(ctx, line);
}

void translation_make(struct chip *c, struct err *err)
{
	struct mmu_config config = {.settings = &c->mmu_settings,
		.sms = (unsigned)c->p.sms,
		.slices = c->channels * c->per_channel,
		.sm_ps = c->sm_ps,
		.period_ps = c->l2_ps,
		.window_cycles = (unsigned)c->p.window,
		.walk_given = config_given(c->gpu->config, "mmu.walk_cycles"),
		.invalidates = sm_invalidates(c->sm[0]),
		.own_slice = c->p.even_share,
		.slice_of = slice_of,
		.ctx = &c->sm_config,
		.numbers = &c->accounts.number};

	if (mmu_translates(&c->mmu_settings))
		c->mmu = mmu_new(c->request->part, &config, &c->arena, err);
}

unsigned translation_cycles(const struct chip *c)
{
	return mmu_translates(&c->mmu_settings);
}

/* The inner link is as deep as its way and back, in which SMs of a faster clock send several. */
void translation_bind_sm(struct chip *c, unsigned i)
{
	struct link_config far = clocks_packet_link(c);
	struct link_config inner = {.latency_cycles = translation_cycles(c),
		.depth = 2 + 2 * (unsigned)div_up(c->l2_ps, c->sm_ps),
		.period_ps = c->l2_ps};

	if (!c->mmu) {
		link_bind(c->sim, c->sm[i], "request", 0, c->request, "in", i, far);
		return;
	}
	link_bind(c->sim, c->sm[i], "request", 0, c->mmu, "in", i, far);
	link_bind(c->sim, c->mmu, "out", i, c->request, "in", i, inner);
}

void translation_bind_slice(struct chip *c, unsigned i)
{
	struct link_config walk = clocks_packet_link(c);

	if (!c->mmu)
		return;
	walk.latency_cycles = (unsigned)c->p.window;
	link_bind(c->sim, c->mmu, "walk", i, c->slice[i], "walk", 0, walk);
	link_bind(c->sim, c->slice[i], "entry", 0, c->mmu, "entry", i, walk);
}

void translation_audit(const struct chip *c, struct audit *a)
{
	uint64_t sent = 0;

	if (!c->mmu)
		return;
	for (unsigned i = 0; i < c->p.sms; i++)
		sent += sm_to_translate(c->sm[i]);
	audit_flow(a, c->mmu->name, "packets to translate sent by SMs", sent, "taken",
		mmu_counts(c->mmu).taken);
	mmu_audit(c->mmu, a);
}
