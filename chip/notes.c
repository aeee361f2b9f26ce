/* Notes of undefined instructions, of all SMs together; and races. */
#include "chip/inside.h"
#include "ptx/exec/races.h"

#include <string.h>

/* Enters a note in the order of time; of one instruction the first is kept. SMs come in order. */
static void enter(struct exec_notes *all, const struct exec_note *note)
{
	unsigned i = 0, at;

	while (i < all->n &&
		(all->at[i].instr != note->instr || all->at[i].program != note->program))
		i++;
	if (i < all->n && all->at[i].cycle <= note->cycle)
		return;
	if (i == all->n && all->n == EXEC_NOTES)
		i--; /* the latest is dropped, if it is later */
	if (i < all->n && all->at[i].cycle <= note->cycle)
		return;
	all->n += i == all->n;
	for (at = i; at && all->at[at - 1].cycle > note->cycle; at--)
		all->at[at] = all->at[at - 1];
	all->at[at] = *note;
}

void gpu_notes(const struct gpu *g, gpu_note_fn *visit, void *ctx)
{
	struct exec_notes all = {0};

	for (unsigned i = 0; g->chip && i < g->chip->p.sms; i++) {
		const struct exec_notes *notes = sm_notes(g->chip->sm[i]);

		for (unsigned k = 0; k < notes->n; k++)
			enter(&all, &notes->at[k]);
	}
	for (unsigned k = 0; k < g->notes->n; k++)
		enter(&all, &g->notes->at[k]);
	for (unsigned i = 0; i < all.n; i++)
		visit(ctx, &all.at[i]);
}

int gpu_look_for_races(struct gpu *g, struct err *err)
{
	if (!g->races)
		g->races = mem_alloc(1, sizeof(*g->races));
	return g->races ? 0 : err_add(err, ERR_RESOURCE, "no host memory to look for races");
}

const struct races *gpu_races(const struct gpu *g)
{
	return g->races;
}
