/* The page that is served: its script asks for the state once a second (draw/look/live.js). */
#include "cli/serve/serve.h"

#include "chip/chip.h"
#include "draw/html.h"
#include "draw/look.h"

static void add_metric(void *ctx, const struct metric *m)
{
	struct text *out = ctx;

	html_row(out);
	html_name(out, m->name);
	html_words(out, ""); /* the script's */
	html_words(out, m->unit);
	html_long(out, m->text);
	html_row_end(out);
}

static void counters(const struct gpu *g, struct text *out)
{
	static const struct html_column columns[] = {
		{"metric", true}, {"now", false}, {"unit", true}, {"what it is", true}};

	text_raw(out, "<section id=\"counters\"><h2>Counters</h2>\n");
	html_table(out, "Metrics of the chip, so far", columns, ARRAY_LEN(columns));
	chip_metrics(g, add_metric, out);
	html_table_end(out);
	text_raw(out, "</section>\n");
}

static void runs(struct text *out)
{
	static const struct html_column columns[] = {
		{"run", true}, {"state", true}, {"seconds", false}};

	text_raw(out, "<section id=\"runs\" hidden=\"hidden\"><h2>Runs</h2>\n");
	html_table(out, "Runs that go on and those that ended last", columns, ARRAY_LEN(columns));
	html_table_end(out);
	text_raw(out, "</section>\n");
}

void serve_page(const struct serve_state *s, struct text *out)
{
	struct text heading = {0};

	text_add(&heading, " %s %s", s->command, s->target);
	html_open_live(out, "warpbeam", text_str(&heading));
	text_clear(&heading);
	html_tools(out);
	text_raw(out,
		"<p id=\"said\" role=\"status\">Nothing was heard yet.</p>\n"
		"<p><progress id=\"share\" max=\"1\" value=\"0\" aria-label=\"share that is done\">"
		"</progress> <span id=\"left\" class=\"dim\"></span></p>\n"
		"<div id=\"times\" class=\"side\"></div>\n");
	runs(out);
	if (s->served.gpu)
		counters(s->served.gpu, out);
	text_raw(out, "<script>//<![CDATA[\n");
	look_add("live.js", out);
	text_raw(out, "//]]></script>\n");
	html_close(out, true);
}
