/* Every warp makes progress, whatever its scheduler prefers: spinning warps are descheduled for the
 * warp that they wait for. */
#include "core/base.h"
#include "core/plugin.h"
#include "sm/state.h"
#include "tests/rig/support_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Warps of a CTA wait for the flag that warp `who` sets. */
static const char spin[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry k(.param .u64 out, .param .u32 who)\n{\n.reg .pred %p<4>;\n"
	".reg .b32 %r<16>;\n.reg .b64 %d<4>;\n.shared .align 4 .u32 flag;\n"
	"ld.param.u64 %d0, [out];\nld.param.u32 %r9, [who];\nmov.u32 %r0, %tid.x;\n"
	"shr.u32 %r1, %r0, 5;\nmov.u32 %r5, flag;\nst.shared.u32 [%r5], 0;\nbar.sync 0;\n"
	"setp.ne.u32 %p1, %r1, %r9;\n@%p1 bra SPIN;\n"
	"st.volatile.shared.u32 [%r5], 7;\nSPIN: ld.volatile.shared.u32 %r6, [%r5];\n"
	"setp.eq.u32 %p2, %r6, 0;\n@%p2 bra SPIN;\nmul.wide.u32 %d1, %r0, 4;\n"
	"add.u64 %d1, %d0, %d1;\nst.global.u32 [%d1], %r6;\nret;\n}\n";

/* A sum over the warps of a CTA from the last one to the first: each spins until the one behind it
 * has added its number, and then until the first signals that all is done. */
static const char chain[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry k(.param .u64 out, .param .u32 warps)\n{\n.reg .pred %p<4>;\n"
	".reg .b32 %r<16>;\n.reg .b64 %d<4>;\n.shared .align 4 .u32 sum[2];\n"
	"ld.param.u64 %d0, [out];\nld.param.u32 %r9, [warps];\nmov.u32 %r0, %tid.x;\n"
	"shr.u32 %r1, %r0, 5;\nmov.u32 %r5, sum;\nst.shared.u32 [%r5], 0;\n"
	"st.shared.u32 [%r5+4], 0;\nbar.sync 0;\nsub.u32 %r2, %r9, %r1;\nsub.u32 %r2, %r2, 1;\n"
	"L: ld.volatile.shared.u32 %r6, [%r5];\nsetp.ne.u32 %p1, %r6, %r2;\n@%p1 bra L;\n"
	"add.u32 %r6, %r6, 1;\nst.volatile.shared.u32 [%r5], %r6;\n"
	"M: ld.volatile.shared.u32 %r6, [%r5];\nsetp.ne.u32 %p1, %r6, %r9;\n@%p1 bra M;\n"
	"mul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, %d0, %d1;\nst.global.u32 [%d1], %r6;\nret;\n}\n";

struct spun {
	double cycles;
	struct text all; /* of metrics */
};

/* Runs one CTA; numbers: of warps, the argument, what each thread leaves. */
static struct spun spun(const char *settings, const struct chip_host *host, const char *ptx,
	const uint32_t *numbers)
{
	uint32_t warps = numbers[0], value = numbers[2];
	struct kit k = kit_new_host(settings, host);
	buffer_t out = kit_buffer(&k, "out", 128 * (uint64_t)warps);
	struct spun s;

	kit_launch(&k, kit_module(&k, ptx), "k", 1, 32 * warps, 2,
		(uint64_t[]){KIT_BUF(out), numbers[1]});
	if (chip_run(k.gpu, 20000000, NULL, &k.err))
		fail_msg("%s, argument %u: %s", settings, numbers[1], err_text(&k.err));
	chip_close(k.gpu);
	for (unsigned i = 0; i < 32 * warps; i++)
		assert_int_equal(kit_u32(&k, out, i), value);
	s = (struct spun){kit_metric(&k, "gpc__cycles_elapsed.max"), kit_everything(&k)};
	kit_free(&k);
	return s;
}

static double cycles_of(
	const char *settings, const char *ptx, uint32_t warps, uint32_t argument, uint32_t value)
{
	struct spun s = spun(settings, &(struct chip_host){.threads = 1}, ptx,
		(uint32_t[]){warps, argument, value});

	text_clear(&s.all);
	return s.cycles;
}

static void nine_warps_pass_with_each_scheduler(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (const struct plugin *const *p = plugins; *p; p++) {
		bool two_level = !strcmp((*p)->name, "two_level");

		if (strcmp((*p)->kind, "warp scheduler"))
			continue;
		seen++;
		for (unsigned schedulers = 1; schedulers <= 4; schedulers++)
			for (unsigned active = 1; active <= (two_level ? 8 : 1); active += 7)
				for (uint32_t who = 0; who < 9; who++) {
					char with[256];

					snprintf(with, sizeof(with),
						"chip.sms=1 sm.progress_cycles=300 sm.scheduler=%s "
						"sm.schedulers=%u %s%u",
						(*p)->name, schedulers,
						two_level ? "sm.two_level.active_warps="
							  : "sm.lsu_queue=",
						two_level ? active : 8);
					cycles_of(with, spin, 9, who, 7);
				}
	}
	assert_true(seen >= 3);
}

static void they_do_so_by_default_after_a_million_cycles(void **state)
{
	double longest = 0;

	(void)state;
	for (uint32_t who = 0; who < 9; who++) {
		double cycles = cycles_of("chip.sms=1", spin, 9, who, 7);

		longest = cycles > longest ? cycles : longest;
	}
	assert_true(longest > 1e6 && longest < 1.01e6);
}

static void a_sum_over_32_warps_that_spin_ends(void **state)
{
	static const char *const settings[] = {"sm.scheduler=two_level", "sm.scheduler=greedy",
		"sm.scheduler=round_robin", "sm.scheduler=two_level sm.two_level.active_warps=1",
		"sm.scheduler=two_level sm.schedulers=4",
		"sm.scheduler=two_level sm.two_level.pick=greedy", "rf.hierarchy=hardware rf.lrf=1",
		"rf.hierarchy=software rf.lrf=3 rf.entries=8", "rf.hierarchy=none sm.lsu_queue=1",
		"chip.storage=unified sm.bank_conflicts=cycle"};
	char with[256];

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(settings); i++) {
		snprintf(with, sizeof(with), "chip.sms=1 sm.progress_cycles=400 %s", settings[i]);
		cycles_of(with, chain, 32, 32, 32);
	}
}

/* Turns begin in a fixed cycle, however often the SM steps. */
static void no_order_and_no_early_wake_is_seen_in_turns(void **state)
{
	static const struct chip_host hosts[] = {{.threads = 1}, {.threads = 2},
		{.threads = 1, .early_wakes = true, .seed = 5},
		{.threads = 1, .hostile = true, .shuffle = true, .early_wakes = true, .seed = 9}};
	static const char *const settings[] = {"chip.sms=2 sm.progress_cycles=150",
		"chip.sms=2 sm.progress_cycles=333 sm.schedulers=2 sm.two_level.active_warps=2"};

	(void)state;
	for (unsigned s = 0; s < ARRAY_LEN(settings); s++) {
		struct spun first = spun(settings[s], &hosts[0], chain, (uint32_t[]){20, 20, 20});

		for (unsigned h = 1; h < ARRAY_LEN(hosts); h++) {
			struct spun other =
				spun(settings[s], &hosts[h], chain, (uint32_t[]){20, 20, 20});

			assert_string_equal(text_str(&first.all), text_str(&other.all));
			text_clear(&other.all);
		}
		text_clear(&first.all);
	}
}

/* Warps 0 to 3 are ready; 0 and 1 are about to access memory, 2 and 3 to use the special functions.
 * During its turn a warp's unit is kept from the others that want it. */
static void the_unit_of_the_warp_with_the_turn_is_kept_for_it(void **state)
{
	static const uint64_t kept[4] = {1 << 1, 1 << 0, 1 << 3, 1 << 2};
	static const struct pipe_class memory = {.pipe = 0}, special = {.pipe = 1};
	static struct sm sm;

	(void)state;
	sm.sched[0].view.active = sm.by_reason[REASON_SELECTED] = 0xf;
	sm.pipes.by_gate[GATE_MEMORY] = sm.pipes.by_gate[GATE_TEXTURE] = &memory;
	sm.pipes.by_gate[GATE_PIPE] = &special;
	sm.pipes.gates = GATE_PIPE + 1;
	sm.gate_next[GATE_MEMORY] = 1 << 0 | 1 << 1;
	sm.gate_next[GATE_PIPE] = 1 << 2 | 1 << 3;
	for (unsigned w = 0; w < 4; w++)
		sm.slot[w].gate = w < 2 ? GATE_MEMORY : GATE_PIPE;
	sm.turn.until = 100;
	for (unsigned w = 0; w < 4; w++) {
		sm.turn.warp = (uint8_t)w;
		assert_int_equal(progress_reserved(&sm, 99), kept[w]);
		assert_int_equal(progress_reserved(&sm, 100), 0);
	}
	sm.gate_next[GATE_TEXTURE] = 1 << 3;
	sm.gate_next[GATE_PIPE] = 0;
	assert_int_equal(progress_reserved(&sm, 99), 1 << 0 | 1 << 1);
	sm.by_reason[REASON_SELECTED] = 0x7;
	assert_int_equal(progress_reserved(&sm, 99), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nine_warps_pass_with_each_scheduler),
		cmocka_unit_test(they_do_so_by_default_after_a_million_cycles),
		cmocka_unit_test(a_sum_over_32_warps_that_spin_ends),
		cmocka_unit_test(no_order_and_no_early_wake_is_seen_in_turns),
		cmocka_unit_test(the_unit_of_the_warp_with_the_turn_is_kept_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
