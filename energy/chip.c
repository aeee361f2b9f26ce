/* Energy of a run: Gebhart et al., MICRO 2012, section 5.2. */
#include "energy/chip.h"

#include <math.h>

#define FLIT_WORD_BYTES 4u
#define ACCESS_BYTES 16u
#define UW_PER_W 1e6
#define UW_PER_MW 1e3

const struct leakage_row leakage_rows[LEAKAGE_GIVEN] = {
	[LEAKAGE_LITERAL] = {"literal", 0, 2.37}, /* 0.9 W for 384 KB, all leakage */
	[LEAKAGE_SPLIT] = {"split", 0.7, 0.52},
	[LEAKAGE_FIT] = {"fit", 0.4776, 1.1},
};

static const struct param_def params[] = {ENERGY_PARAMS(PARAM_ROW, energy)};

void energy_read(struct energy *e, struct config *config, struct err *err)
{
	config_load(config, "energy", params, ARRAY_LEN(params), e, err);
	e->leakage = (enum energy_leakage)e->p.leakage;
	e->reading = (enum energy_reading)e->p.reading;
}

static struct leakage_row leakage_of(const struct energy *e, enum energy_leakage which)
{
	if (which == LEAKAGE_GIVEN)
		return (struct leakage_row){"given", e->p.core_leakage_w, e->p.sram_mw_per_kb};
	return leakage_rows[which];
}

/* Constant power over the run, of all SMs: microwatts times nanoseconds are femtojoules. */
static double power_fj(double uw, const struct energy_counts *c)
{
	return (double)llround(uw) * (double)c->time_ns * c->sms;
}

static double core_fj(const struct leakage_row *row, const struct energy_counts *c)
{
	return power_fj(row->core_w * UW_PER_W, c);
}

/* Storage that is switched off does not leak. */
static double sram_fj(
	const struct energy *e, const struct leakage_row *row, const struct energy_counts *c)
{
	double uw_per_byte = row->sram_mw_per_kb * UW_PER_MW / 1024;
	double all = power_fj(uw_per_byte * (double)c->banks.bytes, c);

	if (!e->p.switch_off)
		return all;
	return all - fmin(all, round(uw_per_byte * (double)c->unused_byte_ns));
}

static void add_leakage(
	const struct energy *e, const struct energy_counts *c, struct energy_sum *out)
{
	struct leakage_row row = leakage_of(e, e->leakage);

	out->core_leakage_fj = core_fj(&row, c);
	out->sram_leakage_fj = sram_fj(e, &row, c);
	for (unsigned i = 0; i < LEAKAGE_GIVEN; i++)
		out->leakage_fj[i] = core_fj(&leakage_rows[i], c) + sram_fj(e, &leakage_rows[i], c);
}

/* Banks only: wires to the datapaths are part of the rest, as in the paper. */
static uint64_t upper_fj(const struct energy *e, const struct energy_counts *c)
{
	unsigned entries = c->entries < LEVELS_MAX_ORF ? c->entries : LEVELS_MAX_ORF;
	struct register_accesses above = c->upper;
	struct register_sum sum;

	above.reads[REGISTERS_MRF] = above.writes[REGISTERS_MRF] = 0;
	register_energy_sum(&e->registers, entries, &above, &sum);
	return sum.bank_fj[REGISTERS_ORF] + sum.bank_fj[REGISTERS_ORF_SHARED] +
	       sum.bank_fj[REGISTERS_LRF];
}

static double bytes_fj(uint64_t bytes, double pj_per_byte)
{
	return (double)bytes * (double)llround(1000 * pj_per_byte);
}

static void add_apart(const struct energy *e, const struct energy_counts *c, struct energy_sum *out)
{
	struct bank_energy bank = bank_energy(e->p.l2_bank_bytes);

	out->noc_fj = bytes_fj(c->noc_bytes, e->p.wire_pj_per_mm * e->p.noc_mm / FLIT_WORD_BYTES);
	out->l2_fj =
		(double)((c->l2_read_bytes * bank.read_fj + c->l2_write_bytes * bank.write_fj) /
			 ACCESS_BYTES);
}

static double rest_fj(const struct energy *e, const struct energy_counts *c, double banks_fj,
	const struct energy_reference *ref)
{
	if (ref && e->reading == READING_WORK)
		return ref->rest_fj;
	if (ref && ref->time_ns && ref->sms)
		return round(ref->rest_fj * ((double)c->time_ns * c->sms) /
			     ((double)ref->time_ns * ref->sms));
	return fmax(0, power_fj(e->p.sm_w * UW_PER_W, c) - banks_fj);
}

struct energy_reference energy_reference_of(
	const struct energy_counts *c, const struct energy_sum *sum)
{
	return (struct energy_reference){
		.rest_fj = sum->rest_fj, .time_ns = c->time_ns, .sms = c->sms};
}

#define ADD_PART(name, text) out->total_fj += out->name##_fj;

void energy_of(const struct energy *e, const struct energy_counts *c,
	const struct energy_reference *ref, struct energy_sum *out)
{
	struct storage_sum storage;

	storage_energy_sum(&c->banks, e->p.wiring, &c->storage, &storage);
	*out = (struct energy_sum){.registers_fj = (double)storage.registers_fj,
		.shared_fj = (double)storage.shared_fj,
		.cache_fj = (double)storage.cache_fj,
		.upper_registers_fj = (double)upper_fj(e, c),
		.dram_fj = bytes_fj(c->dram_bytes, 8 * e->p.dram_pj_per_bit)};
	out->rest_fj = rest_fj(e, c,
		out->registers_fj + out->upper_registers_fj + out->shared_fj + out->cache_fj, ref);
	add_leakage(e, c, out);
	add_apart(e, c, out);
	ENERGY_PARTS(ADD_PART)
}

/* ---- sums of runs' parts */
#define ADD_FJ(name, text) to->name##_fj += times * from->name##_fj;

static void add_times(struct energy_sum *to, const struct energy_sum *from, double times)
{
	ENERGY_PARTS(ADD_FJ)
	to->total_fj += times * from->total_fj;
	to->noc_fj += times * from->noc_fj;
	to->l2_fj += times * from->l2_fj;
	for (unsigned i = 0; i < LEAKAGE_GIVEN; i++)
		to->leakage_fj[i] += times * from->leakage_fj[i];
}

void energy_add(struct energy_sum *to, const struct energy_sum *sum)
{
	add_times(to, sum, 1);
}

struct energy_sum energy_less(const struct energy_sum *sum, const struct energy_sum *less)
{
	struct energy_sum rest = *sum;

	add_times(&rest, less, -1);
	return rest;
}
