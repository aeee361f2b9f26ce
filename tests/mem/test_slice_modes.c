/* Configurations of an L2 slice other than the default: banks, write policies, sectors, bounded
 * queues, another atomic unit; and its audit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mem/slice_state.h"
#include "tests/rig/slice_bench.h"

static const struct slice *state_of(const struct bench *b)
{
	return (const struct slice *)b->slice;
}

/* ---- banks */
/* 64 sets, four banks: lines 0, 4 and 8 are in bank 0. A line is four times 32 bytes. */
static void accesses_to_one_bank_wait_for_each_other(void **state)
{
	struct bench b = bench_new(
		(struct setting[]){{"l2.banks", "4"}, {"l2.bank_cycles", "2"}, {0}}, true, true);

	(void)state;
	for (unsigned line = 0; line < 9; line++)
		source_add(b.source, 0, request(PACKET_WRITE, line, 0xff, line));
	source_add(b.source, 500, request(PACKET_READ, 0, 0xff, 1));
	source_add(b.source, 501, request(PACKET_READ, 4, 0x01, 2));
	source_add(b.source, 502, request(PACKET_READ, 1, 0xff, 3));
	source_add(b.source, 503, request(PACKET_READ, 8, 0x81, 4));
	bench_run(&b);
	assert_arrival(&b, 0, 1, PACKET_READ_REPLY, 500 + HIT);
	assert_arrival(&b, 1, 2, PACKET_READ_REPLY, 500 + 8 + HIT);
	assert_arrival(&b, 2, 3, PACKET_READ_REPLY, 500 + 9 + HIT);
	assert_arrival(&b, 3, 4, PACKET_READ_REPLY, 500 + 10 + HIT);
	rig_free(b.rig);
}

/* Lookups wait for 8 - 1 and 8 - 2 cycles; the third finds its bank free. */
static void waits_for_banks_are_counted(void **state)
{
	struct bench b = bench_new((struct setting[]){{"l2.bank_cycles", "2"}, {0}}, true, true);

	(void)state;
	source_add(b.source, 0, request(PACKET_WRITE, 0, 0xff, 1));
	source_add(b.source, 1, request(PACKET_WRITE, 1, 0xff, 2));
	source_add(b.source, 2, request(PACKET_WRITE, 2, 0x03, 3));
	source_add(b.source, 100, acked_write(3, 0x01, 4));
	bench_run(&b);
	assert_int_equal(state_of(&b)->s.bank_conflict_cycles, 7 + (16 - 9));
	assert_int_equal(state_of(&b)->s.stall_cycles, 0);
	assert_arrival(&b, 0, 4, PACKET_WRITE_ACK, 100 + HIT);
	rig_free(b.rig);
}

/* Two fetches return at once to one bank, the second with a queue of one entry behind it: the third
 * waits in the link. A hit in the meantime is served after all of them. */
static void returned_fetches_wait_for_their_bank_and_have_priority(void **state)
{
	struct bench b =
		bench_new((struct setting[]){{"l2.bank_cycles", "1"}, {"l2.fill_queue", "1"}, {0}},
			false, true);

	(void)state;
	source_add(b.source, 0, request(PACKET_WRITE, 9, 0x01, 9));
	for (unsigned i = 0; i < 3; i++) {
		source_add(b.source, 1 + i, request(PACKET_READ, i, 0xff, i));
		source_add(b.dram_source, 200, fetched(i, 0xff, i));
	}
	source_add(b.source, 201 - HIT_CYCLES, request(PACKET_READ, 9, 0x01, 9));
	bench_run(&b);
	for (unsigned i = 0; i < 3; i++)
		assert_arrival(&b, i, i, PACKET_READ_REPLY, 200 + 1 + 4 * i + 1);
	assert_arrival(&b, 3, 9, PACKET_READ_REPLY, 200 + 1 + 12 + 1);
	/* 4 for the second; the third entered the queue when the second left it. */
	assert_int_equal(state_of(&b)->s.fill_wait_cycles, 4 + 4);
	assert_int_equal(state_of(&b)->s.bank_conflict_cycles, 12 - 1);
	rig_free(b.rig);
}

