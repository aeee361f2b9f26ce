/* The audit at the end of a run: a packet that is lost or changed in flight, and a counter that is
 * wrong by one, are reported; and runs of all kinds of chips balance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "chip/inside.h"
#include "mem/slice_state.h"
#include "sm/state.h"
#include "tests/rig/support_gpu.h"

#define THREADS 128u

/* Every thread loads a word, adds to another and stores a third. */
static const char program[] =
	".version 6.0\n.target sm_30\n.address_size 32\n"
	".visible .entry k(.param .u32 a, .param .u32 b, .param .u32 c) {\n"
	".reg .b32 %r<12>;\n"
	"ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; ld.param.u32 %r3, [c];\n"
	"mov.u32 %r4, %tid.x; mov.u32 %r5, %ctaid.x; mad.lo.u32 %r4, %r5, 128, %r4;\n"
	"shl.b32 %r4, %r4, 2; add.u32 %r6, %r1, %r4; add.u32 %r7, %r2, %r4;\n"
	"add.u32 %r8, %r3, %r4; ld.global.u32 %r9, [%r6];\n"
	"atom.global.add.u32 %r10, [%r7], %r9; st.global.u32 [%r8], %r10; ret;\n}\n";

/* Hostile: a step is looked up each time, so that tests can replace it. */
static struct kit prepared(const char *settings)
{
	struct kit k = kit_new_host(settings, &(struct chip_host){.threads = 1, .hostile = true});
	module_t m = kit_module(&k, program);
	uint64_t args[3];

	for (unsigned i = 0; i < 3; i++) {
		char name[2] = {(char)('a' + i), 0};

		args[i] = KIT_BUF(kit_buffer(&k, name, 4 * 4 * THREADS));
	}
	kit_launch(&k, m, "k", 4, THREADS, 3, args);
	return k;
}

/* ---- runs that balance */
static void every_kind_of_chip_balances(void **state)
{
	static const char *const settings[] = {"chip.sms=2", "chip.sms=2 l2.bytes=0",
		"chip.sms=2 storage.partitioned.cache_bytes=0",
		"chip.sms=2 l2.write_policy=through l2.sector_bytes=64",
		"chip.sms=2 l2.write_allocate=false chip.slice_hash=polynomial",
		"chip.sms=2 chip.dram=banked l2.banks=4 l2.bank_cycles=2",
		"chip.sms=4 chip.even_share=true chip.network=ideal l2.bytes=0",
		"chip.sms=2 chip.channels=1 l2.bytes=1024 l2.evict_queue=1 dram.min_bytes=64"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		struct kit k = prepared(settings[i]);

		kit_run(&k);
		assert_int_equal(chip_audit(k.gpu->chip, true, &k.err), 0);
		kit_free(&k);
	}
}

/* ---- faults in the machine, planted: the network does something to SM 0's first store */
enum harm { LOSES_IT, HALVES_IT };

static struct {
	struct component_ops ops;
	const struct component_ops *true_ops;
	struct link *from;
	enum harm harm;
	bool done;
} harmful;

static enum step harmful_step(struct component *c, uint64_t cycle)
{
	struct packet *p = (struct packet *)(uintptr_t)link_peek(harmful.from);

	if (!harmful.done && p && p->kind == PACKET_WRITE) {
		harmful.done = true;
		if (harmful.harm == LOSES_IT)
			link_pop(harmful.from);
		else
			p->granules &= 0x0f;
	}
	return harmful.true_ops->step(c, cycle);
}

static void plant(const struct kit *k, enum harm harm)
{
	struct component *network = k->gpu->chip->request;

	harmful.true_ops = network->ops;
	harmful.ops = *network->ops;
	harmful.ops.step = harmful_step;
	harmful.from = CONTAINER_OF(k->gpu->chip->sm[0], struct sm, base)->request_out;
	harmful.harm = harm;
	harmful.done = false;
	network->ops = &harmful.ops;
}

static void a_network_that_loses_or_changes_a_packet_is_found_out(void **state)
{
	static const struct {
		enum harm harm;
		const char *says;
	} cases[] = {
		{LOSES_IT, "noc.request: packets of writes sent by SMs 16, taken by slices 15\n"},
		{HALVES_IT,
			"noc.request: bytes of writes sent by SMs 2048, taken by slices 1984\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct kit k = prepared("chip.sms=2");

		plant(&k, cases[i].harm);
		assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), -1);
		assert_int_equal(k.err.code, ERR_BUG);
		if (!strstr(err_text(&k.err), cases[i].says))
			fail_msg("%s", err_text(&k.err));
		assert_true(harmful.done);
		chip_close(k.gpu);
		kit_free(&k);
	}
}

