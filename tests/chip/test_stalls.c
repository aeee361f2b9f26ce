/* Every cycle of a scheduler belongs to an instruction that waits and to one that it waits for:
 * reasons one by one, how cycles are shared, and that they add up. */
#include "tests/rig/profile_rig.h"

/* Of the n-th statement after the head. */
static struct stall_row at(const struct rig *r, unsigned n)
{
	struct stall_row out = {0};

	for (uint32_t k = 0; k < r->sum.nkernels; k++) {
		const struct program *p = r->sum.kernel[k].program;

		for (uint32_t i = 0; i < p->ninstr; i++)
			if (p->lines[p->code[i].line].ptx_line == FIRST + n)
				stall_row_add(
					&out, &r->sum.stall_site[r->sum.kernel[k].first_site + i]);
	}
	return out;
}

#define METRIC(S, T, id, name, text) "sched__cycles_" #name ".sum",
static const char *const metrics[] = {SM_REASONS(METRIC, 0, 0)};

static uint64_t cycles_of(struct rig *r, enum sm_reason reason)
{
	return (uint64_t)kit_metric(&r->kit, metrics[reason]);
}

/* The sums over instructions and SMs are the chip's, for every reason. */
static void check_stalls(struct rig *r)
{
	const struct profile_sum *s = &r->sum;
	struct stall_row sites = {0}, sms = {0};
	uint64_t idle = 0;

	for (uint32_t i = 0; i < s->nsites; i++)
		stall_row_add(&sites, &s->stall_site[i]);
	for (unsigned i = 0; i < s->sms; i++) {
		stall_row_add(&sms, &s->stall_sm[i]);
		idle += s->idle[i];
	}
	assert_memory_equal(&sites, &s->stalls, sizeof(sites));
	assert_memory_equal(&sms, &s->stalls, sizeof(sms));
	assert_int_equal(idle, cycles_of(r, REASON_IDLE));
	for (unsigned k = 0; k < REASON_COUNT; k++) {
		if (k == REASON_IDLE)
			continue;
		assert_int_equal(sites.stalled[k], cycles_of(r, (enum sm_reason)k));
		if (k != REASON_SELECTED)
			assert_int_equal(sites.caused[k], cycles_of(r, (enum sm_reason)k));
	}
	assert_int_equal(
		sites.event[STALL_EXECUTED], kit_metric(&r->kit, "smsp__inst_executed.sum"));
	assert_int_equal(
		sites.event[STALL_THREADS], kit_metric(&r->kit, "smsp__thread_inst_executed.sum"));
	assert_int_equal(
		sites.event[STALL_REGISTERS], kit_metric(&r->kit, "bank__conflicts_register.sum"));
	assert_int_equal(sites.event[STALL_CONFLICTS],
		kit_metric(&r->kit, "l1tex__data_bank_conflicts_pipe_lsu.sum"));
}

static void run(struct rig *r, const char *settings, const char *ptx, unsigned ctas)
{
	rig_run(r, settings, ptx, ctas);
	check_stalls(r);
}

/* ---- queues */
/* 32 lines, and then one. */
static const char stores[] = HEAD "add.u32 %r10, %r1, %r9;\n"
				  "add.u32 %r11, %r2, %r8;\n"
				  "st.global.u32 [%r10], %r7;\n"
				  "st.global.u32 [%r11], %r7;\n"
				  "st.global.u32 [%r11+4096], %r7;\n" TAIL;

static void a_store_waits_for_the_lines_of_the_one_that_fills_the_queue(void **state)
{
	struct stall_row wide, second, third;
	struct rig r;
	(void)state;

	run(&r, ONE_SM "sm.lsu_queue=1", stores, 1);
	wide = at(&r, 2);
	second = at(&r, 3);
	third = at(&r, 4);
	/* a line takes the port for two cycles, the first one passes in the cycle after issue */
	assert_int_equal(wide.caused[REASON_LG_THROTTLE], 62);
	assert_int_equal(second.stalled[REASON_LG_THROTTLE], 62);
	assert_int_equal(second.caused[REASON_LG_THROTTLE], 1);
	assert_int_equal(third.stalled[REASON_LG_THROTTLE], 1);
	assert_int_equal(wide.stalled[REASON_LG_THROTTLE], 0);
	assert_int_equal(third.caused[REASON_LG_THROTTLE], 0);
	assert_int_equal(cycles_of(&r, REASON_LG_THROTTLE), 63);
	rig_free(&r);
}

