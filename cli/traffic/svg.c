/* A profile's pictures: bandwidth of channels over time, SMs over time, and the flow between
 * buffers and channels. Each is one element of SVG in a page's colours (variables of its style). */
#include "cli/traffic/traffic.h"

#include "cli/html/html.h"
#include "draw/number.h"
#include "draw/svg.h"

#include <inttypes.h>
#include <stdio.h>

#define WIDTH 960
#define LEFT 70
#define RIGHT 90
#define PLOT (WIDTH - LEFT - RIGHT)
#define STRIP 40    /* height of a channel's strip */
#define COLUMNS 48u /* of the heat map, at most */
#define COLOURS 8u
#define RIBBONS 12u /* buffers with a ribbon of their own */

static void open_svg(int height, const char *what, struct text *out)
{
	text_add(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
		"height=\"%d\" role=\"img\" aria-label=\"%s\" font-size=\"12\">\n",
		WIDTH, height, WIDTH, height, what);
}

static void label(double x, double y, const char *anchor, const char *words, struct text *out)
{
	text_add(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"lb\">", x, y, anchor);
	svg_escaped(words, out);
	text_add(out, "</text>\n");
}

/* ---- channels */
static double rate(const struct profile_sum *s, uint64_t bytes)
{
	return (double)bytes / ((double)s->bin_cycles * s->cycle_ps / 1000);
}

/* Steps from the left to the right, `what` bytes high in each bin, and back along the bottom. */
static void area(const struct profile_sum *s, unsigned channel, bool both, double full, double y,
	struct text *out)
{
	double each = 1000.0 / s->bins;

	text_add(out, "<path class=\"%s\" d=\"M0 %.1f", both ? "wr" : "rd", y + STRIP - 6);
	for (unsigned i = 0; i < s->bins; i++) {
		const struct profile_bin *bin = &s->bin[channel][i];
		double high = rate(s, bin->read + (both ? bin->write : 0)) / full;

		high = (STRIP - 6) * (high < 1 ? high : 1);
		text_add(out, "V%.1fH%.2f", y + STRIP - 6 - high, each * (i + 1));
	}
	text_add(out, "V%.1fZ\"/>\n", y + STRIP - 6);
}

double traffic_strip_rate(const struct traffic *t)
{
	const struct profile_sum *s = &t->sum;
	uint64_t most = 1;

	for (unsigned c = 0; c < s->channels; c++)
		for (unsigned i = 0; i < s->bins; i++) {
			uint64_t bytes = s->bin[c][i].read + s->bin[c][i].write;

			most = bytes > most ? bytes : most;
		}
	return rate(s, most);
}

void traffic_svg_bandwidth(const struct traffic *t, struct text *out)
{
	const struct profile_sum *s = &t->sum;
	double full = traffic_strip_rate(t), ns = (double)t->cycles * s->cycle_ps / 1000;
	struct page_plot plot = {"bandwidth of each channel over time", (int)s->channels * STRIP,
		s->bins * s->bin_cycles};

	page_plot_open(&plot, out);
	for (unsigned c = 0; c < s->channels; c++) {
		const uint64_t *n = s->channel[c].n;
		uint64_t bytes = n[PROFILE_DRAM_READ] + n[PROFILE_DRAM_WRITE];
		char words[64];

		snprintf(words, sizeof(words), "dram.%u: %.1f B/ns", c,
			t->cycles ? (double)bytes / ns : 0.0);
		page_plot_label(c * STRIP + STRIP / 2.0 + 4, words, out);
	}
	page_plot_shapes(&plot, out);
	for (unsigned c = 0; c < s->channels && s->bins; c++) {
		area(s, c, true, full, c * STRIP + 4, out);
		area(s, c, false, full, c * STRIP + 4, out);
	}
	page_plot_close(&plot, out);
}

/* ---- SMs */
static uint64_t cell(const struct profile_sum *s, unsigned sm, unsigned first, unsigned n)
{
	uint64_t bytes = 0;

	for (unsigned i = first; i < first + n && i < s->bins; i++)
		bytes += s->sm_bin[sm][i];
	return bytes;
}

