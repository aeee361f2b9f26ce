/* Shared by all SM storage designs: what a CTA is allocated, and how many fit into a split. */
#include "mem/storage/storage.h"

#include "core/base.h"
#include "core/text.h"

#include <stdio.h>

#define FEWEST_REGISTERS 16u                           /* that a thread can be limited to */
#define REGISTER_BYTES (sizeof(uint32_t) * WARP_LANES) /* of a warp */

static const struct storage_rules none = {.p = {.register_files = 1, .cta_warp_unit = 1}};

static const struct storage_rules *rules_of(const struct storage_need *need)
{
	return need->rules ? need->rules : &none;
}

static uint64_t round_up(uint64_t v, uint64_t unit)
{
	return unit ? div_up(v, unit) * unit : v;
}

int storage_banked(const char *path, uint64_t bytes, unsigned row_bytes, struct err *err)
{
	if (bytes % row_bytes == 0)
		return 0;
	return err_add(err, ERR_INPUT, "%s = %llu: 32 banks of %u bytes need a multiple of %u",
		path, (unsigned long long)bytes, row_bytes / 32, row_bytes);
}

/* ---- allocation */
uint32_t storage_thread_registers(const struct storage_need *need)
{
	const struct storage_rules *r = rules_of(need);
	uint32_t regs = need->regs_per_thread;
	uint64_t unit = r->p.register_unit;

	if (regs <= STORAGE_THREAD_REGISTERS && r->doubled[regs / 64] >> (regs % 64) & 1)
		unit *= 2;
	return (uint32_t)(round_up((uint64_t)regs * WARP_LANES, unit) / WARP_LANES);
}

uint64_t storage_cta_registers(const struct storage_need *need)
{
	return storage_thread_registers(need) * REGISTER_BYTES * need->warps_per_cta;
}

uint64_t storage_cta_shared(const struct storage_need *need)
{
	const struct storage_rules *r = rules_of(need);

	return round_up(need->shared_per_cta + r->p.shared_reserved, r->p.shared_unit);
}

uint64_t storage_registers_of(const struct storage_need *need, uint64_t warps)
{
	return round_up(warps, rules_of(need)->p.register_files) * storage_thread_registers(need) *
	       REGISTER_BYTES;
}

const char *storage_cta_words(const struct storage_need *need, char out[STORAGE_WORDS])
{
	snprintf(out, STORAGE_WORDS, "a CTA of %u warp%s with %u register%s per thread",
		need->warps_per_cta, need->warps_per_cta == 1 ? "" : "s", need->regs_per_thread,
		need->regs_per_thread == 1 ? "" : "s");
	return out;
}

/* ---- limits of a CTA */
static uint64_t counted_registers(const struct storage_need *need)
{
	return (uint64_t)storage_thread_registers(need) * WARP_LANES *
	       round_up(need->warps_per_cta, rules_of(need)->p.cta_warp_unit);
}

static int refuse_registers(
	const struct storage_rules *r, const struct storage_need *need, struct err *err)
{
	struct storage_need fewer = *need;
	char words[STORAGE_WORDS];

	while (fewer.regs_per_thread && counted_registers(&fewer) > r->p.cta_registers)
		fewer.regs_per_thread--;
	return err_add(err, ERR_RESOURCE,
		"%s counts as %llu registers; occupancy.cta_registers is %llu: with %u per thread "
		"it would fit (gpu.max_regs=%u)",
		storage_cta_words(need, words), (unsigned long long)counted_registers(need),
		(unsigned long long)r->p.cta_registers, fewer.regs_per_thread,
		fewer.regs_per_thread);
}

