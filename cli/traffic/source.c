/* The source of every kernel on the page of `profile`: each PTX and each CUDA line with what it did
 * and what waited for it, and the allocated code; each leads to the others. */
#include "cli/traffic/traffic.h"

#include "core/base.h"
#include "draw/html.h"
#include "draw/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOT 0.1          /* of the kernel's cycles that were waited for */
#define CODE_MOST 500u   /* instructions of allocated code on a page */
#define LINES_MOST 3000u /* of a page */
#define COLUMNS_MOST 64u
#define GRANULES_BYTES 32.0

/* One kernel, as it was compiled. */
struct view {
	const struct traffic *t;
	unsigned kernel; /* of the profile */
	const struct traffic_item **ptx;
	struct traffic_item *cuda; /* the same by CUDA line */
	unsigned nptx, ncuda;
	struct traffic_item all;
	bool caused[REASON_COUNT], stalled[REASON_COUNT]; /* any line has cycles */
};

static const char *const reasons[] = {
#define NAME(S, T, id, name, text) #name,
	SM_REASONS(NAME, 0, 0)};

static bool is_stall(unsigned r)
{
	return r != REASON_SELECTED && r != REASON_IDLE;
}

static void add(struct traffic_item *to, const struct traffic_item *from)
{
	for (unsigned i = 0; i < PROFILE_COUNT; i++)
		to->counts.n[i] += from->counts.n[i];
	stall_row_add(&to->stalls, &from->stalls);
	to->spill |= from->spill;
}

/* ---- the lines of a kernel */
static int by_line(const void *a, const void *b)
{
	const struct traffic_item *const *x = a, *const *y = b;

	if ((*x)->ptx_line != (*y)->ptx_line)
		return (*x)->ptx_line < (*y)->ptx_line ? -1 : 1;
	return (*x)->order < (*y)->order ? -1 : 1;
}

static int by_cuda_line(const void *a, const void *b)
{
	const struct traffic_item *x = a, *y = b;
	int file = strcmp(x->cuda_file ? x->cuda_file : "", y->cuda_file ? y->cuda_file : "");

	if (file)
		return file;
	return x->cuda_line < y->cuda_line ? -1 : x->cuda_line > y->cuda_line;
}

static bool is_of_line(const struct traffic_item *cuda, const struct traffic_item *i)
{
	if (cuda->cuda_line != i->cuda_line)
		return false;
	return !i->cuda_line || !strcmp(cuda->cuda_file, i->cuda_file);
}

static void add_cuda(struct view *v, const struct traffic_item *i)
{
	unsigned k = 0;

	while (k < v->ncuda && !is_of_line(&v->cuda[k], i))
		k++;
	if (k == v->ncuda)
		v->cuda[v->ncuda++] = (struct traffic_item){.cuda_file = i->cuda_file,
			.cuda_text = i->cuda_text,
			.cuda_line = i->cuda_line};
	add(&v->cuda[k], i);
}

static void look(struct view *v)
{
	const struct traffic_view *lines = &v->t->view[VIEW_LINES];

	v->ptx = arena_alloc(v->t->arena, lines->n + 1, sizeof(const struct traffic_item *));
	v->cuda = arena_alloc(v->t->arena, lines->n + 1, sizeof(*v->cuda));
	for (unsigned i = 0; i < lines->n; i++)
		if (lines->item[i].compiled == v->kernel)
			v->ptx[v->nptx++] = &lines->item[i];
	qsort(v->ptx, v->nptx, sizeof(const struct traffic_item *), by_line);
	for (unsigned i = 0; i < v->nptx; i++) {
		add(&v->all, v->ptx[i]);
		add_cuda(v, v->ptx[i]);
	}
	qsort(v->cuda, v->ncuda, sizeof(*v->cuda), by_cuda_line);
	for (unsigned r = 0; r < REASON_COUNT; r++) {
		v->caused[r] = is_stall(r) && v->all.stalls.caused[r];
		v->stalled[r] = is_stall(r) && v->all.stalls.stalled[r];
	}
}

