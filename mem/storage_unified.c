/* Unified SM storage: one memory whose banks hold registers, shared memory and cache, partitioned
 * for each launch (Gebhart et al., MICRO 2012, sections 4.1 and 4.5). */
#include "core/base.h"
#include "core/table.h"
#include "mem/storage.h"

#define BANKS 32u
#define BANK_BYTES 16u
#define ROW_BYTES (BANKS * BANK_BYTES)

#define PARAMS(P, T) \
	P(T, UINT, bytes, 393216, 16384, 1 << 30, "bytes", \
		"Capacity of one SM, a multiple of the 512 bytes of a row of banks.") \
	P(T, UINT, threads, 0, 0, 2048, "threads", \
		"Most threads that storage is set aside for, in whole warps; 0: as many as fit.") \
	P(T, UINT, register_bytes, 0, 0, 1 << 30, "bytes", \
		"Set aside for registers; 0: what the threads need.") \
	P(T, UINT, shared_bytes, 0, 0, 1 << 30, "bytes", \
		"Set aside for shared memory; 0: what the CTAs need.") \
	P(T, UINT, cache_limit, 1 << 30, 0, 1 << 30, "bytes", \
		"Most that becomes cache; what is left beyond it is switched off.") \
	P(T, BOOL, listed_caches, false, 0, 1, "", \
		"The cache has a power of two of bytes, the rest stays unused.") \
	P(T, BOOL, combine, false, 0, 1, "", \
		"The 16 bytes that a cluster moves in a cycle may come from several of its " \
		"banks.") \
	P(T, BOOL, one_port, false, 0, 1, "", \
		"Stores meet the instruction's reads of registers in their banks; else they have " \
		"a port.")

struct unified {
	struct {
		PARAMS(PARAM_FIELD, unified)
	} p;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, unified)};

static int most(const void *self, struct storage_split *out, struct err *err)
{
	const struct unified *s = self;
	uint64_t set_aside = s->p.register_bytes + s->p.shared_bytes;

	*out = (struct storage_split){.register_bytes = s->p.bytes,
		.shared_bytes = s->p.bytes,
		.cache_bytes = min_u64(s->p.bytes, s->p.cache_limit)};
	if (s->p.bytes % ROW_BYTES)
		return err_add(err, ERR_INPUT,
			"storage.unified.bytes = %llu: %u banks of %u bytes need a multiple of %u",
			(unsigned long long)s->p.bytes, BANKS, BANK_BYTES, ROW_BYTES);
	if (set_aside > s->p.bytes)
		return err_add(err, ERR_INPUT,
			"storage.unified.register_bytes and shared_bytes are %llu together, "
			"storage.unified.bytes is %llu",
			(unsigned long long)set_aside, (unsigned long long)s->p.bytes);
	return 0;
}

/* Registers and shared memory for n CTAs. False when that is more than there is. */
static bool set_aside(const struct unified *s, const struct storage_need *need, uint64_t n,
	struct storage_split *out)
{
	uint64_t registers = n * storage_cta_registers(need), shared = n * need->shared_per_cta;

	out->register_bytes = s->p.register_bytes ? s->p.register_bytes : registers;
	out->shared_bytes = s->p.shared_bytes ? s->p.shared_bytes : shared;
	return registers <= out->register_bytes && shared <= out->shared_bytes &&
	       out->register_bytes + out->shared_bytes <= s->p.bytes;
}

static uint64_t most_ctas(const struct unified *s, const struct storage_need *need)
{
	uint64_t cta = storage_cta_registers(need) + need->shared_per_cta;
	uint64_t n = storage_slots(need);

	if (s->p.threads && need->warps_per_cta)
		n = min_u64(n, div_up(s->p.threads, WARP_LANES) / need->warps_per_cta);
	return min_u64(n, cta ? s->p.bytes / cta : 0);
}

static uint64_t cache_of(const struct unified *s, uint64_t rest)
{
	uint64_t bytes = min_u64(rest, s->p.cache_limit) / ROW_BYTES * ROW_BYTES;

	if (!s->p.listed_caches || !bytes)
		return bytes;
	return UINT64_C(1) << (63 - __builtin_clzll(bytes));
}

/* Section 4.5: registers for as many threads as can be resident, their shared memory, the rest is
 * cache. */
static int split(const void *self, const struct storage_need *need, struct storage_split *out,
	struct err *err)
{
	const struct unified *s = self;
	uint64_t n = most_ctas(s, need);

	while (n && !set_aside(s, need, n, out))
		n--;
	out->cache_bytes =
		n ? cache_of(s, s->p.bytes - out->register_bytes - out->shared_bytes) : 0;
	if (n || !storage_slots(need))
		return 0;
	return err_add(err, ERR_RESOURCE,
		"a CTA of %u warps needs %llu bytes of registers (%u registers per thread) and %u "
		"of shared memory; storage.unified.bytes is %llu%s",
		need->warps_per_cta, (unsigned long long)storage_cta_registers(need),
		need->regs_per_thread, need->shared_per_cta, (unsigned long long)s->p.bytes,
		s->p.threads || s->p.register_bytes || s->p.shared_bytes
			? ", and storage.unified.threads, register_bytes, shared_bytes limit it"
			: "");
}

/* A cluster drives one of its banks in a cycle, so the cluster is what memory accesses meet in:
 * section 4.2. A tag has one bit more than that of 64 KB: it serves a cache of half its size. */
static struct bank_layout banks(const void *self)
{
	const struct unified *s = self;

	return (struct bank_layout){.banks = BANK_CLUSTERS,
		.bank_bytes = BANK_BYTES,
		.unified = true,
		.combines = s->p.combine,
		.one_port = s->p.one_port,
		.register_capacity = s->p.bytes / BANKS,
		.shared_capacity = s->p.bytes / BANKS,
		.cache_capacity = s->p.bytes / BANKS,
		.bytes = s->p.bytes,
		.tag_bits = 19};
}

static const struct storage_ops ops = {.split = split, .most = most, .banks = banks};

const struct plugin storage_unified = {
	.kind = "storage",
	.name = "unified",
	.text = "One memory: registers, shared memory as the launch needs them, the rest is cache.",
	.path = "storage.unified",
	.size = sizeof(struct unified),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
