/* Which command is next: of all that the scheduler permits, the one with the highest priority. */
#include "dram/controller_inside.h"

#define AFTER_COLUMNS (UINT64_C(1) << 63)

/* Sets of banks, by the bursts queued there that may be served. */
struct dram_banks {
	uint64_t waiting;    /* any burst */
	uint64_t columns[2]; /* bursts to the open row that may be served, by direction */
	uint64_t hits;       /* either */
	uint64_t barred;     /* the same, but an older burst to another row has priority */
};

/* A candidate replaces the choice when its clock is earlier, or equal and its key smaller. */
static void consider(
	struct dram_choice *best, uint64_t at, uint64_t key, uint16_t burst, unsigned command)
{
	if (at > best->at || (at == best->at && key >= best->key))
		return;
	*best = (struct dram_choice){at, key, burst, (uint8_t)command};
}

uint16_t controller_older(const struct controller *c, uint16_t a, uint16_t b)
{
	if (a == NONE || b == NONE)
		return a == NONE ? b : a;
	return c->bursts[a].order < c->bursts[b].order ? a : b;
}

/* The oldest burst of a bank among those that may be served. */
static uint16_t oldest_of(const struct controller *c, unsigned bank, unsigned serve)
{
	const struct dram_bank_queue *q = &c->bank[bank];

	return controller_older(c, serve & DRAM_SERVE_READS ? q->list[DRAM_READ].head : NONE,
		serve & DRAM_SERVE_WRITES ? q->list[DRAM_WRITE].head : NONE);
}

/* The banks whose open row must be closed for an older burst, by the scheduler's rule. */
static uint64_t barred(const struct controller *c, uint64_t hits, unsigned serve)
{
	uint64_t bars = 0;

	for (; hits; hits &= hits - 1) {
		unsigned bank = low_bit(hits);
		const struct dram_burst *r = &c->bursts[oldest_of(c, bank, serve)];

		if (r->row != c->timing.bank[bank].row &&
			!c->sched->passes(c->scheduler.self, &c->view, c->bank[bank].columns))
			bars |= UINT64_C(1) << bank;
	}
	return bars;
}

/* The direction's oldest burst is a row hit and can be issued at once: nothing has priority over
 * it. */
static bool oldest_goes(
	const struct controller *c, enum dram_command dir, uint64_t columns, uint64_t floor)
{
	const struct dram_bank_time *b;
	uint16_t i = c->oldest[dir];

	if (i == NONE || c->bank[c->bursts[i].bank].hit[dir] != i ||
		!(columns >> c->bursts[i].bank & 1))
		return false;
	b = &c->timing.bank[c->bursts[i].bank];
	return b->column[dir] <= floor && c->timing.group_column[b->group][dir] <= floor;
}

static void consider_columns(const struct controller *c, enum dram_command dir,
	const struct dram_banks *of, uint64_t floor, struct dram_choice *best)
{
	const struct dram_timing *t = &c->timing;

	floor = max_u64(floor, t->column[dir]);
	if (!of->barred && oldest_goes(c, dir, of->columns[dir], floor)) {
		consider(best, floor, c->bursts[c->oldest[dir]].order, c->oldest[dir], dir);
		return;
	}
	for (uint64_t m = of->columns[dir]; m; m &= m - 1) {
		unsigned bank = low_bit(m);
		const struct dram_bank_time *b = &t->bank[bank];
		uint64_t at =
			max_u64(floor, max_u64(b->column[dir], t->group_column[b->group][dir]));
		uint16_t burst = c->bank[bank].hit[dir];
		uint64_t key = c->bursts[burst].order;

		if (of->barred >> bank & 1) {
			if (at >= b->activate - t->device->t.rc + t->device->t.ras)
				continue;
			key |= AFTER_COLUMNS;
		}
		consider(best, at, key, burst, dir);
	}
}

