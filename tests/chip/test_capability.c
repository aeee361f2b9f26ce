/* Occupancy by compute capability: equal to the rules that CUDA publishes (cuda_occupancy.h of CUDA
 * 12.5, of CUDA 8.0 for 2.x), which are written down here again, with the figures of the
 * programming guide and of the occupancy calculator, over a grid of kernels. */
#include "chip/capability.h"
#include "chip/resident.h"
#include "mem/storage/storage.h"

#include "core/base.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define K 1024u

/* ---- as published */

/* An SM: threads, blocks, registers and shared memory of it; of those, what a block may have. */
struct device {
	unsigned cc, threads, blocks, registers, block_registers, shared, block_shared;
};

static const struct device devices[] = {
	{20, 1536, 8, 32 * K, 32 * K, 48 * K, 48 * K},
	{21, 1536, 8, 32 * K, 32 * K, 48 * K, 48 * K},
	{30, 2048, 16, 64 * K, 64 * K, 48 * K, 48 * K},
	{32, 2048, 16, 64 * K, 32 * K, 48 * K, 48 * K},
	{35, 2048, 16, 64 * K, 64 * K, 48 * K, 48 * K},
	{37, 2048, 16, 128 * K, 64 * K, 112 * K, 48 * K},
	{50, 2048, 32, 64 * K, 64 * K, 64 * K, 48 * K},
	{52, 2048, 32, 64 * K, 32 * K, 96 * K, 48 * K},
	{53, 2048, 32, 64 * K, 32 * K, 64 * K, 48 * K},
	{60, 2048, 32, 64 * K, 64 * K, 64 * K, 48 * K},
	{61, 2048, 32, 64 * K, 64 * K, 96 * K, 48 * K},
	{62, 2048, 32, 64 * K, 32 * K, 64 * K, 48 * K},
	{70, 2048, 32, 64 * K, 64 * K, 96 * K, 96 * K},
	{72, 2048, 32, 64 * K, 64 * K, 96 * K, 96 * K},
	{75, 1024, 16, 64 * K, 64 * K, 64 * K, 64 * K},
	{80, 2048, 32, 64 * K, 64 * K, 164 * K, 163 * K},
	{86, 1536, 16, 64 * K, 64 * K, 100 * K, 99 * K},
	{87, 1536, 16, 64 * K, 64 * K, 164 * K, 163 * K},
	{89, 1536, 24, 64 * K, 64 * K, 100 * K, 99 * K},
	{90, 2048, 32, 64 * K, 64 * K, 228 * K, 227 * K},
};

