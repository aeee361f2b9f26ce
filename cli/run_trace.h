/* The options --trace and --vcd, and those for them. */
#ifndef CLI_RUN_TRACE_H
#define CLI_RUN_TRACE_H

#include "chip/gpu.h"
#include "cli/options.h"

/* Checks them before a chip exists. 0 or -1 (ERR_USAGE). */
int run_trace_admit(const struct options *, struct err *);

/* Opens their files, if any: after the chip is built, before it runs. `target` is what runs. 0 or
 * -1. */
int run_trace_open(const struct options *, const char *target, struct gpu *, struct err *);

/* After the run, before chip_close: completes the files, and reports on stderr what is not in them.
 * 0 or -1 (ERR_HOST). */
int run_trace_close(struct gpu *, struct err *);

#endif
