/* A second configuration on the command line: --against PATH=VALUE,.. */
#ifndef CLI_AGAINST_H
#define CLI_AGAINST_H

#include "runs/session.h"

/* Adds settings "a=1,b=2" to the layer, which has none. */
void against_settings(const char *text, struct layer *, struct arena *);

#endif
