/* A profile as one self-contained page of HTML: drawings as SVG, tables with the source, light or
 * dark as the browser is. */
#include "cli/traffic/traffic.h"

#include "cli/advice/advice.h"
#include "draw/number.h"
#include "draw/svg.h"

#include <stdio.h>

#define ROWS 400u /* of a table, at most */

static const char page_head[] =
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n";

static const char style[] =
	"<style>\n"
	":root{--bg:#fff;--fg:#1d2430;--dim:#5d6877;--line:#dfe4ea;--plot:#f3f5f8;--rd:#2f6fb7;"
	"--wr:#e08a2e;--heat:#b3261e;--node:#4a5563;--f0:#2f6fb7;--f1:#e08a2e;--f2:#3a9a5b;"
	"--f3:#b3474b;--f4:#7a5cb8;--f5:#8a6d5b;--f6:#c95fa4;--f7:#6f7680}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#14181e;--fg:#dde3ea;--dim:#93a0ae;"
	"--line:#2a313a;--plot:#1c222a;--rd:#6aa5e8;--wr:#f0a654;--heat:#ff7a6b;--node:#9aa5b1}}\n"
	"body{margin:0 auto;max-width:84rem;padding:1.5rem;background:var(--bg);color:var(--fg);"
	"font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.3rem;margin:0 0 .5rem}h2{font-size:1.1rem;margin:2.2rem 0 .4rem}\n"
	"p{margin:.3rem 0}.dim{color:var(--dim)}nav a{margin-right:1rem;color:var(--rd)}\n"
	"svg{max-width:100%;height:auto;font-family:system-ui,sans-serif}\n"
	".lb{fill:var(--fg)}.ax{stroke:var(--dim)}.bg{fill:var(--plot)}.rd{fill:var(--rd)}"
	".wr{fill:var(--wr)}.ht{fill:var(--heat)}.nd{fill:var(--node)}\n"
	".f0,.f1,.f2,.f3,.f4,.f5,.f6,.f7{fill-opacity:.5}.f0{fill:var(--f0)}.f1{fill:var(--f1)}"
	".f2{fill:var(--f2)}.f3{fill:var(--f3)}.f4{fill:var(--f4)}.f5{fill:var(--f5)}"
	".f6{fill:var(--f6)}.f7{fill:var(--f7)}\n"
	".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.15rem .7rem;text-align:right;border-bottom:1px solid var(--line);"
	"white-space:nowrap}th:first-child,td:first-child,.src{text-align:left}\n"
	"th{color:var(--dim);font-weight:600}"
	".src{font:13px/1.45 ui-monospace,Menlo,Consolas,monospace;white-space:pre}\n"
	".key i{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 1em}\n"
	"</style>\n";

/* ---- cells */
static void number_cell(uint64_t v, struct text *out)
{
	char number[32];

	text_add(out, "<td>%s</td>", v ? number_grouped(v, number) : "");
}

static void share_cell(uint64_t part, uint64_t whole, struct text *out)
{
	if (whole)
		text_add(out, "<td>%.1f%%</td>", 100 * traffic_share(part, whole));
	else
		text_add(out, "<td></td>");
}

/* ---- from the lanes to DRAM */
static void step_row(const char *name, uint64_t in, uint64_t out_bytes, uint64_t part,
	uint64_t whole, struct text *out)
{
	text_add(out, "<tr><td>%s</td>", name);
	number_cell(in, out);
	number_cell(out_bytes, out);
	share_cell(part, whole, out);
	text_add(out, "</tr>\n");
}

static void steps(const struct traffic *t, struct text *out)
{
	const uint64_t *n = t->sum.total.n;

	text_add(out, "<h2 id=\"steps\">From the lanes to DRAM</h2>\n<table><tr><th>bytes</th>"
		      "<th>in</th><th>out</th><th>filtered or used</th></tr>\n");
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
	text_add(out, "</table>\n");
}

static void stall_row(const struct traffic *t, const char *name, uint64_t v, struct text *out)
{
	text_add(out, "<tr><td>%s</td>", name);
	number_cell(v, out);
	share_cell(v, t->scheduler_cycles, out);
	text_add(out, "</tr>\n");
}

static void stalls(const struct traffic *t, struct text *out)
{
	const uint64_t *n = t->sum.total.n;

	text_add(out, "<h2 id=\"stalls\">Waiting for memory</h2>\n<table><tr><th>schedulers&#39; "
		      "cycles</th><th>cycles</th><th>of all</th></tr>\n");
	stall_row(t, "for results: in DRAM", n[PROFILE_STALL_DRAM], out);
	stall_row(t, "in the L2", n[PROFILE_STALL_L2], out);
	stall_row(t, "in the networks", n[PROFILE_STALL_NOC], out);
	if (t->sum.translates)
		stall_row(t, "in translation", n[PROFILE_STALL_TRANSLATION], out);
	stall_row(t, "in the SM", n[PROFILE_STALL_SM], out);
	stall_row(t, "not attributed to a request", t->sum.unblamed, out);
	stall_row(t, "for space in the queue to memory", t->lg_throttle, out);
	text_add(out, "</table>\n");
}

/* ---- tables */
static void source(const struct traffic_item *i, struct text *out)
{
	text_add(out, "<td class=\"src\">");
	svg_escaped(i->ptx_text ? i->ptx_text : "", out);
	text_add(out, "</td><td class=\"src\">");
	svg_escaped(i->buffer ? i->buffer : "", out);
	text_add(out, "</td><td class=\"src\">");
	if (i->cuda_line) {
		svg_escaped(i->cuda_file, out);
		text_add(out, ":%u  ", i->cuda_line);
		svg_escaped(i->cuda_text ? i->cuda_text : "", out);
	}
	text_add(out, "</td>");
}

