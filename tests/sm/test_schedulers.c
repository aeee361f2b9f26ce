/* Warp schedulers by hand: which warps are active, which one issues, and how long CCWS (Rogers et
 * al., MICRO 2012) keeps warps from loading. */
#include "sm/state.h"

#include "core/base.h"
#include "core/rng.h"
#include "tests/rig/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The warps of a set. */
#define W(n) (UINT64_C(1) << (n))

struct trial {
	struct rig *rig;
	struct policy policy;
	const struct sched_ops *ops;
	struct sched_view v;
	uint64_t age[SCHED_WARPS];
};

/* `setting`: a parameter of the policy, or NULL. */
static void trial_new(struct trial *t, const char *scheduler, const char *setting)
{
	static const struct policy_scope scope = {"warp scheduler", "sm", "scheduler", "sm"};

	*t = (struct trial){.rig = rig_new((struct sim_config){0})};
	if (setting)
		config_set_text(t->rig->config, setting, "test", &t->rig->err);
	policy_choose(&t->policy, &scope, scheduler, t->rig->config, &t->rig->arena, &t->rig->err);
	assert_string_equal(err_text(&t->rig->err), "");
	t->ops = t->policy.ops;
	for (unsigned w = 0; w < SCHED_WARPS; w++)
		t->age[w] = w;
	t->v.age = t->age;
	if (t->ops->init)
		t->ops->init(t->policy.self, SCHED_WARPS, 1, &t->rig->arena);
}

static uint64_t activate(struct trial *t)
{
	return t->v.active = t->ops->activate(t->policy.self, &t->v);
}

static unsigned pick(struct trial *t, uint64_t ready)
{
	t->v.ready = ready;
	return t->ops->pick(t->policy.self, &t->v);
}

static uint64_t statistic(const struct trial *t, const char *name)
{
	const struct plugin *p = t->policy.plugin;

	for (size_t i = 0; i < p->nstats; i++)
		if (!strcmp(p->stats[i].name, name))
			return *(const uint64_t *)(const void *)((const char *)t->policy.self +
								 p->stats[i].offset);
	fail_msg("no statistic %s", name);
	return 0;
}

/* ---- which one issues */
/* Warp 9 is the oldest, then 2, 5 and 7; warp 5 issued last. */
static void the_last_warp_continues_then_the_oldest_or_the_next_in_turn(void **state)
{
	static const struct {
		const char *scheduler, *setting;
		unsigned among[4]; /* of 2, 5, 7 and 9; of 2, 7 and 9; of 2 and 7; of 2 */
	} cases[] = {
		{"greedy", NULL, {5, 9, 2, 2}},
		{"youngest", NULL, {5, 7, 7, 2}},
		{"two_level", NULL, {5, 9, 2, 2}},
		{"two_level", "sm.two_level.pick=round_robin", {7, 7, 7, 2}},
		{"round_robin", NULL, {7, 7, 7, 2}},
		{"ccws", NULL, {5, 9, 2, 2}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct trial t;

		trial_new(&t, cases[i].scheduler, cases[i].setting);
		t.age[9] = 1;
		t.v.resident = t.v.active = W(2) | W(5) | W(7) | W(9);
		t.v.last = 5;
		assert_int_equal(pick(&t, t.v.resident), cases[i].among[0]);
		assert_int_equal(pick(&t, t.v.resident & ~W(5)), cases[i].among[1]);
		assert_int_equal(pick(&t, W(2) | W(7)), cases[i].among[2]);
		assert_int_equal(pick(&t, W(2)), cases[i].among[3]);
		t.v.active &= ~W(7);
		assert_true(pick(&t, W(2) | W(7)) == 2);
		rig_free(t.rig);
	}
}

/* ---- which ones are active */
static void a_single_level_scheduler_has_all_warps_active(void **state)
{
	static const char *const names[] = {"greedy", "youngest", "round_robin", "ccws"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct trial t;

		trial_new(&t, names[i], NULL);
		t.v.resident = 0xffff;
		t.v.waiting = t.v.drained = 0xff;
		assert_int_equal(activate(&t), 0xffff);
		rig_free(t.rig);
	}
}

/* The SM asks such a policy again only when one of these sets has changed. */
static void a_steady_policy_repeats_its_choice(void **state)
{
	static const char *const names[] = {"greedy", "youngest", "round_robin", "two_level"};
	struct rng rng = rng_new(1, 0);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct trial t;

		trial_new(&t, names[i], NULL);
		assert_true(t.ops->steady);
		for (unsigned n = 0; n < 1000; n++) {
			uint64_t chosen;

			t.v.resident = rng_u64(&rng) | rng_u64(&rng);
			t.v.waiting = rng_u64(&rng) & t.v.resident;
			t.v.drained = rng_u64(&rng) & t.v.waiting;
			t.v.last_active = rng_below(&rng, SCHED_WARPS);
			chosen = activate(&t);
			t.v.last_active = rng_below(&rng, SCHED_WARPS);
			t.v.last = rng_below(&rng, SCHED_WARPS);
			t.v.cycle++;
			t.age[t.v.last] = rng_u64(&rng);
			assert_true(activate(&t) == chosen);
		}
		rig_free(t.rig);
	}
}

