/* The six workloads on a GPU without time: right results with both address sizes, and checks that
 * see a single wrong element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "workloads/workload.h"

#include <stdio.h>
#include <string.h>

#define DATA_DIR WARPBEAM_SRCDIR "/workloads"
#define SETTINGS 4

/* What a test runs, and what it expects to read when that is refused. */
struct subject {
	const char *name;
	unsigned address_bits; /* 0: 32 */
	uint64_t seed;
	const char *settings[SETTINGS];
	const char *data_dir; /* NULL: the source's */
	const char *message;
};

/* One run from opening to result. */
struct bench {
	const struct subject *subject;
	struct err err;
	struct config *config;
	struct arena arena;
	struct gpu *gpu;
	struct workload_run *run;
	struct untimed_counts counts; /* of all launches so far */
};

static void bench_open(struct bench *b)
{
	const struct subject *s = b->subject;

	b->config = config_new();
	for (unsigned i = 0; i < SETTINGS && s->settings[i]; i++)
		assert_int_equal(config_set_text(b->config, s->settings[i], "test", &b->err), 0);
	b->gpu = gpu_new(b->config, &b->err);
	assert_non_null(b->gpu);
	b->run = workload_open(s->name, b->gpu, b->config, &b->arena, &b->err);
	if (!b->run)
		fail_msg("%s", err_text(&b->err));
	b->run->data_dir = s->data_dir ? s->data_dir : DATA_DIR;
	b->run->address_bits = s->address_bits ? s->address_bits : 32;
	b->run->seed = s->seed;
}

/* Opens the subject's run, lets `body` test it, and frees all. */
static void bench(void (*body)(struct bench *), const struct subject *subject)
{
	struct bench b = {.subject = subject};
	jmp_buf escape;

	b.arena.escape = &escape;
	if (setjmp(escape))
		fail_msg("no memory");
	bench_open(&b);
	body(&b);
	gpu_free(b.gpu);
	arena_free(&b.arena);
	config_free(b.config);
	err_clear(&b.err);
}

/* Setup, and all launches until the workload is done; returns the batches of launches. */
static unsigned bench_run(struct bench *b)
{
	const struct workload_ops *ops = b->run->ops;
	unsigned batches = 0;
	int more;

	if (ops->setup(b->run, &b->err))
		fail_msg("%s", err_text(&b->err));
	do {
		if (gpu_run_untimed(b->gpu, &b->counts, &b->err))
			fail_msg("%s", err_text(&b->err));
		batches++;
		more = ops->advance ? ops->advance(b->run, &b->err) : 0;
	} while (more == 1);
	assert_int_equal(more, 0);
	return batches;
}

static void expect_right(struct bench *b)
{
	if (b->run->ops->check(b->run, &b->err))
		fail_msg("%s", err_text(&b->err));
	assert_int_equal(b->err.count, 0);
}

/* Flips the bit that is the upper half of a float's mantissa, in one element of the result. */
static void corrupt(struct bench *b, uint64_t element)
{
	uint32_t word;

	gpu_read(b->gpu, b->run->result, element * 4, &word, 4);
	word ^= 0x00400000;
	gpu_write(b->gpu, b->run->result, element * 4, &word, 4);
}

static void expect_wrong(struct bench *b, uint64_t element)
{
	char where[64];

	snprintf(where, sizeof(where), "%s[%llu] is ", b->run->result_name,
		(unsigned long long)element);
	assert_int_equal(b->run->ops->check(b->run, &b->err), -1);
	assert_int_equal(b->err.code, ERR_CHECK);
	assert_non_null(strstr(err_text(&b->err), where));
	assert_non_null(strstr(err_text(&b->err), "1 of "));
	err_clear(&b->err);
}

/* A right run; then one wrong element: the first, one inside, the last. */
static void run_and_corrupt(struct bench *b)
{
	uint64_t elements, spots[3];

	bench_run(b);
	expect_right(b);
	elements = gpu_buffer_bytes(b->gpu, b->run->result) / 4;
	spots[0] = 0;
	spots[1] = elements / 3;
	spots[2] = elements - 1;
	for (unsigned i = 0; i < 3; i++) {
		corrupt(b, spots[i]);
		expect_wrong(b, spots[i]);
		corrupt(b, spots[i]);
	}
	expect_right(b);
}

static const char *const names[] = {
	"bfs", "hotspot", "matrixmul", "needle", "scalarprod", "vectoradd"};

static void all_results_are_right_with_32_bit_addresses(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		bench(run_and_corrupt, &(struct subject){names[i], 32, .seed = 1});
}

static void all_results_are_right_with_64_bit_addresses(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		bench(run_and_corrupt, &(struct subject){names[i], 64, .seed = 1});
}

static void run_all(const struct subject *subjects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bench(run_and_corrupt, &subjects[i]);
}

static void needle_is_right_with_blocks_of_half_a_warp_and_of_two_warps(void **state)
{
	static const struct subject subjects[] = {
		{"needle", .settings = {"needle.block=16", "needle.n=64"}},
		{"needle", .settings = {"needle.block=64", "needle.n=128"}},
	};

	(void)state;
	run_all(subjects, ARRAY_LEN(subjects));
}

static void sizes_that_fill_no_whole_cta_are_right(void **state)
{
	static const struct subject subjects[] = {
		{"vectoradd", .settings = {"vectoradd.n=1000"}},
		{"hotspot", .settings = {"hotspot.n=37", "hotspot.halo=3", "hotspot.steps=7"}},
		{"bfs", .settings = {"bfs.n=700", "bfs.source=699"}},
		{"scalarprod", .settings = {"scalarprod.pairs=5", "scalarprod.elements=1500"}},
		{"matrixmul", .settings = {"matrixmul.n=16"}},
	};

	(void)state;
	run_all(subjects, ARRAY_LEN(subjects));
}

