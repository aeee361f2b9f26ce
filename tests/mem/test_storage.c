/* How storage designs split an SM's storage: exact on the rows of Table 1 of Gebhart et al., MICRO
 * 2012, with the rule of its section 4.5, and the effect of a design's parameters. */
#include "mem/storage/storage.h"

#include "core/base.h"
#include "core/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KB 1024u

/* A design with settings "a=b c=d" of its own parameters. */
struct design {
	const struct plugin *plugin;
	const struct storage_ops *ops;
	struct config *config;
	char self[256];
	struct err err;
};

static void open_design(struct design *d, const char *name, const char *settings)
{
	char text[256], path[128], *save = NULL;

	memset(d, 0, sizeof(*d));
	d->config = config_new();
	d->plugin = plugin_find("storage", name, "test", &d->err);
	assert_non_null(d->plugin);
	assert_true(d->plugin->size <= sizeof(d->self));
	d->ops = d->plugin->ops;
	snprintf(text, sizeof(text), "%s", settings);
	for (char *s = strtok_r(text, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
		snprintf(path, sizeof(path), "%s.%s", d->plugin->path, s);
		assert_int_equal(config_set_text(d->config, path, "test", &d->err), 0);
	}
	assert_int_equal(config_load(d->config, d->plugin->path, d->plugin->params,
				 d->plugin->nparams, d->self, &d->err),
		0);
}

static void close_design(struct design *d)
{
	config_free(d->config);
	err_clear(&d->err);
}

/* Splits; returns the resident CTAs, 0 with a message in d->err when none fits. */
static uint32_t split(struct design *d, const struct storage_need *need, struct storage_split *out)
{
	struct storage_split most;

	assert_int_equal(d->ops->most(d->self, &most, &d->err), 0);
	if (d->ops->split(d->self, need, 1, out, &d->err))
		return 0;
	assert_true(out->register_bytes <= most.register_bytes);
	assert_true(out->shared_bytes <= most.shared_bytes);
	assert_true(out->cache_bytes <= most.cache_bytes);
	return storage_ctas(out, need);
}

/* ---- Table 1 */

static const struct {
	const char *name, *settings;
} designs[] = {
	{"partitioned", ""},
	{"fermi", "split=1"},
	{"fermi", "split=2"},
	{"unified", "bytes=128K"},
	{"unified", "bytes=256K"},
	{"unified", ""},
};

/* Registers of a thread, bytes of shared memory of a warp (Table 1's, by thread, times 32), and the
 * threads that fit into each design, in whole warps. */
static const struct {
	const char *workload;
	uint32_t registers, shared;
	uint32_t threads[ARRAY_LEN(designs)];
} rows[] = {
	{"Needle", 18, 8451, {224, 352, 96, 384, 768, 1024}},
	{"sto", 33, 4064, {512, 768, 256, 480, 992, 1024}},
	{"lu", 20, 3072, {672, 1024, 320, 736, 1024, 1024}},
	{"GPU-mummer", 21, 0, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"BFS", 9, 0, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"Backprop", 17, 68, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"MatrixMul", 17, 256, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"Nbody", 23, 0, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"VectorAdd", 9, 0, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"srad", 18, 768, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"DGEMM", 57, 2128, {960, 1024, 480, 416, 864, 1024}},
	{"PCR", 33, 640, {1024, 1024, 1024, 832, 1024, 1024}},
	{"BicubicTexture", 33, 0, {1024, 1024, 1024, 992, 1024, 1024}},
	{"hwt", 35, 736, {1024, 1024, 1024, 800, 1024, 1024}},
	{"ray", 42, 0, {1024, 1024, 1024, 768, 1024, 1024}},
	{"Hotspot", 22, 384, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"RecursiveGaussian", 23, 68, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"Sad", 31, 0, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"ScalarProd", 18, 512, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"SGEMV", 14, 128, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"SobolQRNG", 12, 64, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"aes", 28, 768, {1024, 1024, 1024, 960, 1024, 1024}},
	{"Dct8x8", 26, 0, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"DwtHaar1D", 14, 256, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"lps", 15, 608, {1024, 1024, 1024, 1024, 1024, 1024}},
	{"nn", 13, 0, {1024, 1024, 1024, 1024, 1024, 1024}},
};

static void table_1_fits_as_the_paper_s_rule_says(void **state)
{
	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(designs); k++) {
		struct design d;

		open_design(&d, designs[k].name, designs[k].settings);
		for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
			struct storage_need need = {.regs_per_thread = rows[i].registers,
				.warps_per_cta = 1,
				.shared_per_cta = rows[i].shared,
				.warp_slots = 32,
				.cta_slots = 32};
			struct storage_split s;
			uint32_t threads = split(&d, &need, &s) * WARP_LANES;

			if (threads != rows[i].threads[k])
				fail_msg("%s, %s %s: %u threads, %u by the rule", rows[i].workload,
					designs[k].name, designs[k].settings, threads,
					rows[i].threads[k]);
		}
		close_design(&d);
	}
}

