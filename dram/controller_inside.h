/* Shared by the controller's files: lists and actions, and the choice of the next command. */
#ifndef DRAM_CONTROLLER_INSIDE_H
#define DRAM_CONTROLLER_INSIDE_H

#include "dram/controller.h"

#define NONE UINT16_MAX

/* A precharge of all banks, as a command of its own. */
#define CLOSE_ALL (DRAM_REFRESH + 1)

/* The older of two bursts, each of which may be NONE. */
uint16_t controller_older(const struct controller *, uint16_t, uint16_t);

/* Sets c->choice to the next command in the current state; its clock is UINT64_MAX when nothing is
 * queued. */
void controller_decide(struct controller *);

/* True when the choice is still valid after the arrival of that burst, the youngest. */
bool controller_still(const struct controller *, const struct dram_burst *);

/* ---- refreshes: dram/controller_refresh.c */
/* 0, or -1 and a message. */
int controller_refresh_init(struct controller *, struct err *);

/* `best` is the next command of the queued bursts, not before `floor`: replaced where a refresh has
 * priority. */
void controller_choose_refresh(const struct controller *, uint64_t floor, struct dram_choice *);

/* Issues the chosen command: a refresh, or a precharge before one. */
void controller_refresh(struct controller *, const struct dram_choice *, struct dram_event *);

/* Issues what was due while nothing was queued. */
void controller_catch_up_refreshes(struct controller *, uint64_t now);

/* No burst hits the bank's row, which is being closed. */
void controller_forget_hits(struct controller *, unsigned bank);
void controller_restart_front(struct controller *);

#endif
