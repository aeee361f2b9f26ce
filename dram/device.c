/* The devices, and the constraints that a device must meet. */
#include "dram/device.h"

#include <stdio.h>
#include <string.h>

/* A GTX 480's GDDR5 in clocks of 1.0823 ns; m12 has the same clocks at 750 ps. */
#define GDDR5_3700 \
	{ \
		.cl = 12, .cwl = 4, .rcdrd = 12, .rcdwr = 10, .rp = 12, .ras = 28, .rc = 40, \
		.rrds = 6, .rrdl = 6, .faw = 23, .a32w = 184, .ccds = 2, .ccdl = 3, .wr = 12, \
		.wtrs = 5, .wtrl = 5, .rtp = 2, .ppd = 1, .rtw = 12, .refi = 3900, .rfc = 110 \
	}
#define GDDR5_SHAPE \
	.burst_bytes = 64, .burst_ck = 2, .groups = 4, .banks = 16, .row_bytes = 4096, \
	.rows = 16384, .channels = 6, .map = "RoBaCo5BgCo1"

const struct dram_device dram_devices[] = {
	{"m12", "GDDR5, 64 bits, the gtx480's clocks at 750 ps: six channels are 256 B/ns", 750,
		GDDR5_SHAPE, .t = GDDR5_3700},
	{"gtx480", "GDDR5 at 3.7 Gbps, 64 bits", 1082, GDDR5_SHAPE, .t = GDDR5_3700},
	{"gddr5_6000", "GDDR5 at 6 Gbps, 64 bits", 667, GDDR5_SHAPE,
		.t = {.cl = 24,
			.cwl = 7,
			.rcdrd = 18,
			.rcdwr = 15,
			.rp = 18,
			.ras = 42,
			.rc = 60,
			.rrds = 9,
			.rrdl = 9,
			.faw = 35,
			.a32w = 280,
			.ccds = 2,
			.ccdl = 3,
			.wr = 18,
			.wtrs = 8,
			.wtrl = 8,
			.rtp = 5,
			.ppd = 2,
			.rtw = 19,
			.refi = 11699,
			.rfc = 98}},
	{"gddr5_6000_4gb", "GDDR5 at 6 Gbps, 64 bits, 4 Gb chips", 667, GDDR5_SHAPE,
		.t = {.cl = 18,
			.cwl = 5,
			.rcdrd = 18,
			.rcdwr = 15,
			.rp = 18,
			.ras = 42,
			.rc = 60,
			.rrds = 9,
			.rrdl = 9,
			.faw = 35,
			.a32w = 276,
			.ccds = 2,
			.ccdl = 3,
			.wr = 18,
			.wtrs = 8,
			.wtrl = 8,
			.rtp = 2,
			.ppd = 2,
			.rtw = 17,
			.refi = 2850,
			.rfc = 390}},
	{"gddr6_14000", "GDDR6 at 14 Gbps, 16 bits", 570, .burst_bytes = 32, .burst_ck = 2,
		.groups = 4, .banks = 16, .row_bytes = 2048, .rows = 16384, .channels = 16,
		.map = "RoBaCo4BgCo2",
		.t = {.cl = 24,
			.cwl = 6,
			.rcdrd = 27,
			.rcdwr = 16,
			.rp = 27,
			.ras = 53,
			.rc = 80,
			.rrds = 8,
			.rrdl = 8,
			.faw = 29,
			.ccds = 2,
			.ccdl = 4,
			.wr = 27,
			.wtrs = 9,
			.wtrl = 11,
			.rtp = 4,
			.ppd = 1,
			.rtw = 25,
			.refi = 3333,
			.rfc = 211}},
	{"hbm2", "HBM2 at 2 Gbps, a pseudo channel of 64 bits", 1000, .burst_bytes = 32,
		.burst_ck = 2, .groups = 4, .banks = 16, .row_bytes = 1024, .rows = 32768,
		.channels = 16, .map = "RoBaCo3BgCo2",
		.t = {.cl = 14,
			.cwl = 4,
			.rcdrd = 14,
			.rcdwr = 14,
			.rp = 14,
			.ras = 34,
			.rc = 48,
			.rrds = 4,
			.rrdl = 6,
			.faw = 30,
			.ccds = 2,
			.ccdl = 4,
			.wr = 16,
			.wtrs = 6,
			.wtrl = 8,
			.rtp = 5,
			.ppd = 1,
			.rtw = 13,
			.refi = 3900,
			.rfc = 260}},
	{0},
};