static unsigned up(unsigned v, unsigned step)
{
	return v % step ? v + step - v % step : v;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Registers of a warp. Fermi takes 128 at a time for two of eight numbers of registers. */
static unsigned warp_registers(unsigned cc, unsigned regs)
{
	bool twice = regs >= 21 && regs <= 46 && (regs - 21) % 8 < 2;

	if (cc >= 30)
		return up(regs * 32, 256);
	return up(regs * 32, twice ? 128 : 64);
}

/* Sub-partitions of an SM, each with its part of the registers. */
static unsigned partitions(unsigned cc)
{
	return cc < 30 || cc == 60 ? 2 : 4;
}

/* The hardware compares a block's limit with registers in all partitions at once; what would not
 * run on 6.1 is kept from 6.0. */
static bool block_has_too_many(const struct device *d, unsigned warps, unsigned regs)
{
	unsigned at_once = d->cc == 60 ? 4 : partitions(d->cc);
	unsigned of_thread = d->cc <= 30 ? 63 : 255;

	return regs > of_thread ||
	       warp_registers(d->cc, regs) * up(warps, at_once) > d->block_registers;
}

static unsigned blocks_by_registers(const struct device *d, unsigned warps, unsigned regs)
{
	unsigned p = partitions(d->cc), fit;

	if (!regs)
		return UINT32_MAX;
	if (block_has_too_many(d, warps, regs))
		return 0;
	fit = d->registers / p / warp_registers(d->cc, regs);
	return fit * p / warps;
}

static unsigned blocks_by_shared(const struct device *d, unsigned shared)
{
	unsigned reserved = d->cc >= 80 ? 1024 : 0;
	unsigned step = d->cc < 30 || d->cc >= 80 ? 128 : 256;
	unsigned each = up(shared + reserved, step);

	if (each > d->block_shared + reserved)
		return 0;
	return each ? d->shared / each : UINT32_MAX;
}

static unsigned published(const struct device *d, unsigned threads, unsigned regs, unsigned shared)
{
	unsigned warps = up(threads, 32) / 32;
	unsigned blocks = least(d->blocks, d->threads / 32 / warps);

	if (threads > 1024)
		return 0;
	return least(
		blocks, least(blocks_by_registers(d, warps, regs), blocks_by_shared(d, shared)));
}

/* ---- as modelled */

#define SLOTS(P, T) \
	P(T, UINT, warps, 32, 1, 64, "warps", "") P(T, UINT, ctas, 32, 1, 64, "CTAs", "")
struct slots {
	struct {
		SLOTS(PARAM_FIELD, slots)
	} p;
};
static const struct param_def slot_rows[] = {SLOTS(PARAM_ROW, slots)};

#define CHOICE(P, T) P(T, NAME, storage, "partitioned", 0, 0, "storage", "")
struct choice {
	struct {
		CHOICE(PARAM_FIELD, choice)
	} p;
};
static const struct param_def choice_rows[] = {CHOICE(PARAM_ROW, choice)};

/* An SM as the settings describe it. */
struct model {
	struct config *config;
	struct storage_rules rules;
	struct slots slots;
	const struct storage_ops *ops;
	char self[256];
	struct err err;
};

static void load_model(struct model *m, const char *cc, const char *more)
{
	struct choice choice;
	const struct plugin *p;
	struct storage_split most;

	memset(m, 0, sizeof(*m));
	m->config = config_new();
	assert_int_equal(config_set(m->config, "occupancy.cc", cc, "test", &m->err), 0);
	if (more)
		assert_int_equal(config_set_text(m->config, more, "test", &m->err), 0);
	assert_int_equal(capability_defaults(m->config, &m->err), 0);
	config_load(m->config, "sm", slot_rows, ARRAY_LEN(slot_rows), &m->slots, &m->err);
	config_load(m->config, "chip", choice_rows, ARRAY_LEN(choice_rows), &choice, &m->err);
	p = plugin_find("storage", choice.p.storage, "chip.storage", &m->err);
	assert_non_null(p);
	m->ops = p->ops;
	config_load(m->config, p->path, p->params, p->nparams, m->self, &m->err);
	assert_int_equal(storage_rules_load(&m->rules, m->config, &m->err), 0);
	assert_int_equal(m->ops->most(m->self, &most, &m->err), 0);
	assert_int_equal(
		storage_rules_suit(&m->rules, most.register_bytes, most.shared_bytes, &m->err), 0);
}

static void free_model(struct model *m)
{
	config_free(m->config);
	err_clear(&m->err);
}

static unsigned modelled(const struct model *m, unsigned threads, unsigned regs, unsigned shared)
{
	struct storage_need need = {.regs_per_thread = regs,
		.warps_per_cta = up(threads, 32) / 32,
		.shared_per_cta = shared,
		.warp_slots = storage_rules_warps(&m->rules, (uint32_t)m->slots.p.warps),
		.cta_slots = (uint32_t)m->slots.p.ctas,
		.rules = &m->rules};
	struct storage_split split;

	return m->ops->split(m->self, &need, 1, &split, NULL) ? 0 : storage_ctas(&split, &need);
}

static void compare(const struct model *m, const struct device *d, unsigned threads, unsigned regs,
	unsigned shared)
{
	unsigned got = modelled(m, threads, regs, shared);
	unsigned want = published(d, threads, regs, shared);

	if (got != want)
		fail_msg(
			"cc %u.%u, %u threads, %u registers, %u shared bytes: %u CTAs, CUDA has %u",
			d->cc / 10, d->cc % 10, threads, regs, shared, got, want);
}

static const char *name_of(const struct device *d, char out[16])
{
	snprintf(out, 16, "%u.%u", d->cc / 10, d->cc % 10);
	return out;
}

/* Around every border that the rules have, and 200 kernels drawn at random. */
static unsigned compare_device(const struct device *d)
{
	static const unsigned threads[] = {1, 32, 64, 96, 160, 256, 288, 512, 768, 1000, 1024};
	static const unsigned regs[] = {
		0, 1, 8, 9, 16, 21, 22, 24, 32, 33, 37, 40, 48, 63, 64, 65, 72, 128, 168, 255};
	static const unsigned shared[] = {0, 1, 4 * K, 16 * K + 1};
	struct rng rng = rng_new(20, d->cc);
	struct model m;
	unsigned n = 0;
	char name[16];

	load_model(&m, name_of(d, name), NULL);
	for (size_t t = 0; t < ARRAY_LEN(threads); t++)
		for (size_t r = 0; r < ARRAY_LEN(regs); r++)
			for (size_t s = 0; s < ARRAY_LEN(shared); s++, n++)
				compare(&m, d, threads[t], regs[r], shared[s]);
	for (unsigned i = 0; i < 200; i++, n++)
		compare(&m, d, 1 + (unsigned)rng_below(&rng, 1024), (unsigned)rng_below(&rng, 256),
			(unsigned)rng_below(&rng, 240 * K));
	for (unsigned ctas = 1; ctas <= d->blocks; ctas++, n += 3)
		for (unsigned i = 0; i < 3; i++) {
			unsigned each = d->shared / ctas;

			compare(&m, d, 32, 16, each > 1025 ? each - 1024 - 1 + i : each + i);
		}
	compare(&m, d, 32, 16, d->block_shared);
	compare(&m, d, 32, 16, d->block_shared + 1);
	free_model(&m);
	return n;
}

static void occupancy_is_what_cuda_publishes(void **state)
{
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		n += compare_device(&devices[i]);
	print_message("%u kernels on %u compute capabilities\n", n, (unsigned)ARRAY_LEN(devices));
	assert_true(n >= 5000);
}

static void every_capability_is_compared(void **state)
{
	unsigned n = 0;
	char name[16];

	(void)state;
	for (const struct capability *c = capabilities; c->name; c++, n++) {
		assert_true(n < ARRAY_LEN(devices));
		assert_string_equal(c->name, name_of(&devices[n], name));
		assert_non_null(strstr(c->source, "CUDA"));
	}
	assert_int_equal(n, ARRAY_LEN(devices));
}

static void fermi_doubles_the_unit_where_the_header_lists_it(void **state)
{
	static const unsigned listed[] = {21, 22, 29, 30, 37, 38, 45, 46};
	size_t at = 0;

	(void)state;
	for (unsigned regs = 1; regs < 64; regs++) {
		bool doubled = at < ARRAY_LEN(listed) && regs == listed[at];

		at += doubled;
		assert_int_equal(warp_registers(20, regs), up(regs * 32, doubled ? 128 : 64));
	}
	assert_int_equal(at, ARRAY_LEN(listed));
}

/* ---- settings */

static void what_is_set_overrides_what_the_capability_implies(void **state)
{
	static const struct {
		const char *more;
		unsigned ctas;
	} rows[] = {
		{NULL, 32}, /* 32 warps of 64 registers: 8 in each of 4 files */
		{"occupancy.register_unit=4096", 16},
		{"sm.ctas=20", 20},
		{"sm.warps=24", 24},
		{"occupancy.threads=320", 10},
		{"storage.carveout.register_bytes=128K", 16},
		{"occupancy.thread_registers=63", 0},
	};
	struct model m;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		load_model(&m, "7.0", rows[i].more);
		assert_int_equal(modelled(&m, 32, 64, 0), rows[i].ctas);
		free_model(&m);
	}
}

