/* Parameters of parts that the chip does not use. */
#ifndef CLI_PARAMS_H
#define CLI_PARAMS_H

#include "cli/command.h"

/* Loads them into the session's configuration, to be told. 0 or -1. */
int params_load_parts(struct session *, struct err *);

#endif
