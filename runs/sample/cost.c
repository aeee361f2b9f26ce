/* Host instructions of a sampled run and of a complete one, by what each does and what that costs:
 * figures of the model alone, which neither the host nor its threads change. */
#include "runs/sample/sample.h"

/* Of m12, by cachegrind: least squares of relative errors over all workloads at size small
 * (doc/performance.md, "Sampling"). Bytes of DRAM add nothing. */
#define EXECUTES 630.0 /* a warp instruction, */
#define TIMES 1000.0   /* in time, also */
#define ASKS 2700.0    /* a sector that the L2 is asked for, */
#define PASSES 100.0   /* a cycle of the chip */
#define WARMS 420.0    /* a sector that the L2 is asked for without time */

/* What is in time. */
static double timed(double instructions, const double of[SAMPLE_FIGURES])
{
	return TIMES * instructions + ASKS * of[SAMPLE_L2_SECTORS] + PASSES * of[SAMPLE_CYCLES];
}

double sample_speedup(const struct sample_result *r)
{
	double all[SAMPLE_FIGURES], part[SAMPLE_FIGURES];
	double execution = EXECUTES * (double)r->instructions, warming, sampled;

	for (unsigned f = 0; f < SAMPLE_FIGURES; f++) {
		all[f] = r->of[f].value;
		part[f] = r->of[f].timed;
	}
	warming = WARMS * (all[SAMPLE_L2_SECTORS] - part[SAMPLE_L2_SECTORS]);
	sampled = execution + warming + timed((double)r->timed_instructions, part);
	return sampled > 0 ? (execution + timed((double)r->instructions, all)) / sampled : 1;
}
