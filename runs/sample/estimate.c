/* Estimates of sampled runs: least squares for each kernel; intervals of predictions, which also
 * hold what a kernel's launches drift by and launches that are unlike those that count. */
#include "runs/sample/sample.h"

#include "chip/chip.h"

#include <math.h>
#include <string.h>

#define MOST 64    /* launches of a kernel that count: of 2^32, 60 do */
#define FEW 0.01   /* of the run's instructions, that unlike launches may execute */
#define ALIKE 1.25 /* how far beyond those that count a launch's instructions may be */

struct counted {
	double x, y[SAMPLE_FIGURES]; /* warp instructions; what they took */
};

/* A line through what counts: y = mean_y + slope * (x - mean_x). */
struct line {
	double mean_y, slope, variance, drift;
};

/* A kernel's launches. */
struct group {
	const char *kernel;
	uint64_t own; /* launches so far */
	struct counted at[MOST];
	unsigned n;
	double mean_x, sxx, least, most;
	bool slopes; /* they execute different numbers of instructions */
	struct line of[SAMPLE_FIGURES];
	double others, away; /* launches that are estimated; their x less mean_x */
};

struct groups {
	struct group **at;
	unsigned n, room;
	struct arena *arena;
};

static struct group *group_of(struct groups *g, const char *kernel)
{
	for (unsigned i = 0; i < g->n; i++)
		if (!strcmp(g->at[i]->kernel, kernel))
			return g->at[i];
	if (g->n == g->room) {
		struct group **more;

		g->room = g->room ? 2 * g->room : 16;
		more = arena_alloc(g->arena, g->room, sizeof(*more));
		if (g->n)
			memcpy(more, g->at, g->n * sizeof(*more));
		g->at = more;
	}
	g->at[g->n] = arena_alloc(g->arena, 1, sizeof(struct group));
	g->at[g->n]->kernel = kernel;
	return g->at[g->n++];
}

/* ---- the lines */
static double residual(const struct group *g, const struct line *l, unsigned f, unsigned i)
{
	return g->at[i].y[f] - l->mean_y - l->slope * (g->at[i].x - g->mean_x);
}

/* The mean of the later half's residuals less that of the earlier half's. */
static double drift(const struct group *g, const struct line *l, unsigned f)
{
	double early = 0, late = 0;
	unsigned half = g->n / 2;

	for (unsigned i = 0; i < half; i++) {
		early += residual(g, l, f, i);
		late += residual(g, l, f, g->n - 1 - i);
	}
	return half ? fabs(late - early) / half : 0;
}

static void fit_figure(struct group *g, unsigned f)
{
	struct line *l = &g->of[f];
	double sxy = 0, freedom = (double)g->n - 1 - g->slopes, left = 0;

	for (unsigned i = 0; i < g->n; i++)
		l->mean_y += g->at[i].y[f] / g->n;
	for (unsigned i = 0; i < g->n; i++)
		sxy += (g->at[i].x - g->mean_x) * (g->at[i].y[f] - l->mean_y);
	l->slope = g->slopes ? sxy / g->sxx : 0;
	for (unsigned i = 0; i < g->n; i++)
		left += residual(g, l, f, i) * residual(g, l, f, i);
	l->variance = freedom > 0 ? left / freedom : INFINITY;
	l->drift = drift(g, l, f);
}

static void fit(struct group *g)
{
	g->least = INFINITY;
	for (unsigned i = 0; i < g->n; i++) {
		g->mean_x += g->at[i].x / g->n;
		g->least = fmin(g->least, g->at[i].x);
		g->most = fmax(g->most, g->at[i].x);
	}
	for (unsigned i = 0; i < g->n; i++)
		g->sxx += (g->at[i].x - g->mean_x) * (g->at[i].x - g->mean_x);
	g->slopes = g->most > 1.001 * g->least;
	for (unsigned f = 0; f < SAMPLE_FIGURES; f++)
		fit_figure(g, f);
}

/* The 97.5 % quantile of Student's t. */
static double student(double freedom)
{
	static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
		2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080,
		2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

	return freedom < 1 ? INFINITY : freedom <= 30 ? few[(int)freedom - 1] : 1.96;
}

