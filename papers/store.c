/* The machines: settings on the chip of MICRO 2012. */
#include "papers/store.h"

#include <stdio.h>
#include <string.h>

#define CHIP "m12"

/* The SM in both columns: section 2.1's hierarchy and scheduler, conflicts as in section 4.3, one
 * partitioning as in 4.5. */
#define SM \
	"sm.scheduler=two_level sm.two_level.active_warps=8 rf.hierarchy=software rf.entries=4 " \
	"rf.lrf=1 " \
	"sm.bank_conflicts=penalty chip.partition=application"

/* The paper's machine: one SM with an even share of the bandwidth, whose cache keeps its lines. */
#define ONE_SM \
	"chip.sms=1 chip.channels=1 chip.slices=1 chip.bytes_per_ns=8 chip.network=ideal " \
	"l2.bytes=0 sm.invalidate_l1=false"

struct design store_partitioned(const char *more)
{
	return design_of(CHIP, "chip.storage=partitioned %s", more);
}

struct design store_unified(unsigned kb, const char *more)
{
	return design_of(CHIP, "chip.storage=unified storage.unified.bytes=%uK %s", kb, more);
}

struct design store_fermi(unsigned split, const char *more)
{
	return design_of(CHIP, "chip.storage=fermi storage.fermi.split=%u %s", split, more);
}

struct design store_unbounded(unsigned threads, unsigned registers, unsigned cache_kb)
{
	return design_of(CHIP,
		"chip.storage=partitioned storage.partitioned.register_bytes=64M "
		"storage.partitioned.shared_bytes=64M storage.partitioned.cache_bytes=%uK "
		"gpu.max_regs=%u sm.warps=%u",
		cache_kb, registers, threads / WARP_LANES);
}

/* A variant of the chip (runs/variants.h), of the chip's 32 SMs with 8 B/ns each. */
struct design store_variant(enum variant_id id, const struct design *d)
{
	static const char *const values[] = {
		[KNOB_SHARE_BYTES] = "8", [KNOB_SMS] = "32", [KNOB_TCK] = "750"};
	char set[512] = "";
	struct design out;

	for (const struct knob *k = variants[id].knobs; k->kind != KNOB_END; k++) {
		size_t n = strlen(set);

		snprintf(set + n, sizeof(set) - n, "%s=%s ", k->path,
			k->kind == KNOB_VALUE ? k->value : values[k->kind]);
		BUG_ON(strlen(set) == sizeof(set) - 1);
	}
	out = design_of(CHIP, SM " %s%s", set, d->set);
	out.as_it_is = true;
	return out;
}

struct design store_seen(const struct design *d, unsigned column)
{
	return design_of(CHIP, SM "%s %s", column == STORE_CHIP ? "" : " " ONE_SM, d->set);
}
