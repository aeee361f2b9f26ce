/* What all SM storage designs share: how many CTAs fit into a partitioning. */
#include "mem/storage.h"

#include "core/base.h"

uint64_t storage_cta_registers(const struct storage_need *need)
{
	return (uint64_t)need->regs_per_thread * sizeof(uint32_t) * WARP_LANES *
	       need->warps_per_cta;
}

uint32_t storage_slots(const struct storage_need *need)
{
	uint32_t ctas = need->cta_slots ? need->cta_slots : UINT32_MAX;

	if (need->warp_slots && need->warps_per_cta)
		ctas = (uint32_t)min_u64(ctas, need->warp_slots / need->warps_per_cta);
	return ctas;
}

uint32_t storage_ctas(const struct storage_split *split, const struct storage_need *need)
{
	uint64_t registers = storage_cta_registers(need);
	uint64_t ctas = storage_slots(need);

	if (registers)
		ctas = min_u64(ctas, split->register_bytes / registers);
	if (need->shared_per_cta)
		ctas = min_u64(ctas, split->shared_bytes / need->shared_per_cta);
	return (uint32_t)ctas;
}
