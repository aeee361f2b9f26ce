/* Units and limits of allocation: what CTAs are allocated, which are refused, and the inverse: what
 * leaves an SM a number of CTAs, exact in every design. */
#include "mem/storage/storage.h"

#include "core/base.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KB 1024u

/* A design and rules with settings "storage.fermi.split=1 occupancy.register_unit=64". */
struct sm {
	const struct plugin *plugin;
	const struct storage_ops *ops;
	struct config *config;
	struct storage_rules rules;
	char self[256];
	struct err err;
};

static int open_sm(struct sm *s, const char *design, const char *settings)
{
	char text[512], *save = NULL;
	struct storage_split most;

	memset(s, 0, sizeof(*s));
	s->config = config_new();
	s->plugin = plugin_find("storage", design, "test", &s->err);
	assert_non_null(s->plugin);
	s->ops = s->plugin->ops;
	snprintf(text, sizeof(text), "%s", settings);
	for (char *at = strtok_r(text, " ", &save); at; at = strtok_r(NULL, " ", &save))
		assert_int_equal(config_set_text(s->config, at, "test", &s->err), 0);
	return config_load(s->config, s->plugin->path, s->plugin->params, s->plugin->nparams,
		       s->self, &s->err) |
	       storage_rules_load(&s->rules, s->config, &s->err) |
	       s->ops->most(s->self, &most, &s->err) |
	       storage_rules_suit(&s->rules, most.register_bytes, most.shared_bytes, &s->err);
}

static void close_sm(struct sm *s)
{
	config_free(s->config);
	err_clear(&s->err);
}

static uint32_t ctas(const struct sm *s, const struct storage_need *need)
{
	struct storage_split split;

	return s->ops->split(s->self, need, 1, &split, NULL) ? 0 : storage_ctas(&split, need);
}

/* ---- units */

static void registers_are_allocated_by_warp_in_units(void **state)
{
	static const struct {
		const char *settings;
		unsigned regs, allocated; /* per thread */
	} rows[] = {
		{"occupancy.register_unit=64", 1, 2},
		{"occupancy.register_unit=64", 20, 20},
		{"occupancy.register_unit=64", 21, 22},
		{"occupancy.register_unit=64 occupancy.register_unit_doubled=21,22", 21, 24},
		{"occupancy.register_unit=64 occupancy.register_unit_doubled=21,22", 22, 24},
		{"occupancy.register_unit=64 occupancy.register_unit_doubled=21,22", 20, 20},
		{"occupancy.register_unit=256", 0, 0},
		{"occupancy.register_unit=256", 1, 8},
		{"occupancy.register_unit=256", 8, 8},
		{"occupancy.register_unit=256", 255, 256},
		{"occupancy.register_unit=32", 13, 13},
		{"occupancy.register_unit=1", 13, 13},
		{"", 13, 13},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct storage_need need = {.regs_per_thread = rows[i].regs, .warps_per_cta = 3};
		struct sm s;

		assert_int_equal(open_sm(&s, "partitioned", rows[i].settings), 0);
		need.rules = &s.rules;
		assert_int_equal(storage_thread_registers(&need), rows[i].allocated);
		assert_int_equal(storage_cta_registers(&need), rows[i].allocated * 128 * 3);
		close_sm(&s);
	}
}

static void registers_that_would_fit_are_named(void **state)
{
	const struct storage_split split = {.register_bytes = 256 << 10};
	struct storage_need need = {.regs_per_thread = 94, .warps_per_cta = 32};
	struct err err = {0};
	struct sm s;

	(void)state;
	assert_int_equal(open_sm(&s, "partitioned", "occupancy.register_unit=256"), 0);
	need.rules = &s.rules;
	assert_int_equal(storage_lacks_registers("", &need, &split, "registers", &err), -1);
	assert_non_null(strstr(
		err_text(&err), "; registers is 262144; with gpu.max_regs=64 it would fit\n"));
	err_clear(&err);
	need.regs_per_thread = 64;
	assert_int_equal(storage_lacks_registers("", &need, &split, "registers", &err), 0);
	need.warps_per_cta = 1024; /* fewer than a thread may be limited to */
	assert_int_equal(storage_lacks_registers("", &need, &split, "registers", &err), -1);
	assert_null(strstr(err_text(&err), "would fit"));
	err_clear(&err);
	close_sm(&s);
}

