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
	FUZZ_RESULTS,    /* a file of results (SQLite) */
	FUZZ_CHECKPOINT, /* lines "OFFSET BYTES ADDED": what is wrong in a valid one */
	FUZZ_KINDS
};

/* Reads it as warpbeam would. True: it was accepted; false: rejected with a message and a
 * documented code. Aborts the process if a guarantee is violated. */
bool fuzz_input(enum fuzz_kind, const unsigned char *bytes, size_t n);

/* The last kind: tests/fuzz/input_checkpoint.c. 0 or -1. */
struct err;
int fuzz_checkpoint(const char *text, struct err *);

/* A valid input of the kind, to be mutated; its length. 0: `room` is too small, or there is none
 * (built without SQLite). */
size_t fuzz_seed(enum fuzz_kind, unsigned char *out, size_t room);

#endif
