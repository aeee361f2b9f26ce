/* Private to ptx/: the order of a function's instructions before register allocation. */
#ifndef PTX_COMPILE_ORDER_H
#define PTX_COMPILE_ORDER_H

#include "ptx/ir/live.h"

struct order_options {
	bool merge; /* accesses of shared memory */
	enum schedule_kind schedule;
	uint32_t extra; /* registers above the pressure of the PTX order that scheduling may use */
	uint32_t least; /* registers that it may use in any case */
};

/* Merges accesses and schedules the function as the options say, within `max_regs` registers of a
 * thread. Returns its liveness. */
const struct live *order_function(
	struct ir_module *, struct ir_function *, const struct order_options *, uint32_t max_regs);

#endif
