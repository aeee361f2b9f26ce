/* Every DRAM timing: blocked a clock before, ready at it; checked again, independently, on the
 * commands of random traffic. */
#include "tests/rig/dram_rig.h"
#include "tests/rig/policies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"

#define LONG 200u /* longer than all other timings together in these tests */

struct issue {
	enum dram_command command;
	unsigned bank;
	uint64_t clock;
};

/* Banks 0 .. 3 are a group, 4 .. 7 the next one. */
static const struct timing_case {
	const char *name;
	size_t timing; /* which one is LONG */
	unsigned nbefore;
	struct issue before[3], then; /* `then` is allowed from its clock on */
} cases[] = {
#define OF(name) #name, offsetof(struct dram_timings, name)
	{OF(rcdrd), 1, {{DRAM_ACTIVATE, 0, 10}}, {DRAM_READ, 0, 10 + LONG}},
	{OF(rcdwr), 1, {{DRAM_ACTIVATE, 0, 10}}, {DRAM_WRITE, 0, 10 + LONG}},
	{OF(rp), 2, {{DRAM_ACTIVATE, 0, 10}, {DRAM_PRECHARGE, 0, 60}},
		{DRAM_ACTIVATE, 0, 60 + LONG}},
	{OF(ras), 1, {{DRAM_ACTIVATE, 0, 10}}, {DRAM_PRECHARGE, 0, 10 + LONG}},
	{OF(rc), 2, {{DRAM_ACTIVATE, 0, 10}, {DRAM_PRECHARGE, 0, 38}},
		{DRAM_ACTIVATE, 0, 10 + LONG}},
	{OF(rrds), 1, {{DRAM_ACTIVATE, 0, 10}}, {DRAM_ACTIVATE, 4, 10 + LONG}},
	{OF(rrdl), 1, {{DRAM_ACTIVATE, 0, 10}}, {DRAM_ACTIVATE, 1, 10 + LONG}},
	{OF(rrdl), 1, {{DRAM_ACTIVATE, 0, 10}}, {DRAM_ACTIVATE, 4, 10 + 6}},
	{OF(ccds), 3, {{DRAM_ACTIVATE, 0, 10}, {DRAM_ACTIVATE, 4, 16}, {DRAM_READ, 0, 40}},
		{DRAM_READ, 4, 40 + LONG}},
	{OF(ccds), 3, {{DRAM_ACTIVATE, 0, 10}, {DRAM_ACTIVATE, 4, 16}, {DRAM_WRITE, 0, 40}},
		{DRAM_WRITE, 4, 40 + LONG}},
	{OF(ccdl), 2, {{DRAM_ACTIVATE, 0, 10}, {DRAM_READ, 0, 40}}, {DRAM_READ, 0, 40 + LONG}},
	{OF(ccdl), 3, {{DRAM_ACTIVATE, 0, 10}, {DRAM_ACTIVATE, 1, 16}, {DRAM_WRITE, 0, 40}},
		{DRAM_WRITE, 1, 40 + LONG}},
	{OF(ccdl), 3, {{DRAM_ACTIVATE, 0, 10}, {DRAM_ACTIVATE, 4, 16}, {DRAM_READ, 0, 40}},
		{DRAM_READ, 4, 40 + 2}},
	{OF(wr), 2, {{DRAM_ACTIVATE, 0, 10}, {DRAM_WRITE, 0, 40}},
		{DRAM_PRECHARGE, 0, 40 + 4 + 2 + LONG}},
	{OF(wtrs), 3, {{DRAM_ACTIVATE, 0, 10}, {DRAM_ACTIVATE, 4, 16}, {DRAM_WRITE, 0, 40}},
		{DRAM_READ, 4, 40 + 4 + 2 + LONG}},
	{OF(wtrl), 2, {{DRAM_ACTIVATE, 0, 10}, {DRAM_WRITE, 0, 40}},
		{DRAM_READ, 0, 40 + 4 + 2 + LONG}},
	{OF(wtrl), 3, {{DRAM_ACTIVATE, 0, 10}, {DRAM_ACTIVATE, 4, 16}, {DRAM_WRITE, 0, 40}},
		{DRAM_READ, 4, 40 + 4 + 2 + 5}},
	{OF(cwl), 2, {{DRAM_ACTIVATE, 0, 10}, {DRAM_WRITE, 0, 40}},
		{DRAM_READ, 0, 40 + LONG + 2 + 5}},
	{OF(rtp), 2, {{DRAM_ACTIVATE, 0, 10}, {DRAM_READ, 0, 40}}, {DRAM_PRECHARGE, 0, 40 + LONG}},
	{OF(ppd), 3, {{DRAM_ACTIVATE, 0, 10}, {DRAM_ACTIVATE, 4, 16}, {DRAM_PRECHARGE, 0, 60}},
		{DRAM_PRECHARGE, 4, 60 + LONG}},
	{OF(rtw), 2, {{DRAM_ACTIVATE, 0, 10}, {DRAM_READ, 0, 40}}, {DRAM_WRITE, 0, 40 + LONG}},
	{OF(rfc), 1, {{DRAM_REFRESH, 0, 10}}, {DRAM_ACTIVATE, 9, 10 + LONG}},
#undef OF
};