/* Whatever is not registers of the threads or their shared memory is cache, except for less than a
 * row. */
static void every_byte_of_unified_storage_has_one_use(void **state)
{
	struct design d;

	(void)state;
	open_design(&d, "unified", "");
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct storage_need need = {.regs_per_thread = rows[i].registers,
			.warps_per_cta = 1,
			.shared_per_cta = rows[i].shared,
			.warp_slots = 32,
			.cta_slots = 32};
		struct storage_split s;
		uint32_t ctas = split(&d, &need, &s);
		uint64_t used = s.register_bytes + s.shared_bytes + s.cache_bytes;

		assert_int_equal(s.register_bytes, ctas * rows[i].registers * 128);
		assert_int_equal(s.shared_bytes, ctas * rows[i].shared);
		assert_int_equal(s.cache_bytes % 512, 0);
		assert_true(used <= 384 * KB && used + 512 > 384 * KB);
	}
	close_design(&d);
}

/* ---- the unified design's parameters */

static const struct storage_need need_of_lu = {.regs_per_thread = 20,
	.warps_per_cta = 8,
	.shared_per_cta = 24 * KB,
	.warp_slots = 32,
	.cta_slots = 32};

static void check_split(const char *design, const char *settings, const struct storage_need *need,
	unsigned ctas, unsigned registers, unsigned shared, unsigned cache)
{
	struct storage_split s;
	struct design d;

	open_design(&d, design, settings);
	assert_int_equal(split(&d, need, &s), ctas);
	assert_int_equal(s.register_bytes, registers);
	assert_int_equal(s.shared_bytes, shared);
	assert_int_equal(s.cache_bytes, cache);
	close_design(&d);
}

static void parameters_change_what_unified_storage_reserves(void **state)
{
	(void)state;
	check_split("unified", "", &need_of_lu, 4, 80 * KB, 96 * KB, 208 * KB);
	check_split("unified", "threads=512", &need_of_lu, 2, 40 * KB, 48 * KB, 296 * KB);
	check_split("unified", "threads=700", &need_of_lu, 2, 40 * KB, 48 * KB, 296 * KB);
	check_split("unified", "threads=225", &need_of_lu, 1, 20 * KB, 24 * KB, 340 * KB);
	check_split("unified", "cache_limit=64K", &need_of_lu, 4, 80 * KB, 96 * KB, 64 * KB);
	check_split("unified", "cache_limit=0", &need_of_lu, 4, 80 * KB, 96 * KB, 0);
	check_split("unified", "listed_caches=yes", &need_of_lu, 4, 80 * KB, 96 * KB, 128 * KB);
	check_split("unified", "cache_bytes=64K", &need_of_lu, 4, 80 * KB, 96 * KB, 64 * KB);
	check_split("unified", "cache_bytes=256K", &need_of_lu, 2, 40 * KB, 48 * KB, 256 * KB);
	check_split("unified", "register_bytes=100K", &need_of_lu, 4, 100 * KB, 96 * KB, 188 * KB);
	check_split("unified", "register_bytes=70K", &need_of_lu, 3, 70 * KB, 72 * KB, 242 * KB);
	check_split("unified", "shared_bytes=30K", &need_of_lu, 1, 20 * KB, 30 * KB, 334 * KB);
	check_split("unified", "bytes=44K", &need_of_lu, 1, 20 * KB, 24 * KB, 0);
	check_split("unified", "bytes=45568", &need_of_lu, 1, 20 * KB, 24 * KB, 512);
}

static void a_fermi_store_is_split_for_the_most_ctas_then_for_the_largest_cache(void **state)
{
	struct storage_need small = need_of_lu, large = need_of_lu;

	(void)state;
	small.shared_per_cta = 8 * KB;
	large.shared_per_cta = 40 * KB;
	check_split("fermi", "", &small, 4, 256 * KB, 32 * KB, 96 * KB);
	check_split("fermi", "", &large, 2, 256 * KB, 96 * KB, 32 * KB);
	check_split("fermi", "splits=16/48,48/16", &large, 1, 256 * KB, 48 * KB, 16 * KB);
	check_split("fermi", "splits=16/48,48/16 split=1 register_bytes=20K", &small, 1, 20 * KB,
		16 * KB, 48 * KB);
}

/* ---- one split for several kernels */

/* Two kernels: CTAs of 8 warps with 20 registers and 24 KB; CTAs of 5 warps with 30 registers and
 * 2 KB. */
