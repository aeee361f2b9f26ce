/* The device-memory image: a page table from device addresses to buffers in host memory. */
#include "mem/image_inside.h"

#include "core/mem.h"

#define MOST_BYTES (UINT64_C(1) << 40)   /* of one buffer; more than any host has */
#define MOST_ADDRESS (UINT64_C(1) << 38) /* of one that is placed: what the page table costs */

struct image *image_new(struct err *err)
{
	struct image *im = mem_alloc(1, sizeof(*im));
	struct buffer *none = mem_alloc(16, sizeof(*none));
	struct extent *nowhere = mem_alloc(16, sizeof(*nowhere));

	if (!im || !none || !nowhere) {
		mem_free(im);
		mem_free(none);
		mem_free(nowhere);
		err_add(err, ERR_RESOURCE, "no memory for the device-memory image");
		return NULL;
	}
	im->buffers = none;
	im->extents.of = nowhere;
	im->cap = 16;
	im->low_next = GENERIC_GLOBAL_BASE;
	im->high_next = LOW_END;
	return im;
}

void image_free(struct image *im)
{
	if (!im)
		return;
	for (unsigned i = 1; i <= im->count; i++)
		if (!im->buffers[i].given)
			mem_free(im->buffers[i].host);
	names_free(&im->names);
	mem_free(im->extents.of);
	mem_free(im->buffers);
	mem_free(im->pages);
	mem_free(im);
}