static struct dram_device device_with(size_t timing, uint32_t ck)
{
	struct dram_device d = dram_devices[1];

	assert_string_equal(d.name, "gtx480");
	memcpy((char *)&d.t + timing, &ck, sizeof(ck));
	return d;
}

static void every_timing_blocks_until_its_clock(void **state)
{
	static struct dram_timing t;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct timing_case *k = &cases[i];
		struct dram_device d = device_with(k->timing, LONG);

		dram_timing_init(&t, &d);
		for (unsigned n = 0; n < k->nbefore; n++) {
			const struct issue *b = &k->before[n];

			if (b->clock < dram_earliest(&t, b->command, b->bank))
				fail_msg("%s: case %zu cannot be set up", k->name, i);
			dram_issue(&t, b->command, b->bank, 7, b->clock);
		}
		if (dram_earliest(&t, k->then.command, k->then.bank) != k->then.clock)
			fail_msg("%s, case %zu: possible from %u on, not %u", k->name, i,
				(unsigned)dram_earliest(&t, k->then.command, k->then.bank),
				(unsigned)k->then.clock);
		dram_issue(&t, k->then.command, k->then.bank, 7, k->then.clock);
	}
}

static void at_most_four_activates_are_in_their_window(void **state)
{
	struct dram_device d = device_with(offsetof(struct dram_timings, faw), LONG);
	static struct dram_timing t;

	(void)state;
	dram_timing_init(&t, &d);
	for (unsigned i = 0; i < 4; i++)
		dram_issue(&t, DRAM_ACTIVATE, 4 * i, 0, 10 + 6 * i);
	assert_int_equal(dram_earliest(&t, DRAM_ACTIVATE, 1), 10 + LONG);
	dram_issue(&t, DRAM_ACTIVATE, 1, 0, 10 + LONG);
	assert_int_equal(dram_earliest(&t, DRAM_ACTIVATE, 5), 16 + LONG);
}

static void at_most_32_activates_are_in_theirs(void **state)
{
	struct dram_device d = device_with(offsetof(struct dram_timings, a32w), 1000);
	static struct dram_timing t;

	(void)state;
	d.banks = 64;
	dram_timing_init(&t, &d);
	for (unsigned i = 0; i < 32; i++)
		dram_issue(&t, DRAM_ACTIVATE, i, 0, 10 + 6 * i);
	assert_int_equal(dram_earliest(&t, DRAM_ACTIVATE, 40), 1010);
	dram_issue(&t, DRAM_ACTIVATE, 40, 0, 1010);
	assert_int_equal(dram_earliest(&t, DRAM_ACTIVATE, 41), 1016);
}

