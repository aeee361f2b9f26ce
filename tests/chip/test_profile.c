/* Attribution of DRAM traffic: kernels with one buffer a line come out to the byte as counted by
 * hand, in both DRAM models, with and without caches, for any number of threads. */
#include "tests/rig/profile_rig.h"

/* Flushed bytes move in DRAM transactions of this size. */
static void check_three_buffers(const char *settings, bool l1, uint64_t flushed)
{
	uint64_t sent = l1 ? 4096 : 512;
	struct rig r;

	rig_run(&r, settings, three_buffers, 1);
	COUNTS(line(&r, 3), {PROFILE_ASKED, 128}, {PROFILE_DISTINCT, 128}, {PROFILE_LOADED, 128},
		{PROFILE_L1_HIT, 0}, {PROFILE_L1_MISSED, 128}, {PROFILE_SENT_READ, 128},
		{PROFILE_TAKEN_READ, 128}, {PROFILE_L2_MISSED, 128}, {PROFILE_FETCHED, 128},
		{PROFILE_DRAM_READ, 128}, {PROFILE_RETURNED, 128}, {PROFILE_DRAM_WRITE, 0},
		{PROFILE_FLUSHED, 0}, {PROFILE_L1_FILLED, l1 ? 128 : 0},
		{PROFILE_L1_USED, l1 ? 128 : 0}, {PROFILE_L2_USED, 128});
	COUNTS(line(&r, 4), {PROFILE_ASKED, 128}, {PROFILE_DISTINCT, 128}, {PROFILE_LOADED, 512},
		{PROFILE_L1_MISSED, 512}, {PROFILE_SENT_READ, sent}, {PROFILE_DRAM_READ, 4096},
		{PROFILE_L2_FILLED, 4096}, {PROFILE_L2_USED, sent},
		{PROFILE_L1_FILLED, l1 ? 4096 : 0}, {PROFILE_L1_USED, l1 ? 512 : 0});
	COUNTS(line(&r, 7), {PROFILE_ASKED, 32}, {PROFILE_STORED, 32}, {PROFILE_SENT_WRITE, 32},
		{PROFILE_TAKEN_WRITE, 32}, {PROFILE_DRAM_READ, 0}, {PROFILE_DRAM_WRITE, 0},
		{PROFILE_FLUSHED, flushed}, {PROFILE_PADDED, flushed - 32}, {PROFILE_REWRITTEN, 0});
	COUNTS(buffer(&r, "a"), {PROFILE_DRAM_READ, 128}, {PROFILE_FLUSHED, 0});
	COUNTS(buffer(&r, "b"), {PROFILE_DRAM_READ, 4096}, {PROFILE_FLUSHED, 0});
	COUNTS(buffer(&r, "c"), {PROFILE_DRAM_READ, 0}, {PROFILE_FLUSHED, flushed});
	assert_int_equal(r.sum.total.n[PROFILE_DRAM_READ], 128 + 4096);
	assert_int_equal(r.sum.total.n[PROFILE_FLUSHED], flushed);
	check_sums(&r);
	rig_free(&r);
}

static void a_buffer_a_line_comes_out_to_the_byte(void **state)
{
	(void)state;
	check_three_buffers(ONE_SM, true, 32);
}

static void so_it_does_without_an_l1(void **state)
{
	(void)state;
	check_three_buffers(ONE_SM NO_L1, false, 32);
}

static void so_it_does_with_banks_and_rows(void **state)
{
	(void)state;
	check_three_buffers(ONE_SM BANKED, true, 64);
	check_three_buffers(ONE_SM BANKED NO_L1, false, 64);
}

static void every_burst_found_its_row_somehow(void **state)
{
	struct rig r;
	struct profile_row b;
	(void)state;

	rig_run(&r, ONE_SM BANKED, three_buffers, 1);
	b = buffer(&r, "b");
	assert_true(r.sum.has_rows);
	assert_int_equal(b.n[PROFILE_ROW_HIT] + b.n[PROFILE_ROW_MISS] + b.n[PROFILE_ROW_CONFLICT],
		4096 / 64);
	assert_int_equal(
		b.n[PROFILE_ROW_HIT], (uint64_t)(kit_metric(&r.kit, "dram__row_hits.sum") -
						 (double)buffer(&r, "a").n[PROFILE_ROW_HIT]));
	rig_free(&r);
}