/* ---- write policies */
static const struct setting through[] = {{"l2.write_policy", "through"}, {0}};
static const struct setting through_only[] = {
	{"l2.write_policy", "through"}, {"l2.write_allocate", "false"}, {0}};

static void a_write_through_goes_to_dram_at_once_and_stays_clean(void **state)
{
	struct bench b = bench_new(through, false, true);

	(void)state;
	source_add(b.source, 0, acked_write(3, 0x05, 1));
	source_add(b.source, 1, request(PACKET_WRITE, 3, 0x04, 2));
	source_add(b.source, 100, request(PACKET_READ, 3, 0x05, 3));
	bench_run(&b);
	assert_int_equal(sink_count(b.dram_sink), 2);
	assert_to_dram(&b, 0, PACKET_WRITE, 3, 0x05, 1);
	assert_to_dram(&b, 1, PACKET_WRITE, 3, 0x04, 2);
	assert_int_equal(sink_arrival(b.dram_sink, 0)->cycle, HIT);
	assert_arrival(&b, 0, 1, PACKET_WRITE_ACK, HIT);
	assert_arrival(&b, 1, 3, PACKET_READ_REPLY, 100 + HIT);
	assert_int_equal(slice_flush(b.slice, NULL, NULL), 0);
	assert_int_equal(bench_counts(&b).writeback_bytes, 48);
	rig_free(b.rig);
}

static void without_allocation_a_write_miss_changes_no_line(void **state)
{
	static const char *const policies[] = {"through", "back"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bench b = bench_new((struct setting[]){{"l2.write_policy", policies[i]},
						   {"l2.write_allocate", "false"}, {0}},
			false, true);

		source_add(b.source, 0, request(PACKET_WRITE, 3, 0x05, 1));
		source_add(b.source, 10, request(PACKET_READ, 3, 0x01, 2));
		source_add(b.dram_source, 100, fetched(3, 0xff, 0));
		source_add(b.source, 200, request(PACKET_WRITE, 3, 0x05, 3));
		bench_run(&b);
		assert_to_dram(&b, 0, PACKET_WRITE, 3, 0x05, 1);
		assert_to_dram(&b, 1, PACKET_READ, 3, 0xff, 2);
		assert_int_equal(sink_count(b.dram_sink), i ? 2 : 3);
		assert_int_equal(slice_flush(b.slice, NULL, NULL), i ? 32 : 0);
		rig_free(b.rig);
	}
}

/* Two atomics wait for a line, a third hits it. */
static void atomics_write_through_together_with_the_lasts_origin(void **state)
{
	struct bench b = bench_new(through_only, false, true);

	(void)state;
	source_add(b.source, 0, atomic(5, 0x03, 8, 1));
	source_add(b.source, 1, atomic(5, 0x06, 8, 2));
	source_add(b.source, 2, request(PACKET_READ, 5, 0x80, 3));
	source_add(b.dram_source, 100, fetched(5, 0xff, 0));
	source_add(b.source, 200, atomic(5, 0x08, 8, 4));
	bench_run(&b);
	assert_int_equal(sink_count(b.sink), 4);
	assert_int_equal(sink_count(b.dram_sink), 3);
	assert_to_dram(&b, 1, PACKET_WRITE, 5, 0x07, 2);
	assert_to_dram(&b, 2, PACKET_WRITE, 5, 0x08, 4);
	assert_int_equal(state_of(&b)->flows.joined, 16);
	assert_int_equal(slice_flush(b.slice, NULL, NULL), 0);
	rig_free(b.rig);
}

