/* The compute capabilities 2.0 to 9.0. */
#include "chip/capability.h"

#include "core/text.h"
#include "mem/storage/storage.h"
#include "mem/storage/storage_rules.h"
#include "program/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALCULATOR "Nsight Compute's occupancy calculator (as in tmcdonell/cuda, Device.chs)"
#define GUIDE "CUDA C++ Programming Guide, technical specifications"
#define HEADER "CUDA 12.5, cuda_occupancy.h; "
#define OLD_HEADER "CUDA 8.0, cuda_occupancy.h; "
/* Without opting in a CTA has at most 48 KB; kernels here are taken to opt in. */

const struct capability capabilities[] = {
	/* name; warps, CTAs, registers of an SM; registers of a CTA, of a thread; their unit,
	 * files, warp unit of a CTA's limit; shared memory of a CTA, unit, reserved; with cache;
	 * design, capacities; source: the columns of struct capability */
	{"2.0", 48, 8, 32768, 32768, 63, 64, 2, 2, 48, 128, 0, 64, "fermi", "16,48",
		OLD_HEADER CALCULATOR},
	{"2.1", 48, 8, 32768, 32768, 63, 64, 2, 2, 48, 128, 0, 64, "fermi", "16,48",
		OLD_HEADER CALCULATOR},
	{"3.0", 64, 16, 65536, 65536, 63, 256, 4, 4, 48, 256, 0, 64, "fermi", "16,32,48",
		HEADER CALCULATOR},
	{"3.2", 64, 16, 65536, 32768, 255, 256, 4, 4, 48, 256, 0, 64, "fermi", "16,32,48",
		HEADER CALCULATOR},
	{"3.5", 64, 16, 65536, 65536, 255, 256, 4, 4, 48, 256, 0, 64, "fermi", "16,32,48",
		HEADER CALCULATOR},
	{"3.7", 64, 16, 131072, 65536, 255, 256, 4, 4, 48, 256, 0, 128, "fermi", "80,96,112",
		HEADER CALCULATOR},
	{"5.0", 64, 32, 65536, 65536, 255, 256, 4, 4, 48, 256, 0, 0, "partitioned", "64",
		HEADER CALCULATOR},
	{"5.2", 64, 32, 65536, 32768, 255, 256, 4, 4, 48, 256, 0, 0, "partitioned", "96",
		HEADER CALCULATOR "; the guide has 65536 registers of a CTA"},
	{"5.3", 64, 32, 65536, 32768, 255, 256, 4, 4, 48, 256, 0, 0, "partitioned", "64",
		HEADER CALCULATOR},
	/* Code for 6.0 must also run on 6.1: a CTA's registers are limited as there. */
	{"6.0", 64, 32, 65536, 65536, 255, 256, 2, 4, 48, 256, 0, 0, "partitioned", "64",
		HEADER CALCULATOR},
	{"6.1", 64, 32, 65536, 65536, 255, 256, 4, 4, 48, 256, 0, 0, "partitioned", "96",
		HEADER CALCULATOR},
	{"6.2", 64, 32, 65536, 32768, 255, 256, 4, 4, 48, 256, 0, 0, "partitioned", "64",
		HEADER GUIDE "; the calculator has 65536 registers of a CTA"},
	{"7.0", 64, 32, 65536, 65536, 255, 256, 4, 4, 96, 256, 0, 128, "carveout",
		"0,8,16,32,64,96", HEADER CALCULATOR},
	{"7.2", 64, 32, 65536, 65536, 255, 256, 4, 4, 96, 256, 0, 128, "carveout",
		"0,8,16,32,64,96", HEADER CALCULATOR},
	{"7.5", 32, 16, 65536, 65536, 255, 256, 4, 4, 64, 256, 0, 96, "carveout", "32,64",
		HEADER GUIDE},
	{"8.0", 64, 32, 65536, 65536, 255, 256, 4, 4, 163, 128, 1024, 192, "carveout",
		"0,8,16,32,64,100,132,164", HEADER GUIDE},
	{"8.6", 48, 16, 65536, 65536, 255, 256, 4, 4, 99, 128, 1024, 128, "carveout",
		"0,8,16,32,64,100", HEADER GUIDE},
	{"8.7", 48, 16, 65536, 65536, 255, 256, 4, 4, 163, 128, 1024, 192, "carveout",
		"0,8,16,32,64,100,132,164", HEADER GUIDE},
	{"8.9", 48, 24, 65536, 65536, 255, 256, 4, 4, 99, 128, 1024, 128, "carveout",
		"0,8,16,32,64,100", HEADER GUIDE},
	{"9.0", 64, 32, 65536, 65536, 255, 256, 4, 4, 227, 128, 1024, 256, "carveout",
		"0,8,16,32,64,100,132,164,196,228", HEADER GUIDE},
	{.name = NULL},
};

/* Registers per thread that compute capability 2.x allocates in units of 128 (OLD_HEADER). */
#define DOUBLED "21,22,29,30,37,38,45,46"
#define CTA_THREADS 1024u

static const struct capability *find(const char *name, struct err *err)
{
	struct text known = {0};
	const struct capability *c = capabilities;

	while (c->name && strcmp(c->name, name) != 0)
		text_add(&known, "%s%s", known.len ? ", " : "", c++->name);
	if (!c->name)
		err_add(err, ERR_INPUT, "occupancy.cc = %s: must be one of %s", name,
			text_str(&known));
	text_clear(&known);
	return c->name ? c : NULL;
}

