/* Conflicting atomics: the cycles between operations on a word, the lanes a cycle in a slice, and
 * what neither of them changes. */
#include "core/base.h"
#include "mem/contention.h"
#include "mem/slice_state.h"
#include "tests/rig/support_sm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/rig/slice_bench.h"

/* ---- one slice */

static struct packet meeting(unsigned line, uint32_t words, uint8_t lanes, uint8_t deepest)
{
	struct packet p = atomic(line, 0xff, lanes, 1);

	p.words = words;
	p.deepest = deepest;
	return p;
}

static struct bench slice_with(const char *rate, const char *address)
{
	struct bench b = bench_new((struct setting[]){{"l2.atomics_per_cycle", rate},
					   {"l2.atomic_address_cycles", address}, {0}},
		true, true);

	/* makes lines 0 to 7 valid, so that all that follows hits */
	for (unsigned line = 0; line < 8; line++)
		source_add(b.source, line, request(PACKET_WRITE, line, 0xff, 0));
	return b;
}

static uint64_t reply(const struct bench *b, unsigned i)
{
	return sink_arrival(b->sink, i)->cycle;
}

static void a_lone_operation_takes_as_long_whatever_its_address_takes(void **state)
{
	static const char *const cycles[] = {"0", "1", "9", "1000"};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(cycles); i++) {
		struct bench b = slice_with("2", cycles[i]);

		source_add(b.source, 100, meeting(5, 1, 1, 1));
		source_add(b.source, 3000, meeting(5, UINT32_MAX, 32, 1));
		bench_run(&b);
		assert_int_equal(reply(&b, 0), 100 + HIT + 1);
		assert_int_equal(reply(&b, 1), 3000 + HIT + 16);
		rig_free(b.rig);
	}
}

/* Lanes of one instruction, and instructions of a lane each: the n-th operation comes (n - 1) times
 * that later than the first. */
static void operations_on_one_word_follow_each_other_by_exactly_its_cycles(void **state)
{
	static const unsigned cycles[] = {1, 2, 9, 40};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(cycles); i++) {
		unsigned a = cycles[i];
		char text[8];
		struct bench b;

		snprintf(text, sizeof(text), "%u", a);
		b = slice_with("32", text);
		for (unsigned k = 0; k < 20; k++)
			source_add(b.source, 100 + k, meeting(5, 8, 1, 1));
		source_add(b.source, 2000, meeting(5, 8, 32, 32));
		source_add(b.source, 2001, meeting(5, 8, 1, 1));
		bench_run(&b);
		for (unsigned k = 0; k < 20; k++)
			assert_int_equal(reply(&b, k), 100 + HIT + 1 + k * a);
		assert_int_equal(reply(&b, 20), 2000 + HIT + 1 + 31 * a);
		assert_int_equal(reply(&b, 21), 2000 + HIT + 1 + 32 * a);
		/* 19 that wait 1, 2, .. times a - 1; 31 of one instruction; the one behind */
		assert_int_equal(((struct slice *)b.slice)->s.atomic_conflict_cycles,
			190 * (a - 1) + 31 * a + 32 * a - 1);
		rig_free(b.rig);
	}
}

/* 1.25 cycles on a word, half a lane a cycle: in whole cycles, rounded up. */
static void rates_need_not_be_whole(void **state)
{
	struct bench b = slice_with("32", "1.25");

	(void)state;
	source_add(b.source, 100, meeting(5, 8, 32, 32)); /* 31 * 1.25 = 38.75 */
	source_add(b.source, 101, meeting(5, 8, 1, 1));   /* 32 * 1.25 = 40 */
	source_add(b.source, 2000, meeting(5, 8, 5, 5));
	bench_run(&b);
	assert_int_equal(reply(&b, 0), 100 + HIT + 1 + 39);
	assert_int_equal(reply(&b, 1), 100 + HIT + 1 + 40);
	assert_int_equal(reply(&b, 2), 2000 + HIT + 1 + 5);
	rig_free(b.rig);
	b = slice_with("0.4", "0");
	source_add(b.source, 100, meeting(5, 8, 1, 1));
	source_add(b.source, 101, meeting(6, 8, 2, 1));
	source_add(b.source, 102, meeting(7, 8, 1, 1));
	bench_run(&b);
	assert_int_equal(reply(&b, 0), 100 + HIT + 3);
	assert_int_equal(reply(&b, 1), 100 + HIT + 3 + 5);
	assert_int_equal(reply(&b, 2), 100 + HIT + 3 + 5 + 3);
	rig_free(b.rig);
}

