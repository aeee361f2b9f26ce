/* What was found out of a machine, as pictures: latency over footprint, a staircase for each
 * stride; of each level misses over footprint, which set contiguous units are in, and how full its
 * sets are with as many of them as stay. */
#include "cli/probe/probe.h"

#include "core/base.h"
#include "draw/chart.h"
#include "draw/svg.h"

#include <stdio.h>
#include <string.h>

#define LEVELS_MOST 16
#define UNITS_MOST 1024u /* of an index map */
#define SETS_MOST 64u    /* of an occupancy: more bars would merge */
#define GUIDES_MOST 8

/* A chart that is filled dot by dot, and the names of its series. */
struct canvas {
	struct chart chart;
	struct chart_dot *dots;
	char (*names)[40];
	struct chart_guide guides[GUIDES_MOST];
	char words[GUIDES_MOST][48];
	char title[96];
	unsigned drawn; /* charts so far */
	struct text *out;
};

static void put(struct canvas *c, const char *series, double x, double y)
{
	snprintf(c->names[c->chart.n], sizeof(c->names[0]), "%s", series);
	c->dots[c->chart.n] = (struct chart_dot){.series = c->names[c->chart.n], .x = x, .y = y};
	c->chart.n++;
}

/* Starts a chart of at most n dots. */
static bool begin(struct canvas *c, const char *x_axis, const char *y_axis, unsigned n)
{
	c->dots = mem_alloc(n + 1, sizeof(*c->dots));
	c->names = mem_alloc(n + 1, sizeof(*c->names));
	c->chart = (struct chart){.title = c->title,
		.x_axis = x_axis,
		.y_axis = y_axis,
		.dots = c->dots,
		.guides = c->guides};
	c->out->failed |= !c->dots || !c->names;
	return !c->out->failed;
}

static void end(struct canvas *c)
{
	if (c->chart.n && !c->out->failed) {
		text_add(c->out, "<g transform=\"translate(0,%u)\">\n",
			30 + c->drawn++ * CHART_HEIGHT);
		chart_draw(&c->chart, c->out);
		text_add(c->out, "</g>\n");
	}
	mem_free(c->dots);
	mem_free(c->names);
}

static const char *bytes(char text[40], const char *what, uint32_t n)
{
	if (n >= 1 << 20 && n % (1 << 20) == 0)
		snprintf(text, 40, "%s%u MB", what, n >> 20);
	else if (n >= 1 << 10 && n % (1 << 10) == 0)
		snprintf(text, 40, "%s%u KB", what, n >> 10);
	else
		snprintf(text, 40, "%s%u bytes", what, n);
	return text;
}

/* A guide where the level's capacity is, if that is known and among the dots. */
static void guide(struct canvas *c, const struct probe_report *r, const char *level, double unit)
{
	const struct finding *f = probe_find(r, level, "capacity");
	double x = f && f->known ? f->number / unit : 0, least = x, most = 0;
	unsigned n = c->chart.nguides;

	for (unsigned i = 0; i < c->chart.n; i++) {
		least = c->dots[i].x < least ? c->dots[i].x : least;
		most = c->dots[i].x > most ? c->dots[i].x : most;
	}
	if (!f || !f->known || x <= 0 || least == x || x > most || n == GUIDES_MOST)
		return;
	snprintf(c->words[n], sizeof(c->words[n]), "%s: %s", level, f->value);
	c->guides[n] = (struct chart_guide){x, c->words[n]};
	c->chart.nguides++;
}

static void draw_stairs(const struct probe_report *r, struct canvas *c)
{
	static const char *const levels[] = {"L1", "texture cache", "L2", "L1 TLB", "L2 TLB"};
	char name[40];

	snprintf(c->title, sizeof(c->title), "latency of a second pass");
	if (begin(c, "footprint", "cycles, mean", r->nstairs)) {
		c->chart.bytes = true;
		for (unsigned i = 0; i < r->nstairs; i++)
			put(c, bytes(name, "stride ", r->stairs[i].stride), r->stairs[i].footprint,
				r->stairs[i].cycles);
		for (unsigned i = 0; i < ARRAY_LEN(levels); i++)
			guide(c, r, levels[i], 1);
	}
	end(c);
}

