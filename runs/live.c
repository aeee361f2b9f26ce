/* What long commands print on stderr as they run. */
#include "runs/live.h"

#include "draw/number.h"
#include "runs/output.h"
#include "runs/pace.h"

#include <stdlib.h>
#include <unistd.h>

#define PERIOD_S 60
#define TERMINAL_S 0.05

static double period_s(void)
{
	const char *told = getenv("WARPBEAM_LINE_SECONDS");
	double v;

	return told && number_real(told, &v) && v > 0 ? v : PERIOD_S;
}

struct live live_new(bool quiet)
{
	bool terminal = isatty(STDERR_FILENO);
	double period = terminal ? TERMINAL_S : period_s();

	return (struct live){.quiet = quiet,
		.terminal = terminal,
		.period_s = period,
		.next_s = pace_now_s() + (terminal ? 0 : period)};
}

bool live_is_due(struct live *l)
{
	double now;

	if (l->quiet)
		return false;
	now = pace_now_s();
	if (now < l->next_s)
		return false;
	l->next_s = now + l->period_s;
	return true;
}

void live_tell(struct live *l, const struct text *line)
{
	if (l->terminal)
		output_live(line);
	else
		output_note("%s", text_str(line));
	l->shown = l->terminal;
}

void live_wipe(struct live *l)
{
	if (l->shown)
		output_wipe();
	l->shown = false;
}
