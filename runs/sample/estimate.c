/* Estimates of sampled runs: launches of which CTAs were skipped; each kernel's launches without
 * time, by least squares; traffic, from the warm caches. */
#include "runs/sample/sample.h"

#include "chip/chip.h"

#include <math.h>
#include <string.h>

#define MOST 256          /* launches of a kernel that count */
#define FEW 0.01          /* of the run's instructions, that unlike launches may execute */
#define ALIKE 1.25        /* how far beyond those that count a launch's instructions may be */
#define LEAST_SPREAD 0.01 /* of a rate that was measured in a part of a launch; of traffic */
#define WARM_SPREAD 0.1   /* of what warm caches moved */

struct counted {
	double x, y; /* warp instructions, cycles */
};

/* A kernel's launches, and a line through what counts: y = mean_y + slope * (x - mean_x). */
struct group {
	const char *kernel;
	uint64_t own; /* launches so far */
	struct counted at[MOST];
	unsigned n;
	double mean_x, sxx, least, most;
	bool slopes; /* they execute different numbers of instructions */
	double mean_y, slope, variance, drift;
	double others, away; /* launches that are estimated; their x less mean_x */
	struct group *next;
};

/* What all launches add up to. */
struct sums {
	struct sample_result *r;
	const struct sampling *s;
	struct arena *arena;
	struct group *groups;
	double bytes_a_cycle; /* DRAM's peak */
	double spread;        /* of skipped CTAs' cycles */
	double square;        /* of half the interval of stretches', a sum of independent ones */
	double again;         /* bytes read */
	double of[SAMPLE_FIGURES]; /* without time */
};

static struct group *group_of(struct sums *s, const char *kernel)
{
	struct group *g = s->groups;

	while (g && strcmp(g->kernel, kernel) != 0)
		g = g->next;
	if (g)
		return g;
	g = arena_alloc(s->arena, 1, sizeof(*g));
	g->kernel = kernel;
	g->next = s->groups;
	s->groups = g;
	return g;
}

/* ---- the lines */
static double residual(const struct group *g, unsigned i)
{
	return g->at[i].y - g->mean_y - g->slope * (g->at[i].x - g->mean_x);
}

/* The mean of the later half's residuals less that of the earlier half's. */
static double drift(const struct group *g)
{
	double early = 0, late = 0;
	unsigned half = g->n / 2;

	for (unsigned i = 0; i < half; i++) {
		early += residual(g, i);
		late += residual(g, g->n - 1 - i);
	}
	return half ? fabs(late - early) / half : 0;
}

static void fit(struct group *g)
{
	double sxy = 0, freedom, left = 0;

	g->least = INFINITY;
	for (unsigned i = 0; i < g->n; i++) {
		g->mean_x += g->at[i].x / g->n;
		g->mean_y += g->at[i].y / g->n;
		g->least = fmin(g->least, g->at[i].x);
		g->most = fmax(g->most, g->at[i].x);
	}
	for (unsigned i = 0; i < g->n; i++) {
		g->sxx += (g->at[i].x - g->mean_x) * (g->at[i].x - g->mean_x);
		sxy += (g->at[i].x - g->mean_x) * (g->at[i].y - g->mean_y);
	}
	g->slopes = g->most > 1.001 * g->least;
	freedom = (double)g->n - 1 - g->slopes;
	g->slope = g->slopes ? sxy / g->sxx : 0;
	for (unsigned i = 0; i < g->n; i++)
		left += residual(g, i) * residual(g, i);
	g->variance = freedom > 0 ? left / freedom : INFINITY;
	g->drift = drift(g);
}

/* The square of half the interval of the others' sum, without drift. */
static double square_of(const struct group *g)
{
	double t = sample_student((double)g->n - 1 - g->slopes), k = g->others;

	return k > 0 ? t * t * g->variance *
			       (k + k * k / g->n + (g->slopes ? g->away * g->away / g->sxx : 0))
		     : 0;
}

/* ---- launches in time */
/* The cycles of stretches within CTAs. */
static double cycles_stretched(
	struct sums *s, const struct launch_report *l, const struct sample_stretches *of)
{
	double half, cycles = sample_stretched(of, l->untimed_instructions, &half);

	half = fmin(half, cycles);
	s->square += half * half;
	s->spread += of->doubt * cycles;
	return cycles;
}

/* The cycles of what was skipped, at the rate of the windows. */
static double cycles_skipped(
	struct sums *s, const struct launch_report *l, const struct sample_progress *p)
{
	double rate = sample_rate(p, 0, p->n), bytes = 0, instructions = 0, cycles, more, all = 0;

	for (unsigned i = 0; i < p->n; i++) {
		bytes += p->window[i].dram_bytes;
		instructions += p->window[i].instructions;
		all += p->window[i].cycles;
	}
	cycles = (double)l->untimed_instructions / rate;
	more = (double)(l->warm_read_bytes + l->warm_write_bytes) -
	       bytes / instructions * (double)l->untimed_instructions;
	s->spread += fmax(p->spread, LEAST_SPREAD) * cycles;
	s->spread += fmin(fabs(more) / s->bytes_a_cycle, cycles / 2) + all / p->n / 2;
	return cycles;
}

