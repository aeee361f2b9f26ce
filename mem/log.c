/* The store log: an SM's stores and atomics of one window, kept per line, and visible to its loads.
 */
#include "mem/log_inside.h"

#include "core/state.h"

struct store_log *log_new(struct arena *arena, struct image *image, unsigned entries)
{
	struct store_log *l = arena_alloc(arena, 1, sizeof(*l));
	unsigned bits = 6;
	size_t cap;

	BUG_ON(entries < 2 * WARP_LANES);
	while ((1u << bits) < entries)
		bits++;
	/* Index 0 means none; a misaligned lane would take two entries. */
	cap = (size_t)entries + 1 + WARP_LANES;
	l->image = image;
	l->most = entries;
	l->room = (uint32_t)cap;
	l->slot_shift = 32 - bits;
	l->entries = arena_alloc(arena, cap, sizeof(*l->entries));
	l->atomics = arena_alloc(arena, cap, sizeof(*l->atomics));
	l->lines = arena_alloc(arena, cap, sizeof(*l->lines));
	l->slices = arena_alloc(arena, cap, sizeof(*l->slices));
	l->slots = arena_alloc(arena, (size_t)1 << bits, sizeof(*l->slots));
	l->data = arena_alloc(arena, entries, LOG_LANE_BYTES);
	return l;
}

void log_set_cycle(struct store_log *l, uint64_t cycle)
{
	BUG_ON(cycle < l->cycle);
	l->cycle = cycle;
}

bool log_pending(const struct store_log *l)
{
	return l->nentries != 0;
}

