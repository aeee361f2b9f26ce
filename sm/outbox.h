/* Requests of the SM that wait for its port to the network, in order. Without a queue of misses a
 * request of the tag stage is sent at once, or the stage waits. */
#ifndef SM_OUTBOX_H
#define SM_OUTBOX_H

#include "core/table.h"
#include "msg/packet.h"

struct sm;
struct arena;

struct outbox {
	struct packet *ring;
	uint32_t size, head, n;
	uint32_t misses; /* of them, those of the tag stage */
	uint32_t others; /* the most packets beside those, which always find space */
};

void outbox_init(struct sm *, struct arena *);

/* Sends another packet, or lets it wait. */
void outbox_add(struct sm *, const struct packet *);

/* Sends what the port takes now. */
void outbox_send(struct sm *);

#endif
