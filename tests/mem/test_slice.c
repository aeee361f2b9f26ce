/* The L2 slice in front of a channel: exact latencies, merging, write-back, atomics, pass-through.
 */
#include "mem/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mem/slice_state.h"
#include "tests/rig/slice_bench.h"

static void a_miss_takes_pipeline_and_dram_a_hit_the_pipeline_exactly(void **state)
{
	static const char *const pipes[] = {"0", "1", "20"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pipes); i++) {
		struct bench b = bench_new(
			(struct setting[]){{"l2.hit_cycles", pipes[i]}, {0}}, true, false);
		unsigned h = (unsigned)atoi(pipes[i]);

		source_add(b.source, 10, request(PACKET_READ, 7, 0xff, 1));
		source_add(b.source, 500, request(PACKET_READ, 7, 0x3c, 2));
		bench_run(&b);
		assert_int_equal(slice_latency_cycles(b.slice), h);
		assert_int_equal(sink_count(b.sink), 2);
		assert_arrival(&b, 0, 1, PACKET_READ_REPLY, 10 + 4 + h + DRAM_CYCLES);
		assert_arrival(&b, 1, 2, PACKET_READ_REPLY, 500 + 2 + h);
		assert_int_equal(sink_arrival(b.sink, 1)->packet.granules, 0x3c);
		assert_int_equal(bench_counts(&b).reads, 2);
		assert_int_equal(bench_counts(&b).sectors_read, 4 + 2);
		assert_int_equal(bench_counts(&b).sectors_hit, 2);
		rig_free(b.rig);
	}
}

static void without_capacity_a_read_takes_dram_and_links_exactly(void **state)
{
	struct bench b = bench_new((struct setting[]){{"l2.bytes", "0"}, {0}}, true, false);
	struct channel_counts dram;

	(void)state;
	source_add(b.source, 10, request(PACKET_READ, 7, 0x01, 1));
	source_add(b.source, 500, request(PACKET_READ, 7, 0x03, 2));
	bench_run(&b);
	assert_int_equal(slice_latency_cycles(b.slice), 0);
	assert_arrival(&b, 0, 1, PACKET_READ_REPLY, 10 + PASS);
	assert_arrival(&b, 1, 2, PACKET_READ_REPLY, 500 + PASS);
	b.ops->counts(b.channel, &dram);
	assert_int_equal(dram.read_bytes, 16 + 32);
	assert_int_equal(bench_counts(&b).fill_bytes, 16 + 32);
	assert_int_equal(bench_counts(&b).sectors_hit, 0);
	rig_free(b.rig);
}

/* A reply of one granule has two flits. */
static void reads_of_a_line_in_flight_wait_for_the_same_fetch(void **state)
{
	(void)state;
	for (unsigned free_port = 0; free_port < 2; free_port++) {
		struct bench b = bench_new(NULL, true, free_port);
		unsigned flits = free_port ? 0 : 2;

		source_add(b.source, 10, request(PACKET_READ, 7, 0x01, 1));
		source_add(b.source, 50, request(PACKET_READ, 7, 0x80, 2));
		source_add(b.source, 60, request(PACKET_READ, 7, 0x01, 3));
		bench_run(&b);
		assert_arrival(&b, 0, 1, PACKET_READ_REPLY, 10 + MISS);
		assert_arrival(&b, 1, 2, PACKET_READ_REPLY, 10 + MISS + flits);
		assert_arrival(&b, 2, 3, PACKET_READ_REPLY, 10 + MISS + 2 * flits);
		assert_int_equal(bench_counts(&b).fills, 1);
		assert_int_equal(bench_counts(&b).fill_bytes, 128);
		rig_free(b.rig);
	}
}

/* With fetches of requested granules only, the second read adds its own granules to the line's
 * entry. */
