/* Energy of a run of the chip: Gebhart et al., MICRO 2012, section 5.2. An SM consumes its dynamic
 * power, which includes its banks, and leakage; DRAM energy is per byte moved. */
#ifndef ENERGY_CHIP_H
#define ENERGY_CHIP_H

#include "energy/registers.h"
#include "energy/storage.h"

#define ENERGY_PARAMS(P, T) \
	P(T, REAL, sm_w, 1.9, 0, 100, "W", \
		"Dynamic power of an SM, its banks included (Gebhart et al., table 3).") \
	P(T, CHOICE, reading, READING_POWER, 0, 0, "power|work", \
		"What is equal when a run is compared to another: power, an SM's dynamic power " \
		"without banks; work, its energy.") \
	P(T, CHOICE, leakage, LEAKAGE_SPLIT, 0, 0, "literal|split|fit|given", \
		"Leakage of an SM: split, 0.7 W and 0.52 mW/KB; literal, 2.37 mW/KB; fit, " \
		"0.4776 W and 1.1 mW/KB; given, as the two parameters say.") \
	P(T, REAL, core_leakage_w, 0.7, 0, 100, "W", \
		"With leakage=given: leakage of an SM without its storage.") \
	P(T, REAL, sram_mw_per_kb, 0.52, 0, 100, "mW/KB", \
		"With leakage=given: leakage of its storage.") \
	P(T, BOOL, switch_off, false, 0, 1, "", \
		"Storage that a split leaves unused is switched off: it does not leak.") \
	P(T, REAL, wiring, 1.1, 1, 10, "ratio", \
		"Energy factor of accesses to shared memory and cache in a unified design.") \
	P(T, REAL, dram_pj_per_bit, 40, 0, 10000, "pJ/bit", "Moving data to or from DRAM.") \
	P(T, REAL, wire_pj_per_mm, 1.9, 0, 1000, "pJ/mm", \
		"Moving 32 bits by a millimetre between SMs and L2 (reported separately).") \
	P(T, REAL, noc_mm, 10, 0, 100, "mm", "Distance between SMs and L2 (reported separately).") \
	P(T, UINT, l2_bank_bytes, 16384, 1024, 1 << 20, "bytes", \
		"Capacity of an L2 bank (reported separately).")

enum energy_reading { READING_POWER, READING_WORK };
enum energy_leakage { LEAKAGE_LITERAL, LEAKAGE_SPLIT, LEAKAGE_FIT, LEAKAGE_GIVEN, LEAKAGES };

/* Leakage of an SM, in two parts that make 0.9 W at 384 KB. */
struct leakage_row {
	const char *name;
	double core_w, sram_mw_per_kb;
};
extern const struct leakage_row leakage_rows[LEAKAGE_GIVEN];

struct energy {
	struct {
		ENERGY_PARAMS(PARAM_FIELD, energy)
	} p;
	enum energy_reading reading;
	enum energy_leakage leakage;
	struct register_energy registers; /* of the levels above the main registers */
};

/* Reads the parameters "energy.*"; the caller sets `registers`. Faults go into err. */
void energy_read(struct energy *, struct config *, struct err *);

/* Activity of a run, all SMs together. */
struct energy_counts {
	uint64_t time_ns;
	unsigned sms;
	struct bank_layout banks; /* of each */
	uint64_t unused_byte_ns;  /* storage that the splits left unused, integrated over time */
	struct storage_accesses storage;
	struct register_accesses upper; /* ORF or RFC and LRF; the MRF is in `storage` */
	unsigned entries;               /* of the ORF or RFC; limited to LEVELS_MAX_ORF */
	uint64_t dram_bytes;
	uint64_t noc_bytes, l2_read_bytes, l2_write_bytes;
};

/* The parts of the energy, without what is reported separately because the paper leaves it out. */
#define ENERGY_PARTS(X) \
	X(rest, "Dynamic energy of SMs without their banks.") \
	X(registers, "Banks: main registers.") \
	X(upper_registers, "Banks: operand register files or caches, last result files.") \
	X(shared, "Banks: shared memory.") \
	X(cache, "Banks: L1.") \
	X(core_leakage, "Leakage of SMs without their storage.") \
	X(sram_leakage, "Leakage of their storage.") \
	X(dram, "DRAM.")
#define ENERGY_PART(name, text) double name##_fj;

/* In whole femtojoules: rates (power in uW, energy of an access or byte in fJ) are rounded first,
 * sums are exact up to 2^53 and have 53 bits above. */
struct energy_sum {
	ENERGY_PARTS(ENERGY_PART)
	double total_fj;
	double noc_fj, l2_fj;             /* not in the total */
	double leakage_fj[LEAKAGE_GIVEN]; /* core and storage with each row of the table */
};

/* to += sum; and what `sum` is more than `less`. */
void energy_add(struct energy_sum *to, const struct energy_sum *sum);
struct energy_sum energy_less(const struct energy_sum *sum, const struct energy_sum *less);

/* The power of an SM without banks, from another run of the same work: for comparisons, that of the
 * partitioned design. */
struct energy_reference {
	double rest_fj;
	uint64_t time_ns;
	unsigned sms;
};
struct energy_reference energy_reference_of(
	const struct energy_counts *, const struct energy_sum *);

/* Without a reference (NULL) the run is its own: the dynamic power of its SMs is energy.sm_w, and
 * `rest` is that without their banks, at least 0. */
void energy_of(const struct energy *, const struct energy_counts *, const struct energy_reference *,
	struct energy_sum *);

#endif
