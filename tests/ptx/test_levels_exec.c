/* Execution with a register file hierarchy, on hand-decoded instructions: what is lost at strand
 * ends, what copies copy, and the reads, writes and moves of a register file cache, access by
 * access. */
#include "ptx/isa/lanes.h"
#include "tests/rig/exec_rig.h"

#define REGS 8u
#define UPPER 3u
#define ORF0 REGS
#define LRF0 (REGS + UPPER)
#define PLANES (REGS + LEVELS_MAX_RFC + 1 + LEVELS_RFC_PLANES)
#define MOST 16u

/* A warp of a program of up to MOST instructions, and its annotations. */
struct bench {
	struct program program;
	struct program_levels levels;
	struct level_note notes[MOST];
	struct level_copy copies[4];
	struct grid grid;
	struct cta cta;
	struct warp warp;
	struct level_traffic traffic;
	uint32_t regs[PLANES][WARP_LANES], preds[2], consts[2][WARP_LANES];
	struct frame stack[4];
	struct access access;
	struct fault fault;
};

static struct bench b;
static struct rig rig;

#define R(i) \
	{ \
		OPND_REG, 1, i \
	}
#define R2(i) \
	{ \
		OPND_REG, 2, i \
	}
#define ONE \
	{ \
		OPND_CONST, 1, 0 \
	}
/* register d := register a + 1, where the guard holds */
#define INC_IF(g, d, a) \
	{ \
		.op = LANE_add_u32, .guard = g, .ndst = 1, .nsrc = 2, .dst = {R(d)}, \
		.src = {R(a), ONE}, \
	}
#define INC(d, a) INC_IF(NO_GUARD, d, a)
#define ADD(d, x, y) \
	{ \
		.op = LANE_add_u32, .guard = NO_GUARD, .ndst = 1, .nsrc = 2, .dst = {R(d)}, \
		.src = {R(x), R(y)}, \
	}
#define ADD2(d, x, y) \
	{ \
		.op = LANE_add_u64, .guard = NO_GUARD, .ndst = 1, .nsrc = 2, .dst = {R2(d)}, \
		.src = {R2(x), R2(y)}, \
	}
#define SINE(d, a) \
	{ \
		.op = LANE_add_u32, .unit = UNIT_SFU, .guard = NO_GUARD, .ndst = 1, .nsrc = 2, \
		.dst = {R(d)}, .src = {R(a), ONE}, \
	}
#define LOAD(d, a) \
	{ \
		.action = ACT_LOAD, .moves = true, .unit = UNIT_MEMORY, .guard = NO_GUARD, \
		.ndst = 1, .nsrc = 1, .dst = {R(d)}, .src = {R(a)}, .offset = GENERIC_GLOBAL_BASE, \
		.space = SPACE_GLOBAL, .mem_type = T_U32, .vec = 1, .address_words = 1, \
	}
#define STORE(a, v) \
	{ \
		.action = ACT_STORE, .moves = true, .unit = UNIT_MEMORY, .guard = NO_GUARD, \
		.nsrc = 2, .src = {R(a), R(v)}, .offset = GENERIC_GLOBAL_BASE, \
		.space = SPACE_GLOBAL, .mem_type = T_U32, .vec = 1, .address_words = 1, \
	}
#define DONE \
	{ \
		.action = ACT_EXIT, .unit = UNIT_CONTROL, .guard = NO_GUARD, \
	}

