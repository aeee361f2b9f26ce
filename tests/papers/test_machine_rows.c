/* Measurements of machines: a row is judged by its own tolerance, one that sets a parameter is not
 * counted, one that cannot be measured says why; and the rows of this build. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "papers/machines/machines.h"
#include "runs/description.h"

/* A chain of loads that hit in m12's L1, of 20 cycles: each group of eight begins with the branch
 * before it, 5 cycles. */
#define HIT (20 + 5 / 8.0)

static const struct machine_row rows[] = {
	{"within 1 %", "a paper", ROW_COUNTED, FIGURE_EACH, HIT * 1.009, 1, 0, 0, CHASE_L1, NULL},
	{"near 1 %", "a paper", ROW_COUNTED, FIGURE_EACH, HIT * 1.015, 1, 0, 0, CHASE_L1, NULL},
	{"within 2 %", "a paper", ROW_COUNTED, FIGURE_EACH, HIT * 1.015, 2, 0, 0, CHASE_L1, NULL},
	{"two numbers", "a paper", ROW_COUNTED, FIGURE_EACH, 9, 0, 9, 21, CHASE_L1, NULL},
	{"calibration", "a paper", ROW_CALIBRATION, FIGURE_EACH, HIT, 2, 0, 0, CHASE_L1, NULL},
	{.text = "unsaid",
		.source = "a paper",
		.kind = ROW_UNSAID,
		.figure = FIGURE_KB,
		.published = 57,
		.needs = "a TLB"},
};

static void say_m12(struct book *b)
{
	machines_say(b, "m12", rows, ARRAY_LEN(rows));
}

static void say_nothing(struct book *b)
{
	machines_say(b, "nothing", rows, 1);
}

static const struct target described = {
	.name = "m12", .text = "", .paper = &machines_paper, .rows = say_m12};
static const struct target unknown = {
	.name = "nothing", .text = "", .paper = &machines_paper, .rows = say_nothing};

struct shelf {
	struct arena arena;
	jmp_buf escape;
	struct paper_options o;
	const char *workload;
	const struct target *target;
	struct points *points;
	struct book *book;
	struct err err;
};

static void read_rows(struct shelf *s, const struct target *t, const char *workload)
{
	*s = (struct shelf){.target = t, .workload = workload};
	s->arena.escape = &s->escape;
	s->o = (struct paper_options){.run = {.seed = 1, .threads = 1, .jobs = 1, .quiet = true},
		.workloads = {&s->workload, workload ? 1 : 0},
		.target = t->name};
	s->points = points_new(&s->o.run, NULL, &s->arena);
	s->book = book_new(&s->target, 1, &s->o, s->points, &s->arena, &s->err);
	assert_non_null(s->book);
	if (book_fill(&s->book, 1, s->points, &s->err))
		fail_msg("%s", err_text(&s->err));
}

static void close_rows(struct shelf *s)
{
	points_clear(s->points);
	arena_free(&s->arena);
	err_clear(&s->err);
}

static void is_row(const struct shelf *s, unsigned i, const char *verdict, const char *note)
{
	unsigned n;
	const struct book_said *said = &book_rows(s->book, &n)[i];

	assert_true(i < n);
	assert_string_equal(book_verdict(&said->row, said->ours[0]), verdict);
	assert_string_equal(said->note[0], note);
}

static void rows_are_judged_by_their_own_tolerance(void **state)
{
	struct shelf s;
	unsigned n;

	(void)state;
	read_rows(&s, &described, NULL);
	assert_true(fabs(book_rows(s.book, &n)[0].ours[0] - HIT) < 1e-9);
	assert_int_equal(n, ARRAY_LEN(rows));
	is_row(&s, 0, "within", "a paper; band: 1 %");
	is_row(&s, 1, "near", "a paper; band: 1 %");
	is_row(&s, 2, "within", "a paper; band: 2 %");
	is_row(&s, 3, "within", "a paper; band: 9 to 21");
	close_rows(&s);
}

static void rows_that_set_a_parameter_are_not_counted(void **state)
{
	struct shelf s;
	struct book_score score;
	struct text out = {0};

	(void)state;
	read_rows(&s, &described, NULL);
	is_row(&s, 4, "calibration", "a paper; band: 2 %; sets a parameter");
	score = book_score(s.book, &described, 0);
	assert_int_equal(score.judged, 4);
	assert_int_equal(score.within, 3);
	book_text(s.book, &out);
	assert_non_null(strstr(text_str(&out), "within the band: 3 of 4"));
	text_clear(&out);
	close_rows(&s);
}

static void rows_that_cannot_be_measured_say_why(void **state)
{
	struct shelf s;
	unsigned n;

	(void)state;
	read_rows(&s, &described, NULL);
	is_row(&s, 5, "", "a paper; not measured: a TLB");
	assert_true(isnan(book_rows(s.book, &n)[5].ours[0]));
	close_rows(&s);
	read_rows(&s, &unknown, NULL);
	is_row(&s, 0, "", "a paper; not measured: no description of this machine");
	close_rows(&s);
	read_rows(&s, &described, "vectoradd");
	is_row(&s, 0, "", "a paper; not measured: its workload was not asked for");
	assert_int_equal(points_count(s.points).all, 0);
	close_rows(&s);
}

static void every_target_is_a_described_machine(void **state)
{
	unsigned machines = 0;

	(void)state;
	for (unsigned i = 0; targets[i]; i++) {
		const struct machine_text *m = machine_texts;

		if (targets[i]->paper != &machines_paper)
			continue;
		while (m->name && strcmp(m->name, targets[i]->name) != 0)
			m++;
		if (!m->name)
			fail_msg("%s: no such machine", targets[i]->name);
		machines++;
	}
	assert_true(machines >= 7);
}

static void the_command_names_machine_source_and_band(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "reproduce gtx560ti throughput"), 0);
	assert_says(d, "out",
		"machine: NVIDIA GeForce GTX 560 Ti (GF114, compute capability 2.1)\n"
		"validated against: the latencies of Mei et al., which set");
	assert_says(d, "out", "gtx560ti: GTX 560 Ti");
	assert_says(d, "out", "calibration    cycles");
	assert_says(d, "out", "Mei et al. 2014; band: 2 %; sets a parameter\n");
	assert_says(d, "out", "Mei et al. 2014; not measured: its workload was not asked for\n");
}

int main(void)
{
	setenv("WARPBEAM_DATADIR", WARPBEAM_SRCDIR, 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_judged_by_their_own_tolerance),
		cmocka_unit_test(rows_that_set_a_parameter_are_not_counted),
		cmocka_unit_test(rows_that_cannot_be_measured_say_why),
		cmocka_unit_test(every_target_is_a_described_machine),
		cmocka_unit_test_setup_teardown(
			the_command_names_machine_source_and_band, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
