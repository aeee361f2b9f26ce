/* Energy of a run: its counts out of the statistics, and a figure for each part. */
#include "chip/tally.h"

#include "energy/chip.h"

#include <stdio.h>
#include <string.h>

#define L2_SECTOR_BYTES 32u

static uint64_t flit_bytes(const struct chip *c, const struct component *network)
{
	const struct network_ops *net = c->network->ops;

	return net->flit_bytes ? net->flit_bytes(network) : FLIT_BYTES;
}

/* Rows are looked up in about their order. */
struct rows {
	const struct tally *t;
	unsigned at;
};

static uint64_t sum(struct rows *r, const char *name)
{
	for (unsigned i = 0; i < r->t->n; i++, r->at++) {
		r->at = r->at < r->t->n ? r->at : 0;
		if (!strcmp(r->t->row[r->at].name, name))
			return r->t->row[r->at].sum;
	}
	BUG_ON(true);
	return 0;
}

/* Reads move sectors out, misses in; writes move in, and out to DRAM. */
static void count_l2(const struct chip *chip, struct rows *t, struct energy_counts *c)
{
	c->l2_read_bytes = sum(t, "lts__t_sectors_op_read.sum") * L2_SECTOR_BYTES +
			   sum(t, "lts__dram_write_bytes.sum");
	c->l2_write_bytes =
		sum(t, "lts__dram_read_bytes.sum") +
		flit_bytes(chip, chip->request) *
			(sum(t, "noc_request__flits.sum") - sum(t, "noc_request__packets.sum"));
}

/* The flush at the end is left out, as in dram__bytes.sum. */
static void count(const struct gpu *g, const struct tally *all, struct energy_counts *c)
{
	struct rows rows = {.t = all}, *t = &rows;

	*c = (struct energy_counts){.time_ns = all->energy_cycles * g->chip->sm_ps / 1000,
		.sms = (unsigned)g->chip->p.sms,
		.banks = g->chip->sm_config.banks,
		.unused_byte_ns = all->unused_byte_cycles * g->chip->sm_ps / 1000,
		.entries = g->levels.kind == LEVELS_NONE ? 0 : g->levels.entries};
	c->storage = (struct storage_accesses){.register_reads = sum(t, "rf__mrf_reads.sum"),
		.register_writes = sum(t, "rf__mrf_writes.sum"),
		.shared_reads = sum(t, "bank__words_shared_read.sum"),
		.shared_writes = sum(t, "bank__words_shared_write.sum"),
		.cache_reads = sum(t, "bank__words_cache_read.sum"),
		.cache_writes = sum(t, "bank__words_cache_write.sum")};
	c->upper.reads[REGISTERS_ORF] = sum(t, "rf__orf_reads.sum");
	c->upper.reads[REGISTERS_ORF_SHARED] = sum(t, "rf__orf_shared_reads.sum");
	c->upper.reads[REGISTERS_LRF] = sum(t, "rf__lrf_reads.sum");
	c->upper.writes[REGISTERS_ORF] = sum(t, "rf__orf_writes.sum");
	c->upper.writes[REGISTERS_ORF_SHARED] = sum(t, "rf__orf_shared_writes.sum");
	c->upper.writes[REGISTERS_LRF] = sum(t, "rf__lrf_writes.sum");
	c->dram_bytes = sum(t, "dram__bytes_read.sum") + sum(t, "dram__bytes_write.sum");
	c->noc_bytes = flit_bytes(g->chip, g->chip->request) * sum(t, "noc_request__flits.sum") +
		       flit_bytes(g->chip, g->chip->reply) * sum(t, "noc_reply__flits.sum");
	if (slice_bytes(g->chip->slice[0]))
		count_l2(g->chip, t, c);
}

void chip_energy_counts(const struct gpu *g, struct energy_counts *c)
{
	struct tally t;

	chip_tally(g, &t);
	*c = (struct energy_counts){0};
	count(g, &t, c);
}

struct figure {
	const char *name, *text;
	double fj;
};

static void tell_fj(const struct figure *f, metric_fn *visit, void *ctx)
{
	char name[TALLY_NAME];
	struct metric m = {
		.name = name, .unit = "nJ", .text = f->text, .is_real = true, .real = f->fj / 1e6};

	snprintf(name, sizeof(name), "energy__%s.sum", f->name);
	visit(ctx, &m);
}

static void tell_ratio(const char *name, const char *unit, const char *text, double value,
	metric_fn *visit, void *ctx)
{
	struct metric m = {
		.name = name, .unit = unit, .text = text, .is_real = true, .real = value};

	visit(ctx, &m);
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

void energy_of_tally(const struct gpu *g, const struct tally *t, struct energy_sum *s)
{
	struct energy_counts c;

	count(g, t, &c);
	energy_of(&g->energy, &c, NULL, s);
}

#define FIGURE(name, text) {#name, text, s->name##_fj},

void energy_metrics(const struct gpu *g, const struct tally *t, const struct energy_sum *s,
	metric_fn *visit, void *ctx)
{
	const uint64_t time_ns = t->energy_cycles * g->chip->sm_ps / 1000;
	const struct figure figures[] = {
		{"total", "All parts that follow, up to DRAM.", s->total_fj},
		ENERGY_PARTS(FIGURE){"noc", "Not in the total: the networks' wires.", s->noc_fj},
		{"l2", "Not in the total: banks of the L2.", s->l2_fj},
		{"leakage_literal", "SMs' leakage at 2.37 mW/KB.", s->leakage_fj[LEAKAGE_LITERAL]},
		{"leakage_split", "SMs' leakage at 0.7 W and 0.52 mW/KB.",
			s->leakage_fj[LEAKAGE_SPLIT]},
		{"leakage_fit", "SMs' leakage at 0.4776 W and 1.1 mW/KB.",
			s->leakage_fj[LEAKAGE_FIT]}};

	for (unsigned i = 0; i < ARRAY_LEN(figures); i++)
		tell_fj(&figures[i], visit, ctx);
	tell_ratio("energy__power.avg", "W", "The total over the elapsed time.",
		ratio(s->total_fj / 1e6, (double)time_ns), visit, ctx);
	tell_ratio("energy__inst_executed.per_nj", "warp instructions/nJ",
		"Performance per watt: warp instructions for each nanojoule.",
		ratio((double)sum(&(struct rows){.t = t}, "smsp__inst_executed.sum"),
			s->total_fj / 1e6),
		visit, ctx);
}
