/* Memory that host threads share while none depends on what another one wrote: which words each has
 * accessed, by page, and what pages were before they were written. */
#include "chip/untimed/apart.h"

#include <sched.h>
#include <stdatomic.h>

#include "core/mem.h"
#include "mem/image_inside.h"

#define WORD_SHIFT 2u
#define PAGE_WORDS (PAGE_BYTES >> WORD_SHIFT)
#define MARK_BITS 64u
#define PAGE_MARKS (PAGE_WORDS / MARK_BITS)

enum mark { READ, WROTE, ADDED, MARKS };

/* Words of a page that a thread has accessed: a bit each. */
struct page_marks {
	struct page_marks *next; /* of the thread */
	uint64_t page;
	bool writes; /* it has written or added, and the page is kept */
	uint64_t bits[MARKS][PAGE_MARKS];
};

/* A page before it was first written: the part of it that is a buffer's. */
struct kept_page {
	struct kept_page *next; /* of the thread that wrote first */
	unsigned char *host;
	size_t bytes;
	unsigned char was[PAGE_BYTES];
};

/* A page, for all threads. */
enum keeping { NOT_KEPT, BEING_KEPT, KEPT };

struct apart_thread {
	struct apart *all;
	struct page_marks **of; /* by page; NULL: not accessed */
	struct page_marks *first;
	struct kept_page *kept;
	bool broken;             /* it did what cannot be shared */
	_Alignas(64) char apart; /* from the next one's line of the host's cache */
};

struct apart {
	struct image *image;
	uint64_t npages; /* that the tables have */
	_Atomic unsigned char *keeping;
	unsigned threads;
	struct apart_thread thread[];
};

struct apart *apart_new(unsigned threads)
{
	struct apart *a = mem_alloc(1, sizeof(*a) + threads * sizeof(struct apart_thread));

	if (!a)
		return NULL;
	a->threads = threads;
	for (unsigned t = 0; t < threads; t++)
		a->thread[t].all = a;
	return a;
}

static void tables_free(struct apart *a)
{
	for (unsigned t = 0; t < a->threads; t++) {
		mem_free(a->thread[t].of);
		a->thread[t].of = NULL;
	}
	mem_free((void *)a->keeping);
	a->keeping = NULL;
	a->npages = 0;
}

void apart_free(struct apart *a)
{
	if (!a)
		return;
	tables_free(a);
	mem_free(a);
}

int apart_begin(struct apart *a, struct image *im)
{
	bool made = true;

	a->image = im;
	if (a->npages >= im->npages)
		return 0;
	tables_free(a);
	a->keeping = mem_alloc(im->npages, 1);
	for (unsigned t = 0; t < a->threads; t++) {
		a->thread[t].of = mem_alloc(im->npages, sizeof(struct page_marks *));
		made &= a->thread[t].of != NULL;
	}
	if (!made || !a->keeping) {
		tables_free(a);
		return -1;
	}
	a->npages = im->npages;
	return 0;
}

/* ---- marks */
static struct page_marks *marks_new(struct apart_thread *t, uint64_t page)
{
	struct page_marks *m = mem_alloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->page = page;
	m->next = t->first;
	t->first = m;
	t->of[page] = m;
	return m;
}

static inline struct page_marks *marks_of(struct apart_thread *t, uint64_t address)
{
	struct page_marks *m = t->of[page_of(address)];

	return m ? m : marks_new(t, page_of(address));
}

static inline unsigned word_of(uint64_t address)
{
	return (unsigned)(address % PAGE_BYTES) >> WORD_SHIFT;
}

/* Words `first` to `last` of the page. */
static inline void mark_words(uint64_t *bits, unsigned first, unsigned last)
{
	unsigned i = first / MARK_BITS, end = last / MARK_BITS;
	uint64_t from = ~UINT64_C(0) << first % MARK_BITS;
	uint64_t to = ~UINT64_C(0) >> (MARK_BITS - 1 - last % MARK_BITS);

	if (i == end) {
		bits[i] |= from & to;
		return;
	}
	bits[i] |= from;
	while (++i < end)
		bits[i] = ~UINT64_C(0);
	bits[end] |= to;
}