static void shared_memory_is_allocated_in_units_with_what_is_reserved(void **state)
{
	static const struct {
		const char *settings;
		unsigned shared, allocated;
	} rows[] = {
		{"occupancy.shared_unit=256", 0, 0},
		{"occupancy.shared_unit=256", 1, 256},
		{"occupancy.shared_unit=256", 256, 256},
		{"occupancy.shared_unit=128 occupancy.shared_reserved=1024", 0, 1024},
		{"occupancy.shared_unit=128 occupancy.shared_reserved=1024", 129, 1280},
		{"occupancy.shared_reserved=1000", 129, 1129},
		{"", 129, 129},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct storage_need need = {.shared_per_cta = rows[i].shared, .warps_per_cta = 1};
		struct sm s;

		assert_int_equal(open_sm(&s, "partitioned", rows[i].settings), 0);
		need.rules = &s.rules;
		assert_int_equal(storage_cta_shared(&need), rows[i].allocated);
		close_sm(&s);
	}
}

/* 64 KB in 4 files: a file holds 3 warps of 40 registers (5120 bytes), 12 in all; one of the whole
 * 12.8. CTAs of 5 warps: 2 either way; of 6: 2; of 13 none. */
static void a_warp_s_registers_are_in_one_file(void **state)
{
	static const struct {
		unsigned files, warps, ctas;
	} rows[] = {{1, 1, 12}, {4, 1, 12}, {1, 6, 2}, {4, 6, 2}, {4, 13, 0}, {1, 12, 1},
		{4, 12, 1}, {8, 1, 8}, {8, 8, 1}, {8, 9, 0}, {16, 1, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct storage_need need = {.regs_per_thread = 40, .warps_per_cta = rows[i].warps};
		char settings[128];
		struct sm s;

		snprintf(settings, sizeof(settings),
			"storage.partitioned.register_bytes=64K occupancy.register_files=%u",
			rows[i].files);
		assert_int_equal(open_sm(&s, "partitioned", settings), 0);
		need.rules = &s.rules;
		assert_int_equal(ctas(&s, &need), rows[i].ctas);
		close_sm(&s);
	}
}

/* Taken one after another, CTAs fill a split as the rule says, whatever their parts of the files
 * are: the dispatcher adds up what they hold. */
static void what_ctas_hold_adds_up_to_the_rule(void **state)
{
	struct rng rng = rng_new(3, 0);

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct storage_rules r = {.p = {.register_unit = 64u << rng_below(&rng, 3),
						  .register_files = 1u << rng_below(&rng, 4),
						  .cta_warp_unit = 1}};
		struct storage_need need = {.regs_per_thread = 1 + rng_below(&rng, 255),
			.warps_per_cta = 1 + rng_below(&rng, 32),
			.warp_slots = 64,
			.cta_slots = 64,
			.rules = &r};
		struct storage_split split = {.register_bytes = 512u * (1 + rng_below(&rng, 1024))};
		uint64_t file = split.register_bytes / r.p.register_files, warp, fit;

		warp = div_up((uint64_t)need.regs_per_thread * 32, r.p.register_unit) *
		       r.p.register_unit * 4;
		fit = file / warp * r.p.register_files / need.warps_per_cta;
		fit = min_u64(fit, 64 / need.warps_per_cta);
		assert_int_equal(storage_ctas(&split, &need), fit);
	}
}

/* ---- limits */

