/* Which command is next: of all that the scheduler lets through, the one that comes first. */
#include "dram/controller_inside.h"

#define AFTER_COLUMNS (UINT64_C(1) << 63)

/* Banks by what is queued there for those that are served. */
struct dram_banks {
	uint64_t waiting;    /* anything */
	uint64_t columns[2]; /* bursts to the open row that may go, by way */
	uint64_t hits;       /* either */
	uint64_t barred;     /* these too, but an older burst to another row goes before them */
};

/* Candidates replace the choice when they come earlier, or before it at its clock */
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

/* The oldest burst of a bank among those that are served. */
static uint16_t oldest_of(const struct controller *c, unsigned bank, unsigned serve)
{
	const struct dram_bank_queue *q = &c->bank[bank];

	return controller_older(c, serve & DRAM_SERVE_READS ? q->list[DRAM_READ].head : NONE,
		serve & DRAM_SERVE_WRITES ? q->list[DRAM_WRITE].head : NONE);
}

/* The banks whose open row must give way, as the scheduler says. */
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

/* The way's oldest burst finds its row open and can go at once: nothing goes before it. */
static bool oldest_goes(
	const struct controller *c, enum dram_command way, uint64_t columns, uint64_t floor)
{
	const struct dram_bank_time *b;
	uint16_t i = c->oldest[way];

	if (i == NONE || c->bank[c->bursts[i].bank].hit[way] != i ||
		!(columns >> c->bursts[i].bank & 1))
		return false;
	b = &c->timing.bank[c->bursts[i].bank];
	return b->column[way] <= floor && c->timing.group_column[b->group][way] <= floor;
}

