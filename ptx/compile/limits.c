/* The limits of a kernel: its own, those of all, and .maxnreg. */
#include "ptx/compile/module.h"

#include <string.h>

/* NULL: the kernel has none of its own. */
static const struct kernel_limit *own_limit(const struct limits *l, const struct ir_function *f)
{
	for (unsigned i = 0; i < l->nkernels; i++)
		if (!strcmp(l->kernels[i].name, f->ast->name))
			return &l->kernels[i];
	return NULL;
}

uint32_t limits_regs(const struct limits *l, const struct ir_function *f)
{
	const struct kernel_limit *own = own_limit(l, f);
	uint32_t most = l->max_regs;

	if (l->all_regs)
		return MAX_REGS;
	if (own && own->max_regs < most)
		most = own->max_regs;
	return f->ast->maxnreg && f->ast->maxnreg < most ? f->ast->maxnreg : most;
}

struct spill_options limits_spill(const struct limits *l, const struct ir_function *f)
{
	const struct kernel_limit *own = own_limit(l, f);
	struct spill_options spill = l->spill;

	if (own && own->slots) {
		spill.space = SPILL_SHARED;
		spill.slots = own->slots;
	}
	return spill;
}
