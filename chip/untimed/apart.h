/* Device memory for several host threads that each execute some CTAs of a launch, at once and
 * without time. What they do counts only if they were apart: no word that one thread wrote was read
 * or written by another, so that the CTAs could as well have run one after the other. Else memory
 * becomes what it was before.
 *
 * Words are of 4 bytes. Additions and other integer operations without a result (red) may be
 * several threads' where nothing else is done to the word: their order does not matter, provided
 * that all are of one kind. */
#ifndef CHIP_UNTIMED_APART_H
#define CHIP_UNTIMED_APART_H

#include "mem/image.h"

#include <stdbool.h>

struct apart;

/* NULL: no host memory. */
struct apart *apart_new(unsigned threads);
void apart_free(struct apart *); /* accepts NULL */

/* Nothing has been accessed yet. No buffer may be made or removed until the end. 0, or -1 when
 * there is no host memory. */
int apart_begin(struct apart *, struct image *);

/* Memory as that thread sees it: the image. An atomic operation with a result, or on anything but
 * integers of 32 or 64 bits, and want of host memory are faults; the end then takes all back. */
struct exec_memory apart_memory(struct apart *, unsigned thread);

/* All threads are done; `keep`: what they did is wanted. True: it was kept, since they were apart.
 * False: memory is as it was at the beginning. */
bool apart_end(struct apart *, bool keep);

#endif