static const struct storage_need two_needs[] = {
	{.regs_per_thread = 20,
		.warps_per_cta = 8,
		.shared_per_cta = 24 * KB,
		.warp_slots = 32,
		.cta_slots = 32},
	{.regs_per_thread = 30,
		.warps_per_cta = 5,
		.shared_per_cta = 2 * KB,
		.warp_slots = 32,
		.cta_slots = 32},
};

struct shares {
	unsigned first, second; /* CTAs of the two kernels */
	unsigned registers, shared, cache;
};

static void check_both(const char *design, const char *settings, struct shares want)
{
	struct storage_need other_way[] = {two_needs[1], two_needs[0]};
	struct storage_split s, turned;
	struct design d;

	open_design(&d, design, settings);
	assert_int_equal(d.ops->split(d.self, two_needs, 2, &s, &d.err), 0);
	assert_int_equal(d.ops->split(d.self, other_way, 2, &turned, &d.err), 0);
	assert_memory_equal(&s, &turned, sizeof(s));
	assert_int_equal(storage_ctas(&s, &two_needs[0]), want.first);
	assert_int_equal(storage_ctas(&s, &two_needs[1]), want.second);
	assert_int_equal(s.register_bytes, want.registers);
	assert_int_equal(s.shared_bytes, want.shared);
	assert_int_equal(s.cache_bytes, want.cache);
	close_design(&d);
}

/* The first kernel makes 4 CTAs of 32 warps, the second 6 of 30: registers for 32 warps, at 30 a
 * thread, and four times 24 KB. With fewer warps in the same way. */
static void an_application_s_split_takes_the_maximum_of_each_need(void **state)
{
	(void)state;
	check_both("unified", "", (struct shares){4, 6, 120 * KB, 96 * KB, 168 * KB});
	check_both("unified", "threads=512", (struct shares){2, 3, 60 * KB, 48 * KB, 276 * KB});
	check_both("unified", "bytes=128K", (struct shares){2, 4, 75 * KB, 48 * KB, 5 * KB});
	check_both("unified", "cache_bytes=200K", (struct shares){3, 5, 96000, 72 * KB, 200 * KB});
	check_both("partitioned", "", (struct shares){2, 6, 256 * KB, 64 * KB, 64 * KB});
	check_both("fermi", "", (struct shares){4, 6, 256 * KB, 96 * KB, 32 * KB});
	check_both("fermi", "split=2", (struct shares){1, 6, 256 * KB, 32 * KB, 96 * KB});
}

static void a_kernel_s_last_small_cta_does_not_count(void **state)
{
	struct storage_need large = {.regs_per_thread = 20,
				    .warps_per_cta = 16,
				    .shared_per_cta = 4096,
				    .warp_slots = 32,
				    .cta_slots = 32},
			    small = large, other = large, needs[4];
	unsigned n = 0;

	(void)state;
	small.warps_per_cta = 1;
	other.shared_per_cta = 2048;
	other.warps_per_cta = 1;
	n = storage_gather(needs, n, &small);
	n = storage_gather(needs, n, &large);
	n = storage_gather(needs, n, &small);
	assert_int_equal(n, 1);
	assert_memory_equal(&needs[0], &large, sizeof(large));
	n = storage_gather(needs, n, &other);
	other.regs_per_thread = 21;
	n = storage_gather(needs, n, &other);
	assert_int_equal(n, 3);
	assert_memory_equal(&needs[2], &other, sizeof(other));
}

static void one_kernel_gets_the_same_by_itself_and_as_an_application(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct storage_need need = {.regs_per_thread = rows[i].registers,
			.warps_per_cta = 1 + i % 3,
			.shared_per_cta = rows[i].shared,
			.warp_slots = 32,
			.cta_slots = 32};
		struct storage_need twice[] = {need, need};

		for (unsigned k = 0; k < ARRAY_LEN(designs); k++) {
			struct storage_split once, both;
			struct design d;

			open_design(&d, designs[k].name, designs[k].settings);
			assert_int_equal(d.ops->split(d.self, twice, 1, &once, &d.err), 0);
			assert_int_equal(d.ops->split(d.self, twice, 2, &both, &d.err), 0);
			assert_memory_equal(&once, &both, sizeof(once));
			close_design(&d);
		}
	}
}

static void one_is_reported_in_the_singular(void **state)
{
	struct storage_need need = {.warps_per_cta = 1, .regs_per_thread = 20};
	char words[STORAGE_WORDS];

	(void)state;
	assert_string_equal(
		storage_cta_words(&need, words), "a CTA of 1 warp with 20 registers per thread");
	need = (struct storage_need){.warps_per_cta = 2, .regs_per_thread = 1};
	assert_string_equal(
		storage_cta_words(&need, words), "a CTA of 2 warps with 1 register per thread");
}