static void a_command_a_clock_is_all_the_bus_takes(void **state)
{
	static struct dram_timing t;

	(void)state;
	dram_timing_init(&t, &dram_devices[1]);
	dram_issue(&t, DRAM_ACTIVATE, 0, 0, 10);
	dram_issue(&t, DRAM_ACTIVATE, 4, 0, 16);
	dram_issue(&t, DRAM_READ, 0, 0, 22);
	assert_int_equal(dram_earliest(&t, DRAM_ACTIVATE, 8), 23);
}

/* ---- commands of a controller, checked by separate rules */
struct seen {
	enum dram_command command;
	unsigned bank;
	uint32_t row;
	uint64_t clock;
};

#define SEEN 100u

struct witness {
	const struct dram_device *d;
	struct seen seen[SEEN];
	uint64_t n;
	bool open[DRAM_BANKS];
	uint32_t row[DRAM_BANKS];
};

/* Minimum distance of `next` from `s`. */
static uint64_t distance(const struct dram_device *d, const struct seen *s, const struct seen *next)
{
	const struct dram_timings *t = &d->t;
	bool all = s->bank == DRAM_BANKS || next->bank == DRAM_BANKS;
	bool bank = s->bank == next->bank || all;
	bool group = s->bank / 4 == next->bank / 4;
	uint64_t written = t->cwl + d->burst_ck;

	switch (s->command * 8 + next->command) {
	case DRAM_READ * 8 + DRAM_READ:
	case DRAM_WRITE * 8 + DRAM_WRITE:
		return group ? t->ccdl : t->ccds;
	case DRAM_READ * 8 + DRAM_WRITE:
		return t->rtw;
	case DRAM_WRITE * 8 + DRAM_READ:
		return written + (group ? t->wtrl : t->wtrs);
	case DRAM_READ * 8 + DRAM_PRECHARGE:
		return bank ? t->rtp : 1;
	case DRAM_WRITE * 8 + DRAM_PRECHARGE:
		return bank ? written + t->wr : 1;
	case DRAM_ACTIVATE * 8 + DRAM_READ:
		return bank ? t->rcdrd : 1;
	case DRAM_ACTIVATE * 8 + DRAM_WRITE:
		return bank ? t->rcdwr : 1;
	case DRAM_ACTIVATE * 8 + DRAM_ACTIVATE:
		return bank ? t->rc : group ? t->rrdl : t->rrds;
	case DRAM_ACTIVATE * 8 + DRAM_PRECHARGE:
		return bank ? t->ras : 1;
	case DRAM_PRECHARGE * 8 + DRAM_ACTIVATE:
	case DRAM_PRECHARGE * 8 + DRAM_REFRESH:
		return bank ? t->rp : 1;
	case DRAM_PRECHARGE * 8 + DRAM_PRECHARGE:
		return t->ppd;
	case DRAM_REFRESH * 8 + DRAM_ACTIVATE:
	case DRAM_REFRESH * 8 + DRAM_REFRESH:
		return t->rfc;
	default:
		return 1;
	}
}

static void check_window(const struct witness *w, uint64_t now, unsigned most, uint32_t window)
{
	unsigned n = 0;

	for (uint64_t i = w->n < SEEN ? 0 : w->n - SEEN; i < w->n; i++) {
		const struct seen *s = &w->seen[i % SEEN];

		n += s->command == DRAM_ACTIVATE && s->clock + window > now;
	}
	assert_true(n < most);
}

static void check_rows(struct witness *w, const struct seen *s)
{
	unsigned b = s->bank;

	if (b == DRAM_BANKS) {
		for (unsigned i = 0; i < DRAM_BANKS; i++) {
			assert_false(s->command == DRAM_REFRESH && w->open[i]);
			w->open[i] = false;
		}
	} else if (s->command == DRAM_ACTIVATE) {
		assert_false(w->open[b]);
		w->open[b] = true;
		w->row[b] = s->row;
	} else {
		assert_true(w->open[b]);
		assert_true(s->command == DRAM_PRECHARGE || w->row[b] == s->row);
		w->open[b] = s->command != DRAM_PRECHARGE;
	}
}

