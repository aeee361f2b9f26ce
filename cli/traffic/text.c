/* A profile as text: the bytes left at each step from the lanes on, then their causes. */
#include "cli/traffic/roofline.h"

#include "cli/advice/advice.h"
#include "draw/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_WIDTH 26
#define TIME_ROWS 16u

static const char *grouped(uint64_t v, char out[32])
{
	return number_grouped(v, out);
}

static const char *bytes(uint64_t v, char out[32])
{
	return number_bytes((double)v, out);
}

static const char *percent(double share, char out[32])
{
	if (share < 0)
		return "-";
	snprintf(out, 32, "%.1f%%", 100 * share);
	return out;
}

/* ---- from lanes to DRAM */
static void step(
	struct text *out, const char *name, uint64_t reads, uint64_t writes, const char *note)
{
	char a[32], b[32];

	text_add(out, "  %-38s\t%15s\t%15s \t%s\n", name, bytes(reads, a),
		writes == UINT64_MAX ? "" : bytes(writes, b), note);
}

static void steps(const struct traffic *t, struct text *out)
{
	const uint64_t *n = t->sum.total.n;
	uint64_t atomics = n[PROFILE_ATOMIC];
	char note[96], share[32], other[32];

	text_add(out, "from the lanes to DRAM\n  %-38s\t%15s\t%15s\n", "", "in", "out");
	text_add(out, "  %-38s\t%15s\n", "requested by lanes", bytes(n[PROFILE_ASKED], share));
	text_add(out, "  %-38s\t%15s\n", "distinct, access by access",
		bytes(n[PROFILE_DISTINCT], share));
	step(out, "granules, after coalescing", n[PROFILE_LOADED], n[PROFILE_STORED], "");
	if (atomics)
		step(out, "and of atomics, in both directions", atomics, atomics, "");
	snprintf(note, sizeof(note), "L1 hits %s, merged %s",
		percent(traffic_share(n[PROFILE_L1_HIT], n[PROFILE_LOADED]), share),
		percent(traffic_share(n[PROFILE_L1_MERGED], n[PROFILE_LOADED]), other));
	step(out, "after the L1", n[PROFILE_SENT_READ] + n[PROFILE_SENT_ATOMIC],
		n[PROFILE_SENT_WRITE] + n[PROFILE_SENT_ATOMIC], note);
	snprintf(note, sizeof(note), "L2 hits %s",
		percent(traffic_share(n[PROFILE_L2_HIT], n[PROFILE_L2_HIT] + n[PROFILE_L2_MISSED]),
			share));
	step(out, "after the L2", n[PROFILE_FETCHED], n[PROFILE_WRITTEN_BACK], note);
	step(out, "at DRAM", n[PROFILE_DRAM_READ], n[PROFILE_DRAM_WRITE], "");
	step(out, "dirty at the end, then written", 0, n[PROFILE_FLUSHED], "");
}

static void useful(const struct traffic *t, struct text *out)
{
	const uint64_t *n = t->sum.total.n;
	uint64_t rows = n[PROFILE_ROW_HIT] + n[PROFILE_ROW_MISS] + n[PROFILE_ROW_CONFLICT];
	char a[32];

	text_add(out, "\nuseful of what was fetched\n");
	text_add(out, "  %-38s\t%15s\n", "by the L1: touched by a load",
		percent(traffic_share(n[PROFILE_L1_USED], n[PROFILE_L1_FILLED]), a));
	text_add(out, "  %-38s\t%15s\n", "by the L2: requested by an SM",
		percent(traffic_share(n[PROFILE_L2_USED], n[PROFILE_L2_FILLED]), a));
	if (rows)
		text_add(out, "  %-38s\t%15s\n", "bursts that found their row open",
			percent(traffic_share(n[PROFILE_ROW_HIT], rows), a));
}

static void stall_line(const struct traffic *t, const char *name, uint64_t cycles, struct text *out)
{
	char a[32], b[32];

	text_add(out, "  %-38s\t%15s\t%15s\n", name, grouped(cycles, a),
		percent(traffic_share(cycles, t->scheduler_cycles), b));
}