static void draw_misses(const struct probe_report *r, const char *level, struct canvas *c)
{
	char name[40];

	snprintf(c->title, sizeof(c->title), "%s: misses", level);
	if (begin(c, "footprint, KB", "missed, % of accesses", r->ndots)) {
		for (unsigned i = 0; i < r->ndots; i++)
			if (!strcmp(r->dots[i].level, level))
				put(c, bytes(name, "stride ", r->dots[i].stride),
					r->dots[i].footprint / 1024, r->dots[i].missed);
		guide(c, r, level, 1024);
	}
	end(c);
}

/* ---- sets */
static void draw_index(const struct probe_map *m, struct canvas *c)
{
	uint32_t n = (uint32_t)min_u64(m->n, UNITS_MOST);
	bool large = m->unit >= 1 << 16;

	snprintf(c->title, sizeof(c->title), "%s: sets of contiguous units", m->level);
	if (begin(c, large ? "address, MB" : "address, KB", "set", n)) {
		char name[40];

		c->chart.kind = CHART_DOTS;
		bytes(name, "units of ", m->unit);
		for (uint32_t i = 0; i < n; i++)
			if (m->set_of[i] != PROBE_NO_SET)
				put(c, name, i * (m->unit / (large ? 1048576.0 : 1024.0)),
					m->set_of[i]);
	}
	end(c);
}

/* Units of the set among the first n. */
static uint32_t held(const struct probe_map *m, uint32_t set, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n && i < m->n; i++)
		count += m->set_of[i] == set;
	return count;
}

/* With the first unit that does not stay one set has more than its ways. */
static void draw_occupancy(const struct probe_map *m, struct canvas *c)
{
	uint32_t sets = (uint32_t)min_u64(m->sets, SETS_MOST);
	uint32_t full = m->capacity < m->n ? m->set_of[m->capacity] : 0;
	uint32_t first = full < sets || full >= m->sets ? 0 : full - sets + 1;
	char name[40];

	snprintf(c->title, sizeof(c->title), "%s: occupancy of %u of %u sets", m->level, sets,
		m->sets);
	if (begin(c, "set", "units", 2 * sets)) {
		c->chart.kind = CHART_BARS;
		snprintf(name, sizeof(name), "the first %u units", m->capacity + 1);
		for (uint32_t i = first; i < first + sets; i++)
			put(c, "ways", i, m->ways[i]);
		for (uint32_t i = first; i < first + sets; i++)
			put(c, name, i, held(m, i, m->capacity + 1));
	}
	end(c);
}

static unsigned levels_of(const struct probe_report *r, const char **level)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->ndots; i++)
		if (n < LEVELS_MOST && (!n || strcmp(level[n - 1], r->dots[i].level)))
			level[n++] = r->dots[i].level;
	return n;
}

void probing_svg(void *probing, struct text *out)
{
	const struct probing *p = probing;
	const struct probe_report *r = p->report;
	const char *level[LEVELS_MOST];
	unsigned levels = levels_of(r, level), charts = levels + (r->nstairs > 0);
	struct canvas c = {.out = out};

	for (unsigned i = 0; i < r->nmaps; i++) /* of one set there is nothing to see */
		charts += r->maps[i].sets > 1 ? 2 : 0;
	svg_open(CHART_WIDTH, 30 + CHART_HEIGHT * (int)(charts ? charts : 1), p->machine, out);
	draw_stairs(r, &c);
	for (unsigned i = 0; i < levels; i++)
		draw_misses(r, level[i], &c);
	for (unsigned i = 0; i < r->nmaps; i++) {
		if (r->maps[i].sets == 1)
			continue;
		draw_index(&r->maps[i], &c);
		draw_occupancy(&r->maps[i], &c);
	}
	text_add(out, "</svg>\n");
}
