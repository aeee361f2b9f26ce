/* Shared memory, the L1 and the load/store path of an SM in closed forms: conflicts, hits, misses,
 * merging, granules, packets. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NO_L2 " l2.bytes=0"
#define NO_L1 " storage.partitioned.cache_bytes=0"

/* The kernel's own result store comes on top of what a body does. */
enum { RESULT_LINES = 1 };

/* ---- shared memory */

/* A warp accesses words `stride` apart; then comes an instruction that does not need the result,
 * then one that does. Stores the cycles to both. */
static struct probed strided(const char *settings, unsigned stride, const char *access)
{
	struct text t = {0};
	struct probed d;

	text_raw(&t, "mov.u32 %%r9, buf; mul.lo.u32 %%r10, %%r4, %u; add.u32 %%r9, %%r9, %%r10;\n",
		stride);
	text_raw(&t, "mov.u32 %%r20, 0; mov.u32 %%r22, 0; mov.u32 %%r23, 0;\n"
		     "mov.u32 %%r24, 0; setp.eq.u32 %%p1, %%r9, 1; @%%p1 bra END;\n");
	text_raw(&t, "%s%s\nmov.u32 %%r11, %%clock; add.u32 %%r21, %%r20, 1;\n", CLOCK_START,
		access);
	text_raw(
		&t, "%ssub.u32 %%r11, %%r11, %%r6; st.global.u32 [%%r2+128], %%r11;\n", CLOCK_STOP);
	text_raw(&t, "st.global.u32 [%%r2+256], %%r21; st.global.u32 [%%r2+384], %%r22;\n"
		     "st.global.u32 [%%r2+512], %%r23; st.global.u32 [%%r2+640], %%r24;\n");
	d = probe_run(&(struct probe){settings, text_str(&t), 1, 32});
	text_clear(&t);
	return d;
}

static unsigned degree(unsigned stride)
{
	unsigned d = stride % 32, rest = 32;

	if (!stride)
		return 1;
	while (d) {
		unsigned r = rest % d;

		rest = d;
		d = r;
	}
	return rest;
}

static const unsigned strides[] = {0, 1, 2, 3, 4, 8, 16, 32, 33};

static void a_shared_load_takes_20_cycles_and_one_for_each_further_pass(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(strides); i++) {
		struct probed d = strided(ONE_SM, strides[i], "ld.shared.u32 %r20, [%r9];");
		unsigned passes = degree(strides[i]);

		/* clock, load, result, clock */
		assert_int_equal(probe_u32(&d, 0), 1 + 20 + passes - 1 + 1);
		/* conflicts took the issue slots after the load */
		assert_int_equal(probe_u32(&d, 32), 1 + passes);
		assert_true(
			probe_metric(&d, "l1tex__data_bank_conflicts_pipe_lsu.sum") == passes - 1);
		assert_true(probe_metric(&d, "sched__cycles_mio_throttle.sum") == passes - 1);
		assert_true(probe_metric(&d, "smsp__inst_executed_op_shared.sum") == 1);
		probe_free(&d);
	}
}

static void a_delayed_conflict_holds_nothing(void **state)
{
	static const char twice[] = "ld.shared.u32 %r20, [%r9]; ld.shared.u32 %r22, [%r9];"
				    "st.global.u32 [%r2+512], %r22;\n";
	struct probed d;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(strides); i++) {
		unsigned passes = degree(strides[i]);

		d = strided(ONE_SM " sm.bank_conflicts=delay", strides[i],
			"ld.shared.u32 %r20, [%r9];");
		assert_int_equal(probe_u32(&d, 0), 1 + 20 + passes - 1 + 1);
		assert_int_equal(probe_u32(&d, 32), 2);
		assert_true(
			probe_metric(&d, "l1tex__data_bank_conflicts_pipe_lsu.sum") == passes - 1);
		probe_free(&d);
	}
	d = strided(ONE_SM " sm.bank_conflicts=delay", 8, twice);
	/* the second load does not wait for the eight passes of the first */
	assert_int_equal(probe_u32(&d, 32), 1 + 1 + 20 + 7 + 1);
	probe_free(&d);
}