/* Two lines write the halves of one sector, a third one rewrites a granule of another. */
static void a_sector_belongs_to_its_last_writer(void **state)
{
	static const char ptx[] = HEAD "setp.lt.u32 %p1, %r4, 4;\n"
				       "add.u32 %r10, %r3, %r8;\n"
				       "@%p1 st.global.u32 [%r10], %r4;\n"
				       "@%p1 st.global.u32 [%r10+16], %r4;\n"
				       "@%p1 st.global.u32 [%r10+32], %r4;\n"
				       "@%p1 st.global.u32 [%r10+48], %r4;\n"
				       "@%p1 st.global.u32 [%r10+32], %r8;\n" TAIL;
	struct rig r;
	(void)state;

	rig_run(&r, ONE_SM, ptx, 1);
	COUNTS(line(&r, 2), {PROFILE_TAKEN_WRITE, 16}, {PROFILE_FLUSHED, 0});
	COUNTS(line(&r, 3), {PROFILE_TAKEN_WRITE, 16}, {PROFILE_FLUSHED, 32});
	COUNTS(line(&r, 4), {PROFILE_FLUSHED, 0});
	COUNTS(line(&r, 5), {PROFILE_FLUSHED, 0});
	COUNTS(line(&r, 6), {PROFILE_REWRITTEN, 16}, {PROFILE_FLUSHED, 32});
	COUNTS(buffer(&r, "c"), {PROFILE_TAKEN_WRITE, 80}, {PROFILE_REWRITTEN, 16},
		{PROFILE_FLUSHED, 64});
	check_sums(&r);
	rig_free(&r);
}

/* What a load evicts from a small L2 is still the store's. */
static void a_write_back_belongs_to_who_wrote_not_to_who_evicts(const char *settings)
{
	static const char ptx[] =
		HEAD "mov.u32 %r20, 0;\n"
		     "add.u32 %r10, %r3, %r8;\n"
		     "add.u32 %r11, %r2, %r8;\n"
		     "S: st.global.u32 [%r10], %r20;\n"
		     "add.u32 %r10, %r10, 128; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 400;\n"
		     "@%p1 bra S; mov.u32 %r20, 0;\n"
		     "L: ld.global.u32 %r21, [%r11];\n"
		     "add.u32 %r11, %r11, 128; add.u32 %r20, %r20, 1; add.u32 %r22, %r22, %r21;\n"
		     "setp.lt.u32 %p1, %r20, 400; @%p1 bra L;\n" TAIL;
	struct profile_row store, load;
	struct rig r;

	rig_run(&r, settings, ptx, 1);
	store = line(&r, 3);
	load = line(&r, 6);
	assert_int_equal(store.n[PROFILE_TAKEN_WRITE], 400 * 128);
	assert_int_equal(store.n[PROFILE_WRITTEN_BACK] + store.n[PROFILE_FLUSHED], 400 * 128);
	assert_int_equal(store.n[PROFILE_DRAM_WRITE], store.n[PROFILE_WRITTEN_BACK]);
	assert_true(store.n[PROFILE_DRAM_WRITE] > 300 * 128);
	assert_int_equal(load.n[PROFILE_DRAM_WRITE] | load.n[PROFILE_FLUSHED], 0);
	assert_int_equal(load.n[PROFILE_DRAM_READ], 400 * 128);
	COUNTS(buffer(&r, "b"), {PROFILE_DRAM_READ, 400 * 128}, {PROFILE_DRAM_WRITE, 0});
	assert_int_equal(
		(uint64_t)kit_metric(&r.kit, "dram__bytes_write.sum"), store.n[PROFILE_DRAM_WRITE]);
	check_sums(&r);
	rig_free(&r);
}

static void a_write_back_belongs_to_its_writer(void **state)
{
	(void)state;
	a_write_back_belongs_to_who_wrote_not_to_who_evicts(ONE_SM "l2.bytes=1024");
	a_write_back_belongs_to_who_wrote_not_to_who_evicts(ONE_SM BANKED "l2.bytes=1024");
}