/* ---- columns */
static void head(const struct view *v, const char *caption, bool ptx, struct text *out)
{
	static const struct html_column first[] = {{"executed", false}, {"threads", false},
		{"waited for", false}, {"share", false}, {"waited", false}};
	static const struct html_column last[] = {{"shared conflicts", false},
		{"register conflicts", false}, {"bytes asked", false}, {"sectors moved", false},
		{"coalescing", false}, {"L1 bytes", false}, {"L2 bytes", false},
		{"DRAM bytes", false}, {"row hits", false}};
	struct html_column column[COLUMNS_MOST];
	char(*names)[40] = arena_alloc(v->t->arena, 2 * REASON_COUNT, sizeof(*names));
	unsigned n = 0;

	column[n++] = (struct html_column){ptx ? "PTX line" : "CUDA line", true};
	column[n++] = (struct html_column){"source", true};
	column[n++] = (struct html_column){ptx ? "CUDA" : "PTX", true};
	for (unsigned i = 0; i < ARRAY_LEN(first); i++)
		column[n++] = first[i];
	for (unsigned k = 0; k < 2 * REASON_COUNT; k++) {
		bool caused = k < REASON_COUNT;
		unsigned r = k % REASON_COUNT;

		if (!(caused ? v->caused : v->stalled)[r])
			continue;
		snprintf(names[k], sizeof(*names), "%s: %s", caused ? "waited for" : "waited",
			reasons[r]);
		column[n++] = (struct html_column){names[k], false};
	}
	for (unsigned i = 0; i + !v->t->sum.has_rows < ARRAY_LEN(last); i++)
		column[n++] = last[i];
	html_table(out, caption, column, n);
}

static void memory_cells(const struct view *v, const struct traffic_item *i, struct text *out)
{
	const uint64_t *n = i->counts.n;
	uint64_t moved = n[PROFILE_LOADED] + n[PROFILE_STORED] + n[PROFILE_ATOMIC];
	uint64_t rows = n[PROFILE_ROW_HIT] + n[PROFILE_ROW_MISS] + n[PROFILE_ROW_CONFLICT];

	html_whole(out, i->stalls.event[STALL_CONFLICTS]);
	html_whole(out, i->stalls.event[STALL_REGISTERS]);
	html_whole(out, n[PROFILE_ASKED]);
	html_whole(out, (uint64_t)ceil((double)moved / GRANULES_BYTES));
	html_real(out, moved ? 100 * (double)n[PROFILE_DISTINCT] / (double)moved : NAN, 1, " %");
	html_whole(out, moved);
	html_whole(out, n[PROFILE_TAKEN_READ] + n[PROFILE_TAKEN_WRITE] + n[PROFILE_TAKEN_ATOMIC]);
	html_whole(out, traffic_bytes(&i->counts));
	if (v->t->sum.has_rows)
		html_real(
			out, rows ? 100 * (double)n[PROFILE_ROW_HIT] / (double)rows : NAN, 1, " %");
}

static void cells(const struct view *v, const struct traffic_item *i, struct text *out)
{
	const struct stall_row *s = &i->stalls;
	uint64_t executed = s->event[STALL_EXECUTED], all = traffic_caused(&v->all.stalls);

	html_whole(out, executed);
	html_real(out, executed ? (double)s->event[STALL_THREADS] / (double)executed : NAN, 1, "");
	html_whole(out, traffic_caused(s));
	html_real(out, all ? 100 * (double)traffic_caused(s) / (double)all : NAN, 1, " %");
	html_whole(out, traffic_stalled(s));
	for (unsigned r = 0; r < REASON_COUNT; r++)
		if (v->caused[r])
			html_whole(out, s->caused[r]);
	for (unsigned r = 0; r < REASON_COUNT; r++)
		if (v->stalled[r])
			html_whole(out, s->stalled[r]);
	memory_cells(v, i, out);
	html_row_end(out);
}

static void row_open(const struct view *v, const struct traffic_item *i, struct text *out)
{
	double all = (double)traffic_caused(&v->all.stalls);

	text_add(out, "<tr%s",
		(double)traffic_caused(&i->stalls) > HOT * all ? " class=\"hot\"" : "");
}

static void words_cell(const char *words, const char *otherwise, struct text *out)
{
	text_add(out, "<td class=\"src\">");
	svg_escaped(words ? words : otherwise, out);
	text_add(out, "</td>");
}

