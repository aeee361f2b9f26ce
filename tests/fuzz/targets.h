/* What is done with one input of a fuzzer. Whatever the bytes are, these functions come back; an
 * input that breaks a promise of ptx/ ends the process. */
#ifndef TESTS_FUZZ_TARGETS_H
#define TESTS_FUZZ_TARGETS_H

#include <stddef.h>

/* Reads the text. */
void fuzz_read(const unsigned char *text, size_t bytes);

/* Compiles it with each register allocator, places its variables, links it and runs a few thousand
 * instructions of its kernels. Returns how many kernels ran. */
unsigned fuzz_build(const unsigned char *text, size_t bytes);

#endif
