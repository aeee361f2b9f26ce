/* The tag array against other cache simulators: misses and bytes of Dinero IV (d4), misses and
 * evictions of pycachesim and a third count of misses, for a cache of 64 KB, 4 ways, 128-byte
 * lines, LRU, on traces of 4-byte accesses. */
#include "mem/cache_replay.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena memory;
static jmp_buf no_memory;
static struct config *config;

static int tear_down(void **state)
{
	(void)state;
	config_free(config);
	config = NULL;
	arena_free(&memory);
	return 0;
}

/* The defaults are the reference's cache, written back; settings end with NULL. */
static struct cache_replay *new_cache(const char *const *settings)
{
	const struct param_table *t = &cache_replay_params;
	struct cache_replay *r;
	struct err err = {0};

	memory.escape = &no_memory;
	if (setjmp(no_memory))
		fail();
	config_free(config);
	config = config_new();
	assert_non_null(config);
	for (unsigned i = 0; settings[i]; i++)
		config_set_text(config, settings[i], "test", &err);
	r = arena_alloc(&memory, 1, sizeof(*r));
	config_load(config, t->prefix, t->defs, t->n, r, &err);
	config_finish(config, &err);
	cache_replay_init(r, NULL, 1, &memory, &err);
	assert_string_equal(err_text(&err), "");
	return r;
}

typedef void access_fn(void *ctx, bool write, uint64_t addr);
typedef void trace_fn(access_fn *, void *ctx, uint64_t arg);

#define TRACE_N 200000u

/* arg: stride << 32 | wrap */
static void strided(access_fn *f, void *ctx, uint64_t arg)
{
	uint64_t stride = arg >> 32, wrap = arg & UINT32_MAX;

	for (uint64_t i = 0; i < TRACE_N; i++)
		f(ctx, false, wrap ? i * stride % wrap : i * stride);
}

static uint64_t below(struct rng *r, uint64_t n)
{
	return (rng_u64(r) >> 11) % n;
}

/* arg: seed << 32 | words */
static void random_reads(access_fn *f, void *ctx, uint64_t arg)
{
	struct rng r = {arg >> 32};

	for (unsigned i = 0; i < TRACE_N; i++)
		f(ctx, false, below(&r, arg & UINT32_MAX) * 4);
}

static void random_both(access_fn *f, void *ctx, uint64_t arg)
{
	struct rng r = {arg >> 32};

	for (unsigned i = 0; i < TRACE_N; i++) {
		bool write = below(&r, 2) == 0;

		f(ctx, write, below(&r, arg & UINT32_MAX) * 4);
	}
}

/* arg: distance of the written copy */
static void read_then_write(access_fn *f, void *ctx, uint64_t arg)
{
	for (uint64_t i = 0; i < TRACE_N; i++)
		f(ctx, i & 1, i / 2 * 4 + (i & 1 ? arg : 0));
}

#define MM_N 128u

static void mm_element(access_fn *f, void *ctx, uint64_t i, uint64_t j, uint64_t k0, uint64_t block)
{
	f(ctx, false, 0x300000 + 4 * (i * MM_N + j));
	for (uint64_t k = k0; k < k0 + block; k++) {
		f(ctx, false, 0x100000 + 4 * (i * MM_N + k));
		f(ctx, false, 0x200000 + 4 * (k * MM_N + j));
	}
	f(ctx, true, 0x300000 + 4 * (i * MM_N + j));
}

/* arg: block */
static void matrix_multiply(access_fn *f, void *ctx, uint64_t b)
{
	uint64_t blocks = MM_N / b;

	for (uint64_t n = 0; n < blocks * blocks * blocks; n++) {
		uint64_t ii = n / blocks / blocks * b, jj = n / blocks % blocks * b,
			 kk = n % blocks * b;

		for (uint64_t e = 0; e < b * b; e++)
			mm_element(f, ctx, ii + e / b, jj + e % b, kk, b);
	}
}

/* pycachesim does not change the LRU order on a write hit; its write misses of write-back are among
 * its loads. */