static void witness(struct witness *w, const struct dram_event *e)
{
	struct seen s = {e->command, e->bank, e->row, e->clock};

	for (uint64_t i = w->n < SEEN ? 0 : w->n - SEEN; i < w->n; i++) {
		const struct seen *before = &w->seen[i % SEEN];

		if (s.clock < before->clock + distance(w->d, before, &s))
			fail_msg("command %d of bank %u at %u, after %d of bank %u at %u",
				s.command, s.bank, (unsigned)s.clock, before->command, before->bank,
				(unsigned)before->clock);
	}
	if (s.command == DRAM_ACTIVATE) {
		check_window(w, s.clock, 4, w->d->t.faw);
		check_window(w, s.clock, 32, w->d->t.a32w);
	}
	check_rows(w, &s);
	w->seen[w->n++ % SEEN] = s;
}

/* A burst of some stream: sometimes consecutive in a row, half of them writes. */
static uint64_t some_burst(struct rng *rng, uint64_t *last)
{
	if (rng_below(rng, 4) == 0)
		*last = rng_below(rng, 1u << 20);
	return ++*last;
}

/* Bursts arrive at random times; returns the longest wait of one. */
static uint64_t run_random(const char *const *settings, unsigned n, uint64_t seed)
{
	struct dram_rig d = dram_rig_new(settings);
	struct controller *c = &d.r->controller;
	struct witness w = {.d = &c->device};
	struct rng rng = rng_new(seed, 0);
	uint64_t clock = 0, last = 0, done = 0, longest = 0, refreshes;
	struct dram_event e;

	for (unsigned offered = 0; done < n;) {
		enum dram_command dir = rng_below(&rng, 2) ? DRAM_WRITE : DRAM_READ;

		clock += rng_below(&rng, rng_below(&rng, 50) ? 4 : 3000);
		while (controller_advance(c, clock, &e)) {
			witness(&w, &e);
			done += e.command <= DRAM_WRITE;
			if (e.command <= DRAM_WRITE)
				longest = max_u64(longest, e.clock - e.accepted);
		}
		if (offered == n || !controller_space(c, dir))
			continue;
		refreshes = d.r->s.refreshes;
		controller_offer(c, dir, some_burst(&rng, &last), offered++, clock);
		if (d.r->s.refreshes != refreshes) /* while idle: without an event */
			w = (struct witness){.d = &c->device};
	}
	assert_int_equal(d.r->s.reads + d.r->s.writes, n);
	assert_int_equal((d.r->s.bytes_read + d.r->s.bytes_write), (uint64_t)n * w.d->burst_bytes);
	assert_int_equal(d.r->s.row_hits + d.r->s.row_misses + d.r->s.row_conflicts, (uint64_t)n);
	assert_int_equal(d.r->s.busy_ps, (uint64_t)n * w.d->burst_ck * w.d->tck_ps);
	dram_rig_free(d);
	return longest;
}

static void no_command_of_random_traffic_breaks_a_timing(void **state)
{
	static const char *const scheds[] = {"fcfs", "frfcfs", "frfcfs_cap", "frfcfs_cap"};
	static const char *const writes[] = {"drain", "mixed", "drain", "mixed"};

	(void)state;
	for (const struct dram_device *d = dram_devices; d->name; d++)
		for (unsigned i = 0; i < ARRAY_LEN(scheds); i++) {
			const char *settings[] = {"dram.device", d->name, "dram.scheduler",
				scheds[i], "dram.hash", "polynomial", "dram.queue",
				i % 2 ? "7" : "32", "dram.write_queue", i < 2 ? "0" : "16",
				"dram.writes", writes[i], "dram.bank_queue", i == 3 ? "2" : "0",
				NULL};

			assert_in_range(run_random(settings, 3000, i), 1, 8000);
		}
}

