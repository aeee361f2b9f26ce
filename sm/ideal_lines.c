/* Experiments without uncoalesced accesses: elements of records are where those of an array of each
 * field would be, others packed into few of their lines, and stores of columns leave together. */
#include "sm/state.h"

#define PROBES 8u

static unsigned bytes_of(const struct line_access *l, unsigned n)
{
	unsigned bytes = 0;

	for (unsigned i = 0; i < n; i++)
		bytes += l[i].bytes;
	return bytes;
}

/* That many bytes of the line, at most all, from its first one on. */
static struct line_access front_of(uint64_t line, unsigned bytes, uint32_t lanes)
{
	unsigned some = bytes < LINE_BYTES ? bytes : LINE_BYTES;

	return (struct line_access){.line = line,
		.lanes = lanes,
		.granules = (uint8_t)((1u << (some + GRANULE_BYTES - 1) / GRANULE_BYTES) - 1),
		.bytes = (uint8_t)some};
}

/* ---- records: thread t has the t-th, and accesses an element of it */
struct records {
	uint64_t start;  /* of the buffer */
	uint64_t number; /* of threads, which have a record each in every pass over the buffer */
	uint64_t bytes;  /* of a record */
	uint64_t pass;   /* of the access, and the element in its record */
	uint64_t element;
};

static uint64_t thread_of(const struct sm *sm, unsigned w)
{
	const struct slot *slot = &sm->slot[w];

	return sm->cta[slot->cta].index * grid_cta_threads(slot->warp.cta->grid) +
	       slot->warp.first_tid;
}

/* Bytes from each lane's address to the next one's; 0: they differ, or are not more than the
 * element's. */
static uint64_t pitch_of(const struct access *a)
{
	unsigned first = low_bit(a->mask), last = first;
	uint64_t pitch;

	for (unsigned i = first; i < WARP_LANES; i++)
		last = a->mask >> i & 1 ? i : last;
	if (first == last || a->addr[last] <= a->addr[first])
		return 0;
	pitch = (a->addr[last] - a->addr[first]) / (last - first);
	for (unsigned i = first; i <= last; i++)
		if (a->mask >> i & 1 && a->addr[i] != a->addr[first] + (i - first) * pitch)
			return 0;
	return pitch > a->bytes ? pitch : 0;
}

/* Rows of a matrix have the same pitch, but are not the threads' in order. */
static bool find_records(const struct sm *sm, unsigned w, const struct access *a, struct records *r)
{
	unsigned first = low_bit(a->mask), buffer;
	uint64_t offset, all;

	r->bytes = pitch_of(a);
	buffer = r->bytes ? image_find(sm->c.image, a->addr[first], a->bytes) : 0;
	if (!buffer)
		return false;
	r->start = image_address(sm->c.image, buffer);
	r->number = grid_ctas(sm->slot[w].warp.cta->grid) *
		    grid_cta_threads(sm->slot[w].warp.cta->grid);
	all = r->number * r->bytes;
	offset = a->addr[first] - r->start;
	if (offset < (thread_of(sm, w) + first) * r->bytes)
		return false;
	offset -= (thread_of(sm, w) + first) * r->bytes;
	r->pass = offset / all;
	r->element = offset % all / a->bytes;
	return offset % all < r->bytes && (r->pass + 1) * all <= image_bytes(sm->c.image, buffer);
}

/* Each field's elements in a row, a thread's beside its neighbours'. */
static unsigned regroup(const struct sm *sm, unsigned w, const struct access *a,
	const struct records *r, struct line_access *l)
{
	struct access all = {.space = a->space,
		.action = a->action,
		.bytes = a->bytes,
		.vec = a->vec,
		.mask = a->mask};
	uint64_t at = r->start + r->pass * r->number * r->bytes +
		      (r->element * r->number + thread_of(sm, w)) * a->bytes;

	for (unsigned i = 0; i < WARP_LANES; i++)
		all.addr[i] = at + i * (uint64_t)a->bytes;
	return coalesce(&all, l);
}