static void stalls(const struct traffic *t, struct text *out)
{
	const uint64_t *n = t->sum.total.n;

	text_add(out, "\nschedulers' cycles spent waiting for memory\n");
	stall_line(t, "for results: in DRAM", n[PROFILE_STALL_DRAM], out);
	stall_line(t, "in the L2", n[PROFILE_STALL_L2], out);
	stall_line(t, "in the networks", n[PROFILE_STALL_NOC], out);
	if (t->sum.translates)
		stall_line(t, "in translation", n[PROFILE_STALL_TRANSLATION], out);
	stall_line(t, "in the SM", n[PROFILE_STALL_SM], out);
	if (t->sum.unblamed)
		stall_line(t, "not attributed to a request", t->sum.unblamed, out);
	stall_line(t, "for space in the queue to memory", t->lg_throttle, out);
}

/* ---- tables */
static void table_head(const struct traffic *t, enum traffic_view_id id, struct text *out)
{
	text_add(out, "\n\v%-*s\t%13s\t%13s\t%13s\t%7s\t%10s%s\n", NAME_WIDTH, t->view[id].title,
		"read", "written", "flushed", "share", id == VIEW_CHANNELS ? "" : "stalls",
		t->sum.has_rows ? "\trow hits" : "");
}

static void table_row(const struct traffic *t, enum traffic_view_id id,
	const struct traffic_item *i, struct text *out)
{
	const uint64_t *n = i->counts.n;
	uint64_t rows = n[PROFILE_ROW_HIT] + n[PROFILE_ROW_MISS] + n[PROFILE_ROW_CONFLICT];
	char a[32], b[32], c[32], d[32], e[32], f[32];

	text_add(out, "%-*s\t%13s\t%13s\t%13s\t%7s\t%10s", NAME_WIDTH, traffic_name(t, id, i),
		bytes(n[PROFILE_DRAM_READ], a), bytes(n[PROFILE_DRAM_WRITE], b),
		bytes(n[PROFILE_FLUSHED], c),
		percent(traffic_share(traffic_bytes(&i->counts), traffic_bytes(&t->sum.total)), d),
		id == VIEW_CHANNELS ? "" : grouped(traffic_stalls_of(id, i), e));
	if (t->sum.has_rows)
		text_add(out, "\t%8s", percent(traffic_share(n[PROFILE_ROW_HIT], rows), f));
	text_add(out, "\n");
}

/* The note beside a line of PTX. */
void traffic_source(const struct traffic_item *i, struct text *out)
{
	text_add(out, "    ");
	text_source(out, i->ptx_text ? i->ptx_text : "");
	text_add(out, "%s%s\n", i->buffer ? "  -> " : "", i->buffer ? i->buffer : "");
	if (!i->cuda_line)
		return;
	text_add(out, "    %s:%u  ", i->cuda_file, i->cuda_line);
	text_source(out, i->cuda_text ? i->cuda_text : "");
	text_add(out, "\n");
}

static bool is_busy(enum traffic_view_id id, const struct traffic_item *i)
{
	return traffic_bytes(&i->counts) ||
	       (id == VIEW_LINES ? traffic_stalls(&i->counts) : traffic_stalls_of(id, i));
}

/* The busiest first, at most `top` of them; rows without traffic and stalls are left out. */
static void table(const struct traffic *t, enum traffic_view_id id, struct text *out)
{
	const struct traffic_view *v = &t->view[id];
	unsigned busy = 0, told = 0;

	for (unsigned i = 0; i < v->n; i++)
		busy += is_busy(id, &v->item[i]);
	table_head(t, id, out);
	for (unsigned i = 0; i < v->n && told < t->top; i++) {
		const struct traffic_item *item = &v->item[i];

		if (!is_busy(id, item))
			continue;
		table_row(t, id, item, out);
		if (id == VIEW_LINES)
			traffic_source(item, out);
		told++;
	}
	if (told < busy)
		text_add(out, "  %u more (--top %u shows all)\n", busy - told, busy);
}

