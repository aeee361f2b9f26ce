/* warpbeam topology and stats: what a chip is made of, and what is counted in it. */
#include "cli/command.h"

int command_topology(const struct options *o, struct session *s, struct err *err)
{
	if (session_open(s, o, NULL, err) || config_finish(s->config, err))
		return -1;
	chip_topology(s->gpu, &s->out);
	return output_text(&s->out, err);
}

static void tell(void *ctx, const struct metric *m)
{
	text_add(ctx, "%-56s %-24s %s\n", m->name, m->unit, m->text);
}

int command_stats(const struct options *o, struct session *s, struct err *err)
{
	if (session_open(s, o, NULL, err) || config_finish(s->config, err))
		return -1;
	chip_metrics(s->gpu, tell, &s->out);
	return output_text(&s->out, err);
}
