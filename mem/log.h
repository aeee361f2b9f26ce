/* The store log: what an SM wrote in this window. Stores and atomics of all SMs are applied to the
 * image at the window's edge in order of (time, SM, order); until then only their own SM sees the
 * stores, and a load waits for its SM's pending atomic to the same line. */
#ifndef MEM_LOG_H
#define MEM_LOG_H

#include "core/mem.h"
#include "mem/image.h"

struct store_log;
struct state;

/* A log for one SM. `entries` bounds the lane stores and atomics of one window; when it is full the
 * next access returns EXEC_RETRY (so it must be at least 64). Memory comes from the arena. */
struct store_log *log_new(struct arena *, struct image *, unsigned entries);

/* The time of the next accesses: a core cycle. Must not decrease. */
void log_set_cycle(struct store_log *, uint64_t cycle);

/* Memory as this SM sees it, for the executor. */
struct exec_memory log_memory(struct store_log *);

/* True when stores or atomics wait for the window's edge. */
bool log_pending(const struct store_log *);

/* Applies all logs (index = SM; NULL entries are skipped) to their image and empties them. Atomics
 * write their old values to the given destinations, which must remain valid until then. Constant
 * cost for empty logs. */
void log_apply(struct store_log *const *logs, unsigned n);

/* Moves its state (core/state.h), at a window's edge, when it is empty. */
void log_state(struct state *, struct store_log *);

#endif
