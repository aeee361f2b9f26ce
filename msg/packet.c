/* Names and sizes of the messages. */
#include "msg/packet.h"

const struct msg_type packet_type = {"packet", sizeof(struct packet)};
const struct msg_type cta_start_type = {"cta_start", sizeof(struct cta_start)};
const struct msg_type cta_done_type = {"cta_done", sizeof(struct cta_done)};
