/* Refreshes: of all banks at once, or of one after the other while the rest goes on (REFSB of HBM,
 * JESD235). */
#include "dram/controller_inside.h"

#include <inttypes.h>

/* Of one bank: JEDEC lets a controller postpone as many, while bursts to the bank's row go on. */
#define POSTPONED 8u

static void close_all(struct controller *c, uint64_t clock)
{
	for (unsigned b = 0; b < c->device.banks; b++) {
		c->s->precharges += c->timing.bank[b].open;
		controller_forget_hits(c, b);
	}
	dram_close_all(&c->timing, clock);
	controller_restart_front(c);
}

static void refresh_all(struct controller *c, uint64_t clock)
{
	dram_issue(&c->timing, DRAM_REFRESH, 0, 0, clock);
	c->refresh_due += c->refresh_every;
	c->s->refreshes++;
}

/* Once a refresh is due, no other command is issued until all banks are closed and it is issued. */
static void choose_all(const struct controller *c, uint64_t floor, struct dram_choice *best)
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

/* ---- one bank */
static void close_one(struct controller *c, uint64_t clock)
{
	dram_issue(&c->timing, DRAM_PRECHARGE, c->refresh_bank, 0, clock);
	controller_forget_hits(c, c->refresh_bank);
	controller_restart_front(c);
	c->s->precharges++;
}

static void refresh_one(struct controller *c, uint64_t clock)
{
	dram_issue_bank_refresh(&c->timing, c->refresh_bank, clock);
	c->s->refreshes++;
	c->refresh_bank = (c->refresh_bank + 1) % c->device.banks;
	c->refresh_due += c->refresh_every;
}

static struct dram_choice towards_one(const struct controller *c, uint64_t floor)
{
	bool open = c->timing.bank[c->refresh_bank].open;
	uint64_t at = open ? dram_earliest_row(&c->timing, c->refresh_bank)
			   : dram_earliest_bank_refresh(&c->timing, c->refresh_bank);

	return (struct dram_choice){.at = max_u64(max_u64(floor, c->refresh_due), at),
		.burst = NONE,
		.command = open ? DRAM_PRECHARGE : DRAM_REFRESH};
}

/* Its commands have priority over those of the same clock; earlier ones go on. */
static void choose_one(const struct controller *c, uint64_t floor, struct dram_choice *best)
{
	struct dram_choice own = towards_one(c, floor);

	if (own.at <= best->at || best->at >= c->refresh_due + POSTPONED * c->refresh_every)
		*best = own;
}

/* ---- either */
int controller_refresh_init(struct controller *c, struct err *err)
{
	const struct dram_params *p = c->p;

	c->refresh_every = c->device.t.refi;
	if (p->refresh_banks)
		c->refresh_every = max_u64(c->refresh_every / c->device.banks, 1);
	c->refresh_due = p->refresh ? c->refresh_every : UINT64_MAX;
	if (!p->refresh_banks || c->device.t.rfcb)
		return 0;
	return err_add(err, ERR_INPUT,
		"dram.refresh_banks = true: dram.device = %s has no refresh of one bank; dram.rfcb must "
		"not be 0, as %" PRIu32 ", half of tRFC",
		c->device.name, c->device.t.rfc / 2);
}

void controller_choose_refresh(const struct controller *c, uint64_t floor, struct dram_choice *best)
{
	if (c->p->refresh_banks)
		choose_one(c, floor, best);
	else
		choose_all(c, floor, best);
}

void controller_refresh(
	struct controller *c, const struct dram_choice *choice, struct dram_event *e)
{
	bool refresh = choice->command == DRAM_REFRESH;

	*e = (struct dram_event){.clock = choice->at};
	e->command = refresh ? DRAM_REFRESH : DRAM_PRECHARGE;
	e->bank = c->p->refresh_banks ? c->refresh_bank : DRAM_BANKS;
	if (c->p->refresh_banks)
		(refresh ? refresh_one : close_one)(c, choice->at);
	else
		(refresh ? refresh_all : close_all)(c, choice->at);
}

/* Only the last ones of an idle channel still have an effect: of all banks one, else one of each
 * bank. */
void controller_catch_up_refreshes(struct controller *c, uint64_t now)
{
	uint64_t effective = c->p->refresh_banks ? c->device.banks : 1, missed;
	struct dram_event e;

	while (c->refresh_due <= now) {
		struct dram_choice choice = {.at = UINT64_MAX};

		controller_choose_refresh(c, c->timing.command, &choice);
		controller_refresh(c, &choice, &e);
		if (e.command != DRAM_REFRESH || c->refresh_due > now)
			continue;
		missed = (now - c->refresh_due) / c->refresh_every + 1;
		missed -= missed < effective ? missed : effective;
		c->s->refreshes += missed;
		c->refresh_due += missed * c->refresh_every;
		if (c->p->refresh_banks)
			c->refresh_bank = (unsigned)((c->refresh_bank + missed) % c->device.banks);
	}
}
