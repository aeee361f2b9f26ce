/* Private to ptx/: a kernel and what it calls in a limited number of registers. */
#ifndef PTX_ALLOC_FIT_H
#define PTX_ALLOC_FIT_H

#include "ptx/alloc/spill.h"
#include "ptx/ir/frames.h"

/* What is taken of each class: by a function, or with those below it. */
struct fit_need {
	uint32_t regs, preds;
};

/* ptx/alloc/fit.c: compiles one function to the limit, spilling if it must; below: by function,
 * what it takes with those below it. The function in the module is replaced and stays in
 * module.trial. Tells whether that was possible. */
bool fit_function(struct ir_module *, uint32_t function, const struct alloc_ops *,
	struct fit_need limit, const uint32_t *regs_below, const uint32_t *preds_below);

/* ptx/alloc/fit_kernel.c: replaces what the frames' functions are until fit_restore is called, so
 * that all together take no more than the limit; spills if they must, and builds the frames again.
 * Tells whether that was possible; if not, nothing is replaced. */
struct fit {
	struct ir_module *m;
	const struct alloc_ops *ops;
	struct frames *frames;
	struct ir_function *saved; /* as they were: of frames->order[] */
	uint32_t *order, n;
	uint32_t *want, *regs, *preds; /* by function, with those below it: before, and now */
	uint32_t *budget, *pred_budget;
};
bool fit_kernel(struct fit *, struct fit_need limit);
void fit_restore(struct fit *);

/* Kernels that call: the same without spills, in fewer registers than the frames have if possible,
 * by placing low what survives calls. */
void fit_tighten(struct fit *, uint32_t preds);

/* The least registers, up to `most`, for which fit_kernel succeeds; 0: for none. */
uint32_t fit_least(struct fit *, uint32_t most, uint32_t preds);

#endif
