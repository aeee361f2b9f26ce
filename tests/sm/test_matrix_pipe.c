/* Products of matrices and asynchronous copies in time, in closed forms. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TENSOR \
	ONE_SM " sm.scheduler=round_robin pipe.tensor_lanes=8 pipe.tensor_cycles=20 " \
	       "pipe.tensor64_lanes=2 pipe.tensor64_cycles=30"

static const char half_k8[] =
	"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%%f%u,%%f%u,%%f%u,%%f%u}, "
	"{%%r9,%%r9}, {%%r9}, {%%f%u,%%f%u,%%f%u,%%f%u};\n";
static const char half_k16[] =
	"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%f%u,%%f%u,%%f%u,%%f%u}, "
	"{%%r9,%%r9,%%r9,%%r9}, {%%r9,%%r9}, {%%f%u,%%f%u,%%f%u,%%f%u};\n";

/* The cycles of n products, each on its own four sums or all on the same. */
static uint32_t cycles_of(
	const char *settings, const char *product, unsigned n, bool chain, unsigned warps)
{
	struct text t = {0};
	struct probed d;
	uint32_t most = 0;

	text_raw(&t, "mov.u32 %%r9, %%r1;\n");
	for (unsigned i = 0; i < 4 * n; i++)
		text_raw(&t, "mov.f32 %%f%u, 0f00000000;\n", i);
	text_raw(&t, "bar.sync 0; bar.sync 0;\n%s", CLOCK_START);
	for (unsigned i = 0; i < n; i++) {
		unsigned f = chain ? 0 : 4 * i;

		text_raw(&t, product, f, f + 1, f + 2, f + 3, f, f + 1, f + 2, f + 3);
	}
	text_raw(&t, "%s", CLOCK_STOP);
	for (unsigned i = 0; i < 4 * n; i++)
		text_raw(&t, "st.global.f32 [%%r2+65536], %%f%u;\n", i);
	d = probe_run(&(struct probe){settings, text_str(&t), 1, 32 * warps});
	for (unsigned w = 0; w < warps; w++)
		most = (uint32_t)max_u64(most, probe_u32(&d, 32 * w));
	probe_free(&d);
	text_clear(&t);
	return most;
}

static void products_take_their_steps(void **state)
{
	(void)state;
	/* a step is 4 cycles; the clock is read one cycle behind the last one */
	assert_int_equal(cycles_of(TENSOR, half_k8, 5, false, 1), 2 + 4 * 4);
	assert_int_equal(cycles_of(TENSOR, half_k16, 5, false, 1), 2 + 4 * 8);
	/* a result is available 20 cycles after its last step began */
	assert_int_equal(cycles_of(TENSOR, half_k8, 5, true, 1), 2 + 4 * 20);
	assert_int_equal(cycles_of(TENSOR, half_k16, 5, true, 1), 2 + 4 * 24);
}

static void each_scheduler_has_a_unit(void **state)
{
	(void)state;
	assert_in_range(cycles_of(TENSOR, half_k8, 8, false, 2), 2 + 15 * 4 - 4, 2 + 15 * 4);
	assert_int_equal(cycles_of(TENSOR " sm.schedulers=2", half_k8, 8, false, 2), 2 + 7 * 4);
	assert_in_range(
		cycles_of(TENSOR " sm.schedulers=2 pipe.tensor_shared=1 pipe.tensor64_shared=1",
			half_k8, 8, false, 2),
		2 + 15 * 4 - 4, 2 + 15 * 4);
}

static void counters_are_those_of_the_products(void **state)
{
	static const char body[] =
		"mov.u32 %r9, %r1;\nmov.b64 %rd1, 0;\n"
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r9,%r9,%r9,%r9}, "
		"{%r9,%r9}, {%f1,%f2,%f3,%f4};\n"
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%rd1,%rd2}, {%rd1}, {%rd1}, {%rd1,%rd1};\n"
		"st.global.f32 [%r2], %f1;\nst.global.b64 [%r1], %rd1;\n";
	struct probed d = probe_run(&(struct probe){TENSOR, body, 1, 64});
	(void)state;

	assert_true(probe_metric(&d, "smsp__inst_executed_pipe_tensor.sum") == 4);
	assert_true(probe_metric(&d, "sm__pipe_tensor_cycles_active.sum") == 2 * (2 * 4 + 16));
	assert_true(probe_metric(&d, "smsp__operations_tensor.sum") ==
		    2 * (2.0 * 16 * 8 * 16 + 2.0 * 8 * 8 * 4));
	probe_free(&d);
}

