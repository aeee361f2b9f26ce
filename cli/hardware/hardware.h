/* warpbeam hardware: what its files share. */
#ifndef CLI_HARDWARE_H
#define CLI_HARDWARE_H

#include "cli/command.h"
#include "runs/hardware/hardware.h"

/* The driver's library: the option's, the environment's, or NULL for the usual one. */
const char *hardware_library(const struct options *);

/* Today as "2026-01-31", into out (at least 16 bytes), which is returned. */
char *hardware_date(char *out);

/* The lines that say which GPU it is. */
void hardware_text_gpu(const struct driver_gpu *, bool locked, struct text *);
void hardware_text(const struct hardware_result *, unsigned n, struct text *);

#endif
