/* The reports of a run, where the options want them. */
#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "cli/options.h"
#include "runs/report.h"
#include "runs/session.h"

/* --json and --csv may not both go to stdout. 0 or -1. */
int run_report_admit(const struct options *, struct err *);

/* The host's side of a run that took so long. */
struct host_report run_report_host(const struct options *, const struct gpu *, double wall_s);

/* Writes the report; what `err` has decides its code. 0, or -1: err has a code. */
int run_report_write(const struct options *, struct session *, struct report *, struct err *err);

#endif