/* SMs in order of their traffic, without changing shared data. */
static void table_sorted(const struct traffic *t, enum traffic_view_id id, struct text *out)
{
	struct traffic copy = *t;
	struct traffic_view *v = &copy.view[id];
	struct traffic_item *item = arena_alloc(t->arena, v->n, sizeof(*item));

	for (unsigned i = 0; i < v->n; i++) {
		unsigned k = i;

		for (; k && traffic_bytes(&item[k - 1].counts) < traffic_bytes(&v->item[i].counts);
			k--)
			item[k] = item[k - 1];
		item[k] = v->item[i];
	}
	v->item = item;
	table(&copy, id, out);
}

/* ---- banks: rows of channels, the share of each bank */
static void banks(const struct traffic *t, struct text *out)
{
	const struct profile_sum *s = &t->sum;

	if (s->banks < 2)
		return;
	text_add(out, "\nby bank: %% of the channel's bytes\n\v%-10s", "");
	for (unsigned b = 0; b < s->banks; b++)
		text_add(out, "\t%5u", b);
	text_add(out, "\n");
	for (unsigned c = 0; c < s->channels; c++) {
		uint64_t all =
			s->channel[c].n[PROFILE_DRAM_READ] + s->channel[c].n[PROFILE_DRAM_WRITE];

		text_add(out, "dram.%-5u", c);
		for (unsigned b = 0; b < s->banks; b++)
			text_add(out, "\t%5.1f",
				100 * traffic_share(s->bank[c][b].read + s->bank[c][b].write,
					      all ? all : 1));
		text_add(out, "\n");
	}
}

/* ---- time */
static struct profile_bin bins_of(const struct profile_sum *s, unsigned first, unsigned n)
{
	struct profile_bin sum = {0};

	for (unsigned c = 0; c < s->channels; c++)
		for (unsigned i = first; i < first + n && i < s->bins; i++) {
			sum.read += s->bin[c][i].read;
			sum.write += s->bin[c][i].write;
		}
	return sum;
}

static void over_time(const struct traffic *t, struct text *out)
{
	const struct profile_sum *s = &t->sum;
	unsigned each = (s->bins + TIME_ROWS - 1) / TIME_ROWS;
	static const char bar[] = "########################################";

	text_add(out, "\n\vover time%16s\t%13s\t%13s\t%9s\n", "from cycle", "read", "written",
		"B/ns");
	for (unsigned first = 0; first < s->bins; first += each) {
		struct profile_bin bin = bins_of(s, first, each);
		double ns = (double)(each * s->bin_cycles) * s->cycle_ps / 1000;
		double rate = (double)(bin.read + bin.write) / ns;
		double full = t->peak_bytes_per_ns > 0 ? rate / t->peak_bytes_per_ns : 0;
		char a[32], b[32], c[32];

		text_add(out, "%25s\t%13s\t%13s\t%9.1f \t%.*s\n", grouped(first * s->bin_cycles, a),
			bytes(bin.read, b), bytes(bin.write, c), rate,
			(int)(full > 1 ? 40 : full * 40 + 0.5), bar);
	}
}

void traffic_text(const struct traffic *t, struct text *out)
{
	report_header(t->report, out);
	steps(t, out);
	useful(t, out);
	text_add(out, "\nbandwidth\n  %-38s\t%15.1f\n  %-38s\t%15.3f\n",
		"B/ns, of the elapsed time", traffic_rate(t), "busiest channel against the mean",
		traffic_imbalance(t, VIEW_CHANNELS));
	traffic_roofline_text(t, out);
	stalls(t, out);
	if (t->advices)
		advice_text(t->advices, t->proved, out);
	traffic_missing_text(t, out);
	traffic_stalls_text(t, out);
	table(t, VIEW_KERNELS, out);
	table(t, VIEW_BUFFERS, out);
	table(t, VIEW_LINES, out);
	table_sorted(t, VIEW_SMS, out);
	table_sorted(t, VIEW_CHANNELS, out);
	banks(t, out);
	over_time(t, out);
	text_add(out, "\n");
	report_check(t->report, out);
}
