/* Miss status holding registers: outstanding lines, and the requests that wait for each. */
#ifndef MEM_MSHR_H
#define MEM_MSHR_H

#include "core/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct mshr;
struct state;

/* `lines` outstanding lines, `merges` waiters in all lines together (both at least 1). */
struct mshr *mshr_new(unsigned lines, unsigned merges, struct arena *);

/* The entry of a line, or -1. */
int mshr_find(const struct mshr *, uint64_t line);

/* Granules already requested by the entry. */
uint8_t mshr_granules(const struct mshr *, int entry);
void mshr_add_granules(struct mshr *, int entry, uint8_t granules);

/* A new entry for a line that has none; -1 when all are in use. */
int mshr_open(struct mshr *, uint64_t line, uint8_t granules);

/* Adds a waiter to an entry; false when the waiters are used up (then nothing changed). */
bool mshr_wait(struct mshr *, int entry, uint64_t waiter);
/* The same of one that needs these granules only (mshr_arrived). */
bool mshr_wait_for(struct mshr *, int entry, uint64_t waiter, uint8_t granules);

/* True when one more line with one waiter fits. */
bool mshr_has_space(const struct mshr *);

/* Closes an entry: calls `wake` for each waiter in order of arrival. */
typedef void mshr_wake_fn(void *ctx, uint64_t waiter);
void mshr_close(struct mshr *, int entry, mshr_wake_fn *wake, void *ctx);

/* Granules of an entry have arrived, perhaps not all that were requested: wakes the waiters that
 * now have what they need, in order of arrival, and closes the entry with the last granules. */
void mshr_arrived(struct mshr *, int entry, uint8_t granules, mshr_wake_fn *wake, void *ctx);

/* The entry's line; entries in use. */
uint64_t mshr_line(const struct mshr *, int entry);
unsigned mshr_used(const struct mshr *);
const uint32_t *mshr_used_at(const struct mshr *); /* address of that number */

/* Moves its state (core/state.h). */
void mshr_state(struct state *, struct mshr *);

#endif
