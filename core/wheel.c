/* The timing wheel's slow paths: its heaps, finding the next bucket, sorting a bucket. */
#include "core/wheel.h"

#define RUNS 32u /* a list of 2^32 events would not fit */

static bool before(const struct wheel_entry *a, const struct wheel_entry *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void heap_set(struct heap *h, uint32_t i, struct wheel_entry entry)
{
	h->entries[i] = entry;
	entry.event->index = i;
}

static void sift_up(struct heap *h, uint32_t i, struct wheel_entry entry)
{
	while (i && before(&entry, &h->entries[(i - 1) / 2])) {
		heap_set(h, i, h->entries[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	heap_set(h, i, entry);
}

static void sift_down(struct heap *h, uint32_t i, struct wheel_entry entry)
{
	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= h->n)
			break;
		if (child + 1 < h->n && before(&h->entries[child + 1], &h->entries[child]))
			child++;
		if (!before(&h->entries[child], &entry))
			break;
		heap_set(h, i, h->entries[child]);
		i = child;
	}
	heap_set(h, i, entry);
}

static void heap_remove(struct heap *h, uint32_t i)
{
	struct wheel_entry last = h->entries[--h->n];

	if (i == h->n)
		return;
	if (i && before(&last, &h->entries[(i - 1) / 2]))
		sift_up(h, i, last);
	else
		sift_down(h, i, last);
}

/* The first bucket from `open` on that holds events; there must be one. */
static uint64_t next_bucket(const struct wheel *w)
{
	uint32_t start = w->open % WHEEL_BUCKETS, word = start / 64, skip;
	uint64_t bits = w->occupied[word] >> start % 64;

	if (bits)
		return w->open + low_bit(bits);
	skip = 1 + low_bit((w->words | w->words << WHEEL_WORDS) >> (word + 1));
	bits = w->occupied[(word + skip) % WHEEL_WORDS];
	return w->open - start % 64 + skip * 64 + low_bit(bits);
}

/* Moves far events that now belong to a bucket there. They were added before all events in it. */
static void fetch_far(struct wheel *w)
{
	while (w->far.n && wheel_bucket_of(w->far.entries[0].at) - w->open < WHEEL_BUCKETS) {
		struct event *e = w->far.entries[0].event;

		heap_remove(&w->far, 0);
		wheel_push(w, e);
	}
}

/* Both in order of time; of equal ticks those of `a` come first. */
static struct event *merge(struct event *a, struct event *b)
{
	struct event *first = NULL, **last = &first;

	while (a && b) {
		struct event **least = b->at < a->at ? &b : &a;

		*last = *least;
		last = &(*least)->next;
		*least = *last;
	}
	*last = a ? a : b;
	return first;
}

/* By merging lists of 1, 2, 4, ... events. */
static void sort(struct wheel_bucket *b)
{
	struct event *runs[RUNS] = {NULL}, *all = NULL;

	while (b->first) {
		struct event *run = b->first;
		uint32_t i = 0;

		b->first = run->next;
		run->next = NULL;
		for (; runs[i]; runs[i++] = NULL)
			run = merge(runs[i], run);
		runs[i] = run;
	}
	for (uint32_t i = 0; i < RUNS; i++)
		all = merge(runs[i], all);
	b->last = &b->first;
	for (; all; all = all->next) {
		all->link = b->last;
		*b->last = all;
		b->last = &all->next;
	}
	b->mixed = false;
}

/* Separate from the path of most buckets, which needs no stack space. */
static __attribute__((noinline)) void order_bucket(struct wheel *w)
{
	struct wheel_bucket *b = &w->buckets[w->open % WHEEL_BUCKETS];

	fetch_far(w);
	if (b->mixed)
		sort(b);
}

void wheel_open_next(struct wheel *w)
{
	const struct wheel_bucket *b;

	if (w->words)
		w->open = next_bucket(w);
	else if (w->far.n)
		w->open = wheel_bucket_of(w->far.entries[0].at);
	else {
		w->next = TICK_NEVER;
		return;
	}
	b = &w->buckets[w->open % WHEEL_BUCKETS];
	if (w->far.n || b->mixed)
		order_bucket(w);
	w->next = b->first->at;
}

/* After what is due has changed: `next` is the earliest due event, or the next bucket is opened. */
static void settle(struct wheel *w)
{
	const struct event *listed = w->buckets[w->open % WHEEL_BUCKETS].first;

	if (w->due.n)
		w->next = min_u64(w->due.entries[0].at, listed ? listed->at : TICK_NEVER);
	else
		wheel_open_next(w);
}

void wheel_init(struct wheel *w, struct arena *arena, uint32_t capacity)
{
	*w = (struct wheel){.next = TICK_NEVER};
	w->due.entries = arena_alloc(arena, capacity, sizeof(struct wheel_entry));
	w->far.entries = arena_alloc(arena, capacity, sizeof(struct wheel_entry));
	w->buckets = arena_alloc(arena, WHEEL_BUCKETS, sizeof(*w->buckets));
}

/* To a heap, or as the only event. */
void wheel_add_apart(struct wheel *w, struct event *e)
{
	uint64_t bucket = wheel_bucket_of(e->at);
	struct heap *h = bucket <= w->open ? &w->due : &w->far;

	if (bucket > w->open && bucket - w->open < WHEEL_BUCKETS) {
		wheel_push(w, e);
	} else {
		e->link = NULL;
		sift_up(h, h->n++, (struct wheel_entry){e->at, w->order++, e});
	}
	if (e->at < w->next)
		settle(w);
}

static void unlink_listed(struct wheel *w, const struct event *e, uint64_t bucket)
{
	struct wheel_bucket *b = &w->buckets[bucket % WHEEL_BUCKETS];

	*e->link = e->next;
	if (e->next)
		e->next->link = e->link;
	else
		b->last = e->link;
	if (!b->first)
		wheel_emptied(w, bucket % WHEEL_BUCKETS);
}

void wheel_remove(struct wheel *w, struct event *e)
{
	uint64_t bucket = wheel_bucket_of(e->at);

	if (e->link)
		unlink_listed(w, e, bucket);
	else
		heap_remove(bucket <= w->open ? &w->due : &w->far, e->index);
	if (bucket <= w->open)
		settle(w);
	e->at = TICK_NEVER;
}

struct event *wheel_take_due(struct wheel *w)
{
	struct event *e = w->buckets[w->open % WHEEL_BUCKETS].first;

	if (!e || e->at != w->next)
		e = w->due.entries[0].event;
	wheel_remove(w, e);
	return e;
}
