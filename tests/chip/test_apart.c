/* Memory of threads that execute CTAs at once: which accesses are apart, and what is taken back.
 * The threads are one thread of the host here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chip/untimed/apart.h"
#include "core/mem.h"
#include "ptx/isa/forms.h"

#include <string.h>

#define THREADS 3u
#define BYTES 100000u /* pages of 16 KB */

struct rig {
	struct image *image;
	struct apart *apart;
	uint64_t at;  /* the buffer's address */
	uint64_t end; /* offset of the end of its first page */
	unsigned char *host;
	unsigned char before[BYTES];
};

static void open_rig(struct rig *r)
{
	struct err err = {0};
	unsigned b;

	r->image = image_new(&err);
	b = image_add(r->image, "before", 300, true, &err);
	b = image_add(r->image, "b", BYTES, true, &err);
	assert_true(b > 0);
	r->at = image_address(r->image, b);
	r->end = 16384 - r->at % 16384;
	r->host = image_bytes_at(r->image, r->at, BYTES);
	for (unsigned i = 0; i < BYTES; i++)
		r->host[i] = (unsigned char)(i * 7 + i / 256);
	memcpy(r->before, r->host, BYTES);
	r->apart = apart_new(THREADS);
	assert_int_equal(apart_begin(r->apart, r->image), 0);
}

static void close_rig(struct rig *r)
{
	apart_free(r->apart);
	image_free(r->image);
}

enum what { LOAD, STORE, RED };

/* The lanes of the mask access `bytes` each, `stride` apart. Returns what the memory does. */
static int access_some(struct rig *r, unsigned thread, enum what what, uint64_t offset,
	unsigned bytes, unsigned stride, uint32_t mask)
{
	struct exec_memory m = apart_memory(r->apart, thread);
	struct access a = {.space = SPACE_GLOBAL,
		.bytes = (uint8_t)bytes,
		.mem_type = bytes == 8 ? T_U64 : T_U32,
		.vec = 1,
		.atom_op = ATOM_ADD,
		.contiguous = mask == UINT32_MAX && stride == bytes,
		.mask = mask};
	unsigned char data[WARP_LANES * 16];

	memset(data, 1, sizeof(data));
	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = r->at + offset + (uint64_t)i * stride;
	if (what == LOAD)
		return m.load(m.ctx, &a, data);
	return what == STORE ? m.store(m.ctx, &a, data) : m.atomic(m.ctx, &a, data, NULL, NULL);
}

static void does(struct rig *r, unsigned thread, enum what what, uint64_t offset)
{
	assert_int_equal(access_some(r, thread, what, offset, 4, 4, UINT32_MAX), 0);
}

/* One warp of a thread at 4096, one of another some bytes further. */
static bool are_apart(enum what one, enum what other, unsigned further)
{
	struct rig r;
	bool kept, changed, writes = one != LOAD || other != LOAD;

	open_rig(&r);
	does(&r, 2, one, 4096);
	does(&r, 0, other, 4096 + further);
	kept = apart_end(r.apart, true);
	changed = memcmp(r.host, r.before, BYTES) != 0;
	assert_int_equal(changed, kept && writes);
	close_rig(&r);
	return kept;
}

static void words_of_one_thread_are_its_own(void **state)
{
	static const enum what all[] = {LOAD, STORE, RED};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 3; k++) {
			bool same = (all[i] == all[k] && all[i] != STORE);

			assert_int_equal(are_apart(all[i], all[k], 0), same);
			assert_int_equal(are_apart(all[i], all[k], 124), same);
			assert_true(are_apart(all[i], all[k], 128));
			assert_true(are_apart(all[i], all[k], 4 * 16384));
		}
}

static void a_thread_may_read_what_it_wrote(void **state)
{
	struct rig r;

	(void)state;
	open_rig(&r);
	for (unsigned t = 0; t < THREADS; t++) {
		does(&r, t, STORE, t * 128);
		does(&r, t, LOAD, t * 128);
		does(&r, t, RED, t * 128);
	}
	assert_true(apart_end(r.apart, true));
	/* 0x01010101 twice */
	assert_int_equal(r.host[0], 2);
	assert_memory_equal(r.host + 384, r.before + 384, BYTES - 384);
	close_rig(&r);
}