/* A preference is rounded up to a listed capacity, and gives way to a CTA that needs more. */
static void a_preferred_carve_out_holds_a_cta_at_least(void **state)
{
	static const struct {
		const char *more;
		unsigned shared, ctas;
	} rows[] = {
		{"storage.carveout.percent=-1", 20 * K, 4},
		{"storage.carveout.percent=100", 20 * K, 4},
		{"storage.carveout.percent=50", 20 * K, 3}, /* 48 KB of 96: 64 */
		{"storage.carveout.percent=34", 16 * K, 4}, /* 33 KB: 64 */
		{"storage.carveout.percent=33", 16 * K, 2}, /* 32 KB */
		{"storage.carveout.percent=0", 20 * K, 1},  /* 0, and 32 holds one */
		{"storage.carveout.percent=0", 33 * K, 1},
		{"storage.carveout.percent=0", 4 * K, 2},
		{"storage.carveout.percent=0", 0, 32},
	};
	struct model m;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		load_model(&m, "7.0", rows[i].more);
		assert_int_equal(modelled(&m, 32, 16, rows[i].shared), rows[i].ctas);
		free_model(&m);
	}
}

static void an_unknown_capability_is_reported_with_the_known_ones(void **state)
{
	struct config *config = config_new();
	struct err err = {0};

	(void)state;
	assert_int_equal(config_set(config, "occupancy.cc", "7.1", "test", &err), 0);
	assert_int_equal(capability_defaults(config, &err), -1);
	assert_string_equal(err_text(&err),
		"occupancy.cc = 7.1: must be one of 2.0, 2.1, 3.0, 3.2, 3.5, 3.7, 5.0, 5.2, 5.3, "
		"6.0, 6.1, 6.2, 7.0, 7.2, 7.5, 8.0, 8.6, 8.7, 8.9, 9.0\n");
	config_free(config);
	err_clear(&err);
}