static void sum_row(const struct view *v, struct text *out)
{
	text_add(out, "</tbody><tfoot><tr><th scope=\"row\">sum</th><td></td><td></td>");
	cells(v, &v->all, out);
	text_add(out, "</tfoot></table></div>\n");
}

/* ---- links */
static unsigned cuda_row(const struct view *v, const struct traffic_item *i)
{
	unsigned k = 0;

	while (k < v->ncuda && !is_of_line(&v->cuda[k], i))
		k++;
	return k;
}

static unsigned ptx_row(const struct view *v, const struct traffic_item *cuda)
{
	unsigned k = 0;

	while (k < v->nptx && !is_of_line(cuda, v->ptx[k]))
		k++;
	return k;
}

/* The row of the instruction's PTX line; nptx: it has none. */
static unsigned ptx_row_of(const struct view *v, const struct src_line *l)
{
	unsigned k = 0;

	while (k < v->nptx && (v->ptx[k]->ptx_line != l->ptx_line || v->ptx[k]->spill != l->spill))
		k++;
	return k;
}

/* ---- tables */
static void ptx_table(const struct view *v, const uint32_t *first, struct text *out)
{
	head(v, "PTX lines", true, out);
	for (unsigned k = 0; k < v->nptx; k++) {
		const struct traffic_item *i = v->ptx[k];

		row_open(v, i, out);
		text_add(out, " id=\"k%up%u\"><th scope=\"row\" data-v=\"%u\">", v->kernel, k,
			i->ptx_line);
		if (first[k] != UINT32_MAX)
			text_add(out, "<a href=\"#k%ui%" PRIu32 "\">%u%s</a></th>", v->kernel,
				first[k], i->ptx_line, i->spill ? " spill" : "");
		else
			text_add(out, "%u%s</th>", i->ptx_line, i->spill ? " spill" : "");
		words_cell(i->ptx_text, "", out);
		text_add(out, "<td class=\"w\">");
		if (i->cuda_line) {
			text_add(out, "<a href=\"#k%uc%u\">", v->kernel, cuda_row(v, i));
			html_add(out, "%s:%u", i->cuda_file, i->cuda_line);
			text_add(out, "</a>");
		}
		text_add(out, "</td>");
		cells(v, i, out);
	}
	sum_row(v, out);
}

static void cuda_table(const struct view *v, struct text *out)
{
	head(v, "CUDA lines", false, out);
	for (unsigned k = 0; k < v->ncuda; k++) {
		const struct traffic_item *i = &v->cuda[k];
		unsigned row = ptx_row(v, i);

		row_open(v, i, out);
		text_add(out, " id=\"k%uc%u\"><th scope=\"row\">", v->kernel, k);
		if (i->cuda_line)
			html_add(out, "%s:%u", i->cuda_file, i->cuda_line);
		else
			text_add(out, "(without .loc)");
		text_add(out, "</th>");
		words_cell(i->cuda_text, "", out);
		text_add(out, "<td><a href=\"#k%up%u\">%u</a></td>", v->kernel, row,
			v->ptx[row]->ptx_line);
		cells(v, i, out);
	}
	sum_row(v, out);
}

static void code(const struct view *v, struct text *out)
{
	const struct program *p = v->t->sum.kernel[v->kernel].program;
	struct explained e;

	explain_look(&e, p, p, v->t->arena);
	text_add(out, "<details><summary>Allocated code</summary>\n<div class=\"wide\"><table "
		      "class=\"code\"><caption>Allocated code: registers as the machine has "
		      "them</caption><thead><tr><th scope=\"col\"></th><th scope=\"col\" "
		      "class=\"w\">code</th><th scope=\"col\">PTX</th><th "
		      "scope=\"col\">executed</th></tr></thead><tbody>\n");
	for (uint32_t i = 0; i < p->ninstr; i++) {
		const struct src_line *l = &p->lines[p->code[i].line];
		uint32_t site = v->t->sum.kernel[v->kernel].first_site + i;
		unsigned row = ptx_row_of(v, l);

		text_add(out, "<tr id=\"k%ui%" PRIu32 "\"><td>%" PRIu32 "</td><td class=\"src\">",
			v->kernel, i, i);
		explain_instr_html(&e, i, out);
		text_add(out, "</td><td>");
		if (row < v->nptx)
			text_add(out, "<a href=\"#k%up%u\">%u</a>", v->kernel, row, l->ptx_line);
		text_add(out, "</td>");
		html_whole(out, v->t->sum.stall_site[site].event[STALL_EXECUTED]);
		html_row_end(out);
	}
	text_add(out, "</tbody></table></div></details>\n");
}