/* By lanes that are apart, narrow and wide. */
static void every_word_is_marked(void **state)
{
	static const struct {
		uint64_t offset;
		unsigned bytes, stride;
		uint32_t mask;
		uint64_t in, out; /* words of it, and others */
	} of[] = {{40, 4, 400, 0x80000001, 40 + 31 * 400, 440}, {64, 1, 1, 0x10, 68, 72},
		{64, 16, 16, UINT32_MAX, 64 + 508, 64 + 512}, {64, 8, 32, 2, 100, 104},
		{BYTES - 128, 4, 4, UINT32_MAX, BYTES - 4, BYTES - 132}};

	(void)state;
	for (unsigned i = 0; i < sizeof(of) / sizeof(*of); i++)
		for (unsigned hits = 0; hits < 2; hits++) {
			struct rig r;

			open_rig(&r);
			assert_int_equal(access_some(&r, 1, STORE, of[i].offset, of[i].bytes,
						 of[i].stride, of[i].mask),
				0);
			assert_int_equal(
				access_some(&r, 0, LOAD, hits ? of[i].in : of[i].out, 4, 4, 1), 0);
			assert_int_equal(apart_end(r.apart, true), !hits);
			assert_int_equal(!memcmp(r.host, r.before, BYTES), hits);
			close_rig(&r);
		}
}

/* A warp's words end in the next page: each of them is marked there, and taken back. */
static void an_access_may_reach_into_the_next_page(void **state)
{
	static const int at[] = {-68, -64, -4, 0, 60, 64};

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		bool hits = at[i] >= -64 && at[i] < 64;
		struct rig r;

		open_rig(&r);
		does(&r, 1, STORE, r.end - 64);
		assert_int_equal(
			access_some(&r, 0, LOAD, r.end + (uint64_t)(int64_t)at[i], 4, 4, 1), 0);
		assert_int_equal(apart_end(r.apart, true), !hits);
		assert_int_equal(!memcmp(r.host, r.before, BYTES), hits);
		close_rig(&r);
	}
}

static void what_is_not_wanted_is_taken_back(void **state)
{
	struct rig r;

	(void)state;
	open_rig(&r);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned t = 0; t < THREADS; t++)
			does(&r, t, STORE, (round * THREADS + t) * 8192);
		assert_false(apart_end(r.apart, false));
		assert_memory_equal(r.host, r.before, BYTES);
		assert_int_equal(apart_begin(r.apart, r.image), 0);
	}
	/* nothing of that is left */
	does(&r, 1, LOAD, 0);
	does(&r, 2, STORE, 128);
	assert_true(apart_end(r.apart, true));
	close_rig(&r);
}

static void what_cannot_be_shared_is_a_fault(void **state)
{
	struct rig r;
	struct exec_memory m;
	struct access a = {
		.space = SPACE_GLOBAL, .bytes = 4, .mem_type = T_U32, .vec = 1, .mask = 8};
	unsigned char data[WARP_LANES * 4] = {0};
	uint32_t old[WARP_LANES], *planes[ATOM_PLANES] = {old};

	(void)state;
	open_rig(&r);
	m = apart_memory(r.apart, 1);
	a.addr[3] = r.at;
	assert_int_equal(m.atomic(m.ctx, &a, data, NULL, planes), 1 + 3);
	assert_false(apart_end(r.apart, true));
	assert_int_equal(apart_begin(r.apart, r.image), 0);
	/* outside of the buffer, as without threads */
	assert_int_equal(access_some(&r, 0, STORE, BYTES - 64, 4, 4, UINT32_MAX), 1 + 16);
	assert_memory_equal(r.host, r.before, BYTES);
	assert_true(apart_end(r.apart, true));
	close_rig(&r);
}

static void without_memory_it_is_taken_back(void **state)
{
	(void)state;
	for (int64_t n = 0; n < 4; n++) {
		struct rig r;
		bool good;

		open_rig(&r);
		does(&r, 0, STORE, 0);
		mem_fail_after(n);
		good = access_some(&r, 1, STORE, 20000, 4, 4, UINT32_MAX) == 0;
		good &= access_some(&r, 0, STORE, 20128, 4, 4, UINT32_MAX) == 0;
		mem_fail_after(-1);
		assert_int_equal(good, n == 3);
		assert_int_equal(apart_end(r.apart, true), good);
		assert_int_equal(!memcmp(r.host, r.before, BYTES), !good);
		close_rig(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_one_thread_are_its_own),
		cmocka_unit_test(a_thread_may_read_what_it_wrote),
		cmocka_unit_test(every_word_is_marked),
		cmocka_unit_test(an_access_may_reach_into_the_next_page),
		cmocka_unit_test(what_is_not_wanted_is_taken_back),
		cmocka_unit_test(what_cannot_be_shared_is_a_fault),
		cmocka_unit_test(without_memory_it_is_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
