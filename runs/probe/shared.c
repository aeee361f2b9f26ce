/* Shared memory: cycles by stride give degrees of conflict; a hypothesis of banks is accepted when
 * it predicts them for every stride. */
#include "runs/probe/inside.h"

#include <stdlib.h>

#define LANES 32u

/* Banks, bytes of a bank, and how words are mapped: words of a row of 8-byte banks are `mode` bytes
 * apart (Mei et al., section 4.1). */
struct banks {
	uint32_t n, bytes, mode;
};

static const struct banks hypotheses[] = {{8, 4, 4}, {16, 4, 4}, {32, 4, 4}, {64, 4, 4}, {16, 8, 4},
	{16, 8, 8}, {32, 8, 4}, {32, 8, 8}};

static void place_word(const struct banks *b, uint32_t word, uint32_t *bank, uint32_t *row)
{
	if (b->bytes == 4) {
		*bank = word % b->n;
		*row = word / b->n;
	} else {
		*bank = (b->mode == 4 ? word : word / 2) % b->n;
		*row = word / (2 * b->n);
	}
}

/* Rows in the busiest bank: lanes load words `stride` apart. */
static uint32_t degree(const struct banks *b, uint32_t stride)
{
	uint32_t most = 0;

	for (uint32_t bank = 0; bank < b->n; bank++) {
		uint32_t rows[LANES], n = 0;

		for (uint32_t lane = 0; lane < LANES; lane++) {
			uint32_t at, row, i = 0;

			place_word(b, lane * stride, &at, &row);
			while (i < n && rows[i] != row)
				i++;
			if (at == bank && i == n)
				rows[n++] = row;
		}
		most = n > most ? n : most;
	}
	return most;
}

/* Cycles of a step are base + pass x (degree - 1) for all strides, to a cycle. */
static bool fits(const struct banks *b, const uint32_t *cycles, double *pass)
{
	double base = cycles[0] / (double)VERBS_STEPS, most = 0;

	*pass = 0;
	for (uint32_t s = 0; s <= VERBS_STRIDE_MOST; s++)
		if (degree(b, s) > most) {
			most = degree(b, s);
			*pass = most > 1 ? (cycles[s] / (double)VERBS_STEPS - base) / (most - 1)
					 : 0;
		}
	for (uint32_t s = 0; s <= VERBS_STRIDE_MOST; s++) {
		double step = cycles[s] / (double)VERBS_STEPS - base - *pass * (degree(b, s) - 1);

		if (step > 0.75 || step < -0.75)
			return false;
	}
	return *pass > 0.5;
}

static void say_banks(struct prober *p, const struct banks *b, const uint32_t *cycles, double pass)
{
	static const char shared[] = "shared memory";
	const char *evidence = words(p,
		"the degrees of conflict of all strides from 0 to %u words: "
		"2 words %u, 4 words %u, 6 words %u, 32 words %u",
		VERBS_STRIDE_MOST, degree(b, 2), degree(b, 4), degree(b, 6), degree(b, 32));

	say(p, shared, "latency", cycles[0] / (double)VERBS_STEPS,
		words(p, "%.1f cycles", cycles[0] / (double)VERBS_STEPS),
		"all lanes load one word");
	say(p, shared, "latency of a further pass", pass, words(p, "%.2f cycles", pass), evidence);
	say(p, shared, "banks", b->n, words(p, "%u", b->n), evidence);
	say(p, shared, "bank width", b->bytes, words(p, "%u bytes", b->bytes), evidence);
	if (b->bytes == 8)
		say(p, shared, "mode", b->mode, words(p, "%u-byte", b->mode), evidence);
}

static void say_pairs(struct prober *p)
{
	uint32_t one = 0, two = 0;

	if (p->v->stride(p->v->ctx, 1, 1, &one, p->err) ||
		p->v->stride(p->v->ctx, 1, 2, &two, p->err)) {
		p->bad = true;
		return;
	}
	say(p, "shared memory", "latency of 8 bytes a lane", two / (double)VERBS_STEPS,
		words(p, "%.1f cycles", two / (double)VERBS_STEPS),
		words(p, "neighbouring pairs of words; words take %.1f",
			one / (double)VERBS_STEPS));
}

void probe_shared(struct prober *p)
{
	uint32_t cycles[VERBS_STRIDE_MOST + 1];
	static const char *const unknown[] = {
		"latency", "latency of a further pass", "banks", "bank width", "mode"};
	const struct banks *found = NULL;
	double pass, found_pass = 0;
	unsigned n = 0;

	for (uint32_t s = 0; s <= VERBS_STRIDE_MOST && !p->bad; s++)
		p->bad = p->v->stride(p->v->ctx, s, 1, &cycles[s], p->err);
	for (unsigned i = 0; i < ARRAY_LEN(hypotheses) && !p->bad; i++)
		if (fits(&hypotheses[i], cycles, &pass)) {
			found = &hypotheses[i];
			found_pass = pass;
			n++;
		}
	if (p->bad)
		return;
	if (n == 1)
		say_banks(p, found, cycles, found_pass);
	for (unsigned i = 0; n != 1 && i < ARRAY_LEN(unknown); i++)
		say_not(p, "shared memory", unknown[i],
			words(p, "%u hypotheses of banks predict the cycles of all strides", n));
	say_pairs(p);
}
