/* The parts of a run on its page: lists of kernels and launches, and each one's sections. */
#include "cli/html/html.h"

#include "core/base.h"
#include "draw/html.h"
#include "draw/svg.h"

#include <stdio.h>
#include <string.h>

#define KERNELS_MOST 48u
/* With sections of their own: a page of some kernels and launches stays below 1 MB. */
#define LAUNCHES_MOST 22u
#define LAUNCHES_LEAST 4u
#define KERNEL_IS 2u /* launches: it has its source, too */
#define ROWS_MOST 1024u

/* ---- which parts */
static const char *name_of(struct arena *arena, const char *format, const char *kernel, unsigned n)
{
	size_t room = strlen(kernel) + 64;
	char *name = arena_alloc(arena, room, 1);

	snprintf(name, room, format, kernel, n);
	return name;
}

static void add(struct page_run *p, struct page_part part)
{
	p->part[p->parts++] = part;
}

static void add_kernels(struct page_run *p)
{
	for (unsigned i = 0; i < p->kernels.n && i < KERNELS_MOST; i++) {
		const struct kernel_sum *k = &p->kernels.at[i];
		struct run_part part = {
			.what = PART_KERNEL, .kernel = k->first.kernel, .file = k->first.file};

		if (run_part_exists(p->report->gpu, &part))
			add(p, (struct page_part){part, name_of(p->arena, "kernel %s", k->name, 0),
				       k->number});
	}
	if (run_part_exists(p->report->gpu, &(struct run_part){.what = PART_OVERLAP}))
		add(p, (struct page_part){{.what = PART_OVERLAP},
			       "launches of several kernels that overlap", PAGE_NO_LAUNCH});
}

static bool is_own(const struct gpu *g, unsigned epoch, struct epoch_report *e)
{
	chip_epoch(g, epoch, e);
	return !e->common;
}

/* Whether it is among the longest. */
static bool is_long(const struct page_run *p, unsigned epoch, const struct epoch_report *own)
{
	const struct gpu *g = p->report->gpu;
	unsigned longer = 0;

	for (unsigned i = 0; i < chip_epochs(g) && longer < p->longest; i++) {
		struct epoch_report e;

		longer += i != epoch && is_own(g, i, &e) &&
			  (e.cycles > own->cycles || (e.cycles == own->cycles && i < epoch));
	}
	return longer < p->longest;
}

static void add_launches(struct page_run *p)
{
	const struct gpu *g = p->report->gpu;

	for (unsigned i = 0; i < chip_epochs(g) && chip_launches(g) > 1; i++) {
		struct epoch_report e;

		if (!is_own(g, i, &e))
			continue;
		if (!is_long(p, i, &e)) {
			p->left++;
			continue;
		}
		add(p, (struct page_part){{.what = PART_EPOCH, .epoch = i},
			       e.launches == 1
				       ? name_of(p->arena, "launch %2$u, kernel %1$s",
						 kernels_name(&p->kernels, e.kernel), e.first)
				       : name_of(p->arena, "launches from %2$u on%1$s", "",
						 e.first),
			       e.launches == 1 ? e.first : PAGE_NO_LAUNCH});
	}
}

void page_run_look(struct page_run *p, const struct report *r, struct arena *arena)
{
	*p = (struct page_run){.report = r, .arena = arena, .sheet = {.arena = arena}};
	kernels_of(r->gpu, arena, &p->kernels);
	sheet_read(&p->sheet, r->config);
	p->longest = (unsigned)max_u64(
		LAUNCHES_LEAST, LAUNCHES_MOST - min_u64(KERNEL_IS * p->kernels.n, LAUNCHES_MOST));
	p->part = arena_alloc(arena, KERNELS_MOST + LAUNCHES_MOST + 2, sizeof(*p->part));
	add(p, (struct page_part){{.what = PART_RUN}, "all launches together",
		       p->kernels.n == 1 ? p->kernels.at[0].number : PAGE_NO_LAUNCH});
	if (p->kernels.n > 1)
		add_kernels(p);
	add_launches(p);
}

/* ---- lists */
static const struct html_column list_columns[] = {{"name", true}, {"launches", false},
	{"grid", true}, {"block", true}, {"registers", false}, {"shared", false},
	{"CTAs on an SM", false}, {"cycles", false}, {"IPC", false}, {"occupancy", false},
	{"L1 hits", false}, {"L2 hits", false}, {"conflicts", false}, {"DRAM", false},
	{"energy", false}, {"stalled most by", true}};

static const char *dims(const uint32_t d[3], bool same, char out[48])
{
	snprintf(out, 48, same ? "%u,%u,%u" : "various", d[0], d[1], d[2]);
	return out;
}

