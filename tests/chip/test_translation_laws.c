/* Address translation in whole chips: runs balance and do not depend on threads or order, lost
 * replies and entries are found out, stalls are attributed, and wrong settings are refused. */
#include "tests/rig/profile_rig.h"

#include "chip/inside.h"
#include "mem/slice_state.h"
#include "noc/mmu_state.h"
#include "sm/state.h"

/* Each thread loads a word of a page of its own, adds to another's and stores to a third's. */
static const char pages[] = HEAD "and.b32 %r10, %r7, 31; shl.b32 %r10, %r10, 11;\n"
				 "add.u32 %r11, %r1, %r10; add.u32 %r12, %r2, %r10;\n"
				 "add.u32 %r13, %r3, %r10; ld.global.u32 %r14, [%r11];\n"
				 "atom.global.add.u32 %r15, [%r12], 1; st.local.u32 [l], %r15;\n"
				 "ld.local.u32 %r16, [l]; add.u32 %r16, %r16, %r14;\n"
				 "st.global.u32 [%r13], %r16;\n" TAIL;

static struct kit prepared(const char *settings, const struct chip_host *host)
{
	struct kit k = kit_new_host(settings, host);
	module_t m = kit_module(&k, pages);
	uint64_t args[3];

	for (unsigned i = 0; i < 3; i++) {
		char name[2] = {(char)('a' + i), 0};

		args[i] = KIT_BUF(kit_buffer(&k, name, 65536));
	}
	for (unsigned i = 0; i < 2; i++)
		kit_launch_on(&k, m, "k", 6, 64, 3, args, 0, i);
	return k;
}

static struct text told(const char *settings, const struct chip_host *host)
{
	struct kit k = prepared(settings, host);
	struct text t;

	kit_run(&k);
	t = kit_everything(&k);
	kit_free(&k);
	return t;
}

#define SMALL "mmu.page_bytes=4096 mmu.l1_entries=2 mmu.l2_sets=2,1,3 chip.sms=4 "

/* ---- laws */
static const char *const chips[] = {
	SMALL,
	SMALL "l2.bytes=0 chip.network=ideal mmu.upper_cycles=9",
	SMALL "storage.partitioned.cache_bytes=0 mmu.l2_map=modulo mmu.l1_entries=1",
	SMALL "chip.network=mesh chip.l2_mhz=700 mmu.walks=1 chip.slice_hash=polynomial",
	SMALL "chip.network=router chip.l2_mhz=1500 mmu.requests=1 mmu.entry_bytes=8",
	SMALL "chip.even_share=true chip.dram=banked mmu.walks=2 mmu.requests=3",
	SMALL "chip.network=voq chip.sides=2 chip.side_cycles=60 chip.spread_cycles=20",
	SMALL
	"l1.whole_line=false l1.sector_bytes=32 l1.reserve=true l1.miss_queue=2 mmu.l2_cycles=0",
	SMALL "l2.mshrs=1 l2.merges=1 l2.dram_queue=1 l2.evict_queue=2 mmu.window_bytes=8192",
	SMALL "l2.banks=4 l2.bank_cycles=2 mmu.walk_cycles=0 mmu.l2_cycles=0 mmu.switch_cycles=7",
	SMALL "chip.sms=1 mmu.walks=1 mmu.requests=1 mmu.l1_entries=1 mmu.l2_sets=1",
	SMALL "chip.window=7 chip.link_cycles=9 mmu.walk_cycles=14 mmu.page_bytes=1G",
};

static void nothing_depends_on_threads_or_order(void **state)
{
	static const struct chip_host hosts[] = {{.threads = 2}, {.threads = 4},
		{.threads = 1, .shuffle = true, .early_wakes = true, .seed = 3},
		{.threads = 1, .hostile = true}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(chips); i++) {
		struct text first = told(chips[i], &(struct chip_host){.threads = 1});

		for (unsigned k = 0; k < ARRAY_LEN(hosts); k++) {
			struct text t = told(chips[i], &hosts[k]);

			if (strcmp(text_str(&first), text_str(&t)) != 0)
				fail_msg("%s: host %u differs", chips[i], k);
			text_clear(&t);
		}
		text_clear(&first);
	}
}

/* ---- faults in the machine, planted: the first reply that was translated, or the first entry */
enum harm { UNMARKS_A_REPLY, LOSES_AN_ENTRY };

static struct {
	struct component_ops ops;
	const struct component_ops *true_ops;
	struct link **from;
	unsigned n;
	enum harm harm;
	bool done;
} harmful;

