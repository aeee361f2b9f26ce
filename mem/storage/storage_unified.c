/* Unified SM storage: one memory whose banks hold registers, shared memory and cache, split for
 * each launch (Gebhart et al., MICRO 2012, sections 4.1 and 4.5). */
#include "core/base.h"
#include "core/table.h"
#include "mem/layout.h"
#include "msg/packet.h"

#include <stdio.h>

#define BANKS 32u
#define BANK_BYTES 16u
#define ROW_BYTES (BANKS * BANK_BYTES)

#define PARAMS(P, T) \
	P(T, UINT, bytes, 393216, 16384, 1 << 30, "bytes", \
		"Capacity of one SM, a multiple of the 512 bytes of a row of banks.") \
	P(T, UINT, threads, 0, 0, 2048, "threads", \
		"Threads to reserve storage for, at most, in whole warps; 0: as many as fit.") \
	P(T, UINT, register_bytes, 0, 0, 1 << 30, "bytes", \
		"Reserved for registers; 0: what the threads need.") \
	P(T, UINT, shared_bytes, 0, 0, 1 << 30, "bytes", \
		"Reserved for shared memory; 0: what the CTAs need.") \
	P(T, UINT, cache_bytes, 0, 0, 1 << 30, "bytes", \
		"Reserved for cache, before threads; 0: what they leave.") \
	P(T, UINT, cache_limit, 1 << 30, 0, 1 << 30, "bytes", \
		"Largest cache; storage left beyond it is unused.") \
	P(T, BOOL, listed_caches, false, 0, 1, "", \
		"The cache size is a power of two; the rest is unused.") \
	P(T, BOOL, combine, false, 0, 1, "", \
		"The 16 bytes that a cluster moves in a cycle may come from several of its " \
		"banks.") \
	P(T, BOOL, one_port, false, 0, 1, "", \
		"Stores conflict with the instruction's reads of registers in their banks; else " \
		"they have a port.")

struct unified {
	struct {
		PARAMS(PARAM_FIELD, unified)
	} p;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, unified)};

static int most(const void *self, struct storage_split *out, struct err *err)
{
	const struct unified *s = self;
	uint64_t set_aside = s->p.register_bytes + s->p.shared_bytes + s->p.cache_bytes;

	*out = (struct storage_split){.register_bytes = s->p.bytes,
		.shared_bytes = s->p.bytes,
		.cache_bytes = min_u64(s->p.bytes, s->p.cache_limit)};
	if (s->p.bytes % ROW_BYTES)
		return err_add(err, ERR_INPUT,
			"storage.unified.bytes = %llu: %u banks of %u bytes need a multiple of %u",
			(unsigned long long)s->p.bytes, BANKS, BANK_BYTES, ROW_BYTES);
	if (set_aside > s->p.bytes)
		return err_add(err, ERR_INPUT,
			"storage.unified.register_bytes, shared_bytes and cache_bytes are %llu "
			"together, storage.unified.bytes is %llu",
			(unsigned long long)set_aside, (unsigned long long)s->p.bytes);
	if (s->p.register_bytes % LINE_BYTES || s->p.shared_bytes % LINE_BYTES)
		return err_add(err, ERR_INPUT,
			"storage.unified.register_bytes = %llu, shared_bytes = %llu: each must be "
			"a multiple of %u, a row of one bank in every cluster",
			(unsigned long long)s->p.register_bytes,
			(unsigned long long)s->p.shared_bytes, LINE_BYTES);
	if (s->p.cache_bytes % ROW_BYTES)
		return err_add(err, ERR_INPUT,
			"storage.unified.cache_bytes = %llu: must be a multiple of a row, %u bytes",
			(unsigned long long)s->p.cache_bytes, ROW_BYTES);
	if (s->p.cache_bytes > s->p.cache_limit)
		return err_add(err, ERR_INPUT,
			"storage.unified.cache_bytes = %llu is more than "
			"storage.unified.cache_limit = %llu",
			(unsigned long long)s->p.cache_bytes, (unsigned long long)s->p.cache_limit);
	return 0;
}

/* A cluster accesses one of its banks in a cycle, so memory accesses conflict by cluster: section
 * 4.2. A tag has one bit more than that of 64 KB, for a cache of half its size. */
