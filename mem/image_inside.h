/* Internals of the device-memory image, for the files that read and write it by lane. */
#ifndef MEM_IMAGE_INSIDE_H
#define MEM_IMAGE_INSIDE_H

#include "core/base.h"
#include "mem/image.h"
#include "ptx/isa/forms.h"

#include <string.h>

#define IMAGE_PAGE_SHIFT \
	14 /* 16 KB: no page belongs to two buffers, and 1 GB needs 256 KB of table */

struct buffer {
	uint64_t start, bytes; /* 0 bytes: there is none */
	unsigned char *host;
	uint32_t account; /* of its name */
	bool given;       /* the bytes are the caller's */
	bool vacant;      /* there is none, but its addresses are not free */
};

/* Addresses that belong to a slot of the table of buffers, in whole pages: with a buffer in them,
 * or free. */
struct extent {
	uint64_t start, end;
	uint64_t first;      /* where a buffer began: the next one there does, too */
	uint32_t prev, next; /* free: in its bin; unused slots: the next one */
};

#define EXTENT_BINS 40 /* by the binary logarithm of the pages */

struct extents {
	struct extent *of;            /* by slot */
	uint32_t bin[2][EXTENT_BINS]; /* of free ones, below and above 4 GB: the latest freed */
	uint32_t unused;
	uint64_t looked; /* free extents looked at, for tests */
};

/* Names, each with the account of its buffers' traffic. */
struct names {
	char **of;       /* by account, from 1 on */
	uint32_t *table; /* accounts by the hash of the name, 0: none */
	uint32_t n, cap;
};

/* Buffers freed last, for messages. */
#define FREED_KNOWN 256u
struct freed_buffer {
	uint64_t start, bytes;
	uint32_t account;
};

struct image {
	struct buffer *buffers; /* [0] is empty and means "none" */
	unsigned count, cap;
	uint32_t *pages; /* slot of each page from GENERIC_GLOBAL_BASE on */
	uint64_t npages;
	uint64_t low_next, high_next; /* first address never used, below and above 4 GB */
	uint64_t live_bytes;
	struct extents extents;
	struct names names;
	struct freed_buffer freed[FREED_KNOWN];
	uint64_t nfreed;
};

/* mem/image_extents.c: a free extent that holds the bytes; 0: none. *at: where the buffer begins,
 * at a multiple of `align`, with a gap to its neighbours. */
uint32_t extents_find(struct image *, uint64_t bytes, uint64_t align, bool low, uint64_t *at);
/* Takes the extent, which becomes that of a buffer of `used` bytes (with what follows it in its
 * last pages) at `at`; what is left becomes the free extent of the slot `rest`. */
void extents_take(struct image *, uint32_t slot, uint32_t rest, uint64_t at, uint64_t used);
/* The slot's extent is free, and one with free neighbours. */
void extents_give(struct image *, uint32_t slot);
/* A slot for a new extent. The tables are large enough. */
uint32_t extents_slot(struct image *);

/* mem/image_names.c: the account of a name; 0 when there is no memory. */
uint32_t names_account(struct names *, const char *name);
void names_free(struct names *);

#define PAGE_BYTES (UINT64_C(1) << IMAGE_PAGE_SHIFT)
#define LOW_END (UINT64_C(1) << 32)

static inline uint64_t page_of(uint64_t a)
{
	return (a - GENERIC_GLOBAL_BASE) >> IMAGE_PAGE_SHIFT;
}

/* Where the buffer after one that ends at `end` starts: after a gap, with the low bits that it
 * would have if buffers were packed (starting on whole pages would map all of them to the same
 * cache sets), and on a page of its own. */
static inline uint64_t next_start(uint64_t end)
{
	uint64_t start = div_up(end + IMAGE_ALIGN, IMAGE_ALIGN) * IMAGE_ALIGN;

	if (start >> IMAGE_PAGE_SHIFT == (end - 1) >> IMAGE_PAGE_SHIFT)
		start += PAGE_BYTES;
	return start;
}

/* The buffer that owns the page of `a`; the empty one when none does. */
static inline const struct buffer *image_owner(const struct image *im, uint64_t a)
{
	uint64_t page = (a - GENERIC_GLOBAL_BASE) >> IMAGE_PAGE_SHIFT;

	return &im->buffers[page < im->npages ? im->pages[page] : 0];
}

static inline bool buffer_holds(const struct buffer *b, uint64_t a, uint64_t n)
{
	uint64_t at = a - b->start;

	return at < b->bytes && n <= b->bytes - at;
}

/* Host address of a .. a + n - 1, or NULL. */
static inline unsigned char *image_range(const struct image *im, uint64_t a, uint64_t n)
{
	const struct buffer *b = image_owner(im, a);

	return buffer_holds(b, a, n) ? b->host + (a - b->start) : NULL;
}

/* Host addresses of every active lane: 0, or 1 + the lane with the first illegal address. */
static inline int image_lanes(
	const struct image *im, const struct access *a, unsigned char *host[WARP_LANES])
{
	const struct buffer *b = im->buffers;

	for (uint32_t m = a->mask; m; m &= m - 1) {
		unsigned lane = low_bit(m);

		if (!buffer_holds(b, a->addr[lane], a->bytes)) {
			b = image_owner(im, a->addr[lane]);
			if (!buffer_holds(b, a->addr[lane], a->bytes))
				return 1 + (int)lane;
		}
		host[lane] = b->host + (a->addr[lane] - b->start);
	}
	return 0;
}

/* With a constant size the compiler replaces memcpy by one move; the switches below make it
 * constant. */
static inline __attribute__((always_inline)) void gather_each(
	unsigned char *data, unsigned char *const *host, uint32_t mask, const unsigned bytes)
{
	for (uint32_t m = mask; m; m &= m - 1)
		memcpy(data + (size_t)low_bit(m) * bytes, host[low_bit(m)], bytes);
}

/* Gathers lane-major data from the lanes' host addresses. */
static inline void image_gather(
	unsigned char *data, unsigned char *const *host, uint32_t mask, unsigned bytes)
{
	switch (bytes) {
	case 4:
		gather_each(data, host, mask, 4);
		break;
	case 8:
		gather_each(data, host, mask, 8);
		break;
	case 16:
		gather_each(data, host, mask, 16);
		break;
	default:
		gather_each(data, host, mask, bytes);
	}
}

/* A whole warp's contiguous bytes: 128 are by far the most frequent. */
static inline void copy_warp(unsigned char *to, const unsigned char *from, size_t n)
{
	if (n == 128)
		memcpy(to, from, 128);
	else
		memcpy(to, from, n);
}

#endif