/* 32 bytes a cycle: the 32 words of a row take four cycles, one word for all lanes takes one. */
static void memory_moves_so_many_bytes_a_cycle(void **state)
{
	static const char hits[] =
		"ld.global.u32 %r20, [%r2];\nadd.u32 %r21, %r20, 1;\nmov.u32 %r22, %clock;\n"
		"ld.global.u32 %r20, [%r2];\nadd.u32 %r21, %r20, 1;\nmov.u32 %r20, %clock;\n"
		"sub.u32 %r20, %r20, %r22;\nst.global.u32 [%r2], %r20;\n";
	struct probed d, narrow;

	(void)state;
	for (unsigned stride = 0; stride < 2; stride++) {
		d = strided(ONE_SM " sm.memory_bytes=32", stride, "ld.shared.u32 %r20, [%r9];");
		assert_int_equal(probe_u32(&d, 0), 1 + 20 + (stride ? 3 : 0) + 1);
		assert_int_equal(probe_u32(&d, 32), 2);
		probe_free(&d);
	}
	d = probe_run(&(struct probe){ONE_SM, hits, 1, 32});
	narrow = probe_run(&(struct probe){ONE_SM " sm.memory_bytes=32", hits, 1, 32});
	assert_int_equal(probe_u32(&narrow, 0) - probe_u32(&d, 0), 3);
	probe_free(&d);
	probe_free(&narrow);
}

/* One of four lines is in the bank of the load's address. */
static void a_line_that_meets_a_register_delays_its_load_alone(void **state)
{
	static const char *const lines[] = {"0", "128", "256", "384"};
	uint32_t result[4], issue[4], least = UINT32_MAX, late = 0;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(lines); i++) {
		struct text t = {0};
		struct probed d;

		text_raw(&t,
			"mov.u32 %%r20, %%clock;\nld.global.u32 %%r9, [%%r1+%s];\n"
			"mov.u32 %%r21, %%clock;\nadd.u32 %%r22, %%r9, 1;\n"
			"mov.u32 %%r22, %%clock;\nsub.u32 %%r21, %%r21, %%r20;\n"
			"sub.u32 %%r22, %%r22, %%r20;\nst.global.u32 [%%r2], %%r21;\n"
			"st.global.u32 [%%r2+128], %%r22;\n",
			lines[i]);
		d = probe_run(&(struct probe){ONE_SM " rf.hierarchy=none chip.storage=unified"
						     " sm.bank_conflicts=delay",
			text_str(&t), 1, 32});
		text_clear(&t);
		issue[i] = probe_u32(&d, 0);
		result[i] = probe_u32(&d, 32);
		probe_free(&d);
		assert_int_equal(issue[i], issue[0]);
		least = result[i] < least ? result[i] : least;
	}
	for (unsigned i = 0; i < ARRAY_LEN(lines); i++)
		late += result[i] - least;
	assert_int_equal(late, 1);
}

static void conflicts_need_not_take_issue_slots(void **state)
{
	static const char twice[] = "ld.shared.u32 %r20, [%r9]; ld.shared.u32 %r22, [%r9];"
				    "st.global.u32 [%r2+512], %r22;\n";
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(strides); i++) {
		struct probed d = strided(ONE_SM " sm.conflicts_block_issue=false", strides[i],
			"ld.shared.u32 %r20, [%r9];");

		assert_int_equal(probe_u32(&d, 0), 1 + 20 + degree(strides[i]) - 1 + 1);
		assert_int_equal(probe_u32(&d, 32), 2);
		assert_true(probe_metric(&d, "sched__cycles_mio_throttle.sum") == 0);
		probe_free(&d);
	}
	/* but the memory pipe stays occupied */
	for (unsigned on = 0; on < 2; on++) {
		struct probed d =
			strided(on ? ONE_SM : ONE_SM " sm.conflicts_block_issue=false", 8, twice);

		assert_true(probe_metric(&d, "l1tex__data_bank_conflicts_pipe_lsu.sum") == 14);
		/* the store waits for the second load, which waited for eight passes */
		assert_int_equal(probe_u32(&d, 32), 1 + 8 + 20 + 7 + 1);
		probe_free(&d);
	}
}

