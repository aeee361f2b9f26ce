/* Which command a channel issues next, by hand: a few bursts, and the clock of each command. The
 * gtx480's timings: tRCDRD 12, tRAS 28, tRP 12, tCCD 2 between bank groups and 3 within one, tRTP
 * 2. */
#include "tests/rig/dram_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define DEVICE "dram.device", "gtx480", "dram.map", "RoBaBgCo"
#define PLAIN DEVICE, "dram.refresh", "false"

/* With that map bank 0 and bank 1 are in different groups. */
static uint64_t at(unsigned row, unsigned bank, unsigned column)
{
	return (uint64_t)row << 10 | bank << 6 | column;
}

struct offer {
	uint64_t clock;
	enum dram_command dir;
	uint64_t burst;
};

#define MANY 400u
struct played {
	struct dram_event event[MANY];
	unsigned n;
	struct dram_stats s;
};

static void advance(struct dram_rig *d, uint64_t until, struct played *out)
{
	while (out->n < MANY && controller_advance(&d->r->controller, until, &out->event[out->n]))
		out->n++;
}

/* Offers the bursts, whose numbers are the events' users, until all are served. No command is
 * chosen between those of one clock. */
static void play(
	const char *const *settings, const struct offer *offers, unsigned n, struct played *out)
{
	struct dram_rig d = dram_rig_new(settings);

	out->n = 0;
	for (unsigned i = 0; i < n; i++) {
		if (!i || offers[i].clock > offers[i - 1].clock)
			advance(&d, offers[i].clock, out);
		assert_true(controller_space(&d.r->controller, offers[i].dir) > 0);
		controller_offer(
			&d.r->controller, offers[i].dir, offers[i].burst, i, offers[i].clock);
	}
	while (controller_queued(&d.r->controller) && out->n < MANY)
		advance(&d, controller_next(&d.r->controller), out);
	assert_true(out->n < MANY);
	out->s = d.r->s;
	dram_rig_free(d);
}

static void assert_event(const struct played *p, unsigned i, enum dram_command command,
	unsigned user, uint64_t clock)
{
	const struct dram_event *e = &p->event[i];

	assert_true(i < p->n);
	if (e->command != command || e->user != user || e->clock != clock)
		fail_msg("event %u: command %d of burst %u at %u, not %d of %u at %u", i,
			e->command, e->user, (unsigned)e->clock, command, user, (unsigned)clock);
}

/* The bursts in the order of their reads and writes. */
static void assert_served(const struct played *p, const unsigned *users, unsigned n)
{
	unsigned served = 0;

	for (unsigned i = 0; i < p->n; i++) {
		if (p->event[i].command > DRAM_WRITE)
			continue;
		assert_true(served < n);
		if (p->event[i].user != users[served])
			fail_msg("burst %u is served as number %u, not %u", p->event[i].user,
				served, users[served]);
		served++;
	}
	assert_int_equal(served, n);
}

/* Bursts 0 and 1 have opened a row each, 2 has just opened one. Of the three that come together in
 * 200 the first needs an activate, for which tRRD, 6 clocks, is over in 203. Then the second hit's
 * read is possible, too, and goes first, although it is younger. */
static void row_hits_come_first_and_the_oldest_of_them(void **state)
{
	const char *const settings[] = {PLAIN, NULL};
	const struct offer offers[] = {{0, DRAM_READ, at(0, 0, 0)}, {0, DRAM_READ, at(0, 1, 0)},
		{196, DRAM_READ, at(7, 3, 0)}, {200, DRAM_READ, at(5, 2, 0)},
		{200, DRAM_READ, at(0, 1, 1)}, {200, DRAM_READ, at(0, 0, 1)}};
	struct played p;

	(void)state;
	play(settings, offers, ARRAY_LEN(offers), &p);
	assert_int_equal(p.n, 4 + 6);
	assert_event(&p, 4, DRAM_ACTIVATE, 2, 197);
	assert_event(&p, 5, DRAM_READ, 4, 201);
	assert_event(&p, 6, DRAM_READ, 5, 203);
	assert_event(&p, 7, DRAM_ACTIVATE, 3, 204);
	assert_event(&p, 8, DRAM_READ, 2, 197 + 12);
	assert_event(&p, 9, DRAM_READ, 3, 204 + 12);
}

/* Of two rows of a bank that of the older burst is opened first, whichever is written. */
static void the_older_of_a_read_and_a_write_opens_its_row_first(void **state)
{
	const char *const settings[] = {PLAIN, "dram.writes", "mixed", NULL};
	static const unsigned in_order[] = {0, 1};

	(void)state;
	for (unsigned read = 0; read < 2; read++) {
		const struct offer offers[] = {{10, read ? DRAM_READ : DRAM_WRITE, at(1, 0, 0)},
			{10, read ? DRAM_WRITE : DRAM_READ, at(2, 0, 0)}};
		struct played p;

		play(settings, offers, ARRAY_LEN(offers), &p);
		assert_event(&p, 0, DRAM_ACTIVATE, 0, 11);
		assert_served(&p, in_order, ARRAY_LEN(in_order));
	}
}

