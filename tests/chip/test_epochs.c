/* What launches did, one by one: every count and every femtojoule of a chip belongs to one epoch.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chip/epochs.h"
#include "chip/inside.h"
#include "core/rng.h"
#include "tests/rig/support_gpu.h"

/* copy moves a word, long_copy a word in each of 8 rounds, spin computes. */
static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 32\n"
	".visible .entry copy(.param .u32 a, .param .u32 n)\n"
	"{ .reg .u32 %a, %t, %v; ld.param.u32 %a, [a]; mov.u32 %t, %tid.x; shl.b32 %t, %t, 2;\n"
	"add.u32 %a, %a, %t; ld.global.u32 %v, [%a]; add.u32 %v, %v, 1;\n"
	"st.global.u32 [%a], %v; ret; }\n"
	".visible .entry long_copy(.param .u32 a, .param .u32 n)\n"
	"{ .reg .u32 %a, %t, %v, %n; .reg .pred %p; ld.param.u32 %a, [a]; ld.param.u32 %n, [n];\n"
	"mov.u32 %t, %tid.x; shl.b32 %t, %t, 2; add.u32 %a, %a, %t;\n"
	"again: ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.global.u32 [%a], %v;\n"
	"add.u32 %a, %a, 128; sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra again; ret; }\n"
	".visible .entry spin(.param .u32 a, .param .u32 n)\n"
	"{ .reg .u32 %n; .reg .pred %p; ld.param.u32 %n, [n];\n"
	"again: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra again; ret; }\n";
static const char *const kernels[] = {"copy", "long_copy", "spin"};

#define BYTES 65536u

static void queue(struct kit *k, const char *kernel, unsigned ctas, unsigned n, unsigned stream)
{
	buffer_t b = gpu_buffer_named(k->gpu, "b");

	if (!b)
		b = kit_buffer(k, "b", BYTES);
	kit_launch_on(k, 1, kernel, ctas, 64, 2, (uint64_t[]){KIT_BUF(b), n}, 0, stream);
}

static struct kit new_kit(const char *settings, unsigned threads)
{
	struct kit k = kit_new_host(settings, &(struct chip_host){.threads = threads});

	kit_module(&k, ptx);
	return k;
}

/* ---- sums */
struct sums {
	struct {
		char name[96];
		double value;
	} at[320];
	unsigned n;
};

static bool adds_up(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && !strcmp(name + n - 4, ".sum");
}

static void add_metric(void *ctx, const struct metric *m)
{
	struct sums *s = ctx;
	unsigned i = 0;

	if (!adds_up(m->name))
		return;
	while (i < s->n && strcmp(s->at[i].name, m->name) != 0)
		i++;
	if (i == s->n) {
		assert_in_range(i, 0, 319);
		snprintf(s->at[s->n++].name, 96, "%s", m->name);
	}
	s->at[i].value += m->is_real ? m->real : (double)m->count;
}

static bool is_it(void *ctx, unsigned epoch)
{
	return *(unsigned *)ctx == epoch;
}

static bool any(void *ctx, unsigned epoch)
{
	(void)ctx;
	(void)epoch;
	return true;
}

static double of_epoch(const struct kit *k, unsigned epoch, const char *name)
{
	struct sums s = {0};

	chip_epoch_metrics(k->gpu, is_it, &epoch, add_metric, &s);
	for (unsigned i = 0; i < s.n; i++)
		if (!strcmp(s.at[i].name, name))
			return s.at[i].value;
	fail_msg("an epoch has no %s", name);
	return 0;
}

/* Time belongs to launches: epochs do not add up to it. What only a run has is left out. */
static bool is_of_runs(const char *name)
{
	return strstr(name, "time_duration") || strstr(name, "bytes_flushed") ||
	       strstr(name, "inst_executed_untimed");
}

