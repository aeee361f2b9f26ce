/* The tag array against other people's cache simulators: miss counts of Dinero IV (d4) and
 * pycachesim for a cache of 64 KB, 4 ways, 128-byte lines, LRU, on traces of 4-byte accesses. */
#include "mem/cache.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

extern const struct plugin replace_lru;

static struct arena memory;
static jmp_buf no_memory;

static int tear_down(void **state)
{
	(void)state;
	arena_free(&memory);
	return 0;
}

static struct cache *new_cache(void)
{
	struct cache_config config = {.bytes = 64 * 1024,
		.ways = 4,
		.replacement = &replace_lru,
		.interleave = 1,
		.block = 1};

	memory.escape = &no_memory;
	if (setjmp(no_memory))
		fail();
	return cache_new(&config, &memory);
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

/* pycachesim alone leaves the order as it is when a write hits. */
struct reference {
	const char *name;
	trace_fn *trace;
	uint64_t arg;
	uint64_t reads, writes;
	uint64_t wt_read_misses, wt_write_misses; /* write-through, no-allocate */
	uint64_t wt_untouched; /* read misses when write hits leave the order (pycachesim) */
	uint64_t wb_read_misses, wb_write_misses; /* write-back, allocate */
	uint64_t wb_bytes;                        /* written back, with the final flush */
};

#define STRIDED(stride, wrap) strided, (uint64_t)(stride) << 32 | (wrap)
#define RANDOM(f, seed, words) f, (uint64_t)(seed) << 32 | (words)

static const struct reference references[] = {
	{"seq4", STRIDED(4, 0), 200000, 0, 6250, 0, 6250, 6250, 0, 0},
	{"seq4_loop32k", STRIDED(4, 32768), 200000, 0, 256, 0, 256, 256, 0, 0},
	{"seq128_loop64k", STRIDED(128, 65536), 200000, 0, 512, 0, 512, 512, 0, 0},
	{"seq128_loop68k", STRIDED(128, 68 * 1024), 200000, 0, 59200, 0, 59200, 59200, 0, 0},
	{"seq128_loop80k", STRIDED(128, 80 * 1024), 200000, 0, 200000, 0, 200000, 200000, 0, 0},
	{"stride128", STRIDED(128, 0), 200000, 0, 200000, 0, 200000, 200000, 0, 0},
	{"stride16k_loop64k", STRIDED(16384, 65536), 200000, 0, 4, 0, 4, 4, 0, 0},
	{"stride16k_loop80k", STRIDED(16384, 81920), 200000, 0, 200000, 0, 200000, 200000, 0, 0},
	{"rand_64k", RANDOM(random_reads, 11, 16384), 200000, 0, 512, 0, 512, 512, 0, 0},
	{"rand_128k", RANDOM(random_reads, 12, 32768), 200000, 0, 100255, 0, 100255, 100255, 0, 0},
	{"rand_1M", RANDOM(random_reads, 13, 1 << 18), 200000, 0, 187530, 0, 187530, 187530, 0, 0},
	{"rand_1M_w50", RANDOM(random_both, 15, 1 << 18), 99676, 100324, 93469, 94131, 93483, 93437,
		94180, 12436224},
	{"copy4", read_then_write, (16 << 20) + 0x40, 100000, 100000, 3125, 100000, 3125, 3125,
		3126, 400128},
	{"rmw_seq4", read_then_write, 0, 100000, 100000, 3125, 0, 3125, 3125, 0, 400000},
	{"mm128_b16", matrix_multiply, 16, 4325376, 131072, 7970, 0, 7967, 7970, 0, 65536},
	{"mm128_b128_naive", matrix_multiply, 128, 4210688, 16384, 100961, 16384, 100961, 85220,
		16384, 2097152},
};

enum write_policy { THROUGH, THROUGH_UNTOUCHED, BACK };

struct counted {
	struct cache *cache;
	enum write_policy policy;
	uint64_t reads, writes, read_misses, write_misses, lines_back;
};

static void count_read(struct counted *n, uint64_t line)
{
	struct victim v;

	n->reads++;
	if (cache_lookup(n->cache, line, 0xff) >= 0)
		return;
	n->read_misses++;
	n->lines_back += cache_fill(n->cache, line, 0xff, &v);
}

static void count_access(void *ctx, bool write, uint64_t addr)
{
	const struct origin nobody = {0};
	struct counted *n = ctx;
	uint64_t line = addr & ~(uint64_t)(LINE_BYTES - 1);
	struct victim v;

	if (!write) {
		count_read(n, line);
		return;
	}
	n->writes++;
	if (n->policy == THROUGH) {
		n->write_misses += cache_lookup(n->cache, line, 0xff) < 0;
		return;
	}
	n->write_misses += cache_probe(n->cache, line, 0xff) < 0;
	if (n->policy == BACK)
		n->lines_back += cache_write(n->cache, line, 0xff, &nobody, &v);
}

static void count_flushed(void *ctx, const struct victim *v)
{
	(void)v;
	++*(uint64_t *)ctx;
}

static struct counted count_trace(const struct reference *ref, enum write_policy policy)
{
	struct counted n = {.cache = new_cache(), .policy = policy};

	ref->trace(count_access, &n, ref->arg);
	cache_flush(n.cache, count_flushed, &n.lines_back);
	assert_int_equal(n.reads, ref->reads);
	assert_int_equal(n.writes, ref->writes);
	return n;
}

static void expect(const struct reference *ref, const char *what, uint64_t got, uint64_t wanted)
{
	if (got != wanted)
		fail_msg("%s: %s %llu, should be %llu", ref->name, what, (unsigned long long)got,
			(unsigned long long)wanted);
}

static void miss_counts_equal_dinero_and_pycachesim(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(references); i++) {
		const struct reference *ref = &references[i];
		struct counted through = count_trace(ref, THROUGH), back = count_trace(ref, BACK);
		struct counted untouched = count_trace(ref, THROUGH_UNTOUCHED);

		expect(ref, "write-through read misses", through.read_misses, ref->wt_read_misses);
		expect(ref, "write-through write misses", through.write_misses,
			ref->wt_write_misses);
		expect(ref, "write-through dirty lines", through.lines_back, 0);
		expect(ref, "untouched read misses", untouched.read_misses, ref->wt_untouched);
		expect(ref, "write-back read misses", back.read_misses, ref->wb_read_misses);
		expect(ref, "write-back write misses", back.write_misses, ref->wb_write_misses);
		expect(ref, "bytes written back", back.lines_back * LINE_BYTES, ref->wb_bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(miss_counts_equal_dinero_and_pycachesim, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
