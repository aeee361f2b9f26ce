/* Random numbers by their position. */
#include "cuda/libcurand/inside.h"

#include <math.h>

#define ROUNDS 10

/* Each kind of numbers has a sequence of its own. */
enum sequence { SEQUENCE_WORDS, SEQUENCE_DOUBLES, SEQUENCE_NORMAL, SEQUENCE_POISSON };

struct block {
	uint32_t word[4];
};

/* A block of the sequence; `draw` counts those of one number. */
static struct block block_at(uint64_t seed, enum sequence which, uint64_t at, uint32_t draw)
{
	struct block c = {{(uint32_t)at, (uint32_t)(at >> 32), (uint32_t)which, draw}};
	uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t a = (uint64_t)c.word[0] * 0xd2511f53u;
		uint64_t b = (uint64_t)c.word[2] * 0xcd9e8d57u;

		c = (struct block){{(uint32_t)(b >> 32) ^ c.word[1] ^ key[0], (uint32_t)b,
			(uint32_t)(a >> 32) ^ c.word[3] ^ key[1], (uint32_t)a}};
		key[0] += 0x9e3779b9u;
		key[1] += 0xbb67ae85u;
	}
	return c;
}

uint32_t random_word(uint64_t seed, uint64_t at)
{
	return block_at(seed, SEQUENCE_WORDS, at / 4, 0).word[at % 4];
}

float random_float(uint64_t seed, uint64_t at)
{
	return (float)((random_word(seed, at) >> 8) + 1) / 16777216.0f;
}

/* In (0, 1], of the block's first or second half. */
static double of_half(const struct block *b, unsigned half)
{
	uint64_t bits = (uint64_t)b->word[2 * half] << 32 | b->word[2 * half + 1];

	return (double)((bits >> 11) + 1) / 9007199254740992.0;
}

double random_double(uint64_t seed, uint64_t at)
{
	struct block b = block_at(seed, SEQUENCE_DOUBLES, at / 2, 0);

	return of_half(&b, at % 2);
}

/* Box and Muller: a pair of independent normal numbers by radius and angle. */
double random_normal(uint64_t seed, uint64_t at)
{
	struct block b = block_at(seed, SEQUENCE_NORMAL, at / 2, 0);
	double radius = sqrt(-2 * log(of_half(&b, 0)));
	double angle = 2 * 3.14159265358979323846 * of_half(&b, 1);

	return radius * (at % 2 ? sin(angle) : cos(angle));
}

/* How many factors it takes until their product is below e to the -mean. */
static uint32_t small_poisson(uint64_t seed, uint64_t at, double mean)
{
	double product = 1, least = exp(-mean);
	uint32_t n = 0;

	for (uint32_t draw = 0;; draw++) {
		struct block b = block_at(seed, SEQUENCE_POISSON, at, draw);

		for (unsigned half = 0; half < 2; half++, n++) {
			product *= of_half(&b, half);
			if (product <= least)
				return n;
		}
	}
}

/* Hormann, The transformed rejection method for generating Poisson random variables, 1993: PTRS. */
static uint32_t large_poisson(uint64_t seed, uint64_t at, double mean)
{
	double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
	double alpha = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2);

	for (uint32_t draw = 0;; draw++) {
		struct block random = block_at(seed, SEQUENCE_POISSON, at, draw);
		double u = of_half(&random, 0) - 0.5, v = of_half(&random, 1);
		double room = 0.5 - fabs(u), k = floor((2 * a / room + b) * u + mean + 0.43);

		if (room >= 0.07 && v <= sure)
			return (uint32_t)k;
		if (k < 0 || k > UINT32_MAX || (room < 0.013 && v > room))
			continue;
		if (log(v * alpha / (a / (room * room) + b)) <=
			k * log(mean) - mean - lgamma(k + 1))
			return (uint32_t)k;
	}
}

uint32_t random_poisson(uint64_t seed, uint64_t at, double mean)
{
	return mean < 10 ? small_poisson(seed, at, mean) : large_poisson(seed, at, mean);
}