static void first_come_first_served_is_so_for_reads_and_writes_alike(void **state)
{
	const char *const settings[] = {PLAIN, "dram.scheduler", "fcfs", NULL};
	const struct offer offers[] = {{0, DRAM_WRITE, at(0, 0, 0)}, {0, DRAM_READ, at(3, 1, 0)},
		{0, DRAM_READ, at(0, 0, 1)}, {0, DRAM_WRITE, at(4, 0, 0)},
		{0, DRAM_READ, at(0, 0, 2)}, {0, DRAM_WRITE, at(3, 1, 1)}};
	static const unsigned in_order[] = {0, 1, 2, 3, 4, 5};
	struct played p;

	(void)state;
	play(settings, offers, ARRAY_LEN(offers), &p);
	assert_served(&p, in_order, ARRAY_LEN(in_order));
}

/* Burst 1 is to another row than 0 and the forty that follow. Reads of one row are 3 clocks apart:
 * those from 13 to 28 cost burst 1 nothing, for the row cannot be closed before 1 + tRAS. */
static void a_cap_limits_the_row_hits_before_an_older_burst(void **state)
{
	static const struct {
		const char *cap;
		unsigned first; /* served before burst 1 */
	} cases[] = {{"1", 6}, {"6", 6}, {"7", 7}, {"16", 16}};
	struct offer offers[42] = {{0, DRAM_READ, at(0, 0, 0)}, {0, DRAM_READ, at(1, 0, 0)}};

	(void)state;
	for (unsigned i = 2; i < ARRAY_LEN(offers); i++)
		offers[i] = (struct offer){0, DRAM_READ, at(0, 0, i)};
	for (unsigned k = 0; k < ARRAY_LEN(cases); k++) {
		const char *const settings[] = {PLAIN, "dram.scheduler", "frfcfs_cap",
			"dram.frfcfs_cap.cap", cases[k].cap, NULL};
		unsigned users[ARRAY_LEN(offers)] = {0}, n = 1;
		struct played p;

		for (unsigned i = 2; i < ARRAY_LEN(offers); i++) {
			if (n == cases[k].first)
				users[n++] = 1;
			users[n++] = i;
		}
		play(settings, offers, ARRAY_LEN(offers), &p);
		assert_served(&p, users, n);
	}
}

/* The same without a cap: in 100 burst 1 has waited for max_wait, and its row is opened. */
static void nothing_has_priority_over_a_burst_that_has_waited_long(void **state)
{
	const char *const settings[] = {PLAIN, "dram.max_wait", "100", NULL};
	struct offer offers[42] = {{0, DRAM_READ, at(0, 0, 0)}, {0, DRAM_READ, at(1, 0, 0)}};
	struct played p;

	(void)state;
	for (unsigned i = 2; i < ARRAY_LEN(offers); i++)
		offers[i] = (struct offer){0, DRAM_READ, at(0, 0, i)};
	play(settings, offers, ARRAY_LEN(offers), &p);
	/* Before it an activate, and reads in 13, 16, ... 97. */
	assert_event(&p, 1 + 28, DRAM_READ, 29, 97);
	assert_event(&p, 1 + 29, DRAM_PRECHARGE, 1, 100);
	assert_event(&p, 1 + 30, DRAM_ACTIVATE, 1, 112);
	assert_event(&p, 1 + 31, DRAM_READ, 1, 124);
	assert_int_equal(p.s.overdue, 42 - 29);
}

/* Burst 1, of bank 0, is overdue from the beginning; its row can be opened in 1 + tRAS + tRP. The
 * reads of bank 1, whose row is open, are not later for it, nor is it for them. */
static void other_banks_go_on_while_an_overdue_burst_waits_for_its_row(void **state)
{
	const char *const settings[] = {PLAIN, "dram.max_wait", "1", NULL};
	struct offer offers[14] = {{0, DRAM_READ, at(0, 0, 0)}, {16, DRAM_READ, at(1, 0, 0)},
		{16, DRAM_READ, at(0, 1, 0)}};
	uint64_t opened = 1 + 28 + 12, first = UINT64_MAX;
	struct played p;
	unsigned before = 0;

	(void)state;
	for (unsigned i = 3; i < ARRAY_LEN(offers); i++)
		offers[i] = (struct offer){16, DRAM_READ, at(0, 1, i)};
	play(settings, offers, ARRAY_LEN(offers), &p);
	for (unsigned i = 0; i < p.n; i++) {
		const struct dram_event *e = &p.event[i];

		if (e->command == DRAM_READ && e->user == 1)
			first = e->clock;
		before += e->command == DRAM_READ && e->user > 1 && e->clock < opened + 12;
	}
	assert_int_equal(first, opened + 12);
	assert_int_equal(before, 7); /* in 30, for 29 is the precharge's, to 48 */
}

