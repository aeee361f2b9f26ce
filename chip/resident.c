/* The registers that a machine's SM has for CTAs that are to be resident. */
#include "chip/resident.h"

#include "chip/inside.h"
#include "mem/storage/storage.h"
#include "sm/sm.h"

#include <string.h>

/* Of a design of storage; 0: that number of CTAs does not fit. */
static uint32_t allowed(const struct plugin *design, struct config *config,
	const struct storage_need *need, uint32_t ctas)
{
	void *self = mem_alloc(1, design->size + 1);
	const struct storage_ops *ops = design->ops;
	struct storage_split most;
	uint32_t regs = STORAGE_NONE;

	if (!self)
		return 0;
	config_peek(config, design->path, design->params, design->nparams, self, NULL);
	if (!ops->most(self, &most, NULL))
		regs = ops->allow(self, need, ctas).regs_per_thread;
	mem_free(self);
	return regs == STORAGE_NONE ? 0 : regs;
}

/* What is wrong with the settings is reported where the chip is built. */
uint32_t resident_regs(void *config, uint32_t threads, uint32_t ctas)
{
	struct storage_rules rules = {0};
	struct storage_need need = {
		.warps_per_cta = (uint32_t)div_up(threads, WARP_LANES), .rules = &rules};
	const struct plugin *design = chip_storage_design(config);

	if (!design || storage_rules_peek(&rules, config))
		return 0;
	sm_slots_peek(config, &need.warp_slots, &need.cta_slots);
	need.warp_slots = storage_rules_warps(&rules, need.warp_slots);
	return ctas ? allowed(design, config, &need, ctas) : 0;
}
