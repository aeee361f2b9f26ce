/* More launches than accounts: rows, sums and times stay right, and a finished launch costs little.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/support_gpu.h"

#include <malloc.h>
#include <string.h>

#include "chip/inside.h"

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 32\n"
	".visible .entry nothing() { ret; }\n"
	".visible .entry add(.param .u32 to, .param .u32 by)\n"
	"{ .reg .u32 %a, %d, %v;\n"
	"ld.param.u32 %a, [to]; ld.param.u32 %d, [by];\n"
	"ld.global.u32 %v, [%a]; add.u32 %v, %v, %d; st.global.u32 [%a], %v; ret; }\n"
	".visible .entry also(.param .u32 to, .param .u32 by)\n"
	"{ .reg .u32 %a, %d; ld.param.u32 %a, [to]; ld.param.u32 %d, [by];\n"
	"st.global.u32 [%a], %d; ret; }\n"
	".visible .entry locals(.param .u32 to)\n"
	"{ .local .u32 l[64]; .reg .u32 %a, %v, %t; ld.param.u32 %a, [to]; mov.u32 %t, %tid.x;\n"
	"and.b32 %t, %t, 63; shl.b32 %t, %t, 2; mov.u32 %v, l; add.u32 %t, %t, %v;\n"
	"st.local.u32 [%t], %a; ld.local.u32 %v, [%t]; st.global.u32 [%a], %v; ret; }\n";

#define STRIDE 128u

static void queue(struct kit *k, const char *kernel, buffer_t b, uint32_t place, uint32_t by)
{
	const struct launch_arg args[] = {
		{.kind = ARG_BUFFER, .buffer = b, .offset = place * STRIDE}, ARG_VAL(by)};
	struct launch l = {.module = 1,
		.kernel = kernel,
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.args = args,
		.nargs = b ? 2 : 0,
		.untimed = !b};

	if (!strcmp(kernel, "locals"))
		l.nargs = 1;
	assert_int_equal(gpu_launch(k->gpu, &l, &k->err), 0);
}

static struct kit new_kit(const char *settings, uint32_t accounts, buffer_t *b, uint32_t places)
{
	struct kit k = kit_new(settings);

	kit_module(&k, ptx);
	k.gpu->chip->accounts.most = accounts;
	*b = kit_buffer(&k, "b", (uint64_t)places * STRIDE);
	return k;
}

/* To the end, without closing the counts. */
static void run(struct kit *k)
{
	assert_int_equal(chip_run(k->gpu, 0, NULL, &k->err), 0);
}

static struct launch_report report_of(const struct kit *k, unsigned i)
{
	struct launch_report r;

	chip_launch_report(k->gpu, i, &r);
	return r;
}

/* Everything about all launches, for comparing runs. */
struct sums {
	uint64_t read, written, flushed, instructions, sectors, hits, cycles;
};

static struct sums sum_up(const struct kit *k, const char *kernel)
{
	struct sums s = {0};

	for (unsigned i = 0; i < chip_launches(k->gpu); i++) {
		struct launch_report r = report_of(k, i);

		if (strcmp(r.kernel, kernel) != 0)
			continue;
		assert_true(r.complete && r.finished_ctas == r.timed_ctas);
		s.read += r.dram_read_bytes;
		s.written += r.dram_write_bytes;
		s.flushed += r.flushed_bytes;
		s.instructions += r.warp_instructions;
		s.sectors += r.l2_sectors;
		s.hits += r.l2_hits;
		s.cycles += r.end_cycle - r.start_cycle;
	}
	return s;
}

/* More than 16 bits count, on the real tables: in batches, of which each is at rest. */
static void there_may_be_more_launches_than_accounts(void **state)
{
	buffer_t b;
	struct kit k = new_kit("chip.sms=1 chip.channels=1", 65536, &b, 1);
	const unsigned n = 66000;
	size_t before = 0, after;

	(void)state;
	gpu_forget_ends(k.gpu);
	for (unsigned i = 0; i < n; i++) {
		if (i % 1000 == 0) {
			queue(&k, "add", b, 0, 1);
			continue;
		}
		queue(&k, "nothing", 0, 0, 0);
		if (i % 1000 == 999)
			run(&k);
		if (i == 5999)
			before = mallinfo2().uordblks;
	}
	after = mallinfo2().uordblks;
	assert_int_equal(kit_u32(&k, b, 0), n / 1000);
	assert_int_equal(chip_launches(k.gpu), n);
	assert_true(after - before <= 200u * (n - 6000));
	for (unsigned i = 0; i < n; i += 1000) {
		struct launch_report r = report_of(&k, i);

		assert_string_equal(r.kernel, "add");
		assert_int_equal(r.warp_instructions, 6);
		assert_int_equal(report_of(&k, i + 1).untimed_instructions, 1);
		assert_true(r.end_cycle > r.start_cycle);
		assert_true(!i || r.start_cycle >= report_of(&k, i - 1).end_cycle);
	}
	assert_int_equal(kit_metric(&k, "chip__launches.sum"), n);
	kit_free(&k);
}