struct reference {
	const char *name;
	trace_fn *trace;
	uint64_t arg;
	uint64_t reads, writes;
	uint64_t wt_read_misses, wt_write_misses;   /* write-through, no-allocate */
	uint64_t wt_untouched, wt_writes_untouched; /* when write hits do not change the order */
	uint64_t wb_read_misses, wb_write_misses;   /* write-back, allocate */
	uint64_t wb_bytes;                          /* written back, with the final flush */
	uint64_t wb_untouched; /* read and write misses when write hits do not change the order */
	uint64_t wb_untouched_hits, wb_given_up; /* then: read hits, dirty lines evicted */
};

#define STRIDED(stride, wrap) strided, (uint64_t)(stride) << 32 | (wrap)
#define RANDOM(f, seed, words) f, (uint64_t)(seed) << 32 | (words)

static const struct reference references[] = {
	{"seq4", STRIDED(4, 0), 200000, 0, 6250, 0, 6250, 0, 6250, 0, 0, 6250, 193750, 0},
	{"seq4_loop32k", STRIDED(4, 32768), 200000, 0, 256, 0, 256, 0, 256, 0, 0, 256, 199744, 0},
	{"seq128_loop64k", STRIDED(128, 65536), 200000, 0, 512, 0, 512, 0, 512, 0, 0, 512, 199488,
		0},
	{"seq128_loop68k", STRIDED(128, 68 * 1024), 200000, 0, 59200, 0, 59200, 0, 59200, 0, 0,
		59200, 140800, 0},
	{"seq128_loop80k", STRIDED(128, 80 * 1024), 200000, 0, 200000, 0, 200000, 0, 200000, 0, 0,
		200000, 0, 0},
	{"stride128", STRIDED(128, 0), 200000, 0, 200000, 0, 200000, 0, 200000, 0, 0, 200000, 0, 0},
	{"stride16k_loop64k", STRIDED(16384, 65536), 200000, 0, 4, 0, 4, 0, 4, 0, 0, 4, 199996, 0},
	{"stride16k_loop80k", STRIDED(16384, 81920), 200000, 0, 200000, 0, 200000, 0, 200000, 0, 0,
		200000, 0, 0},
	{"rand_64k", RANDOM(random_reads, 11, 16384), 200000, 0, 512, 0, 512, 0, 512, 0, 0, 512,
		199488, 0},
	{"rand_128k", RANDOM(random_reads, 12, 32768), 200000, 0, 100255, 0, 100255, 0, 100255, 0,
		0, 100255, 99745, 0},
	{"rand_1M", RANDOM(random_reads, 13, 1 << 18), 200000, 0, 187530, 0, 187530, 0, 187530, 0,
		0, 187530, 12470, 0},
	{"rand_1M_w50", RANDOM(random_both, 15, 1 << 18), 99676, 100324, 93469, 94131, 93483, 94098,
		93437, 94180, 12436224, 187582, 6256, 96912},
	{"copy4", read_then_write, (16 << 20) + 0x40, 100000, 100000, 3125, 100000, 3125, 100000,
		3125, 3126, 400128, 6251, 96875, 2870},
	{"rmw_seq4", read_then_write, 0, 100000, 100000, 3125, 0, 3125, 0, 3125, 0, 400000, 3125,
		96875, 2613},
	{"mm128_b16", matrix_multiply, 16, 4325376, 131072, 7970, 0, 7967, 0, 7970, 0, 65536, 7967,
		4317409, 448},
	{"mm128_b128_naive", matrix_multiply, 128, 4210688, 16384, 100961, 16384, 100961, 16384,
		85220, 16384, 2097152, 101604, 4125468, 16380},
};

static void replay_access(void *ctx, bool write, uint64_t addr)
{
	if (write)
		cache_replay_write(ctx, addr);
	else
		cache_replay_read(ctx, addr);
}

static const struct cache_replay *replayed(const struct reference *ref, const char *const *settings)
{
	struct cache_replay *r = new_cache(settings);

	ref->trace(replay_access, r, ref->arg);
	cache_replay_flush(r);
	assert_int_equal(r->s.reads, ref->reads);
	assert_int_equal(r->s.writes, ref->writes);
	return r;
}

