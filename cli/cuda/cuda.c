/* warpbeam cuda: a compiled CUDA program, its kernels on the chip. */
#include "cli/command.h"
#include "cli/cuda/how.h"
#include "runs/work.h"

int command_cuda(const struct options *o, struct session *s, struct err *err)
{
	const struct string_list *words = &o->operands;

	if (o->how)
		return cuda_how(words->at[0], s, err);
	return command_run_on(o, work_program(words->at, words->n, &s->arena), s, err);
}

int command_scenario(const struct options *o, struct session *s, struct err *err)
{
	struct cuda_run run = {.arena = &s->arena, .silent = true, .play = o->operands.at[0]};

	if (!cuda_is_recording(run.play))
		return err_add(err, ERR_USAGE,
			"%s is no recording of a program (warpbeam cuda --record DIR)", run.play);
	if (session_open(s, &o->run, NULL, err) || config_finish(s->config, err))
		return -1;
	run.gpu = s->gpu;
	run.config = s->config;
	return cuda_edit(&run, o->operands.at[1], err);
}