int storage_admit(const struct storage_need *need, struct err *err)
{
	const struct storage_rules *r = rules_of(need);
	char words[STORAGE_WORDS];

	if (r->p.cta_threads && need->warps_per_cta * (uint64_t)WARP_LANES > r->p.cta_threads)
		return err_add(err, ERR_RESOURCE,
			"%s has more than occupancy.cta_threads = %llu: at most %llu warps",
			storage_cta_words(need, words), (unsigned long long)r->p.cta_threads,
			(unsigned long long)r->p.cta_threads / WARP_LANES);
	if (r->p.thread_registers && need->regs_per_thread > r->p.thread_registers)
		return err_add(err, ERR_RESOURCE,
			"%s exceeds occupancy.thread_registers = %llu: gpu.max_regs=%llu would "
			"spill the others",
			storage_cta_words(need, words), (unsigned long long)r->p.thread_registers,
			(unsigned long long)r->p.thread_registers);
	if (r->p.cta_registers && counted_registers(need) > r->p.cta_registers)
		return refuse_registers(r, need, err);
	if (r->p.cta_shared && need->shared_per_cta > r->p.cta_shared)
		return err_add(err, ERR_RESOURCE,
			"a CTA needs %u bytes of shared memory; occupancy.cta_shared is %llu",
			need->shared_per_cta, (unsigned long long)r->p.cta_shared);
	return 0;
}

int storage_admit_all(const struct storage_need *needs, unsigned n, struct err *err)
{
	for (unsigned i = 0; i < n; i++)
		if (storage_slots(&needs[i]) && storage_admit(&needs[i], err))
			return -1;
	return 0;
}

/* ---- CTAs that fit */
uint32_t storage_slots(const struct storage_need *need)
{
	uint32_t ctas = need->cta_slots ? need->cta_slots : UINT32_MAX;

	if (need->warp_slots && need->warps_per_cta)
		ctas = (uint32_t)min_u64(ctas, need->warp_slots / need->warps_per_cta);
	return ctas;
}

/* The part of the registers that a warp takes. A file that holds n warps is divided by n: of all
 * files together, as many parts fit as warps do. */
static uint64_t part_of_file(const struct storage_split *split, const struct storage_need *need)
{
	uint64_t files = rules_of(need)->p.register_files, file = split->register_bytes / files;
	uint64_t warp = storage_thread_registers(need) * REGISTER_BYTES;

	if (files == 1 || !warp)
		return warp;
	return file < warp ? split->register_bytes + 1 : file / (file / warp);
}

struct storage_hold storage_hold(const struct storage_split *split, const struct storage_need *need)
{
	return (struct storage_hold){
		.register_bytes = part_of_file(split, need) * need->warps_per_cta,
		.shared_bytes = storage_cta_shared(need)};
}

uint32_t storage_fit(const struct storage_split *left, const struct storage_hold *hold,
	const struct storage_need *need)
{
	uint64_t ctas = storage_slots(need);

	if (hold->register_bytes)
		ctas = min_u64(ctas, left->register_bytes / hold->register_bytes);
	if (hold->shared_bytes)
		ctas = min_u64(ctas, left->shared_bytes / hold->shared_bytes);
	return (uint32_t)ctas;
}

uint32_t storage_ctas(const struct storage_split *split, const struct storage_need *need)
{
	struct storage_hold hold = storage_hold(split, need);

	return storage_admit(need, NULL) ? 0 : storage_fit(split, &hold, need);
}

/* Of a thread, with which such a CTA fits; 0: it does not with any. */
static uint32_t most_registers(const struct storage_need *need, const struct storage_split *split)
{
	struct storage_need fewer = *need;

	while (fewer.regs_per_thread &&
		storage_hold(split, &fewer).register_bytes > split->register_bytes)
		fewer.regs_per_thread--;
	return fewer.regs_per_thread;
}

int storage_lacks_registers(const char *who, const struct storage_need *need,
	const struct storage_split *split, const char *path, struct err *err)
{
	unsigned long long files = rules_of(need)->p.register_files;
	char words[STORAGE_WORDS], among[48] = "", hint[48] = "";
	uint32_t most;

	if (storage_hold(split, need).register_bytes <= split->register_bytes)
		return 0;
	if (files > 1)
		snprintf(among, sizeof(among), " in %llu register files", files);
	most = most_registers(need, split);
	if (most >= FEWEST_REGISTERS)
		snprintf(hint, sizeof(hint), "; with gpu.max_regs=%u it would fit", most);
	return err_add(err, ERR_RESOURCE, "%s%s needs %llu bytes of registers; %s is %llu%s%s", who,
		storage_cta_words(need, words), (unsigned long long)storage_cta_registers(need),
		path, (unsigned long long)split->register_bytes, among, hint);
}

/* ---- several kernels */
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