static void wide_and_atomic_shared_accesses_take_their_passes(void **state)
{
	static const struct {
		const char *access;
		unsigned stride, passes;
	} row[] = {
		{"st.shared.u32 [%r9], %r20;", 4, 4},
		{"ld.shared.v2.u32 {%r20,%r22}, [%r9];", 2, 2},
		{"ld.shared.v4.u32 {%r20,%r22,%r23,%r24}, [%r9];", 4, 4},
		{"atom.shared.add.u32 %r20, [%r9], 1;", 1, 2},
		{"atom.shared.add.u32 %r20, [%r9], 1;", 8, 16},
		{"@%p0 ld.shared.u32 %r20, [%r9];", 32, 1},
	};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		struct probed d = strided(ONE_SM, row[i].stride, row[i].access);

		assert_int_equal(probe_u32(&d, 32), 1 + row[i].passes);
		probe_free(&d);
	}
}

/* ---- the L1 */

static const char cold[] =
	CLOCK_START "ld.global.u32 %r9, [%r1];\n"
		    "add.u32 %r10, %r9, 1;\n" CLOCK_STOP "st.global.u32 [%r2+4096], %r10;\n";
static const char warm[] = "ld.global.u32 %r9, [%r1]; add.u32 %r9, %r9, 1;\n"
			   "setp.eq.u32 %p1, %r9, 77; @%p1 bra END;\n" CLOCK_START
			   "ld.global.u32 %r9, [%r1+64]; add.u32 %r10, %r9, 1;\n" CLOCK_STOP
			   "st.global.u32 [%r2+4096], %r10;\n";

static void a_hit_takes_its_cycles_from_issue_to_use(void **state)
{
	(void)state;
	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, warm, 1, 1}), 2 + 20);
	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, warm, 1, 32}), 2 + 20);
	assert_int_equal(
		probe_cycles(&(struct probe){ONE_SM " l1.hit_cycles=2", warm, 1, 1}), 2 + 2);
	assert_int_equal(
		probe_cycles(&(struct probe){ONE_SM " l1.hit_cycles=120", warm, 1, 1}), 2 + 120);
}

static void a_miss_takes_the_cycles_that_the_chip_was_asked_for(void **state)
{
	(void)state;
	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, cold, 1, 1}), 2 + 400);
	assert_int_equal(probe_cycles(&(struct probe){ONE_SM NO_L2, cold, 1, 32}), 2 + 400);
	assert_int_equal(
		probe_cycles(&(struct probe){ONE_SM " chip.read_cycles=999", cold, 1, 1}), 1001);
	assert_int_equal(
		probe_cycles(&(struct probe){ONE_SM " chip.link_cycles=31", cold, 1, 1}), 402);
}

static void two_warps_misses_on_a_line_send_one_packet(void **state)
{
	static const char body[] = "ld.global.u32 %r9, [%r1]; st.global.u32 [%r2], %r9;\n";
	struct probed d = probe_run(&(struct probe){ONE_SM, body, 1, 64});
	(void)state;

	assert_true(probe_metric(&d, "l1tex__t_lines_load.sum") == 2);
	assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_merged.sum") == 1);
	assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum") == 0);
	assert_true(probe_metric(&d, "l1tex__m_l1tex2xbar_req_packets.sum") == 1 + 2);
	assert_true(probe_metric(&d, "l1tex__m_xbar2l1tex_read_bytes.sum") == 128);
	assert_true(probe_metric(&d, "dram__bytes_read.sum") == 128);
	probe_free(&d);
}