/* ---- sectors */
static void traffic_to_and_from_dram_is_in_whole_sectors(void **state)
{
	static const struct {
		const char *bytes;
		uint8_t read, left, back;
	} cases[] = {{"16", 0x06, 0x0e, 0x10}, {"32", 0x0f, 0x0c, 0x30}, {"64", 0x0f, 0x0f, 0xf0},
		{"128", 0xff, 0xff, 0xff}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench b = bench_new((struct setting[]){{"l2.sector_bytes", cases[i].bytes},
						   {"l2.fill_line", "false"}, {"l2.bytes", "128"},
						   {"l2.ways", "1"}, {0}},
			false, true);

		source_add(b.source, 0, request(PACKET_READ, 3, 0x06, 1));
		source_add(b.dram_source, 100, fetched(3, cases[i].read, 0));
		source_add(b.source, 200, request(PACKET_WRITE, 4, 0x10, 2));
		source_add(b.source, 201, request(PACKET_WRITE, 5, 0x01, 3));
		/* One of the requested granules was just written: its sector is not whole. */
		source_add(b.source, 300, request(PACKET_READ, 5, 0x0f, 4));
		source_add(b.dram_source, 400, fetched(5, i ? cases[i].read : cases[i].left, 0));
		bench_run(&b);
		assert_to_dram(&b, 0, PACKET_READ, 3, cases[i].read, 1);
		assert_to_dram(&b, 1, PACKET_WRITE, 4, cases[i].back, 2);
		assert_to_dram(&b, 2, PACKET_READ, 5, i ? cases[i].read : cases[i].left, 4);
		assert_int_equal(sink_count(b.sink), 2);
		assert_int_equal(slice_flush(b.slice, NULL, NULL),
			strcmp(cases[i].bytes, "16") ? atoi(cases[i].bytes) : 16);
		rig_free(b.rig);
	}
}

/* Blocks that a miss fetches: 64 bytes are two sectors, of which a valid one is not fetched again.
 */