static void a_refresh_comes_every_interval_also_while_idle(void **state)
{
	const char *const settings[] = {"dram.device", "gtx480", NULL};
	struct dram_rig d = dram_rig_new(settings);
	struct controller *c = &d.r->controller;
	struct dram_event e;

	(void)state;
	controller_offer(c, DRAM_READ, 0, 0, 3890);
	assert_true(controller_advance(c, 1000000, &e));
	assert_int_equal(e.command, DRAM_ACTIVATE);
	assert_int_equal(e.clock, 3891);
	/* Due at 3900; the row must stay open for tRAS, and be closed for tRP. */
	assert_true(controller_advance(c, 1000000, &e));
	assert_int_equal(e.command, DRAM_PRECHARGE);
	assert_int_equal(e.clock, 3891 + 28);
	assert_true(controller_advance(c, 1000000, &e));
	assert_int_equal(e.command, DRAM_REFRESH);
	assert_int_equal(e.clock, 3891 + 40);
	assert_true(controller_advance(c, 1000000, &e));
	assert_int_equal(e.command, DRAM_ACTIVATE);
	assert_int_equal(e.clock, 3891 + 40 + 110);
	assert_true(controller_advance(c, 1000000, &e));
	assert_int_equal(e.command, DRAM_READ);
	assert_false(controller_advance(c, 1000000, &e));
	controller_offer(c, DRAM_READ, 0, 0, 1000001);
	assert_int_equal(d.r->s.refreshes, 1000001 / 3900);
	dram_rig_free(d);
}

static void a_burst_arrives_right_after_a_refresh_while_idle(void **state)
{
	const char *const settings[] = {"dram.device", "gtx480", NULL};
	struct dram_rig d = dram_rig_new(settings);
	struct controller *c = &d.r->controller;
	struct dram_event e;

	(void)state;
	controller_offer(c, DRAM_READ, 0, 0, 7800 + 50);
	assert_int_equal(d.r->s.refreshes, 2);
	assert_true(controller_advance(c, 1000000, &e));
	assert_int_equal(e.command, DRAM_ACTIVATE);
	assert_int_equal(e.clock, 7800 + 110);
	dram_rig_free(d);
}

/* One burst at a time, without refresh: the clocks from acceptance to the last beat. */
static uint64_t lone(struct dram_rig *d, uint64_t burst, uint64_t clock)
{
	struct dram_event e = {0};

	controller_offer(&d->r->controller, DRAM_READ, burst, 0, clock);
	while (controller_advance(&d->r->controller, UINT64_MAX - 1, &e))
		if (e.command == DRAM_READ)
			break;
	return e.end - clock;
}

static void a_row_hit_takes_15_clocks_a_conflict_39(void **state)
{
	const char *const settings[] = {
		"dram.device", "gtx480", "dram.refresh", "false", "dram.map", "RoBaBgCo", NULL};
	struct dram_rig d = dram_rig_new(settings);

	(void)state;
	assert_int_equal(lone(&d, 0, 100), 27);
	assert_int_equal(lone(&d, 1, 200), 15);
	assert_int_equal(lone(&d, 1024, 300), 39);
	assert_int_equal(d.r->s.row_misses, 1);
	assert_int_equal(d.r->s.row_hits, 1);
	assert_int_equal(d.r->s.row_conflicts, 1);
	dram_rig_free(d);
}

static void a_closed_page_is_closed_after_its_last_burst(void **state)
{
	const char *const settings[] = {"dram.device", "gtx480", "dram.refresh", "false",
		"dram.map", "RoBaBgCo", "dram.closed_page", "true", NULL};
	struct dram_rig d = dram_rig_new(settings);

	(void)state;
	assert_int_equal(lone(&d, 0, 100), 27);
	assert_int_equal(lone(&d, 1, 200), 27);
	assert_int_equal(lone(&d, 1024, 300), 27);
	/* While its precharge, at 301 + tRAS, and tRP are in progress. */
	assert_int_equal(lone(&d, 1024, 330), 301 + 40 + 12 + 14 - 330);
	assert_int_equal(d.r->s.precharges, 4);
	dram_rig_free(d);
}

