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

/* The next command towards a refresh, not before `floor` nor before it is due. */
void controller_choose_refresh(const struct controller *, uint64_t floor, struct dram_choice *);

#endif
