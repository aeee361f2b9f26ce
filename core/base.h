/* Basic definitions used everywhere: time, impossible states, small helpers. */
#ifndef CORE_BASE_H
#define CORE_BASE_H

#undef NDEBUG
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Simulated time in picoseconds since the start of the simulation. */
typedef uint64_t tick_t;
#define TICK_NEVER UINT64_MAX

/* The period of the core clock where none is given: 1 GHz. */
#define CORE_PERIOD_PS 1000u

/* Bounds of a clock's period: 10 GHz, which whole picoseconds give to within 0.5%, and 10 MHz, in
 * which the longest latency is below 2^32 ps. */
#define PERIOD_LEAST_PS 100u
#define PERIOD_MOST_PS 100000u

/* A state that only a bug in the program can cause. Errors that a user can cause go to core/err.h.
 */
#define BUG_ON(condition) assert(!(condition))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The structure that holds `member` at address `ptr`. */
#define CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* a / b rounded up; b > 0. */
static inline uint64_t div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* Prefetches 256 bytes into the host's caches. */
static inline void fetch_256(const void *at)
{
	__builtin_prefetch(at);
	__builtin_prefetch((const char *)at + 64);
	__builtin_prefetch((const char *)at + 128);
	__builtin_prefetch((const char *)at + 192);
}

/* Baseline x86-64 has no popcnt instruction, and the compiler would call a function. */
static inline unsigned count_bits(uint64_t x)
{
#if defined(__x86_64__) && !defined(__POPCNT__)
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
#else
	return (unsigned)__builtin_popcountll(x);
#endif
}

/* The index of the lowest set bit; x != 0. */
static inline unsigned low_bit(uint64_t x)
{
	return (unsigned)__builtin_ctzll(x);
}

#endif
