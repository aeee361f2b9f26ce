/* A copy of PTX whose kernels leave the clocks of the SMs that they run on: when its first warp
 * began and its last thread ended. */
#ifndef RUNS_CLOCKED_H
#define RUNS_CLOCKED_H

#include "core/err.h"
#include "core/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The variable with a pair for each SM (%smid modulo their number): the least %clock64 of a warp's
 * beginning, the greatest of a thread's end. */
#define CLOCKED_VARIABLE "warpbeam_clocks"
#define CLOCKED_SMS 1024u
#define CLOCKED_WORDS (2u * CLOCKED_SMS)

/* Writes the copy; `path` begins messages. What it cannot cover is ERR_UNSUPPORTED: 32-bit
 * addresses, a target without 64-bit atomic minima, a function that ends threads. 0 or -1. */
int clocked_text(const char *path, const char *ptx, struct text *out, struct err *);

/* What the variable must be before a launch, and the cycles of the SM that took longest after it;
 * 0: no thread came by, or one by another way. */
void clocked_reset(uint64_t *words);
uint64_t clocked_cycles(const uint64_t *words);

#endif