struct giving {
	struct config *config;
	char origin[32];
	struct err *err;
	int bad;
};

/* "48" and "0x30" are the same, "64K" and "65536", too. */
static bool same_value(const char *a, const char *b)
{
	char *end_a, *end_b;
	uint64_t x = strtoull(a, &end_a, 10), y = strtoull(b, &end_b, 10);

	if (!strcmp(a, b))
		return true;
	if (end_a == a || end_b == b)
		return false;
	return (*end_a == 'K' ? x << 10 : x) == (*end_b == 'K' ? y << 10 : y) &&
	       strlen(end_a) <= 1 && strlen(end_b) <= 1;
}

/* Settings override what a compute capability gives; those of what it was laid upon, a base or an
 * earlier machine, were meant for another one. */
static void check_earlier(struct giving *g, const char *path, const char *value)
{
	const char *was = "", *origin = "", *more;
	int set = config_given_in(g->config, path);

	if (set < 0 || set >= config_given_in(g->config, "occupancy.cc"))
		return;
	for (unsigned i = 0; config_setting(g->config, path, i, &more, &origin); i++)
		was = more;
	if (same_value(was, value))
		return;
	g->bad |= err_add(g->err, ERR_INPUT,
		"%s: gives %s = %s, but %s says %s: set %s = %s, too, or another capability",
		g->origin, path, value, origin, was, path, value);
}

static void give(struct giving *g, const char *path, const char *value)
{
	check_earlier(g, path, value);
	g->bad |= config_imply(g->config, path, value, g->origin, g->err);
}

static void give_number(struct giving *g, const char *path, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	give(g, path, text);
}

static void give_rules(struct giving *g, const struct capability *c)
{
	const struct {
		const char *path;
		uint64_t value;
	} rows[] = {{"occupancy.register_unit", c->register_unit},
		{"occupancy.register_files", c->register_files},
		{"occupancy.thread_registers", c->thread_registers},
		{"occupancy.cta_registers", c->cta_registers},
		{"occupancy.cta_warp_unit", c->cta_warp_unit},
		{"occupancy.threads", (uint64_t)c->warps * WARP_LANES},
		{"occupancy.cta_threads", CTA_THREADS}, {"occupancy.shared_unit", c->shared_unit},
		{"occupancy.shared_reserved", c->shared_reserved},
		{"occupancy.cta_shared", (uint64_t)c->cta_shared_kb * 1024}, {"sm.warps", c->warps},
		{"sm.ctas", c->ctas}, {"gpu.max_regs", c->thread_registers}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		give_number(g, rows[i].path, rows[i].value);
	if (c->name[0] == '2')
		give(g, "occupancy.register_unit_doubled", DOUBLED);
}

/* The Fermi-like list: "48/16,16/48", the largest shared memory first. */
static void give_splits(struct giving *g, const struct capability *c)
{
	struct text list = {0};

	for (const char *end = c->capacities + strlen(c->capacities), *at = end;
		at >= c->capacities; at--)
		if (at == c->capacities || at[-1] == ',') {
			unsigned kb = (unsigned)strtoul(at, NULL, 10);

			text_add(&list, "%s%u/%u", list.len ? "," : "", kb, c->store_kb - kb);
		}
	give(g, "storage.fermi.splits", text_str(&list));
	g->bad |= list.failed ? err_add(g->err, ERR_RESOURCE, "no host memory") : 0;
	text_clear(&list);
}

static void give_storage(struct giving *g, const struct capability *c)
{
	char path[64];

	snprintf(path, sizeof(path), "storage.%s.register_bytes", c->design);
	give(g, "chip.storage", c->design);
	give_number(g, path, (uint64_t)c->registers * sizeof(uint32_t));
	if (!strcmp(c->design, "fermi")) {
		give_splits(g, c);
	} else if (!strcmp(c->design, "carveout")) {
		give(g, "storage.carveout.capacities", c->capacities);
		give_number(g, "storage.carveout.bytes", (uint64_t)c->store_kb * 1024);
	} else {
		give_number(g, "storage.partitioned.shared_bytes",
			strtoul(c->capacities, NULL, 10) * 1024);
	}
}

int capability_defaults(struct config *config, struct err *err)
{
	const struct param_table *t = &storage_rules_params;
	struct giving g = {.config = config, .err = err};
	const struct capability *c;
	struct storage_rules r;

	BUG_ON(strcmp(t->defs[0].name, "cc") != 0);
	config_peek(config, t->prefix, t->defs, 1, &r, err);
	if (!*r.p.cc)
		return 0;
	c = find(r.p.cc, err);
	if (!c)
		return -1;
	snprintf(g.origin, sizeof(g.origin), "occupancy.cc = %s", c->name);
	give_rules(&g, c);
	give_storage(&g, c);
	return g.bad ? -1 : 0;
}

unsigned chip_arch(struct config *config)
{
	struct storage_rules rules;
	unsigned major, minor;

	if (storage_rules_peek(&rules, config) || sscanf(rules.p.cc, "%u.%u", &major, &minor) != 2)
		return CODE_NEWEST;
	return 10 * major + minor;
}
