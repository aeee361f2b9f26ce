/* Stand-ins of Slurm's commands. */
#include "tests/rig/slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"

static const char scontrol[] = "#!/bin/sh\necho \"$*\" >>$BIN/calls\n"
			       "echo 'Configuration data'\necho 'MaxArraySize            = 3'\n";
static const char squeue[] = "#!/bin/sh\ncat $BIN/queue 2>/dev/null\nexit 0\n";
/* An array's tasks, one after the other. */
static const char sbatch[] = "#!/bin/sh\necho \"$*\" >>$BIN/calls\ncat >$BIN/script\n"
			     "[ ! -e $BIN/lazy ] || { echo 17; exit; }\n"
			     "for word; do case $word in --array=0-*) last=${word#--array=0-} ;; "
			     "esac; done\ntask=0\nwhile [ $task -le $last ]; do\n"
			     "SLURM_JOB_ID=17 SLURM_ARRAY_TASK_ID=$task sh $BIN/script >&2\n"
			     "task=$((task + 1)); done\necho '17;cluster'\n";
void slurm_tool(const struct desk *p, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/bin/%s", p->folder, name);
	assert_int_equal(file_write(NULL, path, text, strlen(text), NULL), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

int slurm_set_up(void **state)
{
	const struct desk *p;
	char path[160];

	desk_set_up(state);
	p = *state;
	snprintf(path, sizeof(path), "%s/bin", p->folder);
	assert_int_equal(mkdir(path, 0755), 0);
	setenv("BIN", path, 1);
	snprintf(path, sizeof(path), "%s/bin:/usr/bin:/bin", p->folder);
	setenv("PATH", path, 1);
	slurm_tool(p, "scontrol", scontrol);
	slurm_tool(p, "squeue", squeue);
	slurm_tool(p, "sbatch", sbatch);
	return 0;
}
