/* The timing wheel. What a bucket holds is in order of adding, so mostly in order of time as well:
 * when its time comes it is taken as it is, or else sorted by a heap. */
#include "core/wheel.h"

#define AHEAD 4u /* events fetched into the host's cache before their turn */

/* event.slot of what is in a heap. Going from its pack into the run, an event is not touched. */
#define IN_HEAP WHEEL_PACK

static bool before(const struct wheel_entry *a, const struct wheel_entry *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void place(struct heap *h, uint32_t i, struct wheel_entry entry)
{
	h->entries[i] = entry;
	entry.event->place = i;
	entry.event->slot = IN_HEAP;
}

static void sift_up(struct heap *h, uint32_t i, struct wheel_entry entry)
{
	while (i && before(&entry, &h->entries[(i - 1) / 2])) {
		place(h, i, h->entries[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	place(h, i, entry);
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
		place(h, i, h->entries[child]);
		i = child;
	}
	place(h, i, entry);
}

static void heap_push(struct heap *h, struct wheel_entry entry)
{
	sift_up(h, h->n++, entry);
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

static uint64_t bucket_of(tick_t at)
{
	return at >> WHEEL_SHIFT;
}

/* A pack of the bucket that has room. */
static struct wheel_pack *pack_take(struct wheel *w, uint32_t i)
{
	uint32_t index = w->free;
	struct wheel_pack *pack = &w->packs[index];

	w->free = pack->before;
	pack->before = w->last[i];
	pack->n = 0;
	w->last[i] = index;
	w->occupied[i / 64] |= UINT64_C(1) << i % 64;
	return pack;
}

static void bucket_push(struct wheel *w, struct event *e)
{
	uint32_t i = bucket_of(e->at) % WHEEL_BUCKETS;
	struct wheel_pack *pack = &w->packs[w->last[i]];

	if (pack->n == WHEEL_PACK)
		pack = pack_take(w, i);
	e->place = w->last[i];
	e->slot = pack->n;
	pack->entries[pack->n++] = (struct wheel_entry){e->at, e->order, e};
	w->waiting++;
}

/* Gives a bucket's last pack back. Answers the one before. */
static uint32_t pack_drop(struct wheel *w, uint32_t index)
{
	struct wheel_pack *pack = &w->packs[index];
	uint32_t before = pack->before;

	pack->before = w->free;
	w->free = index;
	return before;
}

static void bucket_emptied(struct wheel *w, uint32_t i)
{
	w->last[i] = 0;
	w->occupied[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* The bucket's last entry takes the place. */
static void bucket_remove(struct wheel *w, const struct event *e)
{
	uint32_t i = bucket_of(e->at) % WHEEL_BUCKETS;
	struct wheel_pack *pack = &w->packs[w->last[i]];
	struct wheel_entry last = pack->entries[--pack->n];

	w->waiting--;
	if (last.event != e) {
		w->packs[e->place].entries[e->slot] = last;
		last.event->place = e->place;
		last.event->slot = e->slot;
	}
	if (pack->n)
		return;
	w->last[i] = pack_drop(w, w->last[i]);
	if (!w->last[i])
		bucket_emptied(w, i);
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
		struct wheel_entry entry = w->far.entries[0];

		heap_remove(&w->far, 0);
		if (bucket_of(entry.at) == w->open)
			heap_push(&w->due, entry);
		else
			bucket_push(w, entry.event);
	}
}

static void run_to_heap(struct wheel *w)
{
	for (; w->run_at < w->run_n; w->run_at++)
		heap_push(&w->due, w->run[w->run_at]);
}

/* The bucket's entries become the run, at the end of its room, if they are in order. */
static void take_bucket(struct wheel *w, uint32_t i)
{
	struct wheel_entry *later = NULL, *at = w->run + w->run_n;
	uint32_t pack = w->last[i];
	bool in_order = true;

	while (pack) {
		const struct wheel_pack *p = &w->packs[pack];

		for (uint32_t slot = p->n; slot--; later = at) {
			*--at = p->entries[slot];
			in_order &= !later || before(at, later);
		}
		pack = pack_drop(w, pack);
	}
	bucket_emptied(w, i);
	w->run_at = (uint32_t)(at - w->run);
	w->waiting -= w->run_n - w->run_at;
	if (!in_order)
		run_to_heap(w);
}

/* Nothing is due: opens the next bucket that holds events, if there is any. */
static void open_next(struct wheel *w)
{
	if (w->waiting)
		w->open = next_bucket(w);
	else if (w->far.n)
		w->open = bucket_of(w->far.entries[0].at);
	else
		return;
	take_bucket(w, w->open % WHEEL_BUCKETS);
	fetch_far(w);
}

/* After what is due has changed. */
static void settle(struct wheel *w)
{
	if (w->run_at == w->run_n && !w->due.n)
		open_next(w);
	w->next = w->due.n ? w->due.entries[0].at : TICK_NEVER;
	if (w->run_at < w->run_n)
		w->next = min_u64(w->next, w->run[w->run_at].at);
}

void wheel_init(struct wheel *w, struct arena *arena, uint32_t capacity)
{
	uint32_t packs = capacity / WHEEL_PACK + (uint32_t)min_u64(capacity, WHEEL_BUCKETS) + 1;

	*w = (struct wheel){.next = TICK_NEVER, .run_at = capacity, .run_n = capacity};
	w->due.entries = arena_alloc(arena, capacity, sizeof(struct wheel_entry));
	w->far.entries = arena_alloc(arena, capacity, sizeof(struct wheel_entry));
	w->run = arena_alloc(arena, capacity, sizeof(struct wheel_entry));
	w->packs = arena_alloc(arena, packs, sizeof(struct wheel_pack));
	w->packs[0].n = WHEEL_PACK; /* stands for none */
	for (uint32_t i = 1; i < packs; i++)
		w->packs[i].before = i + 1 < packs ? i + 1 : 0;
	w->free = packs > 1;
}

void wheel_add(struct wheel *w, struct event *e, tick_t at)
{
	uint64_t bucket = bucket_of(at);

	e->at = at;
	e->order = w->order++;
	if (bucket <= w->open)
		heap_push(&w->due, (struct wheel_entry){at, e->order, e});
	else if (bucket - w->open >= WHEEL_BUCKETS)
		heap_push(&w->far, (struct wheel_entry){at, e->order, e});
	else
		bucket_push(w, e);
	if (at < w->next)
		settle(w);
}

/* To the next entry of the run that has an event. */
static void run_advance(struct wheel *w)
{
	while (w->run_at < w->run_n && !w->run[w->run_at].event)
		w->run_at++;
}

/* Where in the run the event is. */
static uint32_t run_find(const struct wheel *w, const struct event *e)
{
	struct wheel_entry entry = {.at = e->at, .order = e->order};
	uint32_t low = w->run_at, high = w->run_n;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (before(&entry, &w->run[middle]))
			high = middle;
		else
			low = middle;
	}
	return low;
}

void wheel_remove(struct wheel *w, struct event *e)
{
	uint64_t bucket = bucket_of(e->at);

	if (bucket > w->open && bucket - w->open < WHEEL_BUCKETS)
		bucket_remove(w, e);
	else if (bucket > w->open)
		heap_remove(&w->far, e->place);
	else if (e->slot == IN_HEAP)
		heap_remove(&w->due, e->place);
	else
		w->run[run_find(w, e)].event = NULL;
	if (bucket <= w->open) {
		run_advance(w);
		settle(w);
	}
	e->at = TICK_NEVER;
}

struct event *wheel_take(struct wheel *w)
{
	struct event *e;

	if (w->run_at < w->run_n && w->run[w->run_at].at == w->next) {
		e = w->run[w->run_at++].event;
		if (w->run_at + AHEAD < w->run_n)
			__builtin_prefetch(w->run[w->run_at + AHEAD].event);
		run_advance(w);
	} else {
		e = w->due.entries[0].event;
		heap_remove(&w->due, 0);
	}
	if (w->run_at < w->run_n && !w->due.n)
		w->next = w->run[w->run_at].at;
	else
		settle(w);
	e->at = TICK_NEVER;
	return e;
}
