/* Private to ptx/: register allocation of a kernel and its callees under a limit. */
#ifndef PTX_ALLOC_FIT_H
#define PTX_ALLOC_FIT_H

#include "ptx/alloc/spill.h"
#include "ptx/ir/frames.h"

/* Registers of each class used by a function, or by a function and its callees. */
struct fit_need {
	uint32_t regs, preds;
};

/* ptx/alloc/fit.c: allocates one function under the limit and spills if necessary. `below`: by
 * function, the registers used by it and its callees. Replaces the function in the module; its
 * memory is in module.trial. Returns whether the limit was met. */
bool fit_function(struct ir_module *, uint32_t function, const struct alloc_ops *,
	struct fit_need limit, const uint32_t *regs_below, const uint32_t *preds_below);

/* Assigns the function's spill slots in its frame of local memory, except those in shared memory.
 * False: there are too many. */
bool fit_assign_slots(
	struct ir_function *, const struct live *, const struct alloc_ops *, struct arena *work);

/* ptx/alloc/fit_kernel.c: replaces the functions of the frames, until fit_restore is called, so
 * that all together meet the limit; spills if necessary and rebuilds the frames. Returns whether
 * the limit was met; if not, nothing is replaced. */
struct fit {
	struct ir_module *m;
	const struct alloc_ops *ops;
	struct frames *frames;
	struct ir_function *saved; /* the original functions of frames->order[] */
	uint32_t *order, n;
	uint32_t *want, *regs, *preds; /* by function, with its callees: originally, and now */
	uint32_t *budget, *pred_budget;
};
bool fit_kernel(struct fit *, struct fit_need limit);
void fit_restore(struct fit *);

/* For kernels with calls: uses fewer registers than the current frames if possible without
 * spilling, by giving registers that survive calls low numbers. */
void fit_tighten(struct fit *, uint32_t preds);

/* The smallest limit, at most `most`, for which fit_kernel succeeds; 0: none. */
uint32_t fit_least(struct fit *, uint32_t most, uint32_t preds);

#endif