/* Capacity for two more slots, and for page table entries up to address `end`. */
static bool grow(struct image *im, uint64_t end)
{
	uint64_t pages = div_up(end - GENERIC_GLOBAL_BASE, PAGE_BYTES);
	void *grown;

	if (im->count + 2 >= im->cap) {
		grown = mem_grow(
			im->extents.of, im->cap, 2 * (size_t)im->cap, sizeof(*im->extents.of));
		if (!grown)
			return false;
		im->extents.of = grown;
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

static int no_memory(const char *name, uint64_t bytes, struct err *err)
{
	return err_add(err, ERR_RESOURCE, "buffer %s: no memory for %llu bytes", name,
		(unsigned long long)bytes);
}

/* A buffer that is to be added. */
struct wanted {
	const char *name;
	uint64_t bytes;
	uint64_t align;
	bool low;
	void *host;       /* the caller's, or NULL */
	uint64_t address; /* where it must be; 0: anywhere */
};

/* Addresses never used. */
static bool next_fits(const struct image *im, const struct wanted *w, struct err *err)
{
	if (!w->low || (im->low_next <= LOW_END && w->bytes <= LOW_END - im->low_next))
		return true;
	err_add(err, ERR_RESOURCE,
		"buffer %s: %llu bytes do not fit into the 32-bit address space: %llu left",
		w->name, (unsigned long long)w->bytes,
		(unsigned long long)(LOW_END - min_u64(im->low_next, LOW_END)));
	return false;
}

/* Bytes with what belongs to the buffer behind them. */
static uint64_t used_bytes(const struct wanted *w)
{
	return w->host ? div_up(w->bytes, w->align) * w->align : w->bytes;
}

/* The slot of addresses for it, of the lowest ones never used when no free ones do: 0 and a
 * message when there are none. */
static uint32_t place(struct image *im, const struct wanted *w, uint64_t *at, struct err *err)
{
	uint64_t used = used_bytes(w), *next = w->low ? &im->low_next : &im->high_next;
	uint32_t slot;

	if (!grow(im, GENERIC_GLOBAL_BASE)) {
		no_memory(w->name, w->bytes, err);
		return 0;
	}
	slot = w->address ? 0 : extents_find(im, used, w->align, w->low, at);
	if (slot) {
		extents_take(im, slot, extents_slot(im), *at, used);
		return slot;
	}
	*next = max_u64(*next, w->address);
	if (!next_fits(im, w, err))
		return 0;
	*at = div_up(*next, w->align) * w->align;
	if (!grow(im, *at + used)) {
		no_memory(w->name, w->bytes, err);
		return 0;
	}
	slot = extents_slot(im);
	im->extents.of[slot] = (struct extent){.start = *at & ~(PAGE_BYTES - 1),
		.end = div_up(*at + used, PAGE_BYTES) * PAGE_BYTES,
		.first = *at};
	*next = next_start(*at + used);
	return slot;
}

static unsigned add(struct image *im, const struct wanted *w, struct err *err)
{
	struct buffer b = {.bytes = w->bytes, .host = w->host, .given = w->host};
	const struct extent *e;
	uint32_t slot = 0;

	b.account = names_account(&im->names, w->name);
	if (!b.host)
		b.host = mem_alloc(w->bytes, 1);
	if (!b.host || !b.account)
		no_memory(w->name, w->bytes, err);
	else
		slot = place(im, w, &b.start, err);
	if (!slot) {
		if (!b.given)
			mem_free(b.host);
		return 0;
	}
	im->buffers[slot] = b;
	im->live_bytes += b.bytes;
	e = &im->extents.of[slot];
	for (uint64_t a = e->start; a < e->end; a += PAGE_BYTES)
		im->pages[page_of(a)] = slot;
	return slot;
}

static bool is_sensible(const char *name, uint64_t bytes, struct err *err)
{
	if (bytes && bytes <= MOST_BYTES)
		return true;
	if (bytes)
		no_memory(name, bytes, err);
	else
		err_add(err, ERR_INPUT, "buffer %s: 0 bytes; a buffer holds at least 1", name);
	return false;
}

unsigned image_add(struct image *im, const char *name, uint64_t bytes, bool low, struct err *err)
{
	const struct wanted w = {.name = name, .bytes = bytes, .align = IMAGE_ALIGN, .low = low};

	return is_sensible(name, bytes, err) ? add(im, &w, err) : 0;
}

unsigned image_add_at(
	struct image *im, const char *name, void *host, uint64_t bytes, struct err *err)
{
	const struct wanted w = {
		.name = name, .bytes = bytes, .align = IMAGE_SHARED_ALIGN, .host = host};

	return is_sensible(name, bytes, err) ? add(im, &w, err) : 0;
}

unsigned image_add_placed(
	struct image *im, const char *name, uint64_t address, uint64_t bytes, struct err *err)
{
	const struct wanted w = {.name = name,
		.bytes = bytes,
		.align = IMAGE_ALIGN,
		.low = address < LOW_END,
		.address = address};
	uint64_t next = image_next(im, w.low);

	if (!is_sensible(name, bytes, err))
		return 0;
	if (address % IMAGE_ALIGN || address < next || address > MOST_ADDRESS) {
		err_add(err, ERR_INPUT,
			"buffer %s: address 0x%llx: it must be a multiple of %u from 0x%llx on (to "
			"0x%llx)",
			name, (unsigned long long)address, IMAGE_ALIGN, (unsigned long long)next,
			(unsigned long long)(w.low ? LOW_END - IMAGE_ALIGN : MOST_ADDRESS));
		return 0;
	}
	return add(im, &w, err);
}

uint64_t image_next(const struct image *im, bool low)
{
	return div_up(low ? im->low_next : im->high_next, IMAGE_ALIGN) * IMAGE_ALIGN;
}

static const struct buffer *buffer_of(const struct image *im, unsigned buffer)
{
	BUG_ON(buffer == 0 || buffer > im->count);
	return &im->buffers[buffer];
}

void image_vacate(struct image *im, unsigned buffer)
{
	const struct buffer *b = buffer_of(im, buffer);

	BUG_ON(!b->bytes);
	im->freed[im->nfreed++ % FREED_KNOWN] =
		(struct freed_buffer){.start = b->start, .bytes = b->bytes, .account = b->account};
	im->live_bytes -= b->bytes;
	if (!b->given)
		mem_free(b->host);
	im->buffers[buffer] = (struct buffer){.vacant = true};
}

void image_remove(struct image *im, unsigned buffer)
{
	if (!buffer_of(im, buffer)->vacant)
		image_vacate(im, buffer);
	im->buffers[buffer].vacant = false;
	extents_give(im, buffer);
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
	const struct buffer *b = buffer_of(im, buffer);

	return b->bytes ? image_account_name(im, b->account) : "(freed)";
}

unsigned image_count(const struct image *im)
{
	return im->count;
}

uint64_t image_removals(const struct image *im)
{
	return im->nfreed;
}

uint64_t image_live_bytes(const struct image *im)
{
	return im->live_bytes;
}

uint16_t image_account(const struct image *im, uint64_t a)
{
	const struct buffer *b = image_owner(im, a);

	return buffer_holds(b, a, 1) ? (uint16_t)b->account : 0;
}

struct account_range image_account_range(const struct image *im, uint64_t a)
{
	const struct buffer *b = image_owner(im, a);

	if (!buffer_holds(b, a, 1))
		return (struct account_range){a, 1, 0};
	return (struct account_range){b->start, b->bytes, (uint16_t)b->account};
}

unsigned image_accounts(const struct image *im)
{
	return im->names.n;
}

const char *image_account_name(const struct image *im, unsigned account)
{
	BUG_ON(account == 0 || account > im->names.n);
	return im->names.of[account];
}

const char *image_freed(const struct image *im, uint64_t a, uint64_t *address, uint64_t *bytes)
{
	for (uint64_t i = 0; i < min_u64(im->nfreed, FREED_KNOWN); i++) {
		const struct freed_buffer *f = &im->freed[(im->nfreed - 1 - i) % FREED_KNOWN];

		if (a - f->start >= f->bytes)
			continue;
		*address = f->start;
		*bytes = f->bytes;
		return im->names.of[f->account];
	}
	return NULL;
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

		if (b->bytes && distance < best) {
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