static void instructions_on_all_words_of_a_line_take_the_longer_of_both_limits(void **state)
{
	static const struct {
		const char *rate, *address;
		unsigned each;
	} cases[] = {{"2", "9", 16}, {"8", "9", 9}, {"8", "1", 4}, {"32", "1", 1}, {"8", "0", 4}};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench b = slice_with(cases[i].rate, cases[i].address);
		unsigned first;

		for (unsigned k = 0; k < 20; k++)
			source_add(b.source, 100, meeting(5, UINT32_MAX, 32, 1));
		bench_run(&b);
		first = 100 + HIT + (unsigned)div_up(32, (uint64_t)atoi(cases[i].rate));
		for (unsigned k = 0; k < 20; k++)
			assert_int_equal(reply(&b, k), first + k * cases[i].each);
		rig_free(b.rig);
	}
}

/* Eight words of one line or of eight, in turn: as many lanes a cycle as the unit takes. Those of
 * 64 bits and more hold all their words. */
static void different_words_do_not_wait_for_each_other(void **state)
{
	(void)state;
	for (unsigned apart = 0; apart < 2; apart++) {
		struct bench b = slice_with("1", "9");

		for (unsigned k = 0; k < 90; k++)
			source_add(b.source, 100 + k,
				meeting(apart ? k % 8 : 5, apart ? 2 : 1u << k % 9, 1, 1));
		bench_run(&b);
		for (unsigned k = 0; k < 90; k++)
			assert_int_equal(reply(&b, k), 100 + HIT + 1 + (apart ? k + k / 8 : k));
		rig_free(b.rig);
	}
}

static void a_wide_operation_holds_all_its_words(void **state)
{
	struct bench b = slice_with("8", "9");

	(void)state;
	source_add(b.source, 100, meeting(5, 0x3, 1, 1));
	source_add(b.source, 101, meeting(5, 0x2, 1, 1));
	source_add(b.source, 102, meeting(5, 0x4, 1, 1));
	bench_run(&b);
	assert_int_equal(reply(&b, 0), 100 + HIT + 1);
	assert_int_equal(reply(&b, 1), 109 + HIT + 1);
	/* it has been executed, but replies keep their order */
	assert_int_equal(reply(&b, 2), 109 + HIT + 1);
	rig_free(b.rig);
}

/* The unit holds 64 lines: the 65th waits until the first is free, and the first line's next
 * operation is not accepted early. */
static void a_line_too_many_waits_for_the_first_to_be_free(void **state)
{
	struct bench b = slice_with("1", "200");

	(void)state;
	for (unsigned k = 0; k < 66; k++)
		source_add(b.source, 500 + k, request(PACKET_WRITE, k, 0xff, 0));
	for (unsigned k = 0; k < 65; k++)
		source_add(b.source, 1000 + k, meeting(k, 1, 1, 1));
	source_add(b.source, 1065, meeting(0, 1, 1, 1));
	bench_run(&b);
	for (unsigned k = 0; k < 64; k++)
		assert_int_equal(reply(&b, k), 1000 + k + HIT + 1);
	assert_int_equal(reply(&b, 64), 1200 + HIT + 1);
	assert_int_equal(reply(&b, 65), 1201 + HIT + 1);
	rig_free(b.rig);
}

/* ---- who meets whom */

static void lanes_meet_on_words_of_four_bytes(void **state)
{
	struct access a = {
		.space = SPACE_GLOBAL, .action = ACT_RED, .bytes = 4, .vec = 1, .mask = UINT32_MAX};
	struct contention c;

	(void)state;
	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = 0x1000 + 4 * (i % 8);
	c = contention_of_line(&a, UINT32_MAX);
	assert_true(c.words == 0xff && c.deepest == 4);
	c = contention_of_line(&a, 0x0000ff01);
	assert_true(c.words == 0xff && c.deepest == 2);
	a.bytes = 8;
	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = 0x1000 + 8 * (i % 16);
	c = contention_of_line(&a, UINT32_MAX);
	assert_true(c.words == UINT32_MAX && c.deepest == 2);
	a.bytes = 16;
	c = contention_of_line(&a, 0x00010001);
	assert_true(c.words == 0xf && c.deepest == 2);
	a.bytes = 2; /* both halves of a word */
	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = 0x1000 + 2 * i;
	c = contention_of_line(&a, UINT32_MAX);
	assert_true(c.words == 0xffff && c.deepest == 2);
	c = contention_of_line(&a, 0);
	assert_true(c.words == 0 && c.deepest == 0);
}

/* ---- a chip */

#define TIMES "8"

