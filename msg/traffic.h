/* Traffic on one side of a link, for the audit at the end of a run. */
#ifndef MSG_TRAFFIC_H
#define MSG_TRAFFIC_H

#include "msg/packet.h"

/* By kind: packets, and the bytes of their granules, requested or carried. */
struct traffic {
	uint64_t packets[PACKET_KINDS], bytes[PACKET_KINDS];
};

static inline void traffic_count(struct traffic *t, const struct packet *p)
{
	t->packets[p->kind]++;
	t->bytes[p->kind] += packet_granule_bytes[p->granules];
}

static inline void traffic_add(struct traffic *to, const struct traffic *from)
{
	for (unsigned i = 0; i < PACKET_KINDS; i++) {
		to->packets[i] += from->packets[i];
		to->bytes[i] += from->bytes[i];
	}
}

#endif