static struct bank_layout banks(const void *self)
{
	const struct unified *s = self;

	return (struct bank_layout){.banks = BANK_CLUSTERS,
		.bank_bytes = BANK_BYTES,
		.one_store = true,
		.unified = true,
		.combines = s->p.combine,
		.one_port = s->p.one_port,
		.register_capacity = s->p.bytes / BANKS,
		.shared_capacity = s->p.bytes / BANKS,
		.cache_capacity = s->p.bytes / BANKS,
		.bytes = s->p.bytes,
		.tag_bits = 19};
}

/* CTAs of a kernel among that many resident warps. */
static uint64_t ctas_of(const struct storage_need *need, uint64_t warps)
{
	uint64_t ctas = need->warps_per_cta ? warps / need->warps_per_cta : warps;

	return min_u64(ctas, storage_slots(need));
}

/* Registers and shared memory for that many warps: registers for the most threads that any kernel
 * makes of them, at the registers of the kernel that has most; shared memory for each kernel's
 * CTAs. False when that exceeds the capacity, or holds no CTA of a kernel. */
static bool reserve_for(const struct unified *s, const struct storage_need *needs, unsigned n,
	uint64_t warps, struct storage_split *out)
{
	struct storage_need all = storage_most_needed(needs, n);
	uint64_t most = 0, registers, shared = 0;

	for (unsigned i = 0; i < n; i++) {
		uint64_t ctas = ctas_of(&needs[i], warps);

		if (!ctas && storage_slots(&needs[i]))
			return false;
		most = max_u64(most, ctas * needs[i].warps_per_cta);
		shared = max_u64(shared, ctas * storage_cta_shared(&needs[i]));
	}
	registers = storage_registers_of(&all, most);
	out->register_bytes = s->p.register_bytes ? s->p.register_bytes : registers;
	out->shared_bytes = s->p.shared_bytes ? s->p.shared_bytes : shared;
	return most && registers <= out->register_bytes && shared <= out->shared_bytes &&
	       out->register_bytes + out->shared_bytes + s->p.cache_bytes <= s->p.bytes;
}

/* An upper bound: no split can hold more warps of any of the kernels. */
static uint64_t most_warps(const struct unified *s, const struct storage_need *needs, unsigned n)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < n; i++) {
		uint64_t cta = storage_cta_registers(&needs[i]) + storage_cta_shared(&needs[i]);
		uint64_t ctas = min_u64(storage_slots(&needs[i]), s->p.bytes / (cta ? cta : 1));

		most = max_u64(most, ctas * needs[i].warps_per_cta);
	}
	return s->p.threads ? min_u64(most, div_up(s->p.threads, WARP_LANES)) : most;
}

static uint64_t cache_of(const struct unified *s, uint64_t rest)
{
	uint64_t limit = s->p.cache_bytes ? s->p.cache_bytes : s->p.cache_limit;
	uint64_t bytes = min_u64(rest, limit) / ROW_BYTES * ROW_BYTES;

	if (!s->p.listed_caches || !bytes)
		return bytes;
	return UINT64_C(1) << (63 - __builtin_clzll(bytes));
}

/* Gives the cache the rest. False when the banks cannot hold it all: registers may fill them
 * unevenly by a row. */
static bool lay_out(const struct unified *s, const struct storage_need *needs, unsigned n,
	struct storage_split *out)
{
	struct bank_layout layout = banks(s);
	struct layout_map map;

	out->cache_bytes = cache_of(s, s->p.bytes - out->register_bytes - out->shared_bytes);
	if (layout_map(&map, &layout, out, needs, n))
		return true;
	out->cache_bytes = 0;
	if (!layout_map(&map, &layout, out, needs, n))
		return false;
	out->cache_bytes = cache_of(s, layout_free_lines(&map) * LINE_BYTES);
	return out->cache_bytes >= s->p.cache_bytes;
}

/* `set`: what a parameter reserves for it; 0: everything that the cache does not take. */
static bool too_much(const struct unified *s, uint64_t need, uint64_t set)
{
	return need > (set ? set : s->p.bytes - s->p.cache_bytes);
}

