/* Slurm, by its own commands: sbatch, squeue and scontrol, found on the PATH. */
#ifndef RUNS_SLURM_H
#define RUNS_SLURM_H

#include "core/err.h"

#include <stdint.h>

/* An array of tasks, numbered from 0. */
struct slurm_job {
	const char *name, *script, *log; /* log: a file name, %a is the task */
	unsigned tasks, cpus;            /* cpus of a task; 0: the cluster's default */
	unsigned notice_s;               /* SIGTERM comes this long before the end */
	const char *partition, *time;    /* as in sbatch; NULL: the cluster's default */
};

/* The largest number of tasks of an array (MaxArraySize). 0, or -1: there is no Slurm here, or it
 * does not say (ERR_HOST). */
int slurm_limit(unsigned *tasks, struct err *);

/* Submits it; its number. 0, or -1 with sbatch's message (ERR_HOST). */
int slurm_submit(const struct slurm_job *, uint64_t *id, struct err *);

/* The tasks of jobs of that name that run, and those that wait or end. 0 or -1 (ERR_HOST). */
int slurm_tasks(const char *name, unsigned *running, unsigned *waiting, struct err *);

#endif
