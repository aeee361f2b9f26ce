/* Parameters of parts that the chip does not use. */
#ifndef RUNS_PARAMS_H
#define RUNS_PARAMS_H

#include "runs/session.h"

/* Loads them into the session's configuration, to be listed. 0 or -1. */
int params_load_parts(struct session *, struct err *);

#endif