/* With few accounts, queued in one run or run one by one: the same rows as with many. */
static void rows_do_not_depend_on_accounts(void **state)
{
	enum { N = 300 };
	static struct launch_report rows[2][N];
	(void)state;

	for (unsigned few = 0; few < 2; few++) {
		buffer_t b;
		struct kit k = new_kit("chip.sms=2 chip.channels=1 chip.slices=1 l2.bytes=2048",
			few ? 64 : 65536, &b, 40);

		for (unsigned i = 0; i < N; i++) {
			queue(&k, i % 3 ? "add" : "also", b, i * 7 % 40, i);
			run(&k);
		}
		chip_close(k.gpu);
		for (unsigned i = 0; i < N; i++) {
			rows[few][i] = report_of(&k, i);
			rows[few][i].kernel = rows[few][i].file = NULL;
			if (chip_launch_sm_end(k.gpu, i, 0) != rows[few][i].end_cycle)
				assert_int_equal(
					chip_launch_sm_end(k.gpu, i, 1), rows[few][i].end_cycle);
		}
		kit_free(&k);
	}
	assert_memory_equal(rows[0], rows[1], sizeof(rows[0]));
}

/* Queued together, they wait for accounts: results and sums are the same, only times may differ. */
static void a_launch_waits_for_an_account(void **state)
{
	struct sums s[2];
	(void)state;

	for (unsigned few = 0; few < 2; few++) {
		buffer_t b;
		struct kit k = new_kit("chip.sms=2 chip.channels=1 chip.slices=1 l2.bytes=2048",
			few ? 16 : 65536, &b, 40);

		for (unsigned i = 0; i < 200; i++)
			queue(&k, "add", b, i % 40, i);
		run(&k);
		chip_close(k.gpu);
		for (unsigned i = 0; i < 40; i++)
			assert_int_equal(kit_u32(&k, b, i * STRIDE / 4), 5 * i + 400);
		s[few] = sum_up(&k, "add");
		assert_true(s[few].written > 0);
		kit_free(&k);
	}
	s[0].cycles = s[1].cycles = 0;
	assert_memory_equal(&s[0], &s[1], sizeof(s[0]));
}

/* Each launch leaves a dirty line in the L2, and there are fewer accounts than lines: those of a
 * kernel share one, and its sum stays exact. */
static void launches_of_a_kernel_share_an_account_when_lines_have_all(void **state)
{
	static const char *const kernels[] = {"add", "also"};
	struct sums s[2][2];
	(void)state;

	for (unsigned few = 0; few < 2; few++) {
		buffer_t b;
		struct kit k = new_kit("chip.sms=1 l2.bytes=65536", few ? 16 : 65536, &b, 100);

		for (unsigned i = 0; i < 100; i++) {
			queue(&k, kernels[i % 3 == 0], b, i, i);
			run(&k);
		}
		chip_close(k.gpu);
		for (unsigned i = 0; i < 2; i++)
			s[few][i] = sum_up(&k, kernels[i]);
		kit_free(&k);
	}
	assert_memory_equal(s[0], s[1], sizeof(s[0]));
	assert_true(s[0][0].flushed > 0 && s[0][1].flushed > 0);
}

/* A launch's local memory is freed when it has ended; others' is at other addresses. */
static void local_memory_is_freed(void **state)
{
	buffer_t b;
	struct kit k = new_kit("chip.sms=2", 65536, &b, 1);
	uint64_t before = gpu_memory_bytes(k.gpu);
	size_t host = 0;

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		queue(&k, "locals", b, 0, 0);
		assert_true(gpu_memory_bytes(k.gpu) > before);
		run(&k);
		assert_int_equal(gpu_memory_bytes(k.gpu), before);
		if (i == 20)
			host = mallinfo2().uordblks + mallinfo2().hblkhd;
	}
	assert_true(mallinfo2().uordblks + mallinfo2().hblkhd < host + (1u << 20));
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_may_be_more_launches_than_accounts),
		cmocka_unit_test(rows_do_not_depend_on_accounts),
		cmocka_unit_test(a_launch_waits_for_an_account),
		cmocka_unit_test(launches_of_a_kernel_share_an_account_when_lines_have_all),
		cmocka_unit_test(local_memory_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
