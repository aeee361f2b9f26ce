/* What all SM storage designs share: how many CTAs fit into a partitioning. */
#include "mem/storage.h"

#include "core/base.h"

uint32_t storage_ctas(const struct storage_split *split, const struct storage_need *need)
{
	uint64_t warp_bytes = (uint64_t)need->regs_per_thread * 4 * WARP_LANES;
	uint64_t ctas = UINT32_MAX;

	if (warp_bytes && need->warps_per_cta)
		ctas = min_u64(ctas, split->register_bytes / warp_bytes / need->warps_per_cta);
	if (need->shared_per_cta)
		ctas = min_u64(ctas, split->shared_bytes / need->shared_per_cta);
	return (uint32_t)ctas;
}
