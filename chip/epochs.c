/* Epochs: what all parts counted while a launch, or several that overlap, were the present ones. */
#include "chip/epochs.h"
#include "chip/tally.h"

#include <string.h>

/* Positions of a part are consecutive, and so are their rows. */
static bool continues(const struct epoch_span *s, unsigned row, const uint64_t *at)
{
	return at == s->at + s->n && row == s->row + s->n;
}

static struct epoch *epoch_of(const struct epochs *e, uint32_t i)
{
	return i < EPOCHS_OWN ? &e->own[i] : &e->common[i - EPOCHS_OWN];
}

/* ---- where all statistics are */
static void count_position(void *ctx, unsigned row, const uint64_t *at)
{
	struct epochs *e = ctx;

	(void)row;
	(void)at;
	e->npositions++;
}

static void note_position(void *ctx, unsigned row, const uint64_t *at)
{
	struct epochs *e = ctx;

	if (!e->nspans || !continues(&e->span[e->nspans - 1], row, at))
		e->span[e->nspans++] = (struct epoch_span){.at = at, .row = row};
	e->span[e->nspans - 1].n++;
}

static bool find_positions(const struct chip *c, struct epochs *e)
{
	struct tally *rows = mem_alloc(1, sizeof(*rows));

	if (!rows)
		return false;
	e->npositions = e->nspans = 0;
	e->now = e->closes = NO_EPOCH;
	tally_positions(c, rows, count_position, e);
	mem_free(e->span);
	mem_free(e->before);
	e->span = mem_alloc(e->npositions, sizeof(*e->span));
	e->before = mem_alloc(e->npositions, sizeof(*e->before));
	if (!e->span || !e->before) {
		mem_free(rows);
		return false;
	}
	tally_positions(c, rows, note_position, e);
	BUG_ON(e->span[0].at != &c->dispatcher->s.chip__launches);
	e->rows = rows;
	return true;
}

/* ---- memory */
static bool open_counts(const struct epochs *e, struct epoch *epoch)
{
	epoch->sum = mem_alloc(2 * (size_t)e->rows->n, sizeof(*epoch->sum));
	epoch->most = epoch->sum ? epoch->sum + e->rows->n : NULL;
	return epoch->sum;
}

static bool add_own(struct epochs *e)
{
	if (!e->own)
		e->own = mem_alloc(EPOCHS_OWN, sizeof(*e->own));
	if (!e->own || !open_counts(e, &e->own[e->own_room]))
		return false;
	e->own_room++;
	return true;
}

static bool add_common(struct epochs *e, const struct program *program)
{
	struct epoch *grown = mem_grow(e->common, e->ncommon, e->ncommon + 1, sizeof(*grown));

	if (!grown)
		return false;
	e->common = grown;
	grown[e->ncommon] = (struct epoch){.program = program, .common = true};
	if (!open_counts(e, &grown[e->ncommon]))
		return false;
	e->ncommon++;
	return true;
}

/* The launch will have an epoch of its own, or join one; else one of its kernel's. */
static bool number_launch(struct epochs *e, const struct launch_state *l)
{
	if (!l->timed)
		return true;
	if (e->own_room < EPOCHS_OWN)
		return add_own(e);
	if (!e->ncommon && !add_common(e, NULL))
		return false;
	if (l->kernel->epoch)
		return true;
	l->kernel->epoch = EPOCHS_OWN + e->ncommon;
	if (add_common(e, l->grid.program))
		return true;
	l->kernel->epoch = 0;
	return false;
}

static int no_memory(struct err *err)
{
	return err_add(err, ERR_RESOURCE, "no host memory for launches' counts");
}

int epochs_admit(struct chip *c, const struct launch_state *l, struct err *err)
{
	struct epochs *e = &c->epochs;

	if (!e->rows || e->numbered != c->gpu->nlaunches)
		return 0;
	if (!number_launch(e, l))
		return no_memory(err);
	e->numbered++;
	return 0;
}

int epochs_grow(struct chip *c, struct err *err)
{
	struct epochs *e = &c->epochs;
	bool good = e->rows || find_positions(c, e);

	for (; good && e->numbered < c->gpu->nlaunches; e->numbered += good) {
		const struct launch_state *l = launches_at(c->gpu, e->numbered);

		good = !l || number_launch(e, l);
	}
	return good ? 0 : no_memory(err);
}

void epochs_free(struct epochs *e)
{
	for (uint32_t i = 0; i < e->own_room; i++)
		mem_free(e->own[i].sum);
	for (uint32_t i = 0; i < e->ncommon; i++)
		mem_free(e->common[i].sum);
	mem_free(e->own);
	mem_free(e->common);
	mem_free(e->span);
	mem_free(e->before);
	mem_free(e->rows);
}

/* ---- counting */
/* What one part counted since the last time. */
static void count_span(const struct epoch_span *s, uint64_t *before, struct epoch *to)
{
	uint64_t *sum = to->sum + s->row, *most = to->most + s->row;

	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t n = s->at[i] - before[i];

		before[i] = s->at[i];
		sum[i] += n;
		most[i] = max_u64(most[i], n);
	}
}

static void count_all(struct epochs *e, struct epoch *to)
{
	uint64_t *before = e->before;

	for (uint32_t i = 0; i < e->nspans; before += e->span[i++].n)
		count_span(&e->span[i], before, to);
}

