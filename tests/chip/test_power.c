/* Power over time: intervals have every femtojoule of the run, and change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "chip/power.h"
#include "tests/rig/support_gpu.h"

/* Computes for n rounds, then moves a word. */
static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 32\n"
	".visible .entry late(.param .u32 a, .param .u32 n)\n"
	"{ .reg .u32 %a, %t, %v, %n; .reg .pred %p; ld.param.u32 %n, [n]; ld.param.u32 %a, [a];\n"
	"mov.u32 %t, %tid.x; shl.b32 %t, %t, 2; add.u32 %a, %a, %t;\n"
	"again: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra again;\n"
	"ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.global.u32 [%a], %v; ret; }\n";

static struct kit new_kit(const char *settings, bool counts, unsigned threads)
{
	struct kit k = kit_new_host(settings, &(struct chip_host){.threads = threads});

	if (counts)
		assert_int_equal(chip_power(k.gpu, &k.err), 0);
	kit_module(&k, ptx);
	return k;
}

static void launch(struct kit *k, unsigned ctas, unsigned rounds)
{
	buffer_t b = gpu_buffer_named(k->gpu, "b");

	if (!b)
		b = kit_buffer(k, "b", 4096);
	kit_launch(k, 1, "late", ctas, 64, 2, (uint64_t[]){KIT_BUF(b), rounds});
}

#define ADD_PART(name, text) sum.name##_fj += i.energy.name##_fj;
#define IS_PART(name, text) \
	assert_true(sum.name##_fj / 1e6 == kit_metric(k, "energy__" #name ".sum"));

/* They are one after the other, and what they have is the run's, exactly. */
static void adds_up(struct kit *k)
{
	struct energy_sum sum = {0};
	uint64_t cycle = 0;

	for (unsigned at = 0; at < chip_power_intervals(k->gpu); at++) {
		struct power_interval i = chip_power_interval(k->gpu, at);

		if (at)
			assert_int_equal(i.cycle, cycle);
		assert_true(i.cycles > 0);
		assert_true(i.watts > 0);
		cycle = i.cycle + i.cycles;
		ENERGY_PARTS(ADD_PART)
		sum.total_fj += i.energy.total_fj;
		sum.noc_fj += i.energy.noc_fj;
		sum.l2_fj += i.energy.l2_fj;
	}
	ENERGY_PARTS(IS_PART)
	assert_true(sum.total_fj / 1e6 == kit_metric(k, "energy__total.sum"));
	assert_true(sum.noc_fj / 1e6 == kit_metric(k, "energy__noc.sum"));
	assert_true(sum.l2_fj / 1e6 == kit_metric(k, "energy__l2.sum"));
	assert_int_equal(cycle, (uint64_t)kit_metric(k, "gpc__cycles_elapsed.max"));
}

static void intervals_have_every_femtojoule(void **state)
{
	static const unsigned rounds[] = {1, 100, 5000};
	(void)state;

	for (unsigned i = 0; i < 3; i++) {
		struct kit k = new_kit("chip.sms=4", true, 1);

		launch(&k, 9, rounds[i]);
		launch(&k, 5, 3);
		assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), 0);
		launch(&k, 2, rounds[i]); /* after a pause */
		kit_run(&k);
		adds_up(&k);
		kit_free(&k);
	}
}

static void a_long_run_has_longer_intervals_not_more(void **state)
{
	struct kit k = new_kit("chip.sms=1", true, 1);
	struct power_interval first;
	(void)state;

	launch(&k, 1, 20000);
	kit_run(&k);
	adds_up(&k);
	assert_in_range(chip_power_intervals(k.gpu), POWER_INTERVALS / 2, POWER_INTERVALS);
	first = chip_power_interval(k.gpu, 0);
	assert_int_equal(first.cycles % 80, 0);
	assert_true(first.cycles > 80);
	kit_free(&k);
}

/* The word is moved at the end: only then DRAM has energy. */
static void energy_is_in_the_interval_in_which_it_was_used(void **state)
{
	struct kit k = new_kit("chip.sms=1", true, 1);
	unsigned n, peak;
	(void)state;

	launch(&k, 1, 500);
	kit_run(&k);
	adds_up(&k);
	n = chip_power_intervals(k.gpu);
	assert_in_range(n, 20, POWER_INTERVALS);
	for (unsigned i = 0; i < n / 2; i++)
		assert_true(chip_power_interval(k.gpu, i).energy.dram_fj == 0);
	peak = chip_power_summary(k.gpu).peak;
	assert_true(peak >= n / 2);
	assert_true(chip_power_interval(k.gpu, peak).energy.dram_fj > 0);
	assert_true(chip_power_summary(k.gpu).peak_w > chip_power_summary(k.gpu).mean_w);
	kit_free(&k);
}

static void the_warm_up_is_left_out(void **state)
{
	struct kit k = new_kit("chip.sms=2", true, 1);
	uint64_t skipped;
	(void)state;

	assert_int_equal(chip_skip_cycles(k.gpu, 1000, &k.err), 0);
	launch(&k, 4, 900);
	kit_run(&k);
	assert_true(chip_skipped(k.gpu, &skipped));
	assert_int_equal(chip_power_interval(k.gpu, 0).cycle, skipped);
	assert_true(kit_metric(&k, "energy__total.sum") > 0);
	{
		double sum = 0;

		for (unsigned i = 0; i < chip_power_intervals(k.gpu); i++)
			sum += chip_power_interval(k.gpu, i).energy.total_fj;
		assert_true(sum / 1e6 == kit_metric(&k, "energy__total.sum"));
	}
	kit_free(&k);
}

/* ---- no result changes */
struct listed {
	char text[1 << 16];
	size_t n;
};

static void list(void *ctx, const struct metric *m)
{
	struct listed *l = ctx;

	l->n += (size_t)snprintf(l->text + l->n, sizeof(l->text) - l->n, "%s %.17g\n", m->name,
		m->is_real ? m->real : (double)m->count);
	assert_true(l->n < sizeof(l->text));
}

static void run_listed(bool counts, unsigned threads, struct listed *out)
{
	struct kit k = new_kit("chip.sms=4 chip.dram=banked", counts, threads);

	launch(&k, 9, 300);
	launch(&k, 3, 1);
	kit_run(&k);
	assert_int_equal(chip_power_intervals(k.gpu) > 0, counts);
	out->n = 0;
	chip_metrics(k.gpu, list, out);
	kit_free(&k);
}

static void no_result_changes(void **state)
{
	static struct listed with, without, threaded;
	(void)state;

	run_listed(false, 1, &without);
	run_listed(true, 1, &with);
	run_listed(true, 2, &threaded);
	assert_string_equal(with.text, without.text);
	assert_string_equal(threaded.text, without.text);
}

static void a_run_of_nothing_has_no_interval(void **state)
{
	struct kit k = new_kit("chip.sms=1", true, 1);
	(void)state;

	chip_close(k.gpu);
	assert_int_equal(chip_power_intervals(k.gpu), 0);
	assert_true(chip_power_summary(k.gpu).mean_w == 0);
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_have_every_femtojoule),
		cmocka_unit_test(a_long_run_has_longer_intervals_not_more),
		cmocka_unit_test(energy_is_in_the_interval_in_which_it_was_used),
		cmocka_unit_test(the_warm_up_is_left_out),
		cmocka_unit_test(no_result_changes),
		cmocka_unit_test(a_run_of_nothing_has_no_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
