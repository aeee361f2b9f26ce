/* Shared by all SM storage designs: how many CTAs fit into a split. */
#include "mem/storage.h"

#include "core/base.h"

#include <stdio.h>

int storage_banked(const char *path, uint64_t bytes, unsigned row_bytes, struct err *err)
{
	if (bytes % row_bytes == 0)
		return 0;
	return err_add(err, ERR_INPUT, "%s = %llu: 32 banks of %u bytes need a multiple of %u",
		path, (unsigned long long)bytes, row_bytes / 32, row_bytes);
}

uint64_t storage_cta_registers(const struct storage_need *need)
{
	return (uint64_t)need->regs_per_thread * sizeof(uint32_t) * WARP_LANES *
	       need->warps_per_cta;
}

const char *storage_cta_words(const struct storage_need *need, char out[STORAGE_WORDS])
{
	snprintf(out, STORAGE_WORDS, "a CTA of %u warp%s with %u register%s per thread",
		need->warps_per_cta, need->warps_per_cta == 1 ? "" : "s", need->regs_per_thread,
		need->regs_per_thread == 1 ? "" : "s");
	return out;
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

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

unsigned storage_gather(struct storage_need *needs, unsigned n, const struct storage_need *need)
{
	unsigned i = 0;

	while (i < n && (needs[i].regs_per_thread != need->regs_per_thread ||
				needs[i].shared_per_cta != need->shared_per_cta))
		i++;
	if (i == n)
		needs[n++] = *need;
	else
		needs[i].warps_per_cta = larger(needs[i].warps_per_cta, need->warps_per_cta);
	return n;
}

struct storage_need storage_most_needed(const struct storage_need *needs, unsigned n)
{
	struct storage_need most = needs[0];

	for (unsigned i = 1; i < n; i++) {
		most.regs_per_thread = larger(most.regs_per_thread, needs[i].regs_per_thread);
		most.warps_per_cta = larger(most.warps_per_cta, needs[i].warps_per_cta);
		most.shared_per_cta = larger(most.shared_per_cta, needs[i].shared_per_cta);
	}
	return most;
}