static void epochs_add_up(const struct kit *k)
{
	struct sums whole = {0}, parts = {0}, together = {0};
	unsigned seen = 0;

	chip_metrics(k->gpu, add_metric, &whole);
	for (unsigned i = 0; i < chip_epochs(k->gpu); i++)
		chip_epoch_metrics(k->gpu, is_it, &i, add_metric, &parts);
	chip_epoch_metrics(k->gpu, any, NULL, add_metric, &together);
	for (unsigned i = 0; i < whole.n; i++) {
		unsigned p = 0;

		while (p < parts.n && strcmp(parts.at[p].name, whole.at[i].name) != 0)
			p++;
		if (is_of_runs(whole.at[i].name))
			continue;
		assert_true(p < parts.n);
		if (fabs(parts.at[p].value - whole.at[i].value) > 1e-9 * whole.at[i].value)
			fail_msg("%s: %.17g in all, epochs have %.17g", whole.at[i].name,
				whole.at[i].value, parts.at[p].value);
		assert_true(
			fabs(together.at[p].value - whole.at[i].value) <= 1e-9 * whole.at[i].value);
		seen++;
	}
	assert_in_range(seen, 100, 320);
}

/* ---- one by one */
static void the_only_launch_has_all_counts(void **state)
{
	struct kit k = new_kit("chip.sms=4", 1);
	struct epoch_report e;

	(void)state;
	queue(&k, "long_copy", 8, 5, 0);
	kit_run(&k);
	assert_int_equal(chip_epochs(k.gpu), 1);
	chip_epoch(k.gpu, 0, &e);
	assert_string_equal(e.kernel, "long_copy");
	assert_int_equal(e.cycles + e.begin_cycle, kit_metric(&k, "gpc__cycles_elapsed.max"));
	epochs_add_up(&k);
	kit_free(&k);
}

static void launches_of_a_stream_have_counts_of_their_own(void **state)
{
	struct kit k = new_kit("chip.sms=4", 1);
	double executed[3];
	(void)state;

	queue(&k, "copy", 4, 0, 0);
	queue(&k, "spin", 4, 10, 0);
	queue(&k, "copy", 8, 0, 0);
	kit_run(&k);
	assert_int_equal(chip_epochs(k.gpu), 3);
	for (unsigned i = 0; i < 3; i++) {
		struct launch_report l;
		struct epoch_report e;

		chip_launch_report(k.gpu, i, &l);
		chip_epoch(k.gpu, i, &e);
		assert_int_equal(chip_launch_epoch(k.gpu, i), i);
		assert_int_equal(e.launches, 1);
		assert_int_equal(e.first, i);
		assert_int_equal(e.begin_cycle, l.start_cycle);
		assert_int_equal(e.cycles, l.end_cycle - l.start_cycle);
		executed[i] = of_epoch(&k, i, "smsp__inst_executed.sum");
		assert_int_equal(executed[i], l.warp_instructions);
	}
	/* 2 warps a CTA: 8 instructions each; a parameter, 10 rounds of 3, an exit */
	assert_int_equal(executed[0], 2 * 4 * 8);
	assert_int_equal(executed[1], 2 * 4 * 32);
	assert_int_equal(executed[2], 2 * 8 * 8);
	assert_int_equal(of_epoch(&k, 0, "smsp__inst_executed_op_global.sum"), 2 * 4 * 2);
	assert_int_equal(of_epoch(&k, 1, "smsp__inst_executed_op_global.sum"), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(of_epoch(&k, i, "chip__launches.sum"), 1);
	assert_int_equal(of_epoch(&k, 2, "chip__ctas.sum"), 8);
	epochs_add_up(&k);
	kit_free(&k);
}

static void launches_that_overlap_share_an_epoch(void **state)
{
	struct kit k = new_kit("chip.sms=4", 1);
	struct epoch_report e;
	(void)state;

	queue(&k, "spin", 2, 100, 0);
	queue(&k, "long_copy", 2, 10, 1);
	queue(&k, "spin", 2, 100, 2);
	assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), 0);
	queue(&k, "copy", 2, 0, 0);
	kit_run(&k);
	assert_int_equal(chip_epochs(k.gpu), 2);
	chip_epoch(k.gpu, 0, &e);
	assert_int_equal(e.launches, 3);
	assert_null(e.kernel);
	chip_epoch(k.gpu, 1, &e);
	assert_string_equal(e.kernel, "copy");
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(chip_launch_epoch(k.gpu, i), i == 3);
	assert_int_equal(of_epoch(&k, 1, "smsp__inst_executed.sum"), 2 * 2 * 8);
	epochs_add_up(&k);
	kit_free(&k);
}

