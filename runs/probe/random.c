/* Replacement by chance: frequencies of evicted ways, each victim independent of the one before and
 * of what was used last, and the simplest weights that the frequencies allow. */
#include "runs/probe/policy.h"

#include <math.h>

#define TRIALS 240
#define WEIGHTS_MOST 24u /* their sum */

static void count(const struct victims *v, uint32_t ways, double *share)
{
	for (uint32_t i = 0; i < ways; i++)
		share[i] = 0;
	for (uint32_t i = 0; i < v->n; i++)
		share[v->way[i]] += 1.0 / v->n;
}

/* Pearson's statistic of pairs, within four standard deviations of its mean. */
static bool are_independent(const struct victims *v, uint32_t ways, const double *share)
{
	double chi = 0, cells = 0;

	for (uint32_t a = 0; a < ways; a++)
		for (uint32_t b = 0; b < ways; b++) {
			double expected = share[a] * share[b] * (v->n - 1), seen = 0;

			if (expected <= 0)
				continue;
			for (uint32_t i = 1; i < v->n; i++)
				seen += v->way[i - 1] == a && v->way[i] == b;
			chi += (seen - expected) * (seen - expected) / expected;
			cells++;
		}
	cells = (sqrt(cells) - 1) * (sqrt(cells) - 1);
	return fabs(chi - cells) < 4 * sqrt(2 * cells) + 1;
}

/* A unit is used right before a new one comes: is it spared? */
static bool spares(struct prober *p, const struct level *l, uint32_t used, double share)
{
	uint32_t units[CACHE_MOST + 4], n, gone = 0;
	bool hit[CACHE_MOST + 4];

	for (unsigned trial = 0; trial < TRIALS && !p->bad; trial++) {
		for (n = 0; n < l->ways; n++)
			units[n] = l->base[n];
		units[n++] = l->base[used];
		units[n++] = l->base[l->ways];
		units[n++] = l->base[used];
		level_sequence(p, l, units, n, hit);
		gone += !hit[n - 1];
	}
	return fabs(gone - share * TRIALS) > 4 * sqrt(share * (1 - share) * TRIALS) + 1;
}

/* Weights of the least sum whose shares are within three standard deviations; their sum, or 0. */
static uint32_t weights_of(
	const struct victims *v, uint32_t ways, const double *share, uint32_t *weight)
{
	for (uint32_t sum = ways; sum <= max_u64(ways, WEIGHTS_MOST); sum++) {
		uint32_t all = 0;
		bool fit = true;

		for (uint32_t i = 0; i < ways && fit; i++) {
			double exact;

			weight[i] = (uint32_t)lround(share[i] * sum);
			exact = (double)weight[i] / sum;
			all += weight[i];
			fit = weight[i] &&
			      fabs(exact - share[i]) < 3 * sqrt(exact * (1 - exact) / v->n);
		}
		if (fit && all == sum)
			return sum;
	}
	return 0;
}

/* Whether all ways are evicted alike: none is 4.5 standard deviations off, nor is Pearson's
 * statistic four above its mean. */
static bool are_alike(const struct victims *v, uint32_t ways, const double *share)
{
	double each = 1.0 / ways, chi = 0;

	for (uint32_t i = 0; i < ways; i++) {
		double off = (share[i] - each) * v->n;

		if (fabs(off) > 4.5 * sqrt(each * (1 - each) * v->n))
			return false;
		chi += off * off / (each * v->n);
	}
	return chi < ways - 1 + 4 * sqrt(2.0 * (ways - 1));
}

static const char *weights_words(struct prober *p, uint32_t ways, const uint32_t *weight)
{
	struct text t = {0};
	const char *kept;

	text_add(&t, "random, weights");
	for (uint32_t i = 0; i < ways; i++)
		text_add(&t, "%s%u", i ? "," : " ", weight[i]);
	kept = arena_strdup(p->arena, text_str(&t));
	text_clear(&t);
	return kept;
}

static const char *shares_words(
	struct prober *p, const struct victims *v, uint32_t ways, const double *share)
{
	struct text t = {0};
	const char *kept;

	text_add(&t, "of %u victims", v->n);
	for (uint32_t i = 0; i < ways && i < 16; i++)
		text_add(&t, "%s %.3f", i ? "," : "", share[i]);
	text_add(&t, "%s; each independent of the one before, and of uses", ways > 16 ? " .." : "");
	kept = arena_strdup(p->arena, text_str(&t));
	text_clear(&t);
	return kept;
}

struct verdict random_verdict(struct prober *p, const struct level *l)
{
	struct victims *v = arena_alloc(p->arena, 1, sizeof(*v));
	double share[CACHE_MOST];
	uint32_t weight[CACHE_MOST], sum;
	bool kept = policy_victims(p, l, v);

	if (!kept || v->n < 500 || p->overflow)
		return (struct verdict){NULL, kept ? "too few victims in cyclic passes"
						   : "not every unit that misses is kept"};
	count(v, l->ways, share);
	sum = weights_of(v, l->ways, share, weight);
	if (!are_independent(v, l->ways, share) || spares(p, l, 0, share[0]) ||
		spares(p, l, l->ways - 1, share[l->ways - 1]))
		return (struct verdict){NULL,
			"neither LRU, FIFO nor a list predict the hits, and victims depend on what came before"};
	if (are_alike(v, l->ways, share))
		return (struct verdict){"random", shares_words(p, v, l->ways, share)};
	if (!sum)
		return (struct verdict){NULL, words(p, "random, but no simple weights: %s",
						      shares_words(p, v, l->ways, share))};
	return (struct verdict){
		weights_words(p, l->ways, weight), shares_words(p, v, l->ways, share)};
}
