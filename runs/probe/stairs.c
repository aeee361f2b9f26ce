/* Latency over footprint, a staircase for each stride (Mei et al., NPC 2014, figure 1; Saavedra and
 * Smith, IEEE TC 1995): a step up is the capacity of a cache or the reach of a TLB. */
#include "runs/probe/inside.h"

#define ACCESSES_MOST 4096u /* of a pass */
#define FOOTPRINT_MOST (UINT32_C(1) << 30)
#define PIECES 16u
#define PIECE 16u /* accesses */

/* From empty caches a pass; then another one, of which all accesses are timed, or pieces spread
 * over it. */
static double mean_cycles(struct prober *p, uint32_t stride, uint32_t n)
{
	uint32_t less = p->one - p->addition;
	double sum = 0;

	p->overflow = false;
	plan_forget(p);
	plan_start(p);
	for (uint32_t i = 0; i < n; i++)
		plan_add(p, i * stride, VERBS_CA, VERBS_TOUCH);
	for (uint32_t i = 0; i < n; i++) {
		bool timed = n <= PIECES * PIECE || i % (n / PIECES) < PIECE;

		plan_add(p, i * stride, VERBS_CA, timed ? VERBS_TIME : VERBS_TOUCH);
	}
	plan_run(p, 0);
	for (uint32_t i = 0; i < p->nresults; i++)
		sum += p->results[i] - less;
	return p->nresults ? sum / p->nresults : 0;
}

static void measure(struct prober *p, uint32_t stride, uint32_t n)
{
	double cycles = mean_cycles(p, stride, n);

	if (!p->bad && p->r->nstairs < PROBE_STAIRS_MOST)
		p->r->stairs[p->r->nstairs++] =
			(struct probe_stair){stride, (double)stride * n, cycles};
}

/* Two footprints an octave. */
void probe_stairs(struct prober *p)
{
	static const uint32_t strides[] = {128, 1 << 10, 8 << 10, 64 << 10, 512 << 10};

	for (unsigned i = 0; i < ARRAY_LEN(strides); i++)
		for (uint32_t n = 4; n <= ACCESSES_MOST && n <= FOOTPRINT_MOST / strides[i];
			n *= 2) {
			measure(p, strides[i], n);
			if (n < ACCESSES_MOST && n < FOOTPRINT_MOST / strides[i])
				measure(p, strides[i], n + n / 2);
		}
}
