/* What a fuzz target and the engine that feeds it call each other: libFuzzer's own names. */
#ifndef TESTS_FUZZ_ENGINE_H
#define TESTS_FUZZ_ENGINE_H

#include <stddef.h>
#include <stdint.h>

/* One input; always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Changes an input of `bytes` in a place for `room`; returns its new length. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed);

/* libFuzzer's own changes; not there in another engine. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room) __attribute__((weak));

#endif
