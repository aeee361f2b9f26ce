/* What the parts of libcurand share: cuRAND for programs under `warpbeam cuda`, computed on the
 * host. Every type of generator is a counter that is enciphered (Philox 4x32-10: Salmon et al.,
 * Parallel random numbers: as easy as 1, 2, 3, SC 2011), so a number depends on seed and position
 * alone; it is not the one that NVIDIA's library gives. */
#ifndef CUDA_LIBCURAND_INSIDE_H
#define CUDA_LIBCURAND_INSIDE_H

#include <stdint.h>

/* Number `at` of the sequence of a seed. */
uint32_t random_word(uint64_t seed, uint64_t at);
/* In (0, 1]: of 24 and of 53 bits. */
float random_float(uint64_t seed, uint64_t at);
double random_double(uint64_t seed, uint64_t at);
/* Of mean 0 and standard deviation 1; numbers 2 k and 2 k + 1 are a pair. */
double random_normal(uint64_t seed, uint64_t at);
/* Of that mean, above 0. */
uint32_t random_poisson(uint64_t seed, uint64_t at, double mean);

#endif
