/* What SMs' storage is split for: each launch, or once for all of an application (Gebhart et al.,
 * MICRO 2012, section 4.5: before the launch, by what all of it needs). */
#include "chip/inside.h"

#include <stdio.h>
#include <string.h>

static bool partitions_once(const struct chip *c)
{
	return c->p.partition == PARTITION_APPLICATION;
}

bool chip_must_foresee(const struct gpu *g)
{
	return g->chip && partitions_once(g->chip) && !g->chip->nforeseen;
}

static struct storage_need on_chip(const struct chip *c, struct storage_need need)
{
	need.warp_slots = storage_rules_warps(&c->rules, sm_warp_slots(c->sm[0]));
	need.cta_slots = sm_cta_slots(c->sm[0]);
	need.rules = &c->rules;
	return need;
}

int chip_foresee(struct gpu *g, const struct gpu *rehearsal, struct err *err)
{
	struct chip *c = g->chip;
	unsigned most = c->nforeseen + rehearsal->nlaunches + 1;
	struct storage_need *all = mem_grow(c->foreseen, c->nforeseen, most, sizeof(*all));

	BUG_ON(g->nlaunches);
	if (!all)
		return err_add(err, ERR_RESOURCE, "no host memory for launches");
	c->foreseen = all;
	for (uint32_t i = 0; i < rehearsal->nlaunches; i++) {
		struct launch_row row = launches_row(rehearsal, i);
		struct grid grid = launches_grid(&row);
		struct storage_need need = on_chip(c, launches_need(&grid));

		c->nforeseen = storage_gather(all, c->nforeseen, &need);
	}
	if (!c->nforeseen)
		return 0;
	return chip_storage(c)->split(
		c->storage_self, c->foreseen, c->nforeseen, &c->application, err);
}

const char *chip_slot_words(const struct launch_report *l, char out[CHIP_SLOT_WORDS])
{
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];

	*out = '\0';
	if (l->slots)
		snprintf(out, CHIP_SLOT_WORDS,
			"; it has %u bytes of its own, and %llu are %u spill slots per thread "
			"(gpu.spill_slots or gpu.kernels: %u)",
			l->own_shared_bytes,
			(unsigned long long)(div_up(threads, WARP_LANES) * l->slots * SLOT_ROW),
			l->slots, l->slot_budget);
	return out;
}

static const char *slot_words(const struct grid *g, char out[CHIP_SLOT_WORDS])
{
	struct launch_report l = {.block = {g->block[0], g->block[1], g->block[2]},
		.slots = g->program->slots,
		.slot_budget = g->program->slot_budget,
		.own_shared_bytes = grid_own_shared_bytes(g)};

	return chip_slot_words(&l, out);
}

int partition_admit(const struct chip *c, struct launch_state *l, struct err *err)
{
	struct err wrong = {0};
	char slots[CHIP_SLOT_WORDS];
	int bad;

	l->need = on_chip(c, l->need);
	BUG_ON(partitions_once(c) && !c->nforeseen);
	l->split = c->application;
	if (partitions_once(c))
		bad = storage_admit_all(&l->need, 1, &wrong);
	else
		bad = chip_storage(c)->split(c->storage_self, &l->need, 1, &l->split, &wrong);
	if (!bad)
		return 0;
	err_add(err, ERR_RESOURCE, "kernel '%s': a CTA can never fit: %.*s%s",
		l->grid.program->source, (int)strcspn(err_text(&wrong), "\n"), err_text(&wrong),
		slot_words(&l->grid, slots));
	err_clear(&wrong);
	return -1;
}

static uint32_t room(uint64_t all, uint64_t each)
{
	return each ? (uint32_t)min_u64(all / each, UINT32_MAX) : UINT32_MAX;
}

void chip_launch_room(const struct gpu *g, unsigned i, struct launch_room *r)
{
	const struct chip *c = g->chip;
	struct launch_row row = launches_row(g, i);
	struct grid grid = launches_grid(&row);
	struct storage_need need = on_chip(c, launches_need(&grid));
	struct storage_hold hold = storage_hold(&row.split, &need);

	*r = (struct launch_room){.warp_slots = need.warp_slots / need.warps_per_cta,
		.cta_slots = need.cta_slots ? need.cta_slots : UINT32_MAX,
		.registers = room(row.split.register_bytes, hold.register_bytes),
		.shared = room(row.split.shared_bytes, hold.shared_bytes),
		.grid = (uint32_t)min_u64(div_up(row.timed, c->p.sms), UINT32_MAX)};
}

uint32_t chip_launch_fits(const struct gpu *g, unsigned i, const struct launch_need *n)
{
	const struct chip *c = g->chip;
	struct launch_row row = launches_row(g, i);
	struct storage_need need =
		on_chip(c, (struct storage_need){.regs_per_thread = n->regs,
				   .shared_per_cta = n->shared_bytes,
				   .warps_per_cta = (uint32_t)div_up(n->threads, WARP_LANES)});
	struct storage_split split = row.split;

	if (!partitions_once(c) &&
		chip_storage(c)->split(c->storage_self, &need, 1, &split, NULL) != 0)
		return 0;
	return storage_ctas(&split, &need);
}
