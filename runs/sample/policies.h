/* The policies of sampling, a file each. */
#ifndef RUNS_SAMPLE_POLICIES_H
#define RUNS_SAMPLE_POLICIES_H

#include "runs/sample/sample.h"

extern const struct sample_policy sample_launches, sample_ctas, sample_interval, sample_spread_out,
	sample_within, sample_auto;

#endif
