/* A chase of pointers by one thread: what a load costs when nothing else is on the chip. */
#ifndef TESTS_RIG_CHASE_H
#define TESTS_RIG_CHASE_H

#include "tests/rig/support_gpu.h"

/* Cycles of 16 n loads after as many, on a ring of `ring` words that are `step` bytes apart. */
uint32_t chase_cycles(const char *settings, unsigned ring, unsigned step, unsigned n);

/* Cycles of a load: the difference between two lengths of the chase. */
double chase_load_cycles(const char *settings, unsigned ring, unsigned step, unsigned n);

#endif
