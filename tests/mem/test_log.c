/* Store logs: when which SM sees a store or atomic. */
#include "mem/log.h"
#include "tests/rig/access.h"

#include "core/base.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena memory;
static jmp_buf no_memory;

static int tear_down(void **state)
{
	(void)state;
	arena_free(&memory);
	return 0;
}

static struct image *new_image(void)
{
	struct image *im = image_new(NULL);

	assert_non_null(im);
	return im;
}

static struct store_log *new_log(struct image *im, unsigned entries)
{
	memory.escape = &no_memory;
	if (setjmp(no_memory))
		fail();
	return log_new(&memory, im, entries);
}

static int store_word(struct store_log *l, uint64_t addr, uint32_t value)
{
	struct access a = lane_access(ACT_STORE, addr, 4);
	struct exec_memory m = log_memory(l);

	return m.store(m.ctx, &a, (const unsigned char *)&value);
}

static int load_word(struct store_log *l, uint64_t addr, uint32_t *value)
{
	struct access a = lane_access(ACT_LOAD, addr, 4);
	struct exec_memory m = log_memory(l);

	return m.load(m.ctx, &a, (unsigned char *)value);
}

static int add_word(struct store_log *l, uint64_t addr, uint32_t value, uint32_t *old)
{
	uint32_t *const dst[ATOM_PLANES] = {old};
	struct access a = lane_access(ACT_ATOM, addr, 4);
	struct exec_memory m = log_memory(l);

	a.atom_op = ATOM_ADD;
	return m.atomic(m.ctx, &a, (const unsigned char *)&value, NULL, dst);
}

static void an_sm_sees_its_own_store_at_once_and_others_from_the_edge_on(void **state)
{
	struct image *im = new_image();
	uint64_t base = image_address(im, image_add(im, "b", 1024, false, NULL));
	struct store_log *logs[3] = {new_log(im, 64), NULL, new_log(im, 64)};
	uint32_t v;

	(void)state;
	assert_int_equal(store_word(logs[0], base + 8, 42), 0);
	assert_true(log_pending(logs[0]));
	assert_int_equal(load_word(logs[0], base + 8, &v), 0);
	assert_int_equal(v, 42);
	assert_int_equal(load_word(logs[2], base + 8, &v), 0);
	assert_int_equal(v, 0);
	log_apply(logs, 3);
	assert_false(log_pending(logs[0]));
	assert_int_equal(load_word(logs[2], base + 8, &v), 0);
	assert_int_equal(v, 42);
	image_free(im);
}

static void the_later_cycle_wins_then_the_higher_sm_then_the_later_store(void **state)
{
	struct image *im = new_image();
	uint64_t base = image_address(im, image_add(im, "b", 1024, false, NULL));
	struct store_log *logs[2] = {new_log(im, 64), new_log(im, 64)};
	const uint32_t *words = (const void *)image_bytes_at(im, base, 1024);

	(void)state;
	log_set_cycle(logs[0], 5);
	log_set_cycle(logs[1], 4);
	store_word(logs[1], base, 11); /* earlier, though of the higher SM */
	store_word(logs[0], base, 10);
	log_set_cycle(logs[1], 5);
	store_word(logs[1], base + 4, 21); /* same cycle: the higher SM */
	store_word(logs[0], base + 4, 20);
	store_word(logs[0], base + 8, 30); /* same SM: the later */
	store_word(logs[0], base + 8, 31);
	log_apply(logs, 2);
	assert_int_equal(words[0], 10);
	assert_int_equal(words[1], 21);
	assert_int_equal(words[2], 31);
	image_free(im);
}

static void atomics_happen_at_the_edge_in_order_and_answer_old_values(void **state)
{
	struct image *im = new_image();
	uint64_t base = image_address(im, image_add(im, "b", 1024, false, NULL));
	struct store_log *logs[2] = {new_log(im, 64), new_log(im, 64)};
	uint32_t old[3] = {99, 99, 99};
	const uint32_t *words = (const void *)image_bytes_at(im, base, 1024);

	(void)state;
	log_set_cycle(logs[0], 7);
	log_set_cycle(logs[1], 6);
	assert_int_equal(add_word(logs[0], base, 1, &old[0]), 0);
	assert_int_equal(add_word(logs[0], base, 10, &old[1]), 0);
	assert_int_equal(store_word(logs[1], base, 1000), 0);
	log_set_cycle(logs[1], 7);
	assert_int_equal(add_word(logs[1], base, 100, &old[2]), 0);
	assert_int_equal(add_word(logs[1], base, 5, NULL), 0);
	assert_int_equal(old[0], 99);
	log_apply(logs, 2);
	assert_int_equal(old[0], 1000);
	assert_int_equal(old[1], 1001);
	assert_int_equal(old[2], 1011);
	assert_int_equal(words[0], 1116);
	image_free(im);
}