/* ---- what is said of sources */
static void notices(const struct view *v, struct text *out)
{
	const struct program *p = v->t->sum.kernel[v->kernel].program;
	const struct explain_source *s =
		explain_sources(p->module, p->file, v->t->files, v->t->arena);
	bool located = false;

	for (unsigned i = 0; i < v->nptx; i++)
		located |= v->ptx[i]->cuda_line != 0;
	if (!located) {
		text_add(out, "<p class=\"dim\">The PTX has no .loc: compile with -lineinfo for "
			      "CUDA lines.</p>\n");
		return;
	}
	for (uint32_t f = 0; (f = explain_missing(s, p, f)) < p->module->ncuda_files; f++) {
		text_add(out, "<p class=\"notice\">");
		html_add(out, "%s %s.", report_path(v->t->report, s[f].name), s[f].why);
		text_add(out, "</p>\n");
	}
}

void traffic_missing_text(const struct traffic *t, struct text *out)
{
	const struct module *before = NULL;
	bool *told = NULL;

	for (uint32_t k = 0; k < t->sum.nkernels; k++) {
		const struct program *p = t->sum.kernel[k].program;
		const struct explain_source *s =
			explain_sources(p->module, p->file, t->files, t->arena);
		uint32_t n = p->module->ncuda_files;

		if (p->module != before)
			told = arena_alloc(t->arena, n + 1, sizeof(*told));
		before = p->module;
		for (uint32_t f = 0; (f = explain_missing(s, p, f)) < n; f++) {
			if (!told[f])
				text_add(out, "\nsource: %s %s\n",
					report_path(t->report, s[f].name), s[f].why);
			told[f] = true;
		}
	}
}

/* The first instruction of each row; UINT32_MAX: the code is not on the page. */
static const uint32_t *first_of(const struct view *v, bool shown)
{
	const struct program *p = v->t->sum.kernel[v->kernel].program;
	uint32_t *first = arena_alloc(v->t->arena, v->nptx + 1, sizeof(*first));

	for (unsigned k = 0; k < v->nptx; k++)
		first[k] = UINT32_MAX;
	for (uint32_t i = p->ninstr; shown && i-- > 0;) {
		unsigned row = ptx_row_of(v, &p->lines[p->code[i].line]);

		if (row < v->nptx)
			first[row] = i;
	}
	return first;
}

void traffic_sources_html(const struct traffic *t, struct text *out)
{
	unsigned instructions = 0, lines = 0;

	text_add(out, "<h2 id=\"source\">Source, line by line</h2>\n<p class=\"dim\">waited for: "
		      "schedulers&#39; cycles in which other instructions, or the line&#39;s own, "
		      "waited for it; waited: in which it was next. Lines with a tenth of the "
		      "kernel&#39;s cycles are marked.</p>\n");
	for (uint32_t k = 0; k < t->sum.nkernels; k++) {
		const struct program *p = t->sum.kernel[k].program;
		struct view v = {.t = t, .kernel = k};
		bool shown;

		look(&v);
		if (!v.nptx)
			continue;
		text_add(out, "<h3>");
		html_add(out, "kernel %s, %s", kernels_name(&t->kernels, p->name),
			report_path(t->report, p->file));
		text_add(out, "</h3>\n");
		if ((lines += v.nptx) > LINES_MOST) {
			text_add(out,
				"<p class=\"dim\">Its %u lines are in --csv: the page would be "
				"too large.</p>\n",
				v.nptx);
			continue;
		}
		shown = (instructions += p->ninstr) <= CODE_MOST;
		notices(&v, out);
		cuda_table(&v, out);
		ptx_table(&v, first_of(&v, shown), out);
		if (shown)
			code(&v, out);
		else
			text_add(out, "<p class=\"dim\">The allocated code is in "
				      "<code>explain --html</code>.</p>\n");
	}
}
