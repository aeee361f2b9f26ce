/* Processes one input of a fuzzer. Whatever the bytes are, these functions return; an input that
 * violates a guarantee of ptx/ aborts the process. */
#ifndef TESTS_FUZZ_TARGETS_H
#define TESTS_FUZZ_TARGETS_H

#include <stddef.h>

/* Parses the text. */
void fuzz_read(const unsigned char *text, size_t bytes);

/* Compiles it with each register allocator, assigns addresses to its variables, links it and
 * executes a few thousand instructions of its kernels. Returns the number of kernels executed. */
unsigned fuzz_build(const unsigned char *text, size_t bytes);

#endif
