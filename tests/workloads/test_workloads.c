/* All workloads on a GPU without time: right results with both address sizes, and checks that
 * see a single wrong element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/seeds.h"
#include "tests/rig/workload_rig.h"

#include <stdio.h>
#include <string.h>

struct body {
	void (*call)(struct workload_rig *);
};

static void call_body(struct workload_rig *b, void *ctx)
{
	struct body *body = ctx;

	body->call(b);
}

static void rig(void (*body)(struct workload_rig *), const struct subject *subject)
{
	workload_rig(call_body, subject, &(struct body){body});
}

/* The run's launches; fails the test when one cannot run. */
static void run(struct workload_rig *b)
{
	if (workload_rig_run(b, 0))
		fail_msg("%s: %s", b->subject->name, err_text(&b->err));
}

static void expect_right(struct workload_rig *b)
{
	if (b->run->ops->check(b->run, &b->err))
		fail_msg("%s: %s", b->subject->name, err_text(&b->err));
	assert_int_equal(b->err.count, 0);
}

static void corrupt(struct workload_rig *b, uint64_t word, uint32_t bits)
{
	uint32_t value;

	gpu_read(b->gpu, b->run->result, word * 4, &value, 4);
	value ^= bits;
	gpu_write(b->gpu, b->run->result, word * 4, &value, 4);
}

static void expect_wrong(struct workload_rig *b, uint64_t word)
{
	if (!b->run->ops->check(b->run, &b->err))
		fail_msg("%s: a wrong word %llu of %s is not noticed", b->subject->name,
			(unsigned long long)word, b->run->result_name);
	assert_int_equal(b->err.code, ERR_CHECK);
	assert_non_null(strstr(err_text(&b->err), b->run->result_name));
	err_clear(&b->err);
}

/* A right run; then one wrong element: at the front, inside, the last. Words of odd numbers hold
 * the signs of doubles. */
static void run_and_corrupt(struct workload_rig *b)
{
	uint64_t words, spots[3];

	run(b);
	/* the default size suits a timing model */
	if (!*b->subject->settings)
		assert_in_range(b->work, 1000, 2000000);
	expect_right(b);
	words = gpu_buffer_bytes(b->gpu, b->run->result) / 4;
	spots[0] = 1;
	spots[1] = (words / 3) | 1;
	spots[2] = (words - 1) | 1;
	for (unsigned i = 0; i < 3; i++) {
		if (spots[i] >= words)
			continue;
		corrupt(b, spots[i], UINT32_MAX);
		expect_wrong(b, spots[i]);
		corrupt(b, spots[i], UINT32_MAX);
	}
	expect_right(b);
}

/* All workloads with all their variants: those of even numbers or those of odd ones where they are
 * shared out. */
static void run_everything(unsigned address_bits)
{
	const struct plugin *workload;

	for (unsigned i = address_bits / 32 % stride(); (workload = workload_number(i));
		i += stride())
		for (unsigned v = 0; workload_variant(workload, v); v++)
			rig(run_and_corrupt,
				&(struct subject){workload->name, address_bits, .seed = 1,
					.settings = workload_variant(workload, v)});
}

static void all_results_are_right_with_32_bit_addresses(void **state)
{
	(void)state;
	run_everything(32);
}

static void all_results_are_right_with_64_bit_addresses(void **state)
{
	(void)state;
	run_everything(64);
}

static void expect_the_wrong_one_named(struct workload_rig *b)
{
	run(b);
	for (uint64_t element = 0; element < 700; element += 699) {
		char where[64];

		snprintf(where, sizeof(where), "cost[%llu] is ", (unsigned long long)element);
		corrupt(b, element, 1);
		assert_int_equal(b->run->ops->check(b->run, &b->err), -1);
		assert_non_null(strstr(err_text(&b->err), where));
		assert_non_null(strstr(err_text(&b->err), "1 of 700 "));
		err_clear(&b->err);
		corrupt(b, element, 1);
	}
}

static void a_check_names_the_first_wrong_element_and_their_number(void **state)
{
	(void)state;
	rig(expect_the_wrong_one_named, &(struct subject){"bfs", .settings = "bfs.n=700"});
}

/* One pair of kernels a level, and one more that finds nothing: as many as the largest cost and 1.
 */
