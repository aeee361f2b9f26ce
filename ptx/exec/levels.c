/* Execution with a register file hierarchy: contents lost at ends of strands, and copies between
 * levels (Gebhart's dissertation, chapter 6). Values are only where the operands say. */
#include "ptx/exec/private.h"

#include <string.h>

static bool by_hardware(const struct program *p)
{
	return p->levels->options.kind == LEVELS_HARDWARE;
}

/* The warp keeps the contents of its upper levels where it waits. */
static bool keeps(const struct warp *w)
{
	return w->program->levels->options.keep_past_waits;
}

static bool next_waits(const struct warp *w)
{
	return w->depth && !w->done &&
	       w->program->levels->notes[w->stack[w->depth - 1].pc].strand == STRAND_WAITS;
}

void exec_copy_plane(const struct warp *w, uint32_t from, uint32_t to, uint32_t mask)
{
	const uint32_t *source = w->regs + (size_t)from * WARP_LANES;
	uint32_t *plane = w->regs + (size_t)to * WARP_LANES;

	if (mask == FULL_MASK) {
		memcpy(plane, source, WARP_LANES * sizeof(*plane));
		return;
	}
	for (unsigned i = 0; i < WARP_LANES; i++)
		plane[i] = mask >> i & 1 ? source[i] : plane[i];
}

void exec_poison(const struct warp *w)
{
	const struct program *p = w->program;
	uint32_t *plane = w->regs + (size_t)p->regs * WARP_LANES;

	for (unsigned n = p->levels->upper + p->levels->lrf; n; n--, plane += WARP_LANES)
		for (unsigned i = 0; i < WARP_LANES; i++)
			plane[i] = EXEC_POISON;
}

/* A strand begins, in some lanes: of the planes only those matter that it uses. */
static void poison_strand(const struct issue *is, const struct level_note *note, uint32_t mask)
{
	uint32_t *first = is->warp->regs + (size_t)is->warp->program->regs * WARP_LANES;

	for (unsigned left = note->upper; left; left &= left - 1)
		is->lanes->fill(first + (size_t)low_bit(left) * WARP_LANES, 1, EXEC_POISON, mask);
}

static void copy(
	const struct issue *is, const struct level_note *note, bool deposits, uint32_t mask)
{
	const struct level_copy *c = is->warp->program->levels->copies + note->copies;
	uint32_t *regs = is->warp->regs;

	for (unsigned k = 0; k < note->ncopies; k++)
		if (c[k].deposit == deposits)
			is->lanes->spread(regs + (size_t)c[k].to * WARP_LANES,
				regs + (size_t)c[k].from * WARP_LANES, 1, mask);
}

static void count_copies(const struct issue *is, const struct level_note *note)
{
	const struct level_copy *c = is->warp->program->levels->copies + note->copies;

	for (unsigned k = 0; k < note->ncopies; k++) {
		is->warp->traffic->deposits += c[k].deposit;
		is->warp->traffic->duplicates += !c[k].deposit;
	}
}

/* An access to several spaces gets here once for each; what precedes it is done the first time
 * only. */
enum exec_result exec_levelled(struct issue *is, const struct level_note *note)
{
	uint32_t active = is->top->mask;
	enum exec_result result;

	if (by_hardware(is->warp->program))
		return rfc_issue(is, note);
	if (!is->warp->done && note->strand == STRAND_WAITS && !keeps(is->warp))
		poison_strand(is, note, FULL_MASK);
	else if (!is->warp->done && note->strand == STRAND_BEGINS)
		poison_strand(is, note, active);
	if (!is->warp->done)
		copy(is, note, true, active);
	result = exec_run(is);
	if (result == EXEC_OK)
		copy(is, note, false, is->mask);
	if (result == EXEC_OK && !is->access->more)
		count_copies(is, note);
	return result;
}

void exec_levels_start(struct warp *w)
{
	if (by_hardware(w->program))
		rfc_start(w);
	exec_poison(w);
}

void exec_deschedule(struct warp *w)
{
	const struct program *p = w->program;

	if (p->planes <= p->regs)
		return;
	if (by_hardware(p))
		rfc_flush(w);
	else if (!keeps(w) && !next_waits(w)) /* otherwise they are lost when it goes on */
		exec_poison(w);
}