static void a_miss_fetches_whole_blocks(void **state)
{
	static const struct {
		const char *bytes;
		uint8_t first, second;
	} cases[] = {{"16", 0x0c, 0x03}, {"32", 0x0c, 0x03}, {"64", 0x0f, 0}, {"128", 0xff, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench b = bench_new(
			(struct setting[]){{"l2.fetch_bytes", cases[i].bytes},
				{"l2.fill_line", "false"}, {"l2.sector_bytes", "32"}, {0}},
			false, true);

		source_add(b.source, 0, request(PACKET_READ, 3, 0x04, 1));
		source_add(b.dram_source, 100, fetched(3, cases[i].first, 0));
		source_add(b.source, 200, request(PACKET_READ, 3, 0x01, 2));
		if (cases[i].second)
			source_add(b.dram_source, 300, fetched(3, cases[i].second, 0));
		/* written sectors are valid: only the other one of the block is fetched */
		source_add(b.source, 400, request(PACKET_WRITE, 8, 0x03, 3));
		source_add(b.source, 410, request(PACKET_READ, 8, 0x04, 4));
		source_add(b.dram_source, 500, fetched(8, i == 3 ? 0xfc : 0x0c, 0));
		bench_run(&b);
		assert_to_dram(&b, 0, PACKET_READ, 3, cases[i].first, 1);
		if (cases[i].second)
			assert_to_dram(&b, 1, PACKET_READ, 3, cases[i].second, 2);
		assert_to_dram(&b, 1 + !!cases[i].second, PACKET_READ, 8, i == 3 ? 0xfc : 0x0c, 4);
		assert_int_equal(sink_count(b.sink), 3);
		rig_free(b.rig);
	}
}

/* ---- the atomic unit */
static void an_atomics_reply_comes_with_its_latency_and_the_next_is_not_kept(void **state)
{
	struct bench b = bench_new(
		(struct setting[]){{"l2.atomics_per_cycle", "1"}, {"l2.atomic_cycles", "30"}, {0}},
		true, true);

	(void)state;
	source_add(b.source, 0, request(PACKET_WRITE, 5, 0xff, 1));
	source_add(b.source, 100, atomic(5, 0x01, 4, 2));
	source_add(b.source, 101, atomic(5, 0x01, 2, 3));
	bench_run(&b);
	assert_arrival(&b, 0, 2, PACKET_ATOMIC_REPLY, 100 + HIT + 4 + 30);
	assert_arrival(&b, 1, 3, PACKET_ATOMIC_REPLY, 100 + HIT + 4 + 2 + 30);
	assert_int_equal(state_of(&b)->s.atomic_lanes, 6);
	assert_int_equal(state_of(&b)->s.atomic_wait_cycles, 3);
	rig_free(b.rig);
}

/* Eight lanes on one word take 1 + 7 * 9 cycles. The lane on another word enters the unit after
 * their four turns and takes a cycle, but its reply is no earlier than theirs. */
static void the_reply_of_an_atomic_that_overtakes_waits_for_the_one_before(void **state)
{
	struct bench b = bench_new(NULL, true, true);
	struct slice *s = (struct slice *)b.slice;
	struct packet hot = atomic(5, 0x01, 8, 1), cold = atomic(6, 0x01, 1, 2);

	(void)state;
	hot.words = cold.words = 1;
	hot.deepest = 8;
	cold.deepest = 1;
	assert_int_equal(slice_atomic(s, &hot, 100), 100 + 1 + 7 * 9);
	assert_int_equal(slice_atomic(s, &cold, 104), 100 + 1 + 7 * 9);
	assert_int_equal(slice_atomic(s, &cold, 200), 200 + 1);
	rig_free(b.rig);
}

/* ---- the queue of writes */
/* The first fetch may evict, which takes the only entry until it has returned. */
static void a_fetch_reserves_an_entry_for_its_victim(void **state)
{
	struct bench b = bench_new((struct setting[]){{"l2.evict_queue", "1"}, {0}}, true, true);

	(void)state;
	source_add(b.source, 0, request(PACKET_READ, 1, 0xff, 1));
	source_add(b.source, 1, request(PACKET_READ, 2, 0xff, 2));
	source_add(b.source, 2, acked_write(3, 0x01, 3));
	bench_run(&b);
	assert_arrival(&b, 0, 1, PACKET_READ_REPLY, MISS);
	/* Looked up when the first returned, in MISS - 1; the write when the second did. */
	assert_arrival(&b, 1, 2, PACKET_READ_REPLY, MISS - 1 + MISS - HIT_CYCLES - 1);
	assert_arrival(&b, 2, 3, PACKET_WRITE_ACK, MISS - 1 + MISS - HIT_CYCLES - 1);
	rig_free(b.rig);
}

/* ---- faults */
static void impossible_slices_are_refused_by_the_violated_rule(void **state)
{
	static const struct {
		struct setting setting[3];
		const char *says;
	} cases[] = {
		{{{"l2.banks", "3"}, {"l2.bank_cycles", "1"}}, "must divide the 64 sets"},
		{{{"l2.sector_bytes", "48"}}, "power of two that divides a line of 128 bytes"},
		{{{"l2.sector_bytes", "8"}}, "l2.sector_bytes"},
		{{{"l2.write_policy", "never"}}, "l2.write_policy"},
		{{{"l2.set_hash", "crc"}}, "l2.set_hash"},
		{{{"l2.evict_queue", "0"}}, "l2.evict_queue = 0"},
		{{{"l2.fill_queue", "0"}}, "l2.fill_queue = 0"},
		{{{"l2.dram_queue", "0"}}, "l2.dram_queue = 0"},
		{{{"l2.replies", "0"}}, "l2.replies = 0"},
		{{{"l2.banks", "0"}}, "l2.banks = 0"},
		{{{"l2.atomics_per_cycle", "0"}}, "l2.atomics_per_cycle = 0"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench b = bench_new(cases[i].setting, true, false);

		assert_int_equal(b.rig->err.code, ERR_INPUT);
		assert_int_equal(b.rig->err.count, 1);
		if (!strstr(err_text(&b.rig->err), cases[i].says))
			fail_msg("%s, not %s", err_text(&b.rig->err), cases[i].says);
		rig_free(b.rig);
	}
}

/* ---- the audit */
/* One byte more or less in any counter is reported, with the slice's name. */
static void a_counter_that_is_wrong_by_a_byte_is_reported(void **state)
{
	struct bench b = bench_new(NULL, true, true);
	struct slice *s = (struct slice *)b.slice;
	uint64_t *const accounts[] = {&s->flows.taken.bytes[PACKET_READ],
		&s->flows.taken.bytes[PACKET_WRITE], &s->flows.taken.bytes[PACKET_ATOMIC],
		&s->flows.taken.packets[PACKET_READ], &s->flows.replied.bytes[PACKET_READ_REPLY],
		&s->flows.replied.packets[PACKET_ATOMIC_REPLY],
		&s->flows.replied.packets[PACKET_WRITE_ACK], &s->flows.acks,
		&s->flows.to_dram.bytes[PACKET_READ], &s->flows.to_dram.bytes[PACKET_WRITE],
		&s->flows.to_dram.packets[PACKET_READ],
		&s->flows.from_dram.bytes[PACKET_READ_REPLY],
		&s->flows.from_dram.packets[PACKET_READ_REPLY], &s->flows.hit, &s->flows.merged,
		&s->flows.missed, &s->flows.extra, &s->flows.through, &s->flows.joined,
		&s->flows.padding};

	(void)state;
	source_add(b.source, 0, request(PACKET_READ, 1, 0x01, 1));
	source_add(b.source, 1, request(PACKET_READ, 1, 0x03, 2));
	source_add(b.source, 2, atomic(2, 0x01, 4, 3));
	source_add(b.source, 3, acked_write(3, 0x81, 4));
	source_add(b.source, 4, request(PACKET_WRITE, 3, 0x01, 5));
	bench_run(&b);
	for (size_t i = 0; i < ARRAY_LEN(accounts); i++) {
		struct audit audit = {.at_rest = true};

		++*accounts[i];
		slice_audit(b.slice, &audit);
		if (!audit.faults)
			fail_msg("account %u", (unsigned)i);
		assert_non_null(strstr(text_str(&audit.out), "l2.0.0: "));
		text_clear(&audit.out);
		--*accounts[i];
	}
	rig_free(b.rig);
}

/* ---- accesses without time */
/* Bytes that reads of these lines fetch: all in one set of a way. */
static uint64_t warm_bytes(unsigned in_flight, unsigned n, const uint64_t *lines)
{
	struct bench b =
		bench_new((struct setting[]){{"l2.ways", "1"}, {"l2.mshrs", "2"}, {0}}, true, true);
	uint64_t sets = state_of(&b)->p.bytes / LINE_BYTES;
	uint8_t blocks[256];
	struct slice_warmth to = {.blocks = blocks, .in_flight = in_flight};

	for (unsigned i = 0; i < 256; i++)
		blocks[i] = (uint8_t)i;
	for (unsigned i = 0; i < n; i++) {
		struct packet p = request(PACKET_READ, (unsigned)(lines[i] * sets), 0xff, i);

		slice_warm(b.slice, &p, 0, &to);
	}
	rig_free(b.rig);
	return to.read_bytes;
}

/* In time, requests merge with a fetch in flight, whether its line is evicted at once or not. */
static void a_line_of_the_last_fetches_is_not_fetched_again_without_time(void **state)
{
	static const uint64_t again[] = {0, 1, 0, 1}, late[] = {0, 1, 2, 0};

	(void)state;
	assert_int_equal(warm_bytes(0, 4, again), 4 * LINE_BYTES);
	assert_int_equal(warm_bytes(1, 4, again), 4 * LINE_BYTES);
	assert_int_equal(warm_bytes(2, 4, again), 2 * LINE_BYTES);
	assert_int_equal(warm_bytes(2, 4, late), 4 * LINE_BYTES);
	assert_int_equal(warm_bytes(100, 4, late), 4 * LINE_BYTES); /* of l2.mshrs at most */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_to_one_bank_wait_for_each_other),
		cmocka_unit_test(waits_for_banks_are_counted),
		cmocka_unit_test(returned_fetches_wait_for_their_bank_and_have_priority),
		cmocka_unit_test(a_write_through_goes_to_dram_at_once_and_stays_clean),
		cmocka_unit_test(without_allocation_a_write_miss_changes_no_line),
		cmocka_unit_test(atomics_write_through_together_with_the_lasts_origin),
		cmocka_unit_test(traffic_to_and_from_dram_is_in_whole_sectors),
		cmocka_unit_test(a_miss_fetches_whole_blocks),
		cmocka_unit_test(an_atomics_reply_comes_with_its_latency_and_the_next_is_not_kept),
		cmocka_unit_test(the_reply_of_an_atomic_that_overtakes_waits_for_the_one_before),
		cmocka_unit_test(a_fetch_reserves_an_entry_for_its_victim),
		cmocka_unit_test(impossible_slices_are_refused_by_the_violated_rule),
		cmocka_unit_test(a_counter_that_is_wrong_by_a_byte_is_reported),
		cmocka_unit_test(a_line_of_the_last_fetches_is_not_fetched_again_without_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
