/* A profile as one page of HTML: every kernel and launch, time, traffic, advice, the source line by
 * line. */
#include "cli/traffic/traffic.h"

#include "cli/advice/advice.h"
#include "cli/html/html.h"
#include "cli/traffic/roofline.h"
#include "core/base.h"
#include "draw/html.h"
#include "draw/number.h"
#include "draw/svg.h"

#include <stdio.h>
#include <string.h>

#define ROWS 400u /* of a table, at most */
#define CURVES 8u /* channels with a curve of their own */

/* ---- cells */
static void share_cell(uint64_t part, uint64_t whole, struct text *out)
{
	if (whole)
		html_real(out, 100 * traffic_share(part, whole), 1, "%");
	else
		text_add(out, "<td></td>");
}

/* ---- from the lanes to DRAM */
static void step_row(const char *name, uint64_t in, uint64_t out_bytes, uint64_t part,
	uint64_t whole, struct text *out)
{
	html_row(out);
	html_name(out, name);
	html_whole(out, in);
	html_whole(out, out_bytes);
	share_cell(part, whole, out);
	html_row_end(out);
}

static void steps(const struct traffic *t, struct text *out)
{
	const uint64_t *n = t->sum.total.n;

	static const struct html_column columns[] = {
		{"bytes", true}, {"in", false}, {"out", false}, {"filtered or used", false}};

	text_add(out, "<h2 id=\"steps\">From the lanes to DRAM</h2>\n");
	html_table(out, "Bytes, step by step", columns, ARRAY_LEN(columns));
	step_row("requested by lanes", n[PROFILE_ASKED], 0, 0, 0, out);
	step_row("distinct, access by access", n[PROFILE_DISTINCT], 0, 0, 0, out);
	step_row("granules, after coalescing", n[PROFILE_LOADED] + n[PROFILE_ATOMIC],
		n[PROFILE_STORED] + n[PROFILE_ATOMIC], 0, 0, out);
	step_row("after the L1; load hits", n[PROFILE_SENT_READ] + n[PROFILE_SENT_ATOMIC],
		n[PROFILE_SENT_WRITE] + n[PROFILE_SENT_ATOMIC], n[PROFILE_L1_HIT],
		n[PROFILE_LOADED], out);
	step_row("after the L2; read hits", n[PROFILE_FETCHED], n[PROFILE_WRITTEN_BACK],
		n[PROFILE_L2_HIT], n[PROFILE_L2_HIT] + n[PROFILE_L2_MISSED], out);
	step_row("at DRAM; bursts in open rows", n[PROFILE_DRAM_READ], n[PROFILE_DRAM_WRITE],
		n[PROFILE_ROW_HIT],
		n[PROFILE_ROW_HIT] + n[PROFILE_ROW_MISS] + n[PROFILE_ROW_CONFLICT], out);
	step_row("dirty at the end", 0, n[PROFILE_FLUSHED], 0, 0, out);
	step_row("filled into the L1; touched", n[PROFILE_L1_FILLED], 0, n[PROFILE_L1_USED],
		n[PROFILE_L1_FILLED], out);
	step_row("filled into the L2; requested", n[PROFILE_L2_FILLED], 0, n[PROFILE_L2_USED],
		n[PROFILE_L2_FILLED], out);
	html_table_end(out);
}

static void stall_row(const struct traffic *t, const char *name, uint64_t v, struct text *out)
{
	html_row(out);
	html_name(out, name);
	html_whole(out, v);
	share_cell(v, t->scheduler_cycles, out);
	html_row_end(out);
}

static void stalls(const struct traffic *t, struct text *out)
{
	const uint64_t *n = t->sum.total.n;

	static const struct html_column columns[] = {
		{"schedulers' cycles", true}, {"cycles", false}, {"of all", false}};

	text_add(out, "<h2 id=\"stalls\">Waiting for memory</h2>\n");
	html_table(out, "Cycles that waited for memory", columns, ARRAY_LEN(columns));
	stall_row(t, "for results: in DRAM", n[PROFILE_STALL_DRAM], out);
	stall_row(t, "in the L2", n[PROFILE_STALL_L2], out);
	stall_row(t, "in the networks", n[PROFILE_STALL_NOC], out);
	if (t->sum.translates)
		stall_row(t, "in translation", n[PROFILE_STALL_TRANSLATION], out);
	stall_row(t, "in the SM", n[PROFILE_STALL_SM], out);
	stall_row(t, "not attributed to a request", t->sum.unblamed, out);
	stall_row(t, "for space in the queue to memory", t->lg_throttle, out);
	html_table_end(out);
}

