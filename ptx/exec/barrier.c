/* The sixteen barriers of a CTA. */
#include "ptx/exec/barrier.h"

#include "ptx/exec/private.h"

void barriers_start(struct barriers *b, uint32_t warps)
{
	BUG_ON(warps > BARRIER_WARPS);
	*b = (struct barriers){.running = warps};
}

static void write_result(
	const struct barrier *at, const struct instr *in, uint32_t mask, struct warp *w)
{
	struct operand dst = in->dst[0];
	unsigned i;

	switch ((enum barrier_kind)in->barrier) {
	case BARRIER_RED_AND:
		exec_set_pred(w, dst, at->all ? FULL_MASK : 0, mask);
		break;
	case BARRIER_RED_OR:
		exec_set_pred(w, dst, at->any ? FULL_MASK : 0, mask);
		break;
	case BARRIER_RED_POPC:
		for (i = 0; dst.kind == OPND_REG && i < WARP_LANES; i++)
			if (mask >> i & 1)
				w->regs[(size_t)dst.index * WARP_LANES + i] = at->count;
		break;
	case BARRIER_SYNC:
	case BARRIER_ARRIVE:
	case BARRIER_WARP:
		break;
	}
}

static void deliver(
	const struct barrier *at, uint32_t id, const struct barrier_wait *wait, struct warp *w)
{
	const struct frame *f;
	uint32_t i = 0;

	write_result(at, wait->instr, wait->mask, w);
	if (!w->parked)
		return;
	while ((f = exec_parked(w, id, &i)))
		write_result(at, &w->program->code[f->pc], f->mask, w);
	exec_unpark(w, id);
}

static uint64_t complete_when_full(
	struct barriers *b, struct barrier *at, struct warp *const *warps)
{
	uint64_t released = at->waiting, left;
	uint32_t expected = at->expected ? at->expected : b->running;

	if (at->arrived == 0 || at->arrived < expected)
		return 0;
	for (left = released; left; left &= left - 1)
		deliver(at, (uint32_t)(at - b->at), &b->wait[low_bit(left)], warps[low_bit(left)]);
	b->waiting &= ~released;
	*at = (struct barrier){0};
	return released;
}

static void vote(struct barrier *at, const struct warp *w, const struct instr *in, uint32_t mask)
{
	uint32_t votes;

	if (in->barrier != BARRIER_RED_AND && in->barrier != BARRIER_RED_OR &&
		in->barrier != BARRIER_RED_POPC)
		return;
	votes = exec_pred(w, in, 2) & mask;
	at->count += count_bits(votes);
	at->all = at->all && votes == mask;
	at->any = at->any || votes != 0;
}

static void join(struct barrier *at, uint32_t id, const struct warp *w, const struct instr *in,
	uint32_t mask)
{
	const struct frame *f;
	uint32_t i = 0;

	if (at->arrived == 0)
		at->all = true;
	at->arrived++;
	vote(at, w, in, mask);
	while (w->parked && (f = exec_parked(w, id, &i)))
		vote(at, w, &w->program->code[f->pc], f->mask);
}

uint32_t barrier_id(const struct warp *w, const struct instr *in, uint32_t mask)
{
	return exec_source(w, in->src[0])[low_bit(mask)] % BARRIERS;
}

void barrier_pass(struct warp *w, const struct instr *in, uint32_t mask)
{
	if (w->parked && !(mask & w->parked))
		exec_unpark(w, barrier_id(w, in, mask));
}

uint64_t barrier_arrive(struct barriers *b, struct warp *const *warps, uint32_t index,
	const struct instr *in, uint32_t mask)
{
	const struct warp *w = warps[index];
	struct barrier *at;
	uint32_t count, id;

	if (!mask || in->barrier == BARRIER_WARP || (mask & w->parked))
		return 0;
	id = barrier_id(w, in, mask);
	at = &b->at[id];
	count = exec_source(w, in->src[1])[low_bit(mask)];
	join(at, id, w, in, mask);
	if (count)
		at->expected = count / WARP_LANES;
	if (in->barrier != BARRIER_ARRIVE) {
		at->waiting |= UINT64_C(1) << index;
		b->waiting |= UINT64_C(1) << index;
		b->wait[index] = (struct barrier_wait){in, mask};
	}
	return complete_when_full(b, at, warps);
}

uint64_t barrier_exit(struct barriers *b, struct warp *const *warps)
{
	uint64_t released = 0;
	unsigned i;

	BUG_ON(b->running == 0);
	b->running--;
	for (i = 0; i < BARRIERS; i++)
		released |= complete_when_full(b, &b->at[i], warps);
	return released;
}

/* The barrier at which the warp waits. */
static uint32_t waits_at(const struct barriers *b, uint32_t warp)
{
	uint32_t i = 0;

	while (!(b->at[i].waiting >> warp & 1))
		i++;
	return i;
}

static void add_place(struct fault_barrier *f, uint32_t instr, uint32_t id)
{
	uint32_t i = 0;

	while (i < f->n && (f->at[i].instr != instr || f->at[i].id != id))
		i++;
	if (i == FAULT_PLACES) {
		f->more++;
		return;
	}
	f->at[i].instr = instr;
	f->at[i].id = id;
	f->at[i].warps++;
	f->n += i == f->n;
}

static struct fault_barrier describe(
	const struct barriers *b, uint32_t first, uint32_t nwarps, const struct program *p)
{
	uint32_t id = waits_at(b, first);
	const struct barrier *at = &b->at[id];
	struct fault_barrier f = {.id = id,
		.arrived = at->arrived,
		.expected = at->expected ? at->expected : b->running,
		.whole = !at->expected,
		.exited = nwarps - b->running};

	for (uint64_t left = b->waiting & ~at->waiting; left; left &= left - 1) {
		uint32_t w = low_bit(left);

		add_place(&f, (uint32_t)(b->wait[w].instr - p->code), waits_at(b, w));
	}
	return f;
}

bool barriers_stuck(
	const struct barriers *b, struct warp *const *warps, uint32_t nwarps, struct fault *f)
{
	const struct barrier_wait *wait;
	const struct warp *w;
	const uint32_t *block;
	uint32_t first, lane, tid;

	if (!b->waiting || count_bits(b->waiting) != b->running)
		return false;
	first = low_bit(b->waiting);
	w = warps[first];
	wait = &b->wait[first];
	block = w->cta->grid->block;
	lane = low_bit(wait->mask);
	tid = w->first_tid + lane;
	*f = (struct fault){.kind = FAULT_DIVERGED_BARRIER,
		.instr = (uint32_t)(wait->instr - w->program->code),
		.lane = lane,
		.tid = {tid % block[0], tid / block[0] % block[1], tid / block[0] / block[1]},
		.ctaid = {w->cta->id[0], w->cta->id[1], w->cta->id[2]},
		.action = ACT_BARRIER,
		.barrier = describe(b, first, nwarps, w->program)};
	return true;
}
