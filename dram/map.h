/* Where an address of a channel lies: row, bank, column, by a string of fields, most significant
 * first, as RoBaBgCo; a field may be cut: RoBaCo3BgCo3. What is below a burst is no field. */
#ifndef DRAM_MAP_H
#define DRAM_MAP_H

#include "dram/device.h"
#include "dram/hash.h"

#define DRAM_MAP_FIELDS 16u
/* A place in one word: the bank in the lowest bits, the row above. */
#define DRAM_ROW_FROM 8u

struct dram_place {
	uint32_t row;
	uint8_t bank; /* group * banks of a group + bank in the group */
};

/* The state is the module's own. */
struct dram_map {
	struct dram_map_part {
		uint64_t mask;
		uint8_t shift, to; /* bits from there on go to that bit of the place */
	} parts[DRAM_MAP_FIELDS];
	unsigned nparts;
	const struct dram_hash_ops *hash;
	const void *mix; /* the hash's self */
};

/* Reads the string for the device. Missing, doubled or unknown fields are told (ERR_INPUT). The
 * hash, which is set up here, must outlive the map; NULL: none. 0 or -1. */
int dram_map_init(struct dram_map *, const char *fields, const struct policy *hash,
	const struct dram_device *, struct err *);

/* Where the burst with that number (address / burst bytes) lies. Addresses beyond the device's
 * begin again at row 0. */
static inline struct dram_place dram_map_place(const struct dram_map *m, uint64_t burst)
{
	uint64_t place = 0;
	uint32_t row;
	unsigned bank;

	for (unsigned i = 0; i < m->nparts; i++)
		place |= (burst >> m->parts[i].shift & m->parts[i].mask) << m->parts[i].to;
	row = (uint32_t)(place >> DRAM_ROW_FROM);
	bank = place & ((1u << DRAM_ROW_FROM) - 1);
	if (m->hash && m->hash->bank)
		bank = m->hash->bank(m->mix, row, bank);
	return (struct dram_place){.row = row, .bank = (uint8_t)bank};
}

#endif
