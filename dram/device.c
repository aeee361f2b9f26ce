/* Finding a device, and the constraints that a device must meet. */
#include "dram/controller.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "msg/packet.h"

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

/* JEDEC's rounding (JESD79-4, 13.5): up, but a fortieth of a clock too much is none. */
static uint32_t in_clocks(uint32_t clocks, uint32_t from_ps, uint32_t to_ps)
{
	return (uint32_t)(((uint64_t)clocks * from_ps * 1000 / to_ps + 974) / 1000);
}

/* The array is as fast whatever the clock: JEDEC's timings of it are nanoseconds; refreshes are not
 * later. What remains in clocks is what the bus and the command pins take. */
static void keep_ns(struct dram_device *d, uint32_t to_ps)
{
#define KEEP(P, T, name, text) .name = in_clocks(d->t.name, d->tck_ps, to_ps),
	struct dram_timings t = {DRAM_TIMINGS(KEEP, , )};
#undef KEEP

	t.ccds = d->t.ccds;
	t.ccdl = d->t.ccdl;
	t.ppd = d->t.ppd;
	t.refi = (uint32_t)((uint64_t)d->t.refi * d->tck_ps / to_ps);
	t.rc = (uint32_t)max_u64(t.rc, t.ras + t.rp);
	t.rtw = (uint32_t)max_u64(t.rtw, t.cl + d->burst_ck - t.cwl);
	d->t = t;
}

void dram_device_set(struct dram_device *d, const struct dram_params *p)
{
	if (p->keep_ns && p->tck_ps)
		keep_ns(d, (uint32_t)p->tck_ps);
#define SET(P, T, name, text) \
	if (p->name) \
		d->t.name = (uint32_t)p->name;
#define SET_SHAPE(P, T, name, unit, text) \
	if (p->name) \
		d->name = (uint32_t)p->name;
	DRAM_TIMINGS(SET, , )
	DRAM_SHAPE(SET_SHAPE, , )
#undef SET_SHAPE
#undef SET
	if (p->tck_ps)
		d->tck_ps = (uint32_t)p->tck_ps;
}

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

int dram_useful_check(const struct controller *c, struct err *err)
{
	if (!c->p->useful_bytes || c->p->useful_bytes == controller_block_bytes(c))
		return 0;
	return err_add(err, ERR_INPUT,
		"dram.useful_bytes = %" PRIu64 ": must be a power of two from %u to a burst's %u",
		c->p->useful_bytes, DRAM_LEAST_BYTES, c->device.burst_bytes);
}

/* A number of the geometry, and what it must be. */
struct shape_rule {
	const char *path;
	uint32_t value, low, high;
};

/* The nearest of the powers of two that would do. */
static uint32_t nearest(const struct shape_rule *r)
{
	uint32_t n = 1;

	while (n * 2 <= r->value && n * 2 <= r->high)
		n *= 2;
	return n < r->low ? r->low : n;
}

static int check_shape(const struct dram_device *d, struct err *err)
{
	const struct shape_rule rules[] = {
		{"burst_bytes", d->burst_bytes, DRAM_LEAST_BYTES, LINE_BYTES},
		{"banks", d->banks, 1, DRAM_BANKS},
		{"groups", d->groups, 1, d->banks},
		{"row_bytes", d->row_bytes, d->burst_bytes, 1u << 24},
		{"rows", d->rows, 1, 1u << 24},
	};
	int bad = 0;

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const struct shape_rule *r = &rules[i];

		if (!power_of_two(r->value) || r->value < r->low || r->value > r->high)
			bad = err_add(err, ERR_INPUT,
				"dram.%s = %u: must be a power of two from %u to %u, as %u",
				r->path, r->value, r->low, r->high, nearest(r));
	}
	if (!d->tck_ps || !d->burst_ck)
		bad = err_add(err, ERR_INPUT,
			"dram.device = %s: the burst length and the clock period must not be 0",
			d->name);
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

void dram_device_map(const struct dram_device *d, char text[DRAM_MAP_TEXT])
{
	unsigned all = low_bit(d->row_bytes / d->burst_bytes);
	unsigned line = low_bit(LINE_BYTES / d->burst_bytes), low = line < all ? line : all;

	if (low)
		snprintf(text, DRAM_MAP_TEXT, "RoBaCo%uBgCo%u", all - low, low);
	else
		snprintf(text, DRAM_MAP_TEXT, "RoBaCo%uBg", all);
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
		{"tRFCSB + tRC <= tREFI", t->rfcb + t->rc, t->refi},
		{"tRFC + tRC + 4 tFAW <= tREFI", t->rfc + t->rc + 4 * t->faw, t->refi},
	};
	int bad = check_shape(d, err);

	return check_rules(d, rules, ARRAY_LEN(rules), err) | bad;
}
