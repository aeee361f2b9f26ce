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