/* Register r holds 100 r + lane; predicate 0 holds for even lanes. */
static void begin(const struct instr *code, uint32_t n, struct levels_options options)
{
	static const struct bench blank;
	static const struct rig blank_rig;
	bool hardware = options.kind == LEVELS_HARDWARE;

	b = blank;
	rig = blank_rig;
	b.levels = (struct program_levels){.options = options,
		.upper = options.entries,
		.lrf = options.lrf,
		.notes = b.notes,
		.copies = b.copies};
	for (uint32_t i = 0; i < n; i++)
		b.notes[i].shared = unit_is_shared(code[i].unit);
	b.program = (struct program){.name = "k",
		.code = code,
		.ninstr = n,
		.regs = REGS,
		.planes = REGS + options.entries + options.lrf + (hardware ? LEVELS_RFC_PLANES : 0),
		.levels = &b.levels,
		.preds = 2,
		.consts = b.consts[0],
		.nconsts = 2,
		.stack_depth = 4};
	b.grid = (struct grid){.program = &b.program, .grid = {1, 1, 1}, .block = {32, 1, 1}};
	b.cta = (struct cta){.grid = &b.grid};
	b.warp = (struct warp){
		.regs = b.regs[0], .preds = b.preds, .stack = b.stack, .traffic = &b.traffic};
	for (unsigned i = 0; i < WARP_LANES; i++)
		b.consts[0][i] = 1;
	b.preds[0] = 0x55555555;
	exec_start(&b.warp, &b.cta, 0);
	for (unsigned r = 0; r < REGS; r++)
		for (unsigned i = 0; i < WARP_LANES; i++)
			b.regs[r][i] = 100 * r + i;
}

#define BEGIN(code, ...) begin(code, ARRAY_LEN(code), (struct levels_options){__VA_ARGS__})
#define SOFTWARE .kind = LEVELS_SOFTWARE, .entries = UPPER, .lrf = 1
#define HARDWARE .kind = LEVELS_HARDWARE, .flush = true, .bypass = true

static void step(unsigned n)
{
	const struct exec_context context = {0};
	const struct exec_memory memory = rig_memory(&rig);

	while (n--)
		assert_int_equal(exec_issue(&b.warp, lanes_select(NULL, NULL), &context, &memory,
					 &b.access, &b.fault),
			EXEC_OK);
}

/* Reads of MRF, RFC, RFC from the shared datapath, LRF; writes in the same order; evictions. */
static void expect(const uint64_t reads[4], const uint64_t writes[4], uint64_t writebacks)
{
	const uint64_t *r = &b.traffic.mrf_reads, *w = &b.traffic.mrf_writes;

	for (unsigned k = 0; k < 4; k++) {
		assert_int_equal(r[k], reads[k]);
		assert_int_equal(w[k], writes[k]);
	}
	assert_int_equal(b.traffic.writebacks, writebacks);
}
#define N4(...) ((const uint64_t[4]){__VA_ARGS__})

static void expect_plane(uint32_t plane, uint32_t base)
{
	for (unsigned i = 0; i < WARP_LANES; i++)
		assert_int_equal(b.regs[plane][i], base + i);
}

static uint32_t poisoned_lanes(uint32_t plane)
{
	uint32_t lanes = 0;

	for (unsigned i = 0; i < WARP_LANES; i++)
		lanes |= (uint32_t)(b.regs[plane][i] == 0xffa5a5a5) << i;
	return lanes;
}

/* ---- software-managed levels */

static void a_result_goes_to_a_second_level_in_the_lanes_that_executed(void **state)
{
	static const struct instr code[] = {INC_IF(0, ORF0, 1), DONE};

	(void)state;
	BEGIN(code, SOFTWARE);
	b.notes[0].ncopies = 1;
	b.copies[0] = (struct level_copy){.from = ORF0, .to = 2};
	step(1);
	for (unsigned i = 0; i < WARP_LANES; i++)
		assert_int_equal(b.regs[2][i], i % 2 ? 200 + i : 101 + i);
	assert_int_equal(b.traffic.duplicates, 1);
	assert_int_equal(b.traffic.deposits, 0);
}

static void a_source_is_deposited_in_all_lanes_before_the_instruction_writes(void **state)
{
	static const struct instr code[] = {INC_IF(0, 1, 1), DONE};

	(void)state;
	BEGIN(code, SOFTWARE);
	b.notes[0].ncopies = 1;
	b.copies[0] = (struct level_copy){.from = 1, .to = ORF0 + 1, .deposit = true};
	step(1);
	expect_plane(ORF0 + 1, 100);
	assert_int_equal(b.traffic.deposits, 1);
}

