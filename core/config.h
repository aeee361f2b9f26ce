/* A configuration: settings path = value with their origin; a later setting overrides an earlier
 * one. Parameter tables read it. Every parameter is echoed into the results with the value that was
 * used. */
#ifndef CORE_CONFIG_H
#define CORE_CONFIG_H

#include "core/table.h"

struct config;

struct config *config_new(void);   /* NULL when there is no memory */
void config_free(struct config *); /* accepts NULL */

/* Adds a setting. `origin` ("--set", "my.yaml:3:5", "preset fermi") appears in messages. Path and
 * value are copied. Whether the path exists is known only after all tables were loaded:
 * config_finish. */
int config_set(
	struct config *, const char *path, const char *value, const char *origin, struct err *);

/* Settings from here on are another layer: a machine, a scenario, the command line. A setting of an
 * earlier layer is unused without an error when a later one chose another part than it was for. */
void config_layer(struct config *);

/* A default that other settings imply, instead of the table's: every setting overrides it, and it
 * need not be used. */
int config_imply(
	struct config *, const char *path, const char *value, const char *origin, struct err *);

/* "path=value" as on the command line. */
int config_set_text(struct config *, const char *assignment, const char *origin, struct err *);

/* Sets the parameters of `defs` in the struct at `base` from the settings `prefix.name`, or to
 * their defaults. Checks type and bounds; each error is added to err and the default is used. A
 * NAME points into the configuration, which must outlive its user. Several loads of one prefix (32
 * SMs) are one entry in the echo. UINT values take suffixes K and M (1024-based) and 0x. Without a
 * configuration (NULL) all have their defaults. Returns 0 or -1. */
int config_load(struct config *, const char *prefix, const struct param_def *defs, size_t n,
	void *base, struct err *);

/* The same without an effect on the configuration: nothing is echoed, and no setting counts as
 * used. */
int config_peek(struct config *, const char *prefix, const struct param_def *defs, size_t n,
	void *base, struct err *);

/* True when a setting gives the parameter a value, whatever its origin; not when one implies it. */
bool config_given(struct config *, const char *path);

/* The layer that gives it the value that counts, 0 being the first; -1: none does. */
int config_given_in(struct config *, const char *path);

/* The settings of a path, the one that counts first, then those that it overrides, then what others
 * imply: value and origin of number i. False: there are no more. */
bool config_setting(const struct config *, const char *path, unsigned i, const char **value,
	const char **origin);

/* Settings that no table used: one message each with origin and nearest known path. */
int config_finish(struct config *, struct err *);

/* The same when elaboration failed and perhaps not all parts were loaded: only settings beside
 * loaded ones, such as l1.wayss where l1.ways was loaded. */
void config_strays(const struct config *, struct err *);

/* Unused settings whose path has this prefix are no error: they were meant for a component that was
 * replaced. The text must outlive the configuration; the last call counts. */
void config_tolerate(struct config *, const char *prefix);

/* The echo: calls visit for every loaded parameter, sorted by path, with its value as text and its
 * definition; `given` distinguishes an explicit setting from a default. */
typedef void config_visit_fn(
	void *ctx, const char *path, const char *value, const struct param_def *, bool given);
void config_echo(const struct config *, config_visit_fn *visit, void *ctx);

#endif
