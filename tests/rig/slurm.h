/* Stand-ins of Slurm's commands, in the desk's folder bin, which is first on the PATH: sbatch runs
 * an array's tasks at once, one after the other. */
#ifndef TESTS_RIG_SLURM_H
#define TESTS_RIG_SLURM_H

#include "tests/rig/support_cli.h"

/* Set-up of a test, as desk_set_up. bin/calls has what scontrol and sbatch were called with,
 * bin/script the last array's script; squeue prints bin/queue. With a file bin/lazy no task runs.
 * An array has at most three tasks. */
int slurm_set_up(void **state);

/* Writes another command, or file, of bin. */
void slurm_tool(const struct desk *, const char *name, const char *text);

#endif
