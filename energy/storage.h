/* Energy of accesses to the banks of an SM's storage, by their capacity: Gebhart's dissertation,
 * table 4.7 (32 nm), of which table 4 of Gebhart et al., MICRO 2012, has the rows for 2 and 8 KB.
 */
#ifndef ENERGY_STORAGE_H
#define ENERGY_STORAGE_H

#include "mem/banks.h"

/* Of 16 bytes, in femtojoules. */
struct bank_energy {
	uint64_t read_fj, write_fj;
};

struct bank_row {
	unsigned kb;
	double read_pj, write_pj;
};
#define BANK_ROWS 6u
extern const struct bank_row bank_rows[BANK_ROWS]; /* by capacity, as printed */

/* Of a bank of that many bytes: linear interpolation between the table's rows, extrapolation of the
 * last two beyond the last; a bank smaller than the first row's costs the same. Each is rounded to
 * 1 fJ. */
struct bank_energy bank_energy(uint64_t capacity_bytes);

/* Accesses to an SM's banks: registers in operands of warps (eight accesses of 16 bytes), memory in
 * words of layout.bank_bytes. */
struct storage_accesses {
	uint64_t register_reads, register_writes;
	uint64_t shared_reads, shared_writes, cache_reads, cache_writes;
};

/* In femtojoules. Words of 4 bytes cost a quarter. `wiring`: the factor on accesses to shared
 * memory and cache where they are in the registers' banks (section 5.2): 1.1; the table's own
 * figures do not contain it. */
struct storage_sum {
	uint64_t registers_fj, shared_fj, cache_fj;
};
void storage_energy_sum(const struct bank_layout *, double wiring, const struct storage_accesses *,
	struct storage_sum *);

#endif