static void metric_cells(const struct metric_set *s, struct text *out)
{
	char stall[KERNELS_STALL];

	html_whole(out, (uint64_t)metric_value(s, "gpc__cycles_elapsed.max"));
	html_real(out, metric_value(s, "sm__inst_executed.avg.per_cycle_elapsed"), 2, "");
	html_real(
		out, metric_value(s, "sm__warps_active.avg.pct_of_peak_sustained_active"), 1, " %");
	html_real(out, metric_value(s, "l1tex__t_line_load_hit_rate.pct"), 1, " %");
	html_real(out, metric_value(s, "lts__t_sector_op_read_hit_rate.pct"), 1, " %");
	html_whole(out, (uint64_t)metric_value(s, "l1tex__data_bank_conflicts_pipe_lsu.sum"));
	html_bytes(out, metric_value(s, "dram__bytes.sum"));
	html_energy(out, metric_value(s, "energy__total.sum"));
	html_words(out, kernels_stall(s, stall));
}

static void shape_cells(const struct kernel_sum *k, struct text *out)
{
	char words[48];

	html_whole(out, k->launches);
	html_words(out, dims(k->first.grid, k->same_grid, words));
	html_words(out, dims(k->first.block, k->same_block, words));
	html_whole(out, k->first.regs);
	html_bytes(out, k->first.shared_bytes);
	html_whole(out, k->first.ctas_per_sm);
}

static void unfinished(const struct kernel_sum *k, struct text *out)
{
	if (k->complete)
		return;
	text_add(out, "<p class=\"notice\">");
	html_add(out, "%s: %s: %llu of %llu CTAs done.", k->name,
		k->started ? "unfinished" : "not started", (unsigned long long)k->finished,
		(unsigned long long)k->timed);
	text_add(out, "</p>\n");
}

static void kernel_list(const struct page_run *p, struct text *out)
{
	html_table(out, "Kernels", list_columns, ARRAY_LEN(list_columns));
	for (unsigned i = 0; i < p->kernels.n && i < ROWS_MOST; i++) {
		const struct kernel_sum *k = &p->kernels.at[i];
		struct run_part part = {
			.what = PART_KERNEL, .kernel = k->first.kernel, .file = k->first.file};
		struct metric_set s = {.arena = p->arena};

		if (p->kernels.n == 1)
			part = (struct run_part){0};
		run_part_metrics(p->report->gpu, &part, &s);
		html_row(out);
		html_name(out, k->name);
		shape_cells(k, out);
		metric_cells(&s, out);
		html_row_end(out);
	}
	html_table_end(out);
	for (unsigned i = 0; i < p->kernels.n && i < ROWS_MOST; i++)
		unfinished(&p->kernels.at[i], out);
}

static void launch_row(
	const struct page_run *p, const struct epoch_report *e, unsigned epoch, struct text *out)
{
	struct run_part part = {.what = PART_EPOCH, .epoch = epoch};
	struct metric_set s = {.arena = p->arena};
	struct kernel_sum one = {.launches = e->launches,
		.same_grid = e->launches == 1,
		.same_block = e->launches == 1};
	char name[24];

	chip_launch_report(p->report->gpu, e->first, &one.first);
	run_part_metrics(p->report->gpu, &part, &s);
	snprintf(name, sizeof(name), "%u ", e->first);
	text_add(out, "<tr><th scope=\"row\" data-v=\"%u\">%s", e->first, name);
	svg_escaped(e->kernel ? kernels_name(&p->kernels, e->kernel) : "and others, which overlap",
		out);
	text_add(out, "</th>");
	shape_cells(&one, out);
	metric_cells(&s, out);
	html_row_end(out);
}

static void launch_list(const struct page_run *p, struct text *out)
{
	unsigned rows = 0;

	html_table(out, "Launches", list_columns, ARRAY_LEN(list_columns));
	for (unsigned i = 0; i < chip_epochs(p->report->gpu) && rows < ROWS_MOST / 2; i++) {
		struct epoch_report e;

		if (!is_own(p->report->gpu, i, &e))
			continue;
		launch_row(p, &e, i, out);
		rows++;
	}
	html_table_end(out);
	if (p->left)
		text_add(out,
			"<p class=\"dim\">The %u launches that took longest have sections below; "
			"%u more are in <code>--json</code>.</p>\n",
			p->longest, p->left);
}

/* ---- sections */
static void section(const struct page_run *p, unsigned i, struct text *out)
{
	const struct page_part *part = &p->part[i];
	struct metric_set s = {.arena = p->arena};

	run_part_metrics(p->report->gpu, &part->part, &s);
	text_add(out, "<section class=\"part\" id=\"part-%u\" data-name=\"", i);
	svg_escaped(part->name, out);
	text_add(out, "\">\n<h2>");
	svg_escaped(part->name, out);
	text_add(out, "</h2>\n");
	page_light(p, &s, out);
	page_memory(&s, out);
	page_occupancy(p, part, out);
	page_stalls(&s, out);
	page_figures(p, &s, out);
	text_add(out, "</section>\n");
}

void page_run_parts(const struct page_run *p, struct text *out)
{
	text_add(out, "<h2 id=\"kernels\">Kernels and launches</h2>\n");
	kernel_list(p, out);
	if (chip_launches(p->report->gpu) > 1)
		launch_list(p, out);
	for (unsigned i = 0; i < p->parts; i++)
		section(p, i, out);
}