/* %r9 = operand's address; every thread of every SM does it eight times. */
static double cycles_of(const char *settings, const char *address, const char *op)
{
	struct text body = {0};
	struct probed d;
	double cycles;

	text_raw(&body, "%s mov.u32 %%r20, 0; mov.u64 %%rd1, 1; mov.f32 %%f1, 1.0;\n", address);
	text_raw(&body, "L: %s\nadd.u32 %%r20, %%r20, 1;\n", op);
	text_add(&body, "setp.lt.u32 %%p1, %%r20, " TIMES "; @%%p1 bra L;\n");
	d = probe_run(&(struct probe){settings, text_str(&body), 16, 128});
	cycles = probe_metric(&d, "gpc__cycles_elapsed.max");
	probe_free(&d);
	text_clear(&body);
	return cycles;
}

#define OPS (8.0 * 16 * 128)
#define ONE "mov.u32 %r9, %r1;\n"
#define LINE "and.b32 %r9, %r4, 127; add.u32 %r9, %r9, %r1;\n"
/* of thread i of the grid: line i */
#define LINES \
	"mad.lo.u32 %r10, %r5, 128, %r3; mul.lo.u32 %r10, %r10, 128; add.u32 %r9, %r1, %r10;\n"

/* All cycles except waiting for the unit: the path there and back, and the CTAs' starts. */
#define WAY 700

static void assert_takes(double cycles, double exactly)
{
	assert_true(cycles >= exactly && cycles <= exactly + WAY);
}

static void lanes_of_a_chip_on_one_address_take_its_cycles_each(void **state)
{
	static const char *const ops[] = {"red.global.add.u32 [%r9], 1;",
		"atom.global.add.u32 %r10, [%r9], 1;", "atom.global.cas.b32 %r10, [%r9], 7, 8;",
		"red.global.add.u64 [%r9], %rd1;", "red.global.add.f32 [%r9], %f1;"};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(ops); i++) {
		assert_takes(cycles_of("chip.sms=4", ONE, ops[i]), 9 * OPS);
		assert_takes(cycles_of("chip.sms=4 l2.atomic_address_cycles=1", ONE, ops[i]), OPS);
	}
}

static void lanes_of_a_chip_on_a_line_take_their_slices_rate(void **state)
{
	static const char op[] = "red.global.add.u32 [%r9], 1;";
	(void)state;

	assert_takes(cycles_of("chip.sms=4", LINE, op), OPS / 2);
	assert_takes(cycles_of("chip.sms=4 l2.atomics_per_cycle=1", LINE, op), OPS);
	assert_takes(cycles_of("chip.sms=4 l2.atomics_per_cycle=32", LINE, op), 9 * OPS / 32);
}

/* 4096 threads of 12 slices, a line each: the time is that of the network and the path, not of the
 * unit. */
static void lanes_on_lines_of_their_own_do_not_wait(void **state)
{
	static const char op[] = "red.global.add.u32 [%r9], 1;";
	double fast = cycles_of("chip.sms=4 l2.atomic_address_cycles=0", LINES, op);
	(void)state;

	assert_true(cycles_of("chip.sms=4", LINES, op) <= 1.01 * fast);
}

/* 2048 threads acquire and release the lock one after the other; each attempt is an operation on
 * the word. */
static void a_lock_everyone_wants_is_given_to_each_in_turn(void **state)
{
	static const char body[] =
		"and.b32 %r20, %r3, 31; setp.ne.u32 %p1, %r20, 0; @%p1 bra END;\n"
		"L: atom.global.cas.b32 %r9, [%r1], 0, 1; setp.ne.u32 %p2, %r9, 0; @%p2 bra L;\n"
		"ld.volatile.global.u32 %r10, [%r1+64]; add.u32 %r10, %r10, 1;\n"
		"st.volatile.global.u32 [%r1+64], %r10; membar.gl;\n"
		"atom.global.exch.b32 %r9, [%r1], 0; st.global.u32 [%r2], %r10;\n";
	struct probed d = probe_run(&(struct probe){"chip.sms=4", body, 8, 128});
	unsigned got = 0;
	(void)state;

	for (unsigned i = 0; i < 8 * 128; i += 32)
		got += probe_u32(&d, i);
	assert_int_equal(got, 32 * 33 / 2);
	probe_free(&d);
}

/* ---- shared memory */

static uint32_t shared_cycles(const char *settings, const char *address, const char *op)
{
	struct text body = {0};
	uint32_t cycles;

	text_raw(&body, "mov.u32 %%r9, buf; %s mov.u32 %%r11, 3; bar.sync 0;\n", address);
	text_raw(&body, "%s%s\nadd.u32 %%r11, %%r10, 1;\n%s", CLOCK_START, op, CLOCK_STOP);
	cycles = probe_cycles(&(struct probe){settings, text_str(&body), 1, 32});
	text_clear(&body);
	return cycles;
}

