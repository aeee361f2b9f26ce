/* Dispatch policies: which CTA of a launch an SM that has room for one takes. A plugin of kind
 * "dispatch" each; policies only choose. */
#ifndef CHIP_POLICY_H
#define CHIP_POLICY_H

#include "core/plugin.h"

/* What a policy may know of a launch and of an SM that has room. CTAs count by those that run in
 * time. */
struct dispatch_view {
	uint64_t ctas;          /* of the launch */
	uint64_t started;       /* of them, on all SMs */
	uint64_t started_here;  /* of them, on this SM */
	unsigned sms, position; /* SMs that the launch may use; this one's place among them */
};

#define NO_CTA UINT64_MAX

struct dispatch_ops {
	/* The CTA that the SM takes next, or NO_CTA when none is for it now. What the answers start
	 * must be every CTA of the launch, each once. */
	uint64_t (*next)(const struct dispatch_view *);
};

#endif