static inline uint32_t hash_line(uint64_t line)
{
	return (uint32_t)((line / LINE_BYTES * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* The line's index among the lines with entries; 0: it has none, the most frequent case. */
static inline uint32_t find_line(const struct store_log *l, uint64_t line)
{
	uint32_t hash = hash_line(line), bit = hash % LOG_FILTER_BITS, i;

	if (!(l->filter[bit / 64] >> (bit % 64) & 1))
		return 0;
	for (i = l->slots[hash >> l->slot_shift]; i; i = l->lines[i].next)
		if (l->lines[i].line == line)
			break;
	return i;
}

static struct log_line *take_line(struct store_log *l, uint64_t line)
{
	uint32_t i = find_line(l, line), hash = hash_line(line), bit = hash % LOG_FILTER_BITS;
	uint32_t slot = hash >> l->slot_shift;

	if (i)
		return &l->lines[i];
	i = ++l->nlines;
	l->lines[i] = (struct log_line){.line = line, .next = l->slots[slot], .slot = slot};
	l->slots[slot] = i;
	l->filter[bit / 64] |= UINT64_C(1) << (bit % 64);
	return &l->lines[i];
}

/* Opens the cycle's slice at the first entry of a cycle. */
static void open_slice(struct store_log *l)
{
	if (l->nslices && l->slices[l->nslices - 1].cycle == l->cycle)
		return;
	l->slices[l->nslices++] = (struct log_slice){.cycle = l->cycle, .first = l->nentries + 1};
}

static struct log_line *push_entry(
	struct store_log *l, uint64_t addr, unsigned char *host, unsigned bytes)
{
	struct log_line *line = take_line(l, addr & ~(uint64_t)(LINE_BYTES - 1));
	uint32_t i = ++l->nentries;

	l->entries[i] = (struct log_entry){
		.addr = addr, .host = host, .data = l->data_used, .bytes = (uint16_t)bytes};
	if (line->first)
		l->entries[line->last].next = i;
	else
		line->first = i;
	line->last = i;
	return line;
}

/* Appends bytes of one line; bytes that continue the last store of this cycle are merged with it.
 */
static void push_store(struct store_log *l, uint64_t addr, unsigned char *host,
	const unsigned char *data, unsigned bytes)
{
	struct log_entry *last = &l->entries[l->nentries];

	if (l->nentries >= l->slices[l->nslices - 1].first && !last->atomic &&
		addr == last->addr + last->bytes && addr % LINE_BYTES)
		last->bytes = (uint16_t)(last->bytes + bytes);
	else
		push_entry(l, addr, host, bytes);
	copy_warp(l->data + l->data_used, data, bytes);
	l->data_used += bytes;
}

/* The same for bytes that may cross lines. */
static void push_bytes(struct store_log *l, uint64_t addr, unsigned char *host,
	const unsigned char *data, size_t n)
{
	while (n) {
		unsigned bytes = (unsigned)min_u64(n, LINE_BYTES - addr % LINE_BYTES);

		push_store(l, addr, host, data, bytes);
		addr += bytes;
		host += bytes;
		data += bytes;
		n -= bytes;
	}
}

static bool has_space(const struct store_log *l, unsigned lanes, size_t bytes)
{
	return l->nentries + lanes <= l->most &&
	       l->data_used + bytes <= (size_t)l->most * LOG_LANE_BYTES;
}

static int log_store(void *ctx, const struct access *a, const unsigned char *data)
{
	struct store_log *l = ctx;
	size_t n = (size_t)a->bytes * WARP_LANES;
	unsigned char *host[WARP_LANES], *range = NULL;
	int illegal;

	BUG_ON(a->space == SPACE_CONST);
	if (a->contiguous)
		range = image_range(l->image, a->addr[0], n);
	if (!range) {
		illegal = image_lanes(l->image, a, host);
		if (illegal)
			return illegal;
	}
	if (!a->mask)
		return 0;
	if (!has_space(l, WARP_LANES, n))
		return EXEC_RETRY;
	open_slice(l);
	if (range) {
		push_bytes(l, a->addr[0], range, data, n);
		return 0;
	}
	for (uint32_t m = a->mask; m; m &= m - 1) {
		unsigned lane = low_bit(m);

		push_bytes(l, a->addr[lane], host[lane], data + (size_t)lane * a->bytes, a->bytes);
	}
	return 0;
}

static void open_atomic(
	struct store_log *l, const struct access *a, bool has_b, uint32_t *const *dst)
{
	struct log_atomic *op = &l->atomics[++l->natomics];

	*op = (struct log_atomic){
		.atom = {a->atom_op, a->mem_type, a->vec},
		.has_b = has_b,
	};
	for (unsigned k = 0; dst && k < ATOM_PLANES; k++)
		op->dst[k] = dst[k];
}

static int log_atomics(void *ctx, const struct access *a, const unsigned char *data,
	const unsigned char *data_b, uint32_t *const *dst)
{
	struct store_log *l = ctx;
	unsigned char *host[WARP_LANES];
	int illegal = image_lanes(l->image, a, host);
	size_t lane_bytes = max_u64(LOG_LANE_BYTES, (data_b ? 2u : 1u) * a->bytes);

	BUG_ON(a->space == SPACE_CONST || a->bytes > ATOM_BYTES);
	if (illegal || !a->mask)
		return illegal;
	if (!has_space(l, WARP_LANES, WARP_LANES * lane_bytes))
		return EXEC_RETRY;
	open_slice(l);
	open_atomic(l, a, data_b != NULL, dst);
	for (uint32_t m = a->mask; m; m &= m - 1) {
		unsigned lane = low_bit(m);
		size_t at = (size_t)lane * a->bytes;

		push_entry(l, a->addr[lane], host[lane], a->bytes)->atomic = true;
		l->entries[l->nentries].atomic = l->natomics;
		l->entries[l->nentries].lane = (uint8_t)lane;
		memcpy(l->data + l->data_used, data + at, a->bytes);
		if (data_b)
			memcpy(l->data + l->data_used + a->bytes, data_b + at, a->bytes);
		l->data_used += (data_b ? 2u : 1u) * a->bytes;
	}
	return 0;
}

enum pending { PENDING_NOTHING, PENDING_STORE, PENDING_ATOMIC };

/* The pending accesses to the lines of addr .. addr + n - 1: the most restrictive of them. */
static inline enum pending pending_in(const struct store_log *l, uint64_t addr, size_t n)
{
	uint64_t line = addr & ~(uint64_t)(LINE_BYTES - 1);
	enum pending worst = PENDING_NOTHING;

	for (; line < addr + n; line += LINE_BYTES) {
		uint32_t i = find_line(l, line);

		if (i && l->lines[i].atomic)
			return PENDING_ATOMIC;
		if (i)
			worst = PENDING_STORE;
	}
	return worst;
}

/* The same over the lanes of an access; adjacent lanes on one line are looked up once. */
static enum pending pending_lanes(const struct store_log *l, const struct access *a)
{
	enum pending worst = PENDING_NOTHING;
	uint64_t known = UINT64_MAX;

	for (uint32_t m = a->mask; m; m &= m - 1) {
		uint64_t addr = a->addr[low_bit(m)];
		enum pending here;

		if (addr / LINE_BYTES == known && (addr + a->bytes - 1) / LINE_BYTES == known)
			continue;
		known = addr / LINE_BYTES;
		here = pending_in(l, addr, a->bytes);
		if (here > worst)
			worst = here;
	}
	return worst;
}

/* Overlays this SM's stores to a line, in their order, on n bytes at `addr` that were read from
 * memory. */
static void overlay_line(
	const struct store_log *l, uint32_t line, uint64_t addr, size_t n, unsigned char *data)
{
	for (uint32_t i = l->lines[line].first; i; i = l->entries[i].next) {
		const struct log_entry *e = &l->entries[i];
		uint64_t low = max_u64(addr, e->addr), high = min_u64(addr + n, e->addr + e->bytes);

		if (low < high)
			memcpy(data + (low - addr), l->data + e->data + (low - e->addr),
				high - low);
	}
}

static void overlay(const struct store_log *l, uint64_t addr, size_t n, unsigned char *data)
{
	uint64_t line = addr & ~(uint64_t)(LINE_BYTES - 1);

	for (; line < addr + n; line += LINE_BYTES) {
		uint32_t i = find_line(l, line);

		if (i)
			overlay_line(l, i, addr, n, data);
	}
}

static int load_range(const struct store_log *l, uint64_t addr, size_t n, const unsigned char *from,
	unsigned char *data)
{
	enum pending pending = l->nentries ? pending_in(l, addr, n) : PENDING_NOTHING;

	if (pending == PENDING_ATOMIC)
		return EXEC_RETRY;
	copy_warp(data, from, n);
	if (pending)
		overlay(l, addr, n, data);
	return 0;
}

static int load_lanes(const struct store_log *l, const struct access *a, unsigned char *data)
{
	unsigned char *host[WARP_LANES];
	int illegal = image_lanes(l->image, a, host);
	enum pending pending = PENDING_NOTHING;

	if (illegal)
		return illegal;
	if (l->nentries)
		pending = pending_lanes(l, a);
	if (pending == PENDING_ATOMIC)
		return EXEC_RETRY;
	image_gather(data, host, a->mask, a->bytes);
	if (pending)
		for (uint32_t m = a->mask; m; m &= m - 1)
			overlay(l, a->addr[low_bit(m)], a->bytes,
				data + (size_t)low_bit(m) * a->bytes);
	return 0;
}

/* Each half of the warp loads a row. */
static int load_rows(const struct store_log *l, const struct access *a, unsigned char *data)
{
	size_t n = (size_t)a->bytes * HALF_LANES;
	const unsigned char *low = image_range(l->image, a->addr[0], n);
	const unsigned char *high = image_range(l->image, a->addr[HALF_LANES], n);

	if (!low || !high)
		return load_lanes(l, a, data);
	if (load_range(l, a->addr[0], n, low, data))
		return EXEC_RETRY;
	return load_range(l, a->addr[HALF_LANES], n, high, data + n);
}

static int log_load(void *ctx, const struct access *a, unsigned char *data)
{
	const struct store_log *l = ctx;

	if (a->contiguous) {
		size_t n = (size_t)a->bytes * WARP_LANES;
		const unsigned char *from = image_range(l->image, a->addr[0], n);

		if (from)
			return load_range(l, a->addr[0], n, from, data);
	}
	if (a->halves == HALVES_ROWS)
		return load_rows(l, a, data);
	return load_lanes(l, a, data);
}

struct exec_memory log_memory(struct store_log *l)
{
	return (struct exec_memory){
		.ctx = l, .load = log_load, .store = log_store, .atomic = log_atomics};
}

/* What an empty log's tables hold is overwritten before it is read. */
void log_state(struct state *s, struct store_log *l)
{
	BUG_ON(l->nentries || l->nlines);
	STATE(s, l->cycle);
	STATE(s, l->data_used);
	STATE(s, l->nslices);
	STATE(s, l->cursor);
	state_most(s, l->nslices, l->room - UINT64_C(1));
	state_most(s, l->data_used, (uint64_t)l->most * LOG_LANE_BYTES);
	state_most(s, l->cursor, l->nslices);
	state_scratch(s, l->entries, l->room * sizeof(*l->entries));
	state_scratch(s, l->atomics, l->room * sizeof(*l->atomics));
	state_scratch(s, l->lines, l->room * sizeof(*l->lines));
	state_scratch(s, l->slices, l->room * sizeof(*l->slices));
	state_scratch(s, l->data, (size_t)l->most * LOG_LANE_BYTES);
}
