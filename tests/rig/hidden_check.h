/* Compares what the prober found with the hidden machine. */
#ifndef TESTS_RIG_HIDDEN_CHECK_H
#define TESTS_RIG_HIDDEN_CHECK_H

#include "runs/probe/probe.h"
#include "tests/rig/hidden.h"

struct hidden_score {
	unsigned asked, wrong, unknown; /* items */
};

/* Each item of these parts; what is wrong, or without a reason, is printed. */
void hidden_check(
	const struct hidden *, const struct probe_report *, unsigned parts, struct hidden_score *);

/* Probes these parts of a machine that was set, and checks them. */
void hidden_judge(struct hidden *, unsigned parts, struct hidden_score *);

#endif