/* A stream of hits, and one burst to another row of the bank; also of the other direction. */
static uint64_t wait_beside_hits(const char *scheduler, enum dram_command dir, uint64_t burst)
{
	const char *const settings[] = {"dram.device", "gtx480", "dram.scheduler", scheduler,
		"dram.map", "RoBaBgCo", "dram.max_wait", "1000", "dram.queue", "32",
		"dram.write_queue", "32", NULL};
	struct dram_rig d = dram_rig_new(settings);
	struct controller *c = &d.r->controller;
	uint64_t waited = 0;
	struct dram_event e;

	for (uint64_t clock = 0; !waited; clock++) {
		assert_true(clock < 20000);
		while (controller_advance(c, clock, &e))
			if (e.command == dir && e.user == 1)
				waited = e.clock - e.accepted;
		if (clock == 500)
			controller_offer(c, dir, burst, 1, clock);
		else if (controller_space(c, DRAM_READ) > 1)
			controller_offer(c, DRAM_READ, clock % 64, 0, clock);
	}
	dram_rig_free(d);
	return waited;
}

static void no_burst_starves_beside_row_hits(void **state)
{
	static const char *const scheds[] = {"fcfs", "frfcfs", "frfcfs_cap", "read_first"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(scheds); i++) {
		assert_in_range(wait_beside_hits(scheds[i], DRAM_READ, 1024), 1, 1200);
		assert_in_range(wait_beside_hits(scheds[i], DRAM_WRITE, 1), 1, 1200);
		assert_in_range(wait_beside_hits(scheds[i], DRAM_WRITE, 2048), 1, 1200);
	}
	/* max_wait does it, not the schedulers. */
	assert_in_range(wait_beside_hits("frfcfs", DRAM_READ, 1024), 1000, 1200);
	assert_in_range(wait_beside_hits("frfcfs_cap", DRAM_READ, 1024), 1, 200);
}