static void heat_row(const struct profile_sum *s, unsigned sm, unsigned each, uint64_t most,
	double high, struct text *out)
{
	double bin = 1000.0 / s->bins;

	for (unsigned i = 0; i < s->bins; i += each) {
		uint64_t bytes = cell(s, sm, i, each);
		double wide = bin * (s->bins - i < each ? s->bins - i : each);
		char number[32];

		if (bytes)
			text_add(out,
				"<rect x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%.0f\" "
				"opacity=\"%.2f\"><title>sm.%u, "
				"%" PRIu64 ": %s bytes</title></rect>\n",
				bin * i, high * sm, wide, high,
				0.08 + 0.92 * (double)bytes / (double)most, sm, i * s->bin_cycles,
				number_grouped(bytes, number));
	}
}

/* What a colour means: none, half, and most of a cell's bytes. */
static void heat_legend(uint64_t most, struct text *out)
{
	text_add(out, "<p class=\"key dim\">");
	for (unsigned i = 1; i <= 4; i++) {
		char number[32];

		text_add(out,
			"<span><i style=\"background:var(--heat);opacity:%.2f\"></i>%s bytes</span> ",
			0.08 + 0.23 * i, number_grouped(most * i / 4, number));
	}
	text_add(out, "</p>\n");
}

void traffic_svg_sms(const struct traffic *t, struct text *out)
{
	const struct profile_sum *s = &t->sum;
	unsigned each = (s->bins + COLUMNS - 1) / COLUMNS;
	double high = s->sms > 64 ? 6 : 12;
	struct page_plot plot = {
		"DRAM bytes of each SM over time", (int)(high * s->sms), s->bins * s->bin_cycles};
	uint64_t most = 1;

	for (unsigned sm = 0; sm < s->sms; sm++)
		for (unsigned i = 0; i < s->bins; i += each) {
			uint64_t bytes = cell(s, sm, i, each);

			most = bytes > most ? bytes : most;
		}
	heat_legend(most, out);
	page_plot_open(&plot, out);
	for (unsigned sm = 0; sm < s->sms; sm += 4) {
		char words[16];

		snprintf(words, sizeof(words), "sm.%u", sm);
		page_plot_label(high * sm + 10, words, out);
	}
	page_plot_shapes(&plot, out);
	text_add(out, "<g class=\"ht\">\n");
	for (unsigned sm = 0; sm < s->sms && s->bins; sm++)
		heat_row(s, sm, each, most, high, out);
	text_add(out, "</g>\n");
	page_plot_close(&plot, out);
}

/* ---- banks */
void traffic_svg_banks(const struct traffic *t, struct text *out)
{
	const struct profile_sum *s = &t->sum;
	double wide = (double)PLOT / s->banks;
	uint64_t most = 1;

	for (unsigned k = 0; k < s->channels * s->banks; k++) {
		const struct profile_bank *b = &s->bank[k / s->banks][k % s->banks];

		most = b->read + b->write > most ? b->read + b->write : most;
	}
	heat_legend(most, out);
	open_svg((int)s->channels * 16 + 14, "DRAM bytes of each bank", out);
	for (unsigned k = 0; k < s->channels * s->banks; k++) {
		const struct profile_bank *b = &s->bank[k / s->banks][k % s->banks];
		char words[32];

		snprintf(words, sizeof(words), "dram.%u", k / s->banks);
		if (k % s->banks == 0)
			label(LEFT - 8, 4 + 16 * (k / s->banks) + 12, "end", words, out);
		text_add(out,
			"<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"15\" class=\"ht\" "
			"fill-opacity=\"%.2f\"><title>dram.%u bank %u: %s bytes</title></rect>\n",
			LEFT + wide * (k % s->banks), 4 + 16 * (k / s->banks), wide - 1,
			(double)(b->read + b->write) / (double)most, k / s->banks, k % s->banks,
			number_grouped(b->read + b->write, words));
	}
	text_add(out, "</svg>\n");
}

/* ---- the flow */
struct ribbon {
	const char *name;
	uint64_t bytes, *to; /* by channel */
	double y;
};

struct flow {
	struct ribbon *from;
	unsigned n;
	double *channel_y, scale;
	uint64_t *channel_bytes;
};