static void a_cta_beyond_a_limit_is_refused_with_what_would_do(void **state)
{
	static const struct {
		const char *settings;
		struct storage_need need;
		const char *says; /* NULL: it fits */
	} rows[] = {
		{"occupancy.thread_registers=63", {.regs_per_thread = 63, .warps_per_cta = 1},
			NULL},
		{"occupancy.thread_registers=63", {.regs_per_thread = 64, .warps_per_cta = 1},
			"a CTA of 1 warp with 64 registers per thread exceeds "
			"occupancy.thread_registers = 63: gpu.max_regs=63 would spill the others"},
		{"occupancy.cta_threads=512", {.warps_per_cta = 16}, NULL},
		{"occupancy.cta_threads=512", {.warps_per_cta = 17},
			"has more than occupancy.cta_threads = 512: at most 16 warps"},
		{"occupancy.cta_registers=32K", {.regs_per_thread = 32, .warps_per_cta = 32}, NULL},
		{"occupancy.cta_registers=32K", {.regs_per_thread = 33, .warps_per_cta = 32},
			"a CTA of 32 warps with 33 registers per thread counts as 33792 "
			"registers; occupancy.cta_registers is 32768: with 32 per thread it "
			"would fit (gpu.max_regs=32)"},
		{"occupancy.cta_registers=32K occupancy.cta_warp_unit=4 "
		 "occupancy.register_unit=256",
			{.regs_per_thread = 41, .warps_per_cta = 21},
			"counts as 36864 registers; occupancy.cta_registers is 32768: with 40 per"},
		{"occupancy.cta_shared=48K", {.shared_per_cta = 48 * KB, .warps_per_cta = 1}, NULL},
		{"occupancy.cta_shared=48K", {.shared_per_cta = 48 * KB + 4, .warps_per_cta = 1},
			"a CTA needs 49156 bytes of shared memory; occupancy.cta_shared is 49152"},
	};
	static const char *const designs[] = {"partitioned", "fermi", "carveout", "unified"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t k = 0; k < ARRAY_LEN(designs); k++) {
			struct storage_need need = rows[i].need;
			struct storage_split split;
			struct sm s;

			assert_int_equal(open_sm(&s, designs[k], rows[i].settings), 0);
			need.rules = &s.rules;
			assert_int_equal(s.ops->split(s.self, &need, 1, &split, &s.err),
				rows[i].says ? -1 : 0);
			if (rows[i].says && !strstr(err_text(&s.err), rows[i].says))
				fail_msg("%s: %s", designs[k], err_text(&s.err));
			assert_int_equal(s.err.count, rows[i].says ? 1 : 0);
			close_sm(&s);
		}
}

/* ---- the inverse */

static void expect(const struct sm *s, const struct storage_need *need, uint32_t n, bool holds)
{
	if ((ctas(s, need) >= n) != holds)
		fail_msg("%s: %u CTAs of %u warps, %u registers, %u bytes must%s fit",
			s->plugin->name, n, need->warps_per_cta, need->regs_per_thread,
			need->shared_per_cta, holds ? "" : " not");
}

/* The design's own rule holds n CTAs with the registers that it allows, and with no more. */
static void expect_registers(const struct sm *s, struct storage_need need, uint32_t n)
{
	uint32_t most = s->ops->allow(s->self, &need, n).regs_per_thread;
	uint32_t all = s->rules.p.thread_registers ? (uint32_t)s->rules.p.thread_registers
						   : STORAGE_THREAD_REGISTERS;

	if (most != STORAGE_NONE) {
		need.regs_per_thread = most;
		expect(s, &need, n, true);
	}
	for (uint32_t v = most + 1; v <= all; v++) { /* from 0 on: none is allowed */
		need.regs_per_thread = v;
		expect(s, &need, n, false);
	}
}

