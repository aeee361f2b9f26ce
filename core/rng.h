/* Seeded random numbers: one stream per owner (xorshift64*, Vigna 2016). There is no other source
 * of randomness. */
#ifndef CORE_RNG_H
#define CORE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

/* A stream for `seed`; different `stream` numbers of one seed are independent. */
static inline struct rng rng_new(uint64_t seed, uint64_t stream)
{
	uint64_t z = seed + 0x9e3779b97f4a7c15u * (stream + 1);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return (struct rng){z ? z : 1};
}

static inline uint64_t rng_u64(struct rng *r)
{
	uint64_t x = r->state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	r->state = x;
	return x * 0x2545f4914f6cdd1du;
}

/* Uniform in 0 .. n-1; n > 0. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((rng_u64(r) >> 32) * n) >> 32);
}

/* Uniform in [0, 1), 24 bits: exact in float as well. */
static inline double rng_unit(struct rng *r)
{
	return (double)(rng_u64(r) >> 40) * 0x1p-24;
}

#endif
