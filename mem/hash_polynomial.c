/* The block's number as a polynomial over GF(2), modulo a primitive one (Rau, ISCA 1991:
 * pseudo-random interleaving): strides of any power of two meet all places.
 *
 * Of 2^k places a block goes to the remainder by a polynomial of degree k. Where their number is no
 * power of two, as many blocks in a row still meet each place once: the remainder of the row's
 * number turns the row round. */
#include "mem/hash.h"

#include "core/base.h"

/* Primitive polynomials by degree, the leading term left out. */
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

static uint64_t place(const void *self, uint64_t block, uint64_t places)
{
	uint64_t row = block / places, in_row = block % places;
	unsigned k = 1;

	(void)self;
	while (UINT64_C(1) << k < places && k + 1 < ARRAY_LEN(primitive))
		k++;
	if (places & (places - 1))
		return (in_row + remainder_of_shifted(row, k)) % places;
	return places > 1 ? in_row ^ remainder_of_shifted(row, k) : 0;
}

static const struct hash_ops ops = {.place = place};

const struct plugin hash_polynomial = {
	.kind = "hash",
	.name = "polynomial",
	.text = "The remainder of polynomials over GF(2), by a primitive one.",
	.ops = &ops,
};