/* The same of shared memory: the next byte, and every row above. */
static void expect_shared(const struct sm *s, struct storage_need need, uint32_t n)
{
	uint32_t most = s->ops->allow(s->self, &need, n).shared_per_cta;

	if (most != STORAGE_NONE) {
		need.shared_per_cta = most;
		expect(s, &need, n, true);
	}
	for (uint32_t v = most + 1; v <= 400 * KB; v = (v | 127) + 1) {
		need.shared_per_cta = v;
		expect(s, &need, n, false);
	}
}

static const struct {
	const char *design, *settings;
} machines[] = {
	{"partitioned", ""},
	{"partitioned", "occupancy.register_unit=256 occupancy.register_files=4 "
			"occupancy.thread_registers=255 occupancy.cta_registers=32K "
			"occupancy.cta_warp_unit=4 occupancy.shared_unit=256 "
			"occupancy.cta_shared=48K"},
	{"fermi", ""},
	{"fermi", "storage.fermi.split=2"},
	{"fermi", "storage.fermi.splits=48/16,16/48 storage.fermi.register_bytes=128K "
		  "occupancy.register_unit=64 occupancy.register_unit_doubled=21,22,29,30 "
		  "occupancy.register_files=2 occupancy.thread_registers=63 "
		  "occupancy.shared_unit=128"},
	{"carveout", "occupancy.register_unit=256 occupancy.register_files=4 "
		     "occupancy.shared_unit=128 occupancy.shared_reserved=1024 "
		     "occupancy.cta_shared=95K"},
	{"carveout", "storage.carveout.percent=0"},
	{"carveout", "storage.carveout.percent=30 occupancy.shared_unit=256"},
	{"carveout", "storage.carveout.percent=10 storage.carveout.capacities=8,100"},
	{"unified", ""},
	{"unified", "storage.unified.bytes=128K storage.unified.cache_bytes=16K"},
	{"unified", "storage.unified.bytes=200K occupancy.register_unit=256 "
		    "occupancy.register_files=4 occupancy.shared_unit=128 "
		    "occupancy.shared_reserved=1024"},
	{"unified", "storage.unified.register_bytes=64K storage.unified.shared_bytes=32K"},
};

static void what_a_design_allows_is_the_exact_inverse(void **state)
{
	struct rng rng = rng_new(7, 0);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
		struct sm s;

		assert_int_equal(open_sm(&s, machines[i].design, machines[i].settings), 0);
		for (unsigned k = 0; k < 60; k++) {
			struct storage_need need = {.regs_per_thread = rng_below(&rng, 64),
				.warps_per_cta = 1 + rng_below(&rng, 16),
				.shared_per_cta = rng_below(&rng, 4) ? rng_below(&rng, 16 * KB) : 0,
				.warp_slots = 64,
				.cta_slots = 32,
				.rules = &s.rules};

			expect_registers(&s, need, 1 + rng_below(&rng, k % 2 ? 4 : 32));
			expect_shared(&s, need, 1 + rng_below(&rng, k % 2 ? 4 : 32));
		}
		close_sm(&s);
	}
}

/* By hand: 256 KB, CTAs of 8 warps. 4 CTAs are 32 warps: 2048 registers each, 64 a thread; 5 CTAs
 * 40 warps, 51. 64 KB of shared memory by 4 and by 5. */
static void the_partitioned_design_allows_its_share(void **state)
{
	struct storage_need need = {.warps_per_cta = 8, .warp_slots = 48, .cta_slots = 8};
	struct storage_allowance a;
	struct sm s;

	(void)state;
	assert_int_equal(open_sm(&s, "partitioned", ""), 0);
	a = s.ops->allow(s.self, &need, 4);
	assert_int_equal(a.regs_per_thread, 64);
	assert_int_equal(a.shared_per_cta, 16384);
	a = s.ops->allow(s.self, &need, 5);
	assert_int_equal(a.regs_per_thread, 51);
	assert_int_equal(a.shared_per_cta, 13107);
	a = s.ops->allow(s.self, &need, 7); /* 56 warps */
	assert_int_equal(a.regs_per_thread, STORAGE_NONE);
	assert_int_equal(a.shared_per_cta, STORAGE_NONE);
	close_sm(&s);
}

