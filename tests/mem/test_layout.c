/* A register, a word of shared memory and a line of the cache never overlap: every byte of a split
 * that the designs make is mapped to its bank and row, and no location is used twice; and accesses
 * to those locations have the conflicts that the bank model counts. */
#include "mem/layout.h"

#include "core/base.h"
#include "core/config.h"
#include "core/mem.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KB 1024u
#define STORE_BYTES (1u << 20) /* more than the storage of any split here */

struct design {
	const struct plugin *plugin;
	const struct storage_ops *ops;
	struct config *config;
	uint64_t self[64];
};

static bool open_design(struct design *d, const char *name, const char *settings)
{
	char text[256], path[160], *save = NULL;
	struct storage_split most;
	struct err err = {0};
	bool good;

	*d = (struct design){.config = config_new()};
	d->plugin = plugin_find("storage", name, "test", &err);
	assert_non_null(d->plugin);
	assert_true(d->plugin->size <= sizeof(d->self));
	d->ops = d->plugin->ops;
	snprintf(text, sizeof(text), "%s", settings);
	for (char *s = strtok_r(text, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
		snprintf(path, sizeof(path), "%s.%s", d->plugin->path, s);
		assert_int_equal(config_set_text(d->config, path, "test", &err), 0);
	}
	assert_int_equal(config_load(d->config, d->plugin->path, d->plugin->params,
				 d->plugin->nparams, d->self, &err),
		0);
	good = !d->ops->most(d->self, &most, &err);
	err_clear(&err);
	return good;
}

static void close_design(struct design *d)
{
	config_free(d->config);
}

/* ---- used bytes, a bit each */
struct taken {
	uint64_t *bits[3]; /* by store */
	uint64_t n, capacity[3];
};

static struct taken taken_new(const struct bank_layout *l, const struct storage_split *s)
{
	struct taken t = {0};

	for (unsigned i = 0; i < 3; i++) {
		t.bits[i] = mem_alloc(STORE_BYTES / 64, sizeof(uint64_t));
		assert_non_null(t.bits[i]);
	}
	t.capacity[LAYOUT_REGISTERS] = l->unified ? l->bytes : s->register_bytes;
	if (l->unified)
		return t;
	t.capacity[LAYOUT_SHARED] = l->one_store ? l->shared_capacity * 32 : s->shared_bytes;
	t.capacity[LAYOUT_CACHE] = l->one_store ? 0 : s->cache_bytes;
	return t;
}

static void taken_free(struct taken *t)
{
	for (unsigned i = 0; i < 3; i++)
		mem_free(t->bits[i]);
}

static void take(struct taken *t, const struct bank_layout *l, const struct bank_location *p)
{
	unsigned width = p->store == LAYOUT_REGISTERS ? 16 : 4;
	uint64_t at = (p->row * 32 + p->bank) * width + p->byte;

	assert_true(p->bank < 32 && p->byte < width);
	assert_true(!l->unified || p->store == LAYOUT_REGISTERS);
	assert_true(at < t->capacity[p->store] && at < STORE_BYTES);
	assert_false(t->bits[p->store][at / 64] >> at % 64 & 1);
	t->bits[p->store][at / 64] |= UINT64_C(1) << at % 64;
	t->n++;
}

static void take_registers(
	struct taken *t, const struct layout_map *m, uint32_t regs, uint64_t warps)
{
	for (unsigned w = 0; w < warps; w++)
		for (unsigned r = 0; r < regs; r++)
			for (unsigned i = 0; i < WARP_LANES * 4; i++) {
				struct bank_location p =
					layout_of_register(m, regs, w, r, i / 4, i % 4);

				assert_int_equal(p.bank % 8, i / 16); /* the lane's cluster */
				assert_int_equal(
					p.bank / 8, (r + w) % 4); /* as reads are counted */
				take(t, &m->layout, &p);
			}
}

static void take_memory(struct taken *t, const struct layout_map *m)
{
	for (uint64_t a = 0; a < m->split.shared_bytes; a++) {
		struct bank_location p = layout_of_shared(m, a);

		if (m->layout.unified) {
			assert_int_equal(p.bank % 8, a / 16 % 8);
			assert_int_equal(p.bank / 8, a / 128 % 4);
		} else {
			assert_int_equal(p.bank, a / 4 % 32);
		}
		take(t, &m->layout, &p);
	}
	for (uint64_t a = 0; a < m->split.cache_bytes; a++) {
		struct bank_location p = layout_of_line(m, a / 128, (unsigned)(a % 128));

		if (m->layout.unified) /* of one bank in every cluster */
			assert_int_equal(p.bank % 8, a % 128 / 16);
		take(t, &m->layout, &p);
	}
}

/* All bytes of a split, with resident CTAs of each of n kernels in turn. Registers of one kernel
 * may overlap those of another: they are not resident together. */
static void check_locations(const struct design *d, const struct storage_split *split,
	const struct storage_need *needs, unsigned n)
{
	struct bank_layout layout = d->ops->banks(d->self);
	struct layout_map m;

	assert_true(layout_map(&m, &layout, split, needs, n));
	for (unsigned i = 0; i < n; i++) {
		uint64_t warps = (uint64_t)storage_ctas(split, &needs[i]) * needs[i].warps_per_cta;
		struct taken t = taken_new(&layout, split);

		take_registers(&t, &m, needs[i].regs_per_thread, warps);
		take_memory(&t, &m);
		assert_int_equal(t.n, warps * needs[i].regs_per_thread * 128 + split->shared_bytes +
					      split->cache_bytes);
		taken_free(&t);
	}
}

static struct storage_need random_need(struct rng *r)
{
	return (struct storage_need){.regs_per_thread = 1 + (uint32_t)rng_below(r, 64),
		.warps_per_cta = 1 + (uint32_t)rng_below(r, 12),
		.shared_per_cta = rng_below(r, 3) ? (uint32_t)rng_below(r, 20000) : 0,
		.warp_slots = 32,
		.cta_slots = 32};
}

static void random_settings(struct rng *r, bool unified, char *out, size_t n)
{
	static const char *const fermi[] = {
		"", "split=1", "split=2", "splits=16/48,48/16", "splits=0/128,128/0"};
	static const char *const more[] = {"", " listed_caches=yes", " cache_limit=10K",
		" threads=200", " cache_bytes=4K", " combine=yes"};

	if (unified)
		snprintf(out, n, "bytes=%u%s", 512 * (32 + (unsigned)rng_below(r, 900)),
			more[rng_below(r, ARRAY_LEN(more))]);
	else
		snprintf(out, n, "%s", fermi[rng_below(r, ARRAY_LEN(fermi))]);
}

static void no_two_bytes_of_a_split_share_a_location(void **state)
{
	static const char *const names[] = {
		"unified", "unified", "unified", "fermi", "partitioned"};
	struct rng r = rng_new(77, 1);
	unsigned checked[ARRAY_LEN(names)] = {0};

	(void)state;
	for (unsigned i = 0; i < 120; i++) {
		unsigned k = i % ARRAY_LEN(names), n = 1 + (unsigned)rng_below(&r, 3);
		struct storage_need needs[] = {random_need(&r), random_need(&r), random_need(&r)};
		struct storage_split split;
		struct err err = {0};
		struct design d;
		char settings[128] = "";

		if (k < 4)
			random_settings(&r, k < 3, settings, sizeof(settings));
		if (open_design(&d, names[k], settings) &&
			!d.ops->split(d.self, needs, n, &split, &err)) {
			check_locations(&d, &split, needs, n);
			checked[k]++;
		}
		err_clear(&err);
		close_design(&d);
	}
	for (unsigned k = 0; k < ARRAY_LEN(names); k++)
		assert_true(checked[k] > 5);
}

/* Where registers fill the banks unevenly, fewer CTAs may fit than the number of bytes allows. */
static void two_warps_of_six_registers_need_a_row_more(void **state)
{
	const struct storage_need need = {.regs_per_thread = 6, .warps_per_cta = 2, .cta_slots = 1};
	struct storage_split even = {.register_bytes = 12 * 128};
	struct bank_layout layout = {.unified = true, .one_store = true, .bytes = 12 * 128};
	struct layout_map m;
	uint64_t heights[4];

	(void)state;
	layout_heights(6, 2, heights);
	assert_int_equal(heights[0], 3);
	assert_int_equal(heights[1], 4);
	assert_int_equal(heights[2], 3);
	assert_int_equal(heights[3], 2);
	assert_false(layout_map(&m, &layout, &even, &need, 1));
	layout.bytes += 512;
	assert_true(layout_map(&m, &layout, &even, &need, 1));
	assert_int_equal(layout_free_lines(&m), 4);
	even.cache_bytes = 5 * 128;
	assert_false(layout_map(&m, &layout, &even, &need, 1));
}

/* 256 KB of registers: whatever fits by bytes fits into the banks. */
static void the_default_register_file_holds_all_that_its_bytes_hold(void **state)
{
	(void)state;
	for (uint32_t regs = 1; regs <= 256; regs++)
		for (uint64_t warps = 1; warps <= 64 && warps * regs * 128 <= 256 * KB; warps++) {
			uint64_t heights[4];

			layout_heights(regs, warps, heights);
			for (unsigned b = 0; b < 4; b++)
				assert_true(heights[b] <= 512);
		}
}

/* ---- conflicts of accesses, from the locations of their words */
struct met {
	unsigned passes, words;
};

/* Of a warp's words of 4 bytes: rows in the busiest bank, or cluster; words of a bank's width. */
static struct met count_conflicts(const struct layout_map *m, const struct access *a)
{
	struct bank_location seen[WARP_LANES * 4];
	unsigned rows[32] = {0}, n = 0, most = 0;

	for (uint32_t lanes = a->mask; lanes; lanes &= lanes - 1)
		for (unsigned w = 0; w < a->bytes / 4u; w++) {
			struct bank_location p =
				layout_of_shared(m, a->addr[low_bit(lanes)] + 4 * w);
			unsigned k = 0, unit = m->layout.unified ? p.bank % 8 : p.bank;

			while (k < n && (seen[k].bank != p.bank || seen[k].row != p.row))
				k++;
			if (k < n)
				continue;
			seen[n++] = p;
			if (++rows[unit] > most)
				most = rows[unit];
		}
	return (struct met){most, n};
}

static void make_pattern(struct rng *r, struct access *a, unsigned kind)
{
	uint64_t base = 128 * rng_below(r, 64), stride = 4 * rng_below(r, 40);

	*a = (struct access){.space = SPACE_SHARED, .bytes = 4, .mask = UINT32_MAX};
	for (unsigned i = 0; i < WARP_LANES; i++)
		switch (kind) {
		case 0: /* a tile: rows of 16 words, or the same word in each half */
			a->addr[i] = base + i / 16 * 64 + (stride & 4 ? i % 16 * 4 : 0);
			break;
		case 1:
			a->addr[i] = base + i * stride;
			break;
		case 2: /* anywhere in a row of words */
			a->addr[i] = base + 4 * rng_below(r, 32);
			break;
		default:
			a->addr[i] = 4 * rng_below(r, 4096);
		}
	if (rng_below(r, 4) == 0)
		a->mask = (uint32_t)rng_u64(r) | 1;
}

static void conflicts_are_those_of_the_locations(void **state)
{
	static const char *const names[] = {"unified", "fermi", "carveout", "partitioned"};
	const struct storage_need need = {.regs_per_thread = 4,
		.warps_per_cta = 1,
		.shared_per_cta = 32 * KB,
		.cta_slots = 1};
	struct rng r = rng_new(5, 1);

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(names); k++) {
		struct storage_split split;
		struct bank_layout layout;
		struct layout_map m;
		struct design d;

		assert_true(open_design(&d, names[k], ""));
		layout = d.ops->banks(d.self);
		assert_int_equal(d.ops->split(d.self, &need, 1, &split, NULL), 0);
		assert_true(layout_map(&m, &layout, &split, &need, 1));
		for (unsigned i = 0; i < 3000; i++) {
			struct bank_use use;
			struct access a;
			struct met met;

			make_pattern(&r, &a, i % 4);
			use = bank_use(&a, &layout, 0);
			met = count_conflicts(&m, &a);
			assert_int_equal(use.passes, met.passes);
			assert_int_equal(use.words, met.words);
		}
		close_design(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_two_bytes_of_a_split_share_a_location),
		cmocka_unit_test(two_warps_of_six_registers_need_a_row_more),
		cmocka_unit_test(the_default_register_file_holds_all_that_its_bytes_hold),
		cmocka_unit_test(conflicts_are_those_of_the_locations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
