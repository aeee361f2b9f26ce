/* The device-memory image: a page table from device addresses to buffers in host memory. */
#include "mem/image_inside.h"

#include "core/mem.h"

#define PAGE_BYTES (UINT64_C(1) << IMAGE_PAGE_SHIFT)
#define LOW_END (UINT64_C(1) << 32)
#define MOST_BUFFERS 65535u
#define MOST_BYTES (UINT64_C(1) << 40) /* of one buffer; more than any host has */

struct image *image_new(struct err *err)
{
	struct image *im = mem_alloc(1, sizeof(*im));
	struct buffer *none = mem_alloc(16, sizeof(*none));

	if (!im || !none) {
		mem_free(im);
		mem_free(none);
		err_add(err, ERR_RESOURCE, "no memory for the device-memory image");
		return NULL;
	}
	im->buffers = none;
	im->cap = 16;
	im->low_next = GENERIC_GLOBAL_BASE;
	im->high_next = LOW_END;
	return im;
}

void image_free(struct image *im)
{
	if (!im)
		return;
	for (unsigned i = 1; i <= im->count; i++) {
		mem_free(im->buffers[i].host);
		mem_free(im->buffers[i].name);
	}
	mem_free(im->buffers);
	mem_free(im->pages);
	mem_free(im);
}

/* Capacity for one more buffer in the table, and for page table entries up to address `end`. */
static bool grow(struct image *im, uint64_t end)
{
	uint64_t pages = div_up(end - GENERIC_GLOBAL_BASE, PAGE_BYTES);
	void *grown;

	if (im->count + 1 == im->cap) {
		grown = mem_grow(im->buffers, im->cap, 2 * (size_t)im->cap, sizeof(*im->buffers));
		if (!grown)
			return false;
		im->buffers = grown;
		im->cap *= 2;
	}
	if (pages > im->npages) {
		pages = max_u64(pages, 2 * im->npages);
		grown = mem_grow(im->pages, im->npages, pages, sizeof(*im->pages));
		if (!grown)
			return false;
		im->pages = grown;
		im->npages = pages;
	}
	return true;
}

/* Where the buffer after one that ends at `end` starts: after a gap, with the low bits that it
 * would have if buffers were packed (starting on whole pages would map all of them to the same
 * cache sets), and on a page of its own. */
static uint64_t next_start(uint64_t end)
{
	uint64_t start = div_up(end + IMAGE_ALIGN, IMAGE_ALIGN) * IMAGE_ALIGN;

	if (start >> IMAGE_PAGE_SHIFT == (end - 1) >> IMAGE_PAGE_SHIFT)
		start += PAGE_BYTES;
	return start;
}

static bool add_fits(
	const struct image *im, const char *name, uint64_t bytes, bool low, struct err *err)
{
	if (bytes == 0)
		err_add(err, ERR_INPUT, "buffer %s: 0 bytes; a buffer holds at least 1", name);
	else if (im->count == MOST_BUFFERS)
		err_add(err, ERR_RESOURCE, "buffer %s: more than %u buffers", name, MOST_BUFFERS);
	else if (bytes > MOST_BYTES)
		err_add(err, ERR_RESOURCE, "buffer %s: no memory for %llu bytes", name,
			(unsigned long long)bytes);
	else if (low && (im->low_next > LOW_END || bytes > LOW_END - im->low_next))
		err_add(err, ERR_RESOURCE,
			"buffer %s: %llu bytes do not fit into the 32-bit address space: %llu left",
			name, (unsigned long long)bytes,
			(unsigned long long)(LOW_END - min_u64(im->low_next, LOW_END)));
	else
		return true;
	return false;
}

unsigned image_add(struct image *im, const char *name, uint64_t bytes, bool low, struct err *err)
{
	uint64_t *next = low ? &im->low_next : &im->high_next;
	struct buffer b = {.start = *next, .bytes = bytes};

	if (!add_fits(im, name, bytes, low, err))
		return 0;
	b.host = mem_alloc(bytes, 1);
	b.name = mem_strdup(name);
	if (!b.host || !b.name || !grow(im, b.start + bytes)) {
		mem_free(b.host);
		mem_free(b.name);
		err_add(err, ERR_RESOURCE, "buffer %s: no memory for %llu bytes", name,
			(unsigned long long)bytes);
		return 0;
	}
	im->buffers[++im->count] = b;
	for (uint64_t a = b.start & ~(PAGE_BYTES - 1); a < b.start + bytes; a += PAGE_BYTES)
		im->pages[(a - GENERIC_GLOBAL_BASE) >> IMAGE_PAGE_SHIFT] = (uint16_t)im->count;
	*next = next_start(b.start + bytes);
	return im->count;
}