/* ---- bad input */

static void what_cannot_be_meant_is_reported_with_what_would_do(void **state)
{
	static const struct {
		const char *design, *settings, *says;
	} rows[] = {
		{"partitioned", "occupancy.register_unit=100",
			"occupancy.register_unit = 100: a unit must be a power of two, such as 64 "
			"or 128 registers"},
		{"partitioned", "occupancy.shared_unit=96", "such as 64 or 128 bytes"},
		{"partitioned", "occupancy.register_unit=65536 occupancy.register_files=2",
			"a register file of an SM has 32768 registers (262144 bytes in 2 files): "
			"at most that many"},
		{"partitioned", "occupancy.register_unit=65536 occupancy.register_unit_doubled=21",
			"occupancy.register_unit = 65536, doubled for some kernels"},
		{"partitioned", "occupancy.shared_unit=32K storage.partitioned.shared_bytes=16K",
			"occupancy.shared_unit = 32768: an SM has 16384 bytes of shared memory"},
		{"partitioned", "occupancy.shared_reserved=1K storage.partitioned.shared_bytes=0",
			"occupancy.shared_reserved = 1024: an SM has 0 bytes"},
		{"partitioned", "occupancy.register_files=3", "does not divide the 262144 bytes"},
		{"partitioned", "occupancy.cta_threads=1000",
			"occupancy.cta_threads = 1000: must be whole warps of 32 threads, such as "
			"1024"},
		{"partitioned", "occupancy.threads=1535", "such as 1536"},
		{"partitioned", "occupancy.register_unit_doubled=21,,22",
			"occupancy.register_unit_doubled = '21,,22': must be registers"},
		{"partitioned", "occupancy.register_unit_doubled=21,", "must be registers"},
		{"partitioned", "occupancy.register_unit_doubled=256", "1 to 255"},
		{"partitioned", "occupancy.register_unit_doubled=x", "such as \"21,22\""},
		{"carveout", "storage.carveout.capacities=0,64,160",
			"storage.carveout.capacities = '0,64,160': 160 KB is more than "
			"storage.carveout.bytes = 131072 holds: at most 128 KB"},
		{"carveout", "storage.carveout.capacities=0,64,32", "in rising order"},
		{"carveout", "storage.carveout.capacities=0,64,64", "in rising order"},
		{"carveout", "storage.carveout.capacities=0,x", "a list of at most 16"},
		{"carveout",
			"storage.carveout.capacities=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
			"a list of at most 16"},
		{"carveout", "storage.carveout.bytes=131000",
			"storage.carveout.bytes = 131000: 32 banks of 4 bytes need a multiple"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct sm s;

		assert_true(open_sm(&s, rows[i].design, rows[i].settings) != 0);
		if (!strstr(err_text(&s.err), rows[i].says) || s.err.count != 1)
			fail_msg("%s: %s", rows[i].settings, err_text(&s.err));
		close_sm(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_allocated_by_warp_in_units),
		cmocka_unit_test(registers_that_would_fit_are_named),
		cmocka_unit_test(shared_memory_is_allocated_in_units_with_what_is_reserved),
		cmocka_unit_test(a_warp_s_registers_are_in_one_file),
		cmocka_unit_test(what_ctas_hold_adds_up_to_the_rule),
		cmocka_unit_test(a_cta_beyond_a_limit_is_refused_with_what_would_do),
		cmocka_unit_test(what_a_design_allows_is_the_exact_inverse),
		cmocka_unit_test(the_partitioned_design_allows_its_share),
		cmocka_unit_test(what_cannot_be_meant_is_reported_with_what_would_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
