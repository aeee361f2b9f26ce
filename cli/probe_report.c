/* What was found out of a machine, as text, JSON and pages with pictures. */
#include "cli/probe.h"

#include "core/base.h"
#include "draw/chart.h"
#include "draw/html.h"
#include "draw/svg.h"
#include "runs/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *shown(const struct finding *f)
{
	return f->known ? f->value : "not determined";
}

static void told_text(const struct probe_told *t, bool known, struct text *out)
{
	if (t->path)
		text_add(out, "  %s: %.10g%s\n", t->path, t->number,
			!known    ? ""
			: t->same ? ", the same"
				  : ", DIFFERENT");
}

void probing_text(void *probing, struct text *out)
{
	const struct probing *p = probing;
	const char *level = "";

	text_add(out, "%s%s, by timing alone\n", p->machine, p->partial ? ", in part" : "");
	for (unsigned i = 0; i < p->report->n; i++) {
		const struct finding *f = &p->report->at[i];

		if (strcmp(level, f->level))
			text_add(out, "\n%s\n", f->level);
		level = f->level;
		text_add(out, "  %-32s %s\n", f->item, shown(f));
		if (!f->known || *f->evidence)
			text_add(out, "    %s\n", f->known ? f->evidence : f->value);
		if (p->told)
			told_text(&p->told[i], f->known, out);
	}
	text_add(out, "\n%llu accesses in %llu scripts\n", (unsigned long long)p->report->accesses,
		(unsigned long long)p->report->scripts);
}

static json_t *finding_json(const struct finding *f, const struct probe_told *t)
{
	json_t *j = json_object();

	json_add(j, "level", json_string(f->level));
	json_add(j, "item", json_string(f->item));
	json_add(j, "known", json_boolean(f->known));
	json_add(j, "value", f->known ? json_string(f->value) : json_null());
	json_add(j, "number", f->known ? json_number(f->number) : json_null());
	json_add(j, f->known ? "evidence" : "reason",
		json_string(f->known ? f->evidence : f->value));
	json_add(j, "accesses", json_whole(f->accesses));
	if (!t || !t->path)
		return j;
	json_add(j, "parameters", json_string(t->path));
	json_add(j, "configured", json_number(t->number));
	json_add(j, "same", json_boolean(t->same));
	return j;
}

static json_t *dot_json(const struct probe_dot *d)
{
	json_t *j = json_object();

	json_add(j, "level", json_string(d->level));
	json_add(j, "stride_bytes", json_whole(d->stride));
	json_add(j, "footprint_bytes", json_number(d->footprint));
	json_add(j, "missed_pct", json_number(d->missed));
	return j;
}

int probing_json(void *probing, struct text *out)
{
	const struct probing *p = probing;
	json_t *all = json_object(), *findings = json_array(), *dots = json_array();

	for (unsigned i = 0; i < p->report->n; i++)
		json_append(
			findings, finding_json(&p->report->at[i], p->told ? &p->told[i] : NULL));
	for (unsigned i = 0; i < p->report->ndots; i++)
		json_append(dots, dot_json(&p->report->dots[i]));
	json_add(all, "program", json_program());
	json_add(all, "machine", json_name(p->machine));
	json_add(all, "complete", json_boolean(!p->partial));
	json_add(all, "findings", findings);
	json_add(all, "curves", dots);
	json_add(all, "accesses", json_whole(p->report->accesses));
	json_add(all, "scripts", json_whole(p->report->scripts));
	return json_print(all, out);
}

/* ---- pictures: a chart for each level, a curve for each stride */
static unsigned levels_of(const struct probe_report *r, const char **level)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->ndots; i++)
		if (n < 8 && (!n || strcmp(level[n - 1], r->dots[i].level)))
			level[n++] = r->dots[i].level;
	return n;
}

static void draw_level(const struct probe_report *r, const char *level, struct text *out)
{
	struct chart_dot *dots = mem_alloc(r->ndots, sizeof(*dots));
	char(*names)[32] = mem_alloc(r->ndots, sizeof(*names)), title[64];
	struct chart chart = {.title = title,
		.x_axis = "footprint, KB",
		.y_axis = "missed, % of accesses",
		.dots = dots};

	snprintf(title, sizeof(title), "%s", level);
	for (unsigned i = 0; dots && names && i < r->ndots; i++) {
		if (strcmp(r->dots[i].level, level))
			continue;
		snprintf(names[chart.n], sizeof(names[0]), "stride %u", r->dots[i].stride);
		dots[chart.n] = (struct chart_dot){
			names[chart.n], r->dots[i].footprint / 1024, r->dots[i].missed};
		chart.n++;
	}
	out->failed |= !dots || !names;
	if (chart.n)
		chart_draw(&chart, out);
	mem_free(dots);
	mem_free(names);
}

void probing_svg(void *probing, struct text *out)
{
	const struct probing *p = probing;
	const char *level[8];
	unsigned n = levels_of(p->report, level);

	svg_open(CHART_WIDTH, (int)(CHART_HEIGHT * (n ? n : 1)), "Misses by footprint and stride",
		out);
	for (unsigned i = 0; i < n; i++) {
		text_add(out, "<g transform=\"translate(0,%u)\">\n", i * CHART_HEIGHT);
		draw_level(p->report, level[i], out);
		text_add(out, "</g>\n");
	}
	text_add(out, "</svg>\n");
}

/* A table's set numbers as cells, in the colours of a wheel. */
static void draw_map(const struct finding *f, struct text *out)
{
	const char *at = strchr(f->value, ':');
	unsigned i = 0;

	html_add(out, "%s, sets of consecutive units", f->level);
	text_add(out,
		"<br/><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"160\">");
	for (char *end; at && *++at; at = end - (*end == '\0'), i++) {
		unsigned long set = strtoul(at, &end, 10);

		if (end == at)
			break;
		if (i < 1024)
			text_add(out,
				"<rect x=\"%u\" y=\"%u\" width=\"9\" height=\"9\" "
				"fill=\"hsl(%lu,60%%,60%%)\"><title>%u: set %lu</title></rect>",
				i % 64 * 10, i / 64 * 10, set * 47 % 360, i, set);
	}
	text_add(out, "</svg>");
}

void probing_html(const struct probing *p, struct text *out)
{
	text_add(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>");
	html_add(out, "%s", p->machine);
	text_add(out,
		"</title><style>body{font:15px sans-serif;max-width:70rem;margin:1rem auto}"
		"td{padding:.1rem .8rem .1rem 0;vertical-align:top}.e{color:#666}</style></head><body><h1>");
	html_add(out, "%s%s, by timing alone", p->machine, p->partial ? ", in part" : "");
	text_add(out, "</h1><table>\n");
	for (unsigned i = 0; i < p->report->n; i++) {
		const struct finding *f = &p->report->at[i];

		text_add(out, "<tr><td>");
		html_add(out, "%s", f->level);
		text_add(out, "</td><td>");
		html_add(out, "%s", f->item);
		text_add(out, "</td><td><b>");
		html_add(out, "%.200s", shown(f));
		text_add(out, "</b></td><td class=\"e\">");
		html_add(out, "%s", f->known ? f->evidence : f->value);
		text_add(out, "</td></tr>\n");
	}
	text_add(out, "</table>\n");
	probing_svg((void *)(uintptr_t)p, out);
	for (unsigned i = 0; i < p->report->n; i++)
		if (p->report->at[i].known && !strncmp(p->report->at[i].value, "by table", 8)) {
			text_add(out, "<p>");
			draw_map(&p->report->at[i], out);
			text_add(out, "</p>\n");
		}
	text_add(out, "</body></html>\n");
}