static const struct buffer *buffer_of(const struct image *im, unsigned buffer)
{
	BUG_ON(buffer == 0 || buffer > im->count);
	return &im->buffers[buffer];
}

uint64_t image_address(const struct image *im, unsigned buffer)
{
	return buffer_of(im, buffer)->start;
}

uint64_t image_bytes(const struct image *im, unsigned buffer)
{
	return buffer_of(im, buffer)->bytes;
}

const char *image_name(const struct image *im, unsigned buffer)
{
	return buffer_of(im, buffer)->name;
}

unsigned image_count(const struct image *im)
{
	return im->count;
}

unsigned image_find(const struct image *im, uint64_t a, uint64_t n)
{
	const struct buffer *b = image_owner(im, a);

	return buffer_holds(b, a, n) ? (unsigned)(b - im->buffers) : 0;
}

unsigned image_nearest(const struct image *im, uint64_t a)
{
	uint64_t best = UINT64_MAX;
	unsigned nearest = 0;

	for (unsigned i = 1; i <= im->count; i++) {
		const struct buffer *b = &im->buffers[i];
		uint64_t last = b->start + b->bytes - 1;
		uint64_t distance = a < b->start ? b->start - a : a > last ? a - last : 0;

		if (distance < best) {
			best = distance;
			nearest = i;
		}
	}
	return nearest;
}

unsigned char *image_bytes_at(const struct image *im, uint64_t a, uint64_t n)
{
	return image_range(im, a, n);
}

static int image_load(void *ctx, const struct access *a, unsigned char *data)
{
	const struct image *im = ctx;
	unsigned char *host[WARP_LANES];
	int illegal;

	if (a->contiguous) {
		size_t n = (size_t)a->bytes * WARP_LANES;
		const unsigned char *from = image_range(im, a->addr[0], n);

		if (from) {
			copy_warp(data, from, n);
			return 0;
		}
	}
	illegal = image_lanes(im, a, host);
	if (!illegal)
		image_gather(data, host, a->mask, a->bytes);
	return illegal;
}

static int image_store(void *ctx, const struct access *a, const unsigned char *data)
{
	const struct image *im = ctx;
	unsigned char *host[WARP_LANES];
	int illegal;

	BUG_ON(a->space == SPACE_CONST);
	if (a->contiguous) {
		size_t n = (size_t)a->bytes * WARP_LANES;
		unsigned char *to = image_range(im, a->addr[0], n);

		if (to) {
			copy_warp(to, data, n);
			return 0;
		}
	}
	illegal = image_lanes(im, a, host);
	if (illegal)
		return illegal;
	for (uint32_t m = a->mask; m; m &= m - 1)
		memcpy(host[low_bit(m)], data + (size_t)low_bit(m) * a->bytes, a->bytes);
	return 0;
}

static int image_atomics(void *ctx, const struct access *a, const unsigned char *data,
	const unsigned char *data_b, uint32_t *const *dst)
{
	const struct image *im = ctx;
	const struct atom atom = {a->atom_op, a->mem_type, a->vec};
	unsigned char *host[WARP_LANES];
	int illegal = image_lanes(im, a, host);

	BUG_ON(a->space == SPACE_CONST || a->bytes > ATOM_BYTES);
	if (illegal)
		return illegal;
	for (uint32_t m = a->mask; m; m &= m - 1) {
		unsigned lane = low_bit(m);
		size_t at = (size_t)lane * a->bytes;
		atom_lane(&atom, host[lane], data + at, data_b ? data_b + at : NULL, lane, dst);
	}
	return 0;
}

struct exec_memory image_memory(struct image *im)
{
	return (struct exec_memory){
		.ctx = im, .load = image_load, .store = image_store, .atomic = image_atomics};
}
