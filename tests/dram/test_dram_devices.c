/* The devices: bandwidth, capacity and lone latencies by numbers, and devices that settings make.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/rig/dram_rig.h"

/* What products have: B/ns of all channels; MiB of a channel; and in CK, 1 + CL + burst, tRCD and
 * tRP. */
static const struct expected {
	const char *name;
	unsigned channels;
	double bytes_per_ns;
	unsigned mib, hit, open, close;
} expected[] = {
	{"m12", 6, 256, 1024, 15, 12, 12},
	{"gtx480", 6, 177.4, 1024, 15, 12, 12},
	{"gddr5_6000", 6, 288, 1024, 27, 18, 18},
	{"gddr5_6000_4gb", 6, 288, 1024, 21, 18, 18},
	{"gddr5_7000", 4, 224, 1024, 24, 21, 21},
	{"gddr5x_10000", 12, 480, 1024, 23, 15, 15},
	{"gddr6_10000", 16, 320, 512, 21, 20, 20},
	{"gddr6_14000", 16, 448, 512, 27, 27, 27},
	{"gddr6x_19000", 20, 760, 512, 36, 37, 37},
	{"hbm2", 16, 256, 512, 17, 14, 14},
	{"hbm2_4gb", 16, 256, 256, 17, 14, 14},
	{"hbm2e", 80, 2048, 1024, 26, 23, 23},
	{"hbm3", 32, 819.2, 512, 23, 31, 26},
	{"hbm3_5200", 160, 3350, 512, 20, 26, 22},
};

static void the_devices_have_their_products_bandwidth_and_capacity(void **state)
{
	size_t n = 0;

	(void)state;
	while (dram_devices[n].name)
		n++;
	assert_int_equal(n, ARRAY_LEN(expected));
	for (size_t i = 0; i < n; i++) {
		const struct dram_device *d = &dram_devices[i];
		const struct expected *e = &expected[i];
		double all = d->channels * dram_bytes_per_ns(d, d->tck_ps);

		assert_string_equal(d->name, e->name);
		assert_int_equal(d->channels, e->channels);
		if (all < 0.995 * e->bytes_per_ns || all > 1.005 * e->bytes_per_ns)
			fail_msg("%s: %g B/ns, not %g", d->name, all, e->bytes_per_ns);
		assert_int_equal((uint64_t)d->banks * d->rows * d->row_bytes >> 20, e->mib);
	}
}

static uint64_t lone(struct dram_rig *d, uint64_t burst, uint64_t clock)
{
	struct dram_event e = {0};

	controller_offer(&d->r->controller, DRAM_READ, burst, 0, clock);
	while (controller_advance(&d->r->controller, UINT64_MAX - 1, &e))
		if (e.command == DRAM_READ)
			break;
	return e.end - clock;
}

static void lone_reads_take_each_devices_clocks(void **state)
{
	(void)state;
	for (const struct expected *e = expected; e < expected + ARRAY_LEN(expected); e++) {
		const char *const settings[] = {"dram.device", e->name, "dram.refresh", "false",
			"dram.map", "RoBaBgCo", NULL};
		struct dram_rig d = dram_rig_new(settings);
		const struct dram_device *of = &d.r->controller.device;
		uint64_t row = of->row_bytes / of->burst_bytes * of->banks;

		assert_int_equal(lone(&d, 0, 1000), e->hit + e->open);
		assert_int_equal(lone(&d, 1, 2000), e->hit);
		assert_int_equal(lone(&d, row, 3000), e->hit + e->open + e->close);
		dram_rig_free(d);
	}
}

/* Nanoseconds hardly depend on a device's speed: what was taken over from another speed is in the
 * range of data sheets. */
static void the_array_is_as_slow_as_data_sheets_say(void **state)
{
	(void)state;
	for (const struct dram_device *d = dram_devices; d->name; d++) {
		double ns = d->tck_ps / 1000.0;

		if (!strcmp(d->name, "m12"))
			continue; /* no product's clock */
		assert_true(d->t.rcdrd * ns >= 11.9 && d->t.rcdrd * ns <= 20);
		assert_true(d->t.rp * ns >= 11.9 && d->t.rp * ns <= 17);
		assert_true(d->t.ras * ns >= 27.9 && d->t.ras * ns <= 35);
		assert_true(d->t.rc * ns >= 39.9 && d->t.rc * ns <= 49);
		assert_true(d->t.refi * ns >= 1890 && d->t.refi * ns <= 7900);
		assert_true(d->t.rfc * d->tck_ps >= 65000 && d->t.rfc * d->tck_ps <= 351000);
	}
}

static void a_sequence_of_reads_fills_every_devices_bus(void **state)
{
	enum { N = 40000 };

	(void)state;
	for (const struct dram_device *d = dram_devices; d->name; d++) {
		const char *const settings[] = {
			"dram.device", d->name, "dram.refresh", "false", NULL};
		struct dram_rig rig = dram_rig_new(settings);
		struct dram_access *trace = dram_trace("seq", N);
		struct dram_replayed r;

		for (uint32_t i = 0; i < N; i++)
			trace[i].address = (uint64_t)i * d->burst_bytes;
		dram_replay(rig.r, trace, N, &(struct dram_load){0}, &rig.rig->arena, &r);
		if (r.share < 0.97)
			fail_msg("%s: a share of %g", d->name, r.share);
		test_free(trace);
		dram_rig_free(rig);
	}
}

