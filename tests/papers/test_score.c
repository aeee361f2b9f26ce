/* Scores of tables: errors and rank correlations worked out by hand. */
#include "core/base.h"
#include "papers/score.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct target one = {.name = "one"}, other = {.name = "other"};

static struct book_said said(
	const struct target *t, const char *unit, struct band band, double ours)
{
	struct book_said s = {.target = t, .row = book_band("", unit, band, ours, NULL)};

	s.ours[0] = ours;
	return s;
}

static void ranks_of_equal_numbers_are_averaged(void **state)
{
	const double x[] = {1, 2, 3, 4, 5}, same[] = {10, 20, 30, 40, 50};
	const double less[] = {5, 4, 3, 2, 1}, some[] = {1, 3, 2, 5, 4}, ties[] = {1, 1, 2, 2, 3};
	const double flat[] = {7, 7, 7, 7, 7};
	jmp_buf escape;
	struct arena arena = {.escape = &escape};

	(void)state;
	assert_int_equal(setjmp(escape), 0);
	assert_true(score_rank(x, same, 5, &arena) == 1);
	assert_true(score_rank(x, less, 5, &arena) == -1);
	assert_true(fabs(score_rank(x, some, 5, &arena) - 0.8) < 1e-12);
	/* ranks 1.5 1.5 3.5 3.5 5: sums of products 9, of squares 10 and 9 */
	assert_true(fabs(score_rank(x, ties, 5, &arena) - 9 / sqrt(90)) < 1e-12);
	assert_true(isnan(score_rank(x, flat, 5, &arena)));
	assert_true(isnan(score_rank(x, same, 2, &arena)));
	arena_free(&arena);
}

static void scores_are_by_target_and_unit(void **state)
{
	struct book_said rows[] = {
		said(&one, "cycles", band_percent(100, 10), 105),
		said(&one, "%", band_points(50, 1), 60),
		said(&one, "cycles", band_percent(200, 10), 150),
		said(&one, "cycles", band_below(1), 2), /* no number of the paper */
		said(&one, "cycles", band_percent(300, 10), 300),
		said(&other, "cycles", band_percent(1, 10), 900),
		said(&one, "cycles", band_percent(1, 10), NAN), /* not measured: counts as a miss */
	};
	struct score scores[SCORE_UNITS];
	jmp_buf escape;
	struct arena arena = {.escape = &escape};

	(void)state;
	assert_int_equal(setjmp(escape), 0);
	assert_int_equal(score_target(rows, ARRAY_LEN(rows), &one, 0, &arena, scores), 2);
	assert_string_equal(scores[0].unit, "cycles");
	assert_int_equal(scores[0].n, 3);
	assert_true(fabs(scores[0].error - (5 + 50 + 0) / 3.0) < 1e-12);
	assert_true(scores[0].rank == 1);
	assert_int_equal(scores[0].judged, 5);
	assert_int_equal(scores[0].within, 2);
	assert_string_equal(scores[1].unit, "%");
	assert_true(scores[1].error == 10);
	assert_true(isnan(scores[1].rank));
	arena_free(&arena);
}

/* Of three rows the worst is of a workload that a table chose. */
static void fitted_rows_are_in_no_score(void **state)
{
	struct book_said rows[] = {
		said(&one, "%", band_points(50, 1), 50),
		said(&one, "%", band_points(60, 1), 63),
		said(&one, "%", band_points(70, 1), 10),
	};
	struct score scores[SCORE_UNITS];
	jmp_buf escape;
	struct arena arena = {.escape = &escape};

	(void)state;
	assert_int_equal(setjmp(escape), 0);
	rows[2].fitted = true;
	assert_int_equal(score_target(rows, ARRAY_LEN(rows), &one, 0, &arena, scores), 1);
	assert_int_equal(scores[0].n, 2);
	assert_true(scores[0].error == 1.5);
	assert_int_equal(scores[0].judged, 2);
	assert_int_equal(scores[0].within, 1);
	rows[2].fitted = false;
	score_target(rows, ARRAY_LEN(rows), &one, 0, &arena, scores);
	assert_int_equal(scores[0].judged, 3);
	arena_free(&arena);
}

/* What no band judges, as a mean over other workloads than the paper's, moves no score. */
static void rows_without_a_verdict_are_in_no_score(void **state)
{
	static const enum book_judge judges[] = {BOOK_TOLD, BOOK_PRIVATE, BOOK_CALIBRATION};
	struct book_said rows[] = {
		said(&one, "%", band_points(50, 1), 52),
		said(&one, "%", band_points(60, 1), 99),
	};
	struct score scores[SCORE_UNITS];
	jmp_buf escape;
	struct arena arena = {.escape = &escape};

	(void)state;
	assert_int_equal(setjmp(escape), 0);
	for (unsigned i = 0; i < ARRAY_LEN(judges); i++) {
		rows[1].row.judge = judges[i];
		assert_int_equal(score_target(rows, 2, &one, 0, &arena, scores), 1);
		assert_int_equal(scores[0].n, 1);
		assert_int_equal(scores[0].judged, 1);
		assert_int_equal(scores[0].within, 0);
		assert_true(scores[0].error == 2);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_of_equal_numbers_are_averaged),
		cmocka_unit_test(scores_are_by_target_and_unit),
		cmocka_unit_test(fitted_rows_are_in_no_score),
		cmocka_unit_test(rows_without_a_verdict_are_in_no_score),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