static void an_access_that_must_come_again_is_counted_once(void **state)
{
	static const struct instr code[] = {LOAD(1, 0), DONE};
	const struct exec_context context = {0};
	struct exec_memory memory;

	(void)state;
	BEGIN(code, SOFTWARE);
	memset(b.regs[0], 0, sizeof(b.regs[0]));
	b.notes[0].ncopies = 1;
	b.copies[0] = (struct level_copy){.from = 0, .to = ORF0, .deposit = true};
	rig.retries = 2;
	memory = rig_memory(&rig);
	for (unsigned k = 0; k < 2; k++)
		assert_int_equal(exec_issue(&b.warp, lanes_select(NULL, NULL), &context, &memory,
					 &b.access, &b.fault),
			EXEC_AGAIN);
	step(1);
	assert_int_equal(b.traffic.deposits, 1);
}

/* Planes as note.upper has them. */
#define BIT_OF(plane) (1u << ((plane)-ORF0))

static void a_strand_that_begins_takes_the_upper_levels_from_the_lanes_that_are_there(void **state)
{
	static const struct instr code[] = {
		INC(ORF0, 1), INC(LRF0, 2), INC(3, 3), INC(4, ORF0), DONE};

	(void)state;
	BEGIN(code, SOFTWARE);
	b.notes[2].strand = STRAND_BEGINS;
	b.notes[2].upper = BIT_OF(ORF0) | BIT_OF(LRF0);
	step(2);
	b.stack[0].mask = 0x0000ffff;
	step(1);
	assert_int_equal(poisoned_lanes(ORF0), 0x0000ffff);
	assert_int_equal(poisoned_lanes(LRF0), 0x0000ffff);
	assert_int_equal(b.regs[ORF0][20], 121);
	expect_plane(5, 500);
	/* a read in spite of that returns something else */
	step(1);
	assert_int_not_equal(b.regs[4][0], 102);
}

static void a_strand_that_waits_takes_them_from_all_lanes(void **state)
{
	static const struct instr code[] = {INC(ORF0, 1), INC(3, 3), DONE};

	(void)state;
	BEGIN(code, SOFTWARE);
	b.notes[1].strand = STRAND_WAITS;
	b.notes[1].upper = 2 * BIT_OF(LRF0) - 1;
	step(1);
	b.stack[0].mask = 1;
	step(1);
	for (unsigned p = ORF0; p <= LRF0; p++)
		assert_int_equal(poisoned_lanes(p), FULL_MASK);
}

static void a_warp_descheduled_before_it_waits_loses_them_when_it_goes_on(void **state)
{
	static const struct instr code[] = {INC(ORF0, 1), INC(3, 3), DONE};

	(void)state;
	BEGIN(code, SOFTWARE);
	b.notes[1].strand = STRAND_WAITS;
	b.notes[1].upper = BIT_OF(ORF0);
	step(1);
	exec_deschedule(&b.warp);
	step(1);
	assert_int_equal(poisoned_lanes(ORF0), FULL_MASK);
}

static void a_descheduled_warp_loses_them_too(void **state)
{
	static const struct instr code[] = {INC(ORF0, 1), DONE};

	(void)state;
	BEGIN(code, SOFTWARE);
	step(1);
	exec_deschedule(&b.warp);
	assert_int_equal(poisoned_lanes(ORF0), FULL_MASK);
}

static void where_descheduling_loses_nothing_nothing_is_lost(void **state)
{
	static const struct instr code[] = {INC(ORF0, 1), INC(3, 3), DONE};

	(void)state;
	BEGIN(code, SOFTWARE, .keep_past_waits = true);
	b.notes[1].strand = STRAND_WAITS;
	step(2);
	exec_deschedule(&b.warp);
	expect_plane(ORF0, 101);
}

/* ---- a register file cache */

static void results_stay_in_the_cache_and_nowhere_else(void **state)
{
	static const struct instr code[] = {INC(2, 1), INC(3, 2), ADD(2, 2, 3), INC(4, 2), DONE};

	(void)state;
	BEGIN(code, HARDWARE, .entries = 6);
	step(4);
	expect(N4(1, 4, 0, 0), N4(0, 4, 0, 0), 0);
	for (unsigned r = 2; r <= 4; r++)
		expect_plane(r, 100 * r);
	exec_deschedule(&b.warp);
	for (unsigned i = 0; i < WARP_LANES; i++)
		assert_int_equal(b.regs[4][i], 2 * (100 + i) + 4);
}