static enum step harmful_step(struct component *c, uint64_t cycle)
{
	for (unsigned i = 0; i < harmful.n && !harmful.done; i++) {
		struct packet *p = (struct packet *)(uintptr_t)link_peek(harmful.from[i]);

		if (!p || !(p->translate || p->walk))
			continue;
		harmful.done = true;
		if (harmful.harm == LOSES_AN_ENTRY)
			link_pop(harmful.from[i]);
		else
			p->translate = false;
	}
	return harmful.true_ops->step(c, cycle);
}

static void plant(struct component *c, struct link **from, unsigned n, enum harm harm)
{
	harmful.true_ops = c->ops;
	harmful.ops = *c->ops;
	harmful.ops.step = harmful_step;
	harmful.from = from;
	harmful.n = n;
	harmful.harm = harm;
	harmful.done = false;
	c->ops = &harmful.ops;
}

/* Hostile: a step is looked up each time, so that tests can replace it. */
static const struct chip_host watched = {.threads = 1, .hostile = true};

static void a_lost_translation_is_found_out(void **state)
{
	struct kit k = prepared(SMALL, &watched);
	struct component *sm = k.gpu->chip->sm[0];

	(void)state;
	plant(sm, &CONTAINER_OF(sm, struct sm, base)->reply_in, 1, UNMARKS_A_REPLY);
	assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), -1);
	assert_true(harmful.done);
	assert_int_equal(k.err.code, ERR_BUG);
	assert_non_null(strstr(err_text(&k.err), "sm.0: loads and atomics to translate "));
	chip_close(k.gpu);
	kit_free(&k);
}

static void a_lost_entry_is_a_deadlock_that_names_the_walk(void **state)
{
	struct kit k = prepared(SMALL, &watched);
	struct mmu *m = CONTAINER_OF(k.gpu->chip->mmu, struct mmu, base);

	(void)state;
	plant(&m->base, m->entry_in, m->c.slices, LOSES_AN_ENTRY);
	assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), -1);
	assert_true(harmful.done);
	assert_int_equal(k.err.code, ERR_DEADLOCK);
	assert_non_null(strstr(err_text(&k.err), "walks in flight: 1 of 64\n"));
	assert_non_null(strstr(err_text(&k.err), ": waits for its entry from l2 slice "));
	chip_close(k.gpu);
	kit_free(&k);
}

static void an_account_that_is_wrong_by_one_is_found_out(void **state)
{
	struct kit k = prepared(SMALL, &watched);
	struct chip *c = k.gpu->chip;
	struct mmu *m = CONTAINER_OF(c->mmu, struct mmu, base);
	struct sm_tlb *tlb = &CONTAINER_OF(c->sm[1], struct sm, base)->tlb;
	const struct {
		uint64_t *account;
		const char *says;
	} cases[] = {
		{&m->left, "mmu: packets to translate"},
		{&m->ended, "mmu: walks begun"},
		{&m->s.l2_merged, "mmu: misses in the L2 TLB"},
		{&tlb->answered, "sm.1: loads and atomics to translate"},
		{&tlb->s.mmu__l1_requests, "mmu: packets to translate sent by SMs"},
		{&((struct slice *)c->slice[3])->flows.walks, "l2.3.0: bytes requested by reads"},
	};

	(void)state;
	kit_run(&k);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		++*cases[i].account;
		assert_int_equal(chip_audit(c, true, &k.err), -1);
		if (!strstr(err_text(&k.err), cases[i].says))
			fail_msg("%s, not %s", err_text(&k.err), cases[i].says);
		err_clear(&k.err);
		--*cases[i].account;
	}
	kit_free(&k);
}

/* ---- where stalls were spent */
static void stalls_of_translation_are_told_apart(void **state)
{
	static const char lone[] = HEAD "ld.global.u32 %r10, [%r1];\n"
					"add.u32 %r11, %r10, 1;\n"
					"st.global.u32 [%r3], %r11;\n" TAIL;
	struct rig r;
	uint64_t off;

	(void)state;
	rig_run(&r, ONE_SM, lone, 1);
	assert_int_equal(r.sum.total.n[PROFILE_STALL_TRANSLATION], 0);
	off = r.sum.total.n[PROFILE_STALL_NOC];
	rig_free(&r);
	rig_run(&r,
		ONE_SM "mmu.page_bytes=4096 mmu.l2_cycles=20 mmu.walk_cycles=90 l2.bytes=0 "
		       "mmu.upper_cycles=100",
		lone, 1);
	check_sums(&r);
	/* 20 + 90 + 100, and DRAM's part of 400 cycles */
	assert_in_range(r.sum.total.n[PROFILE_STALL_TRANSLATION], 210 + 280, 210 + 320);
	assert_int_equal(
		line(&r, 0).n[PROFILE_STALL_TRANSLATION], r.sum.total.n[PROFILE_STALL_TRANSLATION]);
	assert_in_range(r.sum.total.n[PROFILE_STALL_NOC], off, off + 2);
	rig_free(&r);
}

