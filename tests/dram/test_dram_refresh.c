/* Refreshes of one bank after the other: which bank, when, and that the others go on. HBM2 in its
 * table's clocks: tREFI 3900, tRFCSB 160, tRREFD 8, 16 banks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "tests/rig/dram_rig.h"

#define BANKS 16u
#define EVERY (3900u / BANKS)
#define ONE_BY_ONE "dram.device", "hbm2", "dram.map", "RoBaBgCo", "dram.refresh_banks", "true"

static void banks_take_turns_and_the_others_go_on(void **state)
{
	const char *const settings[] = {ONE_BY_ONE, NULL};
	struct dram_rig d = dram_rig_new(settings);
	struct controller *c = &d.r->controller;
	uint64_t until[BANKS] = {0}, beside = 0, refreshes = 0, clock = 0;
	struct rng rng = rng_new(1, 0);

	(void)state;
	for (uint64_t offered = 0; offered < 40000; clock++) {
		struct dram_event e;

		while (controller_advance(c, clock, &e)) {
			if (e.command == DRAM_REFRESH) {
				assert_int_equal(e.bank, refreshes % BANKS);
				refreshes++;
				assert_in_range(
					e.clock, refreshes * EVERY, (refreshes + 9) * EVERY + 60);
				until[e.bank] = e.clock + 160;
				continue;
			}
			assert_true(e.bank < BANKS && e.clock >= until[e.bank]);
			for (unsigned b = 0; b < BANKS && e.command == DRAM_READ; b++)
				beside += e.clock < until[b];
		}
		if (!controller_space(c, DRAM_READ))
			continue;
		controller_offer(c, DRAM_READ, rng_below(&rng, 8192), 0, clock);
		offered++;
	}
	assert_int_equal(d.r->s.refreshes, refreshes);
	assert_in_range(refreshes, clock / EVERY - 9, clock / EVERY);
	assert_true(beside > 10000);
	dram_rig_free(d);
}

/* Hits to its row may postpone a bank's refresh by eight intervals, not by more. */
static void a_row_in_use_is_refreshed_at_last(void **state)
{
	const char *const settings[] = {ONE_BY_ONE, NULL};
	struct dram_rig d = dram_rig_new(settings);
	struct controller *c = &d.r->controller;
	struct dram_event e;
	uint64_t first = 0;

	(void)state;
	for (uint64_t clock = 0; !first; clock++) {
		assert_true(clock < 10000);
		while (!first && controller_advance(c, clock, &e))
			first = e.command == DRAM_REFRESH ? e.clock : 0;
		if (controller_space(c, DRAM_READ))
			controller_offer(c, DRAM_READ, clock % 32, 0, clock);
	}
	assert_in_range(first, 9 * EVERY, 9 * EVERY + 60);
	dram_rig_free(d);
}

static void an_idle_channel_has_refreshed_every_bank(void **state)
{
	const char *const settings[] = {ONE_BY_ONE, NULL};
	struct dram_rig d = dram_rig_new(settings);
	struct controller *c = &d.r->controller;
	uint64_t due = 1000 * EVERY;
	struct dram_event e;

	(void)state;
	controller_offer(c, DRAM_READ, (999 % BANKS / 4 + 999 % 4 * 4) * 32u, 0, due + 10);
	assert_int_equal(d.r->s.refreshes, 1000);
	assert_int_equal(c->refresh_bank, 1000 % BANKS);
	/* the bank that was refreshed last is not yet ready, the others are */
	assert_true(controller_advance(c, due + 1000, &e));
	assert_int_equal(e.command, DRAM_ACTIVATE);
	assert_int_equal(e.bank, 999 % BANKS);
	assert_int_equal(e.clock, due + 160);
	dram_rig_free(d);
}

static void streams_lose_less_than_to_refreshes_of_all_banks(void **state)
{
	enum { N = 60000 };
	double share[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *const settings[] = {
			"dram.device", "hbm2", "dram.refresh_banks", i ? "true" : "false", NULL};
		struct dram_rig d = dram_rig_new(settings);
		struct dram_access *trace = dram_trace("seq", N);
		struct dram_replayed r;

		for (uint32_t k = 0; k < N; k++)
			trace[k].address = (uint64_t)k * 32;
		dram_replay(d.r, trace, N, &(struct dram_load){0}, &d.rig->arena, &r);
		share[i] = r.share;
		test_free(trace);
		dram_rig_free(d);
	}
	assert_true(share[0] < 1 - 260.0 / 3900);
	assert_true(share[1] > share[0] + 0.02);
}

static void a_device_without_it_is_refused(void **state)
{
	const char *const settings[] = {
		"dram.device", "gtx480", "dram.refresh_banks", "true", NULL};
	struct dram_rig d = dram_rig_try(settings);

	(void)state;
	assert_non_null(strstr(err_text(&d.rig->err),
		"dram.refresh_banks = true: dram.device = gtx480 has no refresh of one bank; "
		"dram.rfcb must not be 0, as 55"));
	dram_rig_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(banks_take_turns_and_the_others_go_on),
		cmocka_unit_test(a_row_in_use_is_refreshed_at_last),
		cmocka_unit_test(an_idle_channel_has_refreshed_every_bank),
		cmocka_unit_test(streams_lose_less_than_to_refreshes_of_all_banks),
		cmocka_unit_test(a_device_without_it_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
