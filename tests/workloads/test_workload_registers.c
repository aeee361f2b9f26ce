/* Every workload in few registers: right results, whatever is spilled, by the executor alone; and
 * what is not spilled needs little more than what lives at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/plugin.h"
#include "tests/rig/support_gpu.h"
#include "tests/rig/workload_rig.h"

#include <stdio.h>
#include <string.h>

struct limit {
	unsigned regs;
	uint64_t spills; /* loads and stores in the code of all kernels */
};

static void check_launches(const struct workload_rig *b, struct limit *limit)
{
	for (unsigned i = 0; i < chip_launches(b->gpu); i++) {
		struct launch_report r;

		chip_launch_report(b->gpu, i, &r);
		assert_true(r.regs <= limit->regs);
		assert_true(r.spill_bytes <= r.local_bytes);
		assert_int_equal(r.spill_bytes > 0, r.spill_loads > 0);
		limit->spills += r.spill_loads + r.spill_stores;
		if (r.max_live > limit->regs)
			continue;
		/* neighbours for pairs, and windows of callees */
		if (r.spill_bytes || r.regs > r.max_live + 2)
			fail_msg("%s: %s takes %u registers, %u live at once", b->subject->name,
				r.kernel, r.regs, r.max_live);
	}
}

static void run(struct workload_rig *b, void *ctx)
{
	if (workload_rig_run(b, 0) || b->run->ops->check(b->run, &b->err))
		fail_msg("%s: %s", b->subject->name, err_text(&b->err));
	check_launches(b, ctx);
}

static uint64_t run_all(unsigned regs, unsigned bits, const char *allocator, unsigned every)
{
	struct limit limit = {.regs = regs};
	char settings[64];
	const struct plugin *w;

	snprintf(settings, sizeof(settings), "gpu.max_regs=%u gpu.allocator=%s", regs, allocator);
	for (unsigned i = 0; (w = workload_number(i)); i++)
		if (i % every == 0)
			workload_rig(run,
				&(struct subject){.name = w->name,
					.seed = 1,
					.address_bits = bits,
					.settings = settings},
				&limit);
	return limit.spills;
}

static void every_second_workload_is_right_in_18_to_64_registers(void **state)
{
	uint64_t spills = UINT64_MAX;

	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		uint64_t now = run_all((const unsigned[]){18, 28, 64}[k], 32, "colour", 2);

		assert_true(now < spills || now == 0);
		spills = now;
	}
	assert_int_equal(spills, 0);
}

static void some_are_with_pointers_in_pairs(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 2; k++)
		run_all((const unsigned[]){18, 32}[k], 64, "colour", 3);
}

static void some_are_by_linear_scan(void **state)
{
	(void)state;
	assert_true(run_all(20, 32, "linear", 4) > 0);
}

static void count_instructions(struct workload_rig *b, void *ctx)
{
	if (workload_rig_run(b, 0) || b->run->ops->check(b->run, &b->err))
		fail_msg("%s: %s", b->subject->name, err_text(&b->err));
	*(uint64_t *)ctx = b->work;
}

static uint64_t instructions(const char *name, const char *settings)
{
	uint64_t n = 0;

	workload_rig(count_instructions,
		&(struct subject){.name = name, .seed = 1, .settings = settings}, &n);
	return n;
}

/* Sums of products, made in groups that share factors; and what does not spill is unchanged. */
static void dgemm_executes_less_where_its_order_is_free(void **state)
{
	static const char *const regs[] = {"18", "24", "32", "40", "64"};

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(regs); k++) {
		char free[32], kept[64];
		uint64_t now, before;

		snprintf(free, sizeof(free), "gpu.max_regs=%s", regs[k]);
		snprintf(kept, sizeof(kept), "%s gpu.reorder=false", free);
		now = instructions("dgemm", free);
		before = instructions("dgemm", kept);
		if (k + 1 == ARRAY_LEN(regs))
			assert_int_equal(now, before);
		else
			assert_true(now < before - before / 12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_second_workload_is_right_in_18_to_64_registers),
		cmocka_unit_test(some_are_with_pointers_in_pairs),
		cmocka_unit_test(some_are_by_linear_scan),
		cmocka_unit_test(dgemm_executes_less_where_its_order_is_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
