/* What an SM tells of to whoever looks (core/probe.h). */
#ifndef SM_EVENTS_H
#define SM_EVENTS_H

/* Of a CTA: its slot and its launch in a, and when it begins its index in the grid as b. Of its
 * barriers: that some warp waits at one, that none does any more. */
enum sm_event { SM_CTA_BEGINS, SM_CTA_ENDS, SM_BARRIER_BEGINS, SM_BARRIER_ENDS };

#define SM_EVENT_A(slot, launch) ((uint32_t)(slot) | (uint32_t)(launch) << 8)
#define SM_EVENT_SLOT(a) ((a)&255u)
#define SM_EVENT_LAUNCH(a) ((a) >> 8)

#endif