/* What ptxas of CUDA 13.0 says of a kernel with 220 values, with .maxntid and .minnctapersm; 0: it
 * ignores that. */
static void resident_ctas_have_the_registers_that_ptxas_gives(void **state)
{
	static const struct {
		const char *cc;
		uint32_t threads, ctas, regs;
	} rows[] = {{"8.0", 1024, 1, 64}, {"8.0", 800, 1, 72}, {"8.0", 640, 1, 96},
		{"8.0", 128, 1, 255}, {"8.0", 128, 3, 168}, {"8.0", 96, 7, 80}, {"8.0", 96, 10, 64},
		{"8.0", 256, 7, 32}, {"8.0", 256, 8, 32}, {"8.0", 256, 9, 0}, {"8.0", 33, 16, 64},
		{"8.0", 33, 17, 56}, {"8.0", 32, 32, 64}, {"8.0", 32, 33, 0}, {"8.0", 100, 20, 0},
		{"8.0", 320, 5, 32}, {"9.0", 192, 7, 40}, {"9.0", 600, 3, 32}, {"9.0", 1024, 2, 32},
		{"9.0", 1024, 3, 0}, {"7.5", 128, 7, 72}, {"7.5", 128, 9, 0}, {"7.5", 256, 4, 64},
		{"7.5", 32, 17, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct model m;

		load_model(&m, rows[i].cc, NULL);
		assert_int_equal(
			resident_regs(m.config, rows[i].threads, rows[i].ctas), rows[i].regs);
		free_model(&m);
	}
}

static void without_a_capability_nothing_is_implied(void **state)
{
	struct config *config = config_new();
	struct err err = {0};
	struct storage_rules r;

	(void)state;
	assert_int_equal(capability_defaults(config, &err), 0);
	assert_int_equal(storage_rules_load(&r, config, &err), 0);
	assert_int_equal(
		r.p.register_unit | r.p.shared_unit | r.p.shared_reserved | r.p.threads, 0);
	assert_int_equal(r.p.cta_registers | r.p.cta_shared | r.p.cta_threads, 0);
	assert_int_equal(r.p.register_files, 1);
	config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(occupancy_is_what_cuda_publishes),
		cmocka_unit_test(every_capability_is_compared),
		cmocka_unit_test(fermi_doubles_the_unit_where_the_header_lists_it),
		cmocka_unit_test(what_is_set_overrides_what_the_capability_implies),
		cmocka_unit_test(a_preferred_carve_out_holds_a_cta_at_least),
		cmocka_unit_test(an_unknown_capability_is_reported_with_the_known_ones),
		cmocka_unit_test(resident_ctas_have_the_registers_that_ptxas_gives),
		cmocka_unit_test(without_a_capability_nothing_is_implied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