static void late_launches_are_counted_by_kernel(void **state)
{
	struct kit k = new_kit("chip.sms=1 chip.channels=1 chip.slices=1", 1);
	double spins = 0, copies = 0;
	unsigned mixed = 0, common = 0;
	(void)state;

	for (unsigned i = 0; i < EPOCHS_OWN; i++)
		queue(&k, "spin", 1, 1, 0);
	for (unsigned i = 0; i < 12; i++)
		queue(&k, i % 4 < 3 ? "spin" : "copy", 1, 1, 0);
	assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), 0);
	queue(&k, "spin", 1, 2000, 1);
	queue(&k, "copy", 1, 1, 2);
	kit_run(&k);
	for (unsigned i = EPOCHS_OWN; i < chip_epochs(k.gpu); i++) {
		struct epoch_report e;
		double n = of_epoch(&k, i, "smsp__inst_executed.sum");

		chip_epoch(k.gpu, i, &e);
		assert_true(e.common);
		common++;
		mixed += e.kernel ? 0 : e.launches;
		spins += e.kernel && !strcmp(e.kernel, "spin") ? n : 0;
		copies += e.kernel && !strcmp(e.kernel, "copy") ? n : 0;
	}
	assert_int_equal(common, 3);
	assert_int_equal(mixed, 1); /* the copy that began while the long spin ran */
	assert_int_equal(spins, 9 * 2 * 5);
	assert_int_equal(copies, 3 * 2 * 8);
	assert_int_equal(chip_launch_epoch(k.gpu, 5), 5);
	epochs_add_up(&k);
	kit_free(&k);
}

static void a_run_that_is_cut_short_adds_up(void **state)
{
	struct kit k = new_kit("chip.sms=2", 1);
	(void)state;

	queue(&k, "copy", 4, 0, 0);
	queue(&k, "long_copy", 4, 500, 0);
	assert_int_equal(chip_run(k.gpu, 3000, NULL, &k.err), -1);
	chip_close(k.gpu);
	assert_int_equal(chip_epochs(k.gpu), 2);
	epochs_add_up(&k);
	kit_free(&k);
}

/* ---- any launches in any streams */
static struct text random_run(uint64_t seed, unsigned threads)
{
	static const char *const settings[] = {"chip.sms=5 chip.channels=2",
		"chip.sms=3 l2.bytes=0", "chip.sms=4 sm.schedulers=4 chip.dram=banked chip.share=3",
		"chip.sms=2 chip.storage=unified energy.switch_off=true"};
	struct kit k = new_kit(settings[seed % 4], threads);
	struct rng rng = rng_new(seed, 1);
	struct text all;

	for (unsigned batch = 0; batch < 3; batch++) {
		for (unsigned i = 0; i < 8; i++)
			queue(&k, kernels[rng_below(&rng, 3)], 1 + rng_below(&rng, 9),
				1 + rng_below(&rng, 12), rng_below(&rng, 3));
		assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), 0);
	}
	chip_close(k.gpu);
	epochs_add_up(&k);
	all = kit_everything(&k);
	for (unsigned i = 0; i < chip_epochs(k.gpu); i++) {
		struct epoch_report e;
		double n = of_epoch(&k, i, "sched__cycles_long_scoreboard.sum");

		chip_epoch(k.gpu, i, &e);
		text_add(&all, "%u: %u launches from %u, %llu cycles, %.17g\n", i, e.launches,
			e.first, (unsigned long long)e.cycles, n);
	}
	kit_free(&k);
	return all;
}

static void random_launches_add_up_for_any_number_of_threads(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct text one = random_run(seed, 1), two = random_run(seed, 2);

		assert_string_equal(text_str(&one), text_str(&two));
		text_clear(&one);
		text_clear(&two);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_only_launch_has_all_counts),
		cmocka_unit_test(launches_of_a_stream_have_counts_of_their_own),
		cmocka_unit_test(launches_that_overlap_share_an_epoch),
		cmocka_unit_test(late_launches_are_counted_by_kernel),
		cmocka_unit_test(a_run_that_is_cut_short_adds_up),
		cmocka_unit_test(random_launches_add_up_for_any_number_of_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
