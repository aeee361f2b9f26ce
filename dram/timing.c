/* The timing constraints between commands. */
#include "dram/timing.h"

#include <string.h>

#define FOUR 4u
#define MANY 32u

void dram_timing_init(struct dram_timing *t, const struct dram_device *device)
{
	unsigned per_group = device->banks / device->groups;

	memset(t, 0, sizeof(*t));
	t->device = device;
	for (unsigned b = 0; b < device->banks; b++)
		t->bank[b].group = (uint8_t)(b / per_group);
}

static void later(uint64_t *at, uint64_t clock)
{
	if (*at < clock)
		*at = clock;
}

static void issue_read(struct dram_timing *t, struct dram_bank_time *b, uint64_t clock)
{
	const struct dram_timings *d = &t->device->t;

	later(&t->column[DRAM_READ], clock + d->ccds);
	later(&t->group_column[b->group][DRAM_READ], clock + d->ccdl);
	later(&t->column[DRAM_WRITE], clock + d->rtw);
	later(&b->precharge, clock + d->rtp);
}

static void issue_write(struct dram_timing *t, struct dram_bank_time *b, uint64_t clock)
{
	const struct dram_timings *d = &t->device->t;
	uint64_t end = clock + d->cwl + t->device->burst_ck;

	later(&t->column[DRAM_WRITE], clock + d->ccds);
	later(&t->group_column[b->group][DRAM_WRITE], clock + d->ccdl);
	later(&t->column[DRAM_READ], end + d->wtrs);
	later(&t->group_column[b->group][DRAM_READ], end + d->wtrl);
	later(&b->precharge, end + d->wr);
}

/* At most four activates in tFAW and 32 in t32AW: the next one waits for the fourth, or the 32nd,
 * before it. */
static void count_activate(struct dram_timing *t, uint64_t clock)
{
	const struct dram_timings *d = &t->device->t;

	t->activates[t->nactivates++ % MANY] = clock;
	if (t->nactivates >= FOUR)
		later(&t->activate, t->activates[(t->nactivates - FOUR) % MANY] + d->faw);
	if (t->nactivates >= MANY)
		later(&t->activate, t->activates[t->nactivates % MANY] + d->a32w);
}

static void issue_activate(
	struct dram_timing *t, struct dram_bank_time *b, uint32_t row, uint64_t clock)
{
	const struct dram_timings *d = &t->device->t;

	b->open = true;
	b->row = row;
	later(&b->column[DRAM_READ], clock + d->rcdrd);
	later(&b->column[DRAM_WRITE], clock + d->rcdwr);
	later(&b->precharge, clock + d->ras);
	later(&b->activate, clock + d->rc);
	later(&t->activate, clock + d->rrds);
	later(&t->bank_refresh, clock + d->rrds);
	later(&t->group_activate[b->group], clock + d->rrdl);
	count_activate(t, clock);
}

uint64_t dram_earliest(const struct dram_timing *t, enum dram_command command, unsigned bank)
{
	uint64_t at = t->command;

	if (command == DRAM_READ || command == DRAM_WRITE)
		return dram_earliest_column(t, bank, command);
	if (command != DRAM_REFRESH)
		return dram_earliest_row(t, bank);
	for (unsigned b = 0; b < t->device->banks; b++)
		at = max_u64(at, t->bank[b].activate);
	return at;
}

static void issue_refresh(struct dram_timing *t, uint64_t clock)
{
	for (unsigned b = 0; b < t->device->banks; b++) {
		BUG_ON(t->bank[b].open);
		later(&t->bank[b].activate, clock + t->device->t.rfc);
	}
}

void dram_issue_column(struct dram_timing *t, enum dram_command dir, unsigned bank, uint64_t clock)
{
	BUG_ON(clock < dram_earliest_column(t, bank, dir));
	t->command = clock + 1;
	if (dir == DRAM_READ)
		issue_read(t, &t->bank[bank], clock);
	else
		issue_write(t, &t->bank[bank], clock);
}

void dram_issue(struct dram_timing *t, enum dram_command command, unsigned bank, uint32_t row,
	uint64_t clock)
{
	struct dram_bank_time *b = &t->bank[bank];

	if (command <= DRAM_WRITE) {
		dram_issue_column(t, command, bank, clock);
		return;
	}
	BUG_ON(clock < dram_earliest(t, command, bank));
	t->command = clock + 1;
	if (command == DRAM_REFRESH) {
		issue_refresh(t, clock);
	} else if (command == DRAM_ACTIVATE) {
		issue_activate(t, b, row, clock);
	} else {
		b->open = false;
		later(&b->activate, clock + t->device->t.rp);
		later(&t->precharge, clock + t->device->t.ppd);
	}
}

uint64_t dram_earliest_bank_refresh(const struct dram_timing *t, unsigned bank)
{
	uint64_t at = max_u64(t->bank[bank].activate, t->bank_refresh);

	return max_u64(at, t->command);
}

void dram_issue_bank_refresh(struct dram_timing *t, unsigned bank, uint64_t clock)
{
	const struct dram_timings *d = &t->device->t;

	BUG_ON(t->bank[bank].open || clock < dram_earliest_bank_refresh(t, bank));
	t->command = clock + 1;
	later(&t->bank[bank].activate, clock + d->rfcb);
	later(&t->bank_refresh, clock + d->rrefd);
	later(&t->activate, clock + d->rrefd);
}

void dram_close_bank(struct dram_timing *t, unsigned bank)
{
	struct dram_bank_time *b = &t->bank[bank];

	b->open = false;
	later(&b->activate, b->precharge + t->device->t.rp);
}

uint64_t dram_earliest_close_all(const struct dram_timing *t)
{
	uint64_t at = max_u64(t->command, t->precharge);

	for (unsigned b = 0; b < t->device->banks; b++)
		if (t->bank[b].open)
			at = max_u64(at, t->bank[b].precharge);
	return at;
}

void dram_close_all(struct dram_timing *t, uint64_t clock)
{
	BUG_ON(clock < dram_earliest_close_all(t));
	t->command = clock + 1;
	later(&t->precharge, clock + t->device->t.ppd);
	for (unsigned b = 0; b < t->device->banks; b++) {
		if (!t->bank[b].open)
			continue;
		t->bank[b].open = false;
		later(&t->bank[b].activate, clock + t->device->t.rp);
	}
}