static void consider_rows(const struct controller *c, const struct dram_banks *of, unsigned serve,
	uint64_t floor, struct dram_choice *best)
{
	for (uint64_t m = (of->waiting & ~of->hits) | of->barred; m; m &= m - 1) {
		unsigned bank = low_bit(m);
		uint64_t key, at = max_u64(floor, dram_earliest_row(&c->timing, bank));
		uint16_t burst;

		if (at > best->at)
			continue;
		burst = oldest_of(c, bank, serve);
		key = c->bursts[burst].order;
		if (!(of->barred >> bank & 1))
			key |= AFTER_COLUMNS;
		consider(best, at, key, burst,
			c->timing.bank[bank].open ? DRAM_PRECHARGE : DRAM_ACTIVATE);
	}
}

/* Bursts whose row was opened for their direction and has not been used. */
static struct dram_banks begun(const struct controller *c)
{
	struct dram_banks of = {0};

	for (unsigned dir = DRAM_READ; dir <= DRAM_WRITE; dir++) {
		of.columns[dir] = c->unused[dir] & c->hits[dir];
		of.hits |= of.columns[dir];
	}
	return of;
}

/* All bursts of the served directions are candidates; of the others those whose row was opened
 * before their turn ended. Bank queues contain only admitted bursts: all are candidates. */
static void choose_by_sched(const struct controller *c, uint64_t floor, struct dram_choice *best)
{
	unsigned serve = c->p->bank_queue ? DRAM_SERVE_BOTH : c->serving;
	struct dram_banks of = begun(c);

	for (unsigned dir = DRAM_READ; dir <= DRAM_WRITE; dir++) {
		if (!(serve >> dir & 1))
			continue;
		of.waiting |= c->waiting[dir];
		of.columns[dir] = c->hits[dir];
		of.hits |= of.columns[dir];
	}
	of.barred = c->sched->passes ? barred(c, of.hits & of.waiting, serve) : 0;
	consider_columns(c, DRAM_READ, &of, floor, best);
	consider_columns(c, DRAM_WRITE, &of, floor, best);
	if (best->at > floor || of.barred)
		consider_rows(c, &of, serve, floor, best);
}

/* The next command of one burst. */
static void consider_burst(
	const struct controller *c, uint16_t i, uint64_t floor, struct dram_choice *best)
{
	const struct dram_burst *r = &c->bursts[i];
	const struct dram_bank_time *b = &c->timing.bank[r->bank];
	unsigned command = !b->open ? DRAM_ACTIVATE : b->row == r->row ? r->dir : DRAM_PRECHARGE;
	uint64_t at = dram_earliest(&c->timing, (enum dram_command)command, r->bank);

	consider(best, max_u64(at, floor), command == r->dir ? 0 : AFTER_COLUMNS, i, command);
}

static bool row_is_open(const struct controller *c, uint16_t i)
{
	const struct dram_bank_time *b = &c->timing.bank[c->bursts[i].bank];

	return b->open && b->row == c->bursts[i].row;
}

/* Smaller ones first; of equal ranks the oldest. */
static uint64_t ranked(const struct controller *c, uint16_t i)
{
	struct dram_queued_burst burst = controller_queued_burst(c, i);

	return (uint64_t)c->sched->rank(c->scheduler.self, &burst, row_is_open(c, i)) << 40 |
	       (burst.order & ((UINT64_C(1) << 40) - 1));
}

/* The bank's burst of the smallest rank among those that may be served; a burst that its row was
 * opened for, and that has not used it, has priority. */