/* ---- tables */
static void number_of(const struct traffic *t, enum traffic_view_id id, enum profile_count what,
	uint64_t n, struct text *out)
{
	if (traffic_applies(t, id, what))
		html_whole(out, n);
	else
		text_add(out, "<td></td>");
}

static void row(const struct traffic *t, const struct traffic_item *i, enum traffic_view_id id,
	struct text *out)
{
	const uint64_t *n = i->counts.n;

	html_row(out);
	html_name(out, traffic_name(t, id, i));
	html_whole(out, n[PROFILE_DRAM_READ]);
	html_whole(out, n[PROFILE_DRAM_WRITE]);
	html_whole(out, n[PROFILE_FLUSHED]);
	share_cell(traffic_bytes(&i->counts), traffic_bytes(&t->sum.total), out);
	number_of(t, id, PROFILE_ASKED, n[PROFILE_ASKED], out);
	number_of(t, id, PROFILE_STALL_DRAM, traffic_stalls_of(id, i), out);
	if (t->sum.has_rows)
		share_cell(n[PROFILE_ROW_HIT],
			n[PROFILE_ROW_HIT] + n[PROFILE_ROW_MISS] + n[PROFILE_ROW_CONFLICT], out);
	html_row_end(out);
}

static void table(const struct traffic *t, enum traffic_view_id id, struct text *out)
{
	const struct traffic_view *v = &t->view[id];
	const struct html_column columns[] = {{v->one, true}, {"read", false}, {"written", false},
		{"flushed", false}, {"share", false}, {"asked for", false}, {"stalls", false},
		{"row hits", false}};
	unsigned n = v->n < ROWS ? v->n : ROWS;
	char caption[64];

	snprintf(caption, sizeof(caption), "DRAM bytes %s", v->title);
	text_add(out, "<h2 id=\"by-%s\">By %s</h2>\n", v->name, v->one);
	html_table(out, caption, columns, ARRAY_LEN(columns) - !t->sum.has_rows);
	for (unsigned i = 0; i < n; i++)
		row(t, &v->item[i], id, out);
	html_table_end(out);
	if (n < v->n)
		text_add(out, "<p class=\"dim\">%u more</p>\n", v->n - n);
}

static void facts(const struct traffic *t, struct text *out)
{
	const uint64_t *n = t->sum.total.n;
	char read[32], written[32], flushed[32], cycles[32];

	text_add(out,
		"<p>%s cycles &#183; DRAM: %s bytes read, %s written, %s more at the end "
		"&#183; "
		"%.1f B/ns of %g &#183; busiest channel against the mean %.3f</p>\n",
		number_grouped(t->cycles, cycles), number_grouped(n[PROFILE_DRAM_READ], read),
		number_grouped(n[PROFILE_DRAM_WRITE], written),
		number_grouped(n[PROFILE_FLUSHED], flushed), traffic_rate(t), t->peak_bytes_per_ns,
		traffic_imbalance(t, VIEW_CHANNELS));
	text_add(out,
		"<nav><a href=\"#kernels\">kernels</a><a href=\"#advice\">advice</a>"
		"<a href=\"#roofline\">roofline</a><a href=\"#source\">source</a><a href=\"#channels-time\">channels</a>"
		"<a href=\"#heat\">SMs</a><a href=\"#flow\">flow</a><a "
		"href=\"#steps\">steps</a><a href=\"#stalls\">stalls</a>");
	for (unsigned i = 0; i < VIEWS; i++)
		if (i != VIEW_KERNELS && i != VIEW_LINES)
			text_add(out, "<a href=\"#by-%s\">%s</a>", t->view[i].name,
				t->view[i].title);
	text_add(out, "</nav>\n");
}