static int report_one(const struct unified *s, const char *who, const char *what, uint64_t need,
	uint64_t set, struct err *err)
{
	const char *row = *what == 'r' ? "register_bytes" : "shared_bytes";

	return err_add(err, ERR_RESOURCE, "%s needs %llu bytes of %s; storage.unified.%s is %llu%s",
		who, (unsigned long long)need, what, set ? row : "bytes",
		(unsigned long long)(set ? set : s->p.bytes),
		!set && s->p.cache_bytes ? ", of which storage.unified.cache_bytes are cache" : "");
}

/* Reports which of threads, registers and shared memory is too much; both memories if neither is
 * alone. */
static int report_too_small(
	const struct unified *s, const struct storage_need *needs, unsigned n, struct err *err)
{
	struct storage_need most = storage_most_needed(needs, n);
	uint64_t registers = storage_registers_of(&most, most.warps_per_cta);
	uint64_t shared = storage_cta_shared(&most);
	char who[128], words[STORAGE_WORDS];

	snprintf(who, sizeof(who), "%s%s",
		n == 1 ? "" : "one split for all kernels: ", storage_cta_words(&most, words));
	if (s->p.threads && most.warps_per_cta > div_up(s->p.threads, WARP_LANES))
		return err_add(err, ERR_RESOURCE,
			"%s does not fit into storage.unified.threads = %llu", who,
			(unsigned long long)s->p.threads);
	if (too_much(s, registers, s->p.register_bytes))
		return report_one(s, who, "registers", registers, s->p.register_bytes, err);
	if (too_much(s, shared, s->p.shared_bytes))
		return report_one(s, who, "shared memory", shared, s->p.shared_bytes, err);
	return err_add(err, ERR_RESOURCE,
		"%s needs %llu bytes of registers and %llu of shared memory together; "
		"storage.unified.bytes is %llu%s",
		who, (unsigned long long)registers, (unsigned long long)shared,
		(unsigned long long)s->p.bytes,
		s->p.cache_bytes ? ", of which storage.unified.cache_bytes are cache" : "");
}

/* Section 4.5: registers for as many threads as can be resident, their shared memory, the rest is
 * cache. */
static int split(const void *self, const struct storage_need *needs, unsigned n,
	struct storage_split *out, struct err *err)
{
	const struct unified *s = self;
	uint64_t warps = most_warps(s, needs, n);
	bool any = false;

	*out = (struct storage_split){0};
	if (storage_admit_all(needs, n, err))
		return -1;
	for (unsigned i = 0; i < n; i++)
		any |= storage_slots(&needs[i]) > 0;
	while (warps && !(reserve_for(s, needs, n, warps, out) && lay_out(s, needs, n, out)))
		warps--;
	if (!warps)
		out->cache_bytes = 0;
	return warps || !any ? 0 : report_too_small(s, needs, n, err);
}

/* Whether a launch of that need gets a split for that number of CTAs. */
static bool holds(const struct unified *s, const struct storage_need *need, uint32_t ctas)
{
	struct storage_split out;

	return !split(s, need, 1, &out, NULL) && storage_ctas(&out, need) >= ctas;
}

/* The largest value of one of the need's fields, below `high`, with which it does: what holds with
 * a value holds with every smaller one. */
static uint32_t largest(const struct unified *s, struct storage_need *need, uint32_t *field,
	uint32_t ctas, uint64_t high)
{
	uint64_t low = 0;

	*field = 0;
	if (!holds(s, need, ctas))
		return STORAGE_NONE;
	while (high - low > 1) {
		uint64_t middle = (low + high) / 2;

		*field = (uint32_t)middle;
		if (holds(s, need, ctas))
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)low;
}

static struct storage_allowance allow(
	const void *self, const struct storage_need *need, uint32_t ctas)
{
	const struct unified *s = self;
	struct storage_need regs = *need, shared = *need;

	return (struct storage_allowance){
		.regs_per_thread = largest(
			s, &regs, &regs.regs_per_thread, ctas, STORAGE_THREAD_REGISTERS + 1),
		.shared_per_cta =
			largest(s, &shared, &shared.shared_per_cta, ctas, s->p.bytes + 1)};
}

static const struct storage_ops ops = {
	.split = split, .allow = allow, .most = most, .banks = banks};

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