/* Transactions wider than a sector are shared between its writers. */
static void wide_transactions_are_shared_between_writers(void **state)
{
	static const char ptx[] = HEAD "setp.lt.u32 %p1, %r4, 4;\n"
				       "add.u32 %r10, %r3, %r8;\n"
				       "@%p1 st.global.u32 [%r10], %r4;\n"
				       "@%p1 st.global.u32 [%r10+64], %r4;\n"
				       "@%p1 st.global.u32 [%r10+96], %r4;\n" TAIL;
	struct rig r;
	(void)state;

	rig_run(&r, ONE_SM "l2.bytes=0 dram.min_bytes=128", ptx, 1);
	COUNTS(line(&r, 2), {PROFILE_WRITTEN_BACK, 16}, {PROFILE_DRAM_WRITE, 128});
	COUNTS(line(&r, 4), {PROFILE_WRITTEN_BACK, 16}, {PROFILE_DRAM_WRITE, 128});
	check_sums(&r);
	rig_free(&r);
}

/* 128 bytes for the three sectors that each line has when it is evicted: 42 of two, 44 of one. */
static void what_does_not_divide_among_sectors_is_not_lost(void **state)
{
	static const char ptx[] =
		HEAD "setp.lt.u32 %p1, %r4, 24; add.u32 %r10, %r3, %r8; mov.u32 %r20, 0;\n"
		     "S: @%p1 st.global.u32 [%r10], %r4;\n"
		     "add.u32 %r10, %r10, 128; add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 300;\n"
		     "@%p2 bra S;\n" TAIL;
	struct rig r;
	uint64_t lines;
	(void)state;

	rig_run(&r, ONE_SM "l2.bytes=1024 dram.min_bytes=128", ptx, 1);
	lines = line(&r, 1).n[PROFILE_WRITTEN_BACK] / 96;
	assert_true(lines > 150);
	COUNTS(line(&r, 1), {PROFILE_WRITTEN_BACK, lines * 96}, {PROFILE_DRAM_WRITE, lines * 128});
	check_sums(&r);
	rig_free(&r);
}

/* 16 bytes of a sector of 64 take the other 48 with them, in their writer's name. */
static void what_moves_with_a_sector_is_its_writers(void **state)
{
	static const char ptx[] = HEAD "setp.lt.u32 %p1, %r4, 4;\n"
				       "add.u32 %r10, %r3, %r8;\n"
				       "@%p1 st.global.u32 [%r10+16], %r4;\n"
				       "@%p1 st.global.u32 [%r10+64], %r4;\n" TAIL;
	struct rig r;
	(void)state;

	rig_run(&r, ONE_SM "l2.sector_bytes=64", ptx, 1);
	COUNTS(line(&r, 2), {PROFILE_TAKEN_WRITE, 16}, {PROFILE_PADDED, 48}, {PROFILE_FLUSHED, 64});
	COUNTS(line(&r, 3), {PROFILE_PADDED, 48}, {PROFILE_FLUSHED, 64});
	check_sums(&r);
	rig_free(&r);
	rig_run(&r, ONE_SM "l2.sector_bytes=64 l2.write_policy=through", ptx, 1);
	COUNTS(line(&r, 2), {PROFILE_TAKEN_WRITE, 16}, {PROFILE_PADDED, 48},
		{PROFILE_WRITTEN_BACK, 64}, {PROFILE_DRAM_WRITE, 64}, {PROFILE_FLUSHED, 0});
	check_sums(&r);
	rig_free(&r);
}

/* 32 lanes add to one word, and to 32 words of a line. */
static const char atomics[] = HEAD "add.u32 %r10, %r2, %r8;\n"
				   "atom.global.add.u32 %r11, [%r1], 1;\n"
				   "red.global.add.u32 [%r10], 1;\n" TAIL;