/* ---- copies: of two groups one hits in the L1, the other comes from DRAM */
#define WAITED "mov.u32 %r7, %clock; sub.u32 %r8, %r7, %r6; st.global.u32 [%r2], %r8;\n"

/* A hit comes after the wait has begun. */
#define SLOW ONE_SM " chip.read_cycles=300 l1.hit_cycles=60"

static uint32_t waits(bool slow_first, const char *wait)
{
	struct text t = {0};
	uint32_t cycles;

	text_raw(&t,
		"mov.u32 %%r9, buf;\nld.global.u32 %%r10, [%%r1];\nadd.u32 %%r9, %%r9, %%r10;\n");
	for (unsigned i = 0; i < 2; i++)
		text_raw(&t,
			"cp.async.ca.shared.global [%%r9+%u], [%%r1+%u], 4;\ncp.async.commit_group;\n",
			16 * i, i == slow_first ? 0 : 65536);
	text_raw(&t, "%s%s%s", CLOCK_START, wait, WAITED);
	cycles = probe_cycles(&(struct probe){SLOW, text_str(&t), 1, 1});
	text_clear(&t);
	return cycles;
}

static void waiting_spares_the_latest_groups(void **state)
{
	uint32_t first;
	(void)state;
	for (unsigned slow_first = 0; slow_first < 2; slow_first++) {
		assert_true(waits(slow_first, "cp.async.wait_group 2;\n") < 20);
		first = waits(slow_first, "cp.async.wait_group 1;\n");
		assert_true(slow_first ? first > 200 : first > 40 && first < 70);
		assert_true(waits(slow_first, "cp.async.wait_group 0;\n") > 200);
		assert_true(waits(slow_first, "cp.async.wait_all;\n") > 200);
	}
}

static void the_last_copy_ends_the_wait(void **state)
{
	struct text t = {0};
	(void)state;

	/* 160 cycles between two copies from DRAM */
	text_raw(&t, "mov.u32 %%r9, buf;\nmov.u32 %%r10, %%r1;\n"
		     "cp.async.ca.shared.global [%%r9], [%%r1+65536], 4;\n");
	for (unsigned i = 0; i < 20; i++)
		text_raw(&t, "mad.lo.u32 %%r10, %%r10, 0, %%r1;\n");
	text_raw(&t,
		"cp.async.ca.shared.global [%%r9+4], [%%r10+131072], 4;\n%scp.async.wait_all;\n%s",
		CLOCK_START, WAITED);
	assert_true(probe_cycles(&(struct probe){SLOW, text_str(&t), 1, 1}) > 200);
	text_clear(&t);
}

static void a_group_that_is_not_committed_is_waited_for_by_all(void **state)
{
	static const char more[] = "cp.async.ca.shared.global [%r9+32], [%r1+131072], 4;\n";
	char one[256], all[256];
	(void)state;

	/* it is the latest group, which a wait for groups spares */
	snprintf(one, sizeof(one), "cp.async.wait_group 0;\n%s%scp.async.wait_group 0;\n",
		CLOCK_START, more);
	snprintf(all, sizeof(all), "cp.async.wait_group 0;\n%s%scp.async.wait_all;\n", CLOCK_START,
		more);
	assert_true(waits(false, one) < 40);
	assert_true(waits(false, all) > 200);
}

static void many_groups_are_told_apart_or_joined(void **state)
{
	struct text t = {0};
	uint32_t cycles;
	(void)state;

	/* the slow one is followed by groups without copies */
	text_raw(&t,
		"mov.u32 %%r9, buf;\ncp.async.ca.shared.global [%%r9+16], [%%r1+65536], 4;\n%s",
		CLOCK_START);
	for (unsigned i = 0; i < 40; i++)
		text_raw(&t, "cp.async.commit_group;\n");
	text_raw(&t, "cp.async.wait_group 3;\n%s", WAITED);
	cycles = probe_cycles(&(struct probe){SLOW, text_str(&t), 1, 1});
	assert_true(cycles > 200);
	text_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_take_their_steps),
		cmocka_unit_test(each_scheduler_has_a_unit),
		cmocka_unit_test(counters_are_those_of_the_products),
		cmocka_unit_test(waiting_spares_the_latest_groups),
		cmocka_unit_test(the_last_copy_ends_the_wait),
		cmocka_unit_test(a_group_that_is_not_committed_is_waited_for_by_all),
		cmocka_unit_test(many_groups_are_told_apart_or_joined),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