static void a_load_waits_for_its_own_sms_atomic_on_the_line_only(void **state)
{
	struct image *im = new_image();
	uint64_t base = image_address(im, image_add(im, "b", 1024, false, NULL));
	struct store_log *logs[2] = {new_log(im, 64), new_log(im, 64)};
	uint32_t v, old;

	(void)state;
	add_word(logs[0], base + 4, 1, &old);
	assert_int_equal(load_word(logs[0], base + 124, &v), EXEC_RETRY);
	assert_int_equal(load_word(logs[0], base + 128, &v), 0);
	assert_int_equal(load_word(logs[1], base + 4, &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(store_word(logs[0], base + 4, 8), 0);
	assert_int_equal(load_word(logs[0], base + 4, &v), EXEC_RETRY);
	log_apply(logs, 2);
	assert_int_equal(load_word(logs[0], base + 4, &v), 0);
	assert_int_equal(v, 8);
	assert_int_equal(old, 0);
	image_free(im);
}

static void a_full_log_says_retry_and_does_nothing_until_the_edge(void **state)
{
	struct image *im = new_image();
	uint64_t base = image_address(im, image_add(im, "b", 65536, false, NULL));
	struct store_log *l = new_log(im, 64);
	unsigned stores = 0, windows = 0;
	uint32_t v, old;

	(void)state;
	for (; windows < 3; windows++) {
		unsigned in_window = 0;

		while (store_word(l, base + stores * 256, stores + 1) == 0) {
			stores++;
			in_window++;
		}
		assert_in_range(in_window, 32, 64);
		assert_int_equal(add_word(l, base + stores * 256, 1, &old), EXEC_RETRY);
		assert_int_equal(load_word(l, base + stores * 256, &v), 0);
		assert_int_equal(v, 0);
		log_apply(&l, 1);
	}
	for (unsigned i = 0; i < stores; i++) {
		load_word(l, base + i * 256, &v);
		assert_int_equal(v, i + 1);
	}
	image_free(im);
}

/* ---- a random program of several SMs against a sequential oracle: every SM has a private copy of
 * memory, made at the edge; all that was written is sorted and replayed lane by lane at the edge.
 */
#define SMS 3u
#define SPAN 4096u
#define MOST_OPS 20000u

struct op {
	uint64_t cycle;
	uint32_t sm, order, at; /* at: offset into memory */
	uint8_t atomic, bytes, lane;
	uint8_t a[16], b[16];
	uint32_t *dst; /* oracle's copy of the old value: two words */
};

struct world {
	struct image *image;
	uint64_t base;
	struct store_log *logs[SMS];
	unsigned char global[SPAN], view[SMS][SPAN];
	bool atomic_line[SMS][SPAN / 128];
	struct op ops[MOST_OPS];
	unsigned nops;
	/* old values: from the log and from the oracle, per atomic and lane */
	uint32_t got[2][512][WARP_LANES], wanted[512][WARP_LANES][2];
	unsigned natomics;
	unsigned retries, loads, full;
	struct rng r;
};

static int by_time(const void *pa, const void *pb)
{
	const struct op *a = pa, *b = pb;

	if (a->cycle != b->cycle)
		return a->cycle < b->cycle ? -1 : 1;
	if (a->sm != b->sm)
		return a->sm < b->sm ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void replay_atomic(unsigned char *at, const struct op *op)
{
	uint64_t old = 0, a = 0, b = 0, new;

	memcpy(&old, at, op->bytes);
	memcpy(&a, op->a, op->bytes);
	memcpy(&b, op->b, op->bytes);
	switch (op->atomic - 1) {
	case ATOM_ADD:
		new = old + a;
		break;
	case ATOM_MAX:
		new = old > a ? old : a;
		break;
	case ATOM_EXCH:
		new = a;
		break;
	default:
		new = old == a ? b : old;
	}
	memcpy(at, &new, op->bytes);
	op->dst[0] = (uint32_t)old;
	op->dst[1] = (uint32_t)(old >> 32);
}

static void edge(struct world *w)
{
	log_apply(w->logs, SMS);
	qsort(w->ops, w->nops, sizeof(w->ops[0]), by_time);
	for (unsigned i = 0; i < w->nops; i++) {
		const struct op *op = &w->ops[i];

		if (op->atomic)
			replay_atomic(w->global + op->at, op);
		else
			memcpy(w->global + op->at, op->a, op->bytes);
	}
	assert_memory_equal(w->global, image_bytes_at(w->image, w->base, SPAN), SPAN);
	for (unsigned i = 0; i < w->natomics; i++)
		for (unsigned lane = 0; lane < WARP_LANES; lane++) {
			assert_int_equal(w->got[0][i][lane], w->wanted[i][lane][0]);
			assert_int_equal(w->got[1][i][lane], w->wanted[i][lane][1]);
		}
	for (unsigned sm = 0; sm < SMS; sm++)
		memcpy(w->view[sm], w->global, SPAN);
	memset(w->atomic_line, 0, sizeof(w->atomic_line));
	memset(w->got, 0, sizeof(w->got));
	memset(w->wanted, 0, sizeof(w->wanted));
	w->nops = w->natomics = 0;
}

/* Contiguous at any start, a broken run, two rows, or anywhere (close together or far apart). */
static struct access random_access(struct world *w, uint8_t action, unsigned bytes)
{
	uint32_t slots = SPAN / bytes - WARP_LANES, start = rng_below(&w->r, slots);
	struct access a = warp_access(action, w->base + start * bytes, bytes);
	uint32_t shape = rng_below(&w->r, 5), spread = shape == 2 ? 16 : slots;

	if (shape == 0)
		return a;
	a.contiguous = false;
	if (shape == 4) {
		uint64_t second = w->base + (uint64_t)rng_below(&w->r, slots) * bytes;

		a.halves = HALVES_ROWS;
		for (unsigned i = 16; i < WARP_LANES; i++)
			a.addr[i] = second + (i - 16) * bytes;
		return a;
	}
	a.mask = (uint32_t)rng_u64(&w->r) | (uint32_t)rng_u64(&w->r);
	if (spread > slots - start)
		spread = slots - start;
	for (unsigned i = 0; shape > 1 && i < WARP_LANES; i++)
		a.addr[i] = w->base + (start + rng_below(&w->r, spread)) * bytes;
	return a;
}

static void random_load(struct world *w, uint32_t sm)
{
	struct access a = random_access(w, ACT_LOAD, 1u << rng_below(&w->r, 5));
	struct exec_memory m = log_memory(w->logs[sm]);
	unsigned char data[512];
	bool wait = false;
	int answer = m.load(m.ctx, &a, data);

	for (uint32_t lanes = a.mask; lanes; lanes &= lanes - 1)
		wait |= w->atomic_line[sm][(a.addr[low_bit(lanes)] - w->base) / 128];
	assert_int_equal(answer, wait ? EXEC_RETRY : 0);
	w->retries += wait;
	w->loads++;
	for (uint32_t lanes = wait ? 0 : a.mask; lanes; lanes &= lanes - 1) {
		unsigned lane = low_bit(lanes);

		assert_memory_equal(
			data + lane * a.bytes, w->view[sm] + (a.addr[lane] - w->base), a.bytes);
	}
}

static void note_op(struct world *w, uint32_t sm, uint64_t cycle, const struct access *a,
	unsigned lane, const unsigned char *data)
{
	struct op *op = &w->ops[w->nops];

	assert_true(w->nops < MOST_OPS);
	*op = (struct op){.cycle = cycle,
		.sm = sm,
		.order = w->nops++,
		.at = (uint32_t)(a->addr[lane] - w->base),
		.bytes = a->bytes,
		.lane = (uint8_t)lane};
	memcpy(op->a, data + lane * a->bytes, a->bytes);
}

static void random_bytes(struct world *w, unsigned char *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		data[i] = (unsigned char)rng_below(&w->r, 256);
}

static void random_store(struct world *w, uint32_t sm, uint64_t cycle)
{
	struct access a = random_access(w, ACT_STORE, 1u << rng_below(&w->r, 5));
	struct exec_memory m = log_memory(w->logs[sm]);
	unsigned char data[512];
	int answer;

	random_bytes(w, data, sizeof(data));
	answer = m.store(m.ctx, &a, data);
	if (answer) {
		assert_int_equal(answer, EXEC_RETRY);
		assert_true(log_pending(w->logs[sm]));
		w->full++;
		return;
	}
	for (uint32_t lanes = a.mask; lanes; lanes &= lanes - 1) {
		unsigned lane = low_bit(lanes);

		note_op(w, sm, cycle, &a, lane, data);
		memcpy(w->view[sm] + (a.addr[lane] - w->base), data + lane * a.bytes, a.bytes);
	}
}

static void note_atomic(struct world *w, uint32_t sm, uint64_t cycle, const struct access *a,
	const unsigned char *data, const unsigned char *data_b)
{
	for (uint32_t lanes = a->mask; lanes; lanes &= lanes - 1) {
		unsigned lane = low_bit(lanes);

		note_op(w, sm, cycle, a, lane, data);
		w->ops[w->nops - 1].atomic = (uint8_t)(1 + a->atom_op);
		w->ops[w->nops - 1].dst = w->wanted[w->natomics][lane];
		memcpy(w->ops[w->nops - 1].b, data_b + lane * a->bytes, a->bytes);
		w->atomic_line[sm][(a->addr[lane] - w->base) / 128] = true;
	}
	w->natomics++;
}

static void random_atomic(struct world *w, uint32_t sm, uint64_t cycle)
{
	static const uint8_t kinds[] = {ATOM_ADD, ATOM_MAX, ATOM_EXCH, ATOM_CAS};
	struct access a = random_access(w, ACT_ATOM, rng_below(&w->r, 2) ? 4 : 8);
	struct exec_memory m = log_memory(w->logs[sm]);
	uint32_t *dst[ATOM_PLANES] = {w->got[0][w->natomics], w->got[1][w->natomics]};
	unsigned char data[256], data_b[256];
	int answer;

	a.atom_op = kinds[rng_below(&w->r, ARRAY_LEN(kinds))];
	random_bytes(w, data, sizeof(data));
	random_bytes(w, data_b, sizeof(data_b));
	for (unsigned i = 0; i < sizeof(data); i++) /* so that CAS sometimes succeeds */
		data[i] = a.atom_op == ATOM_CAS && i % 3 ? w->view[sm][i] : data[i];
	answer = m.atomic(m.ctx, &a, data, a.atom_op == ATOM_CAS ? data_b : NULL, dst);
	dst[0] = dst[1] = NULL; /* the log has its own copy */
	if (answer == 0)
		note_atomic(w, sm, cycle, &a, data, data_b);
	else
		assert_int_equal(answer, EXEC_RETRY);
}

static void random_window(struct world *w, uint64_t start)
{
	uint32_t busy = rng_below(&w->r, 12), atomics = rng_below(&w->r, 3) ? 0 : 1;

	for (uint64_t cycle = start; cycle < start + 20; cycle++)
		for (uint32_t i = 0; i < SMS; i++) {
			uint32_t sm = (i + (uint32_t)start) % SMS; /* any order of the SMs */
			uint32_t act = rng_below(&w->r, 16);

			log_set_cycle(w->logs[sm], cycle);
			if (act < busy / 2)
				random_store(w, sm, cycle);
			else if (act == 15 && atomics)
				random_atomic(w, sm, cycle);
			else
				random_load(w, sm);
		}
	edge(w);
}

static void random_windows_agree_with_a_sequential_oracle(void **state)
{
	struct world *w = mem_alloc(1, sizeof(*w));

	(void)state;
	assert_non_null(w);
	w->image = new_image();
	w->base = image_address(w->image, image_add(w->image, "b", SPAN, false, NULL));
	w->r = rng_new(17, 0);
	for (unsigned sm = 0; sm < SMS; sm++)
		w->logs[sm] = new_log(w->image, sm ? 64 + 200 * sm : 64);
	for (uint64_t window = 0; window < 1000; window++)
		random_window(w, window * 20);
	/* every special case happened, and not always */
	assert_in_range(w->retries, 100, w->loads / 2);
	assert_in_range(w->full, 100, w->loads / 2);
	image_free(w->image);
	mem_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			an_sm_sees_its_own_store_at_once_and_others_from_the_edge_on, tear_down),
		cmocka_unit_test_teardown(
			the_later_cycle_wins_then_the_higher_sm_then_the_later_store, tear_down),
		cmocka_unit_test_teardown(
			atomics_happen_at_the_edge_in_order_and_answer_old_values, tear_down),
		cmocka_unit_test_teardown(
			a_load_waits_for_its_own_sms_atomic_on_the_line_only, tear_down),
		cmocka_unit_test_teardown(
			a_full_log_says_retry_and_does_nothing_until_the_edge, tear_down),
		cmocka_unit_test_teardown(random_windows_agree_with_a_sequential_oracle, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
