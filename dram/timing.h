/* The earliest clock of each command: each timing is a next-allowed clock, kept by bank, by bank
 * group or by channel. One command a clock. Clocks are CK since the start. */
#ifndef DRAM_TIMING_H
#define DRAM_TIMING_H

#include "dram/device.h"

#define DRAM_BANKS 64u

enum dram_command { DRAM_READ, DRAM_WRITE, DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_REFRESH };

struct dram_bank_time {
	uint64_t column[2]; /* by DRAM_READ, DRAM_WRITE */
	uint64_t activate, precharge;
	uint32_t row; /* when open */
	bool open;
	uint8_t group;
};

/* Fields may be read; dram_issue changes them. A zeroed one needs dram_timing_init. */
struct dram_timing {
	const struct dram_device *device;
	uint64_t command; /* of any kind */
	uint64_t column[2], activate, precharge, bank_refresh;
	uint64_t group_column[DRAM_BANKS][2], group_activate[DRAM_BANKS];
	uint64_t activates[32]; /* ring: clocks of the last ones, plus the window they close */
	uint32_t nactivates;
	struct dram_bank_time bank[DRAM_BANKS];
};

/* All banks closed, everything allowed from clock 0 on. The device must outlive it. */
void dram_timing_init(struct dram_timing *, const struct dram_device *);

/* The first clock at which the timings allow the command: a read or write of the bank's open row,
 * an activate of a closed bank, a precharge of an open one. */
static inline uint64_t dram_earliest_column(
	const struct dram_timing *t, unsigned bank, enum dram_command dir)
{
	const struct dram_bank_time *b = &t->bank[bank];
	uint64_t at = max_u64(b->column[dir], t->group_column[b->group][dir]);

	return max_u64(max_u64(at, t->column[dir]), t->command);
}

static inline uint64_t dram_earliest_row(const struct dram_timing *t, unsigned bank)
{
	const struct dram_bank_time *b = &t->bank[bank];
	uint64_t at;

	if (b->open)
		at = max_u64(b->precharge, t->precharge);
	else
		at = max_u64(b->activate, max_u64(t->activate, t->group_activate[b->group]));
	return max_u64(at, t->command);
}

/* The same by name; of a refresh (bank 0), once all banks are closed. */
uint64_t dram_earliest(const struct dram_timing *, enum dram_command, unsigned bank);

/* Issues the command at `clock`, which dram_earliest must allow. `row` is an activate's. */
void dram_issue(
	struct dram_timing *, enum dram_command, unsigned bank, uint32_t row, uint64_t clock);

/* The same for a read or write. */
void dram_issue_column(struct dram_timing *, enum dram_command dir, unsigned bank, uint64_t clock);

/* A refresh of one closed bank. */
uint64_t dram_earliest_bank_refresh(const struct dram_timing *, unsigned bank);
void dram_issue_bank_refresh(struct dram_timing *, unsigned bank, uint64_t clock);

/* Closes the bank as soon as its timings allow, without a command (auto-precharge). */
void dram_close_bank(struct dram_timing *, unsigned bank);

/* The first clock at which one command could close all open banks, and that command. */
uint64_t dram_earliest_close_all(const struct dram_timing *);
void dram_close_all(struct dram_timing *, uint64_t clock);

#endif
