/* Profiles and runs: what a profile must not change; several launches, runs that are cut short,
 * runs that take long. */
#include "tests/rig/profile_rig.h"

static void a_profile_changes_nothing(void **state)
{
	static const char *const settings[] = {"chip.sms=4 l2.bytes=2048",
		"chip.sms=4 l2.bytes=2048 chip.dram=banked", "chip.sms=4 l2.bytes=0"};
	(void)state;

	for (unsigned i = 0; i < 3; i++) {
		struct kit plain = kit_new(settings[i]);
		buffer_t a = kit_buffer(&plain, "a", 65536), b = kit_buffer(&plain, "b", 65536),
			 c = kit_buffer(&plain, "c", 65536);
		struct text without, with;
		struct rig r;

		kit_launch(&plain, kit_module(&plain, three_buffers), "k", 16, 32, 3,
			(uint64_t[]){KIT_BUF(a), KIT_BUF(b), KIT_BUF(c)});
		kit_run(&plain);
		without = kit_everything(&plain);
		rig_run(&r, settings[i], three_buffers, 16);
		with = kit_everything(&r.kit);
		assert_string_equal(text_str(&with), text_str(&without));
		text_clear(&with);
		text_clear(&without);
		kit_free(&plain);
		rig_free(&r);
	}
}

/* ---- several launches, and runs that do not end */
static void launches_of_one_kernel_are_one_kernel(void **state)
{
	struct rig r;
	module_t m;
	(void)state;

	rig_new(&r, ONE_SM, 1);
	m = kit_module(&r.kit, three_buffers);
	rig_launch(&r, m, 1, 32);
	assert_int_equal(chip_run(r.kit.gpu, 0, NULL, &r.kit.err), 0);
	kit_buffer(&r.kit, "late", 4096);
	rig_launch(&r, m, 1, 32);
	kit_run(&r.kit);
	rig_sum(&r);
	assert_int_equal(r.sum.nkernels, 1);
	assert_int_equal(r.sum.kernel[0].launches, 2);
	/* the second one finds in the L2 what the first one has fetched */
	COUNTS(line(&r, 3), {PROFILE_ASKED, 256}, {PROFILE_SENT_READ, 256}, {PROFILE_L2_HIT, 128},
		{PROFILE_DRAM_READ, 128});
	COUNTS(line(&r, 7), {PROFILE_TAKEN_WRITE, 64}, {PROFILE_REWRITTEN, 32},
		{PROFILE_FLUSHED, 32});
	check_sums(&r);
	rig_free(&r);
}

static void a_run_that_is_cut_short_still_adds_up(void **state)
{
	static const char *const settings[] = {
		"chip.sms=4 l2.bytes=2048", "chip.sms=4 l2.bytes=2048 chip.dram=banked"};
	(void)state;

	for (unsigned i = 0; i < 2; i++) {
		uint64_t read = 0;
		struct rig r;

		rig_new(&r, settings[i], 1);
		rig_launch(&r, kit_module(&r.kit, many), 128, 128);
		assert_int_equal(chip_run(r.kit.gpu, 400, NULL, &r.kit.err), -1);
		assert_int_equal(r.kit.err.code, ERR_LIMIT);
		chip_close(r.kit.gpu);
		rig_sum(&r);
		for (uint32_t k = 0; k < r.sum.nbuffers; k++)
			read += r.sum.buffer[k].n[PROFILE_DRAM_READ];
		assert_int_equal(read, (uint64_t)kit_metric(&r.kit, "dram__bytes_read.sum"));
		assert_true(read > 0);
		assert_true(r.sum.total.n[PROFILE_SENT_READ] > r.sum.total.n[PROFILE_RETURNED]);
		rig_free(&r);
	}
}

/* Half a million cycles do not fit 256 bins of 16. */
static void bins_grow_as_time_goes_by(void **state)
{
	static const char ptx[] =
		HEAD "mov.u32 %r20, 0;\n"
		     "add.u32 %r10, %r1, %r8;\n"
		     "L: ld.global.u32 %r21, [%r10];\n"
		     "add.u32 %r22, %r22, %r21; add.u32 %r10, %r10, 128; add.u32 %r20, %r20, 1;\n"
		     "setp.lt.u32 %p1, %r20, 300; @%p1 bra L;\n"
		     "st.global.u32 [%r3], %r22;\n" TAIL;
	struct rig r;
	(void)state;

	rig_run(&r, ONE_SM, ptx, 1);
	assert_true(kit_metric(&r.kit, "gpc__cycles_elapsed.max") > 300 * 400);
	assert_int_equal(r.sum.bin_cycles, 512);
	assert_in_range(r.sum.bins, 129, 256);
	check_sums(&r);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_changes_nothing),
		cmocka_unit_test(launches_of_one_kernel_are_one_kernel),
		cmocka_unit_test(a_run_that_is_cut_short_still_adds_up),
		cmocka_unit_test(bins_grow_as_time_goes_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