static void atomics_fetch_and_write_what_they_touch(void **state)
{
	struct rig r;
	(void)state;

	rig_run(&r, ONE_SM, atomics, 1);
	COUNTS(line(&r, 1), {PROFILE_ASKED, 128}, {PROFILE_DISTINCT, 4}, {PROFILE_ATOMIC, 16},
		{PROFILE_SENT_ATOMIC, 16}, {PROFILE_RETURNED, 16}, {PROFILE_DRAM_READ, 128},
		{PROFILE_L2_USED, 16}, {PROFILE_FLUSHED, 16});
	COUNTS(line(&r, 2), {PROFILE_ASKED, 128}, {PROFILE_DISTINCT, 128}, {PROFILE_ATOMIC, 128},
		{PROFILE_DRAM_READ, 128}, {PROFILE_FLUSHED, 128});
	check_sums(&r);
	rig_free(&r);
}

static void without_an_l2_atomics_read_and_write_dram(void **state)
{
	static const char *const settings[] = {ONE_SM "l2.bytes=0", ONE_SM BANKED "l2.bytes=0"};
	(void)state;

	for (unsigned i = 0; i < 2; i++) {
		uint64_t least = i ? 64 : 16; /* a burst, a granule */
		struct rig r;

		rig_run(&r, settings[i], atomics, 1);
		COUNTS(line(&r, 1), {PROFILE_FETCHED, 16}, {PROFILE_DRAM_READ, least},
			{PROFILE_DRAM_WRITE, least}, {PROFILE_FLUSHED, 0});
		COUNTS(line(&r, 2), {PROFILE_DRAM_READ, 128}, {PROFILE_DRAM_WRITE, 128});
		check_sums(&r);
		rig_free(&r);
	}
}

static void local_memory_is_a_buffer_of_its_own(void **state)
{
	static const char ptx[] = HEAD "st.local.u32 [l+8], %r7;\n"
				       "ld.local.u32 %r10, [l+8];\n"
				       "add.u32 %r11, %r3, %r8;\n"
				       "st.global.u32 [%r11], %r10;\n" TAIL;
	struct rig r;
	(void)state;

	rig_run(&r, ONE_SM, ptx, 2);
	COUNTS(buffer(&r, "(local)"), {PROFILE_STORED, 256}, {PROFILE_LOADED, 256},
		{PROFILE_L2_HIT, 256}, {PROFILE_DRAM_READ, 0}, {PROFILE_FLUSHED, 256});
	COUNTS(line(&r, 0), {PROFILE_STORED, 256}, {PROFILE_FLUSHED, 256});
	COUNTS(buffer(&r, "c"), {PROFILE_FLUSHED, 256}, {PROFILE_LOADED, 0});
	check_sums(&r);
	rig_free(&r);
}

/* Half of the lanes mean a, half mean b. */
static void an_access_may_go_to_several_buffers(void **state)
{
	static const char ptx[] = HEAD "setp.lt.u32 %p1, %r4, 16;\n"
				       "selp.b32 %r10, %r1, %r2, %p1;\n"
				       "add.u32 %r10, %r10, %r8;\n"
				       "ld.global.u32 %r11, [%r10];\n"
				       "st.global.u32 [%r3], %r11;\n" TAIL;
	const struct program *p;
	struct rig r;
	bool several = false;
	(void)state;

	rig_run(&r, ONE_SM NO_L1 "l2.fill_line=false", ptx, 1);
	COUNTS(buffer(&r, "a"), {PROFILE_ASKED, 64}, {PROFILE_DRAM_READ, 64});
	COUNTS(buffer(&r, "b"), {PROFILE_ASKED, 64}, {PROFILE_DRAM_READ, 64});
	COUNTS(line(&r, 3), {PROFILE_ASKED, 128}, {PROFILE_DRAM_READ, 128});
	p = r.sum.kernel[0].program;
	for (uint32_t i = 0; i < p->ninstr; i++)
		if (p->lines[p->code[i].line].ptx_line == FIRST + 3)
			several |= r.sum.site_buffer[i] == PROFILE_SEVERAL;
	assert_true(several);
	rig_free(&r);
}

