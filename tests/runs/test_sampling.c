/* Policies of sampling, asked about launches that are figures alone: which launches and CTAs run in
 * time, when windows open and close, and what stretches between them are said to take. */
#include "runs/sample/policies.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void near(double a, double b)
{
	assert_true(fabs(a - b) < 1e-6 * fabs(b) + 1e-9);
}

/* ---- launches */
static bool timed(uint64_t own, uint64_t ctas)
{
	const struct sample_offer o = {.own = own, .ctas = ctas, .least = 100, .most = 200};

	return sample_launches.times(&o);
}

static void the_first_five_launches_and_some_at_growing_distances_run_in_time(void **state)
{
	static const unsigned due[] = {1, 2, 3, 4, 5, 8, 13, 20, 31, 47};
	unsigned next = 0;

	(void)state;
	for (unsigned own = 1; own <= 47; own++) {
		assert_int_equal(timed(own, 150), own == due[next]);
		next += own == due[next];
	}
}

static void grids_beyond_those_in_time_run_in_time(void **state)
{
	(void)state;
	assert_true(timed(6, 251));
	assert_false(timed(6, 250));
	assert_false(timed(6, 80));
	assert_true(timed(6, 79));
}

/* ---- CTAs: 10 resident, an instruction for each; a window for every two that end */
static struct gpu_cta_view view_of(uint64_t ctas, uint64_t finished, uint64_t skipped)
{
	return (struct gpu_cta_view){.ctas = ctas,
		.started = finished + 10,
		.finished = finished,
		.skipped = skipped,
		.resident = 10,
		.cycle = 1000 * finished,
		.instructions = 100 * finished};
}

static void skipped_ctas_fill_the_chip_a_whole_number_of_times(void **state)
{
	struct sample_progress p = {0};
	uint64_t n = 0, finished = 9;

	(void)state;
	while (!n && finished < 100) {
		struct gpu_cta_view v = view_of(205, ++finished, 0);

		n = (sample_ctas.skip)(&p, &v);
	}
	assert_int_equal(p.n, 4);
	assert_int_equal(finished, 10 + 4 * 3);
	assert_int_equal(n, 170); /* of 173 */
}

/* What is skipped after the n-th window of equal ones, and of ones that differ. */
static void expect_distances(const uint64_t *want, unsigned n, unsigned differ)
{
	struct sample_progress p = {0};
	uint64_t finished = 9, skipped = 0;

	for (unsigned i = 0; i < n;) {
		struct gpu_cta_view v = view_of(1220, ++finished, skipped);
		uint64_t more;

		v.cycle += p.open ? 1000 * differ * (p.n % 2) : 0;
		more = (sample_interval.skip)(&p, &v);
		if (!more)
			continue;
		assert_int_equal(more, want[i++]);
		skipped += more;
	}
	/* A window of 6, behind 3 that are not measured. */
	assert_int_equal(finished, 10 + 6 + (n - 1) * (3 + 6));
}

static void windows_move_apart_once_their_rate_is_known(void **state)
{
	static const uint64_t equal[] = {51, 51, 51, 111, 111, 111, 111, 231, 231},
			      different[] = {51, 51, 51, 51, 51, 51, 51, 51, 51};

	(void)state;
	expect_distances(equal, 9, 0);
	expect_distances(different, 9, 4);
}

/* Of CTAs that fill the chip ten times, once their rate is stable; not behind a window that was
 * measured within CTAs. */
static void short_ctas_are_skipped_before_there_is_a_window_within_them(void **state)
{
	struct sample_progress p = {.within = {.settled = 100000}};
	uint64_t n = 0, finished = 9;

	(void)state;
	while (!n && finished < 100) {
		struct gpu_cta_view v = view_of(105, ++finished, 0);

		n = (sample_auto.skip)(&p, &v);
	}
	assert_int_equal(finished, 10 + 4 * 3);
	assert_int_equal(n, 70); /* of 73 */
	p = (struct sample_progress){.within = {.settled = 100000, .n = 1}};
	for (finished = 10; finished < 40; finished++) {
		struct gpu_cta_view v = view_of(105, finished, 0);

		assert_int_equal((sample_auto.skip)(&p, &v), 0);
	}
}

/* ---- windows of instructions: 1 a cycle */
static struct gpu_cta_view at(uint64_t cycle, uint64_t instructions, uint64_t executed)
{
	return (struct gpu_cta_view){.ctas = 8,
		.started = 8,
		.resident = 8,
		.warps = 8,
		.start_cycle = 5000,
		.cycle = cycle,
		.instructions = instructions,
		.executed = executed};
}