/* The square of half the interval of the others' sum, without drift. */
static double square_of(const struct group *g, unsigned f)
{
	double t = student((double)g->n - 1 - g->slopes), k = g->others;

	return k > 0 ? t * t * g->of[f].variance *
			       (k + k * k / g->n + (g->slopes ? g->away * g->away / g->sxx : 0))
		     : 0;
}

/* ---- the launches */
static void figures_of(const struct launch_report *l, uint64_t before, double y[SAMPLE_FIGURES])
{
	y[SAMPLE_CYCLES] = (double)(l->end_cycle - before);
	y[SAMPLE_DRAM_READ] = (double)l->dram_read_bytes;
	y[SAMPLE_DRAM_WRITE] = (double)l->dram_write_bytes;
	y[SAMPLE_L2_SECTORS] = (double)l->l2_sectors;
	y[SAMPLE_L2_HITS] = (double)l->l2_hits;
}

static double instructions_of(const struct launch_report *l)
{
	return (double)(l->warp_instructions + l->untimed_instructions);
}

/* The first time: sums what is known. `before`: the end of the launches before. */
static void take(struct sample_result *r, struct groups *groups, const struct launch_report *l,
	uint64_t before)
{
	struct group *g = group_of(groups, l->kernel);
	enum sample_role role = r->policy->role(++g->own);
	double y[SAMPLE_FIGURES];

	r->instructions += l->warp_instructions + l->untimed_instructions;
	r->timed_instructions += l->warp_instructions;
	r->timed_launches += !l->untimed;
	if (role <= SAMPLE_WARM)
		return;
	figures_of(l, before, y);
	for (unsigned f = 0; f < SAMPLE_FIGURES; f++)
		r->of[f].timed += y[f];
	if (role == SAMPLE_COUNTED && g->n < MOST) {
		g->at[g->n].x = instructions_of(l);
		memcpy(g->at[g->n++].y, y, sizeof(y));
	}
}

/* The second time: predicts the rest. */
static void predict(struct sample_result *r, struct groups *groups, const struct launch_report *l)
{
	struct group *g = group_of(groups, l->kernel);
	double x = instructions_of(l);
	bool alike = x <= ALIKE * g->most && ALIKE * x >= g->least;

	if (r->policy->role(++g->own) > SAMPLE_WARM)
		return;
	if (!alike) {
		r->unlike++;
		r->unlike_instructions += x;
	}
	g->others++;
	g->away += x - g->mean_x;
	for (unsigned f = 0; f < SAMPLE_FIGURES; f++) {
		double y = fmax(g->of[f].mean_y + g->of[f].slope * (x - g->mean_x), 0);

		r->of[f].value += y;
		r->of[f].half += alike ? 0 : y;
	}
}

struct sample_result sample_estimate(
	const struct gpu *gpu, const struct sample_policy *policy, struct arena *arena)
{
	struct sample_result r = {.policy = policy, .launches = chip_launches(gpu)};
	struct groups groups = {.arena = arena};
	struct launch_report l;
	uint64_t before = 0;

	for (unsigned i = 0; i < r.launches; i++) {
		chip_launch_report(gpu, i, &l);
		r.overlap |= l.start_cycle < before || l.end_cycle < before;
		take(&r, &groups, &l, before);
		before = l.end_cycle > before ? l.end_cycle : before;
	}
	for (unsigned i = 0; i < groups.n; i++) {
		fit(groups.at[i]);
		groups.at[i]->own = 0;
	}
	for (unsigned i = 0; i < r.launches; i++) {
		chip_launch_report(gpu, i, &l);
		predict(&r, &groups, &l);
	}
	r.strange = r.unlike_instructions > FEW * (double)r.instructions;
	for (unsigned f = 0; f < SAMPLE_FIGURES; f++) {
		double square = 0;

		for (unsigned i = 0; i < groups.n; i++) {
			const struct group *g = groups.at[i];

			square += square_of(g, f);
			r.of[f].half += g->others * g->of[f].drift / 2;
		}
		r.of[f].half += sqrt(square);
		r.of[f].value += r.of[f].timed;
	}
	return r;
}