/* ---- matrices: thread (x, y) of a launch has row x, column y, whose rows are lines apart */
static bool is_row(const struct access *a)
{
	unsigned first = low_bit(a->mask);

	return first + 1 < WARP_LANES && a->mask >> (first + 1) & 1 &&
	       a->addr[first + 1] == a->addr[first] + a->bytes;
}

/* The launch's coordinates of a lane. */
static void place_of(const struct sm *sm, unsigned w, unsigned lane, uint64_t at[2])
{
	const struct cta *cta = sm->slot[w].warp.cta;
	const struct grid *g = cta->grid;
	uint32_t tid = sm->slot[w].warp.first_tid + lane;

	at[0] = (uint64_t)cta->id[0] * g->block[0] + tid % g->block[0];
	at[1] = (uint64_t)cta->id[1] * g->block[1] + tid / g->block[0] % g->block[1];
}

/* Bytes from a row to the next one, and where the matrix begins; 0: it is none. */
static uint64_t find_matrix(
	const struct sm *sm, unsigned w, const struct access *a, uint64_t *start)
{
	unsigned first = low_bit(a->mask), buffer = image_find(sm->c.image, a->addr[first], 1);
	uint64_t at[2], pitch;

	if (!buffer || first + 1 >= WARP_LANES || !(a->mask >> (first + 1) & 1))
		return 0;
	*start = image_address(sm->c.image, buffer);
	pitch = a->addr[first + 1] - a->addr[first];
	for (unsigned i = first; i < WARP_LANES; i++) {
		place_of(sm, w, i, at);
		if (a->mask >> i & 1 && a->addr[i] != *start + at[0] * pitch + at[1] * a->bytes)
			return 0;
	}
	return pitch;
}

/* With x and y exchanged, which does for a kernel that has no access to a row, as many threads have
 * as much of the matrix. */
static bool exchanges(struct sm *sm, unsigned w, const struct access *a, struct access *to)
{
	const struct grid *g = sm->slot[w].warp.cta->grid;
	uint64_t wide = (uint64_t)g->grid[0] * g->block[0], n, at[2], start, pitch;
	uint64_t columns = (uint64_t)g->grid[1] * g->block[1];

	if (g->block[1] == 1 || sm->ideal.has_rows == g->program)
		return false;
	pitch = find_matrix(sm, w, a, &start);
	if (pitch < LINE_BYTES || pitch < columns * a->bytes)
		return false;
	*to = *a;
	for (unsigned i = 0; i < WARP_LANES; i++) {
		place_of(sm, w, i, at);
		n = at[1] * wide + at[0];
		to->addr[i] = start + n / columns * pitch + n % columns * a->bytes;
	}
	return true;
}

/* Bytes in one piece from the first lane's on. */
static unsigned piece_of(const struct access *a, unsigned lane)
{
	unsigned bytes = a->bytes;

	for (; ++lane < WARP_LANES && a->mask >> lane & 1; bytes += a->bytes)
		if (a->addr[lane] != a->addr[lane - 1] + a->bytes || !(a->addr[lane] % LINE_BYTES))
			break;
	return bytes;
}

/* Lines from an access of consecutive elements to its neighbour's. */
static uint64_t lines_apart(const struct access *a)
{
	unsigned first = low_bit(a->mask), last = first;
	uint64_t from = a->addr[first], to;

	for (unsigned i = first; i < WARP_LANES; i++)
		last = a->mask >> i & 1 ? i : last;
	to = a->addr[last];
	if (first == last)
		return 1;
	return (from < to ? to - from : from - to) * WARP_LANES / (last - first) / LINE_BYTES;
}

/* Where a structure of m words is read word by word, or rows column by column, accesses of the same
 * lines differ in their offset: each takes other lines, and all of them together take each whole.
 * Neighbours that are further apart begin with different ones: where only every m-th element is
 * accessed, always the first line would be in few channels. */