/* The lines that are left decide: two cycles with 32, with 31, .. 2 lines, one of them the second
 * store's, are 6.1 cycles of it. */
static void lines_in_the_queue_take_turns(void **state)
{
	struct stall_row wide, second;
	uint64_t all;
	struct rig r;
	(void)state;

	run(&r, ONE_SM "sm.lsu_queue=2", stores, 1);
	wide = at(&r, 2);
	second = at(&r, 3);
	all = cycles_of(&r, REASON_LG_THROTTLE);
	assert_int_equal(all, 61);
	assert_int_equal(at(&r, 4).stalled[REASON_LG_THROTTLE], all);
	assert_int_equal(wide.caused[REASON_LG_THROTTLE] + second.caused[REASON_LG_THROTTLE], all);
	assert_in_range(second.caused[REASON_LG_THROTTLE], 2, 10);
	rig_free(&r);
}

static void operations_in_flight_are_waited_for(void **state)
{
	struct rig r;
	(void)state;

	run(&r, ONE_SM "sm.lsu_ops=1",
		HEAD "add.u32 %r10, %r1, %r8;\n"
		     "ld.global.u32 %r11, [%r10];\n"
		     "ld.global.u32 %r12, [%r10+8192];\n"
		     "add.u32 %r13, %r11, %r12;\n" TAIL,
		1);
	assert_true(cycles_of(&r, REASON_LG_THROTTLE) > 300);
	assert_int_equal(at(&r, 1).caused[REASON_LG_THROTTLE], cycles_of(&r, REASON_LG_THROTTLE));
	assert_int_equal(at(&r, 2).stalled[REASON_LG_THROTTLE], cycles_of(&r, REASON_LG_THROTTLE));
	assert_int_equal(
		at(&r, 3).stalled[REASON_LONG_SCOREBOARD], cycles_of(&r, REASON_LONG_SCOREBOARD));
	rig_free(&r);
}

static void an_exited_warp_waits_for_its_stores(void **state)
{
	struct rig r;
	(void)state;

	run(&r, ONE_SM,
		HEAD "add.u32 %r10, %r1, %r9;\n"
		     "st.global.u32 [%r10], %r7;\n" TAIL,
		1);
	assert_true(cycles_of(&r, REASON_DRAIN) >= 30);
	assert_int_equal(at(&r, 1).caused[REASON_DRAIN], cycles_of(&r, REASON_DRAIN));
	assert_int_equal(at(&r, 2).stalled[REASON_DRAIN], cycles_of(&r, REASON_DRAIN));
	rig_free(&r);
}

/* ---- units and results */
/* Lane l's word is in bank 0: 32 passes. */
static void bank_conflicts_are_waited_for(void **state)
{
	struct stall_row load;
	struct rig r;
	(void)state;

	run(&r, ONE_SM,
		".version 7.0\n.target sm_70\n.address_size 32\n.visible .entry k(.param .u32 a, "
		".param .u32 b, .param .u32 c)\n{\n.reg .b32 %r<64>;\n.shared .align 4 .b8 s[4096];\n"
		"mov.u32 %r4, %tid.x; shl.b32 %r9, %r4, 7; mov.u32 %r5, s; add.u32 %r5, %r5, %r9;\n"
		"\n"
		"ld.shared.u32 %r10, [%r5];\n"
		"ld.shared.u32 %r11, [%r5+4];\n"
		"add.u32 %r12, %r10, %r11;\n" TAIL,
		1);
	load = at(&r, 0);
	assert_int_equal(load.event[STALL_CONFLICTS], 31);
	assert_int_equal(load.caused[REASON_MIO_THROTTLE], 31);
	assert_int_equal(at(&r, 1).stalled[REASON_MIO_THROTTLE], 31);
	assert_int_equal(
		at(&r, 1).caused[REASON_SHORT_SCOREBOARD], cycles_of(&r, REASON_SHORT_SCOREBOARD));
	assert_int_equal(
		at(&r, 2).stalled[REASON_SHORT_SCOREBOARD], cycles_of(&r, REASON_SHORT_SCOREBOARD));
	rig_free(&r);
}

