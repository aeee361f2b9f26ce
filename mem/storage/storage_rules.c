/* The units and limits of allocation: reading and checking them. */
#include "mem/storage/storage_rules.h"

#include "core/base.h"
#include "core/text.h"
#include "mem/banks.h"

#include <stdlib.h>

static const struct param_def params[] = {STORAGE_RULES_PARAMS(PARAM_ROW, storage_rules)};

const struct param_table storage_rules_params = {"occupancy", params, ARRAY_LEN(params)};

#define MOST_REGISTERS 255u

static int check_power(const char *name, uint64_t v, const char *unit, struct err *err)
{
	unsigned long long below = 1;

	if (!(v & (v - 1)))
		return 0;
	while (below * 2 < v)
		below *= 2;
	return err_add(err, ERR_INPUT,
		"occupancy.%s = %llu: a unit must be a power of two, such as %llu or %llu %s", name,
		(unsigned long long)v, below, below * 2, unit);
}

/* "21,22,29" into bits. */
static int read_doubled(struct storage_rules *r, struct err *err)
{
	const char *at = r->p.register_unit_doubled;

	while (*at) {
		char *after;
		unsigned long v = *at >= '0' && *at <= '9' ? strtoul(at, &after, 10) : 0;

		if (!v || v > MOST_REGISTERS || (*after != ',' && *after) ||
			(*after == ',' && !after[1]))
			return err_add(err, ERR_INPUT,
				"occupancy.register_unit_doubled = '%s': must be registers per "
				"thread, 1 to %u, separated by commas, such as \"21,22\"",
				r->p.register_unit_doubled, MOST_REGISTERS);
		r->doubled[v / 64] |= UINT64_C(1) << (v % 64);
		at = *after ? after + 1 : after;
	}
	return 0;
}

static int check_warps(const char *name, uint64_t threads, struct err *err)
{
	if (threads % WARP_LANES == 0)
		return 0;
	return err_add(err, ERR_INPUT,
		"occupancy.%s = %llu: must be whole warps of %u threads, such as %llu", name,
		(unsigned long long)threads, WARP_LANES,
		(unsigned long long)div_up(threads, WARP_LANES) * WARP_LANES);
}

/* What is read, checked. */
static int check(struct storage_rules *r, struct err *err)
{
	int bad;

	memset(r->doubled, 0, sizeof(r->doubled));
	bad = check_power("register_unit", r->p.register_unit, "registers", err);
	bad |= check_power("shared_unit", r->p.shared_unit, "bytes", err);
	bad |= check_warps("threads", r->p.threads, err);
	bad |= check_warps("cta_threads", r->p.cta_threads, err);
	return bad | read_doubled(r, err) ? -1 : 0;
}

int storage_rules_load(struct storage_rules *r, struct config *config, struct err *err)
{
	const struct param_table *t = &storage_rules_params;
	int bad = config_load(config, t->prefix, t->defs, t->n, r, err);

	return bad | check(r, err) ? -1 : 0;
}

int storage_rules_peek(struct storage_rules *r, struct config *config)
{
	const struct param_table *t = &storage_rules_params;
	int bad = config_peek(config, t->prefix, t->defs, t->n, r, NULL);

	return bad | check(r, NULL) ? -1 : 0;
}

/* Registers: the files are equal, and each holds a unit. */
static int suit_registers(const struct storage_rules *r, uint64_t bytes, struct err *err)
{
	unsigned long long files = r->p.register_files, file = bytes / files;
	unsigned long long unit = r->p.register_unit * (*r->p.register_unit_doubled ? 2 : 1);

	if (bytes % files)
		return err_add(err, ERR_INPUT,
			"occupancy.register_files = %llu: does not divide the %llu bytes of an "
			"SM's registers; a power of two would",
			files, (unsigned long long)bytes);
	if (unit * sizeof(uint32_t) <= file)
		return 0;
	return err_add(err, ERR_INPUT,
		"occupancy.register_unit = %llu%s: a register file of an SM has %llu registers "
		"(%llu bytes in %llu file%s): at most that many",
		(unsigned long long)r->p.register_unit,
		*r->p.register_unit_doubled ? ", doubled for some kernels" : "",
		file / sizeof(uint32_t), (unsigned long long)bytes, files, text_s(files));
}

static int suit_shared(const char *name, uint64_t v, uint64_t bytes, struct err *err)
{
	if (v <= bytes)
		return 0;
	return err_add(err, ERR_INPUT,
		"occupancy.%s = %llu: an SM has %llu bytes of shared memory: at most that many",
		name, (unsigned long long)v, (unsigned long long)bytes);
}

int storage_rules_suit(const struct storage_rules *r, uint64_t register_bytes,
	uint64_t shared_bytes, struct err *err)
{
	int bad = suit_registers(r, register_bytes, err);

	bad |= suit_shared("shared_unit", r->p.shared_unit, shared_bytes, err);
	bad |= suit_shared("shared_reserved", r->p.shared_reserved, shared_bytes, err);
	return bad;
}

uint32_t storage_rules_warps(const struct storage_rules *r, uint32_t slots)
{
	return r->p.threads ? (uint32_t)min_u64(slots, r->p.threads / WARP_LANES) : slots;
}
