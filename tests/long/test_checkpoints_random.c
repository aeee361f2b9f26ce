/* Random checkpoints of random chips: workloads, networks, DRAM models, storage designs and
 * policies are drawn, whether the run is profiled and traced, and when the state is saved; the
 * twin's memory, results, profile and the rest of its trace must be the first run's.
 * WARPBEAM_TEST_SEEDS=200 draws as many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base.h"
#include "core/rng.h"
#include "core/text.h"
#include "tests/rig/seeds.h"
#include "tests/rig/twin.h"

#include <stdlib.h>
#include <string.h>

static const char *const workloads[] = {"vectoradd", "needle", "aes", "backprop", "mergesort",
	"reduction", "transpose", "scalarprod", "texturechase", "dct8x8", "sto", "cp"};

/* One of each row is taken, separated by bars; an empty one changes nothing. */
static const char *const choices[] = {
	"chip.network=crossbar|chip.network=mesh|chip.network=voq|chip.network=router|"
	"chip.network=ideal",
	"|chip.dram=banked|chip.dram=banked dram.scheduler=parbs|"
	"chip.dram=banked dram.scheduler=frfcfs_cap dram.writes=mixed dram.bank_queue=8|"
	"chip.dram=banked dram.scheduler=fcfs dram.hash=xor",
	"chip.storage=partitioned|chip.storage=unified|chip.storage=fermi|chip.storage=carveout",
	"|sm.scheduler=greedy|sm.scheduler=round_robin|sm.scheduler=ccws sm.schedulers=2|"
	"sm.schedulers=4 sm.issue_width=2",
	"|l1.replacement=drrip|l1.replacement=ship|l1.replacement=fifo|l1.replacement=random|"
	"l1.replacement=listed|l1.replacement=weighted",
	"|l2.replacement=drrip|l2.replacement=ship l2.write_policy=through|l2.bytes=0|"
	"l2.replacement=random l2.set_hash=xor|l2.bank_cycles=2 l2.banks=4",
	"||chip.dispatch=static|chip.dispatch=bcs",
	"||sm.bank_conflicts=cycle|sm.bank_conflicts=penalty",
	"||icache.mode=real|const.mode=real|icache.mode=real const.mode=real",
	"||tex.bytes=12288|tex.bytes=12288 l1.reserve=true l1.miss_queue=4",
	"|||mmu.page_bytes=64K|mmu.page_bytes=64K mmu.walk_cycles=0",
	"||chip.spread_cycles=80|chip.sides=2 chip.side_cycles=100|chip.l2_mhz=700",
};

/* The n-th choice of a row, behind a blank. */
static void add_choice(struct text *out, const char *row, struct rng *rng)
{
	unsigned n = 1;

	for (const char *at = row; (at = strchr(at, '|')); at++)
		n++;
	for (n = rng_below(rng, n); n; n--)
		row = strchr(row, '|') + 1;
	text_raw(out, " %.*s", (int)strcspn(row, "|"), row);
}

static const char *trimmed(struct text *t)
{
	char *to = t->s;

	for (const char *from = t->s; *from; from++)
		if (*from != ' ' || (to > t->s && to[-1] != ' '))
			*to++ = *from;
	*to = '\0';
	return t->s;
}

static void one(unsigned seed)
{
	struct rng rng = rng_new(seed, 0);
	struct text settings = {0};
	struct twin t = {.subject = {.seed = 1}, .compare = true};

	text_raw(&settings, "chip.sms=%u", 2 + rng_below(&rng, 3));
	t.subject.name = workloads[rng_below(&rng, ARRAY_LEN(workloads))];
	for (unsigned i = 0; i < ARRAY_LEN(choices); i++)
		add_choice(&settings, choices[i], &rng);
	t.subject.settings = trimmed(&settings);
	if (rng_below(&rng, 3) == 0) { /* their own memory differs */
		t.subject.threads = 1 + rng_below(&rng, 2);
		t.threads = 1 + rng_below(&rng, 3);
		t.compare = false;
	}
	t.profile = rng_below(&rng, 2);
	if (rng_below(&rng, 2))
		t.trace = rng_below(&rng, 2) ? "*" : "*.*.*,noc.*,dispatcher";
	t.at = 1 + rng_below(&rng, 1u << rng_below(&rng, 12));
	print_message("seed %u: %s at %llu%s%s: %s\n", seed, t.subject.name,
		(unsigned long long)t.at, t.profile ? ", profiled" : "", t.trace ? ", traced" : "",
		t.subject.settings);
	twin_run(&t);
	if (!t.saved) { /* it was over: in its middle */
		t.at = t.windows / 2;
		twin_run(&t);
		assert_true(t.saved);
	}
	text_clear(&settings);
}

static void a_twin_of_a_random_chip_is_that_chip(void **state)
{
	const char *only = getenv("WARPBEAM_SEED");
	unsigned n = seeds(10);

	(void)state;
	if (only)
		one((unsigned)strtoul(only, NULL, 10));
	for (unsigned seed = 1; seed <= n && !only; seed++)
		one(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_twin_of_a_random_chip_is_that_chip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