/* The busiest buffers, and one for all others. */
static void gather(const struct traffic *t, struct flow *f)
{
	const struct traffic_view *v = &t->view[VIEW_BUFFERS];
	unsigned channels = t->sum.channels;

	f->from = arena_alloc(t->arena, RIBBONS + 1, sizeof(*f->from));
	f->channel_bytes = arena_alloc(t->arena, channels, sizeof(*f->channel_bytes));
	f->channel_y = arena_alloc(t->arena, channels, sizeof(*f->channel_y));
	for (unsigned i = 0; i < v->n && traffic_bytes(&v->item[i].counts); i++) {
		unsigned k = i < RIBBONS ? i : RIBBONS;
		struct ribbon *r = &f->from[k];

		r->name = i < RIBBONS ? v->item[i].name : "others";
		if (!r->to)
			r->to = arena_alloc(t->arena, channels, sizeof(*r->to));
		f->n = k + 1;
		for (unsigned c = 0; c < channels; c++)
			r->to[c] += traffic_flow(t, v->item[i].number, c);
	}
	for (unsigned k = 0; k < f->n; k++)
		for (unsigned c = 0; c < channels; c++) {
			f->from[k].bytes += f->from[k].to[c];
			f->channel_bytes[c] += f->from[k].to[c];
		}
}

static void node(double x, double y, double high, const char *anchor, const char *name,
	uint64_t bytes, struct text *out)
{
	char number[32], words[160];

	snprintf(words, sizeof(words), "%s  %s", name, number_grouped(bytes, number));
	text_add(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"%.1f\" class=\"nd\"/>\n", x,
		y, high < 1 ? 1 : high);
	label(*anchor == 'e' ? x - 6 : x + 14, y + high / 2 + 4, anchor, words, out);
}

#define FLOW_LEFT 240.0
#define FLOW_RIGHT (WIDTH - 240.0)

static void ribbons(struct flow *f, unsigned k, unsigned channels, struct text *out)
{
	struct ribbon *r = &f->from[k];
	double middle = (FLOW_LEFT + FLOW_RIGHT) / 2, y = r->y;

	for (unsigned c = 0; c < channels; c++) {
		double wide = (double)r->to[c] * f->scale, to = f->channel_y[c];
		char number[32];

		if (!r->to[c])
			continue;
		text_add(out,
			"<path class=\"f%u\" d=\"M%.1f %.2fC%.1f %.2f %.1f %.2f %.1f %.2fV%.2f"
			"C%.1f %.2f %.1f %.2f %.1f %.2fZ\"><title>",
			k % COLOURS, FLOW_LEFT + 8, y, middle, y, middle, to, FLOW_RIGHT, to,
			to + wide, middle, to + wide, middle, y + wide, FLOW_LEFT + 8, y + wide);
		svg_escaped(r->name, out);
		text_add(out, " and dram.%u: %s bytes</title></path>\n", c,
			number_grouped(r->to[c], number));
		y += wide;
		f->channel_y[c] += wide;
	}
}

void traffic_svg_flow(const struct traffic *t, struct text *out)
{
	unsigned channels = t->sum.channels, rows;
	uint64_t all = traffic_bytes(&t->sum.total);
	struct flow f = {0};
	double y = 10, gap = 16;
	int height;

	gather(t, &f);
	rows = f.n > channels ? f.n : channels;
	height = 300 + (int)(gap * rows) + 20;
	f.scale = all ? 300.0 / (double)all : 0;
	open_svg(height, "bytes between buffers and channels", out);
	for (unsigned k = 0; k < f.n; k++) {
		f.from[k].y = y;
		node(FLOW_LEFT, y, (double)f.from[k].bytes * f.scale, "end", f.from[k].name,
			f.from[k].bytes, out);
		y += (double)f.from[k].bytes * f.scale + gap;
	}
	y = 10;
	for (unsigned c = 0; c < channels; c++) {
		char name[16];

		snprintf(name, sizeof(name), "dram.%u", c);
		f.channel_y[c] = y;
		node(FLOW_RIGHT, y, (double)f.channel_bytes[c] * f.scale, "start", name,
			f.channel_bytes[c], out);
		y += (double)f.channel_bytes[c] * f.scale + gap;
	}
	for (unsigned k = 0; k < f.n; k++)
		ribbons(&f, k, channels, out);
	text_add(out, "</svg>\n");
}
