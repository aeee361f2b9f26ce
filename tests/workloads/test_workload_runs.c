/* Workloads on the chip: the same figures with one host thread and with two, the right
 * results, and no memory of the host taken while it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/seeds.h"
#include "tests/rig/support_gpu.h"
#include "tests/rig/workload_rig.h"

#include <string.h>

static void run(struct workload_rig *b, void *ctx)
{
	struct text *all = ctx;
	struct kit kit = {.gpu = b->gpu, .config = b->config};

	if (workload_rig_run(b, 0) || b->run->ops->check(b->run, &b->err))
		fail_msg("%s: %s", b->subject->name, err_text(&b->err));
	if (b->allocations)
		fail_msg("%s: %llu blocks of host memory were taken while it ran", b->subject->name,
			(unsigned long long)b->allocations);
	chip_close(b->gpu);
	*all = kit_everything(&kit);
}

/* Of every second workload, or every fourth. */
static void two_threads_give_the_figures_of_one(void **state)
{
	const struct plugin *w;

	(void)state;
	for (unsigned i = 0; (w = workload_number(i)); i += 2 * stride()) {
		struct text all[2];

		for (unsigned t = 0; t < 2; t++)
			workload_rig(run,
				&(struct subject){.name = w->name,
					.seed = 1,
					.timed = true,
					.threads = t + 1},
				&all[t]);
		if (strcmp(text_str(&all[0]), text_str(&all[1])) != 0)
			fail_msg("%s: two threads give other figures than one", w->name);
		assert_true(all[0].len > 1000);
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