/* A device of the user's own is another one with figures replaced. */
static void settings_make_a_device(void **state)
{
	const char *const settings[] = {"dram.device", "hbm2", "dram.burst_bytes", "64",
		"dram.burst_ck", "4", "dram.ccds", "4", "dram.groups", "8", "dram.banks", "32",
		"dram.row_bytes", "2048", "dram.rows", "8192", "dram.rtw", "14", "dram.tck_ps",
		"500", "dram.refresh", "false", NULL};
	struct dram_rig d = dram_rig_new(settings);
	const struct dram_device *of = &d.r->controller.device;

	(void)state;
	assert_string_equal(controller_map(&d.r->controller), "RoBaCo4BgCo1");
	assert_true(dram_bytes_per_ns(of, of->tck_ps) == 32);
	assert_int_equal(dram_hit_ck(of), 1 + 14 + 4);
	assert_int_equal(lone(&d, 0, 1000), 19 + 14);
	/* a line further is another bank group: closed */
	assert_int_equal(lone(&d, 1, 2000), 19);
	assert_int_equal(lone(&d, 2, 3000), 19 + 14);
	dram_rig_free(d);
}

static uint32_t up(double ns, double tck)
{
	return (uint32_t)(ns / tck + 0.974);
}

/* A V100's HBM2 has 877 MHz: its array is not slower by that. */
static void the_array_keeps_its_nanoseconds_at_another_clock(void **state)
{
	const char *const settings[] = {"dram.device", "hbm2", "dram.tck_ps", "1140",
		"dram.keep_ns", "true", "dram.wr", "20", "dram.refresh", "false", "dram.map",
		"RoBaBgCo", NULL};
	const char *const faster[] = {
		"dram.device", "gddr5_6000", "dram.tck_ps", "500", "dram.keep_ns", "true", NULL};
	struct dram_rig d = dram_rig_new(settings), f = dram_rig_new(faster);
	const struct dram_timings *t = &d.r->controller.device.t, *of = NULL;

	(void)state;
	for (const struct dram_device *found = dram_devices; found->name; found++)
		if (!strcmp(found->name, "hbm2"))
			of = &found->t;
	assert_int_equal(t->rc, up(of->rc, 1.14));
	assert_int_equal(t->rcdrd, up(of->rcdrd, 1.14));
	assert_int_equal(t->rfc, up(of->rfc, 1.14));
	assert_int_equal(t->faw, up(of->faw, 1.14));
	assert_true(t->refi * 1.14 <= of->refi && (t->refi + 1) * 1.14 > of->refi);
	assert_int_equal(t->ccds, of->ccds);
	assert_int_equal(t->ccdl, of->ccdl);
	assert_int_equal(t->wr, 20); /* what is set is in clocks of that clock */
	assert_int_equal(lone(&d, 0, 1000), 1 + up(of->cl, 1.14) + 2 + up(of->rcdrd, 1.14));
	assert_int_equal(f.r->controller.device.t.rc, 81); /* of 40.02 ns; 56.03 + 24.01 clocks */
	assert_int_equal(f.r->controller.device.t.refi, 15606);
	dram_rig_free(d);
	dram_rig_free(f);
}

static void a_line_of_one_burst_has_its_map(void **state)
{
	const char *const settings[] = {"dram.burst_bytes", "128", "dram.burst_ck", "4",
		"dram.ccds", "4", "dram.ccdl", "4", "dram.rtw", "14", NULL};
	struct dram_rig d = dram_rig_new(settings);

	(void)state;
	assert_string_equal(controller_map(&d.r->controller), "RoBaCo5Bg");
	dram_rig_free(d);
}

static void impossible_geometries_are_refused_with_what_would_do(void **state)
{
	static const struct {
		const char *path, *value, *says;
	} faults[] = {
		{"dram.banks", "24", "dram.banks = 24: must be a power of two from 1 to 64, as 16"},
		{"dram.banks", "128", "from 1 to 64, as 64"},
		{"dram.groups", "32",
			"dram.groups = 32: must be a power of two from 1 to 16, as 16"},
		{"dram.groups", "3", "as 2"},
		{"dram.burst_bytes", "256",
			"dram.burst_bytes = 256: must be a power of two from 16 to 128, as 128"},
		{"dram.row_bytes", "32",
			"dram.row_bytes = 32: must be a power of two from 64 to 16777216, as 64"},
		{"dram.rows", "1000", "as 512"},
		{"dram.burst_ck", "3", "burst <= tCCD_S"},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_devices_have_their_products_bandwidth_and_capacity),
		cmocka_unit_test(lone_reads_take_each_devices_clocks),
		cmocka_unit_test(the_array_is_as_slow_as_data_sheets_say),
		cmocka_unit_test(a_sequence_of_reads_fills_every_devices_bus),
		cmocka_unit_test(settings_make_a_device),
		cmocka_unit_test(the_array_keeps_its_nanoseconds_at_another_clock),
		cmocka_unit_test(a_line_of_one_burst_has_its_map),
		cmocka_unit_test(impossible_geometries_are_refused_with_what_would_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
