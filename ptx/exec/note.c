/* Notes on executed instructions whose behaviour PTX leaves undefined. */
#include "ptx/exec/positions.h"
#include "ptx/exec/private.h"

void exec_notes_add(struct exec_notes *notes, const struct exec_note *note)
{
	for (unsigned i = 0; i < notes->n; i++)
		if (notes->at[i].instr == note->instr && notes->at[i].program == note->program)
			return;
	if (notes->n < EXEC_NOTES)
		notes->at[notes->n++] = *note;
}

/* Lanes that have a thread. */
static uint32_t existing(const struct warp *w)
{
	uint32_t threads = grid_cta_threads(w->cta->grid) - w->first_tid;

	return threads >= WARP_LANES ? UINT32_MAX : ~(UINT32_MAX << threads);
}

static void note_mask(const struct issue *is, uint32_t named, uint32_t unnamed)
{
	const struct warp *w = is->warp;
	uint32_t missing = named & ~is->mask & existing(w);
	const struct exec_note note = {.program = w->program,
		.instr = is->top->pc,
		.exited = missing & w->exited,
		.elsewhere = missing & ~w->exited,
		.unnamed = unnamed,
		.warp = w->first_tid / WARP_LANES,
		.ctaid = {w->cta->id[0], w->cta->id[1], w->cta->id[2]},
		.cycle = is->context->cycle};

	if (missing || unnamed)
		exec_notes_add(is->memory->notes, &note);
}

void exec_check_members(const struct issue *is, struct operand members)
{
	const uint32_t *mask = exec_source(is->warp, members);
	uint32_t named = 0, unnamed = 0;

	if (!is->memory->notes || members.kind == OPND_NONE)
		return;
	for (uint32_t left = is->mask; left; left &= left - 1) {
		named |= mask[low_bit(left)];
		unnamed |= (~mask[low_bit(left)] & 1u << low_bit(left));
	}
	if ((named & ~is->mask) || unnamed)
		note_mask(is, named, unnamed);
}

void exec_check_whole(const struct issue *is)
{
	if (is->memory->notes && is->mask)
		note_mask(is, UINT32_MAX, 0);
}

/* "lane 3", "lanes 0-7 and 16" */
static void add_lanes(uint32_t mask, struct text *out)
{
	const char *comma = "";

	text_add(out, count_bits(mask) == 1 ? "lane " : "lanes ");
	while (mask) {
		unsigned first = low_bit(mask), last = first;

		while (last < 31 && (mask >> (last + 1) & 1))
			last++;
		text_add(out, last > first ? "%s%u-%u" : "%s%u", comma, first, last);
		comma = ", ";
		mask &= last == 31 ? 0 : UINT32_MAX << (last + 1);
	}
}

static void add_named(uint32_t mask, const char *what, const char **comma, struct text *out)
{
	if (!mask)
		return;
	text_add(out, "%s", *comma);
	add_lanes(mask, out);
	text_add(out, "%s", what);
	*comma = " and ";
}

void exec_note_describe(const struct exec_note *n, struct text *out)
{
	const struct instr *in = &n->program->code[n->instr];
	bool whole = in->action == ACT_MATRIX || in->action == ACT_LOAD || in->action == ACT_STORE;
	const char *comma = whole ? ": all lanes must execute it, also " : ": its mask names ";

	positions_location(n->program, n->instr, out);
	add_named(n->exited, ", which exited earlier", &comma, out);
	add_named(n->elsewhere, ", which diverged", &comma, out);
	comma = n->exited | n->elsewhere ? ", and does not name " : ": its mask does not name ";
	add_named(n->unnamed, ", which execute it", &comma, out);
	text_add(out, " (first in warp %u of CTA (%u,%u,%u)); the result is undefined in PTX",
		n->warp, n->ctaid[0], n->ctaid[1], n->ctaid[2]);
}
