/* The mapping from an address of a channel to row, bank and column, by a string of fields, most
 * significant first, as RoBaBgCo; a field may be divided: RoBaCo3BgCo3. The bits below a burst are
 * no field. */
#ifndef DRAM_MAP_H
#define DRAM_MAP_H

#include "dram/device.h"
#include "dram/hash.h"

#define DRAM_MAP_FIELDS 16u
/* A location in one word: the bank in the lowest bits, the row above. */
#define DRAM_ROW_FROM 8u

struct dram_location {
	uint32_t row;
	uint8_t bank; /* group * banks of a group + bank in the group */
};

/* The state is private to the module. */
struct dram_map {
	struct dram_map_part {
		uint64_t mask;
		uint8_t shift, to; /* bits from there on become bits of the location from here on */
	} parts[DRAM_MAP_FIELDS];
	unsigned nparts;
	const struct dram_hash_ops *hash;
	const void *mix; /* the hash's state */
};

/* Parses the string for the device. Missing, doubled or unknown fields are errors (ERR_INPUT). The
 * hash, which is initialised here, must outlive the map; NULL: none. 0 or -1. */
int dram_map_init(struct dram_map *, const char *fields, const struct policy *hash,
	const struct dram_device *, struct err *);

/* The location of the burst with that number (address / burst bytes). Addresses beyond the device's
 * wrap around to row 0. */
static inline struct dram_location dram_map_locate(const struct dram_map *m, uint64_t burst)
{
	uint64_t location = 0;
	uint32_t row;
	unsigned bank;

	for (unsigned i = 0; i < m->nparts; i++)
		location |= (burst >> m->parts[i].shift & m->parts[i].mask) << m->parts[i].to;
	row = (uint32_t)(location >> DRAM_ROW_FROM);
	bank = location & ((1u << DRAM_ROW_FROM) - 1);
	if (m->hash && m->hash->bank)
		bank = m->hash->bank(m->mix, row, bank);
	return (struct dram_location){.row = row, .bank = (uint8_t)bank};
}

#endif
