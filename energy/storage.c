/* Energy of accesses to storage: table 4.7 of Gebhart's dissertation, and the wiring of a unified
 * design (Gebhart et al., MICRO 2012, section 5.2). */
#include "energy/storage.h"

#include "core/base.h"

#include <math.h>

#define ACCESS_BYTES 16u
#define OPERAND_ACCESSES 8u /* for an operand of a warp */

const struct bank_row bank_rows[BANK_ROWS] = {
	{1, 3.2, 3.9},
	{2, 3.9, 5.1},
	{4, 5.1, 7.3},
	{8, 9.8, 11.8},
	{12, 11.0, 13.5},
	{16, 12.2, 15.2},
};

static uint64_t on_line(double a, double b, double part)
{
	return (uint64_t)llround(1000 * (a + (b - a) * part));
}

struct bank_energy bank_energy(uint64_t capacity_bytes)
{
	double kb = (double)capacity_bytes / 1024, part;
	const struct bank_row *low = bank_rows;

	if (kb < low->kb)
		kb = low->kb;
	while (low + 2 < bank_rows + BANK_ROWS && kb > low[1].kb)
		low++;
	part = (kb - low[0].kb) / (low[1].kb - low[0].kb);
	return (struct bank_energy){.read_fj = on_line(low[0].read_pj, low[1].read_pj, part),
		.write_fj = on_line(low[0].write_pj, low[1].write_pj, part)};
}

static struct bank_energy wired(struct bank_energy e, double factor)
{
	return (struct bank_energy){.read_fj = (uint64_t)llround((double)e.read_fj * factor),
		.write_fj = (uint64_t)llround((double)e.write_fj * factor)};
}

static uint64_t words_fj(struct bank_energy e, unsigned word_bytes, uint64_t reads, uint64_t writes)
{
	return (reads * e.read_fj + writes * e.write_fj) * word_bytes / ACCESS_BYTES;
}

void storage_energy_sum(const struct bank_layout *layout, double wiring,
	const struct storage_accesses *a, struct storage_sum *out)
{
	double factor = layout->unified ? wiring : 1;
	struct bank_energy registers = bank_energy(layout->register_capacity);
	struct bank_energy shared = wired(bank_energy(layout->shared_capacity), factor);
	struct bank_energy cache = wired(bank_energy(layout->cache_capacity), factor);

	*out = (struct storage_sum){.registers_fj = words_fj(registers, ACCESS_BYTES,
					    a->register_reads * OPERAND_ACCESSES,
					    a->register_writes * OPERAND_ACCESSES),
		.shared_fj =
			words_fj(shared, layout->bank_bytes, a->shared_reads, a->shared_writes),
		.cache_fj = words_fj(cache, layout->bank_bytes, a->cache_reads, a->cache_writes)};
}
