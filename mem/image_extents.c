/* Device addresses that were used and are free: which of them a new buffer gets. Free extents are
 * in bins by the logarithm of their pages, so that finding one takes as long among a million. */
#include "mem/image_inside.h"

#define OF_ONE_BIN 8 /* extents looked at in the bin that need not fit */

static unsigned bin_of(uint64_t bytes)
{
	unsigned bin = 63u - (unsigned)__builtin_clzll(bytes >> IMAGE_PAGE_SHIFT);

	return bin < EXTENT_BINS ? bin : EXTENT_BINS - 1;
}

static uint32_t *bin_for(struct image *im, const struct extent *e)
{
	return &im->extents.bin[e->start >= LOW_END][bin_of(e->end - e->start)];
}

static void insert(struct image *im, uint32_t slot)
{
	struct extent *e = &im->extents.of[slot];
	uint32_t *bin = bin_for(im, e);

	e->prev = 0;
	e->next = *bin;
	if (*bin)
		im->extents.of[*bin].prev = slot;
	*bin = slot;
	im->pages[page_of(e->start)] = im->pages[page_of(e->end - 1)] = slot;
}

static void withdraw(struct image *im, uint32_t slot)
{
	struct extent *e = &im->extents.of[slot];

	if (e->prev)
		im->extents.of[e->prev].next = e->next;
	else
		*bin_for(im, e) = e->next;
	if (e->next)
		im->extents.of[e->next].prev = e->prev;
}

uint32_t extents_slot(struct image *im)
{
	uint32_t slot = im->extents.unused;

	if (!slot)
		return ++im->count;
	im->extents.unused = im->extents.of[slot].next;
	return slot;
}

static void drop_slot(struct image *im, uint32_t slot)
{
	im->extents.of[slot] = (struct extent){.next = im->extents.unused};
	im->extents.unused = slot;
}

/* The slot of the page before or after an extent; 0: it never had one, or is of the other part. */
static uint32_t neighbour(const struct image *im, uint64_t address)
{
	uint64_t page = page_of(address);

	return page < im->npages ? im->pages[page] : 0;
}

static uint32_t before(const struct image *im, const struct extent *e)
{
	bool first = e->start == GENERIC_GLOBAL_BASE || e->start == LOW_END;

	return first ? 0 : neighbour(im, e->start - 1);
}

static uint32_t behind(const struct image *im, const struct extent *e)
{
	return e->end == LOW_END ? 0 : neighbour(im, e->end);
}

/* The end of what a buffer in the extent may fill: a gap before a buffer that begins there. */
static uint64_t limit(const struct image *im, const struct extent *e)
{
	const struct buffer *b = &im->buffers[behind(im, e)];

	return b->bytes && b->start == e->end ? e->end - IMAGE_ALIGN : e->end;
}

/* The first multiple of `align` from `from` on with a gap behind the buffer before the extent. */
static uint64_t begin(const struct image *im, const struct extent *e, uint64_t from, uint64_t align)
{
	const struct buffer *b = &im->buffers[before(im, e)];

	if (b->bytes && b->start + b->bytes + IMAGE_ALIGN > from)
		from = b->start + b->bytes + IMAGE_ALIGN;
	return div_up(from, align) * align;
}

static bool fits(const struct image *im, const struct extent *e, uint64_t bytes, uint64_t align,
	uint64_t *at)
{
	const uint64_t from[] = {e->first, e->start}, end = limit(im, e);

	for (unsigned i = 0; i < 2; i++) {
		*at = begin(im, e, from[i], align);
		if (*at <= end && bytes <= end - *at)
			return true;
	}
	return false;
}

uint32_t extents_find(struct image *im, uint64_t bytes, uint64_t align, bool low, uint64_t *at)
{
	struct extents *x = &im->extents;
	unsigned first = bin_of(div_up(bytes, PAGE_BYTES) * PAGE_BYTES);

	for (unsigned bin = first; bin < EXTENT_BINS; bin++) {
		uint32_t slot = x->bin[!low][bin];

		for (unsigned i = 0; i < OF_ONE_BIN && slot; i++, slot = x->of[slot].next) {
			x->looked++;
			if (fits(im, &x->of[slot], bytes, align, at))
				return slot;
		}
	}
	return 0;
}

void extents_take(struct image *im, uint32_t slot, uint32_t rest, uint64_t at, uint64_t used)
{
	struct extent *e = &im->extents.of[slot], *left = &im->extents.of[rest];
	uint64_t end = div_up(at + used, PAGE_BYTES) * PAGE_BYTES;

	withdraw(im, slot);
	e->first = at;
	if (end == e->end) {
		drop_slot(im, rest);
		return;
	}
	*left = (struct extent){.start = end, .end = e->end, .first = next_start(at + used)};
	e->end = end;
	insert(im, rest);
}

/* Removes a free neighbour, whose addresses become the extent's. */
static void merge(struct image *im, struct extent *e, uint32_t other)
{
	struct extent *o = &im->extents.of[other];

	withdraw(im, other);
	im->pages[page_of(o->start)] = im->pages[page_of(o->end - 1)] = 0;
	if (o->start < e->start) {
		e->start = o->start;
		e->first = o->first;
	} else {
		e->end = o->end;
	}
	drop_slot(im, other);
}

static bool is_free(const struct image *im, uint32_t slot)
{
	return slot && !im->buffers[slot].bytes && !im->buffers[slot].vacant;
}

void extents_give(struct image *im, uint32_t slot)
{
	struct extent *e = &im->extents.of[slot];
	uint32_t other;

	for (uint64_t a = e->start; a < e->end; a += PAGE_BYTES)
		im->pages[page_of(a)] = 0;
	other = before(im, e);
	if (is_free(im, other))
		merge(im, e, other);
	other = behind(im, e);
	if (is_free(im, other))
		merge(im, e, other);
	insert(im, slot);
}
