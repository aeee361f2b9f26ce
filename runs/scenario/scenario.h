/* Scenarios: a user's PTX with buffers, launches and checks, from a YAML file. */
#ifndef RUNS_SCENARIO_SCENARIO_H
#define RUNS_SCENARIO_SCENARIO_H

#include "chip/chip.h"
#include "runs/source.h"

struct scenario;

/* Reads the file and checks all of it except its launches; enters its chip and its settings into
 * the configuration, the chip only if `with_chip` (else the command line has one). Files read are
 * noted among the command's files (or NULL), which outlive it. NULL and messages on failure. */
struct scenario *scenario_load(
	const char *path, bool with_chip, struct config *, struct files *, struct err *);
void scenario_free(struct scenario *); /* accepts NULL */

/* Makes buffers, loads modules, checks all that the host will do and does it up to where it first
 * waits for launches. Begins again when called again. 0 or -1. */
int scenario_setup(struct scenario *, struct gpu *, struct err *);

/* Runs what is queued on the chip, as far as the host waits for it: until the chip is at rest, or
 * until the launches are complete. As chip_run; the chip has no other launches. */
int scenario_run(struct scenario *, struct gpu *, uint64_t max_cycles, const struct host_hooks *,
	struct err *);

/* All that is queued is complete: does what the host does then (copies, writes, repeated launches).
 * 1: launches are queued; 0: there are no more; -1: ERR_LIMIT, a launch that does not fit. */
int scenario_advance(struct scenario *, struct gpu *, struct err *);

/* Whether nothing is left to do for the host. */
bool scenario_all_queued(const struct scenario *);

/* Its buffer or variable of that name, once it is set up; 0: it has none. */
buffer_t scenario_find(const struct scenario *, const char *name);

/* Where it first has addresses in memory ("file:line:column"), false: nowhere. */
bool scenario_holds_addresses(struct scenario *, char *place, size_t n);

/* The checks, after the run. 0, or -1 with ERR_CHECK: buffer, first differing element, both values,
 * how many differ. */
int scenario_check(struct scenario *, struct gpu *, struct err *);

/* Whether two scenarios have the same text for buffers, launches and checks. 0, or -1 and what
 * differs. */
int scenario_same_work(struct scenario *, struct scenario *other, struct err *);

/* True when a launch names the SMs it runs on. */
bool scenario_names_sms(struct scenario *);

/* True when it has a chip or settings of its own. */
bool scenario_sets_machine(struct scenario *);

unsigned scenario_checks(const struct scenario *);

/* The value of its key `chip`, or NULL. */
const char *scenario_chip(const struct scenario *);

/* The files that were read, except modules: the scenario itself, chip files, data. */
const struct source *scenario_source(const struct scenario *);

#endif
