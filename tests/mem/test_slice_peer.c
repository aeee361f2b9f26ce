/* An L2 slice that keeps copies of a peer's lines, between scripts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/slice_bench.h"

/* A read of the peer's for a copy, in its entry. */
static struct packet asked(unsigned line, uint8_t granules, uint32_t entry)
{
	struct packet p = request(PACKET_READ, line, granules, entry);

	p.sm = SLICE_ITSELF;
	p.copy = true;
	return p;
}

/* A read of a line of the peer's, and what the peer sends for it. */
static struct packet away(unsigned line, uint8_t granules, uint32_t tag)
{
	struct packet p = request(PACKET_READ, line, granules, tag);

	p.copy = true;
	return p;
}

static struct packet lent(unsigned line, uint8_t granules, uint32_t entry)
{
	struct packet p = fetched(line, granules, entry);

	p.copy = true;
	return p;
}

static void assert_peer(const struct sink *sink, unsigned i, enum packet_kind kind, unsigned line,
	uint32_t tag, uint64_t cycle)
{
	const struct arrival *a = sink_arrival(sink, i);

	assert_int_equal(a->packet.kind, kind);
	assert_int_equal(a->packet.line, line * 128);
	assert_int_equal(a->packet.tag, tag);
	assert_int_equal(a->cycle, cycle);
}

/* A read that the peer asks for passes the pipeline by; its miss goes to DRAM. */
static void what_is_asked_for_is_lent(void **state)
{
	struct bench b = bench_new_copies(NULL);

	(void)state;
	source_add(b.source, 0, request(PACKET_WRITE, 0, 0xff, 1));
	source_add(b.asked, 100, asked(0, 0x03, 7));
	source_add(b.asked, 200, asked(1, 0x03, 8));
	source_add(b.dram_source, 300, fetched(1, 0xff, 0));
	bench_run(&b);
	assert_peer(b.lend, 0, PACKET_WRITE, 0, 1, 1 + HIT_CYCLES + 1); /* the write's line */
	assert_peer(b.lend, 1, PACKET_READ_REPLY, 0, 7, 102);
	assert_to_dram(&b, 0, PACKET_READ, 1, 0xff, 8);
	assert_peer(b.lend, 2, PACKET_READ_REPLY, 1, 8, 302);
	rig_free(b.rig);
}

/* A copy is asked for once, hit from then on, and missed when the peer had it dropped. */
static void what_is_lent_is_kept_until_it_is_dropped(void **state)
{
	struct packet drop = lent(5, 0xff, 0);
	struct bench b = bench_new_copies(NULL);

	(void)state;
	source_add(b.source, 0, away(5, 0x0f, 1));
	source_add(b.lent, 100, lent(5, 0xff, 0));
	source_add(b.source, 200, away(5, 0xf0, 2));
	drop.kind = PACKET_WRITE;
	source_add(b.lent, 300, drop);
	source_add(b.source, 301, away(5, 0x0f, 3));
	source_add(b.lent, 400, lent(5, 0xff, 0));
	bench_run(&b);
	assert_peer(b.ask, 0, PACKET_READ, 5, 0, HIT);
	assert_arrival(&b, 0, 1, PACKET_READ_REPLY, 102);
	assert_arrival(&b, 1, 2, PACKET_READ_REPLY, 200 + HIT);
	assert_peer(b.ask, 1, PACKET_READ, 5, 0, 301 + HIT);
	assert_arrival(&b, 2, 3, PACKET_READ_REPLY, 402);
	assert_int_equal(sink_count(b.dram_sink), 0);
	rig_free(b.rig);
}

/* The peer's lookups and the slice's own are one a cycle, in turns, each in order. */
static void lookups_take_turns(void **state)
{
	struct bench b = bench_new_copies(NULL);

	(void)state;
	source_add(b.source, 0, request(PACKET_WRITE, 0, 0xff, 1));
	for (unsigned i = 0; i < 4; i++) {
		source_add(b.source, 100 + i, request(PACKET_READ, 0, 0x01, 10 + i));
		source_add(b.asked, 100 + HIT_CYCLES + i, asked(0, 0x01, 20 + i));
	}
	bench_run(&b);
	for (unsigned i = 0; i < 4; i++) {
		assert_peer(b.lend, 1 + i, PACKET_READ_REPLY, 0, 20 + i, 100 + HIT + 2 * i);
		assert_arrival(&b, i, 10 + i, PACKET_READ_REPLY, 100 + HIT + 1 + 2 * i);
	}
	rig_free(b.rig);
}

/* 128 bytes occupy the bank for eight cycles, for either reader. */
static void what_is_lent_occupies_its_bank(void **state)
{
	struct bench b = bench_new_copies((struct setting[]){{"l2.bank_cycles", "2"}, {0}});

	(void)state;
	source_add(b.source, 0, request(PACKET_WRITE, 0, 0xff, 1));
	source_add(b.asked, 100 + HIT_CYCLES - 1, asked(0, 0xff, 2));
	source_add(b.asked, 100 + HIT_CYCLES, asked(0, 0x03, 3));
	source_add(b.source, 100, request(PACKET_READ, 0, 0x03, 4));
	bench_run(&b);
	assert_peer(b.lend, 1, PACKET_READ_REPLY, 0, 2, 100 + HIT - 1);
	assert_arrival(&b, 0, 4, PACKET_READ_REPLY, 100 + HIT - 1 + 8);
	assert_peer(b.lend, 2, PACKET_READ_REPLY, 0, 3, 100 + HIT - 1 + 8 + 2);
	rig_free(b.rig);
}

/* With four entries two copies are fetched at a time, and DRAM is read for the peer meanwhile. */
static void copies_leave_half_of_the_entries(void **state)
{
	struct bench b = bench_new_copies((struct setting[]){{"l2.mshrs", "4"}, {0}});

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		source_add(b.source, i, away(10 + i, 0xff, i));
	source_add(b.asked, 100, asked(1, 0xff, 7));
	source_add(b.asked, 101, asked(2, 0xff, 8));
	source_add(b.dram_source, 200, fetched(1, 0xff, 2));
	source_add(b.dram_source, 201, fetched(2, 0xff, 3));
	source_add(b.lent, 300, lent(10, 0xff, 0));
	source_add(b.lent, 400, lent(11, 0xff, 1));
	source_add(b.lent, 401, lent(12, 0xff, 0));
	bench_run(&b);
	assert_to_dram(&b, 0, PACKET_READ, 1, 0xff, 7);
	assert_to_dram(&b, 1, PACKET_READ, 2, 0xff, 8);
	assert_int_equal(sink_arrival(b.dram_sink, 1)->cycle, 103);
	assert_peer(b.lend, 0, PACKET_READ_REPLY, 1, 7, 202);
	assert_peer(b.ask, 1, PACKET_READ, 11, 1, HIT + 1);
	assert_peer(b.ask, 2, PACKET_READ, 12, 0, 302);
	rig_free(b.rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked_for_is_lent),
		cmocka_unit_test(what_is_lent_is_kept_until_it_is_dropped),
		cmocka_unit_test(lookups_take_turns),
		cmocka_unit_test(what_is_lent_occupies_its_bank),
		cmocka_unit_test(copies_leave_half_of_the_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