/* Keeps a copy of the page, unless another thread has. False: there is no memory for it. */
static bool keep(struct apart_thread *t, uint64_t page)
{
	_Atomic unsigned char *keeping = &t->all->keeping[page];
	const struct buffer *b = &t->all->image->buffers[t->all->image->pages[page]];
	uint64_t start = GENERIC_GLOBAL_BASE + page * PAGE_BYTES, end = start + PAGE_BYTES;
	unsigned char state = NOT_KEPT;
	struct kept_page *k;

	while (!atomic_compare_exchange_strong(keeping, &state, BEING_KEPT)) {
		if (state == KEPT)
			return true;
		sched_yield();
		state = NOT_KEPT;
	}
	k = mem_alloc(1, sizeof(*k));
	if (k) {
		start = max_u64(start, b->start);
		k->host = b->host + (start - b->start);
		k->bytes = (size_t)(min_u64(end, b->start + b->bytes) - start);
		memcpy(k->was, k->host, k->bytes);
		k->next = t->kept;
		t->kept = k;
	}
	atomic_store_explicit(keeping, k ? KEPT : NOT_KEPT, memory_order_release);
	return k;
}

/* The page's marks, for one that is about to be written; NULL: no memory. */
static inline struct page_marks *written(struct apart_thread *t, uint64_t address)
{
	struct page_marks *m = marks_of(t, address);

	if (m && !m->writes)
		m->writes = keep(t, m->page);
	return m && m->writes ? m : NULL;
}

/* The first lane cannot go on. */
static int breaks(struct apart_thread *t, const struct access *a)
{
	t->broken = true;
	return 1 + (int)low_bit(a->mask);
}

/* Marks bytes of one buffer. */
static bool mark_range(struct apart_thread *t, uint64_t address, uint64_t bytes, enum mark mark)
{
	while (bytes) {
		struct page_marks *m = mark == READ ? marks_of(t, address) : written(t, address);
		uint64_t n = min_u64(bytes, PAGE_BYTES - address % PAGE_BYTES);

		if (!m)
			return false;
		mark_words(m->bits[mark], word_of(address), word_of(address + n - 1));
		address += n;
		bytes -= n;
	}
	return true;
}

/* A lane's bytes are in one page: their address is a multiple of their number. */
static bool mark_lanes(struct apart_thread *t, const struct access *a, enum mark mark)
{
	struct page_marks *m = NULL;

	for (uint32_t left = a->mask; left; left &= left - 1) {
		uint64_t address = a->addr[low_bit(left)];

		if (!m || m->page != page_of(address))
			m = mark == READ ? marks_of(t, address) : written(t, address);
		if (!m)
			return false;
		mark_words(m->bits[mark], word_of(address), word_of(address + a->bytes - 1));
	}
	return true;
}

/* ---- accesses */
static int apart_load(void *ctx, const struct access *a, unsigned char *data)
{
	struct apart_thread *t = ctx;
	unsigned char *host[WARP_LANES];
	size_t n = (size_t)a->bytes * WARP_LANES;
	const unsigned char *from =
		a->contiguous ? image_range(t->all->image, a->addr[0], n) : NULL;
	int illegal;

	if (from) {
		copy_warp(data, from, n);
		return mark_range(t, a->addr[0], n, READ) ? 0 : breaks(t, a);
	}
	illegal = image_lanes(t->all->image, a, host);
	if (illegal)
		return illegal;
	image_gather(data, host, a->mask, a->bytes);
	return mark_lanes(t, a, READ) ? 0 : breaks(t, a);
}

static int apart_store(void *ctx, const struct access *a, const unsigned char *data)
{
	struct apart_thread *t = ctx;
	unsigned char *host[WARP_LANES];
	size_t n = (size_t)a->bytes * WARP_LANES;
	unsigned char *to = a->contiguous ? image_range(t->all->image, a->addr[0], n) : NULL;
	int illegal;

	if (to) {
		if (!mark_range(t, a->addr[0], n, WROTE))
			return breaks(t, a);
		copy_warp(to, data, n);
		return 0;
	}
	illegal = image_lanes(t->all->image, a, host);
	if (illegal)
		return illegal;
	if (!mark_lanes(t, a, WROTE))
		return breaks(t, a);
	for (uint32_t m = a->mask; m; m &= m - 1)
		memcpy(host[low_bit(m)], data + (size_t)low_bit(m) * a->bytes, a->bytes);
	return 0;
}