/* A second access to a line in the L1 costs nothing below, and makes more of the fill useful. */
static void an_l1_hit_ends_in_the_l1(void **state)
{
	static const char ptx[] = HEAD "setp.lt.u32 %p1, %r4, 4;\n"
				       "add.u32 %r10, %r1, %r8;\n"
				       "@%p1 ld.global.u32 %r11, [%r10];\n"
				       "add.u32 %r10, %r10, %r11;\n"
				       "@%p1 ld.global.u32 %r12, [%r10+64];\n"
				       "@%p1 st.global.u32 [%r3], %r12;\n" TAIL;
	struct rig r;
	(void)state;

	rig_run(&r, ONE_SM, ptx, 1);
	COUNTS(line(&r, 2), {PROFILE_LOADED, 16}, {PROFILE_L1_MISSED, 16}, {PROFILE_SENT_READ, 128},
		{PROFILE_L1_FILLED, 128}, {PROFILE_L1_USED, 32});
	COUNTS(line(&r, 4), {PROFILE_LOADED, 16}, {PROFILE_L1_HIT, 16}, {PROFILE_SENT_READ, 0},
		{PROFILE_DRAM_READ, 0});
	rig_free(&r);
}

/* A lone load: its dependant waits, and the stall is divided by the times along the path. */
static void stalls_are_shared_out_to_the_cycle(void **state)
{
	const uint64_t *n;
	struct rig r;
	(void)state;

	rig_run(&r, ONE_SM, three_buffers, 4);
	n = r.sum.total.n;
	assert_int_equal(n[PROFILE_STALL_SM] + n[PROFILE_STALL_NOC] + n[PROFILE_STALL_L2] +
				 n[PROFILE_STALL_DRAM] + r.sum.unblamed,
		(uint64_t)kit_metric(&r.kit, "sched__cycles_long_scoreboard.sum"));
	/* of 400 cycles most are DRAM's, then the links' */
	assert_true(n[PROFILE_STALL_DRAM] > n[PROFILE_STALL_NOC]);
	assert_true(n[PROFILE_STALL_NOC] > n[PROFILE_STALL_L2]);
	assert_true(n[PROFILE_STALL_L2] > 0);
	rig_free(&r);
}

/* Each part of an unloaded read's path gets its cycles: 400 cycles between issues, of which the SM
 * has one at the tags; 80 in links and the networks' own; 20 in the L2. */
static void an_unloaded_reads_times_are_the_models(void **state)
{
	static const char ptx[] = HEAD "add.u32 %r10, %r1, %r8;\n"
				       "ld.global.u32 %r11, [%r10];\n"
				       "add.u32 %r12, %r11, 1;\n"
				       "add.u32 %r10, %r3, %r8;\n"
				       "st.global.u32 [%r10], %r12;\n" TAIL;
	uint64_t dram, l2, noc, all;
	struct rig r;
	(void)state;

	rig_run(&r, ONE_SM, ptx, 1);
	dram = r.sum.total.n[PROFILE_STALL_DRAM];
	l2 = r.sum.total.n[PROFILE_STALL_L2];
	noc = r.sum.total.n[PROFILE_STALL_NOC];
	all = dram + l2 + noc;
	assert_int_equal(r.sum.total.n[PROFILE_STALL_SM], 0);
	assert_in_range(all, 390, 400);
	assert_in_range(l2, 19, 21);
	assert_in_range(noc, 80, 95);
	assert_int_equal(line(&r, 1).n[PROFILE_STALL_DRAM], dram);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buffer_a_line_comes_out_to_the_byte),
		cmocka_unit_test(so_it_does_without_an_l1),
		cmocka_unit_test(so_it_does_with_banks_and_rows),
		cmocka_unit_test(every_burst_found_its_row_somehow),
		cmocka_unit_test(a_sector_belongs_to_its_last_writer),
		cmocka_unit_test(a_write_back_belongs_to_its_writer),
		cmocka_unit_test(wide_transactions_are_shared_between_writers),
		cmocka_unit_test(what_does_not_divide_among_sectors_is_not_lost),
		cmocka_unit_test(what_moves_with_a_sector_is_its_writers),
		cmocka_unit_test(atomics_fetch_and_write_what_they_touch),
		cmocka_unit_test(without_an_l2_atomics_read_and_write_dram),
		cmocka_unit_test(local_memory_is_a_buffer_of_its_own),
		cmocka_unit_test(an_access_may_go_to_several_buffers),
		cmocka_unit_test(an_l1_hit_ends_in_the_l1),
		cmocka_unit_test(stalls_are_shared_out_to_the_cycle),
		cmocka_unit_test(an_unloaded_reads_times_are_the_models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
