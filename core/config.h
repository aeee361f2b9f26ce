/* A configuration: settings path = value with their origin, later ones winning, read by tables.
 * Every parameter is echoed into the results with the value that was used. */
#ifndef CORE_CONFIG_H
#define CORE_CONFIG_H

#include "core/table.h"

struct config;

struct config *config_new(void);   /* NULL when there is no memory */
void config_free(struct config *); /* accepts NULL */

/* Adds a setting. `origin` ("--set", "my.yaml:3:5", "preset fermi") stands in messages. Path and
 * value are copied. Whether the path exists is known only after all tables were loaded:
 * config_finish. */
int config_set(
	struct config *, const char *path, const char *value, const char *origin, struct err *);

/* "path=value" as on the command line. */
int config_set_text(struct config *, const char *assignment, const char *origin, struct err *);

/* Fills the parameters of `defs` in the struct at `base` from settings `prefix.name`, else
 * defaults. Checks type and bounds; every fault is added to err and its default used. A NAME points
 * into the configuration, which must outlive the user. Several loads of one prefix (32 SMs) are one
 * entry in the echo. UINT values take suffixes K and M (1024-based) and 0x. Without a configuration
 * (NULL) all have their defaults. Returns 0 or -1. */
int config_load(struct config *, const char *prefix, const struct param_def *defs, size_t n,
	void *base, struct err *);

/* The same for a look before: nothing is entered in the echo, and no table has taken anything. */
int config_peek(struct config *, const char *prefix, const struct param_def *defs, size_t n,
	void *base, struct err *);

/* True when some setting gives the parameter a value, whatever its origin. */
bool config_given(struct config *, const char *path);

/* Settings that no table took: one message each with origin and nearest known path. */
int config_finish(struct config *, struct err *);

/* Settings whose path begins so are no fault when no table takes them: they were meant for a part
 * that was replaced. The text must outlive the configuration; the last call counts. */
void config_tolerate(struct config *, const char *prefix);

/* The echo: calls visit for every loaded parameter, sorted by path, with its value as text and the
 * definition it came from; `given` tells an explicit setting from a default. */
typedef void config_visit_fn(
	void *ctx, const char *path, const char *value, const struct param_def *, bool given);
void config_echo(const struct config *, config_visit_fn *visit, void *ctx);

#endif
