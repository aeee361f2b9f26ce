/* The prober on chips of the simulator that are drawn by seed: what it finds out is what the chip
 * was configured with. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "core/rng.h"
#include "core/text.h"

struct wanted {
	const char *level, *item;
	double number; /* or, NAN: */
	char value[96];
};

/* A chip, as options, and what must be found. */
struct drawn {
	struct text options;
	struct wanted want[16];
	unsigned n;
};

static void want(struct drawn *d, const char *level, const char *item, double number)
{
	d->want[d->n++] = (struct wanted){.level = level, .item = item, .number = number};
}

static void want_value(struct drawn *d, const char *level, const char *item, const char *value)
{
	struct wanted *w = &d->want[d->n++];

	*w = (struct wanted){.level = level, .item = item};
	snprintf(w->value, sizeof(w->value), "%s", value);
}

static uint32_t pick(struct rng *r, const uint32_t *of, unsigned n)
{
	return of[rng_below(r, n)];
}
#define PICK(r, ...) \
	pick(r, (const uint32_t[]){__VA_ARGS__}, \
		sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void draw_policy(
	struct drawn *d, struct rng *r, const char *level, const char *path, uint32_t ways)
{
	static const char *const names[] = {"lru", "fifo", "random"};
	static const char *const values[] = {"LRU", "FIFO", "random"};
	uint32_t k = rng_below(r, ways == 4 ? 5 : 3);

	if (k == 3) {
		text_add(&d->options,
			" --set %s.replacement=weighted --set %s.weighted.weights=1,3,1,1", path,
			path);
		want_value(d, level, "replacement", "random, weights 1,3,1,1");
	} else if (k == 4) {
		text_add(&d->options,
			" --set %s.replacement=listed --set %s.listed.order=1,2,1,3,0", path, path);
		want_value(d, level, "replacement", "ways in the order 1, 2, 1, 3, 0");
	} else {
		text_add(&d->options, " --set %s.replacement=%s", path, names[k]);
		want_value(d, level, "replacement", ways == 1 ? "none: one way" : values[k]);
	}
}

static void want_cache(
	struct drawn *d, const char *level, uint32_t line, uint32_t sets, uint32_t ways)
{
	want(d, level, "line", line);
	want(d, level, "sets", sets);
	want(d, level, "ways", ways);
	want(d, level, "capacity", (double)line * sets * ways);
}

static void draw_l1(struct drawn *d, struct rng *r)
{
	static const char *const hashes[] = {"modulo", "xor", "polynomial", "fermi"};
	unsigned hash = rng_below(r, 4), sector = PICK(r, 32, 64, 128);
	uint32_t sets = hash ? PICK(r, 32, 64) : PICK(r, 16, 24, 48, 96), ways = PICK(r, 2, 4, 6);

	text_add(&d->options,
		"--chip m12 --only l1 --set storage.partitioned.cache_bytes=%u --set l1.ways=%u "
		"--set l1.set_hash=%s --set l1.hit_cycles=%u --set l1.whole_line=%s --set "
		"l1.sector_bytes=%u",
		sets * ways * 128, ways, hashes[hash], 20 + rng_below(r, 80),
		sector == 128 ? "true" : "false", sector);
	want_cache(d, "L1", 128, sets, ways);
	want(d, "L1", "fill", sector);
	draw_policy(d, r, "L1", "l1", ways);
}

static void draw_tex(struct drawn *d, struct rng *r)
{
	uint32_t line = PICK(r, 32, 64, 128), sets = PICK(r, 1, 2, 4, 6), ways = PICK(r, 4, 24, 48);

	text_add(&d->options,
		"--chip gtx780 --only tex --set tex.bytes=%u --set tex.line_bytes=%u --set "
		"tex.ways=%u --set tex.set_bytes=%u --set sm.texture_cycles=%u",
		line * sets * ways, line, ways, 128 * PICK(r, 1, 2), 60 + rng_below(r, 60));
	want_cache(d, "texture cache", line, sets, ways);
	draw_policy(d, r, "texture cache", "tex", ways);
}

static void draw_l2(struct drawn *d, struct rng *r)
{
	static const char *const hashes[] = {"modulo", "polynomial", "xor"};
	uint32_t channels = PICK(r, 2, 4), sets = PICK(r, 16, 24, 32, 40), ways = PICK(r, 2, 4);

	text_add(&d->options,
		"--chip m12 --only l2 --set chip.channels=%u --set chip.slices=1 --set l2.ways=%u "
		"--set l2.bytes=%u --set l1.operators=true --set chip.slice_hash=%s",
		channels, ways, sets * ways * 128, hashes[rng_below(r, 3)]);
	want_cache(d, "L2", 128, channels * sets, ways);
	draw_policy(d, r, "L2", "l2", ways);
}

static void draw_tlb(struct drawn *d, struct rng *r)
{
	uint32_t page = PICK(r, 64, 256, 1024, 2048) << 10, first = PICK(r, 4, 12, 16);
	uint32_t sets = 2 + rng_below(r, 4), more = rng_below(r, 10), window = PICK(r, 0, 128, 512);

	text_add(&d->options,
		"--chip %s --only tlb --set mmu.page_bytes=%u --set mmu.l1_entries=%u --set "
		"mmu.window_bytes=%u --set mmu.switch_cycles=90 --set mmu.l2_sets=%u",
		rng_below(r, 2) ? "m12" : "gtx560ti", page, first, window << 20, 16 + more);
	for (uint32_t i = 1; i < sets; i++)
		text_add(&d->options, ",16");
	want(d, "L1 TLB", "page", page);
	want(d, "L1 TLB", "ways", first);
	want(d, "L2 TLB", "sets", sets);
	want(d, "L2 TLB", "capacity", (double)page * (16 * sets + more));
	want(d, "page table", "window", (double)window * (1 << 20));
}

static void draw_shared(struct drawn *d, struct rng *r)
{
	uint32_t bank = PICK(r, 4, 8), latency = 20 + rng_below(r, 40), pass = 1 + rng_below(r, 30);

	text_add(&d->options,
		"--chip m12 --only shared --set sm.shared_cycles=%u --set sm.shared_pass_cycles=%u "
		"--set sm.shared_bank_bytes=%u",
		latency, pass, bank);
	want(d, "shared memory", "latency", latency);
	want(d, "shared memory", "latency of a further pass", pass);
	want(d, "shared memory", "banks", 32);
	want(d, "shared memory", "bank width", bank);
}

static json_t *finding(json_t *report, const struct wanted *w)
{
	json_t *all = json_object_get(report, "findings"), *f;
	size_t i;

	json_array_foreach(all, i, f) if (!strcmp(json_text(f, "level"), w->level) &&
					  !strcmp(json_text(f, "item"), w->item)) return f;
	return NULL;
}

/* 1: not determined. */
static unsigned check(json_t *report, const struct wanted *w, const char *options)
{
	json_t *f = finding(report, w);
	bool same;

	if (!f || !json_is_true(json_object_get(f, "known"))) {
		print_message("%s: %s, %s: not determined: %s\n", options, w->level, w->item,
			f ? json_text(f, "reason") : "not said");
		return 1;
	}
	same = *w->value ? !strcmp(json_text(f, "value"), w->value)
			 : json_number_value(json_object_get(f, "number")) == w->number;
	if (!same)
		fail_msg("%s: %s, %s: %s, must be %s%g", options, w->level, w->item,
			json_text(f, "value"), w->value, w->number);
	return 0;
}

/* What is not determined, and how many things were looked for. */
static unsigned probe(const struct desk *d, void (*draw)(struct drawn *, struct rng *),
	unsigned chips, unsigned *all)
{
	unsigned unknown = 0;

	for (unsigned seed = 0; seed < chips; seed++) {
		struct rng r = rng_new(seed, 21);
		struct drawn c = {.n = 0};
		struct text line = {0};
		json_t *report;

		draw(&c, &r);
		text_add(
			&line, "probe --set chip.sms=1 --json %%F/p.json %s", text_str(&c.options));
		assert_int_equal(desk_run(d, text_str(&line)), 0);
		report = desk_json(d, "p.json");
		for (unsigned i = 0; i < c.n; i++)
			unknown += check(report, &c.want[i], text_str(&c.options));
		*all += c.n;
		json_decref(report);
		text_clear(&line);
		text_clear(&c.options);
	}
	return unknown;
}

static void what_is_found_is_what_was_configured(void **state)
{
	unsigned all = 0, unknown = probe(*state, draw_l1, 4, &all);

	unknown += probe(*state, draw_tex, 2, &all);
	unknown += probe(*state, draw_tlb, 3, &all);
	unknown += probe(*state, draw_shared, 3, &all);
	unknown += probe(*state, draw_l2, 1, &all);
	assert_true(unknown * 50 <= all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_is_found_is_what_was_configured, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
