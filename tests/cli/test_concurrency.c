/* The level of concurrency that is chosen without running: figure 5 of Hayes and Zhang (ICS 2014).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs/levels/levels.h"

#include <math.h>
#include <string.h>

#define LEVELS 6u
#define FEW 4u

/* Six levels of 256, 512 .. threads; bit k of `high`: level k's intensity is high; the first
 * `unspilt` have no local spills. */
static void make(struct thread_level *l, unsigned high, unsigned unspilt)
{
	memset(l, 0, LEVELS * sizeof(*l));
	for (unsigned k = 0; k < LEVELS; k++) {
		l[k].threads = 256 * (k + 1);
		l[k].local = k >= unspilt;
		l[k].interval = 3;
		l[k].intensity = high >> k & 1 ? 201 : 199;
	}
}

static unsigned chosen(const struct thread_level *l, double cores)
{
	return levels_choose(&(struct levels_ask){l, LEVELS, cores, LEVELS_INTENSITY});
}

static void upwards_the_largest_level_that_passes_is_kept(void **state)
{
	struct thread_level l[LEVELS];

	(void)state;
	for (unsigned high = 0; high < 1u << LEVELS; high++)
		for (unsigned begin = 0; begin < LEVELS; begin++) {
			unsigned got, want = LEVELS - 1;

			make(l, high, LEVELS);
			got = chosen(l, 256.0 * (begin + 1) / 3 - 1);
			while (want > begin && !(high >> want & 1))
				want--;
			if (high >> begin & 1)
				assert_int_equal(got, want);
		}
}

/* It begins at the last level, which does not pass. */
static void downwards_the_first_that_passes_ends_the_search(void **state)
{
	struct thread_level l[LEVELS];

	(void)state;
	for (unsigned high = 0; high < 1u << (LEVELS - 1); high++)
		for (unsigned unspilt = 1; unspilt <= LEVELS; unspilt++) {
			unsigned want = LEVELS - 1;

			make(l, high, unspilt);
			while (want > unspilt - 1 && !(high >> want & 1))
				want--;
			if (!(high >> want & 1))
				want = 0;
			assert_int_equal(chosen(l, 1000), want);
		}
}

static void below_the_level_without_spills_the_original_stays(void **state)
{
	struct thread_level l[LEVELS];

	(void)state;
	make(l, 63 - 2, 4);
	assert_int_equal(chosen(l, 512.0 / 3 - 1), 0);
}

static void the_threshold_is_200_and_not_met_by_it(void **state)
{
	static const double intensity[] = {199.9, 200, 200.1, INFINITY};
	struct thread_level l[LEVELS];

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		make(l, 0, LEVELS);
		l[5].intensity = intensity[k];
		assert_int_equal(chosen(l, 1000), k < 2 ? 0 : 5);
	}
}

static void a_kernel_that_issues_in_every_cycle_is_left_as_it_is(void **state)
{
	struct thread_level l[LEVELS];

	(void)state;
	make(l, 63, LEVELS);
	l[0].interval = 1.05;
	assert_int_equal(chosen(l, 1000), 0);
	l[0].interval = 1.06;
	assert_int_equal(chosen(l, 1000), 5);
}

static void the_search_begins_at_the_interval_times_the_lanes(void **state)
{
	struct thread_level l[LEVELS];

	(void)state;
	make(l, 1u << 2, LEVELS); /* 768 threads: 3 cycles, 256 lanes */
	assert_int_equal(chosen(l, 256), 2);
	assert_int_equal(chosen(l, 257), 0); /* begins above, where none passes */
}

/* ---- threads, registers and slots that exist on the paper's two GPUs. */
/* All truth tables of four levels: a count is named exactly where another value of it, and of no
 * other count, makes the rule choose the wanted level. */
static unsigned with(unsigned high, unsigned unspilt, unsigned begin)
{
	struct thread_level l[LEVELS];

	make(l, high, unspilt);
	return levels_choose(
		&(struct levels_ask){l, FEW, 256.0 * (begin + 1) / 3 - 1, LEVELS_INTENSITY});
}

static enum levels_count by_trying_all(
	unsigned high, unsigned unspilt, unsigned begin, unsigned wanted)
{
	bool memory = false, interval = false;

	if (with(high, unspilt, begin) == wanted)
		return COUNT_NONE;
	for (unsigned other = 0; other < 1u << FEW; other++)
		memory |= with(other, unspilt, begin) == wanted;
	for (unsigned other = 0; other < FEW; other++)
		interval |= with(high, unspilt, other) == wanted;
	if (memory && interval)
		return COUNT_EITHER;
	if (memory)
		return COUNT_MEMORY;
	return interval ? COUNT_INTERVAL : COUNT_BOTH;
}

static void the_count_that_misled_the_rule_is_the_one_whose_change_mends_it(void **state)
{
	struct thread_level l[LEVELS];
	unsigned seen[COUNT_BOTH + 1] = {0};

	(void)state;
	for (unsigned i = 0; i < 1u << FEW; i++)
		for (unsigned k = 0; k < FEW * FEW * FEW; k++) {
			unsigned begin = k % FEW, unspilt = k / FEW % FEW + 1, wanted = k / 16;
			enum levels_count want = by_trying_all(i, unspilt, begin, wanted);
			struct levels_ask ask = {
				l, FEW, 256.0 * (begin + 1) / 3 - 1, LEVELS_INTENSITY};

			make(l, i, unspilt);
			if (levels_misled(&ask, wanted) != want)
				fail_msg("table %u, %u without spills, from %u to %u: %u, not %u",
					i, unspilt, begin, wanted, levels_misled(&ask, wanted),
					want);
			seen[want]++;
		}
	for (unsigned i = 0; i <= COUNT_BOTH; i++)
		assert_true(seen[i] > 0);
}

