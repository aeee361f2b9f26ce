/* Binding host threads to cores. Without hwloc, or with fewer cores than threads, it does nothing.
 */
#ifndef CORE_PIN_H
#define CORE_PIN_H

#include "core/mem.h"

struct pin;

/* A map of `threads` threads to cores, from the calling thread's on; the calling thread frees it.
 * NULL when nothing can be bound.
 */
struct pin *pin_new(struct arena *, unsigned threads);

/* The cores that the calling thread may use, at least one. */
unsigned pin_cores(void);

/* Binds the calling thread to the core of thread `index`; accepts NULL. */
void pin_bind(const struct pin *, unsigned index);

/* Restores the binding of the calling thread, which created the map; accepts NULL. */
void pin_release(const struct pin *);

/* The same, and frees the map. */
void pin_free(struct pin *);

#endif