static void descheduling_writes_back_what_is_dirty_and_empties_the_cache(void **state)
{
	static const struct instr code[] = {INC(2, 1), INC(3, 1), INC(4, 2), DONE};

	(void)state;
	BEGIN(code, HARDWARE, .entries = 6);
	step(2);
	exec_deschedule(&b.warp);
	expect_plane(2, 101);
	expect_plane(3, 101);
	expect(N4(2, 2, 0, 0), N4(2, 2, 0, 0), 2);
	exec_deschedule(&b.warp);
	step(1);
	expect(N4(3, 2, 0, 0), N4(2, 3, 0, 0), 2);
}

static void without_a_flush_entries_stay(void **state)
{
	static const struct instr code[] = {INC(2, 1), INC(3, 2), DONE};

	(void)state;
	BEGIN(code, .kind = LEVELS_HARDWARE, .entries = 6);
	step(1);
	exec_deschedule(&b.warp);
	step(1);
	expect(N4(1, 1, 0, 0), N4(0, 2, 0, 0), 0);
}

/* Two entries: 2, 3 are written, 2 is read, 4 is written. */
static const struct instr three_values[] = {
	INC(2, 1), INC(3, 1), INC(2, 2), INC(4, 1), INC(5, 3), DONE};

static void the_oldest_entry_is_evicted(void **state)
{
	(void)state;
	BEGIN(three_values, HARDWARE, .entries = 2);
	step(4);
	/* 2 is the oldest: it is written back, by a read of the cache and a write of the MRF */
	expect(N4(3, 2, 0, 0), N4(1, 4, 0, 0), 1);
	expect_plane(2, 102);
	expect_plane(3, 300);
	step(1);
	expect(N4(3, 3 + 1, 0, 0), N4(2, 5, 0, 0), 2);
}

static void or_the_one_that_was_not_used_longest(void **state)
{
	(void)state;
	BEGIN(three_values, HARDWARE, .entries = 2, .lru = true);
	step(4);
	expect(N4(3, 2, 0, 0), N4(1, 4, 0, 0), 1);
	expect_plane(2, 200);
	expect_plane(3, 101);
	step(1);
	/* 3 is read from the MRF; 2 is evicted */
	expect(N4(4, 3, 0, 0), N4(2, 5, 0, 0), 2);
}

static void dead_values_are_dropped(void **state)
{
	for (unsigned liveness = 0; liveness < 2; liveness++) {
		static const struct instr code[] = {INC(2, 1), INC(3, 2), INC(4, 1), DONE};

		(void)state;
		BEGIN(code, HARDWARE, .entries = 2, .liveness = liveness);
		b.notes[1].last_reads = 1;
		step(3);
		expect(N4(2, 1 + !liveness, 0, 0), N4(!liveness, 3, 0, 0), !liveness);
		exec_deschedule(&b.warp);
		assert_int_equal(b.traffic.writebacks, 2 + !liveness);
	}
}

static void a_value_is_dead_only_in_the_lanes_that_are_there(void **state)
{
	static const struct instr code[] = {INC(2, 1), INC(3, 2), INC(4, 2), DONE};

	(void)state;
	BEGIN(code, HARDWARE, .entries = 4, .liveness = true);
	b.notes[1].last_reads = 1;
	step(1);
	b.stack[0].mask = 0xffff;
	step(1);
	exec_deschedule(&b.warp);
	b.stack[0].mask = 0xffff0000;
	step(1);
	exec_deschedule(&b.warp);
	for (unsigned i = 0; i < WARP_LANES; i++)
		assert_int_equal(b.regs[4][i], i < 16 ? 400 + i : 102 + i);
}

static void what_is_read_may_be_kept(void **state)
{
	static const struct instr code[] = {INC(2, 1), INC(3, 1), INC(4, 1), DONE};

	(void)state;
	BEGIN(code, HARDWARE, .entries = 6, .reads_allocate = true);
	step(3);
	expect(N4(1, 2, 0, 0), N4(0, 4, 0, 0), 0);
	assert_int_equal(b.traffic.deposits, 1);
	/* it is clean: nothing to write back */
	exec_deschedule(&b.warp);
	assert_int_equal(b.traffic.writebacks, 3);
}