static void a_line_can_be_fetched_in_parts(void **state)
{
	struct bench b = bench_new((struct setting[]){{"l2.fill_line", "false"}, {0}}, true, false);

	(void)state;
	source_add(b.source, 10, request(PACKET_READ, 7, 0x01, 1));
	source_add(b.source, 20, request(PACKET_READ, 7, 0x81, 2));
	source_add(b.source, 500, request(PACKET_READ, 7, 0x81, 3));
	source_add(b.source, 600, request(PACKET_READ, 7, 0x83, 4));
	bench_run(&b);
	/* Both wait until the line's entry has all its granules. */
	assert_arrival(&b, 0, 1, PACKET_READ_REPLY, 20 + MISS);
	assert_arrival(&b, 1, 2, PACKET_READ_REPLY, 20 + MISS + 2);
	assert_arrival(&b, 2, 3, PACKET_READ_REPLY, 500 + HIT);
	assert_arrival(&b, 3, 4, PACKET_READ_REPLY, 600 + MISS);
	assert_int_equal(bench_counts(&b).fills, 3);
	assert_int_equal(bench_counts(&b).fill_bytes, 3 * 16);
	rig_free(b.rig);
}

static void a_read_after_a_write_hits_the_written_granules(void **state)
{
	struct bench b = bench_new(NULL, true, false);

	(void)state;
	source_add(b.source, 0, request(PACKET_WRITE, 3, 0x0f, 1));
	source_add(b.source, 1, request(PACKET_READ, 3, 0x06, 2));
	source_add(b.source, 100, request(PACKET_READ, 3, 0x18, 3));
	bench_run(&b);
	assert_int_equal(sink_count(b.sink), 2);
	assert_arrival(&b, 0, 2, PACKET_READ_REPLY, 1 + HIT);
	assert_arrival(&b, 1, 3, PACKET_READ_REPLY, 100 + MISS);
	/* Only granules that were not valid are fetched; sector 1 was a hit, sector 2 was not. */
	assert_int_equal(bench_counts(&b).fill_bytes, 64);
	assert_int_equal(bench_counts(&b).sectors_read, 2 + 2);
	assert_int_equal(bench_counts(&b).sectors_hit, 2 + 1);
	assert_int_equal(bench_counts(&b).writebacks, 0);
	rig_free(b.rig);
}

static void an_acknowledged_write_has_the_latency_of_a_hit(void **state)
{
	struct bench b = bench_new(NULL, true, false);

	(void)state;
	source_add(b.source, 5, acked_write(3, 0x01, 9));
	bench_run(&b);
	assert_int_equal(sink_count(b.sink), 1);
	assert_arrival(&b, 0, 9, PACKET_WRITE_ACK, 5 + HIT);
	rig_free(b.rig);
}

static void without_capacity_a_write_is_acknowledged_when_dram_takes_it(void **state)
{
	struct bench b = bench_new((struct setting[]){{"l2.bytes", "0"}, {0}}, true, false);
	struct channel_counts dram;

	(void)state;
	source_add(b.source, 5, acked_write(3, 0x03, 9));
	source_add(b.source, 6, request(PACKET_WRITE, 4, 0x01, 10));
	bench_run(&b);
	assert_int_equal(sink_count(b.sink), 1);
	assert_arrival(&b, 0, 9, PACKET_WRITE_ACK, 5 + 2);
	b.ops->counts(b.channel, &dram);
	assert_int_equal(dram.write_bytes, 48);
	assert_int_equal(bench_counts(&b).writeback_bytes, 48);
	rig_free(b.rig);
}

static const struct setting one_line[] = {
	{"l2.bytes", "128"}, {"l2.ways", "1"}, {"l2.hit_cycles", "20"}, {0}};

static void a_dirty_victim_goes_to_dram_with_its_last_writers_origin(void **state)
{
	struct bench b = bench_new(one_line, false, false);
	const struct packet *p;

	(void)state;
	source_add(b.source, 0, request(PACKET_WRITE, 3, 0x01, 1));
	source_add(b.source, 1, request(PACKET_WRITE, 3, 0x06, 2));
	source_add(b.source, 2, request(PACKET_WRITE, 8, 0x10, 3));
	bench_run(&b);
	assert_int_equal(sink_count(b.dram_sink), 1);
	assert_int_equal(sink_arrival(b.dram_sink, 0)->cycle, 2 + 1 + HIT_CYCLES + 1);
	p = &sink_arrival(b.dram_sink, 0)->packet;
	assert_int_equal(p->kind, PACKET_WRITE);
	assert_int_equal(p->line, 3 * 128);
	assert_int_equal(p->granules, 0x07);
	assert_int_equal(p->origin.instr, 2);
	assert_int_equal(bench_counts(&b).writeback_bytes, 48);
	rig_free(b.rig);
}

