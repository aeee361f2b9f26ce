/* Random checkpoints of random chips: workloads, networks, DRAM models, storage designs and
 * policies are drawn, whether the run is profiled, traced and sampled, and when the state is saved;
 * the twin's memory, results, profile and the rest of its trace must be the first run's.
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

/* The last one reads the clock: it is not sampled. */
static const char *const workloads[] = {"vectoradd", "needle", "aes", "backprop", "mergesort",
	"reduction", "transpose", "scalarprod", "dct8x8", "sto", "cp", "texturechase"};

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
	"||icache.mode=real|const.mode=real|icache.mode=real const.mode=real icache.prefetch_lines=4",
	"||tex.bytes=12288|tex.bytes=12288 l1.reserve=true l1.miss_queue=4",
	"|||mmu.page_bytes=64K|mmu.page_bytes=64K mmu.walk_cycles=0",
	"||chip.spread_cycles=80|chip.sides=2 chip.side_cycles=100|chip.l2_mhz=700",
};

/* Launches at size small are short. */
static const char *const samples[] = {"within,settled=200", "within,settled=1000",
	"spread,settled=100", "auto,settled=500", "ctas", "interval", "launches"};

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

/* Warps of a chip with these advance in time alone. */
static bool forbids_stretches(const char *row)
{
	return strstr(row, "icache.mode") || strstr(row, "chip.dispatch");
}

static void draw_settings(struct text *out, struct rng *rng, bool sampled)
{
	text_raw(out, "chip.sms=%u", 2 + rng_below(rng, 3));
	for (unsigned i = 0; i < ARRAY_LEN(choices); i++)
		if (!sampled || !forbids_stretches(choices[i]))
			add_choice(out, choices[i], rng);
}

static void run_at(struct twin *t, unsigned seed)
{
	print_message("seed %u: %s at %llu%s%s%s%s: %s\n", seed, t->subject.name,
		(unsigned long long)t->at, t->profile ? ", profiled" : "",
		t->trace ? ", traced" : "", t->sample ? ", sampled by " : "",
		t->sample ? t->sample : "", t->subject.settings);
	twin_run(t);
	if (!t->saved) { /* it was over: in its middle */
		t->at = t->windows / 2;
		twin_run(t);
		assert_true(t->saved);
	}
}

/* Returns the instructions without time. */
static double one(unsigned seed, bool sampled)
{
	struct rng rng = rng_new(seed, sampled);
	struct text settings = {0};
	struct twin t = {.subject = {.seed = 1}, .compare = true};

	t.subject.name = workloads[rng_below(&rng, ARRAY_LEN(workloads) - sampled)];
	draw_settings(&settings, &rng, sampled);
	t.subject.settings = trimmed(&settings);
	if (rng_below(&rng, 3) == 0) { /* their own memory differs */
		t.subject.threads = 1 + rng_below(&rng, 2);
		t.threads = 1 + rng_below(&rng, 3);
		t.compare = false;
	}
	t.profile = !sampled && rng_below(&rng, 2);
	if (rng_below(&rng, 2))
		t.trace = rng_below(&rng, 2) ? "*" : "*.*.*,noc.*,dispatcher";
	t.at = 1 + rng_below(&rng, 1u << rng_below(&rng, 12));
	if (sampled)
		t.sample = samples[rng_below(&rng, ARRAY_LEN(samples))];
	run_at(&t, seed);
	text_clear(&settings);
	return t.untimed;
}

/* All seeds, or the one that was asked for. */
static double all(bool sampled)
{
	const char *only = getenv("WARPBEAM_SEED");
	unsigned n = seeds(10);
	double untimed = 0;

	if (only)
		return one((unsigned)strtoul(only, NULL, 10), sampled);
	for (unsigned seed = 1; seed <= n; seed++)
		untimed += one(seed, sampled);
	return untimed;
}

static void a_twin_of_a_random_chip_is_that_chip(void **state)
{
	(void)state;
	all(false);
}

/* Windows and stretches of the sampled run are where they would have been. */
static void a_sampled_twin_of_a_random_chip_is_that_chip(void **state)
{
	(void)state;
	assert_true(all(true) > 0 || getenv("WARPBEAM_SEED"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_twin_of_a_random_chip_is_that_chip),
		cmocka_unit_test(a_sampled_twin_of_a_random_chip_is_that_chip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