static void results_that_take_long_go_past_the_cache(void **state)
{
	static const struct instr code[] = {INC(2, 1),
		{.op = LANE_and_b32,
			.guard = NO_GUARD,
			.ndst = 1,
			.nsrc = 2,
			.dst = {R(5)},
			.src = {R(7), {OPND_CONST, 1, 1}}},
		LOAD(2, 5), INC(3, 2), DONE};

	for (unsigned bypass = 0; bypass < 2; bypass++) {
		(void)state;
		BEGIN(code, .kind = LEVELS_HARDWARE, .entries = 6, .flush = true, .bypass = bypass);
		rig.words[0] = 4711;
		step(4);
		assert_int_equal(b.regs[2][3], bypass ? 4711 : 203);
		expect(bypass ? N4(3, 0, 1, 0) : N4(2, 1, 1, 0),
			bypass ? N4(1, 3, 0, 0) : N4(0, 3, 1, 0), 0);
		exec_deschedule(&b.warp);
		assert_int_equal(b.regs[2][3], 4711);
		assert_int_equal(b.regs[3][3], 4712);
	}
}

static void lanes_are_read_from_wherever_they_are(void **state)
{
	static const struct instr code[] = {INC_IF(0, 2, 1), INC(3, 2), INC(2, 2), INC(4, 2), DONE};

	(void)state;
	BEGIN(code, HARDWARE, .entries = 6);
	step(2);
	/* even lanes from the cache, odd ones from the MRF: both are read */
	expect(N4(2, 1, 0, 0), N4(0, 2, 0, 0), 0);
	step(2);
	/* the first of the two reads both levels, the second finds all in the cache */
	expect(N4(3, 3, 0, 0), N4(0, 4, 0, 0), 0);
	exec_deschedule(&b.warp);
	for (unsigned i = 0; i < WARP_LANES; i++) {
		assert_int_equal(b.regs[3][i], i % 2 ? 201 + i : 102 + i);
		assert_int_equal(b.regs[4][i], i % 2 ? 202 + i : 103 + i);
	}
}

static void halves_of_a_wide_value_may_be_in_different_levels(void **state)
{
	static const struct instr code[] = {
		INC(3, 1), ADD2(4, 2, 2), INC(6, 1), INC(7, 1), ADD2(2, 4, 4), DONE};

	(void)state;
	BEGIN(code, HARDWARE, .entries = 3);
	step(2);
	/* low words from the MRF, high words from the cache */
	expect(N4(1 + 2, 2, 0, 0), N4(0, 3, 0, 0), 0);
	step(2);
	/* 3 and 4 were evicted: the halves are in different levels again */
	expect(N4(5, 4, 0, 0), N4(2, 5, 0, 0), 2);
	step(1);
	exec_deschedule(&b.warp);
	for (unsigned i = 0; i < WARP_LANES; i++) {
		assert_int_equal(b.regs[2][i], 4 * (200 + i));
		assert_int_equal(b.regs[3][i], 4 * (101 + i));
	}
}

/* ---- with a last result file above it */

static void results_enter_the_lrf_and_fall_to_the_cache(void **state)
{
	static const struct instr code[] = {INC(2, 1), INC(3, 2), ADD(4, 2, 3), INC(5, 1), DONE};

	(void)state;
	BEGIN(code, HARDWARE, .entries = 2, .lrf = 1);
	step(1);
	expect(N4(1, 0, 0, 0), N4(0, 0, 0, 1), 0);
	step(1);
	/* 2 is read in the LRF, then evicted: the LRF is read once more, the cache written */
	expect(N4(1, 0, 0, 2), N4(0, 1, 0, 2), 0);
	assert_int_equal(b.traffic.lrf_falls, 1);
	step(1);
	expect(N4(1, 1, 0, 4), N4(0, 2, 0, 3), 0);
	step(1);
	/* 4 is evicted, and evicts 2 */
	expect(N4(2, 2, 0, 5), N4(1, 3, 0, 4), 1);
	exec_deschedule(&b.warp);
	expect(N4(2, 4, 0, 6), N4(4, 3, 0, 4), 4);
	expect_plane(2, 101);
	expect_plane(3, 102);
	expect_plane(5, 101);
}

