/* Binding host threads to cores. Without hwloc, or with fewer cores than threads, it does nothing.
 */
#ifndef CORE_PIN_H
#define CORE_PIN_H

#include "core/mem.h"

struct pin;

/* A map of `threads` threads to cores, for the calling thread to end; NULL when nothing can be
 * bound. */
struct pin *pin_new(struct arena *, unsigned threads);

/* Binds the calling thread to the core of thread `index`; accepts NULL. */
void pin_bind(const struct pin *, unsigned index);

/* Gives the calling thread, which made the map, its old cores back; accepts NULL. */
void pin_free(struct pin *);

#endif
