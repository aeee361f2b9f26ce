/* warpbeam diff: what changed from one report to another. */
#include "cli/command.h"
#include "cli/diff/diff.h"

#include "core/file.h"
#include "runs/json.h"

#include <string.h>

/* The report in the file; NULL and a message. */
static json_t *read_report(const struct options *o, const char *path, struct err *err)
{
	size_t n;
	char *text = file_read(o->run.files, path, &n, ERR_INPUT, err);
	json_error_t wrong;
	json_t *j;

	if (!text)
		return NULL;
	j = json_loadb(text, n, 0, &wrong);
	mem_free(text);
	if (!json_is_whole()) {
		err_add(err, ERR_RESOURCE, "%s: no host memory for the report", path);
	} else if (!j) {
		err_add(err, ERR_INPUT,
			"%s:%d: %s; must be a report that run or profile wrote by --json", path,
			wrong.line, wrong.text);
	} else if (json_integer_value(json_object_get(j, "schema")) != 1) {
		err_add(err, ERR_INPUT,
			"%s: its schema is not 1; must be a report that run or profile wrote by "
			"--json",
			path);
	} else if (!json_object_get(j, "metrics") && !json_object_get(j, "profile")) {
		err_add(err, ERR_INPUT,
			"%s: has neither metrics nor a profile; must be a report that run or "
			"profile wrote by --json",
			path);
	} else {
		return j;
	}
	json_decref(j);
	return NULL;
}

static int same_kind(const struct diff *d, struct err *err)
{
	bool a = json_object_get(d->report[0], "profile"),
	     b = json_object_get(d->report[1], "profile");

	if (a == b)
		return 0;
	return err_add(err, ERR_INPUT,
		"%s is a report of %s, %s of %s: both must be of one command", d->path[0],
		a ? "profile" : "run", d->path[1], b ? "profile" : "run");
}

static int write_page(const struct diff *d, const struct options *o, struct err *err)
{
	struct text page = {0};
	int bad;

	if (!o->html)
		return 0;
	diff_html(d, &page);
	bad = output_file(o->run.files, o->html, &page, err);
	text_clear(&page);
	return bad;
}

int command_diff(const struct options *o, struct session *s, struct err *err)
{
	struct diff d = {.arena = &s->arena, .top = o->top ? (unsigned)o->top : 10};
	struct output_files files = options_files(o);
	struct output_texts texts = {.ctx = &d, .json = diff_json, .text = diff_text};
	json_t *report[2] = {NULL};
	int bad = 0;

	for (unsigned i = 0; i < 2; i++) {
		d.path[i] = o->operands.at[i];
		d.report[i] = report[i] = read_report(o, d.path[i], err);
		bad |= !report[i];
	}
	bad = bad || same_kind(&d, err);
	if (!bad) {
		diff_look(&d);
		bad = write_page(&d, o, err) || output_results(&files, &texts, &s->out, err);
	}
	json_decref(report[0]);
	json_decref(report[1]);
	return bad ? -1 : 0;
}
