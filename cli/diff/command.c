/* warpbeam diff: what changed from one run to another. */
#include "cli/command.h"
#include "cli/diff/diff.h"

#include "runs/output.h"

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
	int bad = diff_open(&d, o, s, err);

	if (!bad) {
		diff_look(&d);
		bad = write_page(&d, o, err) || output_results(&files, &texts, &s->out, err);
	}
	diff_clear(&d);
	return bad ? -1 : 0;
}
