/* An array of tasks of Slurm: its script, submitting and following it. */
#include "cli/array.h"

#include "runs/output.h"
#include "runs/slurm.h"

#include <string.h>
#include <unistd.h>

#define GRACE_S 50
#define NOTICE_MORE_S 10 /* from the end of the grace to the end of the task */
#define RESTARTS_MOST 200
#define POLL_LEAST_S 1u
#define POLL_MOST_S 30u
#define SILENCES_MOST 20u /* of squeue, one after the other: the controller may start again */

/* ---- the script of a task */
/* A word for the shell. */
void array_add_word(const char *word, struct text *out)
{
	text_raw(out, "'");
	for (; *word; word++)
		text_raw(out, *word == '\'' ? "'\\''" : "%c", *word);
	text_raw(out, "'");
}

static const char script_head[] =
	"#!/bin/sh\n"
	"# One task of an array: a shard after the other. The batch shell gets SIGTERM before the\n"
	"# task's end; a task that merely exits is not started again, so it asks for it.\n"
	"child= stopped= worst=0 at=0\n"
	"notice() { stopped=1; [ -z \"$child\" ] || kill -TERM \"$child\"; }\n"
	"trap notice TERM\n"
	"run() {\n";

static const char script_run[] =
	"\tchild=$!\n"
	"\twait \"$child\"\n"
	"\tcode=$?\n"
	"\twhile kill -0 \"$child\" 2>/dev/null; do wait \"$child\"; code=$?; done\n"
	"\tchild=\n"
	"\t[ \"$code\" -le \"$worst\" ] || worst=$code\n"
	"}\n";

static const char script_tail[] =
	"for shard in $shards; do\n"
	"\t[ $((at % tasks)) -ne \"$SLURM_ARRAY_TASK_ID\" ] || [ -n \"$stopped\" ] || run\n"
	"\tat=$((at + 1))\n"
	"done\n"
	"if [ -n \"$stopped\" ] && [ \"${SLURM_RESTART_COUNT:-0}\" -lt \"$restarts\" ]; then\n"
	"\tscontrol requeue \"$SLURM_JOB_ID\" && sleep 60 # until it is ended\n"
	"fi\n"
	"exit \"$worst\"\n";

unsigned array_grace_s(const struct options *o)
{
	return o->given[OPTION_GRACE] ? (unsigned)o->grace : GRACE_S;
}

int array_add_program(struct text *out, struct err *err)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return err_add(err, ERR_HOST, "the path of this program cannot be found");
	path[n] = '\0';
	array_add_word(path, out);
	return 0;
}

static int write_script(const struct array *a, unsigned tasks, struct text *out, struct err *err)
{
	text_raw(out, "%s\t%s &\n%s", script_head, a->command, script_run);
	text_raw(out, "tasks=%u restarts=%u\nshards='", tasks, RESTARTS_MOST);
	for (unsigned i = 0; i < a->ntodo; i++)
		text_raw(out, "%s%u", i ? " " : "", a->todo[i]);
	text_raw(out, "'\n%s", script_tail);
	return out->failed ? err_add(err, ERR_RESOURCE, "no host memory for a script") : 0;
}

/* ---- submitting */
static unsigned tasks_of(const struct array *a, unsigned limit)
{
	unsigned tasks = a->ntodo < limit ? a->ntodo : limit;

	if (a->o->array_size && a->o->array_size < tasks)
		tasks = (unsigned)a->o->array_size;
	return tasks;
}

int array_submit(const struct array *a, struct err *err)
{
	struct text script = {0}, log = {0};
	unsigned limit, tasks;
	uint64_t id;
	int bad;

	if (slurm_limit(&limit, err))
		return -1;
	tasks = tasks_of(a, limit);
	text_raw(&log, "%s.task-%%a.log", a->files);
	bad = write_script(a, tasks, &script, err);
	if (!bad) {
		struct slurm_job job = {.name = a->name,
			.script = text_str(&script),
			.log = text_str(&log),
			.tasks = tasks,
			.cpus = (unsigned)a->o->run.jobs,
			.notice_s = array_grace_s(a->o) + NOTICE_MORE_S,
			.partition = a->o->partition,
			.time = a->o->time};

		bad = slurm_submit(&job, &id, err);
	}
	text_clear(&script);
	text_clear(&log);
	if (!bad && !a->o->run.quiet)
		output_note("note: job %llu: %u task%s for %u shard%s", (unsigned long long)id,
			tasks, text_s(tasks), a->ntodo, text_s(a->ntodo));
	return bad;
}

/* ---- following */
int array_follow(const struct array *a, array_show_fn *show, void *ctx, struct err *err)
{
	bool live = !a->o->run.quiet && isatty(STDERR_FILENO);
	unsigned running, waiting, pause_s = POLL_LEAST_S, silences = 0;

	for (;;) {
		struct err wrong = {0};
		int bad = slurm_tasks(a->name, &running, &waiting, &wrong);

		silences = bad ? silences + 1 : 0;
		if (bad && silences == SILENCES_MOST)
			err_move(err, &wrong);
		err_clear(&wrong);
		if (err->code || (!bad && !running && !waiting))
			break;
		if (live && !bad && show && show(ctx, running, waiting, err))
			return -1;
		sleep(pause_s);
		pause_s = pause_s < POLL_MOST_S ? pause_s + 1 : pause_s;
	}
	if (live)
		output_wipe();
	return err->code ? -1 : 0;
}
