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

#define STAT_NAME(id, name) [ENERGY_##id] = name,

const char *energy_stat_name(enum energy_stat stat)
{
	static const char *const names[ENERGY_STAT_COUNT] = {ENERGY_STATS(STAT_NAME)};

	return names[stat];
}

/* Reads move sectors out, of copies also those of the line's own slice; misses in; writes move in,
 * and out to DRAM. */
static void count_l2(const struct chip *chip, const uint64_t *sum, struct energy_counts *c)
{
	uint64_t copies = sum[ENERGY_L2_COPY_SECTORS];

	c->l2_read_bytes = (sum[ENERGY_L2_READ_SECTORS] + copies) * L2_SECTOR_BYTES +
			   sum[ENERGY_L2_DRAM_WRITE_BYTES];
	c->l2_write_bytes = sum[ENERGY_L2_DRAM_READ_BYTES] + copies * L2_SECTOR_BYTES +
			    flit_bytes(chip, chip->request) *
				    (sum[ENERGY_REQUEST_FLITS] - sum[ENERGY_REQUEST_PACKETS]);
}

/* The flush at the end is left out, as in dram__bytes.sum. */
static void count(const struct gpu *g, const struct energy_stats *all, struct energy_counts *c)
{
	const uint64_t *sum = all->sum;

	*c = (struct energy_counts){.time_ns = all->cycles * g->chip->sm_ps / 1000,
		.sms = (unsigned)g->chip->p.sms,
		.banks = g->chip->sm_config.banks,
		.unused_byte_ns = all->unused_byte_cycles * g->chip->sm_ps / 1000,
		.entries = g->levels.kind == LEVELS_NONE ? 0 : g->levels.entries};
	c->storage = (struct storage_accesses){.register_reads = sum[ENERGY_MRF_READS],
		.register_writes = sum[ENERGY_MRF_WRITES],
		.shared_reads = sum[ENERGY_SHARED_READS],
		.shared_writes = sum[ENERGY_SHARED_WRITES],
		.cache_reads = sum[ENERGY_CACHE_READS],
		.cache_writes = sum[ENERGY_CACHE_WRITES]};
	c->upper.reads[REGISTERS_ORF] = sum[ENERGY_ORF_READS];
	c->upper.reads[REGISTERS_ORF_SHARED] = sum[ENERGY_ORF_SHARED_READS];
	c->upper.reads[REGISTERS_LRF] = sum[ENERGY_LRF_READS];
	c->upper.writes[REGISTERS_ORF] = sum[ENERGY_ORF_WRITES];
	c->upper.writes[REGISTERS_ORF_SHARED] = sum[ENERGY_ORF_SHARED_WRITES];
	c->upper.writes[REGISTERS_LRF] = sum[ENERGY_LRF_WRITES];
	c->dram_bytes = sum[ENERGY_DRAM_READ_BYTES] + sum[ENERGY_DRAM_WRITE_BYTES];
	c->noc_bytes = flit_bytes(g->chip, g->chip->request) * sum[ENERGY_REQUEST_FLITS] +
		       flit_bytes(g->chip, g->chip->reply) * sum[ENERGY_REPLY_FLITS];
	if (slice_bytes(g->chip->slice[0]))
		count_l2(g->chip, sum, c);
}

void energy_stats_of(const struct tally *t, struct energy_stats *s)
{
	unsigned row = 0;

	*s = (struct energy_stats){
		.cycles = t->energy_cycles, .unused_byte_cycles = t->unused_byte_cycles};
	for (unsigned k = 0; k < ENERGY_STAT_COUNT; k++) {
		while (row < t->n && strcmp(t->row[row].name, energy_stat_name(k)) != 0)
			row++;
		BUG_ON(row == t->n);
		s->sum[k] = t->row[row].sum;
	}
}

void chip_energy_counts(const struct gpu *g, struct energy_counts *c)
{
	struct energy_stats stats;
	struct tally t;

	chip_tally(g, &t);
	energy_stats_of(&t, &stats);
	count(g, &stats, c);
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

void energy_of_stats(const struct gpu *g, const struct energy_stats *stats, struct energy_sum *s)
{
	struct energy_counts c;

	count(g, stats, &c);
	energy_of(&g->energy, &c, NULL, s);
}

void energy_of_tally(const struct gpu *g, const struct tally *t, struct energy_sum *s)
{
	struct energy_stats stats;

	energy_stats_of(t, &stats);
	energy_of_stats(g, &stats, s);
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
		ratio((double)tally_find(t, "smsp__inst_executed.sum")->sum, s->total_fj / 1e6),
		visit, ctx);
}