static void consider_columns(const struct controller *c, enum dram_command way,
	const struct dram_banks *of, uint64_t floor, struct dram_choice *best)
{
	const struct dram_timing *t = &c->timing;

	floor = max_u64(floor, t->column[way]);
	if (!of->barred && oldest_goes(c, way, of->columns[way], floor)) {
		consider(best, floor, c->bursts[c->oldest[way]].order, c->oldest[way], way);
		return;
	}
	for (uint64_t m = of->columns[way]; m; m &= m - 1) {
		unsigned bank = low_bit(m);
		const struct dram_bank_time *b = &t->bank[bank];
		uint64_t at =
			max_u64(floor, max_u64(b->column[way], t->group_column[b->group][way]));
		uint16_t burst = c->bank[bank].hit[way];
		uint64_t key = c->bursts[burst].order;

		if (of->barred >> bank & 1) {
			if (at >= b->activate - t->device->t.rc + t->device->t.ras)
				continue;
			key |= AFTER_COLUMNS;
		}
		consider(best, at, key, burst, way);
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

/* Bursts whose row was opened for their way and has not been used. */
static struct dram_banks begun(const struct controller *c)
{
	struct dram_banks of = {0};

	for (unsigned way = DRAM_READ; way <= DRAM_WRITE; way++) {
		of.columns[way] = c->unused[way] & c->hits[way];
		of.hits |= of.columns[way];
	}
	return of;
}

/* Of those that are served all may go; of the others what was begun when their turn ended. Queues
 * of banks hold what was let in: all are served. */
static void choose_by_sched(const struct controller *c, uint64_t floor, struct dram_choice *best)
{
	unsigned serve = c->p->bank_queue ? DRAM_SERVE_BOTH : c->serving;
	struct dram_banks of = begun(c);

	for (unsigned way = DRAM_READ; way <= DRAM_WRITE; way++) {
		if (!(serve >> way & 1))
			continue;
		of.waiting |= c->waiting[way];
		of.columns[way] = c->hits[way];
		of.hits |= of.columns[way];
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
	unsigned command = !b->open ? DRAM_ACTIVATE : b->row == r->row ? r->way : DRAM_PRECHARGE;
	uint64_t at = dram_earliest(&c->timing, (enum dram_command)command, r->bank);

	consider(best, max_u64(at, floor), command == r->way ? 0 : AFTER_COLUMNS, i, command);
}

static bool row_is_open(const struct controller *c, uint16_t i)
{
	const struct dram_bank_time *b = &c->timing.bank[c->bursts[i].bank];

	return b->open && b->row == c->bursts[i].row;
}

/* Smaller ones first; of equal ranks the oldest. */
static uint64_t ranked(const struct controller *c, uint16_t i)
{
	struct dram_asked asked = controller_asked(c, i);

	return (uint64_t)c->sched->rank(c->scheduler.self, &asked, row_is_open(c, i)) << 40 |
	       (asked.order & ((UINT64_C(1) << 40) - 1));
}

/* The bank's burst of the smallest rank among those that are served; what its row was opened for
 * and has not used goes before all. */
static uint16_t first_of(const struct controller *c, unsigned bank, unsigned serve, uint64_t *least)
{
	uint16_t first = NONE;

	*least = 0;
	for (unsigned way = DRAM_READ; way <= DRAM_WRITE; way++)
		if (c->unused[way] & c->hits[way] & UINT64_C(1) << bank)
			return c->bank[bank].hit[way];
	*least = UINT64_MAX;
	for (unsigned way = DRAM_READ; way <= DRAM_WRITE; way++) {
		uint16_t i = serve >> way & 1 ? c->bank[bank].list[way].head : NONE;

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

/* One burst for each bank; of their next commands that which can go first. */
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

/* The oldest burst has waited for too long: nothing goes before it but what its bank's row was
 * opened for. */
static void choose_overdue(
	const struct controller *c, uint16_t oldest, uint64_t floor, struct dram_choice *best)
{
	unsigned bank = c->bursts[oldest].bank;
	struct dram_banks of = begun(c);

	best->at = best->key = UINT64_MAX;
	for (unsigned way = DRAM_READ; way <= DRAM_WRITE; way++)
		of.columns[way] &= UINT64_C(1) << bank;
	if (c->bursts[oldest].row == c->timing.bank[bank].row || !(of.columns[0] | of.columns[1])) {
		consider_burst(c, oldest, floor, best);
		return;
	}
	consider_columns(c, DRAM_READ, &of, floor, best);
	consider_columns(c, DRAM_WRITE, &of, floor, best);
}

/* True when a burst older than `i` waits for its bank's row as it is. */
static bool row_is_needed(const struct controller *c, uint16_t i)
{
	const struct dram_bank_queue *q = &c->bank[c->bursts[i].bank];

	for (unsigned way = DRAM_READ; way <= DRAM_WRITE; way++)
		if (q->hit[way] != NONE && c->bursts[q->hit[way]].order < c->bursts[i].order)
			return true;
	return false;
}

static uint16_t front_of(struct controller *c, unsigned way)
{
	uint16_t i = c->front[way];

	while (i != NONE && c->bursts[i].found && row_is_open(c, i))
		i = c->bursts[i].newer;
	c->front[way] = i;
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

/* From the clock when a refresh is due nothing else is done until all banks are closed and it is
 * issued. */
void controller_choose_refresh(const struct controller *c, uint64_t floor, struct dram_choice *best)
{
	bool open = false;

	for (unsigned b = 0; b < c->device.banks; b++)
		open |= c->timing.bank[b].open;
	best->burst = NONE;
	best->command = open ? CLOSE_ALL : DRAM_REFRESH;
	best->at = max_u64(
		max_u64(floor, c->refresh_due), open ? dram_earliest_close_all(&c->timing)
						     : dram_earliest(&c->timing, DRAM_REFRESH, 0));
}

/* It could only go before a read or write of an open row by coming earlier. */
bool controller_still(const struct controller *c, const struct dram_burst *r)
{
	const struct dram_bank_time *b = &c->timing.bank[r->bank];
	uint64_t at;

	if (c->sched->in_order || c->sched->rank || c->choice.burst == NONE ||
		c->choice.key >= AFTER_COLUMNS)
		return false;
	if (c->choice.at <= c->now + 1)
		return true;
	at = b->open && b->row == r->row ? dram_earliest_column(&c->timing, r->bank, r->way)
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
	if (best->at >= late && !c->sched->in_order)
		choose_overdue(c, oldest, max_u64(floor, late), best);
	if (best->at >= c->refresh_due)
		controller_choose_refresh(c, floor, best);
}
