/* Dispatch policies: which CTA of a launch an SM with space for one takes. A plugin of kind
 * "dispatch" each: a policy (core/policy.h), with state of its own for each launch as well. */
#ifndef CHIP_POLICY_H
#define CHIP_POLICY_H

#include "core/policy.h"

struct dispatcher;
struct launch_state;

/* What a policy may know of a launch and of an SM with space. Only timed CTAs count. SMs are
 * counted among those that the launch may use. */
struct dispatch_view {
	uint64_t ctas;          /* of the launch */
	uint64_t started;       /* of them, on all SMs */
	uint64_t started_here;  /* of them, on this SM */
	unsigned sms, position; /* SMs that the launch may use; this one's position among them */
	/* for dispatch_look */
	const struct dispatcher *dispatcher;
	const struct launch_state *launch;
};

/* The load of one of the launch's SMs. */
struct dispatch_load {
	uint64_t started;     /* CTAs of the launch started there so far */
	uint32_t ctas, warps; /* there now, of all launches */
	uint32_t room;        /* CTAs of the launch for which there is space */
	uint32_t most;        /* the same if the SM were empty */
};
struct dispatch_load dispatch_look(const struct dispatch_view *, unsigned position);

#define NO_CTA UINT64_MAX

struct dispatch_ops {
	/* Bytes of its state of a launch, all zero at first: a constant, and more for each SM that
	 * the launch may use. */
	size_t launch_size, sm_size;

	/* Choosing: the CTA that the SM takes next, or NO_CTA when none is for it now: it is called
	 * again when something has finished. Each CTA of the launch must be returned, once. The SM
	 * may lack space for it. */
	uint64_t (*next)(const void *self, const void *launch, const struct dispatch_view *);
	/* Event: the SM was given that CTA; the view is the one before. May be NULL. */
	void (*started)(void *self, void *launch, const struct dispatch_view *, uint64_t cta);
};

#endif
