/* The time that is left, of runs of several kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs/pace.h"

static struct pace *kind(struct paces *p, const char *name, double sum_s, unsigned n)
{
	bool fresh;
	struct pace *pace = pace_of(p, name, &fresh);

	if (fresh) {
		pace->sum_s = sum_s;
		pace->n = n;
	}
	return pace;
}

static void each_kind_has_its_own_mean(void **state)
{
	struct pace room[3];
	struct paces p = {room, 0, 3};

	(void)state;
	assert_true(pace_left_s(&p) == 0);
	pace_begin(&p);
	pace_run(kind(&p, "short", 20, 10), 0);
	pace_run(kind(&p, "long", 200, 2), 30);
	pace_begin(&p); /* of all again */
	pace_run(kind(&p, "short", 0, 0), 0);
	pace_run(kind(&p, "short", 0, 0), 1);
	pace_run(kind(&p, "long", 0, 0), 40);
	pace_run(kind(&p, "unknown", 0, 0), 0);
	/* 2 + (2 - 1) + (100 - 40) + 220 / 12 */
	assert_true(pace_left_s(&p) > 81.3 && pace_left_s(&p) < 81.4);
}

/* It was "about 25 min" for half an hour, while two runs of fifty went on. */
static void runs_that_go_on_for_long_tell_of_their_kind(void **state)
{
	struct pace room[2];
	struct paces p = {room, 0, 2};

	(void)state;
	kind(&p, "short", 20, 10);
	pace_begin(&p);
	for (unsigned i = 0; i < 4; i++)
		pace_run(kind(&p, "long", 0, 0), 0);
	assert_true(pace_left_s(&p) == 8);
	pace_begin(&p);
	pace_run(kind(&p, "long", 0, 0), 600);
	pace_run(kind(&p, "long", 0, 0), 500);
	pace_run(kind(&p, "long", 0, 0), 0);
	assert_true(pace_left_s(&p) == 2500);
	pace_begin(&p); /* it was "about 0 s left" for as long */
	pace_run(kind(&p, "long", 0, 0), 600);
	pace_run(kind(&p, "long", 0, 0), 600);
	assert_true(pace_left_s(&p) == 1200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_has_its_own_mean),
		cmocka_unit_test(runs_that_go_on_for_long_tell_of_their_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
