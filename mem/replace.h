/* Replacement policies: which way of a set gives way. A plugin of kind "replacement" each. */
#ifndef MEM_REPLACE_H
#define MEM_REPLACE_H

#include "core/plugin.h"
#include "core/rng.h"

/* State of one set: an order word per way, whose meaning is the policy's; all zero when nothing was
 * filled yet. */
struct replace_ops {
	void (*filled)(uint32_t *order, unsigned ways, unsigned way, struct rng *);
	void (*touched)(uint32_t *order, unsigned ways, unsigned way);
	/* All ways are valid; answers the victim. */
	unsigned (*victim)(const uint32_t *order, unsigned ways, struct rng *);
};

#endif
