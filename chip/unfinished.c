/* The report on a run that was stopped: which kernels were running, and the positions of their
 * warps. */
#include "chip/inside.h"
#include "chip/policy.h"
#include "ptx/exec/positions.h"

#include <stdio.h>

#define ROWS_SHOWN 8 /* launches, at most */

/* `next`: the lowest CTA that has not started, NO_CTA when none is known. */
static void tell_ctas(
	const struct launch_state *l, const struct positions *s, uint64_t next, struct text *out)
{
	const uint32_t *grid = l->grid.grid;

	text_add(out,
		"kernel '%s' (launch %u): CTAs: %llu ended, %llu running, %llu not "
		"started",
		l->grid.program->source, (unsigned)l->grid.gridid, (unsigned long long)s->ended,
		(unsigned long long)s->begun, (unsigned long long)s->waiting);
	if (s->waiting && next != NO_CTA)
		text_add(out, " (first CTA (%llu,%llu,%llu))", (unsigned long long)(next % grid[0]),
			(unsigned long long)(next / grid[0] % grid[1]),
			(unsigned long long)(next / grid[0] / grid[1]));
	text_add(out, "\n");
}

/* A message with `head`, and one for each line of the text. */
static int add(struct err *err, enum err_code code, const char *head, struct text *text)
{
	err_add(err, code, "%s", head);
	err_lines(err, code, text_str(text));
	text_clear(text);
	return -1;
}

int unfinished_untimed(const struct gpu *g, enum err_code code, const char *head,
	struct positions *positions, struct err *err)
{
	struct text text = {0};

	tell_ctas(g->oldest, positions, positions->next, &text);
	positions_report(positions, "", &text);
	return add(err, code, head, &text);
}

/* A running launch, and its warps in all SMs. */
static void tell_launch(const struct chip *c, const struct launch_state *l, struct spin_space *room,
	struct text *out)
{
	const struct dispatcher *d = c->dispatcher;
	struct exec_memory memory = gpu_memory(c->gpu);
	struct positions positions = {0};
	char which[32] = "";

	for (unsigned i = 0; i < c->p.sms; i++)
		sm_positions(c->sm[i], l->grid.launch, c->gpu->lanes, &memory, room, &positions);
	positions.ended = l->finished;
	positions.begun = l->started - l->finished;
	positions.waiting = l->timed - l->started;
	tell_ctas(l, &positions, dispatcher_next(d, l), out);
	if (d->nrunnable > 1)
		snprintf(which, sizeof(which), "launch %u: ", (unsigned)l->grid.gridid);
	positions_report(&positions, which, out);
}

int unfinished_timed(struct chip *c, enum err_code code, const char *head, struct err *err)
{
	const struct dispatcher *d = c->dispatcher;
	struct spin_space room = {0};
	struct text text = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->nrunnable; i++) {
		if (!d->runnable[i]->started)
			continue;
		if (n++ < ROWS_SHOWN)
			tell_launch(c, d->runnable[i], &room, &text);
	}
	if (n > ROWS_SHOWN)
		text_add(&text, "and %u more running kernel%s\n", n - ROWS_SHOWN,
			text_s(n - ROWS_SHOWN));
	spin_space_free(&room);
	return add(err, code, head, &text);
}
