/* The bank XOR the row's remainder by a primitive polynomial over GF(2) (Rau, ISCA 1991:
 * pseudo-random interleaving). */
#include "dram/hash.h"

#include "core/base.h"
#include "core/state.h"

/* Primitive polynomials over GF(2) by degree, without the leading term. */
static const uint8_t primitive[] = {0, 1, 3, 3, 3, 5, 3};

struct mix {
	uint8_t mix[32]; /* by bit of the row: the bank's bits that it flips */
};

static void init(void *self, unsigned banks)
{
	struct mix *m = self;
	unsigned bits = low_bit(banks), power = 1;

	for (unsigned i = 0; i < 32 && bits; i++) {
		m->mix[i] = (uint8_t)power;
		power <<= 1;
		if (power >> bits)
			power = (power ^ primitive[bits]) & (banks - 1);
	}
}

static unsigned bank(const void *self, uint32_t row, unsigned bank)
{
	const struct mix *m = self;

	for (; row; row &= row - 1)
		bank ^= m->mix[low_bit(row)];
	return bank;
}

static const struct dram_hash_ops ops = {.init = init, .bank = bank};

const struct plugin dram_hash_polynomial = {
	.kind = "dram hash",
	.name = "polynomial",
	.text = "The bank XOR the row's remainder by a primitive polynomial over GF(2).",
	.size = sizeof(struct mix),
	.ops = &ops,
	.state = state_none,
};
