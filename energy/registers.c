/* Energy of register accesses: tables 4.5 and 4.6 of Gebhart's dissertation (40 nm), and the power
 * model of its section 4.4. */
#include "energy/registers.h"

#include <math.h>

#define ACCESSES 8 /* of 128 bits make an operand of a warp */
#define WORDS 4    /* of 32 bits make an access */

const char *register_level_name(enum register_level level, bool cache)
{
	static const char *const names[2][REGISTERS_LEVELS] = {
		{"MRF", "ORF", "ORF (shared)", "LRF"}, {"MRF", "RFC", "RFC (shared)", "LRF"}};

	return names[cache][level];
}

const char *const register_level_keys[REGISTERS_LEVELS] = {
	[REGISTERS_MRF] = "mrf",
	[REGISTERS_ORF] = "orf",
	[REGISTERS_ORF_SHARED] = "orf_shared",
	[REGISTERS_LRF] = "lrf",
};

/* Table 4.5, as printed: a write at four entries costs more than at five. */
const struct register_bank register_orf_banks[LEVELS_MAX_ORF + 1] = {
	[1] = {0.7, 2.0},
	[2] = {1.2, 3.8},
	[3] = {1.2, 4.4},
	[4] = {1.9, 6.1},
	[5] = {2.0, 6.0},
	[6] = {2.0, 6.7},
	[7] = {2.4, 7.7},
	[8] = {3.4, 10.9},
};
const struct register_bank register_lrf_bank = {0.7, 2.0};

static const struct param_def params[] = {REGISTER_ENERGY(PARAM_ROW, register_energy)};

void register_energy_read(struct register_energy *e, struct config *config, struct err *err)
{
	config_load(config, "energy.rf", params, ARRAY_LEN(params), e, err);
}

void register_energy_default(struct register_energy *e)
{
	for (unsigned i = 0; i < ARRAY_LEN(params); i++) {
		char *at = (char *)e + params[i].offset;

		if (params[i].type == PARAM_UINT)
			*(uint64_t *)(void *)at = (uint64_t)params[i].value;
		else
			*(double *)(void *)at = params[i].value;
	}
}

/* The bank that an access of 128 bits to a level uses. */
static struct register_bank bank_of(
	const struct register_energy *e, enum register_level level, unsigned entries)
{
	if (level == REGISTERS_MRF)
		return (struct register_bank){e->p.mrf_read_pj, e->p.mrf_write_pj};
	return level == REGISTERS_LRF ? register_lrf_bank : register_orf_banks[entries];
}

static double wire_pj(const struct register_energy *e, enum register_level level)
{
	const double mm[REGISTERS_LEVELS] = {
		[REGISTERS_MRF] = e->p.mrf_mm,
		[REGISTERS_ORF] = e->p.orf_mm,
		[REGISTERS_ORF_SHARED] = e->p.orf_shared_mm,
		[REGISTERS_LRF] = e->p.lrf_mm,
	};

	return WORDS * e->p.wire_pj_per_mm * mm[level];
}

void register_energy_levels(const struct register_energy *e, struct level_energy *out)
{
	const double lrf = wire_pj(e, REGISTERS_LRF), mrf = wire_pj(e, REGISTERS_MRF);

	*out = (struct level_energy){.mrf_read = e->p.mrf_read_pj + mrf,
		.mrf_write = e->p.mrf_write_pj + mrf,
		.lrf_read = register_lrf_bank.read_pj + lrf,
		.lrf_write = register_lrf_bank.write_pj + lrf};
	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n++)
		for (unsigned shared = 0; shared < 2; shared++) {
			double wire = wire_pj(e, shared ? REGISTERS_ORF_SHARED : REGISTERS_ORF);

			out->orf_read[n][shared] = register_orf_banks[n].read_pj + wire;
			out->orf_write[n][shared] = register_orf_banks[n].write_pj + wire;
		}
}

static uint64_t femtojoules(double pj)
{
	return (uint64_t)llround(pj * 1000);
}

void register_energy_sum(const struct register_energy *e, unsigned entries,
	const struct register_accesses *a, struct register_sum *out)
{
	BUG_ON(entries > LEVELS_MAX_ORF);
	*out = (struct register_sum){.total_fj = 0};
	for (unsigned p = 0; p < REGISTERS_LEVELS; p++) {
		struct register_bank bank = bank_of(e, p, entries);

		out->bank_fj[p] = ACCESSES * (a->reads[p] * femtojoules(bank.read_pj) +
						     a->writes[p] * femtojoules(bank.write_pj));
		out->wire_fj[p] =
			ACCESSES * (a->reads[p] + a->writes[p]) * femtojoules(wire_pj(e, p));
		out->total_fj += out->bank_fj[p] + out->wire_fj[p];
	}
}

struct register_saving register_energy_saving(const struct register_energy *e, double ratio)
{
	double saved = 1 - ratio, sm = saved * e->p.register_share;
	double sms_w = e->p.chip_w * (1 - e->p.leakage_share) * e->p.sm_share;

	return (struct register_saving){.registers = saved,
		.sm = sm,
		.chip = sm * e->p.sm_share,
		.encoding = (double)e->p.extra_bits * e->p.bit_share,
		.sm_w = sms_w / (double)e->p.sms,
		.registers_w = sms_w / (double)e->p.sms * e->p.register_share,
		.saved_w = sms_w * sm};
}
