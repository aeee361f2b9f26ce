/* Figures derived from the statistics: one row each. */
#include "chip/tally.h"

#include <math.h>

/* What a derived figure is computed from. */
struct figures {
	const struct gpu *g;
	const struct tally *t;
	double cycles; /* of a whole run to the end of the last launch */
	double sms;
};

static double sum(const struct figures *f, const char *name)
{
	return (double)tally_find(f->t, name)->sum;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static double imbalance(const struct figures *f, const char *name)
{
	const struct tally_row *r = tally_find(f->t, name);

	return ratio((double)r->max * r->parts, (double)r->sum);
}

static double cycles(const struct figures *f)
{
	return f->cycles;
}

static double elapsed_ns(const struct figures *f)
{
	return f->cycles * f->g->chip->sm_ps / 1000;
}

static double sm_mhz(const struct figures *f)
{
	return 1e6 / f->g->chip->sm_ps;
}

static double l2_mhz(const struct figures *f)
{
	return 1e6 / f->g->chip->l2_ps;
}

static double ipc(const struct figures *f)
{
	return ratio(sum(f, "smsp__inst_executed.sum"), f->cycles * f->sms);
}

static double ipc_chip(const struct figures *f)
{
	return ratio(sum(f, "smsp__inst_executed.sum"), f->cycles);
}

static double lanes(const struct figures *f)
{
	return ratio(sum(f, "smsp__thread_inst_executed.sum"), sum(f, "smsp__inst_executed.sum"));
}

static double occupancy(const struct figures *f)
{
	double slots = sm_warp_slots(f->g->chip->sm[0]);

	return 100 * ratio(sum(f, "sm__warps_active.sum"), slots * sum(f, "sm__cycles_active.sum"));
}

static double active(const struct figures *f)
{
	return 100 * ratio(sum(f, "sm__cycles_active.sum"), f->cycles * f->sms);
}

static double l1_hits(const struct figures *f)
{
	return 100 * ratio(sum(f, "l1tex__t_lines_load_lookup_hit.sum"),
			     sum(f, "l1tex__t_lines_load.sum"));
}

static double local_hits(const struct figures *f)
{
	return 100 * ratio(sum(f, "l1tex__t_lines_local_load_lookup_hit.sum"),
			     sum(f, "l1tex__t_lines_local_load.sum"));
}

static double texture_hits(const struct figures *f)
{
	return 100 *
	       ratio(sum(f, "l1tex__t_lines_tex_lookup_hit.sum"), sum(f, "l1tex__t_lines_tex.sum"));
}

static double l2_hits(const struct figures *f)
{
	return 100 * ratio(sum(f, "lts__t_sectors_op_read_lookup_hit.sum"),
			     sum(f, "lts__t_sectors_op_read.sum"));
}

static double copies_hits(const struct figures *f)
{
	return 100 * ratio(sum(f, "lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum"),
			     sum(f, "lts__t_sectors_srcunit_ltcfabric.sum"));
}

static double tags(const struct figures *f)
{
	const struct bank_layout *b = &f->g->chip->sm_config.banks;

	return (double)(f->g->chip->largest.cache_bytes / LINE_BYTES * b->tag_bits) / 8;
}

static double mrf_reads(const struct figures *f)
{
	return ratio(sum(f, "rf__mrf_reads.sum"), sum(f, "sm__cycles_active.sum"));
}

static double mrf_reads_peak(const struct figures *f)
{
	return (double)tally_find(f->t, "rf__mrf_reads_window.max")->max / SM_RF_WINDOW;
}

static double drained(const struct figures *f)
{
	return (double)f->t->drained_cycles;
}

static double dram_bytes(const struct figures *f)
{
	return sum(f, "dram__bytes_read.sum") + sum(f, "dram__bytes_write.sum");
}

/* Stores may be in flight when the last launch ends: where more bytes moved than fit in the time
 * until then, the time is extended until they have moved. */
static double dram_rate(const struct figures *f)
{
	double peak = f->g->chip->p.bytes_per_ns, ns = elapsed_ns(f);
	double least = ratio(dram_bytes(f), peak);

	if (ns < least)
		ns = fmax(least, drained(f) * f->g->chip->sm_ps / 1000);
	return ratio(dram_bytes(f), ns);
}

static double dram_share(const struct figures *f)
{
	return 100 * ratio(dram_rate(f), f->g->chip->p.bytes_per_ns);
}

static double sm_imbalance(const struct figures *f)
{
	return imbalance(f, "smsp__inst_executed.sum");
}

static double channel_imbalance(const struct figures *f)
{
	double parts = (double)f->g->chip->channels, most = 0;

	for (unsigned i = 0; i < f->g->chip->channels; i++) {
		most = fmax(most, (double)warmup_channel_bytes(f->g->chip, i));
	}
	return ratio(most * parts, dram_bytes(f));
}

static double flushed(const struct figures *f)
{
	return (double)f->g->chip->flushed_bytes;
}

static double untimed(const struct figures *f)
{
	return (double)f->g->chip->rest_counts.warp_instructions;
}

static const struct derived {
	const char *name, *unit, *text;
	bool is_real;
	double (*value)(const struct figures *);
	enum { OF_ALL, OF_RUN } of; /* of the launches' sums, too; or of a whole run only */
} table[] = {
	{"gpc__cycles_elapsed.max", "cycles", "To the end of the last launch, or of a partial run.",
		false, cycles, OF_ALL},
	{"chip__cycles_simulated.max", "cycles",
		"Until no traffic was in flight, or to the end of a partial run.", false, drained,
		true},
	{"gpu__time_duration.sum", "ns", "The elapsed cycles as time.", true, elapsed_ns, OF_ALL},
	{"sm__cycles_elapsed.avg.per_second", "MHz",
		"Clock of the SMs, whose period is whole picoseconds.", true, sm_mhz, OF_RUN},
	{"lts__cycles_elapsed.avg.per_second", "MHz",
		"Clock of the L2 and of both networks, as exact.", true, l2_mhz, OF_RUN},
	{"sm__inst_executed.avg.per_cycle_elapsed", "warp instructions/cycle", "Per SM and cycle.",
		true, ipc, OF_ALL},
	{"sm__inst_executed.sum.per_cycle_elapsed", "warp instructions/cycle",
		"All SMs, per cycle.", true, ipc_chip, OF_ALL},
	{"smsp__thread_inst_executed_per_inst_executed.ratio", "threads",
		"Active lanes of a warp instruction.", true, lanes, OF_ALL},
	{"sm__warps_active.avg.pct_of_peak_sustained_active", "%",
		"Resident warps against warp slots, in cycles with any.", true, occupancy, OF_ALL},
	{"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "%",
		"Cycles in which an SM held a warp.", true, active, OF_ALL},
	{"l1tex__t_line_load_hit_rate.pct", "%", "Lines that loads found in the L1.", true, l1_hits,
		OF_ALL},
	{"l1tex__t_line_local_load_hit_rate.pct", "%",
		"Of these, of local memory: all loads of its lines, found in the L1.", true,
		local_hits, OF_ALL},
	{"l1tex__t_line_tex_hit_rate.pct", "%", "Lines that fetches found in the texture cache.",
		true, texture_hits, OF_ALL},
	{"l1tex__tag_bytes.max", "bytes", "Tags of an SM's cache when it is largest.", true, tags,
		true},
	{"lts__t_sector_op_read_hit_rate.pct", "%", "Sectors that reads found in the L2.", true,
		l2_hits, OF_ALL},
	{"lts__t_sector_srcunit_ltcfabric_hit_rate.pct", "%",
		"Sectors for copies that the other side had.", true, copies_hits, OF_ALL},
	{"rf__mrf_reads.avg.per_cycle_active", "warp operands/cycle",
		"MRF reads of an SM, per cycle in which it held a warp.", true, mrf_reads, OF_ALL},
	{"rf__mrf_reads.max.per_cycle_active", "warp operands/cycle",
		"The same in the SM's busiest 256 cycles, from a multiple of them on.", true,
		mrf_reads_peak, OF_RUN},
	{"dram__bytes.sum", "bytes", "Read and written, the final flush apart.", false, dram_bytes,
		OF_ALL},
	{"dram__bytes.sum.per_ns", "B/ns", "Over the elapsed cycles.", true, dram_rate, OF_ALL},
	{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%",
		"DRAM bandwidth used, of its peak.", true, dram_share, OF_ALL},
	{"lts__bytes_flushed.sum", "bytes",
		"Dirty in the L2 at the end, in whole transactions of DRAM.", false, flushed,
		OF_RUN},
	{"chip__inst_executed_untimed.sum", "warp instructions",
		"Executed without timing, of CTAs that chip.share left out and of untimed launches.",
		false, untimed, OF_RUN},
	{"sm__inst_executed.imbalance", "ratio", "Busiest SM against the mean.", true, sm_imbalance,
		OF_ALL},
	{"dram__bytes.imbalance", "ratio", "Busiest channel against the mean.", true,
		channel_imbalance, OF_RUN},
};

void derived_metrics(
	const struct gpu *g, const struct tally *t, bool whole, metric_fn *visit, void *ctx)
{
	struct figures f = {
		.g = g, .t = t, .cycles = (double)t->cycles, .sms = (double)g->chip->p.sms};

	for (unsigned i = 0; i < ARRAY_LEN(table); i++) {
		struct metric m = {.name = table[i].name,
			.unit = table[i].unit,
			.text = table[i].text,
			.is_real = table[i].is_real};

		if (table[i].of == OF_RUN && !whole)
			continue;
		m.real = table[i].value(&f);
		m.count = (uint64_t)m.real;
		visit(ctx, &m);
	}
}
