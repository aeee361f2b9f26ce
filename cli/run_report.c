/* The reports of a run, where the options want them. */
#include "cli/run_report.h"

#include "cli/html/html.h"

#include <string.h>
#include <sys/resource.h>

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

int run_report_admit(const struct options *o, struct err *err)
{
	if (is_stdout(o->html) && (is_stdout(o->json) || is_stdout(o->csv)))
		return err_add(err, ERR_USAGE,
			"only one of --json, --csv and --html can be written to stdout");
	if (is_stdout(o->json) && is_stdout(o->csv))
		return err_add(err, ERR_USAGE, "--json and --csv cannot both be written to stdout");
	return 0;
}

struct host_report run_report_host(const struct options *o, const struct gpu *gpu, double wall_s)
{
	struct host_report h = {.wall_s = wall_s,
		.warp_instructions = chip_progress(gpu).warp_instructions,
		.threads = (unsigned)o->run.threads};
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	h.peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	return h;
}

/* Files first: the reader of stdout may close it early. */
int run_report_write(const struct options *o, struct session *s, struct report *r, struct err *err)
{
	struct text *out = &s->out;
	const char *json = o->json, *csv = o->csv;
	struct err wrong = {0};

	r->arena = &s->arena;
	r->machine = session_machine(s, &wrong);
	if (json) {
		if (report_json(r, out))
			err_add(&wrong, ERR_RESOURCE, "%s: no host memory for JSON", json);
		else
			output_file(o->run.files, json, out, &wrong);
		text_clear(out);
	}
	if (o->html) {
		page_run(r, &s->arena, out);
		output_file(o->run.files, o->html, out, &wrong);
		text_clear(out);
	}
	if (csv) {
		report_csv(r, out);
		output_file(o->run.files, csv, out, &wrong);
		text_clear(out);
	}
	if (!o->run.quiet && !is_stdout(json) && !is_stdout(csv) && !is_stdout(o->html)) {
		report_text(r, &s->arena, out);
		output_report(out, o->run.uncut, &wrong);
	}
	if (wrong.code && !err->code)
		err->code = wrong.code;
	err_move(err, &wrong);
	return err->code ? -1 : 0;
}
