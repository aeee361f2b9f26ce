/* The interface between a fuzz target and the engine: libFuzzer's own names. */
#ifndef TESTS_FUZZ_ENGINE_H
#define TESTS_FUZZ_ENGINE_H

#include <stddef.h>
#include <stdint.h>

/* One input; always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Mutates an input of `bytes` in a buffer of `room` bytes; returns its new length. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed);

/* libFuzzer's own mutations; absent in another engine. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room) __attribute__((weak));

#endif