static void dead_values_do_not_fall(void **state)
{
	static const struct instr code[] = {INC(2, 1), INC(3, 2), DONE};

	(void)state;
	BEGIN(code, HARDWARE, .entries = 2, .lrf = 1, .liveness = true);
	b.notes[1].last_reads = 1;
	step(2);
	expect(N4(1, 0, 0, 1), N4(0, 0, 0, 2), 0);
	assert_int_equal(b.traffic.lrf_falls, 0);
}

static void the_shared_datapath_neither_reads_nor_writes_the_lrf(void **state)
{
	static const struct instr code[] = {INC(2, 1), SINE(3, 2), INC(4, 3), DONE};

	(void)state;
	BEGIN(code, HARDWARE, .entries = 4, .lrf = 1);
	step(2);
	/* 2 is evicted to a level that is connected */
	expect(N4(1, 0, 1, 1), N4(0, 1, 1, 1), 0);
	step(1);
	expect(N4(1, 1, 1, 1), N4(0, 1, 1, 2), 0);
}

static void wide_results_pass_the_lrf_by(void **state)
{
	static const struct instr code[] = {ADD2(2, 0, 0), ADD2(4, 2, 2), DONE};

	(void)state;
	BEGIN(code, HARDWARE, .entries = 4, .lrf = 1);
	step(2);
	expect(N4(4, 4, 0, 0), N4(0, 4, 0, 0), 0);
}

static void the_newest_value_of_a_register_is_the_one_that_counts(void **state)
{
	/* 2 is evicted to the cache, written again in the LRF in even lanes, and is then read */
	static const struct instr code[] = {
		INC(2, 1), INC(3, 1), INC_IF(0, 2, 3), INC(4, 2), STORE(6, 4), DONE};

	(void)state;
	BEGIN(code, HARDWARE, .entries = 4, .lrf = 1);
	for (unsigned i = 0; i < WARP_LANES; i++)
		b.regs[6][i] = 4 * i;
	step(4);
	expect(N4(2, 1, 0, 1 + 1 + 1 + 1 + 1), N4(0, 3, 0, 4), 0);
	step(1);
	for (unsigned i = 0; i < WARP_LANES; i++)
		assert_int_equal(rig.words[i], i % 2 ? 102 + i : 103 + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_goes_to_a_second_level_in_the_lanes_that_executed),
		cmocka_unit_test(a_source_is_deposited_in_all_lanes_before_the_instruction_writes),
		cmocka_unit_test(an_access_that_must_come_again_is_counted_once),
		cmocka_unit_test(
			a_strand_that_begins_takes_the_upper_levels_from_the_lanes_that_are_there),
		cmocka_unit_test(a_strand_that_waits_takes_them_from_all_lanes),
		cmocka_unit_test(a_warp_descheduled_before_it_waits_loses_them_when_it_goes_on),
		cmocka_unit_test(a_descheduled_warp_loses_them_too),
		cmocka_unit_test(where_descheduling_loses_nothing_nothing_is_lost),
		cmocka_unit_test(results_stay_in_the_cache_and_nowhere_else),
		cmocka_unit_test(descheduling_writes_back_what_is_dirty_and_empties_the_cache),
		cmocka_unit_test(without_a_flush_entries_stay),
		cmocka_unit_test(the_oldest_entry_is_evicted),
		cmocka_unit_test(or_the_one_that_was_not_used_longest),
		cmocka_unit_test(dead_values_are_dropped),
		cmocka_unit_test(a_value_is_dead_only_in_the_lanes_that_are_there),
		cmocka_unit_test(what_is_read_may_be_kept),
		cmocka_unit_test(results_that_take_long_go_past_the_cache),
		cmocka_unit_test(lanes_are_read_from_wherever_they_are),
		cmocka_unit_test(halves_of_a_wide_value_may_be_in_different_levels),
		cmocka_unit_test(results_enter_the_lrf_and_fall_to_the_cache),
		cmocka_unit_test(dead_values_do_not_fall),
		cmocka_unit_test(the_shared_datapath_neither_reads_nor_writes_the_lrf),
		cmocka_unit_test(wide_results_pass_the_lrf_by),
		cmocka_unit_test(the_newest_value_of_a_register_is_the_one_that_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