/* Bytes of an interval: of each channel, of many channels their sum. */
static void curves(const struct traffic *t, struct text *out)
{
	const struct profile_sum *s = &t->sum;
	unsigned n = s->channels <= CURVES ? s->channels : 1;
	struct html_column column[CURVES + 1] = {{"cycle", false}};
	char name[CURVES][24];

	for (unsigned c = 0; c < n; c++) {
		snprintf(name[c], sizeof(name[c]), n == s->channels ? "dram.%u" : "DRAM", c);
		column[c + 1] = (struct html_column){name[c], false};
	}
	html_chart(out, "DRAM bytes by interval", "B/ns", column, n + 1);
	for (unsigned i = 0; i < s->bins; i++) {
		double sum = 0;

		html_row(out);
		html_real(out, (double)(i * s->bin_cycles), 0, "");
		for (unsigned c = 0; c < s->channels; c++) {
			sum += (double)(s->bin[c][i].read + s->bin[c][i].write) /
			       ((double)s->bin_cycles * s->cycle_ps / 1000);
			if (c + 1 < s->channels && n == 1)
				continue;
			html_real(out, sum, 3, "");
			sum = 0;
		}
		html_row_end(out);
	}
	html_chart_end(out);
}

static void pictures(const struct traffic *t, struct text *out)
{
	text_add(out,
		"<h2 id=\"channels-time\">Bandwidth of each channel over time</h2>\n<p class=\"key "
		"dim\"><span><i style=\"background:var(--rd)\"></i>read</span> <span><i "
		"style=\"background:var(--wr)\"></i>written, on top</span> a strip is %.2f B/ns "
		"high, a channel&#39;s peak is %.2f</p>\n",
		traffic_strip_rate(t), t->peak_bytes_per_ns / t->sum.channels);
	traffic_svg_bandwidth(t, out);
	curves(t, out);
	text_add(out, "<h2 id=\"heat\">DRAM bytes of each SM over time</h2>\n");
	traffic_svg_sms(t, out);
	text_add(out, "<h2 id=\"flow\">Bytes between buffers and channels</h2>\n<div "
		      "class=\"wide\">");
	traffic_svg_flow(t, out);
	text_add(out, "</div>\n");
	if (t->sum.banks > 1) {
		text_add(out, "<h2 id=\"banks\">DRAM bytes of each bank</h2>\n<div "
			      "class=\"wide\">");
		traffic_svg_banks(t, out);
		text_add(out, "</div>\n");
	}
}

/* ---- the roofline: a write is the kernel's that wrote, not that in whose time it was moved */
struct roofline_counts {
	const struct traffic *t;
};

static void counted(void *ctx, const struct page_part *p, struct roofline *r)
{
	const struct traffic *t = ((struct roofline_counts *)ctx)->t;
	double ns = r->ns;
	uint32_t k = 0;

	if (p->part.what == PART_OVERLAP)
		return;
	while (k < t->sum.nkernels &&
		(p->part.what == PART_RUN ||
			strcmp(t->sum.kernel[k].program->name, p->part.kernel) != 0))
		k++;
	*r = traffic_roofline(t, k);
	r->ns = ns;
}

void traffic_html(const struct traffic *t, struct text *out)
{
	struct page_run run;
	struct roofline_counts counts = {t};

	page_run_look(&run, t->report, t->arena);
	html_open(out, t->report->target, ": profile");
	page_run_head(&run, out);
	facts(t, out);
	html_tools(out);
	page_run_times(&run, out);
	if (t->advices)
		advice_html(t->advices, out);
	page_run_parts(&run, out);
	page_roofline(&run, counted, &counts, out);
	traffic_sources_html(t, out);
	pictures(t, out);
	steps(t, out);
	stalls(t, out);
	for (unsigned i = 0; i < VIEWS; i++)
		if (i != VIEW_LINES)
			table(t, (enum traffic_view_id)i, out);
	html_close(out, true);
}