const struct dram_device *dram_device_find(const char *name, const char *where, struct err *err)
{
	char all[512] = "";
	size_t n = 0;

	for (const struct dram_device *d = dram_devices; d->name; d++) {
		if (!strcmp(d->name, name))
			return d;
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s", n ? ", " : "", d->name);
	}
	err_add(err, ERR_INPUT, "%s = %s: must be one of %s", where, name, all);
	return NULL;
}

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static int check_shape(const struct dram_device *d, struct err *err)
{
	const struct {
		const char *what;
		bool kept;
	} rules[] = {
		{"the number of banks must be a power of two, at most 64",
			power_of_two(d->banks) && d->banks <= 64},
		{"the number of banks must be a multiple of the number of bank groups",
			power_of_two(d->groups) && d->groups <= d->banks},
		{"a row's bytes must be a power of two of bursts",
			power_of_two(d->row_bytes) && power_of_two(d->burst_bytes) &&
				d->burst_bytes >= 16 && d->row_bytes >= d->burst_bytes},
		{"the number of rows must be a power of two", power_of_two(d->rows)},
		{"the burst length and the clock period must not be 0", d->burst_ck && d->tck_ps},
	};
	int bad = 0;

	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (!rules[i].kept)
			bad = err_add(
				err, ERR_INPUT, "dram.device = %s: %s", d->name, rules[i].what);
	return bad;
}

/* left <= right must hold. */
struct rule {
	const char *what;
	uint32_t left, right;
};

static int check_rules(
	const struct dram_device *d, const struct rule *rules, size_t n, struct err *err)
{
	int bad = 0;

	for (size_t i = 0; i < n; i++)
		if (rules[i].left > rules[i].right)
			bad = err_add(err, ERR_INPUT,
				"dram.device = %s: timings contradict each other: %s, "
				"but %u > %u CK",
				d->name, rules[i].what, rules[i].left, rules[i].right);
	return bad;
}

int dram_device_check(const struct dram_device *d, struct err *err)
{
	const struct dram_timings *t = &d->t;
	const struct rule rules[] = {
		{"tRAS + tRP <= tRC", t->ras + t->rp, t->rc},
		{"tRCDRD + tRTP <= tRC", t->rcdrd + t->rtp, t->rc},
		{"tRCDRD <= tRAS", t->rcdrd, t->ras},
		{"tRCDWR <= tRAS", t->rcdwr, t->ras},
		{"tRRD_S <= tRRD_L", t->rrds, t->rrdl},
		{"tRRD_L <= tRC", t->rrdl, t->rc},
		{"tRRD_S <= tFAW", t->rrds, t->faw},
		{"tFAW <= t32AW", t->a32w ? t->faw : 0, t->a32w},
		{"burst <= tCCD_S", d->burst_ck, t->ccds},
		{"tCCD_S <= tCCD_L", t->ccds, t->ccdl},
		{"tWTR_S <= tWTR_L", t->wtrs, t->wtrl},
		{"CL + burst <= CWL + read-to-write", t->cl + d->burst_ck, t->cwl + t->rtw},
		{"1 <= CL", 1, t->cl},
		{"1 <= CWL", 1, t->cwl},
		{"1 <= tRP", 1, t->rp},
		{"tRFC + tRC + 4 tFAW <= tREFI", t->rfc + t->rc + 4 * t->faw, t->refi},
	};
	int bad = check_shape(d, err);

	return check_rules(d, rules, ARRAY_LEN(rules), err) | bad;
}
