/* The limits of a kernel: its own, those of all, and its directives. */
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

/* The threads that .maxntid or .reqntid give a CTA at most; 0: they are not given. */
static uint32_t most_threads(const struct ast_function *a)
{
	const uint32_t *n = a->reqntid[0] ? a->reqntid : a->maxntid;
	uint64_t threads = n[0];

	for (unsigned i = 1; i < 3; i++)
		if (n[i] && threads <= UINT32_MAX)
			threads *= n[i];
	return threads <= UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
}

/* As ptxas 13.0 does for sm_75 to sm_90 (doc/model.md). */
struct resident_limit limits_resident(const struct limits *l, const struct ast_function *a)
{
	struct resident_limit r = {0};
	uint32_t threads = most_threads(a);

	if (!l->resident || !threads) {
		r.ignored = l->resident && a->minnctapersm;
		return r;
	}
	if (a->minnctapersm && !l->all_regs)
		r.regs = l->resident(l->resident_ctx, threads, a->minnctapersm);
	r.ignored = a->minnctapersm && !r.regs && !l->all_regs;
	if (!r.regs && (!a->maxnreg || l->all_regs))
		r.regs = l->resident(l->resident_ctx, threads, 1);
	return r;
}

uint32_t limits_regs(const struct limits *l, const struct ir_function *f)
{
	const struct kernel_limit *own = own_limit(l, f);
	struct resident_limit resident = limits_resident(l, f->ast);
	uint32_t most = l->all_regs ? MAX_REGS : l->max_regs;

	if (resident.regs && resident.regs < most)
		most = resident.regs;
	if (l->all_regs)
		return most;
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
