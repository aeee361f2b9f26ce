/* The messages on links: memory packets and CTA messages. Packets carry no data bytes. */
#ifndef MSG_PACKET_H
#define MSG_PACKET_H

#include "core/sim.h"

#define LINE_BYTES 128u
#define GRANULE_BYTES 16u /* the smallest DRAM transaction; 8 of them make a line */
#define FLIT_BYTES 32u

enum packet_kind {
	PACKET_READ,
	PACKET_WRITE,
	PACKET_ATOMIC,
	PACKET_READ_REPLY,
	PACKET_ATOMIC_REPLY,
	PACKET_WRITE_ACK,
	PACKET_KINDS
};

/* The origin of a memory request; kept down to DRAM and in dirty L2 sectors. */
struct origin {
	uint32_t instr;  /* index into the program of the launch */
	uint16_t launch; /* account of the launch: another one's when nothing of it is left */
	uint16_t buffer; /* account of the device buffer, 0: none */
	uint16_t sm;
	uint16_t trip; /* while profiled: index of the request's times in the SM; 0: none */
};

/* A memory request, or the reply to one (same fields, kind changed). */
struct packet {
	uint64_t line; /* device address, multiple of LINE_BYTES */
	struct origin origin;
	uint32_t tag;       /* the requester's own: returned in the reply */
	uint16_t sm;        /* requester: destination of the reply */
	uint16_t slice;     /* L2 slice the line belongs to: destination of the request */
	uint8_t kind;       /* enum packet_kind */
	uint8_t granules;   /* bit i: bytes 16 i .. 16 i + 15 of the line */
	uint8_t lanes;      /* atomics: lanes that operate on the line, or words of their vectors */
	bool wants_ack : 1; /* writes: requires a PACKET_WRITE_ACK (fences wait for it) */
	bool translate : 1; /* the SM's TLB lacks its page; kept in the reply */
	bool walk : 1;      /* a page table entry's read, or its reply */
	bool from_dram : 1; /* a walk's reply: the L2 cache lacked the entry */
	bool copy : 1;      /* a read at the slice that keeps copies of the line's own one */
	uint8_t deepest;    /* atomics: most lanes that operate on one word */
	uint8_t warp;       /* requester: its warp slot */
	uint16_t ptx_line;  /* requester: of its instruction; UINT16_MAX: that one or a later one */
	uint32_t words;     /* atomics: bit i: they operate on bytes 4 i .. 4 i + 3 */
};

/* Bytes of a set of granules, and their number. */
extern const uint8_t packet_granule_bytes[256];

static inline unsigned packet_granules(unsigned granules)
{
	return packet_granule_bytes[granules] / GRANULE_BYTES;
}

/* Bytes of data that travel with a packet. */
static inline unsigned packet_data_bytes(const struct packet *p)
{
	if (p->kind == PACKET_READ || p->kind == PACKET_WRITE_ACK)
		return 0;
	if (p->kind == PACKET_ATOMIC || p->kind == PACKET_ATOMIC_REPLY)
		return p->lanes * 4u;
	return packet_granule_bytes[p->granules];
}

/* Flits of a packet: one for the header, one per `flit_bytes` of data that travel with it. */
static inline unsigned packet_flits_of(const struct packet *p, unsigned flit_bytes)
{
	return 1 + (unsigned)div_up(packet_data_bytes(p), flit_bytes);
}

/* The same for flits of FLIT_BYTES. */
static inline unsigned packet_flits(const struct packet *p)
{
	return packet_flits_of(p, FLIT_BYTES);
}

/* A port that moves a flit a cycle. */
struct packet_port {
	uint32_t bytes;        /* of data in a flit */
	uint32_t header_flits; /* 0: headers travel beside the data; of packets without data 1 */
};

static inline struct packet_port packet_port_plain(void)
{
	return (struct packet_port){FLIT_BYTES, 1};
}

/* Flits of a packet with that number of data bytes. */
static inline unsigned packet_port_data_flits(unsigned bytes, const struct packet_port *port)
{
	return bytes ? port->header_flits + (bytes + port->bytes - 1) / port->bytes : 1;
}

static inline unsigned packet_port_flits(const struct packet *p, const struct packet_port *port)
{
	return packet_port_data_flits(packet_data_bytes(p), port);
}

/* Dispatcher to SM: start this CTA. */
struct cta_start {
	uint64_t cta;         /* flat index in the grid */
	uint64_t cache_bytes; /* L1 of the current split; changes only while the SM is empty */
	uint32_t launch;      /* its account */
};

/* SM to dispatcher: that CTA has finished and its resources are free. */
struct cta_done {
	uint64_t cta;
	uint32_t launch;
	uint32_t sm;
};

extern const struct msg_type packet_type, cta_start_type, cta_done_type;

/* Of each mask of a line's granules: whole blocks of n consecutive ones, those of which the mask
 * has any. n divides the line's 8. */
void packet_blocks(uint8_t blocks[256], unsigned n);

#endif