static bool measure(struct sample_stretches *s, struct gpu_cta_view v, uint64_t *again)
{
	return sample_measure(s, &v, again);
}

static void a_window_opens_behind_half_a_window_when_the_launch_is_settled(void **state)
{
	struct sample_stretches s = {.settled = 10000};
	uint64_t again;

	(void)state;
	assert_false(measure(&s, at(14999, 9999, 0), &again));
	assert_false(s.begun);
	assert_false(measure(&s, at(15000, 10000, 0), &again)); /* a window is 2000 cycles */
	assert_true(s.begun && !s.open);
	assert_false(measure(&s, at(15990, 10990, 0), &again));
	assert_false(s.open);
	assert_false(measure(&s, at(16000, 11000, 0), &again));
	assert_true(s.open);
	assert_false(measure(&s, at(17900, 13000, 0), &again));
	assert_true(measure(&s, at(18002, 13001, 0), &again));
	near(s.cpi, 2002.0 / 2001);
	assert_int_equal(s.n, 1);
	assert_int_equal(sample_period(&s), 3000);
}

/* Closes a window of 1000 instructions at that rate. */
static void add_window(
	struct sample_stretches *s, uint64_t cycles, uint64_t executed, uint64_t ctas)
{
	struct gpu_cta_view v = at(s->cycle + cycles, s->instructions + 1000, executed);
	uint64_t again;

	v.started = ctas;
	s->open = true;
	s->from = v.instructions;
	assert_true(sample_measure(s, &v, &again));
	s->cycle = v.cycle;
	s->instructions = v.instructions;
}

static void a_stretch_has_the_mean_of_the_rates_around_it(void **state)
{
	struct sample_stretches s = {.begun = true, .cycle = 20000, .instructions = 20000};
	double half;

	(void)state;
	add_window(&s, 2000, 0, 8);
	near(sample_stretched(&s, 5000, &half), 10000); /* the last one: the rate before */
	assert_true(isinf(half));
	add_window(&s, 4000, 5000, 8);
	near(sample_stretched(&s, 5000, &half), 15000);
	add_window(&s, 6000, 7000, 8);
	near(sample_stretched(&s, 7000, &half), 15000 + 10000);
	/* Two degrees of freedom; squares of 5000 and of 2000 by half a squared difference of 2. */
	near(half, 4.303 * sqrt((25e6 + 4e6) * 2));
	near(sample_stretched(&s, 8000, &half), 25000 + 6000);
	near(half, 4.303 * sqrt((25e6 + 4e6) * 2 + 1e6 * 4));
}

static void where_ctas_end_and_none_come_a_stretch_has_the_rate_before(void **state)
{
	struct sample_stretches s = {.begun = true, .cycle = 20000, .instructions = 20000};
	double half;

	(void)state;
	add_window(&s, 2000, 0, 8);
	add_window(&s, 4000, 5000, 4);
	near(sample_stretched(&s, 5000, &half), 10000);
}

/* A fifth of all that is behind it; less where its error is more than 3 % of the cycles. */
static void a_stretch_is_a_part_of_what_is_behind_it(void **state)
{
	struct sample_stretches s = {.begun = true};
	struct gpu_cta_view v = at(25000, 10000, 40000);

	(void)state;
	near(sample_most(&s, &v), 10000);
	s.n = 4;
	s.cycles = 80000;
	s.executed = 40000;
	s.square = 3000.0 / 3.182 * (3000.0 / 3.182);
	near(sample_most(&s, &v), 10000); /* 3 % of 20000 and 80000 */
	s.square *= 4;
	near(sample_most(&s, &v), 5000);
}

/* ---- figures */
static void spread_is_of_cycles_about_those_at_the_common_rate(void **state)
{
	struct sample_progress p = {.n = 2};

	(void)state;
	p.window[0] = (struct sample_window){.cycles = 900, .instructions = 100};
	p.window[1] = (struct sample_window){.cycles = 1100, .instructions = 100};
	near(sample_rate(&p, 0, 2), 0.1);
	near(sample_spread(&p, 0, 2), 12.706 * sqrt(20000.0 * 2) / 2000);
	assert_true(isinf(sample_spread(&p, 0, 1)));
}

