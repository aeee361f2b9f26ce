/* Scenarios: a user's PTX with buffers, launches and checks, from a YAML file. */
#ifndef RUNS_SCENARIO_H
#define RUNS_SCENARIO_H

#include "chip/gpu.h"
#include "runs/source.h"

struct scenario;

/* Reads the file and checks all of it except its launches; enters its chip and its settings into
 * the configuration, the chip only if `with_chip` (else the command line has one). Files read are
 * noted among the command's files (or NULL), which outlive it. NULL and messages on failure. */
struct scenario *scenario_load(
	const char *path, bool with_chip, struct config *, struct files *, struct err *);
void scenario_free(struct scenario *); /* accepts NULL */

/* Makes buffers, loads modules, queues all launches. 0 or -1. */
int scenario_setup(struct scenario *, struct gpu *, struct err *);

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
