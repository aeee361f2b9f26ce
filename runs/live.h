/* What long commands print on stderr as they run: on a terminal a line that the next one replaces,
 * elsewhere a line a minute (WARPBEAM_LINE_SECONDS). */
#ifndef RUNS_LIVE_H
#define RUNS_LIVE_H

#include "core/text.h"

struct live {
	bool quiet, terminal;
	bool shown;              /* a line on the terminal is visible */
	double next_s, period_s; /* of the next line elsewhere */
};

/* A quiet one prints nothing. */
struct live live_new(bool quiet);
/* Whether a line is due now: on a terminal twenty times a second at most. */
bool live_is_due(struct live *);
/* After live_is_due. */
void live_tell(struct live *, const struct text *);
/* Removes the line from the terminal. */
void live_wipe(struct live *);

#endif
