/* The traces of a run that the command line asks for. */
#include "cli/run_trace.h"

#include "chip/trace/trace.h"
#include "cli/command.h"
#include "core/base.h"
#include "draw/number.h"

#include <stdio.h>
#include <string.h>

/* Of any clock: as time they are within 64 bits. */
#define MOST_CYCLES (UINT64_MAX / PERIOD_MOST_PS / 2)

/* "A:B" */
static int read_window(const char *text, uint64_t *from, uint64_t *to, struct err *err)
{
	const char *colon = strchr(text, ':');
	char head[24] = "";
	size_t n = colon ? (size_t)(colon - text) : 0;

	if (n < sizeof(head))
		memcpy(head, text, n);
	if (colon && n < sizeof(head) && number_whole(head, from) && number_whole(colon + 1, to) &&
		*from < *to && *to <= MOST_CYCLES)
		return 0;
	return err_add(err, ERR_USAGE,
		"--trace-window %s: must be A:B, the first cycle and the one after the last, A < "
		"B",
		text);
}

static int need(const struct options *o, enum option_id id, const char *name, unsigned files,
	struct err *err)
{
	static const char *const words[] = {"", "--trace", "--vcd", "--trace or --vcd"};
	unsigned given = (o->trace ? 1u : 0) | (o->vcd ? 2u : 0);

	if (!o->given[id] || files & given)
		return 0;
	return err_add(err, ERR_USAGE, "--%s goes with %s", name, words[files]);
}

static int check_file(const char *option, const char *path, struct err *err)
{
	if (!path || strcmp(path, "-"))
		return 0;
	return err_add(
		err, ERR_USAGE, "--%s -: must be a file, it is written during the run", option);
}

int run_trace_admit(const struct options *o, struct err *err)
{
	uint64_t from, to;
	int bad = check_file("trace", o->trace, err) | check_file("vcd", o->vcd, err);

	bad |= need(o, OPTION_TRACE_FILTER, "trace-filter", 1, err);
	bad |= need(o, OPTION_TRACE_EVERY, "trace-every", 1, err);
	bad |= need(o, OPTION_TRACE_WINDOW, "trace-window", 3, err);
	bad |= need(o, OPTION_TRACE_LIMIT, "trace-limit", 3, err);
	bad |= need(o, OPTION_VCD_FILTER, "vcd-filter", 2, err);
	if (o->trace_window)
		bad |= read_window(o->trace_window, &from, &to, err);
	return bad;
}

int run_trace_open(const struct options *o, const char *target, struct gpu *gpu, struct err *err)
{
	struct trace_request r = {.files = o->run.files,
		.trace = o->trace,
		.vcd = o->vcd,
		.trace_filter = {"--trace-filter", o->trace_filter},
		.vcd_filter = {"--vcd-filter", o->vcd_filter},
		.to = MOST_CYCLES,
		.every = o->trace_every,
		.limit_bytes = o->trace_limit * 1000000,
		.title = target,
		.checkpoints = o->run.checkpoint.file || o->run.checkpoint.resume ||
			       o->run.checkpoint.from};

	if (!o->trace && !o->vcd)
		return 0;
	if (o->trace_window && read_window(o->trace_window, &r.from, &r.to, err))
		return -1;
	return chip_trace(gpu, &r, err);
}

static void tell(const struct trace_outcome *t)
{
	if (!t->path)
		return;
	if (t->early)
		output_note("warning: %s: the run ended before --trace-window began", t->path);
	if (t->dropped)
		output_note("warning: %s: --trace-limit was reached at cycle %llu: %llu later "
			    "change%s left out",
			t->path, (unsigned long long)t->full_cycle, (unsigned long long)t->dropped,
			t->dropped == 1 ? " is" : "s are");
}

int run_trace_close(struct gpu *gpu, struct err *err)
{
	struct trace_outcomes out;
	int bad = chip_trace_end(gpu, &out, err);

	if (bad)
		return bad;
	tell(&out.trace);
	tell(&out.vcd);
	return 0;
}