/* ---- errors */
static void contradictions_are_refused_by_their_constraint(void **state)
{
	static const struct {
		const char *path, *value, *says;
	} faults[] = {
		{"dram.ras", "29", "tRAS + tRP <= tRC"},
		{"dram.rc", "39", "tRAS + tRP <= tRC"},
		{"dram.rcdwr", "29", "tRCDWR <= tRAS"},
		{"dram.rrds", "7", "tRRD_S <= tRRD_L"},
		{"dram.rrdl", "41", "tRRD_L <= tRC"},
		{"dram.faw", "5", "tRRD_S <= tFAW"},
		{"dram.a32w", "22", "tFAW <= t32AW"},
		{"dram.ccds", "1", "burst <= tCCD_S"},
		{"dram.ccdl", "1", "tCCD_S <= tCCD_L"},
		{"dram.wtrs", "6", "tWTR_S <= tWTR_L"},
		{"dram.rtw", "9", "CL + burst <= CWL + read-to-write"},
		{"dram.refi", "200", "tRFC + tRC + 4 tFAW <= tREFI"},
		{"dram.queue", "0", "dram.queue"},
		{"dram.device", "gddr7", "must be one of m12, gtx480"},
		{"dram.scheduler", "best", "dram.scheduler"},
		{"dram.hash", "sum", "there are: none, polynomial, xor"},
		{"dram.writes", "later", "dram.writes"},
		{"dram.drain.write_low", "81", "must not be above dram.drain.write_high"},
		{"dram.write_low", "19", "it was renamed to 'dram.drain.write_low'"},
		{"dram.map", "RoBaCo", "Bg: missing bits"},
		{"dram.map", "RoBaBgCoBg", "Bg: doubled bits"},
		{"dram.map", "RoBaBgCo7", "Co: doubled bits"},
		{"dram.map", "RoBaBgCo5", "Co: missing bits"},
		{"dram.map", "RoBaBgCh", "unknown field"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		const char *const settings[] = {faults[i].path, faults[i].value, NULL};
		struct dram_rig d = dram_rig_try(settings);

		if (d.rig->err.code != ERR_INPUT || !strstr(err_text(&d.rig->err), faults[i].says))
			fail_msg("%s = %s: '%s', not '%s'", faults[i].path, faults[i].value,
				err_text(&d.rig->err), faults[i].says);
		dram_rig_free(d);
	}
}

static void all_devices_meet_the_constraints(void **state)
{
	(void)state;
	for (const struct dram_device *d = dram_devices; d->name; d++) {
		struct err err = {0};

		dram_device_check(d, &err);
		assert_string_equal(err_text(&err), "");
	}
}

/* ---- maps */
static struct dram_location location(const char *fields, const char *hash, uint64_t address)
{
	struct rig *rig = rig_new((struct sim_config){0});
	const struct policy *policy = test_policy("dram hash", hash, &rig->arena);
	struct dram_location location;
	struct dram_map m;

	assert_int_equal(dram_map_init(&m, fields, policy, &dram_devices[1], &rig->err), 0);
	location = dram_map_locate(&m, address / 64);
	rig_free(rig);
	return location;
}

static void maps_take_the_bits_of_their_fields(void **state)
{
	uint64_t a = 5u << 16 | 2u << 14 | 3u << 12 | 7u << 6;

	(void)state;
	assert_int_equal(location("RoBaBgCo", "none", a).row, 5);
	assert_int_equal(location("RoBaBgCo", "none", a).bank, 3 * 4 + 2);
	a = 5u << 16 | 2u << 14 | 40u << 8 | 1u << 6;
	assert_int_equal(location("RoBaCoBg", "none", a).row, 5);
	assert_int_equal(location("RoBaCoBg", "none", a).bank, 1 * 4 + 2);
	a = 5u << 16 | 2u << 14 | 3u << 11 | 3u << 9 | 7u << 6;
	assert_int_equal(location("RoBaCo3BgCo3", "none", a).row, 5);
	assert_int_equal(location("RoBaCo3BgCo", "none", a).bank, 3 * 4 + 2);
	a = 3u << 28 | 5u << 16;
	assert_int_equal(location("Ro2BaBgRoCo", "none", a).row, 3u << 12 | 5u << 4);
	/* Beyond the device: wraps around to row 0. */
	assert_int_equal(location("RoBaBgCo", "none", UINT64_C(1) << 30).row, 0);
}

/* For every row a hash permutes the banks, so none is lost. A stride of one row in one bank reaches
 * all banks. */
static void hashes_spread_rows_over_banks_and_lose_none(void **state)
{
	static const char *const hashes[] = {"none", "xor", "polynomial"};

	(void)state;
	for (unsigned h = 0; h < ARRAY_LEN(hashes); h++) {
		uint64_t near = 0, far = 0;

		for (uint64_t row = 0; row < 100; row++) {
			uint64_t banks = 0;

			for (uint64_t b = 0; b < 16; b++)
				banks |= UINT64_C(1)
					 << location("RoBaBgCo", hashes[h], row << 16 | b << 12)
						    .bank;
			assert_int_equal(banks, 0xffff);
			near |= UINT64_C(1) << location("RoBaBgCo", hashes[h], row << 16).bank;
			far |= UINT64_C(1) << location("RoBaBgCo", hashes[h], row << 20).bank;
		}
		assert_int_equal(count_bits(near), h ? 16 : 1);
		assert_int_equal(count_bits(far), h == 2 ? 16 : 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_timing_blocks_until_its_clock),
		cmocka_unit_test(at_most_four_activates_are_in_their_window),
		cmocka_unit_test(at_most_32_activates_are_in_theirs),
		cmocka_unit_test(a_command_a_clock_is_all_the_bus_takes),
		cmocka_unit_test(no_command_of_random_traffic_breaks_a_timing),
		cmocka_unit_test(a_refresh_comes_every_interval_also_while_idle),
		cmocka_unit_test(a_burst_arrives_right_after_a_refresh_while_idle),
		cmocka_unit_test(a_row_hit_takes_15_clocks_a_conflict_39),
		cmocka_unit_test(a_closed_page_is_closed_after_its_last_burst),
		cmocka_unit_test(no_burst_starves_beside_row_hits),
		cmocka_unit_test(contradictions_are_refused_by_their_constraint),
		cmocka_unit_test(all_devices_meet_the_constraints),
		cmocka_unit_test(maps_take_the_bits_of_their_fields),
		cmocka_unit_test(hashes_spread_rows_over_banks_and_lose_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