unsigned ideal_pack(const struct access *a, struct line_access *l, unsigned n)
{
	unsigned bytes = bytes_of(l, n), need = (bytes + LINE_BYTES - 1) / LINE_BYTES, first,
		 lane = a->mask ? low_bit(a->mask) : 0;
	uint64_t apart;
	uint32_t lanes = 0;
	struct line_access *at;

	if (need >= n)
		return n;
	for (unsigned i = 0; i < n; i++)
		lanes |= l[i].lanes;
	first = (unsigned)(a->addr[lane] % LINE_BYTES) / piece_of(a, lane);
	apart = lines_apart(a);
	if (apart > need)
		first += (unsigned)(a->addr[lane] / LINE_BYTES / apart);
	first = first % (n / need) * need;
	at = &l[first];
	for (unsigned i = 0; i < need; i++, bytes -= LINE_BYTES)
		l[i] = front_of(at[i].line, bytes, i ? 0 : lanes);
	return need;
}

/* Of a column of a matrix's rows, whole lines each, the packed line is one of 32 that are as far
 * apart, in few channels: neighbouring columns take neighbouring lines of these rows instead. */
static void spread(const struct sm *sm, const struct access *a, struct line_access *l)
{
	unsigned first = low_bit(a->mask), buffer, row;
	uint64_t pitch = pitch_of(a), start, from, end;

	buffer = pitch && pitch % LINE_BYTES == 0 ? image_find(sm->c.image, l->line, 1) : 0;
	if (!buffer)
		return;
	start = image_address(sm->c.image, buffer);
	end = start + image_bytes(sm->c.image, buffer);
	row = (unsigned)((l->line - a->addr[first] / LINE_BYTES * LINE_BYTES) / pitch);
	from = start + (a->addr[first] - start) / pitch * pitch;
	if (from + WARP_LANES * pitch > end)
		return;
	l->line = from / LINE_BYTES * LINE_BYTES + row * LINE_BYTES +
		  (a->addr[first] - from) / LINE_BYTES * WARP_LANES * LINE_BYTES;
}

/* ---- bytes and halves */
bool ideal_is_narrow(const struct access *a)
{
	return a->bytes < IDEAL_WORD && a->contiguous &&
	       (a->action == ACT_LOAD || a->action == ACT_STORE);
}

/* In each pass of all threads over the buffer, a warp has its share of the words. */
static unsigned widen(
	const struct sm *sm, unsigned w, const struct access *a, struct line_access *l)
{
	unsigned buffer = image_find(sm->c.image, a->addr[0], 1);
	uint64_t start, offset, own = thread_of(sm, w) * a->bytes, bytes;

	if (!buffer)
		return 1;
	start = image_address(sm->c.image, buffer);
	bytes = image_bytes(sm->c.image, buffer);
	offset = a->addr[0] - start;
	if (offset >= own && bytes >= LINE_BYTES)
		offset = (offset - own + thread_of(sm, w) * IDEAL_WORD) % (bytes - LINE_BYTES + 1);
	l[0] = front_of((start + offset) / LINE_BYTES * LINE_BYTES, LINE_BYTES, a->mask);
	return 1;
}

/* ---- stores of columns */
/* Columns of rows that are at least a line apart. */
static bool transposes(const struct access *a)
{
	unsigned first = low_bit(a->mask), same = 0, n = count_bits(a->mask);
	uint64_t pitch;

	if (a->action != ACT_STORE || first + 1 >= WARP_LANES || !(a->mask >> (first + 1) & 1))
		return false;
	pitch = a->addr[first + 1] - a->addr[first];
	for (unsigned i = first; i + 1 < WARP_LANES; i++)
		same += a->mask >> i & 1 && a->mask >> (i + 1) & 1 &&
			a->addr[i + 1] - a->addr[i] == pitch;
	return pitch + LINE_BYTES > 2 * LINE_BYTES && 3 * same >= 2 * (n - 1);
}

/* The first entry of a CTA's lines, which all CTAs have in the same order. */
static unsigned start_of(unsigned cta)
{
	return cta * (IDEAL_HELD / 32 + 1);
}

