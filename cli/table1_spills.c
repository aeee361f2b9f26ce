/* What the workloads of Table 1 of Gebhart et al., MICRO 2012, execute when threads have few
 * registers: by the executor alone, relative to 64 registers. */
#include "cli/table1_run.h"

#include <stdio.h>
#include <string.h>

#define FEWEST 16
#define MOST 255

/* The paper's curve begins where its own registers run out: ours is told as far from where ours
 * do, when these are too different. */
int reproduce_shift(const struct reproduced_row *row)
{
	double ours = row->ours[TABLE1_REGISTERS], paper = row->paper->figure[TABLE1_REGISTERS];

	return table1_within(row->paper, TABLE1_REGISTERS, ours) ? 0 : (int)(ours - paper);
}

int reproduce_registers(const struct reproduced_row *row, unsigned k)
{
	int regs = (int)table1_regs[k] + row->shift;

	return regs < FEWEST ? FEWEST : regs > MOST ? MOST : regs;
}

static struct trial make_trial(const struct reproduced_row *row, unsigned k, struct arena *arena)
{
	const char *workload = row->paper->workload;
	const char **set = arena_alloc(arena, 1, sizeof(*set));
	struct layer *layer = arena_alloc(arena, 1, sizeof(*layer));
	struct party *party = arena_alloc(arena, 1, sizeof(*party));
	size_t room = strlen(workload) + 64;
	char *name = arena_alloc(arena, room, 1), *limit = arena_alloc(arena, 64, 1);

	snprintf(limit, 64, "gpu.max_regs=%d", reproduce_registers(row, k));
	snprintf(name, room, "%s, %d registers", workload, reproduce_registers(row, k));
	set[0] = limit;
	*layer = (struct layer){.origin = name, .set = set, .nset = 1};
	party->target = workload;
	return (struct trial){.name = name,
		.machine = {.layers = layer, .nlayers = 1},
		.parties = party,
		.nparties = 1,
		.untimed = true};
}

static void read_row(struct reproduced_row *row, const struct trial *trials)
{
	for (unsigned k = 0; k < TABLE1_REGS; k++)
		row->instructions[k] =
			json_number_value(json_object_get(trials[k].report, "warp_instructions"));
	for (unsigned k = 0; k + 1 < TABLE1_REGS; k++)
		row->ours[TABLE1_SPILLED_18 + k] =
			row->instructions[k] / row->instructions[TABLE1_REGS - 1];
}

int reproduce_spills(struct reproduction *r, struct arena *arena, struct err *err)
{
	struct trial *trials = arena_alloc(arena, TABLE1_REGS * (size_t)r->n, sizeof(*trials));
	unsigned n = 0, at = 0;
	int bad;

	for (unsigned i = 0; i < r->n; i++) {
		if (r->rows[i].missing)
			continue;
		r->rows[i].shift = reproduce_shift(&r->rows[i]);
		for (unsigned k = 0; k < TABLE1_REGS; k++)
			trials[n++] = make_trial(&r->rows[i], k, arena);
	}
	bad = n ? trials_run(r->o, trials, n, err) : 0;
	for (unsigned i = 0; i < r->n && !bad; i++) {
		if (r->rows[i].missing)
			continue;
		read_row(&r->rows[i], trials + at);
		at += TABLE1_REGS;
	}
	trials_free(trials, n);
	return bad;
}