/* ---- settings */
static void wrong_settings_are_refused_with_what_would_do(void **state)
{
	struct kit most;
	static const char *const cases[][2] = {
		{"mmu.page_bytes=3000000",
			"mmu.page_bytes = 3000000: must be a power of two from 4096 to 1073741824, "
			"such as 2097152, or 0"},
		{"mmu.page_bytes=1024", "from 4096 to 1073741824, such as 4096, or 0"},
		{"mmu.page_bytes=2G", "mmu.page_bytes"},
		{"mmu.l2_sets=17,8,x", "mmu.l2_sets = '17,8,x': must be at most 64 numbers"},
		{"mmu.l2_sets=17,0", "mmu.l2_sets = '17,0': must be at most 64 numbers from 1"},
		{"mmu.l2_entries=65 mmu.l2_sets=17,8",
			"mmu.l2_sets = 17,8: the sets add up to 25; must add up to mmu.l2_entries = "
			"65, or that must be 25, or 0"},
		{"mmu.page_bytes=2M mmu.window_bytes=1M",
			"mmu.window_bytes = 1048576: must be a power of two from a page of 2097152 "
			"bytes on, such as 2097152, or 0"},
		{"mmu.window_bytes=3M", "such as 2097152, or 0: all pages are active"},
		{"mmu.entry_bytes=100",
			"mmu.entry_bytes = 100: must be a power of two, such as 64"},
		{"mmu.page_bytes=2M mmu.walk_cycles=39",
			"mmu.walk_cycles = 39: must be at least 40, two windows"},
		{"mmu.page_bytes=2M mmu.walk_cycles=59 chip.window=30 chip.link_cycles=30 "
		 "chip.l2_mhz=700",
			"mmu.walk_cycles = 59: must be at least 60, two windows"},
		{"mmu.l1_entries=0", "mmu.l1_entries"}, {"mmu.walks=0", "mmu.walks"},
		{"mmu.page_bytes=3 mmu.l2_sets=0", "mmu.l2_sets = '0'"}, /* all at once */
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		kit_refused(cases[i][0], cases[i][1]);
	kit_refused("mmu.page_bytes=3 mmu.l2_sets=0", "mmu.page_bytes = 3:");
	kit_refused("mmu.l2_entries=9 mmu.l2_sets=65535,65535", "or that must be 131070, or 0");
	most = kit_new("mmu.page_bytes=4096 mmu.l2_entries=131070 mmu.l2_sets=65535,65535");
	kit_free(&most);
}

/* A walk that is not set takes what its links take, if they take more. */
static void slow_windows_slow_walks_that_are_not_set(void **state)
{
	struct kit k = kit_new(
		"mmu.page_bytes=2M chip.window=100 chip.link_cycles=100 chip.read_cycles=0");

	(void)state;
	assert_int_equal(CONTAINER_OF(k.gpu->chip->mmu, struct mmu, base)->rest_cycles, 0);
	kit_free(&k);
}

static void without_pages_there_is_no_unit(void **state)
{
	struct kit k = kit_new("mmu.walk_cycles=1 mmu.l1_entries=3");

	(void)state;
	assert_null(k.gpu->chip->mmu);
	assert_null(CONTAINER_OF(k.gpu->chip->sm[0], struct sm, base)->tlb.pages);
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_depends_on_threads_or_order),
		cmocka_unit_test(a_lost_translation_is_found_out),
		cmocka_unit_test(a_lost_entry_is_a_deadlock_that_names_the_walk),
		cmocka_unit_test(an_account_that_is_wrong_by_one_is_found_out),
		cmocka_unit_test(stalls_of_translation_are_told_apart),
		cmocka_unit_test(wrong_settings_are_refused_with_what_would_do),
		cmocka_unit_test(slow_windows_slow_walks_that_are_not_set),
		cmocka_unit_test(without_pages_there_is_no_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
