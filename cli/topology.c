/* warpbeam topology and stats: the parts of a chip, and its metrics. */
#include "cli/command.h"

#include "chip/trace/trace.h"

int command_topology(const struct options *o, struct session *s, struct err *err)
{
	if (session_open(s, &o->run, NULL, err) || config_finish(s->config, err))
		return -1;
	if (!o->signals)
		chip_topology(s->gpu, &s->out);
	else if (chip_list_signals(s->gpu, &s->out, err))
		return -1;
	return output_report(&s->out, o->run.uncut, err);
}

static void tell(void *ctx, const struct metric *m)
{
	text_add(ctx, "%-56s\t%-24s\t%s\n", m->name, m->unit, m->text);
}

int command_stats(const struct options *o, struct session *s, struct err *err)
{
	if (session_open(s, &o->run, NULL, err) || config_finish(s->config, err))
		return -1;
	chip_metrics(s->gpu, tell, &s->out);
	return output_report(&s->out, o->run.uncut, err);
}
