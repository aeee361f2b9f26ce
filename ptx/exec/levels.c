/* Execution with a register file hierarchy: contents lost at ends of strands, and copies between
 * levels (Gebhart's dissertation, chapter 6). Values are only where the operands say. */
#include "ptx/exec/private.h"

#include <string.h>

static bool by_hardware(const struct program *p)
{
	return p->levels->options.kind == LEVELS_HARDWARE;
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

/* The constant number of lanes lets compilers use vector stores. */
void exec_poison(const struct warp *w)
{
	const struct program *p = w->program;
	uint32_t *plane = w->regs + (size_t)p->regs * WARP_LANES;

	for (unsigned n = p->levels->upper + p->levels->lrf; n; n--, plane += WARP_LANES)
		for (unsigned i = 0; i < WARP_LANES; i++)
			plane[i] = EXEC_POISON;
}

/* The same when some lanes do. */
static void poison_lanes(const struct issue *is, uint32_t mask)
{
	const struct program *p = is->warp->program;

	is->lanes->fill(is->warp->regs + (size_t)p->regs * WARP_LANES,
		p->levels->upper + p->levels->lrf, EXEC_POISON, mask);
}

static void all_lanes_lose(const struct warp *w)
{
	if (!w->program->levels->options.keep_past_waits)
		exec_poison(w);
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
	if (!is->warp->done && note->strand == STRAND_WAITS)
		all_lanes_lose(is->warp);
	else if (!is->warp->done && note->strand == STRAND_BEGINS)
		poison_lanes(is, active);
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
	else
		all_lanes_lose(w);
}