/* One lane, while other threads may do the same to the word. */
static void add_lane(
	const struct atom *atom, unsigned char *host, const unsigned char *data, unsigned bytes)
{
	if (bytes == 4) {
		_Atomic uint32_t *at = (_Atomic uint32_t *)(void *)host;
		uint32_t old = atomic_load(at), now;

		do {
			now = old;
			atom_lane(atom, (unsigned char *)&now, data, NULL, 0, NULL);
		} while (!atomic_compare_exchange_weak(at, &old, now));
	} else {
		_Atomic uint64_t *at = (_Atomic uint64_t *)(void *)host;
		uint64_t old = atomic_load(at), now;

		do {
			now = old;
			atom_lane(atom, (unsigned char *)&now, data, NULL, 0, NULL);
		} while (!atomic_compare_exchange_weak(at, &old, now));
	}
}

static int apart_atomic(void *ctx, const struct access *a, const unsigned char *data,
	const unsigned char *data_b, uint32_t *const *dst)
{
	struct apart_thread *t = ctx;
	const struct atom atom = {a->atom_op, a->mem_type, a->vec};
	unsigned char *host[WARP_LANES];
	int illegal = image_lanes(t->all->image, a, host);

	if (illegal)
		return illegal;
	if (dst || data_b || !mark_lanes(t, a, ADDED))
		return breaks(t, a);
	for (uint32_t m = a->mask; m; m &= m - 1)
		add_lane(&atom, host[low_bit(m)], data + (size_t)low_bit(m) * a->bytes, a->bytes);
	return 0;
}

struct exec_memory apart_memory(struct apart *a, unsigned thread)
{
	return (struct exec_memory){.ctx = &a->thread[thread],
		.load = apart_load,
		.store = apart_store,
		.atomic = apart_atomic};
}

/* ---- the end */
static bool are_apart(const struct page_marks *a, const struct page_marks *b)
{
	uint64_t shared = 0;

	for (unsigned i = 0; i < PAGE_MARKS; i++) {
		uint64_t reads = a->bits[READ][i], writes = a->bits[WROTE][i];
		uint64_t adds = a->bits[ADDED][i];

		shared |= writes & (b->bits[READ][i] | b->bits[WROTE][i] | b->bits[ADDED][i]);
		shared |= adds & (b->bits[READ][i] | b->bits[WROTE][i]);
		shared |= reads & (b->bits[WROTE][i] | b->bits[ADDED][i]);
	}
	return !shared;
}

/* Whether the thread was apart from those before it. */
static bool is_apart(const struct apart *a, unsigned thread)
{
	for (const struct page_marks *m = a->thread[thread].first; m; m = m->next)
		for (unsigned t = 0; t < thread; t++) {
			const struct page_marks *other = a->thread[t].of[m->page];

			if (other && (m->writes || other->writes) && !are_apart(m, other))
				return false;
		}
	return true;
}

/* What was kept of pages is theirs again, if that is wanted, and forgotten. */
static void forget(struct apart *a, struct apart_thread *t, bool take_back)
{
	while (t->kept) {
		struct kept_page *k = t->kept;

		if (take_back)
			memcpy(k->host, k->was, k->bytes);
		t->kept = k->next;
		mem_free(k);
	}
	while (t->first) {
		struct page_marks *m = t->first;

		atomic_store_explicit(&a->keeping[m->page], NOT_KEPT, memory_order_relaxed);
		t->of[m->page] = NULL;
		t->first = m->next;
		mem_free(m);
	}
	t->broken = false;
}

bool apart_end(struct apart *a, bool keep)
{
	for (unsigned t = 0; keep && t < a->threads; t++)
		keep = !a->thread[t].broken && is_apart(a, t);
	for (unsigned t = 0; t < a->threads; t++)
		forget(a, &a->thread[t], !keep);
	return keep;
}