static void expect_a_batch_for_each_level(struct workload_rig *b)
{
	int32_t cost[700], deepest = 0;

	run(b);

	gpu_read(b->gpu, b->run->result, 0, cost, sizeof(cost));
	for (unsigned i = 0; i < ARRAY_LEN(cost); i++)
		deepest = cost[i] > deepest ? cost[i] : deepest;
	assert_true(deepest > 2);
	assert_int_equal(b->batches, deepest + 1);
}

static void bfs_goes_on_until_no_frontier_is_left(void **state)
{
	(void)state;
	rig(expect_a_batch_for_each_level, &(struct subject){"bfs", .settings = "bfs.n=700"});
}

/* The first sum, from the generator itself. */
static void expect_sum_of_the_seed(struct workload_rig *b)
{
	struct rng left = rng_new(b->subject->seed, 0), right = rng_new(b->subject->seed, 1);
	float x = (float)(rng_unit(&left) * 2.0 - 1.0);
	float y = (float)(rng_unit(&right) * 2.0 - 1.0);
	float sum;

	run(b);
	gpu_read(b->gpu, b->run->result, 0, &sum, sizeof(sum));
	assert_true(sum == x + y);
}

static void the_seed_decides_the_inputs(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 3; seed++)
		rig(expect_sum_of_the_seed,
			&(struct subject){"vectoradd", .seed = seed, .settings = "vectoradd.n=32"});
}

/* The sums: printf 'hello world' | cksum. */
static void a_file_changed_by_hand_is_noticed(void **state)
{
	static const char right[] = "// Do not edit. Sum: 1135714720 11\nhello world";
	static const char wrong[] = "// Do not edit. Sum: 1135714720 11\nhello World";
	static const char cut[] = "// Do not edit. Sum: 1135714720 11\nhello worl";
	static const char none[] = "// written by hand\nhello World";

	(void)state;
	assert_true(workload_sum_holds(right, sizeof(right) - 1));
	assert_false(workload_sum_holds(wrong, sizeof(wrong) - 1));
	assert_false(workload_sum_holds(cut, sizeof(cut) - 1));
	assert_true(workload_sum_holds(none, sizeof(none) - 1));
}

static void expect_refused(struct workload_rig *b)
{
	assert_int_equal(b->run->ops->setup(b->run, &b->err), -1);
	assert_int_equal(b->err.code, ERR_INPUT);
	assert_non_null(strstr(err_text(&b->err), b->subject->message));
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
	static const struct subject subjects[] = {
		{"needle", .settings = "needle.n=40",
			.message = "needle.n = 40: must be a multiple"},
		{"needle", .settings = "needle.block=17",
			.message = "needle.block = 17: must be 16, 32 or 64"},
		{"matrixmul", .settings = "matrixmul.n=24",
			.message = "matrixmul.n = 24: must be a multiple of 16"},
		{"matrixmul", .settings = "matrixmul.rows=24",
			.message = "matrixmul.rows = 24: must be a multiple of 16"},
		{"mummer", .settings = "mummer.shortest=7",
			.message = "mummer.shortest = 7: must be 8 or more"},
		{"bfs", .settings = "bfs.source=16384",
			.message = "bfs.source = 16384: must be below"},
		{"scalarprod", .settings = "scalarprod.pairs=65536", .message = "must be at most"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
		rig(expect_refused, &subjects[i]);
}

static void a_missing_module_is_named(void **state)
{
	(void)state;
	rig(expect_refused, &(struct subject){"bfs", .data_dir = "no/such/folder",
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
		assert_true(!ops->fitted || strstr(ops->fitted, "table"));
		n++;
	}
	assert_true(n >= 6);
}

/* Gebhart et al., MICRO 2012, Table 1: 264 bytes a thread for needle at a blocking factor of 32. */
static void needle_takes_the_shared_memory_of_the_paper(void **state)
{
	static char text[1 << 18];
	struct arena arena = {0};
	struct err err = {0};
	jmp_buf escape;
	FILE *file = fopen(WORKLOADS_DIR "/needle/needle.ptx", "r");
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
		cmocka_unit_test(a_check_names_the_first_wrong_element_and_their_number),
		cmocka_unit_test(bfs_goes_on_until_no_frontier_is_left),
		cmocka_unit_test(the_seed_decides_the_inputs),
		cmocka_unit_test(a_missing_module_is_named),
		cmocka_unit_test(a_file_changed_by_hand_is_noticed),
		cmocka_unit_test(sizes_that_do_not_fit_are_refused),
		cmocka_unit_test(every_workload_says_what_it_computes_and_whose_it_is),
		cmocka_unit_test(needle_takes_the_shared_memory_of_the_paper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