static void kernels_that_fit_no_split_together_are_reported(void **state)
{
	static const struct {
		const char *design, *settings, *says;
	} cases[] = {
		{"unified", "bytes=40K",
			"a CTA of 8 warps with 30 registers per thread needs 30720"},
		{"unified", "cache_bytes=352K", "of which storage.unified.cache_bytes are cache"},
		{"unified", "threads=128", "storage.unified.threads"},
		{"fermi", "splits=16/48", "one split for all kernels"},
		{"partitioned", "shared_bytes=20K", "24576 bytes of shared memory"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct storage_split s;
		struct design d;

		open_design(&d, cases[i].design, cases[i].settings);
		assert_int_equal(d.ops->split(d.self, two_needs, 2, &s, &d.err), -1);
		assert_int_equal(d.err.code, ERR_RESOURCE);
		if (!strstr(err_text(&d.err), cases[i].says))
			fail_msg("%s", err_text(&d.err));
		close_design(&d);
	}
}

/* ---- faults */

static void what_fits_nowhere_is_reported_with_its_needs(void **state)
{
	static const struct {
		const char *design, *settings, *says;
	} cases[] = {
		{"unified", "bytes=40K", "storage.unified.bytes is 40960"},
		{"unified", "shared_bytes=20K",
			"needs 24576 bytes of shared memory; storage.unified.shared_bytes is"},
		{"unified", "threads=224", "storage.unified.threads"},
		{"fermi", "splits=16/48", "24576 bytes of shared memory; the split has 16 KB"},
		{"fermi", "register_bytes=19K", "20480 bytes of registers"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct storage_split s;
		struct design d;

		open_design(&d, cases[i].design, cases[i].settings);
		assert_int_equal(split(&d, &need_of_lu, &s), 0);
		assert_int_equal(d.err.code, ERR_RESOURCE);
		if (!strstr(err_text(&d.err), cases[i].says))
			fail_msg("%s", err_text(&d.err));
		close_design(&d);
	}
}

static void impossible_capacities_are_reported(void **state)
{
	static const struct {
		const char *design, *settings, *says;
	} cases[] = {
		{"unified", "bytes=100000", "a multiple of 512"},
		{"unified", "cache_bytes=1000", "a multiple of a row, 512 bytes"},
		{"unified", "register_bytes=1000", "a multiple of 128"},
		{"unified", "shared_bytes=1000", "a multiple of 128"},
		{"partitioned", "register_bytes=1000",
			"storage.partitioned.register_bytes = 1000: 32 banks of 16 bytes need"},
		{"partitioned", "shared_bytes=1000", "32 banks of 4 bytes need a multiple of 128"},
		{"partitioned", "cache_bytes=1000", "storage.partitioned.cache_bytes = 1000"},
		{"fermi", "register_bytes=1000", "storage.fermi.register_bytes = 1000"},
		{"unified", "cache_bytes=64K cache_limit=32K", "cache_limit = 32768"},
		{"unified", "register_bytes=300K shared_bytes=100K", "409600 together"},
		{"fermi", "splits=16", "must be a list"},
		{"fermi", "splits=16/48,", "must be a list"},
		{"fermi", "splits=16/48,48", "must be a list"},
		{"fermi", "splits=16/48;48/16", "must be a list"},
		{"fermi", "splits=x/48", "must be a list"},
		{"fermi", "splits=16/99999999999", "must be a list"},
		{"fermi", "split=3", "has 2"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct storage_split s;
		struct design d;

		open_design(&d, cases[i].design, cases[i].settings);
		assert_int_equal(d.ops->most(d.self, &s, &d.err), -1);
		assert_int_equal(d.err.code, ERR_INPUT);
		if (!strstr(err_text(&d.err), cases[i].says))
			fail_msg("%s", err_text(&d.err));
		close_design(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_1_fits_as_the_paper_s_rule_says),
		cmocka_unit_test(every_byte_of_unified_storage_has_one_use),
		cmocka_unit_test(parameters_change_what_unified_storage_reserves),
		cmocka_unit_test(
			a_fermi_store_is_split_for_the_most_ctas_then_for_the_largest_cache),
		cmocka_unit_test(an_application_s_split_takes_the_maximum_of_each_need),
		cmocka_unit_test(a_kernel_s_last_small_cta_does_not_count),
		cmocka_unit_test(one_kernel_gets_the_same_by_itself_and_as_an_application),
		cmocka_unit_test(one_is_reported_in_the_singular),
		cmocka_unit_test(kernels_that_fit_no_split_together_are_reported),
		cmocka_unit_test(what_fits_nowhere_is_reported_with_its_needs),
		cmocka_unit_test(impossible_capacities_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
