/* Small programs: a kernel, the buffers it works on, and plain C that says what they hold after it.
 *
 * A kernel takes its buffers' addresses, then 32-bit values, then at most one structure. Its row
 * names the same; the reference shares the kernel's name and turns the buffers' first contents into
 * those expected, one thread after another or by another algorithm. Every buffer is compared,
 * inputs too. */
#ifndef TESTS_PROGRAMS_PROGRAMS_H
#define TESTS_PROGRAMS_PROGRAMS_H

#include "core/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAM_BUFFERS 6

enum elem { ELEM_U8, ELEM_U16, ELEM_U32, ELEM_U64, ELEM_F32, ELEM_F64 };

/* RANDOM: any bits, below `range` when that is not zero; floats in [-range, range), range 0: 1.
 * COUNT: 0, 1, 2, ... SORTED: rising, by steps below `range`. */
enum fill { FILL_ZERO, FILL_RANDOM, FILL_COUNT, FILL_SORTED };

struct program_buffer {
	enum elem elem;
	uint32_t n; /* elements; 0: there is no such buffer */
	enum fill fill;
	uint32_t range;
	bool scratch; /* what it holds in the end is not compared */
};

struct program_run {
	void *b[PROGRAM_BUFFERS]; /* one byte at least each */
	const uint32_t *v;
	uint32_t ctas, block, threads; /* of the first dimension; all threads */
};

struct program_row {
	const char *kernel;
	uint32_t grid[3], block[3], shared_bytes;
	struct program_buffer buffers[PROGRAM_BUFFERS];
	const uint32_t *values;
	unsigned nvalues;
	const void *structure;
	size_t structure_bytes;
	void (*prepare)(const struct program_run *); /* changes what the fills made; may be NULL */
	void (*reference)(const struct program_run *);
	double tolerance; /* of floats: absolute, and relative; 0: exact bits */
	bool slow;        /* not run in time */
};

struct program_file {
	const char *name; /* tests/programs/NAME.ptx and NAME.64.ptx */
	const struct program_row *rows;
	unsigned nrows;
};

/* For the tables. */
#define SHAPE(x, y, z) \
	{ \
		x, y, z \
	}
#define PROGRAM_SHAPED(name, grid_shape, block_shape, ...) \
	{ \
		.kernel = #name, .reference = name, .grid = grid_shape, .block = block_shape, \
		__VA_ARGS__ \
	}
#define PROGRAM(name, ctas, threads, ...) \
	PROGRAM_SHAPED(name, SHAPE(ctas, 1, 1), SHAPE(threads, 1, 1), __VA_ARGS__)
#define BUFFERS(...) .buffers = {__VA_ARGS__}
#define VALUES(...) \
	.values = (const uint32_t[]){__VA_ARGS__}, \
	.nvalues = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)
#define OUT(type, n) \
	{ \
		ELEM_##type, n, FILL_ZERO, 0, false \
	}
#define SCRATCH(type, n) \
	{ \
		ELEM_##type, n, FILL_ZERO, 0, true \
	}
#define RANDOM(type, n, range) \
	{ \
		ELEM_##type, n, FILL_RANDOM, range, false \
	}
#define COUNT(type, n) \
	{ \
		ELEM_##type, n, FILL_COUNT, 0, false \
	}
#define SORTED(type, n, range) \
	{ \
		ELEM_##type, n, FILL_SORTED, range, false \
	}

/* Compiles the file's module for an address size and runs all its rows without time. `settings` as
 * for kit_new. Fails the test when a buffer is not as expected. */
void programs_run(const struct program_file *, unsigned address_bits, const char *settings);

/* The same on a chip in time, rows that are not slow; results equal those of the untimed run. */
unsigned programs_run_timed(
	const struct program_file *, unsigned address_bits, const char *settings);

/* xorshift32, Marsaglia 2003: what the kernels' own random numbers are. */
static inline uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

extern const struct program_file *const program_files[]; /* ends with NULL */

#endif