static void what_misled_the_rule_is_said_with_its_counts(void **state)
{
	struct thread_level l[LEVELS];
	struct levels_ask ask = {l, LEVELS, 100, LEVELS_INTENSITY};
	struct text words = {0};

	(void)state;
	make(l, 0, LEVELS);
	l[3].instrs = 582;
	l[3].counted = 46;
	l[3].intensity = 136.2;
	levels_misled_words(&ask, 0, &words);
	assert_int_equal(words.len, 0);
	levels_misled_words(&ask, 3, &words);
	assert_string_equal(text_str(&words),
		"misled by its count of accesses: 46 of 582 instructions at 1024 threads, "
		"intensity 136.2 by 200.0");
	text_clear(&words);
	ask.cores = 512; /* it begins at the last level */
	levels_misled_words(&ask, 3, &words);
	assert_string_equal(text_str(&words),
		"misled by its count of accesses and interval: 46 of 582 instructions at 1024 "
		"threads, intensity 136.2 by 200.0; interval 3.00, 512 lanes: begins at 1536 "
		"threads");
	text_clear(&words);
}

struct bound {
	const char *machine;
	uint32_t cta, regs, own; /* threads of a CTA, registers, bytes of shared memory */
	uint32_t threads, leaves, slots;
};
static const struct bound bounds[] = {
	{"gtx680", 192, 63, 0, 960, 63, 12},
	{"gtx680", 192, 63, 0, 1344, 40, 9},
	{"gtx680", 192, 63, 0, 1728, 32, 7},
	{"gtx680", 256, 48, 2560, 1280, 48, 7},
	{"gtx680", 256, 39, 3072, 1536, 39, 5},
	{"gtx680", 256, 52, 0, 1024, 52, 12},
	{"gtx680", 1024, 42, 0, 1024, 42, 12},
	{"c2075", 192, 61, 0, 384, 61, 32},
	{"c2075", 512, 57, 3840, 512, 57, 22},
	{"c2075", 256, 36, 3072, 768, 36, 13},
	{"c2075", 1024, 41, 0, 1024, 32, 12},
	{"gtx680", 192, 63, 0, 1152, 56, 10},
	{"gtx680", 192, 63, 0, 1536, 40, 8},
	{"gtx680", 192, 63, 0, 1920, 32, 6},
	{"gtx680", 256, 48, 2560, 1536, 40, 5},
	{"gtx680", 256, 48, 2560, 1792, 32, 4},
	{"gtx680", 256, 48, 2560, 2048, 32, 3},
	{"gtx680", 256, 39, 3072, 2048, 32, 3},
	{"gtx680", 256, 52, 0, 1280, 48, 9},
	{"gtx680", 256, 52, 0, 1536, 40, 8},
	{"gtx680", 256, 52, 0, 2048, 32, 6},
	{"gtx680", 1024, 42, 0, 2048, 32, 6},
	{"c2075", 192, 61, 0, 576, 56, 21},
	{"c2075", 192, 61, 0, 768, 42, 16},
	{"c2075", 192, 61, 0, 960, 34, 12},
	{"c2075", 192, 61, 0, 1152, 28, 10},
	{"c2075", 192, 61, 0, 1344, 24, 9},
	{"c2075", 192, 61, 0, 1536, 20, 8},
	{"c2075", 512, 57, 3840, 1024, 32, 10},
	{"m12", 192, 63, 800, 960, 63, 15}, /* 13,107 bytes, of which 896 are its own rows */
	{"c2075", 512, 57, 3840, 1536, 20, 6},
	{"c2075", 256, 36, 3072, 1024, 32, 9},
	{"c2075", 256, 36, 3072, 1280, 24, 6},
	{"c2075", 256, 36, 3072, 1536, 20, 5},
};

static void check_bound(const struct bound *b)
{
	struct session s = {0};
	const char *machine = b->machine;
	struct run_options o = {
		.chips = {.at = &machine, .n = 1}, .threads = 1, .no_pin = true, .files = &s.files};
	struct sm_storage sm;
	struct storage_need need = {.regs_per_thread = b->regs,
		.warps_per_cta = b->cta / WARP_LANES,
		.shared_per_cta = b->own,
		.rules = &sm.rules};
	struct thread_level l;
	struct err err = {0};
	jmp_buf escape;

	s.arena.escape = &escape;
	if (setjmp(escape) || session_open(&s, &o, NULL, &err) ||
		sm_storage_read(&sm, s.config, &s.arena, &err))
		fail_msg("%s: %s", b->machine, err_text(&err));
	assert_true(levels_room(&sm, &need, b->threads / b->cta, &l));
	if (l.limit != b->leaves || l.budget != b->slots)
		fail_msg("%s, %u threads of %u registers: %u+%u, not %u+%u", b->machine, b->threads,
			b->regs, l.limit, l.budget, b->leaves, b->slots);
	session_close(&s);
}

static void levels_have_the_registers_and_slots_of_the_two_gpus(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bounds); i++)
		check_bound(&bounds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(upwards_the_largest_level_that_passes_is_kept),
		cmocka_unit_test(downwards_the_first_that_passes_ends_the_search),
		cmocka_unit_test(below_the_level_without_spills_the_original_stays),
		cmocka_unit_test(the_threshold_is_200_and_not_met_by_it),
		cmocka_unit_test(a_kernel_that_issues_in_every_cycle_is_left_as_it_is),
		cmocka_unit_test(the_count_that_misled_the_rule_is_the_one_whose_change_mends_it),
		cmocka_unit_test(what_misled_the_rule_is_said_with_its_counts),
		cmocka_unit_test(levels_have_the_registers_and_slots_of_the_two_gpus),
		cmocka_unit_test(the_search_begins_at_the_interval_times_the_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