static void a_fill_evicts_and_its_fetch_carries_the_readers_origin(void **state)
{
	struct bench b = bench_new(one_line, false, false);
	struct packet answer = request(PACKET_READ_REPLY, 8, 0xff, 0);
	const struct packet *p;

	(void)state;
	source_add(b.source, 0, request(PACKET_WRITE, 3, 0x01, 1));
	source_add(b.source, 1, request(PACKET_READ, 8, 0x02, 2));
	answer.sm = SLICE_ITSELF;
	source_add(b.dram_source, 200, answer);
	bench_run(&b);
	assert_int_equal(sink_count(b.dram_sink), 2);
	p = &sink_arrival(b.dram_sink, 0)->packet;
	assert_int_equal(p->kind, PACKET_READ);
	assert_int_equal(p->granules, 0xff);
	assert_int_equal(p->origin.instr, 2);
	p = &sink_arrival(b.dram_sink, 1)->packet;
	assert_int_equal(p->kind, PACKET_WRITE);
	assert_int_equal(p->line, 3 * 128);
	assert_int_equal(p->origin.instr, 1);
	assert_int_equal(sink_arrival(b.dram_sink, 1)->cycle, 202);
	assert_arrival(&b, 0, 2, PACKET_READ_REPLY, 202);
	rig_free(b.rig);
}

struct visits {
	unsigned n;
	struct victim last;
};

static void visit(void *ctx, const struct victim *v)
{
	struct visits *visits = ctx;

	visits->n++;
	visits->last = *v;
}

static void the_flush_counts_what_is_still_dirty(void **state)
{
	struct bench b = bench_new(NULL, true, false);
	struct visits visits = {0};

	(void)state;
	source_add(b.source, 0, request(PACKET_WRITE, 3, 0x81, 1));
	source_add(b.source, 1, request(PACKET_READ, 4, 0xff, 2));
	source_add(b.source, 2, atomic(4, 0x04, 3, 3));
	bench_run(&b);
	assert_int_equal(slice_flush(b.slice, visit, &visits), 48);
	assert_int_equal(visits.n, 2);
	assert_int_equal(visits.last.line, 4 * 128);
	assert_int_equal(visits.last.dirty, 0x04);
	assert_int_equal(visits.last.owner.instr, 3);
	assert_int_equal(bench_counts(&b).flushed_bytes, 48);
	assert_int_equal(slice_flush(b.slice, NULL, NULL), 0);
	rig_free(b.rig);
}

static void an_atomic_takes_a_cycle_per_eight_lanes_more(void **state)
{
	static const uint8_t lanes[] = {1, 8, 9, 32};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lanes); i++) {
		struct bench b = bench_new(
			(struct setting[]){{"l2.atomics_per_cycle", "8"}, {0}}, true, false);
		unsigned turns = (lanes[i] + 7u) / 8, flits = 1 + (lanes[i] + 7u) / 8;

		source_add(b.source, 0, atomic(5, 0xff, lanes[i], 1));
		source_add(b.source, 500, atomic(5, 0x01, lanes[i], 2));
		source_add(b.source, 501, atomic(5, 0xff, 32, 3));
		bench_run(&b);
		assert_arrival(&b, 0, 1, PACKET_ATOMIC_REPLY, MISS + turns);
		assert_arrival(&b, 1, 2, PACKET_ATOMIC_REPLY, 500 + HIT + turns);
		assert_int_equal(sink_arrival(b.sink, 1)->packet.lanes, lanes[i]);
		/* The third waits for the unit, which it needs for four cycles, and the reply port.
		 */
		assert_arrival(
			&b, 2, 3, PACKET_ATOMIC_REPLY, 500 + HIT + turns + (flits > 4 ? flits : 4));
		assert_int_equal(bench_counts(&b).atomics, 3);
		assert_int_equal(bench_counts(&b).fills, 1);
		assert_int_equal(slice_flush(b.slice, NULL, NULL), 128);
		rig_free(b.rig);
	}
}

