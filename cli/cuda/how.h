/* What a CUDA program needs before warpbeam can run it. */
#ifndef CLI_CUDA_HOW_H
#define CLI_CUDA_HOW_H

#include "runs/session.h"

/* Prints its runtime, its PTX, and what to change. 0; or -1 and messages: no program, no PTX. */
int cuda_how(const char *path, struct session *, struct err *);

#endif
