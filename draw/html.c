/* Words, tables and frames of pages. */
#include "draw/html.h"

#include "draw/look.h"
#include "draw/number.h"
#include "draw/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Nothing is loaded, whatever a page contains; `asks` says what it may ask for. */
static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
	"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
	"<meta name=\"color-scheme\" content=\"light dark\"/>\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'; script-src 'unsafe-inline'%s\"/>\n<title>";

void html_add(struct text *out, const char *format, ...)
{
	char words[2048];
	va_list list;

	va_start(list, format);
	vsnprintf(words, sizeof(words), format, list);
	va_end(list);
	svg_escaped(words, out);
}

struct opening {
	const char *asks;  /* whom the page may ask */
	const char *style; /* of its own */
};

static void open(struct text *out, const char *title, const char *heading, struct opening o)
{
	text_raw(out, head, o.asks);
	svg_escaped(title, out);
	text_raw(out, "</title>\n<style>\n");
	look_add("look.css", out);
	text_raw(out, "%s</style></head><body>\n<h1>", o.style);
	svg_escaped(title, out);
	svg_escaped(heading, out);
	text_raw(out, "</h1>\n");
}

void html_open(struct text *out, const char *title, const char *heading)
{
	open(out, title, heading, (struct opening){"", ""});
}

void html_open_live(struct text *out, const char *title, const char *heading)
{
	open(out, title, heading, (struct opening){"; connect-src 'self'", ""});
}

void html_open_style(struct text *out, const char *title, const char *heading, const char *style)
{
	open(out, title, heading, (struct opening){"", style});
}

void html_tools(struct text *out)
{
	text_raw(out, "<div class=\"tools\"></div>\n");
}

static void script(const char *name, struct text *out)
{
	text_raw(out, "<script>//<![CDATA[\n");
	look_add(name, out);
	text_raw(out, "//]]></script>\n");
}

void html_close(struct text *out, bool charts)
{
	if (charts) {
		text_raw(out, "<details><summary>Licence of uPlot, which draws the curves</summary>"
			      "<pre class=\"wide\">");
		look_add("uplot.LICENSE", out);
		text_raw(out, "</pre></details>\n<style>\n");
		look_add("uplot.css", out);
		text_raw(out, "</style>\n");
		script("uplot.js", out);
	}
	script("look.js", out);
	text_raw(out, "</body></html>\n");
}

/* ---- tables */
static void columns(
	struct text *out, const char *caption, const struct html_column *column, unsigned n)
{
	text_raw(out, "<caption>");
	svg_escaped(caption, out);
	text_raw(out, "</caption><thead><tr>");
	for (unsigned i = 0; i < n; i++) {
		text_raw(out, "<th scope=\"col\"%s>", column[i].words ? " class=\"w\"" : "");
		svg_escaped(column[i].name, out);
		text_raw(out, "</th>");
	}
	text_raw(out, "</tr></thead><tbody>\n");
}

void html_table(struct text *out, const char *caption, const struct html_column *column, unsigned n)
{
	text_raw(out, "<div class=\"wide\"><table class=\"data\">");
	columns(out, caption, column, n);
}

void html_table_end(struct text *out)
{
	text_raw(out, "</tbody></table></div>\n");
}

void html_row(struct text *out)
{
	text_raw(out, "<tr>");
}

void html_row_end(struct text *out)
{
	text_raw(out, "</tr>\n");
}

void html_name(struct text *out, const char *words)
{
	text_raw(out, "<th scope=\"row\">");
	svg_escaped(words, out);
	text_raw(out, "</th>");
}

static void cell(struct text *out, const char *class, const char *words)
{
	text_raw(out, "<td class=\"%s\">", class);
	svg_escaped(words ? words : "", out);
	text_raw(out, "</td>");
}

void html_words(struct text *out, const char *words)
{
	cell(out, "w", words);
}

void html_long(struct text *out, const char *words)
{
	cell(out, "long", words);
}

void html_code(struct text *out, const char *words)
{
	text_raw(out, "<th scope=\"row\"><code>");
	svg_escaped(words, out);
	text_raw(out, "</code></th>");
}

void html_whole(struct text *out, uint64_t v)
{
	char number[32];

	text_raw(out, "<td>%s</td>", v ? number_grouped(v, number) : "");
}

static const char *shown(double v, unsigned digits, char number[32])
{
	if (!digits && v >= 0 && v < 1e18)
		return number_grouped((uint64_t)(v + 0.5), number);
	snprintf(number, 32, "%.*f", (int)digits, v);
	return number;
}

void html_real(struct text *out, double v, unsigned digits, const char *unit)
{
	char number[32];

	if (isnan(v))
		text_raw(out, "<td></td>");
	else
		text_raw(out, "<td>%s%s</td>", shown(v, digits, number), unit);
}

void html_bytes(struct text *out, double v)
{
	char number[32];

	if (isnan(v))
		text_raw(out, "<td></td>");
	else
		text_raw(out, "<td data-v=\"%.9g\">%s</td>", v, number_bytes(v, number));
}

void html_energy(struct text *out, double nj)
{
	char number[32];

	if (isnan(nj)) {
		text_raw(out, "<td></td>");
		return;
	}
	number_energy(nj, number);
	text_raw(out, "<td data-v=\"%.9g\">%s</td>", nj, number + strspn(number, " "));
}

void html_bar(struct text *out, double share)
{
	double wide = share < 0 || isnan(share) ? 0 : share > 1 ? 1 : share;

	text_raw(out,
		"<td class=\"barcell\" data-v=\"%.6g\"><span class=\"bar\" "
		"style=\"width:%.1f%%\"></span></td>",
		wide, 100 * wide);
}

/* ---- curves */
void html_chart(struct text *out, const char *caption, const char *unit,
	const struct html_column *column, unsigned n)
{
	text_raw(out, "<figure class=\"chart\" data-unit=\"");
	svg_escaped(unit, out);
	text_raw(out, "\"><div class=\"curves\"></div><details><summary>");
	svg_escaped(caption, out);
	text_raw(out, ", as a table</summary><div class=\"wide\"><table>");
	columns(out, caption, column, n);
}

void html_chart_end(struct text *out)
{
	text_raw(out, "</tbody></table></div></details></figure>\n");
}
