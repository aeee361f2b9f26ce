/* The block's number as a polynomial over GF(2), modulo a primitive one (Rau, ISCA 1991:
 * pseudo-random interleaving): strides of any power of two reach all targets.
 *
 * With 2^k targets a block maps to the remainder by a polynomial of degree k. If their number is no
 * power of two, any row of that many consecutive blocks still reaches each target once: the
 * remainder of the row's number rotates the row. */
#include "mem/hash.h"

#include "core/base.h"

/* Primitive polynomials by degree, without the leading term. */
static const uint32_t primitive[] = {0x0, 0x1, 0x3, 0x3, 0x3, 0x5, 0x3, 0x3, 0x1d, 0x11, 0x9, 0x5,
	0x53, 0x1b, 0x443, 0x3, 0x100b, 0x9, 0x81, 0x27, 0x9, 0x5, 0x3, 0x21, 0x87};

/* n * x^k modulo the polynomial of degree k. */
static uint64_t remainder_of_shifted(uint64_t n, unsigned k)
{
	uint64_t rest = 0, top = UINT64_C(1) << k;

	for (int bit = n ? 63 - __builtin_clzll(n) : -1; bit >= 0; bit--) {
		rest = rest << 1 ^ (n >> bit & 1) << k;
		rest ^= rest & top ? top | primitive[k] : 0;
	}
	return rest;
}

static uint64_t map(const void *self, uint64_t block, uint64_t targets)
{
	uint64_t row = block / targets, in_row = block % targets;
	unsigned k = 1;

	(void)self;
	while (UINT64_C(1) << k < targets && k + 1 < ARRAY_LEN(primitive))
		k++;
	if (targets & (targets - 1))
		return (in_row + remainder_of_shifted(row, k)) % targets;
	return targets > 1 ? in_row ^ remainder_of_shifted(row, k) : 0;
}

static const struct hash_ops ops = {.map = map};

const struct plugin hash_polynomial = {
	.kind = "hash",
	.name = "polynomial",
	.text = "The block number as a polynomial over GF(2), modulo a primitive polynomial.",
	.ops = &ops,
};
