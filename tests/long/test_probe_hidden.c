/* The prober on hidden machines that are drawn by seed (Mei et al., NPC 2014, and what later GPUs
 * have): nothing that it says is wrong, and of a hundred things it leaves two open at most.
 * HIDDEN_MACHINES=200 draws as many instead of the first few, HIDDEN_FIRST=7000 from that seed on;
 * HIDDEN_TELL=1 prints the reasons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "core/mem.h"
#include "tests/rig/hidden_check.h"

#define SOME 6u

static void hidden_machines_are_found_out(void **state)
{
	const char *asked = getenv("HIDDEN_MACHINES"), *from = getenv("HIDDEN_FIRST");
	unsigned machines = asked ? (unsigned)atoi(asked) : SOME;
	unsigned first = from ? (unsigned)atoi(from) : 0;
	struct hidden *h = mem_alloc(1, sizeof(*h));
	struct hidden_score score = {0};

	(void)state;
	for (unsigned seed = first; seed < first + machines; seed++) {
		struct hidden_score before = score;

		hidden_draw(h, seed);
		hidden_judge(h, PROBE_ALL, &score);
		if (score.wrong + score.unknown > before.wrong + before.unknown)
			print_message("seed %u: of %u things %u are wrong, %u not determined\n",
				seed, score.asked - before.asked, score.wrong - before.wrong,
				score.unknown - before.unknown);
	}
	mem_free(h);
	print_message("%u machines: of %u things %u are wrong, %u not determined (%.2f %%)\n",
		machines, score.asked, score.wrong, score.unknown,
		100.0 * score.unknown / score.asked);
	assert_true(score.asked >= 25 * machines);
	assert_int_equal(score.wrong, 0);
	assert_true(score.unknown * 50 <= score.asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(hidden_machines_are_found_out)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