/* Four lanes want each of eight words; then each lane a word of bank 0, which no other wants. A
 * pass of atomics takes two cycles. */
static void atomics_on_one_word_are_told_from_conflicts(void **state)
{
	struct rig r;
	(void)state;

	run(&r, ONE_SM,
		".version 7.0\n.target sm_70\n.address_size 32\n.visible .entry k(.param .u32 a, "
		".param .u32 b, .param .u32 c)\n{\n.reg .b32 %r<64>;\n.shared .align 4 .b8 s[4096];\n"
		"mov.u32 %r4, %tid.x; mov.u32 %r5, s; shr.u32 %r6, %r4, 2; shl.b32 %r6, %r6, 2; "
		"add.u32 %r6, %r5, %r6; shl.b32 %r9, %r4, 7; add.u32 %r5, %r5, %r9;\n"
		"\n"
		"atom.shared.add.u32 %r10, [%r6], 1;\n"
		"atom.shared.add.u32 %r11, [%r5], 1;\n" TAIL,
		1);
	assert_int_equal(at(&r, 0).event[STALL_SAME_WORD], 3 * 2);
	assert_int_equal(at(&r, 0).event[STALL_CONFLICTS], 4 * 2 - 1);
	assert_int_equal(at(&r, 1).event[STALL_SAME_WORD], 0);
	assert_int_equal(at(&r, 1).event[STALL_CONFLICTS], 32 * 2 - 1);
	rig_free(&r);
}

/* 8 lanes: a warp takes the unit for four cycles. */
static void a_pipe_is_waited_for(void **state)
{
	struct rig r;
	(void)state;

	run(&r, ONE_SM,
		HEAD
		"\n"
		".reg .f32 %f<9>; mov.f32 %f1, 0f3f800000;\n"
		"ex2.approx.f32 %f2, %f1;\n"
		"ex2.approx.f32 %f3, %f1;\n"
		"ex2.approx.f32 %f4, %f1;\n"
		"add.f32 %f5, %f2, %f3; add.f32 %f5, %f5, %f4; st.global.f32 [%r1], %f5;\n" TAIL,
		1);
	assert_int_equal(cycles_of(&r, REASON_MATH_PIPE_THROTTLE), 6);
	for (unsigned i = 2; i < 4; i++) {
		assert_int_equal(at(&r, i).caused[REASON_MATH_PIPE_THROTTLE], 3);
		assert_int_equal(at(&r, i + 1).stalled[REASON_MATH_PIPE_THROTTLE], 3);
	}
	rig_free(&r);
}

/* Parameters are the only constants. */
static void a_load_of_constants_causes_the_cycles_of_its_miss(void **state)
{
	uint64_t caused = 0;
	struct rig r;
	(void)state;

	run(&r, ONE_SM "const.mode=real", stores, 1);
	for (uint32_t k = 0; k < r.sum.nkernels; k++) {
		const struct program *p = r.sum.kernel[k].program;

		for (uint32_t i = 0; i < p->ninstr; i++)
			if (p->code[i].action == ACT_LOAD)
				caused += r.sum.stall_site[r.sum.kernel[k].first_site + i]
						  .caused[REASON_IMC_MISS];
	}
	assert_true(caused > 100);
	assert_int_equal(caused, cycles_of(&r, REASON_IMC_MISS));
	rig_free(&r);
}

/* An addition takes 8 cycles, so does a branch; what is between need not be its producer. */
static void a_result_is_waited_for_at_who_produces_it(void **state)
{
	struct rig r;
	(void)state;

	run(&r, ONE_SM,
		HEAD "add.u32 %r10, %r7, 1;\n"
		     "mov.u32 %r11, 3;\n"
		     "add.u32 %r12, %r10, %r10;\n"
		     "bra L;\n"
		     "L: add.u32 %r13, %r11, %r12;\n"
		     "add.u32 %r13, %r13, %r9; add.u32 %r13, %r13, %r8;\n"
		     "st.global.u32 [%r1], %r13;\n" TAIL,
		1);
	assert_int_equal(at(&r, 0).event[STALL_EXECUTED], 1);
	assert_int_equal(at(&r, 0).event[STALL_THREADS], 32);
	assert_int_equal(at(&r, 0).caused[REASON_WAIT], 6);
	assert_int_equal(at(&r, 1).caused[REASON_WAIT], 0);
	assert_int_equal(at(&r, 2).stalled[REASON_WAIT], 6);
	assert_int_equal(at(&r, 3).caused[REASON_WAIT], 7);
	assert_int_equal(at(&r, 4).stalled[REASON_WAIT], 7);
	rig_free(&r);
}