/* Sixteen warps, eight active ones. */
static void a_warp_that_waits_long_leaves_the_active_set_for_the_next_in_turn(void **state)
{
	struct trial t;

	(void)state;
	trial_new(&t, "two_level", NULL);
	t.v.resident = 0xffff;
	assert_int_equal(activate(&t), 0x1fe);
	t.v.last_active = 8;
	assert_int_equal(activate(&t), 0x1fe);
	/* Its short-latency writes are not done. */
	t.v.waiting = W(1);
	assert_int_equal(activate(&t), 0x1fe);
	t.v.drained = W(1);
	assert_int_equal(activate(&t), 0x3fc);
	t.v.last_active = 9;
	/* 10 to 15 wait: 0 is next; then only 1 is left. */
	t.v.waiting = t.v.drained = 0xfc00 | W(1) | W(2);
	assert_int_equal(activate(&t), 0x3f9);
	t.v.last_active = 0;
	t.v.waiting = t.v.drained = 0xfc00 | W(2) | W(3) | W(4);
	assert_int_equal(activate(&t), 0x3e3);
	t.v.resident = W(2) | W(5);
	assert_int_equal(activate(&t), W(5));
	rig_free(t.rig);
}

/* ---- CCWS: four warps, the lowest number the oldest; each has a base score of 100, the cutoff is
 * 400 */
static void warps_new(struct trial *t, struct sm *sm, const struct instr *next, unsigned issued)
{
	trial_new(t, "ccws", NULL);
	for (unsigned w = 0; w < 4; w++) {
		t->ops->started(t->policy.self, w, 0);
		sm->slot[w].next = next;
	}
	for (unsigned i = 0; i < issued; i++)
		t->ops->issued(t->policy.self, 0, 0);
	t->v.sm = sm;
	t->v.resident = t->v.active = 0xf;
	t->v.last = 60;
}

/* Warp 0 loses a line in cycle 1000. */
static void lose(struct trial *t)
{
	t->ops->l1(t->policy.self, SCHED_L1_EVICTED, 0, 0, 900);
	t->ops->l1(t->policy.self, SCHED_L1_MISSED, 0, 0, 1000);
}

static bool may_issue(struct trial *t, unsigned warp, uint64_t cycle)
{
	t->v.cycle = cycle;
	return pick(t, W(warp)) == warp;
}

/* With 16 instructions issued a loss is worth 8 * 400 / 16 = 200 points, which fall by one a cycle.
 * Warp 3, the lowest in the stack of 300, 100, 100 and 100, reaches beyond the cutoff until all are
 * gone, warp 2 until 100 are. */
static void warps_low_in_the_stack_do_not_load_until_the_score_has_fallen(void **state)
{
	static const struct instr load = {.action = ACT_LOAD, .space = SPACE_GLOBAL};
	static const struct instr move = {.action = ACT_LANES};
	static const unsigned until[4] = {1000, 1000, 1100, 1200};
	static struct sm sm;
	struct trial t;

	(void)state;
	warps_new(&t, &sm, &load, 16);
	lose(&t);
	assert_int_equal(statistic(&t, "score"), 300);
	for (unsigned w = 0; w < 4; w++) {
		assert_int_equal(may_issue(&t, w, 1000), until[w] == 1000);
		assert_false(until[w] > 1000 && may_issue(&t, w, until[w] - 1));
		assert_true(may_issue(&t, w, until[w]));
		sm.slot[w].next = &move;
		assert_true(may_issue(&t, w, 1000));
		sm.slot[w].next = &load;
	}
	rig_free(t.rig);
}

/* 8 * 400 / 4 = 800 points: its score alone is beyond the cutoff, and no other one loads. */
static void the_warp_of_the_highest_score_loads_in_any_case(void **state)
{
	static const struct instr load = {.action = ACT_LOAD, .space = SPACE_GLOBAL};
	static struct sm sm;
	struct trial t;

	(void)state;
	warps_new(&t, &sm, &load, 4);
	lose(&t);
	assert_int_equal(statistic(&t, "score"), 900);
	for (unsigned w = 0; w < 4; w++)
		assert_int_equal(may_issue(&t, w, 1000), w == 0);
	rig_free(t.rig);
}

/* 16 victim tags, 8 of them for lines of even number. */
static void a_line_is_lost_once_and_only_while_its_tag_is_kept(void **state)
{
	struct trial t;

	(void)state;
	trial_new(&t, "ccws", NULL);
	t.ops->started(t.policy.self, 0, 0);
	for (uint64_t n = 0; n < 9; n++)
		t.ops->l1(t.policy.self, SCHED_L1_EVICTED, 0, 2 * n * LINE_BYTES, 1);
	t.ops->l1(t.policy.self, SCHED_L1_MISSED, 0, 0, 2);
	assert_int_equal(statistic(&t, "lost_lines"), 0);
	for (unsigned k = 0; k < 3; k++)
		t.ops->l1(t.policy.self, SCHED_L1_MISSED, 0, 2 * LINE_BYTES, 3);
	assert_int_equal(statistic(&t, "lost_lines"), 1);
	t.ops->l1(t.policy.self, SCHED_L1_MISSED, 1, 4 * LINE_BYTES, 4);
	assert_int_equal(statistic(&t, "lost_lines"), 1);
	t.ops->l1(t.policy.self, SCHED_L1_EMPTIED, 0, 0, 5);
	t.ops->l1(t.policy.self, SCHED_L1_MISSED, 0, 4 * LINE_BYTES, 6);
	assert_int_equal(statistic(&t, "lost_lines"), 1);
	rig_free(t.rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_warp_continues_then_the_oldest_or_the_next_in_turn),
		cmocka_unit_test(a_single_level_scheduler_has_all_warps_active),
		cmocka_unit_test(a_steady_policy_repeats_its_choice),
		cmocka_unit_test(a_warp_that_waits_long_leaves_the_active_set_for_the_next_in_turn),
		cmocka_unit_test(warps_low_in_the_stack_do_not_load_until_the_score_has_fallen),
		cmocka_unit_test(the_warp_of_the_highest_score_loads_in_any_case),
		cmocka_unit_test(a_line_is_lost_once_and_only_while_its_tag_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