static void misses_beyond_the_mshrs_wait_for_them(void **state)
{
	/* a warp's 32 lines; a miss holds its MSHR from the tags, a cycle after issue, to the
	 * reply's first flit, four before its last */
	static const char body[] = "shl.b32 %r9, %r3, 7; add.u32 %r9, %r9, %r1;\n"
				   "setp.eq.u32 %p1, %r9, 1; @%p1 bra END;\n" CLOCK_START
				   "ld.global.u32 %r9, [%r9]; add.u32 %r10, %r9, 1;\n" CLOCK_STOP
				   "st.global.u32 [%r2+4096], %r10;\n";
	static const unsigned mshrs[] = {1, 2, 4, 16, 32, 64};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(mshrs); i++) {
		unsigned rounds = (32 + mshrs[i] - 1) / mshrs[i];
		unsigned last = (mshrs[i] < 32 ? mshrs[i] : 32) - 1;
		char settings[128];
		struct probed d;

		snprintf(settings, sizeof(settings),
			ONE_SM NO_L2 " chip.network=ideal chip.bytes_per_ns=100000 l1.mshrs=%u",
			mshrs[i]);
		d = probe_run(&(struct probe){settings, body, 1, 32});
		assert_int_equal(probe_u32(&d, 0), 2 + (rounds - 1) * (400 - 1 - 4) + last + 400);
		probe_free(&d);
	}
}

static void waiters_beyond_the_merges_wait_for_the_line(void **state)
{
	/* four warps load one line; two can merge: the third waits in the tag stage until the line
	 * arrives, and hits */
	static const char body[] = "ld.global.u32 %r9, [%r1]; st.global.u32 [%r2], %r9;\n";
	struct probed d = probe_run(&(struct probe){ONE_SM " l1.merges=2", body, 1, 128});
	(void)state;

	assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_merged.sum") == 1);
	assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum") == 2);
	assert_true(probe_metric(&d, "l1tex__cycles_tag_stalled_mshr.sum") > 300);
	probe_free(&d);
}

/* ---- packets and granules */

struct traffic {
	unsigned packets, stores, read_bytes, written_bytes;
};

/* The bytes that a body moves. */
static void expect_traffic(const char *settings, const char *body, const struct traffic *want)
{
	struct probed d = probe_run(&(struct probe){settings, body, 1, 32});

	assert_int_equal(
		(unsigned)probe_metric(&d, "l1tex__m_l1tex2xbar_req_packets.sum"), want->packets);
	assert_int_equal((unsigned)probe_metric(&d, "l1tex__t_lines_store.sum"), want->stores);
	assert_int_equal((unsigned)probe_metric(&d, "dram__bytes_read.sum"), want->read_bytes);
	assert_int_equal((unsigned)probe_metric(&d, "dram__bytes_write.sum"), want->written_bytes);
	probe_free(&d);
}

#define SPREAD(shift) \
	"shl.b32 %r9, %r3, " #shift "; sub.u32 %r10, %r2, %r4;\n" \
	"add.u32 %r10, %r10, %r9; add.u32 %r9, %r9, %r1;\n"

static void stores_write_through_with_a_packet_for_each_line(void **state)
{
	(void)state;
	expect_traffic(
		ONE_SM NO_L2, "st.global.u32 [%r2], %r3;\n", &(struct traffic){1, 1, 0, 128});
	expect_traffic(ONE_SM NO_L2, SPREAD(7) "st.global.u32 [%r10], %r3;\n",
		&(struct traffic){32, 32, 0, 32 * 16});
	expect_traffic(ONE_SM NO_L2, "st.global.u32 [%r2], %r3; st.global.u32 [%r2], %r3;\n",
		&(struct traffic){2, 2, 0, 256});
	expect_traffic(
		ONE_SM NO_L2, "st.global.u32 [%r2+64], %r3;\n", &(struct traffic){2, 2, 0, 128});
	expect_traffic(ONE_SM NO_L2, "setp.eq.u32 %p1, %r3, 5; @%p1 st.global.u8 [%r2], %r3;\n",
		&(struct traffic){1, 1, 0, 16});
}