static uint16_t first_of(const struct controller *c, unsigned bank, unsigned serve, uint64_t *least)
{
	uint16_t first = NONE;

	*least = 0;
	for (unsigned dir = DRAM_READ; dir <= DRAM_WRITE; dir++)
		if (c->unused[dir] & c->hits[dir] & UINT64_C(1) << bank)
			return c->bank[bank].hit[dir];
	*least = UINT64_MAX;
	for (unsigned dir = DRAM_READ; dir <= DRAM_WRITE; dir++) {
		uint16_t i = serve >> dir & 1 ? c->bank[bank].list[dir].head : NONE;

		for (; i != NONE; i = c->bursts[i].next) {
			uint64_t rank = ranked(c, i);

			if (rank >= *least)
				continue;
			*least = rank;
			first = i;
		}
	}
	return first;
}

/* One burst for each bank; of their next commands the one with the highest priority. */
static void choose_by_rank(const struct controller *c, uint64_t floor, struct dram_choice *best)
{
	unsigned serve = c->p->bank_queue ? DRAM_SERVE_BOTH : c->serving;
	uint64_t banks = c->waiting[DRAM_READ] | c->waiting[DRAM_WRITE];

	for (; banks; banks &= banks - 1) {
		uint64_t rank;
		uint16_t i = first_of(c, low_bit(banks), serve, &rank);
		struct dram_choice own = {.at = UINT64_MAX, .key = UINT64_MAX};

		if (i == NONE)
			continue;
		consider_burst(c, i, floor, &own);
		consider(best, own.at, rank, i, own.command);
	}
}

/* The burst of the bank that the scheduler would serve next, and its priority among banks. */
static uint16_t next_of(const struct controller *c, unsigned bank, unsigned serve, uint64_t *key)
{
	const struct dram_bank_queue *q = &c->bank[bank];
	uint16_t oldest = oldest_of(c, bank, serve), hit;

	if (c->sched->rank)
		return first_of(c, bank, serve, key);
	hit = controller_older(c, serve & DRAM_SERVE_READS ? q->hit[DRAM_READ] : NONE,
		serve & DRAM_SERVE_WRITES ? q->hit[DRAM_WRITE] : NONE);
	if (hit != NONE && c->sched->passes &&
		!c->sched->passes(c->scheduler.self, &c->view, q->columns))
		hit = NONE;
	hit = hit == NONE ? oldest : hit;
	*key = hit == NONE ? 0 : c->bursts[hit].order;
	return hit;
}

/* A command of another bank that is early enough not to make this one later: of another kind, or a
 * read or write of the same direction, a precharge or an activate with its gap before it. A window
 * of activates that is longer than four gaps might. */
static bool is_beside(
	const struct controller *c, const struct dram_choice *other, const struct dram_choice *one)
{
	const struct dram_device *d = &c->device;
	const struct dram_timings *t = &d->t;
	uint64_t gap = 1;

	if (one->command <= DRAM_WRITE && other->command <= DRAM_WRITE) {
		if (one->command != other->command)
			return false;
		gap = max_u64(d->burst_ck, max_u64(t->ccdl, t->ccds));
	} else if (one->command == DRAM_ACTIVATE && other->command == DRAM_ACTIVATE) {
		gap = max_u64(max_u64(t->rrdl, t->rrds), t->faw);
	} else if (one->command == other->command) {
		gap = max_u64(t->ppd, 1);
	}
	return other->at + gap <= one->at;
}

/* While the commands of an overdue burst wait for their time, other banks go on. */
static void choose_beside(const struct controller *c, uint64_t floor, struct dram_choice *best)
{
	unsigned serve = c->p->bank_queue ? DRAM_SERVE_BOTH : c->serving;
	const struct dram_choice overdue = *best;
	uint64_t banks = c->waiting[DRAM_READ] | c->waiting[DRAM_WRITE];

	banks &= ~(UINT64_C(1) << c->bursts[overdue.burst].bank);
	for (; banks && overdue.at > floor; banks &= banks - 1) {
		struct dram_choice own = {.at = UINT64_MAX, .key = UINT64_MAX};
		uint64_t key;
		uint16_t i = next_of(c, low_bit(banks), serve, &key);

		if (i == NONE)
			continue;
		consider_burst(c, i, floor, &own);
		if (is_beside(c, &own, &overdue))
			consider(best, own.at, own.key | key, i, own.command);
	}
}