static void add_traffic(struct sums *s, const struct launch_report *l)
{
	struct sample_estimate *of = s->r->of;

	of[SAMPLE_DRAM_READ].timed += (double)l->dram_read_bytes;
	of[SAMPLE_DRAM_WRITE].timed += (double)l->dram_write_bytes;
	of[SAMPLE_L2_SECTORS].timed += (double)l->l2_sectors;
	of[SAMPLE_L2_HITS].timed += (double)l->l2_hits;
	s->of[SAMPLE_DRAM_READ] += (double)l->warm_read_bytes;
	s->of[SAMPLE_DRAM_WRITE] += (double)l->warm_write_bytes;
	s->of[SAMPLE_L2_SECTORS] += (double)l->warm_l2_sectors;
	s->of[SAMPLE_L2_HITS] += (double)l->warm_l2_hits;
}

/* The first time: sums what is known. `before`: the end of the launches before. */
static void take(struct sums *s, unsigned i, const struct launch_report *l, uint64_t before)
{
	struct sample_result *r = s->r;
	struct group *g = group_of(s, l->kernel);
	double y = (double)(l->end_cycle - before), skipped = 0;

	r->instructions += l->warp_instructions + l->untimed_instructions;
	r->timed_instructions += l->warp_instructions;
	r->timed_launches += !l->untimed;
	r->skipped_ctas += l->skipped_ctas;
	add_traffic(s, l);
	g->own++;
	if (l->untimed)
		return;
	if (l->untimed_instructions && s->s->of[i]->within.n)
		skipped = cycles_stretched(s, l, &s->s->of[i]->within);
	else if (l->skipped_ctas)
		skipped = cycles_skipped(s, l, s->s->of[i]);
	if (l->untimed_instructions)
		s->again += sample_again(
			s->s->of[i], (double)l->warm_read_bytes / (double)l->untimed_instructions);
	s->of[SAMPLE_CYCLES] += skipped;
	r->of[SAMPLE_CYCLES].timed += y;
	if (g->own > 1 && g->n < MOST)
		g->at[g->n++] = (struct counted){
			(double)(l->warp_instructions + l->untimed_instructions), y + skipped};
}

/* The second time: predicts the rest. */
static void predict(struct sums *s, const struct launch_report *l)
{
	struct sample_result *r = s->r;
	struct group *g = group_of(s, l->kernel);
	double x = (double)l->untimed_instructions, y;
	bool alike = x <= ALIKE * g->most && ALIKE * x >= g->least;

	if (!l->untimed)
		return;
	if (!alike) {
		r->unlike++;
		r->unlike_instructions += x;
	}
	g->others++;
	g->away += x - g->mean_x;
	y = fmax(g->mean_y + g->slope * (x - g->mean_x), 0);
	s->of[SAMPLE_CYCLES] += y;
	s->spread += alike ? 0 : y;
}

/* ---- all */
/* What evicts a dirty line, and what is left of a stretch's lines, depends on all that is moved. */
static void widen_traffic(struct sums *s)
{
	struct sample_estimate *read = &s->r->of[SAMPLE_DRAM_READ];
	struct sample_estimate *written = &s->r->of[SAMPLE_DRAM_WRITE];
	double least = LEAST_SPREAD * (read->value + written->value);

	if (s->r->timed_instructions == s->r->instructions)
		return;
	read->half += least;
	written->half += least;
}

static void add_up(struct sums *s)
{
	struct sample_estimate *of = s->r->of, *hits = &of[SAMPLE_L2_HITS];
	double square = s->square, sectors = of[SAMPLE_L2_SECTORS].timed, like_timed;

	for (const struct group *g = s->groups; g; g = g->next) {
		square += square_of(g);
		s->spread += g->others * g->drift / 2;
	}
	for (unsigned f = 0; f < SAMPLE_FIGURES; f++) {
		of[f].value = of[f].timed + s->of[f];
		of[f].half = WARM_SPREAD * s->of[f];
	}
	of[SAMPLE_DRAM_READ].value -= s->again / 2;
	of[SAMPLE_DRAM_READ].half += s->again / 2;
	widen_traffic(s);
	of[SAMPLE_CYCLES].half = s->spread + sqrt(square);
	if (sectors > 0 && s->of[SAMPLE_L2_SECTORS] > 0) {
		like_timed = hits->timed / sectors * s->of[SAMPLE_L2_SECTORS];
		hits->half += fabs(like_timed - s->of[SAMPLE_L2_HITS]);
		hits->value = hits->timed + (like_timed + s->of[SAMPLE_L2_HITS]) / 2;
	}
}

struct sample_result sample_estimate(
	const struct gpu *gpu, const struct sampling *sampling, struct arena *arena)
{
	struct sample_result r = {.policy = sampling->policy, .launches = chip_launches(gpu)};
	struct sums s = {.r = &r,
		.s = sampling,
		.arena = arena,
		.bytes_a_cycle = chip_dram_bytes_per_cycle(gpu)};
	struct launch_report l;
	uint64_t before = 0;

	for (unsigned i = 0; i < r.launches; i++) {
		chip_launch_report(gpu, i, &l);
		r.overlap |= l.start_cycle < before || l.end_cycle < before;
		take(&s, i, &l, before);
		before = l.end_cycle > before ? l.end_cycle : before;
	}
	for (struct group *g = s.groups; g; g = g->next)
		fit(g);
	for (unsigned i = 0; i < r.launches; i++) {
		chip_launch_report(gpu, i, &l);
		predict(&s, &l);
	}
	r.strange = r.unlike_instructions > FEW * (double)r.instructions;
	add_up(&s);
	return r;
}
