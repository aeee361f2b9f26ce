/* What was found out of a machine, as text, JSON and pages. */
#include "cli/probe/probe.h"

#include "core/base.h"
#include "draw/html.h"
#include "runs/json.h"

#include <math.h>
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
	const char *level = "", *reason = "";

	text_add(out, "%s%s, by timing alone\n", p->machine, p->partial ? ", in part" : "");
	for (unsigned i = 0; i < p->report->n; i++) {
		const struct finding *f = &p->report->at[i];
		bool again;

		if (strcmp(level, f->level)) {
			text_add(out, "\n%s\n", f->level);
			reason = "";
		}
		level = f->level;
		again = !f->known && !strcmp(reason, f->value);
		reason = f->known ? reason : f->value;
		text_add(out, "  %-32s\t%s%s\n", f->item, shown(f), again ? ", as above" : "");
		if (!again && (!f->known || *f->evidence))
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

static json_t *stair_json(const struct probe_stair *s)
{
	json_t *j = json_object();

	json_add(j, "stride_bytes", json_whole(s->stride));
	json_add(j, "footprint_bytes", json_number(s->footprint));
	json_add(j, "cycles", json_number(s->cycles));
	return j;
}

static json_t *map_json(const struct probe_map *m)
{
	json_t *j = json_object(), *set = json_array(), *ways = json_array();

	for (uint32_t i = 0; i < m->n; i++)
		json_append(
			set, m->set_of[i] == PROBE_NO_SET ? json_null() : json_whole(m->set_of[i]));
	for (uint32_t i = 0; i < m->sets; i++)
		json_append(ways, json_whole(m->ways[i]));
	json_add(j, "level", json_string(m->level));
	json_add(j, "unit_bytes", json_whole(m->unit));
	json_add(j, "set_of_unit", set);
	json_add(j, "ways_of_set", ways);
	return j;
}

int probing_json(void *probing, struct text *out)
{
	const struct probing *p = probing;
	json_t *all = json_object(), *findings = json_array(), *dots = json_array();
	json_t *stairs = json_array(), *maps = json_array();

	for (unsigned i = 0; i < p->report->n; i++)
		json_append(
			findings, finding_json(&p->report->at[i], p->told ? &p->told[i] : NULL));
	for (unsigned i = 0; i < p->report->ndots; i++)
		json_append(dots, dot_json(&p->report->dots[i]));
	for (unsigned i = 0; i < p->report->nstairs; i++)
		json_append(stairs, stair_json(&p->report->stairs[i]));
	for (unsigned i = 0; i < p->report->nmaps; i++)
		json_append(maps, map_json(&p->report->maps[i]));
	json_add(all, "program", json_program());
	json_add(all, "machine", json_name(p->machine));
	json_add(all, "complete", json_boolean(!p->partial));
	json_add(all, "findings", findings);
	json_add(all, "curves", dots);
	json_add(all, "latencies", stairs);
	json_add(all, "maps", maps);
	json_add(all, "accesses", json_whole(p->report->accesses));
	json_add(all, "scripts", json_whole(p->report->scripts));
	return json_print(all, out);
}

static void told_cells(const struct probe_told *t, bool known, struct text *out)
{
	html_real(out, t->path ? t->number : NAN, 0, "");
	html_words(out, t->path);
	html_words(out, !t->path || !known ? "" : t->same ? "yes" : "NO");
}

void probing_html(const struct probing *p, struct text *out)
{
	static const struct html_column columns[] = {{"level", true}, {"of", true}, {"found", true},
		{"evidence", true}, {"configured", false}, {"parameters", true}, {"same", true}};

	html_open(out, p->machine, p->partial ? ", in part, by timing alone" : ", by timing alone");
	html_tools(out);
	html_table(out, "What was found", columns, ARRAY_LEN(columns) - (p->told ? 0 : 3));
	for (unsigned i = 0; i < p->report->n; i++) {
		const struct finding *f = &p->report->at[i];

		html_row(out);
		html_name(out, f->level);
		html_words(out, f->item);
		html_long(out, shown(f));
		html_long(out, f->known ? f->evidence : f->value);
		if (p->told)
			told_cells(&p->told[i], f->known, out);
		html_row_end(out);
	}
	html_table_end(out);
	text_add(out, "<figure class=\"picture wide\">\n");
	probing_svg((void *)(uintptr_t)p, out);
	text_add(out, "</figure>\n");
	html_close(out, false);
}