static void a_store_does_not_allocate(void **state)
{
	static const char body[] = "st.global.u32 [%r2], %r3; ld.global.u32 %r9, [%r2];\n"
				   "add.u32 %r9, %r9, 1; ld.global.u32 %r10, [%r2];\n"
				   "add.u32 %r9, %r9, %r10; st.global.u32 [%r2], %r9;\n"
				   "ld.global.u32 %r10, [%r2]; st.global.u32 [%r2], %r10;\n";
	struct probed d = probe_run(&(struct probe){ONE_SM, body, 1, 32});
	(void)state;

	/* the load misses, the second hits, and the store after it leaves the line valid */
	assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum") == 2);
	assert_true(probe_metric(&d, "l1tex__t_lines_load.sum") == 3);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(probe_u32(&d, i), 2 * i + 1);
	probe_free(&d);
}

static void without_an_l1_only_the_asked_granules_move(void **state)
{
	static const char use[] = "setp.eq.u32 %p1, %r11, 1; @%p1 st.global.u32 [%r2], %r11;\n";
	static const struct {
		const char *load;
		unsigned packets, bytes;
	} row[] = {
		{SPREAD(2) "ld.global.u32 %r11, [%r9];\n", 1, 128},
		{SPREAD(5) "ld.global.u32 %r11, [%r9];\n", 8, 512},
		{SPREAD(4) "ld.global.u32 %r11, [%r9];\n", 4, 512},
		{SPREAD(7) "ld.global.u32 %r11, [%r9];\n", 32, 512},
		{SPREAD(7) "ld.global.u8 %r11, [%r9];\n", 32, 512},
		{"ld.global.u32 %r11, [%r1];\n", 1, 16},
		{SPREAD(4) "ld.global.v4.u32 {%r11,%r12,%r13,%r14}, [%r9];\n", 4, 512},
		{SPREAD(2) "ld.global.u32 %r11, [%r9+8];\n", 2, 144},
	};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		struct text t = {0};

		text_raw(&t, "%s%s", row[i].load, use);
		expect_traffic(ONE_SM NO_L2 NO_L1, text_str(&t),
			&(struct traffic){row[i].packets, 0, row[i].bytes, 0});
		expect_traffic(ONE_SM NO_L2 " l1.whole_line=false", text_str(&t),
			&(struct traffic){row[i].packets, 0, row[i].bytes, 0});
		expect_traffic(ONE_SM NO_L2, text_str(&t),
			&(struct traffic){row[i].packets, 0, row[i].packets * 128, 0});
		text_clear(&t);
	}
}

static void without_an_l1_a_second_load_goes_to_memory_again(void **state)
{
	(void)state;
	expect_traffic(ONE_SM NO_L2 NO_L1,
		"ld.global.u32 %r9, [%r1]; add.u32 %r9, %r9, 1; ld.global.u32 %r10, [%r1];\n"
		"add.u32 %r9, %r9, %r10; setp.eq.u32 %p1, %r9, 0; @%p1 st.global.u32 [%r2], %r9;\n",
		&(struct traffic){2, 0, 32, 0});
}

static void a_line_of_granules_misses_when_other_granules_are_asked_for(void **state)
{
	static const char body[] =
		"ld.global.u32 %r9, [%r1]; ld.global.u32 %r10, [%r1+16]; add.u32 %r9, %r9, %r10;\n"
		"ld.global.u32 %r11, [%r1+4]; ld.global.u32 %r12, [%r1+20];\n"
		"add.u32 %r11, %r11, %r12; add.u32 %r9, %r9, %r11; st.global.u32 [%r2], %r9;\n";
	struct probed d =
		probe_run(&(struct probe){ONE_SM NO_L2 " l1.whole_line=false", body, 1, 1});
	(void)state;

	assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum") == 2);
	assert_true(probe_metric(&d, "dram__bytes_read.sum") == 32);
	probe_free(&d);
}