/* The second atomic waits for the first one's line: one read, one write of all touched granules. */
static void without_capacity_atomics_read_and_write_at_dram(void **state)
{
	struct bench b =
		bench_new((struct setting[]){{"l2.bytes", "0"}, {"l2.atomics_per_cycle", "8"}, {0}},
			true, true);
	struct channel_counts dram;

	(void)state;
	source_add(b.source, 0, atomic(5, 0x03, 8, 1));
	source_add(b.source, 1, atomic(5, 0x03, 9, 2));
	source_add(b.source, 2, atomic(6, 0x01, 1, 3));
	bench_run(&b);
	assert_int_equal(sink_count(b.sink), 3);
	assert_arrival(&b, 0, 1, PACKET_ATOMIC_REPLY, PASS + 1);
	assert_arrival(&b, 1, 2, PACKET_ATOMIC_REPLY, PASS + 1 + 2);
	assert_arrival(&b, 2, 3, PACKET_ATOMIC_REPLY, PASS + 1 + 2 + 1);
	b.ops->counts(b.channel, &dram);
	assert_int_equal(dram.reads, 2);
	assert_int_equal(dram.writes, 2);
	assert_int_equal(dram.read_bytes, 48);
	assert_int_equal(dram.write_bytes, 48);
	rig_free(b.rig);
}

static void one_request_is_taken_per_cycle(void **state)
{
	struct bench b = bench_new(NULL, true, false);

	(void)state;
	for (unsigned k = 0; k < 1000; k++)
		source_add(b.source, 0, request(PACKET_WRITE, k % 8, 0xff, k));
	source_add(b.source, 0, acked_write(0, 0x01, 1000));
	bench_run(&b);
	/* All have arrived, four a link, from cycle 1 on. */
	assert_arrival(&b, 0, 1000, PACKET_WRITE_ACK, 1000 + HIT);
	rig_free(b.rig);
}

/* One MSHR: the second miss starts when the first has returned. Its fetch leaves one lookup later.
 */
static void a_miss_without_an_mshr_waits_for_one(void **state)
{
	struct bench b = bench_new((struct setting[]){{"l2.mshrs", "1"}, {0}}, true, false);

	(void)state;
	source_add(b.source, 0, request(PACKET_READ, 1, 0x01, 1));
	source_add(b.source, 1, request(PACKET_READ, 2, 0x01, 2));
	source_add(b.source, 2, request(PACKET_READ, 1, 0x01, 3));
	bench_run(&b);
	assert_arrival(&b, 0, 1, PACKET_READ_REPLY, MISS);
	/* Looked up when the first returned, one cycle before its reply arrived. */
	assert_arrival(&b, 1, 3, PACKET_READ_REPLY, MISS + 2);
	assert_arrival(&b, 2, 2, PACKET_READ_REPLY, (MISS - 1) + MISS - HIT_CYCLES - 1);
	rig_free(b.rig);
}

static void impossible_slices_are_faults(void **state)
{
	static const struct setting cases[] = {{"l2.bytes", "1000"}, {"l2.ways", "33"},
		{"l2.mshrs", "0"}, {"l2.replacement", "none"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench b = bench_new((struct setting[]){cases[i], {0}}, true, false);

		assert_int_equal(b.rig->err.code, ERR_INPUT);
		rig_free(b.rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_miss_takes_pipeline_and_dram_a_hit_the_pipeline_exactly),
		cmocka_unit_test(without_capacity_a_read_takes_dram_and_links_exactly),
		cmocka_unit_test(reads_of_a_line_in_flight_wait_for_the_same_fetch),
		cmocka_unit_test(a_line_can_be_fetched_in_parts),
		cmocka_unit_test(a_read_after_a_write_hits_the_written_granules),
		cmocka_unit_test(an_acknowledged_write_has_the_latency_of_a_hit),
		cmocka_unit_test(without_capacity_a_write_is_acknowledged_when_dram_takes_it),
		cmocka_unit_test(a_dirty_victim_goes_to_dram_with_its_last_writers_origin),
		cmocka_unit_test(a_fill_evicts_and_its_fetch_carries_the_readers_origin),
		cmocka_unit_test(the_flush_counts_what_is_still_dirty),
		cmocka_unit_test(an_atomic_takes_a_cycle_per_eight_lanes_more),
		cmocka_unit_test(without_capacity_atomics_read_and_write_at_dram),
		cmocka_unit_test(one_request_is_taken_per_cycle),
		cmocka_unit_test(a_miss_without_an_mshr_waits_for_one),
		cmocka_unit_test(impossible_slices_are_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