/* ---- accounts that are wrong by one, after a run */
static void an_account_that_is_wrong_by_one_is_found_out(void **state)
{
	struct kit k = prepared("chip.sms=2 chip.channels=2");
	struct chip *c = k.gpu->chip;
	struct sm_flows *sm = &CONTAINER_OF(c->sm[1], struct sm, base)->flows;
	struct slice *slice = (struct slice *)c->slice[3];
	const struct {
		uint64_t *account;
		const char *says;
	} cases[] = {
		{&sm->loaded, "sm.1: bytes that loads requested"},
		{&sm->hit, "sm.1: bytes that loads requested"},
		{&sm->merged, "sm.1: bytes that loads requested"},
		{&sm->filled, "sm.1: bytes missed by loads"},
		{&sm->texels, "sm.1: bytes of texture lines missed"},
		{&sm->stored, "sm.1: bytes stored"},
		{&sm->changed, "sm.1: bytes that atomics touched"},
		{&sm->sent.packets[PACKET_READ], "noc.request: packets of reads"},
		{&sm->got.bytes[PACKET_READ_REPLY], "noc.reply: bytes of read replies"},
		{&sm->got.packets[PACKET_ATOMIC_REPLY], "noc.reply: packets of atomic replies"},
		{&slice->flows.taken.packets[PACKET_WRITE], "noc.request: packets of writes"},
		{&slice->flows.hit, "l2.1.1: bytes requested by reads and atomics"},
		{&slice->flows.to_dram.packets[PACKET_READ], "dram.1: packets of reads"},
		{&slice->flows.from_dram.bytes[PACKET_READ_REPLY], "dram.1: bytes of read replies"},
	};

	(void)state;
	chip_run(k.gpu, 0, NULL, &k.err);
	assert_string_equal(err_text(&k.err), "");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		++*cases[i].account;
		assert_int_equal(chip_audit(c, true, &k.err), -1);
		if (!strstr(err_text(&k.err), cases[i].says))
			fail_msg("%s, not %s", err_text(&k.err), cases[i].says);
		err_clear(&k.err);
		--*cases[i].account;
	}
	c->traffic[1][0].read_bytes -= 16;
	assert_int_equal(chip_audit(c, true, &k.err), -1);
	assert_non_null(strstr(err_text(&k.err), "dram.1: bytes that launches read"));
	err_clear(&k.err);
	chip_close(k.gpu);
	kit_free(&k);
}

/* ---- a channel that says it moved a byte less than was requested of it */
static struct {
	struct channel_ops ops;
	struct plugin plugin;
	const struct channel_ops *true_ops;
	bool reads;
} lying;

static void lying_counts(const struct component *channel, struct channel_counts *n)
{
	lying.true_ops->counts(channel, n);
	*(lying.reads ? &n->read_bytes : &n->write_bytes) =
		n->taken.bytes[lying.reads ? PACKET_READ : PACKET_WRITE] - 1;
}

/* With an L2 nothing is written before the end, without it all that is stored. */
static void check_bus(const char *settings, bool reads, const char *says)
{
	struct kit k = prepared(settings);
	struct chip *c = k.gpu->chip;

	chip_run(k.gpu, 0, NULL, &k.err);
	assert_string_equal(err_text(&k.err), "");
	lying.true_ops = c->dram->ops;
	lying.ops = *lying.true_ops;
	lying.ops.counts = lying_counts;
	lying.plugin = *c->dram;
	lying.plugin.ops = &lying.ops;
	lying.reads = reads;
	c->dram = &lying.plugin;
	assert_int_equal(chip_audit(c, true, &k.err), -1);
	if (!strstr(err_text(&k.err), says))
		fail_msg("%s", err_text(&k.err));
	err_clear(&k.err);
	chip_close(k.gpu);
	kit_free(&k);
}

static void a_bus_moves_what_is_requested_at_least(void **state)
{
	(void)state;
	check_bus("chip.sms=2 chip.channels=1", true, "dram.0: bytes requested");
	check_bus("chip.sms=2 chip.channels=1 l2.bytes=0", false, "dram.0: bytes to write");
}

/* A run that was stopped has packets in flight: they are no fault, but more than were sent are. */
static void a_run_cut_short_may_lack_but_not_have_too_much(void **state)
{
	struct kit k = prepared("chip.sms=2");
	struct chip *c = k.gpu->chip;

	(void)state;
	assert_int_equal(chip_run(k.gpu, 200, NULL, &k.err), -1);
	assert_int_equal(k.err.code, ERR_LIMIT);
	err_clear(&k.err);
	assert_int_equal(chip_audit(c, true, &k.err), -1);
	err_clear(&k.err);
	assert_int_equal(chip_audit(c, false, &k.err), 0);
	CONTAINER_OF(c->sm[0], struct sm, base)->flows.got.packets[PACKET_WRITE_ACK]++;
	assert_int_equal(chip_audit(c, false, &k.err), -1);
	err_clear(&k.err);
	chip_close(k.gpu);
	kit_free(&k);
}

/* A credit on its wire is of a free entry. */
static void a_run_cut_short_has_credits_on_wires(void **state)
{
	(void)state;
	for (uint64_t cycles = 100; cycles < 220; cycles += 6) {
		struct kit k = prepared("chip.sms=2 chip.network=router noc.request.wire_cycles=3 "
					"noc.reply.wire_cycles=3");

		chip_run(k.gpu, cycles, NULL, &k.err);
		err_clear(&k.err);
		assert_int_equal(chip_audit(k.gpu->chip, false, &k.err), 0);
		chip_close(k.gpu);
		kit_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_cut_short_has_credits_on_wires),
		cmocka_unit_test(every_kind_of_chip_balances),
		cmocka_unit_test(a_network_that_loses_or_changes_a_packet_is_found_out),
		cmocka_unit_test(a_bus_moves_what_is_requested_at_least),
		cmocka_unit_test(an_account_that_is_wrong_by_one_is_found_out),
		cmocka_unit_test(a_run_cut_short_may_lack_but_not_have_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