/* Twice the lanes on one word, as measured: 17 cycles alone, 79 with 32 lanes (Maxwell). */
static void lanes_on_one_word_of_shared_memory_take_turns(void **state)
{
	static const char op[] = "atom.shared.add.u32 %r10, [%r9], %r11;";
	static const struct {
		const char *address;
		unsigned turns;
	} cases[] = {{"add.u32 %r9, %r9, %r4;", 1}, {"", 32},
		{"and.b32 %r12, %r4, 60; add.u32 %r9, %r9, %r12;", 2},
		/* two words of one bank, 16 lanes each */
		{"and.b32 %r12, %r4, 4; mul.lo.u32 %r12, %r12, 32; add.u32 %r9, %r9, %r12;", 32},
		/* words of one bank, and of each an own one */
		{"mul.lo.u32 %r12, %r4, 32; add.u32 %r9, %r9, %r12;", 32}};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		uint32_t one = shared_cycles(ONE_SM, cases[0].address, op);
		uint32_t here = shared_cycles(ONE_SM, cases[i].address, op);

		assert_int_equal(here - one, 2 * (cases[i].turns - 1));
		here = shared_cycles(ONE_SM " sm.shared_atomic_cycles=123", cases[i].address, op);
		assert_int_equal(here - one, 123 * cases[i].turns - 2);
	}
}

/* The first pass can take longer: 15 cycles of a lane and 77 of 32 (Pascal). */
static void the_first_pass_of_an_atomic_can_take_longer(void **state)
{
	static const char op[] = "atom.shared.add.u32 %r10, [%r9], %r11;";
	static const char first[] = ONE_SM " sm.shared_atomic_first_cycles=15";
	static const char apart[] = "add.u32 %r9, %r9, %r4;";
	uint32_t one = shared_cycles(ONE_SM, apart, op);
	(void)state;

	assert_int_equal(shared_cycles(first, apart, op) - one, 15 - 2);
	assert_int_equal(shared_cycles(first, "", op) - one, 15 + 2 * 31 - 2);
}

static void lanes_that_read_one_word_of_shared_memory_share_it(void **state)
{
	static const char load[] = "ld.shared.u32 %r10, [%r9];";

	(void)state;
	assert_int_equal(shared_cycles(ONE_SM, "", load),
		shared_cycles(ONE_SM, "add.u32 %r9, %r9, %r4;", load));
}

/* In unified banks, too, whatever conflicts cost there. */
static void lanes_take_turns_in_every_design(void **state)
{
	static const char *const designs[] = {ONE_SM " chip.storage=unified",
		ONE_SM " chip.storage=unified sm.bank_conflicts=cycle",
		ONE_SM " chip.storage=unified sm.bank_conflicts=penalty",
		ONE_SM " chip.storage=fermi sm.bank_conflicts=cycle"};
	static const char op[] = "atom.shared.add.u32 %r10, [%r9], %r11;";
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(designs); i++) {
		uint32_t one = shared_cycles(designs[i], "add.u32 %r9, %r9, %r4;", op);

		assert_int_equal(shared_cycles(designs[i], "", op) - one, 2 * 31);
		one = shared_cycles(
			designs[i], "and.b32 %r12, %r4, 60; add.u32 %r9, %r9, %r12;", op);
		assert_int_equal(shared_cycles(designs[i], "", op) - one, 2 * 30);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lone_operation_takes_as_long_whatever_its_address_takes),
		cmocka_unit_test(operations_on_one_word_follow_each_other_by_exactly_its_cycles),
		cmocka_unit_test(rates_need_not_be_whole),
		cmocka_unit_test(
			instructions_on_all_words_of_a_line_take_the_longer_of_both_limits),
		cmocka_unit_test(different_words_do_not_wait_for_each_other),
		cmocka_unit_test(a_wide_operation_holds_all_its_words),
		cmocka_unit_test(a_line_too_many_waits_for_the_first_to_be_free),
		cmocka_unit_test(lanes_meet_on_words_of_four_bytes),
		cmocka_unit_test(lanes_of_a_chip_on_one_address_take_its_cycles_each),
		cmocka_unit_test(lanes_of_a_chip_on_a_line_take_their_slices_rate),
		cmocka_unit_test(lanes_on_lines_of_their_own_do_not_wait),
		cmocka_unit_test(a_lock_everyone_wants_is_given_to_each_in_turn),
		cmocka_unit_test(lanes_on_one_word_of_shared_memory_take_turns),
		cmocka_unit_test(the_first_pass_of_an_atomic_can_take_longer),
		cmocka_unit_test(lanes_that_read_one_word_of_shared_memory_share_it),
		cmocka_unit_test(lanes_take_turns_in_every_design),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
