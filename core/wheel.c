/* The timing wheel. Buckets are unsorted lists; one is sorted, by a heap, only when its time comes.
 */
#include "core/wheel.h"

static bool before(const struct heap_entry *a, const struct heap_entry *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void place(struct heap *h, uint32_t i, struct heap_entry entry)
{
	h->entries[i] = entry;
	entry.event->heap = i + 1;
}

static void sift_up(struct heap *h, uint32_t i, struct heap_entry entry)
{
	while (i && before(&entry, &h->entries[(i - 1) / 2])) {
		place(h, i, h->entries[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	place(h, i, entry);
}

static void sift_down(struct heap *h, uint32_t i, struct heap_entry entry)
{
	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= h->n)
			break;
		if (child + 1 < h->n && before(&h->entries[child + 1], &h->entries[child]))
			child++;
		if (!before(&h->entries[child], &entry))
			break;
		place(h, i, h->entries[child]);
		i = child;
	}
	place(h, i, entry);
}

static void heap_push(struct heap *h, struct event *e)
{
	sift_up(h, h->n++, (struct heap_entry){e->at, e->order, e});
}

static void heap_remove(struct heap *h, struct event *e)
{
	uint32_t i = e->heap - 1;
	struct heap_entry last = h->entries[--h->n];

	e->heap = 0;
	if (i == h->n)
		return;
	if (i && before(&last, &h->entries[(i - 1) / 2]))
		sift_up(h, i, last);
	else
		sift_down(h, i, last);
}

static uint64_t bucket_of(tick_t at)
{
	return at >> WHEEL_SHIFT;
}

static void list_push(struct wheel *w, struct event *e)
{
	uint32_t i = bucket_of(e->at) % WHEEL_BUCKETS;

	e->prev = NULL;
	e->next = w->buckets[i];
	if (e->next)
		e->next->prev = e;
	w->buckets[i] = e;
	w->occupied[i / 64] |= 1ull << i % 64;
	w->waiting++;
}

static void list_remove(struct wheel *w, struct event *e)
{
	uint32_t i = bucket_of(e->at) % WHEEL_BUCKETS;

	if (e->next)
		e->next->prev = e->prev;
	if (e->prev)
		e->prev->next = e->next;
	else
		w->buckets[i] = e->next;
	if (!w->buckets[i])
		w->occupied[i / 64] &= ~(1ull << i % 64);
	w->waiting--;
}

/* The first bucket after `open` that holds events; there is one. */
static uint64_t next_bucket(const struct wheel *w)
{
	uint32_t start = (w->open + 1) % WHEEL_BUCKETS, word = start / 64;
	uint64_t bits = w->occupied[word] >> start % 64;

	if (bits)
		return w->open + 1 + low_bit(bits);
	do
		word = (word + 1) % ARRAY_LEN(w->occupied);
	while (!w->occupied[word]);
	return w->open + 1 +
	       (word * 64 + low_bit(w->occupied[word]) - start + WHEEL_BUCKETS) % WHEEL_BUCKETS;
}

/* What is far no longer goes where it belongs now. */
static void fetch_far(struct wheel *w)
{
	while (w->far.n && bucket_of(w->far.entries[0].at) - w->open < WHEEL_BUCKETS) {
		struct event *e = w->far.entries[0].event;

		heap_remove(&w->far, e);
		if (bucket_of(e->at) == w->open)
			heap_push(&w->due, e);
		else
			list_push(w, e);
	}
}

/* Nothing is due: opens the next bucket that holds events, if there is any. */
static void open_next(struct wheel *w)
{
	struct event *e, *next;
	uint32_t i;

	if (w->waiting)
		w->open = next_bucket(w);
	else if (w->far.n)
		w->open = bucket_of(w->far.entries[0].at);
	else
		return;
	i = w->open % WHEEL_BUCKETS;
	for (e = w->buckets[i]; e; e = next) {
		next = e->next;
		heap_push(&w->due, e);
		w->waiting--;
	}
	w->buckets[i] = NULL;
	w->occupied[i / 64] &= ~(1ull << i % 64);
	fetch_far(w);
}

void wheel_init(struct wheel *w, struct arena *arena, uint32_t capacity)
{
	*w = (struct wheel){0};
	w->due.entries = arena_alloc(arena, capacity, sizeof(struct heap_entry));
	w->far.entries = arena_alloc(arena, capacity, sizeof(struct heap_entry));
}

void wheel_add(struct wheel *w, struct event *e, tick_t at)
{
	uint64_t bucket = bucket_of(at);

	e->at = at;
	e->order = w->order++;
	if (bucket <= w->open)
		heap_push(&w->due, e);
	else if (bucket - w->open >= WHEEL_BUCKETS)
		heap_push(&w->far, e);
	else
		list_push(w, e);
	if (!w->due.n)
		open_next(w);
}

void wheel_remove(struct wheel *w, struct event *e)
{
	uint64_t bucket = bucket_of(e->at);

	if (bucket <= w->open)
		heap_remove(&w->due, e);
	else if (e->heap)
		heap_remove(&w->far, e);
	else
		list_remove(w, e);
	e->at = TICK_NEVER;
	if (!w->due.n)
		open_next(w);
}

struct event *wheel_take(struct wheel *w)
{
	struct event *e = w->due.entries[0].event;

	wheel_remove(w, e);
	return e;
}