/* Another epoch is the present one. The dispatcher's counts are known now; those of other parts at
 * the window's edge, before which no CTA that starts now reaches an SM. */
static void turn(struct chip *c, uint32_t next, uint64_t cycle)
{
	struct epochs *e = &c->epochs;
	uint64_t unused = dispatcher_unused(c->dispatcher, cycle);

	if (e->now != NO_EPOCH) {
		struct epoch *last = epoch_of(e, e->now);

		count_span(&e->span[0], e->before, last);
		last->span_cycles += cycle - e->since;
		last->unused_byte_cycles += unused - e->unused;
		e->since = cycle;
		e->unused = unused;
		if (e->closes == NO_EPOCH)
			e->closes = e->now;
		edge_request(&c->dispatcher->base);
	}
	e->now = next;
}

static uint32_t opened(struct epochs *e, const struct launch_state *l, uint64_t cycle)
{
	struct epoch *own = &e->own[e->nown];

	if (e->nown == e->own_room)
		return l->kernel->epoch;
	own->first = (uint32_t)l->grid.gridid;
	own->program = l->grid.program;
	own->begin_cycle = cycle;
	return e->nown++;
}

/* With the launches that run: where those of several kernels overlap, a common epoch of one kernel
 * ends. */
static uint32_t joined(const struct epochs *e, const struct launch_state *l)
{
	struct epoch *now = epoch_of(e, e->now);

	if (!now->program || now->program == l->grid.program)
		return e->now;
	if (now->common)
		return EPOCHS_OWN;
	now->program = NULL;
	return e->now;
}

void epochs_begin(struct chip *c, struct launch_state *l, uint64_t cycle)
{
	struct epochs *e = &c->epochs;
	uint32_t next;

	if (!l->timed)
		return;
	if (!e->running)
		e->running_since = cycle;
	next = e->running ? joined(e, l) : opened(e, l, cycle);
	if (e->running && next != e->now) {
		epoch_of(e, e->now)->cycles += cycle - e->running_since;
		e->running_since = cycle;
	}
	if (next != e->now)
		turn(c, next, cycle);
	epoch_of(e, next)->launches++;
	e->running++;
	l->epoch = next;
}

void epochs_end(struct chip *c, const struct launch_state *l)
{
	struct epochs *e = &c->epochs;

	if (l->epoch != NO_EPOCH && !--e->running)
		epoch_of(e, e->now)->cycles += l->end_cycle - e->running_since;
}

void epochs_edge(struct chip *c, uint64_t cycle)
{
	struct epochs *e = &c->epochs;

	if (!e->rows || e->closes == NO_EPOCH)
		return;
	for (unsigned i = 0; i < c->p.sms; i++)
		sm_close(c->sm[i], cycle);
	count_all(e, epoch_of(e, e->closes));
	e->closes = NO_EPOCH;
}

/* ---- the end */
/* Energies of growing sums: their differences, in whole femtojoules, add up to the run's. */
static void take_energies(const struct gpu *g, struct epochs *e, const struct tally *all)
{
	struct tally t = *e->rows;
	struct energy_sum before = {0};

	for (uint32_t i = 0; i < t.n; i++)
		t.row[i].sum = 0;
	energy_of_tally(g, &t, &before);
	for (uint32_t i = 0; i < e->nown + e->ncommon; i++) {
		struct epoch *epoch = i < e->nown ? &e->own[i] : &e->common[i - e->nown];
		struct energy_sum sum;

		for (uint32_t k = 0; k < t.n; k++)
			t.row[k].sum += epoch->sum[k];
		t.energy_cycles += epoch->span_cycles;
		t.unused_byte_cycles += epoch->unused_byte_cycles;
		energy_of_tally(g, &t, &sum);
		epoch->energy = energy_less(&sum, &before);
		before = sum;
	}
	for (uint32_t k = 0; k < t.n; k++)
		BUG_ON(t.row[k].def->kind == STAT_COUNT && t.row[k].sum != all->row[k].sum);
	BUG_ON(t.energy_cycles != all->energy_cycles);
	BUG_ON(t.unused_byte_cycles != all->unused_byte_cycles);
}

/* A launch that overlaps no other executed what its epoch did. */
static void check_alone(const struct gpu *g, const struct epochs *e)
{
	uint32_t row = 0;

	while (strcmp(e->rows->row[row].name, "smsp__inst_executed.sum") != 0)
		row++;
	for (uint32_t i = 0; i < e->nown; i++)
		BUG_ON(e->own[i].launches == 1 &&
			e->own[i].sum[row] != launches_row(g, e->own[i].first).instructions);
}

void epochs_close(struct chip *c, uint64_t cycle)
{
	struct epochs *e = &c->epochs;
	struct epoch *last;
	struct tally all;

	if (!e->rows || e->now == NO_EPOCH)
		return;
	last = epoch_of(e, e->now);
	chip_tally(c->gpu, &all);
	count_all(e, last);
	if (e->running)
		last->cycles += cycle - e->running_since;
	last->span_cycles += all.energy_cycles - e->since;
	last->unused_byte_cycles += all.unused_byte_cycles - e->unused;
	take_energies(c->gpu, e, &all);
	check_alone(c->gpu, e);
}
