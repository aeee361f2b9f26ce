/* The layout of a split of unified storage: shared memory from the bottom of the banks, registers
 * above it, lines of the cache from the top (Gebhart et al., MICRO 2012, section 4.1). */
#include "mem/layout.h"

#include "core/base.h"

#include <string.h>

#define LINE 128u
#define ROW 16u
#define WORD 4u
#define WORD_BANKS 32u
#define LANES_OF_CLUSTER 4u

/* Of the registers of a slot, those in a bank. */
static uint64_t in_bank(uint32_t regs, unsigned slot, unsigned bank)
{
	return regs / BANK_REGISTERS +
	       ((bank - slot) % BANK_REGISTERS < regs % BANK_REGISTERS ? 1 : 0);
}

/* Four consecutive slots take as many rows of every bank as a thread has registers. */
static uint64_t rows_below(uint32_t regs, uint64_t slot, unsigned bank)
{
	uint64_t rows = slot / BANK_REGISTERS * regs;

	for (unsigned s = 0; s < slot % BANK_REGISTERS; s++)
		rows += in_bank(regs, s, bank);
	return rows;
}

void layout_heights(uint32_t regs, uint64_t warps, uint64_t heights[BANK_REGISTERS])
{
	for (unsigned b = 0; b < BANK_REGISTERS; b++)
		heights[b] = rows_below(regs, warps, b);
}

/* Line i of shared memory is in bank i mod 4. */
static uint64_t shared_rows(const struct layout_map *m, unsigned bank)
{
	uint64_t lines = div_up(m->split.shared_bytes, LINE);

	return m->layout.unified ? (lines + BANK_REGISTERS - 1 - bank) / BANK_REGISTERS : 0;
}

static bool place_cache(struct layout_map *m)
{
	m->full_rows = UINT64_MAX;
	for (unsigned b = 0; b < BANK_REGISTERS; b++)
		m->full_rows = min_u64(m->full_rows, m->rows - m->above[b]);
	return m->split.cache_bytes / LINE <= layout_free_lines(m);
}

bool layout_map(struct layout_map *m, const struct bank_layout *layout,
	const struct storage_split *split, const struct storage_need *needs, unsigned n)
{
	uint64_t capacity = layout->unified ? layout->bytes : split->register_bytes;

	*m = (struct layout_map){.layout = *layout,
		.split = *split,
		.rows = capacity / (BANK_CLUSTERS * BANK_REGISTERS * ROW)};
	for (unsigned b = 0; b < BANK_REGISTERS; b++)
		m->first[b] = m->above[b] = shared_rows(m, b);
	for (unsigned i = 0; i < n; i++) {
		uint64_t warps = (uint64_t)storage_ctas(split, &needs[i]) * needs[i].warps_per_cta;
		uint64_t heights[BANK_REGISTERS];

		layout_heights(storage_thread_registers(&needs[i]), warps, heights);
		for (unsigned b = 0; b < BANK_REGISTERS; b++)
			m->above[b] = max_u64(m->above[b], m->first[b] + heights[b]);
	}
	for (unsigned b = 0; b < BANK_REGISTERS; b++)
		if (m->above[b] > m->rows)
			return false;
	return !layout->unified || place_cache(m);
}

uint64_t layout_free_lines(const struct layout_map *m)
{
	uint64_t lines = 0;

	for (unsigned b = 0; b < BANK_REGISTERS; b++)
		lines += m->rows - m->above[b];
	return lines;
}

static unsigned bank_of(unsigned bank, unsigned cluster)
{
	return bank * BANK_CLUSTERS + cluster;
}

struct bank_location layout_of_register(const struct layout_map *m, uint32_t regs, unsigned warp,
	unsigned reg, unsigned lane, unsigned byte)
{
	unsigned bank = (reg + warp) % BANK_REGISTERS;

	return (struct bank_location){.store = LAYOUT_REGISTERS,
		.bank = bank_of(bank, lane / LANES_OF_CLUSTER),
		.byte = lane % LANES_OF_CLUSTER * (unsigned)sizeof(uint32_t) + byte,
		.row = m->first[bank] + rows_below(regs, warp, bank) + reg / BANK_REGISTERS};
}

static struct bank_location in_own_banks(enum layout_store store, uint64_t address)
{
	return (struct bank_location){.store = store,
		.bank = (unsigned)(address / WORD % WORD_BANKS),
		.byte = (unsigned)(address % WORD),
		.row = address / LINE};
}

struct bank_location layout_of_shared(const struct layout_map *m, uint64_t address)
{
	uint64_t line = address / LINE;

	if (!m->layout.unified)
		return in_own_banks(LAYOUT_SHARED, address);
	return (struct bank_location){.store = LAYOUT_REGISTERS,
		.bank = bank_of((unsigned)(line % BANK_REGISTERS),
			(unsigned)(address / ROW % BANK_CLUSTERS)),
		.byte = (unsigned)(address % ROW),
		.row = line / BANK_REGISTERS};
}

/* The bank of a line below the rows that are unused in all banks; *depth: from the top. */
static unsigned uneven_bank(const struct layout_map *m, uint64_t line, uint64_t *depth)
{
	uint64_t left = line - m->full_rows * BANK_REGISTERS;

	for (*depth = m->full_rows;; ++*depth)
		for (unsigned b = 0; b < BANK_REGISTERS; b++)
			if (*depth < m->rows - m->above[b] && !left--)
				return b;
}

struct bank_location layout_of_line(const struct layout_map *m, uint64_t line, unsigned byte)
{
	uint64_t depth = line / BANK_REGISTERS;
	unsigned bank = (unsigned)(line % BANK_REGISTERS);

	if (m->layout.one_store && !m->layout.unified)
		return in_own_banks(LAYOUT_SHARED,
			div_up(m->split.shared_bytes, LINE) * LINE + line * LINE + byte);
	if (!m->layout.unified)
		return in_own_banks(LAYOUT_CACHE, line * LINE + byte);
	if (depth >= m->full_rows)
		bank = uneven_bank(m, line, &depth);
	return (struct bank_location){.store = LAYOUT_REGISTERS,
		.bank = bank_of(bank, byte / ROW),
		.byte = byte % ROW,
		.row = m->rows - 1 - depth};
}
