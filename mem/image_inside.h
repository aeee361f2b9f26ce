/* Internals of the device-memory image, for the files that read and write it by lane. */
#ifndef MEM_IMAGE_INSIDE_H
#define MEM_IMAGE_INSIDE_H

#include "core/base.h"
#include "mem/image.h"
#include "ptx/isa/forms.h"

#include <string.h>

#define IMAGE_PAGE_SHIFT \
	14 /* 16 KB: no page belongs to two buffers, and 1 GB needs 128 KB of table */

struct buffer {
	uint64_t start, bytes;
	unsigned char *host;
	char *name;
};

struct image {
	struct buffer *buffers; /* [0] is empty and means "none" */
	unsigned count, cap;
	uint16_t *pages; /* buffer of each page from GENERIC_GLOBAL_BASE on */
	uint64_t npages;
	uint64_t low_next, high_next; /* first unused address below and above 4 GB */
};

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