/* One pair of kernels a level, and one more that finds nothing: as many as the largest cost and 1.
 */
static void expect_a_batch_for_each_level(struct bench *b)
{
	int32_t cost[700], deepest = 0;
	unsigned batches = bench_run(b);

	gpu_read(b->gpu, b->run->result, 0, cost, sizeof(cost));
	for (unsigned i = 0; i < ARRAY_LEN(cost); i++)
		deepest = cost[i] > deepest ? cost[i] : deepest;
	assert_true(deepest > 2);
	assert_int_equal(batches, deepest + 1);
}

static void bfs_goes_on_until_no_frontier_is_left(void **state)
{
	(void)state;
	bench(expect_a_batch_for_each_level, &(struct subject){"bfs", .settings = {"bfs.n=700"}});
}

/* The first sum, from the generator itself. */
static void expect_sum_of_the_seed(struct bench *b)
{
	struct rng left = rng_new(b->subject->seed, 0), right = rng_new(b->subject->seed, 1);
	float x = (float)(rng_unit(&left) * 2.0 - 1.0);
	float y = (float)(rng_unit(&right) * 2.0 - 1.0);
	float sum;

	bench_run(b);
	gpu_read(b->gpu, b->run->result, 0, &sum, sizeof(sum));
	assert_true(sum == x + y);
}

static void the_seed_decides_the_inputs(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 3; seed++)
		bench(expect_sum_of_the_seed, &(struct subject){"vectoradd", .seed = seed,
						      .settings = {"vectoradd.n=32"}});
}

/* The default size suits a timing model: some hundred thousand warp instructions at most. */
static void expect_small(struct bench *b)
{
	bench_run(b);
	assert_in_range(b->counts.warp_instructions, 20000, 600000);
}

static void small_runs_are_small_and_not_trivial(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		bench(expect_small, &(struct subject){.name = names[i]});
}

static void expect_refused(struct bench *b)
{
	assert_int_equal(b->run->ops->setup(b->run, &b->err), -1);
	assert_int_equal(b->err.code, ERR_INPUT);
	assert_non_null(strstr(err_text(&b->err), b->subject->message));
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
	static const struct subject subjects[] = {
		{"needle", .settings = {"needle.n=40"},
			.message = "needle.n = 40: must be a multiple"},
		{"needle", .settings = {"needle.block=17"},
			.message = "needle.block = 17: must be 16, 32 or 64"},
		{"matrixmul", .settings = {"matrixmul.n=24"},
			.message = "matrixmul.n = 24: must be a multiple of 16"},
		{"bfs", .settings = {"bfs.source=16384"},
			.message = "bfs.source = 16384: must be below"},
		{"scalarprod", .settings = {"scalarprod.pairs=65536"},
			.message = "must be at most"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
		bench(expect_refused, &subjects[i]);
}

static void a_missing_module_is_named(void **state)
{
	(void)state;
	bench(expect_refused, &(struct subject){"bfs", .data_dir = "no/such/folder",
				      .message = "no/such/folder/bfs/bfs.ptx"});
}

static void every_workload_says_what_it_computes_and_whose_it_is(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; plugins[i]; i++) {
		const struct workload_ops *ops = plugins[i]->ops;

		if (strcmp(plugins[i]->kind, "workload"))
			continue;
		assert_true(strlen(plugins[i]->text) > 10);
		assert_true(strlen(ops->computes) > 10);
		assert_true(strlen(ops->source) > 10);
		n++;
	}
	assert_true(n >= ARRAY_LEN(names));
}

/* Gebhart et al., MICRO 2012, Table 1: 264 bytes a thread for needle at a blocking factor of 32. */
static void needle_takes_the_shared_memory_of_the_paper(void **state)
{
	static char text[1 << 18];
	struct arena arena = {0};
	struct err err = {0};
	jmp_buf escape;
	FILE *file = fopen(DATA_DIR "/needle/needle.ptx", "r");
	struct module *module;
	const struct program *program;
	size_t n;

	(void)state;
	assert_non_null(file);
	n = fread(text, 1, sizeof(text), file);
	fclose(file);
	arena.escape = &escape;
	if (setjmp(escape))
		fail_msg("no memory");
	module = module_compile("needle.ptx", text, n, &(struct compile_options){0}, &arena, &err);
	if (!module || err.count)
		fail_msg("%s", err_text(&err));
	program = module_kernel(module, "needle_upper_32", &err);
	assert_non_null(program);
	assert_int_equal(program->shared_bytes, (33 * 33 + 32 * 32) * 4);
	assert_in_range(program->shared_bytes / 32, 264 * 9 / 10, 264 * 11 / 10);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_results_are_right_with_32_bit_addresses),
		cmocka_unit_test(all_results_are_right_with_64_bit_addresses),
		cmocka_unit_test(needle_is_right_with_blocks_of_half_a_warp_and_of_two_warps),
		cmocka_unit_test(sizes_that_fill_no_whole_cta_are_right),
		cmocka_unit_test(bfs_goes_on_until_no_frontier_is_left),
		cmocka_unit_test(the_seed_decides_the_inputs),
		cmocka_unit_test(small_runs_are_small_and_not_trivial),
		cmocka_unit_test(a_missing_module_is_named),
		cmocka_unit_test(sizes_that_do_not_fit_are_refused),
		cmocka_unit_test(every_workload_says_what_it_computes_and_whose_it_is),
		cmocka_unit_test(needle_takes_the_shared_memory_of_the_paper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