static void number_of(const struct traffic *t, enum traffic_view_id id, enum profile_count what,
	uint64_t n, struct text *out)
{
	if (traffic_applies(t, id, what))
		number_cell(n, out);
	else
		text_add(out, "<td></td>");
}

static void row(const struct traffic *t, const struct traffic_item *i, enum traffic_view_id id,
	struct text *out)
{
	const uint64_t *n = i->counts.n;

	text_add(out, "<tr><td>");
	svg_escaped(i->name, out);
	text_add(out, "</td>");
	number_cell(n[PROFILE_DRAM_READ], out);
	number_cell(n[PROFILE_DRAM_WRITE], out);
	number_cell(n[PROFILE_FLUSHED], out);
	share_cell(traffic_bytes(&i->counts), traffic_bytes(&t->sum.total), out);
	number_of(t, id, PROFILE_ASKED, n[PROFILE_ASKED], out);
	number_of(t, id, PROFILE_STALL_DRAM, traffic_stalls_of(id, i), out);
	if (t->sum.has_rows)
		share_cell(n[PROFILE_ROW_HIT],
			n[PROFILE_ROW_HIT] + n[PROFILE_ROW_MISS] + n[PROFILE_ROW_CONFLICT], out);
	if (id == VIEW_LINES)
		source(i, out);
	text_add(out, "</tr>\n");
}

static void table(const struct traffic *t, enum traffic_view_id id, struct text *out)
{
	const struct traffic_view *v = &t->view[id];
	unsigned n = v->n < ROWS ? v->n : ROWS;

	text_add(out,
		"<h2 id=\"%s\">By %s</h2>\n<div class=\"wide\"><table><tr><th>%s</th><th>read</th>"
		"<th>written</th><th>flushed</th><th>share</th><th>asked for</th><th>stalls</th>",
		v->name, v->one, v->one);
	if (t->sum.has_rows)
		text_add(out, "<th>row hits</th>");
	if (id == VIEW_LINES)
		text_add(out, "<th class=\"src\">PTX</th><th class=\"src\">buffer</th><th "
			      "class=\"src\">CUDA</th>");
	text_add(out, "</tr>\n");
	for (unsigned i = 0; i < n; i++)
		row(t, &v->item[i], id, out);
	text_add(out, "</table></div>\n");
	if (n < v->n)
		text_add(out, "<p class=\"dim\">%u more</p>\n", v->n - n);
}

static void facts(const struct traffic *t, struct text *out)
{
	const uint64_t *n = t->sum.total.n;
	char read[32], written[32], flushed[32], cycles[32];

	text_add(out,
		"<p>%s cycles &middot; DRAM: %s bytes read, %s written, %s more at the end "
		"&middot; "
		"%.1f B/ns of %g &middot; busiest channel against the mean %.3f</p>\n",
		number_grouped(t->cycles, cycles), number_grouped(n[PROFILE_DRAM_READ], read),
		number_grouped(n[PROFILE_DRAM_WRITE], written),
		number_grouped(n[PROFILE_FLUSHED], flushed), traffic_rate(t), t->peak_bytes_per_ns,
		traffic_imbalance(t, VIEW_CHANNELS));
	if (!t->report->complete)
		text_add(out, "<p><b>The run is not complete.</b></p>\n");
	text_add(out, "<nav><a href=\"#time\">time</a><a href=\"#heat\">SMs</a><a href=\"#flow\">"
		      "flow</a><a href=\"#steps\">steps</a><a href=\"#stalls\">stalls</a>"
		      "<a href=\"#advice\">advice</a>");
	for (unsigned i = 0; i < VIEWS; i++)
		text_add(out, "<a href=\"#%s\">%s</a>", t->view[i].name, t->view[i].title);
	text_add(out, "</nav>\n");
}

static void machine(const struct traffic *t, struct text *out)
{
	struct text words = {0};

	report_machine_of(t->report, &words);
	text_add(out, "<p class=\"dim\">chip ");
	svg_escaped(t->report->chip, out);
	text_add(out, "; ");
	svg_escaped(text_str(&words), out);
	text_add(out, "</p>\n");
	out->failed |= words.failed;
	text_clear(&words);
}

void traffic_html(const struct traffic *t, struct text *out)
{
	text_raw(out, "%s<title>", page_head);
	svg_escaped(t->report->target, out);
	text_raw(out, ": DRAM traffic</title>\n%s</head><body>\n<h1>", style);
	svg_escaped(t->report->target, out);
	text_add(out, ": where DRAM traffic comes from</h1>\n");
	machine(t, out);
	facts(t, out);
	text_add(out,
		"<h2 id=\"time\">Bandwidth of each channel over time</h2>\n<p class=\"key dim\"><i "
		"style=\"background:var(--rd)\"></i>read<i style=\"background:var(--wr)\"></i>"
		"written, on top; a strip is %.2f B/ns high, a channel&#39;s peak is %.2f</p>\n",
		traffic_strip_rate(t), t->peak_bytes_per_ns / t->sum.channels);
	traffic_svg_bandwidth(t, out);
	text_add(out, "<h2 id=\"heat\">DRAM bytes of each SM over time</h2>\n");
	traffic_svg_sms(t, out);
	text_add(out, "<h2 id=\"flow\">Bytes between buffers and channels</h2>\n");
	traffic_svg_flow(t, out);
	if (t->sum.banks > 1) {
		text_add(out, "<h2 id=\"banks\">DRAM bytes of each bank</h2>\n");
		traffic_svg_banks(t, out);
	}
	steps(t, out);
	stalls(t, out);
	if (t->advices)
		advice_html(t->advices, out);
	for (unsigned i = 0; i < VIEWS; i++)
		table(t, (enum traffic_view_id)i, out);
	text_add(out, "</body></html>\n");
}
