/* Names and sizes of the messages. */
#include "msg/packet.h"

const struct msg_type packet_type = {"packet", sizeof(struct packet)};
const struct msg_type cta_start_type = {"cta_start", sizeof(struct cta_start)};
const struct msg_type cta_done_type = {"cta_done", sizeof(struct cta_done)};

#define OF_1(n) \
	(uint8_t)(((n)&1) + ((n) >> 1 & 1) + ((n) >> 2 & 1) + ((n) >> 3 & 1) + ((n) >> 4 & 1) + \
		  ((n) >> 5 & 1) + ((n) >> 6 & 1) + ((n) >> 7 & 1)) * \
		GRANULE_BYTES
#define OF_4(n) OF_1(n), OF_1((n) + 1), OF_1((n) + 2), OF_1((n) + 3)
#define OF_16(n) OF_4(n), OF_4((n) + 4), OF_4((n) + 8), OF_4((n) + 12)
#define OF_64(n) OF_16(n), OF_16((n) + 16), OF_16((n) + 32), OF_16((n) + 48)
const uint8_t packet_granule_bytes[256] = {OF_64(0), OF_64(64), OF_64(128), OF_64(192)};

void packet_blocks(uint8_t blocks[256], unsigned n)
{
	blocks[0] = 0;
	for (unsigned g = 1; g < 256; g++)
		blocks[g] = (uint8_t)(blocks[g & (g - 1)] | ((1u << n) - 1) << low_bit(g) / n * n);
}
