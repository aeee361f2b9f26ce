/* warpbeam hardware: what its files share. */
#ifndef CLI_HARDWARE_H
#define CLI_HARDWARE_H

#include "cli/command.h"
#include "runs/hardware/curves.h"
#include "runs/hardware/forms.h"
#include "runs/hardware/hardware.h"

/* A command in progress. */
struct laboratory {
	const struct options *o;
	struct driver driver;
	struct driver_gpu gpu; /* as it was when it was first opened */
	json_t *file;          /* what --json writes: everything measured so far */
	struct string_list targets;
	struct hardware_result *results;
	unsigned n;
	struct forms forms;
	struct curves curves;
	double deadline_s; /* of the monotonic clock; 0: none */
	bool late;         /* --timeout is over, something was left out */
	bool interrupted;  /* the same, by SIGINT or SIGTERM */
};

/* Whether --timeout is over or a signal came: begin nothing more. */
bool hardware_is_late(struct laboratory *);

/* Writes all measured so far to --json. 0, or -1 and a message. */
int hardware_save(const struct laboratory *, struct err *);

/* Runs the microbenchmarks that the command names, with --record the probe's scripts, too; of --all
 * what the file does not have. */
int hardware_probe(struct laboratory *, struct arena *, struct err *);
void hardware_text_curves(const struct curves *, struct text *);

/* Runs the forms that the command names. 0, or -1 and messages. */
int hardware_forms(struct laboratory *, struct arena *, struct err *);

/* The driver's library: the option's, the environment's, or NULL for the usual one. */
const char *hardware_library(const struct options *);

/* Today as "2026-01-31", into out (at least 16 bytes), which is returned. */
char *hardware_date(char *out);

/* The lines that say which GPU it is. */
void hardware_text_gpu(const struct driver_gpu *, bool locked, struct text *);
void hardware_text(const struct hardware_result *, unsigned n, struct text *);

void hardware_text_forms(const struct forms *, struct text *);

#endif
