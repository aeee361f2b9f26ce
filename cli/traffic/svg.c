/* A profile's pictures: bandwidth of channels over time, SMs over time, and the flow between
 * buffers and channels. Each is one element of SVG in a page's colours (variables of its style). */
#include "cli/traffic/traffic.h"

#include "draw/number.h"
#include "draw/svg.h"

#include <inttypes.h>
#include <stdio.h>

#define WIDTH 960
#define LEFT 70
#define RIGHT 90
#define PLOT (WIDTH - LEFT - RIGHT)
#define STRIP 40     /* height of a channel's strip */
#define COLUMNS 128u /* of the heat map, at most */
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

/* Cycles below a plot, five of them. */
static void time_axis(const struct profile_sum *s, double y, struct text *out)
{
	uint64_t cycles = s->bins * s->bin_cycles;

	for (unsigned i = 0; i <= 4; i++) {
		char number[32];
		double x = LEFT + PLOT * i / 4.0;

		text_add(out,
			"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" class=\"ax\"/>\n", x,
			x, y, y + 4);
		label(x, y + 17, i ? i == 4 ? "end" : "middle" : "start",
			number_grouped(cycles * i / 4, number), out);
	}
	label(WIDTH - RIGHT + 8, y + 17, "start", "cycles", out);
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
	double each = (double)PLOT / s->bins;

	text_add(out, "<path class=\"%s\" d=\"M%d %.1f", both ? "wr" : "rd", LEFT, y + STRIP - 6);
	for (unsigned i = 0; i < s->bins; i++) {
		const struct profile_bin *bin = &s->bin[channel][i];
		double high = rate(s, bin->read + (both ? bin->write : 0)) / full;

		high = (STRIP - 6) * (high < 1 ? high : 1);
		text_add(out, "V%.1fH%.1f", y + STRIP - 6 - high, LEFT + each * (i + 1));
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
	double full = traffic_strip_rate(t);
	int height = (int)s->channels * STRIP + 40;

	open_svg(height, "bandwidth of each channel over time", out);
	for (unsigned c = 0; c < s->channels && s->bins; c++) {
		const uint64_t *n = s->channel[c].n;
		double y = c * STRIP + 4;
		char words[64];

		snprintf(words, sizeof(words), "dram.%u", c);
		label(LEFT - 8, y + STRIP / 2.0, "end", words, out);
		snprintf(words, sizeof(words), "%.1f B/ns",
			t->cycles ? (double)(n[PROFILE_DRAM_READ] + n[PROFILE_DRAM_WRITE]) /
					    ((double)t->cycles * s->cycle_ps / 1000)
				  : 0.0);
		label(WIDTH - RIGHT + 8, y + STRIP / 2.0, "start", words, out);
		text_add(out,
			"<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" class=\"bg\"/>\n",
			LEFT, y, PLOT, STRIP - 6);
		area(s, c, true, full, y, out);
		area(s, c, false, full, y, out);
	}
	time_axis(s, height - 34, out);
	text_add(out, "</svg>\n");
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
	double bin = (double)PLOT / s->bins;

	for (unsigned i = 0; i < s->bins; i += each) {
		uint64_t bytes = cell(s, sm, i, each);
		double wide = bin * (s->bins - i < each ? s->bins - i : each);
		char number[32];

		if (bytes)
			text_add(out,
				"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
				"class=\"ht\" fill-opacity=\"%.2f\"><title>sm.%u from cycle "
				"%" PRIu64 ": %s bytes</title></rect>\n",
				LEFT + bin * i, 4 + high * sm, wide, high,
				0.08 + 0.92 * (double)bytes / (double)most, sm, i * s->bin_cycles,
				number_grouped(bytes, number));
	}
}

void traffic_svg_sms(const struct traffic *t, struct text *out)
{
	const struct profile_sum *s = &t->sum;
	unsigned each = (s->bins + COLUMNS - 1) / COLUMNS;
	double high = s->sms > 64 ? 6 : 12;
	int height = (int)(high * s->sms) + 44;
	uint64_t most = 1;

	for (unsigned sm = 0; sm < s->sms; sm++)
		for (unsigned i = 0; i < s->bins; i += each) {
			uint64_t bytes = cell(s, sm, i, each);

			most = bytes > most ? bytes : most;
		}
	open_svg(height, "DRAM bytes of each SM over time", out);
	text_add(out, "<rect x=\"%d\" y=\"4\" width=\"%d\" height=\"%.1f\" class=\"bg\"/>\n", LEFT,
		PLOT, high * s->sms);
	for (unsigned sm = 0; sm < s->sms; sm++) {
		char words[16];

		snprintf(words, sizeof(words), "sm.%u", sm);
		if (sm % 4 == 0)
			label(LEFT - 8, 4 + high * sm + 10, "end", words, out);
		if (s->bins)
			heat_row(s, sm, each, most, high, out);
	}
	time_axis(s, height - 38, out);
	text_add(out, "</svg>\n");
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
