/* Workloads on the chip: the same figures with one host thread and with two, the right
 * results, and no memory of the host taken while it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/seeds.h"
#include "tests/rig/workload_rig.h"

#include <string.h>

/* Of every second workload, or every fourth. */
static void two_threads_give_the_figures_of_one(void **state)
{
	const struct plugin *w;

	(void)state;
	for (unsigned i = 0; (w = workload_number(i)); i += 2 * stride()) {
		struct text all[2];

		for (unsigned t = 0; t < 2; t++)
			all[t] = workload_rig_figures(&(struct subject){
				.name = w->name, .seed = 1, .timed = true, .threads = t + 1});
		if (strcmp(text_str(&all[0]), text_str(&all[1])) != 0)
			fail_msg("%s: two threads give other figures than one", w->name);
		text_clear(&all[0]);
		text_clear(&all[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_threads_give_the_figures_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
