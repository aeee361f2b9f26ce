/* All inputs except PTX, with arbitrary bytes: one input of a fuzzer is processed. */
#ifndef TESTS_FUZZ_INPUTS_H
#define TESTS_FUZZ_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

enum fuzz_kind {
	FUZZ_SCENARIO, /* with its textures, arguments and checks; its module is k.ptx, kernel k */
	FUZZ_CHIP,
	FUZZ_DRAM_TRACE,
	FUZZ_CACHE_TRACE,
	FUZZ_NETWORK,    /* lines: a pattern, offered loads, a network, then settings of it */
	FUZZ_OPTIONS,    /* a byte for the command; then words of a command line, one a line */
	FUZZ_PROGRAM,    /* a compiled CUDA program */
	FUZZ_RESULTS,    /* a file of results (SQLite) */
	FUZZ_CHECKPOINT, /* lines "OFFSET BYTES ADDED": what is wrong in a valid one */
	FUZZ_KINDS
};

/* Reads it as warpbeam would. True: it was accepted; false: rejected with a message and a
 * documented code. Aborts the process if a guarantee is violated. */
bool fuzz_input(enum fuzz_kind, const unsigned char *bytes, size_t n);

struct arena;
struct err;
/* The last kind: tests/fuzz/input_checkpoint.c. 0 or -1. */
int fuzz_checkpoint(const char *text, struct err *);
/* A program: tests/fuzz/input_program.c. 0 or -1; its seed, as fuzz_seed. */
int fuzz_program(const char *path, struct arena *, struct err *);
size_t fuzz_program_seed(unsigned char *out, size_t room);

/* A valid input of the kind, to be mutated; its length. 0: `room` is too small, or there is none
 * (built without SQLite). */
size_t fuzz_seed(enum fuzz_kind, unsigned char *out, size_t room);

#endif