/* The line's, or a free entry for it, which has no bytes; NULL: there is none. */
static struct ideal_held *held_line(struct sm *sm, uint64_t line, uint8_t cta)
{
	uint64_t at = start_of(cta) + (line / LINE_BYTES * UINT64_C(0x9e3779b97f4a7c15) >> 40);
	struct ideal_held *free = NULL;

	for (unsigned i = 0; i < PROBES; i++) {
		struct ideal_held *h = &sm->ideal.held[(at + i) % IDEAL_HELD];

		if (h->bytes && h->line == line && h->cta == cta)
			return h;
		if (!h->bytes && !free)
			free = h;
	}
	if (free)
		*free = (struct ideal_held){.line = line, .cta = cta};
	return free;
}

static bool has_entries(struct sm *sm, uint8_t cta, const struct line_access *l, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!held_line(sm, l[i].line, cta))
			return false;
	return true;
}

/* A CTA that exchanges values between its threads, and stores rows, stores a line once, when all of
 * it is known. Returns the lines that leave now. */
static unsigned hold(struct sm *sm, unsigned w, const struct instr *in, const struct access *a,
	struct line_access *l, unsigned n)
{
	uint8_t cta = sm->slot[w].cta, from = (uint8_t)(a->addr[low_bit(a->mask)] % LINE_BYTES);
	unsigned leave = 0;

	sm->ideal.stores[cta] = in;
	for (unsigned i = 0; i < n; i++) {
		struct ideal_held *h = held_line(sm, l[i].line, cta);

		if (!h) { /* two new lines had one entry */
			l[leave++] = l[i];
			continue;
		}
		if (!h->bytes || from < h->from)
			h->from = from;
		h->bytes = (uint8_t)(h->bytes + l[i].bytes);
		h->granules |= l[i].granules;
		if (h->bytes < LINE_BYTES)
			continue;
		h->bytes = 0;
		l[leave++] = front_of(l[i].line, LINE_BYTES, l[i].lanes);
	}
	if (leave)
		return leave;
	l[0].granules = l[0].bytes = 0;
	return 1;
}

void ideal_cta_exited(struct sm *sm, unsigned w)
{
	unsigned c = sm->slot[w].cta;

	if (!sm->ideal.stores[c])
		return;
	sm->ideal.leaves |= UINT64_C(1) << c;
	sm->ideal.last[c] = (uint8_t)w;
	sm->slot[w].pending++; /* until the lines have entered the queue */
}

/* What a CTA stores of a line unchanged: all; whole sectors if its threads have rows, a tile's. Of
 * others it is easier to change which they store. */
static bool is_kept(const struct sm *sm, unsigned c, const struct ideal_held *h)
{
	bool has_rows = sm->cta[c].cta.grid->block[1] > 1;

	return h->bytes == (has_rows ? packet_granule_bytes[h->granules] : LINE_BYTES);
}

/* The CTA's lines, as many as an entry takes: as they are, or packed. CTAs that store other columns
 * of the same lines fill different ones of them. */
static unsigned take_held(struct sm *sm, unsigned c, struct line_access *l)
{
	unsigned n = 0, bytes = 0, from = 0, need, each;
	bool whole = true;

	for (unsigned i = 0; i < IDEAL_HELD && n < COALESCE_MAX; i++) {
		struct ideal_held *h = &sm->ideal.held[(start_of(c) + i) % IDEAL_HELD];

		if (!h->bytes || h->cta != c)
			continue;
		l[n++] = (struct line_access){
			.line = h->line, .granules = h->granules, .bytes = h->bytes};
		whole &= is_kept(sm, c, h);
		from = h->from / h->bytes;
		bytes += h->bytes;
		h->bytes = 0;
	}
	need = (bytes + LINE_BYTES - 1) / LINE_BYTES;
	each = n / (need ? need : 1);
	for (unsigned i = 0; i < need && !whole; i++)
		l[i] = front_of(l[i * each + from % each].line, bytes - i * LINE_BYTES, 0);
	sm->ideal.apart |= !whole;
	return whole ? n : need;
}

