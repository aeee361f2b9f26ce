/* A machine's data sheet as text, and what two differ in. */
#include "cli/chip.h"

#include "cli/page.h"
#include "runs/report.h"

#include <math.h>
#include <string.h>

/* Sections by what paths begin with; the last takes the others. */
static const struct section {
	const char *title, *prefix;
} sections[] = {
	{"the chip", "chip."},
	{"an SM", "sm."},
	{"its pipes", "pipe."},
	{"its allocation, as CUDA counts", "occupancy."},
	{"its storage", "storage."},
	{"its L1", "l1."},
	{"its constant cache", "const."},
	{"its instruction cache", "icache."},
	{"its texture cache", "tex."},
	{"its register hierarchy", "rf."},
	{"networks", "noc."},
	{"L2, a slice", "l2."},
	{"DRAM", "dram."},
	{"others", ""},
};

static unsigned section_of(const char *path)
{
	unsigned i = 0;

	while (strncmp(path, sections[i].prefix, strlen(sections[i].prefix)))
		i++;
	return i;
}

static void head(const struct sheet *s, struct text *out)
{
	struct text title = {0}, lines = {0};

	description_title(s->machine, &title);
	text_add(&lines, "%s: %s\n", s->name, text_str(&title));
	if (s->machine->about)
		text_add(&lines, "%s\n", s->machine->about);
	text_add(&lines, "validated against: %s\n", description_validated(s->machine));
	page_wrapped(&lines, out);
	out->failed |= title.failed;
	text_clear(&lines);
	text_clear(&title);
}

char *sheet_amount(double v, char *out)
{
	char digits[32], *at = out;
	size_t n;

	if (!(fabs(v) < 1e15)) {
		strcpy(out, "-");
		return out;
	}
	snprintf(digits, sizeof(digits), v < 100 && v != floor(v) ? "%.2f" : "%.0f", v);
	n = strcspn(digits, ".");
	for (size_t i = 0; digits[i]; i++) {
		if (i && i < n && (n - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = '\0';
	return out;
}

static void figures(const struct sheet *s, struct text *out)
{
	char number[48];

	text_add(out, "\nderived\n");
	for (unsigned i = 0; i < s->nfigures; i++) {
		const struct sheet_figure *f = &s->figures[i];

		if (!isnan(f->value))
			text_add(out, "  %-34s\t%14s\t%-16s\t%s\n", f->label,
				sheet_amount(f->value, number), f->unit, f->how);
	}
}

static void row_line(const struct sheet_row *r, struct text *out)
{
	struct text value = {0}, source = {0};

	text_add(&value, "%s%s%s", *r->value ? r->value : "-", *r->unit ? " " : "", r->unit);
	if (r->described && r->described->source)
		text_add(&source, "%s%s%s", r->described->source, *r->described->words ? ": " : "",
			r->described->words);
	else
		text_add(&source,
			report_derived(r->origin) ? "follows from %s"
						  : "set in %s, without a source",
			r->origin);
	text_add(out, "  %-34s\t%-28s\t%s\n", r->path, text_str(&value), text_str(&source));
	out->failed |= value.failed | source.failed;
	text_clear(&value);
	text_clear(&source);
}

/* Described, or set otherwise. */
static bool is_shown(const struct sheet_row *r)
{
	return r->described || r->origin;
}

static void section_lines(const struct sheet *s, unsigned section, struct text *out)
{
	bool any = false;

	for (unsigned i = 0; i < s->nrows; i++) {
		const struct sheet_row *r = &s->rows[i];

		if (!is_shown(r) || section_of(r->path) != section)
			continue;
		if (!any)
			text_add(out, "\n%s\n", sections[section].title);
		any = true;
		row_line(r, out);
	}
}

static void sources(const struct sheet *s, struct text *out)
{
	text_add(out, "\nsources\n");
	for (const struct description *d = s->machine; d; d = d->base)
		for (unsigned i = 0; i < d->nsources; i++)
			text_add(out, "  %s (%s): %s\n", d->sources[i].key, d->file,
				d->sources[i].citation);
}

static void tell_rest(const struct sheet *s, struct text *out)
{
	unsigned shown = 0, assumed = 0;

	for (unsigned i = 0; i < s->nrows; i++) {
		const struct described_value *v = s->rows[i].described;

		shown += is_shown(&s->rows[i]);
		assumed += v && v->source && !strcmp(v->source, DESCRIPTION_ASSUMED);
	}
	text_add(out,
		"\n%u parameter%s described, of which %u assumed; %u more have warpbeam's defaults, "
		"which are assumed, too (warpbeam params --chip %s)\n",
		shown, text_s(shown), assumed, s->nrows - shown, s->name);
}

void sheet_text(const struct sheet *s, struct text *out)
{
	head(s, out);
	figures(s, out);
	for (unsigned i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		section_lines(s, i, out);
	sources(s, out);
	tell_rest(s, out);
}

/* ---- two machines */
static void differing_figures(const struct sheet *a, const struct sheet *b, struct text *out)
{
	char x[48], y[48];

	for (unsigned i = 0; i < a->nfigures; i++) {
		const struct sheet_figure *f = &a->figures[i];
		double other = sheet_figure(b, f->name);

		if (f->value == other || (isnan(f->value) && isnan(other)))
			continue;
		text_add(out, "%-36s\t%20s\t%20s \t%s\n", f->label, sheet_amount(f->value, x),
			sheet_amount(other, y), f->unit);
	}
}

static void diff_line(
	const char *path, const struct sheet_row *a, const struct sheet_row *b, struct text *out)
{
	const struct sheet_row *any = a ? a : b;

	if (a && b && !strcmp(a->value, b->value))
		return;
	text_add(out, "%-36s\t%20s\t%20s \t%s\n", path, a ? a->value : "-", b ? b->value : "-",
		any->unit);
}

void sheet_diff_text(const struct sheet *a, const struct sheet *b, struct text *out)
{
	unsigned i = 0, k = 0;

	text_add(out, "\v%-36s\t%20s\t%20s\n", "", a->name, b->name);
	differing_figures(a, b, out);
	while (i < a->nrows || k < b->nrows) {
		int order = i == a->nrows   ? 1
			    : k == b->nrows ? -1
					    : strcmp(a->rows[i].path, b->rows[k].path);
		const struct sheet_row *x = order <= 0 ? &a->rows[i++] : NULL;
		const struct sheet_row *y = order >= 0 ? &b->rows[k++] : NULL;

		diff_line(x ? x->path : y->path, x, y, out);
	}
}