/* The oldest burst has exceeded dram.max_wait: nothing has priority over it except the burst that
 * its bank's row was opened for. */
static void choose_overdue(
	const struct controller *c, uint16_t oldest, uint64_t floor, struct dram_choice *best)
{
	unsigned bank = c->bursts[oldest].bank;
	struct dram_banks of = begun(c);

	best->at = best->key = UINT64_MAX;
	for (unsigned dir = DRAM_READ; dir <= DRAM_WRITE; dir++)
		of.columns[dir] &= UINT64_C(1) << bank;
	if (c->bursts[oldest].row == c->timing.bank[bank].row || !(of.columns[0] | of.columns[1])) {
		consider_burst(c, oldest, floor, best);
		return;
	}
	consider_columns(c, DRAM_READ, &of, floor, best);
	consider_columns(c, DRAM_WRITE, &of, floor, best);
}

/* True when a burst older than `i` needs the row that is open in its bank. */
static bool row_is_needed(const struct controller *c, uint16_t i)
{
	const struct dram_bank_queue *q = &c->bank[c->bursts[i].bank];

	for (unsigned dir = DRAM_READ; dir <= DRAM_WRITE; dir++)
		if (q->hit[dir] != NONE && c->bursts[q->hit[dir]].order < c->bursts[i].order)
			return true;
	return false;
}

static uint16_t front_of(struct controller *c, unsigned dir)
{
	uint16_t i = c->front[dir];

	while (i != NONE && c->bursts[i].found && row_is_open(c, i))
		i = c->bursts[i].newer;
	c->front[dir] = i;
	return i;
}

static void choose_in_order(
	struct controller *c, uint16_t oldest, uint64_t floor, struct dram_choice *best)
{
	uint16_t i = controller_older(c, front_of(c, DRAM_READ), front_of(c, DRAM_WRITE));

	consider_burst(c, oldest, floor, best);
	if (i != NONE && i != oldest && !row_is_open(c, i) && !row_is_needed(c, i))
		consider_burst(c, i, floor, best);
}

/* A new burst changes the choice only if its command is earlier than a read or write of an open
 * row. */
bool controller_still(const struct controller *c, const struct dram_burst *r)
{
	const struct dram_bank_time *b = &c->timing.bank[r->bank];
	uint64_t at;

	if (c->sched->in_order || c->sched->rank || c->choice.burst == NONE ||
		c->choice.key >= AFTER_COLUMNS)
		return false;
	if (c->choice.at <= c->now + 1)
		return true;
	at = b->open && b->row == r->row ? dram_earliest_column(&c->timing, r->bank, r->dir)
					 : dram_earliest_row(&c->timing, r->bank);
	return max_u64(at, c->now + 1) >= c->choice.at;
}

void controller_decide(struct controller *c)
{
	struct dram_choice *best = &c->choice;
	uint64_t floor = max_u64(c->now + 1, c->timing.command), late;
	uint16_t oldest = controller_older(c, c->oldest[DRAM_READ], c->oldest[DRAM_WRITE]);

	c->decided = true;
	best->at = best->key = UINT64_MAX;
	if (oldest == NONE)
		return;
	late = c->bursts[oldest].accepted + c->max_wait;
	if (c->sched->in_order) {
		choose_in_order(c, oldest, floor, best);
	} else if (late > floor && c->sched->rank) {
		choose_by_rank(c, floor, best);
	} else if (late > floor) {
		choose_by_sched(c, floor, best);
	}
	if (best->at >= late && !c->sched->in_order) {
		choose_overdue(c, oldest, max_u64(floor, late), best);
		choose_beside(c, floor, best);
	}
	if (best->at >= c->refresh_due)
		controller_choose_refresh(c, floor, best);
}
