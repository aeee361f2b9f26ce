/* Energy of register accesses: Gebhart's dissertation, section 4.4. An access of 128 bits takes the
 * bank's energy and that of four 32-bit wires to the datapath; an operand of a warp (32 lanes of 32
 * bits) is eight such accesses. */
#ifndef ENERGY_REGISTERS_H
#define ENERGY_REGISTERS_H

#include "core/config.h"
#include "ptx/levels/levels.h"

/* The level of an operand, and for the ORF or RFC also the datapath that uses it. */
enum register_level {
	REGISTERS_MRF,
	REGISTERS_ORF,
	REGISTERS_ORF_SHARED,
	REGISTERS_LRF,
	REGISTERS_LEVELS
};

/* "MRF", "ORF", "ORF (shared)", "LRF"; of a hardware cache "RFC", "RFC (shared)". */
const char *register_level_name(enum register_level, bool cache);
/* In names of metrics: "mrf", "orf", "orf_shared", "lrf". */
extern const char *const register_level_keys[REGISTERS_LEVELS];

/* Operands of warps, 32 bits a lane. */
struct register_accesses {
	uint64_t reads[REGISTERS_LEVELS], writes[REGISTERS_LEVELS];
};

/* Bank energy of one access of 128 bits: table 4.5. */
struct register_bank {
	double read_pj, write_pj;
};

/* The ORF or RFC by entries per thread (0: not used), and the LRF of one entry. */
extern const struct register_bank register_orf_banks[LEVELS_MAX_ORF + 1];
extern const struct register_bank register_lrf_bank;

#define REGISTER_ENERGY(P, T) \
	P(T, REAL, mrf_read_pj, 8, 0, 1000, "pJ", "Read of 128 bits in a bank of the MRF.") \
	P(T, REAL, mrf_write_pj, 11, 0, 1000, "pJ", "Write of 128 bits in a bank of the MRF.") \
	P(T, REAL, wire_pj_per_mm, 1.9, 0, 1000, "pJ", "Moving 32 bits by a millimetre.") \
	P(T, REAL, mrf_mm, 1, 0, 100, "mm", "Distance from the MRF to any datapath.") \
	P(T, REAL, orf_mm, 0.2, 0, 100, "mm", \
		"Distance from the ORF or RFC to a lane's own datapath.") \
	P(T, REAL, orf_shared_mm, 0.4, 0, 100, "mm", \
		"Distance from the ORF or RFC to the datapath that lanes share.") \
	P(T, REAL, lrf_mm, 0.05, 0, 100, "mm", "Distance from the LRF to a lane's own datapath.") \
	P(T, REAL, chip_w, 130, 0, 100000, "W", "Power of the whole chip.") \
	P(T, REAL, leakage_share, 1.0 / 3, 0, 1, "", "Share of leakage in the chip's power.") \
	P(T, REAL, sm_share, 0.7, 0, 1, "", "Share of the SMs in the chip's dynamic power.") \
	P(T, UINT, sms, 16, 1, 256, "SMs", "SMs that share this power.") \
	P(T, REAL, register_share, 0.15, 0, 1, "", \
		"Share of the registers in an SM's dynamic power.") \
	P(T, UINT, extra_bits, 1, 0, 64, "bits", \
		"Additional bits per instruction: one marks the end of a strand.") \
	P(T, REAL, bit_share, 0.003, 0, 1, "", \
		"Share of fetching and decoding one more bit in the chip's dynamic energy.")

struct register_energy {
	struct {
		REGISTER_ENERGY(PARAM_FIELD, register_energy)
	} p;
};

/* Reads the parameters "energy.rf.*". Faults go into err; wrong values are replaced by defaults. */
void register_energy_read(struct register_energy *, struct config *, struct err *);

/* The same without a configuration: all defaults. */
void register_energy_default(struct register_energy *);

/* The energies that the register allocator uses: bank and wire together. */
void register_energy_levels(const struct register_energy *, struct level_energy *);

/* Energies of many accesses, in femtojoules: sums are exact, each access is rounded to 1 fJ (the
 * tables' figures need no rounding). */
struct register_sum {
	uint64_t bank_fj[REGISTERS_LEVELS], wire_fj[REGISTERS_LEVELS];
	uint64_t total_fj;
};

/* `entries` of the ORF or RFC, 0 .. LEVELS_MAX_ORF; no energy is defined for more. */
void register_energy_sum(const struct register_energy *, unsigned entries,
	const struct register_accesses *, struct register_sum *);

/* An SM's and the chip's savings at an energy of `ratio` times the single level's: saved shares of
 * their dynamic power (0.083: 8.3 %), and power in watts. */
struct register_saving {
	double registers, sm, chip; /* without the encoding's cost */
	double encoding;            /* share of longer instructions in the chip's dynamic energy */
	double sm_w, registers_w;   /* dynamic power of an SM, and of its registers, single level */
	double saved_w;             /* of all SMs together */
};
struct register_saving register_energy_saving(const struct register_energy *, double ratio);

#endif