static void students_quantile_is_the_normal_ones_from_31_on(void **state)
{
	(void)state;
	assert_true(isinf(sample_student(0)));
	near(sample_student(1), 12.706);
	near(sample_student(30), 2.042);
	near(sample_student(31), 1.96);
}

/* ---- what resident CTAs read again */
static void what_is_read_between_stretches_beyond_theirs_is_read_again(void **state)
{
	static const uint64_t instructions[] = {1000, 1500, 3000}, bytes[] = {9000, 10000, 14000};
	struct sample_progress p = {.n = 0};

	(void)state;
	near(sample_again(&p, 2), 0);
	for (unsigned i = 0; i < 3; i++) {
		struct gpu_cta_view v = {.instructions = instructions[i], .read_bytes = bytes[i]};

		sample_note_skip(&p, &v);
		if (!i)
			near(sample_again(&p, 2), 0); /* what came before is read once */
	}
	near(sample_again(&p, 2), 5000 - 2 * 2000);
	near(sample_again(&p, 3), 0);
}

/* ---- cost */
static struct sample_result run_of(double timed, double all)
{
	struct sample_result r = {
		.instructions = (uint64_t)all, .timed_instructions = (uint64_t)timed};

	for (unsigned f = 0; f < SAMPLE_FIGURES; f++)
		r.of[f] = (struct sample_estimate){.timed = timed, .value = all};
	return r;
}

static void a_run_that_is_all_in_time_is_not_faster(void **state)
{
	struct sample_result r = run_of(1e6, 1e6), none = run_of(0, 0);

	(void)state;
	near(sample_speedup(&r), 1);
	near(sample_speedup(&none), 1);
}

/* As fast as execution with warm caches, at most; what is in time takes its part. */
static void the_less_is_in_time_the_faster_is_a_run(void **state)
{
	struct sample_result none = run_of(0, 1e6), half = run_of(5e5, 1e6);
	double most = sample_speedup(&none);

	(void)state;
	assert_true(most > 2);
	near(1 / sample_speedup(&half), (1 + 1 / most) / 2);
}

static void what_is_moved_without_time_costs_less_than_in_time(void **state)
{
	struct sample_result r = run_of(1e6, 1e6), more = r;

	(void)state;
	more.of[SAMPLE_L2_SECTORS].value *= 3;
	more.of[SAMPLE_DRAM_READ].value *= 3;
	assert_true(sample_speedup(&more) > 1);
}

/* ---- intervals */
static void only_cycles_are_at_least_those_in_time(void **state)
{
	struct sample_result r = run_of(100, 150);
	struct text csv = {0};

	(void)state;
	for (unsigned f = 0; f < SAMPLE_FIGURES; f++)
		r.of[f].half = 80;
	sample_csv(&r, &csv);
	assert_non_null(strstr(text_str(&csv), "sample.low,gpc__cycles_elapsed.max,100,"));
	assert_non_null(strstr(text_str(&csv), "sample.low,dram__bytes_read.sum,70,"));
	assert_non_null(strstr(text_str(&csv), "sample.low,dram__bytes_write.sum,70,"));
	text_clear(&csv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_five_launches_and_some_at_growing_distances_run_in_time),
		cmocka_unit_test(grids_beyond_those_in_time_run_in_time),
		cmocka_unit_test(skipped_ctas_fill_the_chip_a_whole_number_of_times),
		cmocka_unit_test(windows_move_apart_once_their_rate_is_known),
		cmocka_unit_test(short_ctas_are_skipped_before_there_is_a_window_within_them),
		cmocka_unit_test(a_window_opens_behind_half_a_window_when_the_launch_is_settled),
		cmocka_unit_test(a_stretch_has_the_mean_of_the_rates_around_it),
		cmocka_unit_test(where_ctas_end_and_none_come_a_stretch_has_the_rate_before),
		cmocka_unit_test(a_stretch_is_a_part_of_what_is_behind_it),
		cmocka_unit_test(spread_is_of_cycles_about_those_at_the_common_rate),
		cmocka_unit_test(students_quantile_is_the_normal_ones_from_31_on),
		cmocka_unit_test(what_is_read_between_stretches_beyond_theirs_is_read_again),
		cmocka_unit_test(a_run_that_is_all_in_time_is_not_faster),
		cmocka_unit_test(the_less_is_in_time_the_faster_is_a_run),
		cmocka_unit_test(what_is_moved_without_time_costs_less_than_in_time),
		cmocka_unit_test(only_cycles_are_at_least_those_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
