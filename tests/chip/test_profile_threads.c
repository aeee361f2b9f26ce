/* A profile on several host threads: the same counts, and no data that two threads touch at once.
 */
#include "tests/rig/profile_rig.h"

static void run_many(struct rig *r, const char *settings, unsigned threads)
{
	rig_new(r, settings, threads);
	for (uint32_t i = 0; i < 16384; i++) {
		uint32_t v = i * 2654435761u;

		gpu_write(r->kit.gpu, r->a, 4 * (uint64_t)i, &v, 4);
	}
	rig_launch(r, kit_module(&r->kit, many), 128, 128);
	kit_run(&r->kit);
	rig_sum(r);
	check_sums(r);
}

static void two_threads_count_the_same_bytes(void **state)
{
	static const char *const settings[] = {"chip.sms=8 l2.bytes=2048",
		"chip.sms=8 l2.bytes=2048 chip.dram=banked", "chip.sms=8 l2.bytes=0",
		"chip.sms=8 l2.write_policy=through"};
	(void)state;

	for (unsigned i = 0; i < 4; i++) {
		struct rig one, two;

		run_many(&one, settings[i], 1);
		run_many(&two, settings[i], 2);
		assert_memory_equal(
			one.sum.site, two.sum.site, one.sum.nsites * sizeof(struct profile_row));
		assert_memory_equal(one.sum.buffer, two.sum.buffer,
			one.sum.nbuffers * sizeof(struct profile_row));
		assert_memory_equal(
			one.sum.sm, two.sum.sm, one.sum.sms * sizeof(struct profile_row));
		assert_memory_equal(
			one.sum.sm_bin, two.sum.sm_bin, one.sum.sms * sizeof(*one.sum.sm_bin));
		assert_true(one.sum.total.n[PROFILE_DRAM_READ] > 0);
		rig_free(&one);
		rig_free(&two);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_threads_count_the_same_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
