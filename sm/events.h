/* Events of an SM for probes (core/probe.h). */
#ifndef SM_EVENTS_H
#define SM_EVENTS_H

/* Of a CTA: slot and launch in a, and at its start the index in the grid in b. Of its barriers:
 * some warp waits at one; none waits any more. */
enum sm_event { SM_CTA_BEGINS, SM_CTA_ENDS, SM_BARRIER_BEGINS, SM_BARRIER_ENDS };

#define SM_EVENT_A(slot, launch) ((uint32_t)(slot) | (uint32_t)(launch) << 8)
#define SM_EVENT_SLOT(a) ((a)&255u)
#define SM_EVENT_LAUNCH(a) ((a) >> 8)

#endif
