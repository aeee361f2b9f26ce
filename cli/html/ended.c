/* The page of a command that did not come to its own: what its runs came to. */
#include "cli/html/results.h"

#include "core/base.h"
#include "draw/html.h"
#include "runs/roll.h"

#include <string.h>

#define WORD 12u /* "not begun" and the like; messages are longer */

static void messages(const struct err *err, struct text *out)
{
	const char *line = err_text(err);

	for (size_t n; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		text_add(out, "<p class=\"notice\">");
		html_add(out, "%.*s", (int)n, line);
		text_add(out, "</p>\n");
	}
}

static void table(const struct roll *r, struct text *out)
{
	static const struct html_column columns[] = {{"run", true}, {"end", true},
		{"cycles", false}, {"DRAM traffic", false}, {"energy", false}, {"settings", true}};

	html_table(out, "What the runs came to", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < r->n; i++) {
		const struct roll_run *run = &r->run[i];

		html_row(out);
		html_name(out, run->name);
		if (strlen(run->end) <= WORD)
			html_words(out, run->end);
		else
			html_long(out, run->end);
		html_real(out, run->cycles, 0, "");
		html_bytes(out, run->dram_bytes);
		html_energy(out, run->energy_nj);
		html_long(out, run->settings);
		html_row_end(out);
	}
	html_table_end(out);
}

static void write_page(const struct options *o, const char *command, const struct roll *r,
	const struct err *err, struct text *out)
{
	struct text title = {0};
	unsigned done = 0;

	for (unsigned i = 0; i < r->n; i++)
		done += r->run[i].done;
	text_add(&title, "%s%s", command, o->all ? " --all" : "");
	for (unsigned i = 0; i < o->operands.n; i++)
		text_add(&title, " %s", o->operands.at[i]);
	html_open(out, text_str(&title), err->code == ERR_INTERRUPTED ? ": stopped" : ": failed");
	text_add(out,
		"<p class=\"notice\">%u of %u runs %s done: the results of the command are "
		"not here, but what those runs came to.</p>\n",
		done, r->n, done == 1 ? "is" : "are");
	messages(err, out);
	html_tools(out);
	table(r, out);
	html_close(out, false);
	out->failed |= title.failed;
	text_clear(&title);
}

int page_ended(const struct options *o, const char *command, const struct roll *r, struct err *err)
{
	struct text page = {0};
	int bad;

	write_page(o, command, r, err, &page);
	bad = output_file(o->run.files, o->html, &page, err);
	text_clear(&page);
	return bad;
}