/* ---- sums */
static void they_add_up_on_every_machine(void **state)
{
	static const char *const settings[] = {"chip.sms=4",
		"chip.sms=2 sm.lsu_queue=1 sm.lsu_ops=2",
		"chip.sms=4 sm.schedulers=4 sm.issue_width=2 pipe.memory_lanes=8",
		"chip.sms=2 sm.schedulers=2 sm.bank_conflicts=cycle chip.storage=unified",
		"chip.sms=2 icache.mode=real const.mode=real", "chip.sms=2 rf.hierarchy=hardware"};
	(void)state;

	for (unsigned i = 0; i < 6; i++) {
		struct rig r;

		run(&r, settings[i], many, 64);
		rig_free(&r);
		run(&r, settings[i], stores, 8);
		rig_free(&r);
	}
}

static void a_run_that_is_cut_short_still_adds_up(void **state)
{
	(void)state;

	for (uint64_t limit = 1; limit < 2000; limit += 333) {
		struct rig r;

		rig_new(&r, "chip.sms=4", 1);
		rig_launch(&r, kit_module(&r.kit, many), 128, 128);
		assert_int_equal(chip_run(r.kit.gpu, limit, NULL, &r.kit.err), -1);
		chip_close(r.kit.gpu);
		rig_sum(&r);
		check_stalls(&r);
		rig_free(&r);
	}
}

/* Neither how often an SM steps nor who steps first matters. */
static void order_and_early_wakes_change_nothing(void **state)
{
	static const struct chip_host hosts[] = {{.threads = 1},
		{.threads = 1, .shuffle = true, .early_wakes = true, .seed = 5}, {.threads = 2}};
	struct rig r[3];
	(void)state;

	for (unsigned i = 0; i < 3; i++) {
		r[i] = (struct rig){.kit = kit_new_host("chip.sms=4 sm.schedulers=2", &hosts[i])};
		assert_int_equal(chip_profile(r[i].kit.gpu, &r[i].kit.err), 0);
		r[i].a = kit_buffer(&r[i].kit, "a", 65536);
		r[i].b = kit_buffer(&r[i].kit, "b", 65536);
		r[i].c = kit_buffer(&r[i].kit, "c", 65536);
		rig_launch(&r[i], kit_module(&r[i].kit, many), 64, 128);
		rig_launch(&r[i], kit_module(&r[i].kit, stores), 8, 64);
		kit_run(&r[i].kit);
		rig_sum(&r[i]);
		check_stalls(&r[i]);
		assert_memory_equal(r[i].sum.stall_site, r[0].sum.stall_site,
			r[0].sum.nsites * sizeof(struct stall_row));
	}
	for (unsigned i = 0; i < 3; i++)
		rig_free(&r[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_waits_for_the_lines_of_the_one_that_fills_the_queue),
		cmocka_unit_test(lines_in_the_queue_take_turns),
		cmocka_unit_test(operations_in_flight_are_waited_for),
		cmocka_unit_test(an_exited_warp_waits_for_its_stores),
		cmocka_unit_test(bank_conflicts_are_waited_for),
		cmocka_unit_test(atomics_on_one_word_are_told_from_conflicts),
		cmocka_unit_test(a_pipe_is_waited_for),
		cmocka_unit_test(a_load_of_constants_causes_the_cycles_of_its_miss),
		cmocka_unit_test(a_result_is_waited_for_at_who_produces_it),
		cmocka_unit_test(they_add_up_on_every_machine),
		cmocka_unit_test(a_run_that_is_cut_short_still_adds_up),
		cmocka_unit_test(order_and_early_wakes_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