static void an_instruction_that_no_lane_executes_costs_no_traffic(void **state)
{
	static const char body[] =
		"setp.eq.u32 %p1, %r3, 99;\n" CLOCK_START
		"@%p1 ld.global.u32 %r9, [%r1]; @%p1 st.global.u32 [%r1], %r4;\n"
		"@%p1 red.global.add.u32 [%r1], 1; @%p1 atom.global.add.u32 %r10, [%r1], 1;\n"
		"@%p1 ld.shared.u32 %r11, [0]; @%p1 ld.local.u32 %r12, [0];\n"
		"mov.u32 %r7, %clock; sub.u32 %r8, %r7, %r6;\n"
		"setp.gt.u32 %p2, %r8, 14; @%p2 trap;\n"
		"or.b32 %r9, %r9, %r10; or.b32 %r11, %r11, %r12; or.b32 %r9, %r9, %r11;\n"
		"@%p0 st.global.u32 [%r2], %r9;\n";
	(void)state;

	/* and waits for nothing but its guard */
	expect_traffic(ONE_SM NO_L2, body, &(struct traffic){0, 0, 0, 0});
}

/* ---- local memory */

static void local_arrays_are_interleaved_by_words(void **state)
{
	/* every thread has 16 words; a constant index is one line of a warp */
	static const char body[] =
		".local .align 4 .b8 own[64];\n"
		"mov.u32 %r9, 0; mov.u32 %r10, own;\n"
		"W: mul.lo.u32 %r11, %r9, %r3; st.local.u32 [%r10], %r11;\n"
		"add.u32 %r10, %r10, 4; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 16;\n"
		"@%p1 bra W;\n"
		"and.b32 %r12, %r3, 15; shl.b32 %r12, %r12, 2; mov.u32 %r10, own;\n"
		"add.u32 %r10, %r10, %r12; ld.local.u32 %r13, [%r10];\n"
		"ld.local.u32 %r14, [own+8]; add.u32 %r13, %r13, %r14;\n"
		"st.global.u32 [%r2], %r13;\n";
	struct probed d = probe_run(&(struct probe){ONE_SM, body, 3, 96});
	(void)state;

	for (unsigned i = 0; i < 3 * 96; i++)
		assert_int_equal(probe_u32(&d, i), (i % 96) * (i % 16) + 2 * (i % 96));
	assert_true(probe_metric(&d, "smsp__inst_executed_op_local.sum") == 9 * 18);
	assert_true(probe_metric(&d, "l1tex__t_lines_store.sum") == 9 * (16 + RESULT_LINES));
	/* lanes with 16 different indices touch 16 lines, the constant index one */
	assert_true(probe_metric(&d, "l1tex__t_lines_load.sum") == 9 * (16 + 1));
	probe_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shared_load_takes_20_cycles_and_one_for_each_further_pass),
		cmocka_unit_test(memory_moves_so_many_bytes_a_cycle),
		cmocka_unit_test(a_delayed_conflict_holds_nothing),
		cmocka_unit_test(a_line_that_meets_a_register_delays_its_load_alone),
		cmocka_unit_test(conflicts_need_not_take_issue_slots),
		cmocka_unit_test(wide_and_atomic_shared_accesses_take_their_passes),
		cmocka_unit_test(a_hit_takes_its_cycles_from_issue_to_use),
		cmocka_unit_test(a_miss_takes_the_cycles_that_the_chip_was_asked_for),
		cmocka_unit_test(two_warps_misses_on_a_line_send_one_packet),
		cmocka_unit_test(misses_beyond_the_mshrs_wait_for_them),
		cmocka_unit_test(waiters_beyond_the_merges_wait_for_the_line),
		cmocka_unit_test(stores_write_through_with_a_packet_for_each_line),
		cmocka_unit_test(a_store_does_not_allocate),
		cmocka_unit_test(without_an_l1_only_the_asked_granules_move),
		cmocka_unit_test(without_an_l1_a_second_load_goes_to_memory_again),
		cmocka_unit_test(a_line_of_granules_misses_when_other_granules_are_asked_for),
		cmocka_unit_test(an_instruction_that_no_lane_executes_costs_no_traffic),
		cmocka_unit_test(local_arrays_are_interleaved_by_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