/* Lines stored, or added up, that the queue's next entry has. */
static void enter(struct sm *sm, unsigned w, const struct instr *in, enum action action, unsigned n)
{
	struct lsu_entry *e = lsu_behind(sm);
	const struct warp *warp = &sm->slot[w].warp;

	sm->queue_n++;
	e->n = (uint16_t)n;
	e->at = 0;
	e->action = (uint8_t)action;
	e->words = 1;
	e->copied = false;
	e->way = l1_way(&sm->l1, false, 0, 4);
	e->op = lsu_op(sm, w, in, n, false);
	e->origin = (struct origin){.instr = (uint32_t)(in - warp->program->code),
		.launch = warp->cta->grid->launch,
		.buffer = image_account(sm->c.image, e->lines[0].line),
		.sm = (uint16_t)sm->c.index};
	profile_entered(sm, e, 4);
}

void ideal_leave(struct sm *sm, uint64_t cycle)
{
	unsigned c = low_bit(sm->ideal.leaves), w = sm->ideal.last[c];
	unsigned n = sm->ideal.held ? take_held(sm, c, lsu_behind(sm)->lines) : 0;
	enum action action = n ? ACT_STORE : ACT_RED;

	n = n ? n : ideal_sums(sm, c, lsu_behind(sm));
	if (n) {
		enter(sm, w, sm->ideal.stores[c], action, n);
		return;
	}
	sm->ideal.leaves &= ~(UINT64_C(1) << c);
	sm->ideal.stores[c] = NULL;
	if (!--sm->slot[w].pending)
		warp_refresh(sm, w, cycle);
}

void ideal_lines_init(struct sm *sm, struct arena *arena)
{
	const struct sm_ideal *i = &sm->ideal;

	sm->ideal.packs =
		i->p.divergence || i->p.warps || i->p.barriers || i->p.narrow || i->p.blocks;
	sm->ideal.lines = i->p.coalescing || i->p.narrow || i->p.local || i->p.blocks;
	if (sm->ideal.p.divergence)
		sm->ideal.alone = arena_alloc(arena, 1, sizeof(*sm->ideal.alone));
	if (sm->ideal.p.coalescing)
		sm->ideal.held = arena_alloc(arena, IDEAL_HELD, sizeof(*sm->ideal.held));
}

static unsigned coalesced(struct sm *sm, unsigned w, const struct instr *in, const struct access *a,
	struct line_access *l, unsigned n)
{
	struct records r;
	struct access other;

	if (!a->mask)
		return n;
	if (is_row(a))
		sm->ideal.has_rows = sm->slot[w].warp.program;
	if (bytes_of(l, n) > (n - 1) * LINE_BYTES)
		return n;
	if (exchanges(sm, w, a, &other))
		return coalesce(&other, l);
	if (find_records(sm, w, a, &r))
		return regroup(sm, w, a, &r, l);
	if (!sm->ideal.apart && transposes(a) && has_entries(sm, sm->slot[w].cta, l, n))
		return hold(sm, w, in, a, l, n);
	n = ideal_pack(a, l, n);
	if (n == 1)
		spread(sm, a, l);
	return n;
}

/* An array of local memory, not a spilled value. */
static bool is_array(
	const struct sm *sm, unsigned w, const struct instr *in, const struct access *a)
{
	return a->space == SPACE_LOCAL && !sm->slot[w].warp.program->lines[in->line].spill;
}

unsigned ideal_lines(struct sm *sm, unsigned w, const struct instr *in, const struct access *a,
	struct line_access *l, unsigned n)
{
	if (sm->ideal.p.narrow && ideal_is_narrow(a))
		return widen(sm, w, a, l);
	if (sm->ideal.p.blocks && n == 1 && l->bytes == count_bits(a->mask) * a->bytes)
		l->granules = 0xff; /* lanes beside them, too */
	if ((sm->ideal.p.local && is_array(sm, w, in, a)) || (n == 1 && ideal_is_shared(sm, w))) {
		l->granules = 0;
		return 1;
	}
	return sm->ideal.p.coalescing ? coalesced(sm, w, in, a, l, n) : n;
}