/* A lone read is served 1 + tRCDRD after its acceptance. */
static void a_burst_is_overdue_when_it_has_waited_that_long(void **state)
{
	static const char *const waits[] = {"12", "13", "14"};
	const struct offer offer = {50, DRAM_READ, at(0, 0, 0)};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(waits); i++) {
		const char *const settings[] = {PLAIN, "dram.max_wait", waits[i], NULL};
		struct played p;

		play(settings, &offer, 1, &p);
		assert_event(&p, 1, DRAM_READ, 0, 50 + 13);
		assert_int_equal(p.s.overdue, i < 2);
	}
}

/* Every 600 clocks, ten before a refresh is due, a burst opens a row: it stays open for tRAS, and
 * tRP passes after its precharge. A late refresh does not make the next one later. */
static void refreshes_are_due_at_multiples_of_their_interval(void **state)
{
	const char *const settings[] = {DEVICE, "dram.refi", "600", NULL};
	struct dram_rig d = dram_rig_new(settings);
	struct played p = {.n = 0};

	(void)state;
	for (unsigned k = 1; k < 8; k++) {
		uint64_t clock = 600 * k - 10;

		controller_offer(&d.r->controller, DRAM_READ, at(k, k, 0), k, clock);
		p.n = 0;
		advance(&d, clock + 400, &p);
		assert_event(&p, 0, DRAM_ACTIVATE, k, clock + 1);
		assert_event(&p, 1, DRAM_PRECHARGE, 0, clock + 1 + 28);
		assert_event(&p, 2, DRAM_REFRESH, 0, clock + 1 + 28 + 12);
		assert_int_equal(d.r->s.refreshes, k);
	}
	dram_rig_free(d);
}

/* With one entry a bank the hit, burst 2, waits behind burst 1; with two it is in time. */
static void a_bank_queue_holds_its_entries_and_no_more(void **state)
{
	static const unsigned one[] = {0, 1, 2}, two[] = {0, 2, 1};
	const struct offer offers[] = {{0, DRAM_READ, at(0, 0, 0)}, {0, DRAM_READ, at(1, 0, 0)},
		{0, DRAM_READ, at(0, 0, 1)}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *const settings[] = {PLAIN, "dram.bank_queue", i ? "2" : "1", NULL};
		struct played p;

		play(settings, offers, ARRAY_LEN(offers), &p);
		assert_served(&p, i ? two : one, 3);
	}
}

/* The row that a burst of the other direction waits for stays open after the first one and is
 * closed after the second. A read is possible in 13, a write before. */
static void a_closed_page_stays_open_for_a_burst_of_the_other_direction(void **state)
{
	const char *const settings[] = {
		PLAIN, "dram.writes", "mixed", "dram.closed_page", "true", NULL};
	static const unsigned in_order[] = {0, 1};

	(void)state;
	for (unsigned read = 0; read < 2; read++) {
		const struct offer offers[] = {{0, read ? DRAM_READ : DRAM_WRITE, at(0, 0, 0)},
			{read ? 12 : 1, read ? DRAM_WRITE : DRAM_READ, at(0, 0, 1)}};
		struct played p;

		play(settings, offers, ARRAY_LEN(offers), &p);
		assert_served(&p, in_order, ARRAY_LEN(in_order));
		assert_int_equal(p.s.precharges, 1);
		assert_int_equal(p.s.row_misses, 1);
		assert_int_equal(p.s.row_hits, 1);
	}
}

/* Writes are drained through the row that a read opened, before the read. */
static void only_the_burst_that_a_row_was_opened_for_misses(void **state)
{
	static const unsigned order[] = {1, 2, 3, 4, 0};
	const char *const settings[] = {
		PLAIN, "dram.writes", "drain", "dram.write_queue", "4", NULL};
	const struct offer offers[] = {{0, DRAM_READ, at(0, 0, 0)}, {2, DRAM_WRITE, at(0, 0, 1)},
		{2, DRAM_WRITE, at(0, 0, 2)}, {2, DRAM_WRITE, at(0, 0, 3)},
		{2, DRAM_WRITE, at(0, 0, 4)}};
	struct played p;

	(void)state;
	play(settings, offers, ARRAY_LEN(offers), &p);
	assert_served(&p, order, ARRAY_LEN(order));
	assert_int_equal(p.s.row_misses, 1);
	assert_int_equal(p.s.row_hits, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bank_queue_holds_its_entries_and_no_more),
		cmocka_unit_test(a_closed_page_stays_open_for_a_burst_of_the_other_direction),
		cmocka_unit_test(only_the_burst_that_a_row_was_opened_for_misses),
		cmocka_unit_test(row_hits_come_first_and_the_oldest_of_them),
		cmocka_unit_test(the_older_of_a_read_and_a_write_opens_its_row_first),
		cmocka_unit_test(first_come_first_served_is_so_for_reads_and_writes_alike),
		cmocka_unit_test(a_cap_limits_the_row_hits_before_an_older_burst),
		cmocka_unit_test(nothing_has_priority_over_a_burst_that_has_waited_long),
		cmocka_unit_test(other_banks_go_on_while_an_overdue_burst_waits_for_its_row),
		cmocka_unit_test(a_burst_is_overdue_when_it_has_waited_that_long),
		cmocka_unit_test(refreshes_are_due_at_multiples_of_their_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
