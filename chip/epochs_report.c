/* What epochs counted, one by one or together. */
#include "chip/epochs.h"
#include "chip/tally.h"

static const struct epoch *epoch_at(const struct epochs *e, unsigned i)
{
	return i < e->nown ? &e->own[i] : &e->common[i - e->nown];
}

unsigned chip_epochs(const struct gpu *g)
{
	return g->chip ? g->chip->epochs.nown + g->chip->epochs.ncommon : 0;
}

void chip_epoch(const struct gpu *g, unsigned i, struct epoch_report *r)
{
	const struct epoch *e = epoch_at(&g->chip->epochs, i);

	*r = (struct epoch_report){.first = e->first,
		.launches = e->launches,
		.kernel = e->program ? e->program->name : NULL,
		.file = e->program ? e->program->file : NULL,
		.common = e->common,
		.begin_cycle = e->begin_cycle,
		.cycles = e->cycles};
}

unsigned chip_launch_epoch(const struct gpu *g, unsigned launch)
{
	uint32_t i = launches_row(g, launch).epoch;

	if (!g->chip || i == NO_EPOCH)
		return EPOCHS_NONE;
	return i < EPOCHS_OWN ? i : g->chip->epochs.nown + i - EPOCHS_OWN;
}

static void add(struct tally *t, struct energy_sum *energy, const struct epoch *e)
{
	for (unsigned i = 0; i < t->n; i++) {
		t->row[i].sum += e->sum[i];
		t->row[i].max += e->most[i];
	}
	t->cycles += e->cycles;
	t->drained_cycles += e->span_cycles;
	t->energy_cycles += e->span_cycles;
	t->unused_byte_cycles += e->unused_byte_cycles;
	energy_add(energy, &e->energy);
}

void chip_epoch_metrics(
	const struct gpu *g, epoch_chosen_fn *chosen, void *of, metric_fn *visit, void *ctx)
{
	const struct epochs *e = &g->chip->epochs;
	struct tally t = *e->rows;
	struct energy_sum energy = {0};

	for (unsigned i = 0; i < t.n; i++)
		t.row[i].sum = t.row[i].max = 0;
	for (unsigned i = 0; i < chip_epochs(g); i++)
		if (chosen(of, i))
			add(&t, &energy, epoch_at(e, i));
	derived_metrics(g, &t, false, visit, ctx);
	energy_metrics(g, &t, &energy, visit, ctx);
	tally_metrics(&t, false, visit, ctx);
}
