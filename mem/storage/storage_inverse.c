/* The inverse of the rule of mem/storage/storage.c: what a kernel may have so that a split holds a
 * number of its CTAs. */
#include "mem/storage/storage.h"

#include "core/base.h"

#define WARP_WORD (sizeof(uint32_t) * WARP_LANES) /* a register of a warp, bytes */

/* Bytes of registers that a warp may have: its file holds its share of the warps, and a CTA stays
 * below its own limit. */
static uint64_t bytes_of_warp(const struct storage_split *split, const struct storage_need *need,
	const struct storage_rules *r, uint32_t ctas)
{
	uint64_t files = r ? r->p.register_files : 1, unit = r ? r->p.cta_warp_unit : 1;
	uint64_t warps = div_up((uint64_t)ctas * need->warps_per_cta, files);
	uint64_t bytes = split->register_bytes / files / max_u64(warps, 1);

	if (!r || !r->p.cta_registers || !need->warps_per_cta)
		return bytes;
	return min_u64(bytes,
		r->p.cta_registers / (div_up(need->warps_per_cta, unit) * unit) * sizeof(uint32_t));
}

static uint32_t most_registers(
	const struct storage_split *split, struct storage_need need, uint32_t ctas)
{
	const struct storage_rules *r = need.rules;
	uint64_t bytes = bytes_of_warp(split, &need, r, ctas), most = STORAGE_THREAD_REGISTERS;

	need.regs_per_thread = 0;
	if (storage_ctas(split, &need) < ctas)
		return STORAGE_NONE;
	if (r && r->p.thread_registers)
		most = r->p.thread_registers;
	need.regs_per_thread = (uint32_t)min_u64(most, bytes / WARP_WORD);
	while (storage_thread_registers(&need) * WARP_WORD > bytes)
		need.regs_per_thread--;
	return need.regs_per_thread;
}

static uint32_t most_shared(
	const struct storage_split *split, struct storage_need need, uint32_t ctas)
{
	const struct storage_rules *r = need.rules;
	uint64_t bytes = split->shared_bytes / ctas;

	need.shared_per_cta = 0;
	if (storage_ctas(split, &need) < ctas)
		return STORAGE_NONE;
	if (r && r->p.shared_unit)
		bytes = bytes / r->p.shared_unit * r->p.shared_unit;
	if (r)
		bytes -= r->p.shared_reserved;
	if (r && r->p.cta_shared)
		bytes = min_u64(bytes, r->p.cta_shared);
	return (uint32_t)bytes;
}

struct storage_allowance storage_allow(
	const struct storage_split *split, const struct storage_need *need, uint32_t ctas)
{
	return (struct storage_allowance){.regs_per_thread = most_registers(split, *need, ctas),
		.shared_per_cta = most_shared(split, *need, ctas)};
}