static void expect(const struct reference *ref, const char *what, uint64_t got, uint64_t wanted)
{
	if (got != wanted)
		fail_msg("%s: %s %llu, should be %llu", ref->name, what, (unsigned long long)got,
			(unsigned long long)wanted);
}

#define THROUGH "cache.write_policy=through", "cache.write_allocate=false"
#define UNTOUCHED "cache.write_touches=false"

/* Whole lines are fetched from memory, writes go there individually. */
static void writing_through_equals_dinero_and_pycachesim(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(references); i++) {
		const struct reference *ref = &references[i];
		const struct cache_replay *r = replayed(ref, (const char *const[]){THROUGH, NULL});

		expect(ref, "read misses", r->s.read_misses, ref->wt_read_misses);
		expect(ref, "write misses", r->s.write_misses, ref->wt_write_misses);
		expect(ref, "from memory", r->s.bytes_from_memory,
			ref->wt_read_misses * LINE_BYTES);
		expect(ref, "to memory", r->s.bytes_to_memory, ref->writes * 4);
		expect(ref, "dirty lines", r->s.lines_given_up + r->s.lines_flushed, 0);
		r = replayed(ref, (const char *const[]){THROUGH, UNTOUCHED, NULL});
		expect(ref, "read misses, untouched", r->s.read_misses, ref->wt_untouched);
		expect(ref, "write misses, untouched", r->s.write_misses, ref->wt_writes_untouched);
	}
}

static void writing_back_equals_dinero_and_pycachesim(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(references); i++) {
		const struct reference *ref = &references[i];
		const struct cache_replay *r = replayed(ref, (const char *const[]){NULL});

		expect(ref, "read misses", r->s.read_misses, ref->wb_read_misses);
		expect(ref, "write misses", r->s.write_misses, ref->wb_write_misses);
		expect(ref, "from memory", r->s.bytes_from_memory,
			(ref->wb_read_misses + ref->wb_write_misses) * LINE_BYTES);
		expect(ref, "to memory", r->s.bytes_to_memory, ref->wb_bytes);
		r = replayed(ref, (const char *const[]){UNTOUCHED, NULL});
		expect(ref, "misses, untouched", r->s.read_misses + r->s.write_misses,
			ref->wb_untouched);
		expect(ref, "hits, untouched", r->s.reads - r->s.read_misses,
			ref->wb_untouched_hits);
		expect(ref, "evictions, untouched", r->s.lines_given_up, ref->wb_given_up);
	}
}

/* By hand: two sets of two ways, lines of 16 bytes in sectors of 8, FIFO. */
static void a_short_trace_is_counted_by_hand(void **state)
{
	static const char *const settings[] = {"cache.bytes=64", "cache.ways=2",
		"cache.line_bytes=16", "cache.sectors=2", "cache.replacement=fifo",
		"cache.write_fetches=false", NULL};
	struct cache_replay *r = new_cache(settings);

	(void)state;
	cache_replay_read(r, 0);   /* set 0, misses */
	cache_replay_read(r, 12);  /* its other sector misses */
	cache_replay_read(r, 14);  /* hits: rounded down to 12 */
	cache_replay_write(r, 32); /* set 0, misses, fetches nothing */
	cache_replay_read(r, 0);   /* a hit, without effect on FIFO */
	cache_replay_write(r, 64); /* set 0: line 0 is evicted, clean */
	cache_replay_read(r, 100); /* line 96: line 32 is evicted, dirty: 8 bytes */
	cache_replay_write(r, 16); /* set 1 */
	cache_replay_write(r, 24); /* its other sector */
	cache_replay_flush(r);     /* 64: 8 bytes; 16: 16 bytes */
	assert_int_equal(r->s.read_misses, 3);
	assert_int_equal(r->s.write_misses, 4);
	assert_int_equal(r->s.bytes_from_memory, 3 * 8);
	assert_int_equal(r->s.bytes_to_memory, 8 + 8 + 16);
	assert_int_equal(r->s.lines_given_up, 1);
	assert_int_equal(r->s.lines_flushed, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(writing_through_equals_dinero_and_pycachesim, tear_down),
		cmocka_unit_test_teardown(writing_back_equals_dinero_and_pycachesim, tear_down),
		cmocka_unit_test_teardown(a_short_trace_is_counted_by_hand, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
