/* The wire format of Protocol Buffers, writing only. */
#include "core/proto.h"

#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2 };

static void add_byte(struct proto *p, unsigned byte)
{
	if (p->n == PROTO_BYTES)
		p->failed = true;
	else
		p->bytes[p->n++] = (unsigned char)byte;
}

static void add_varint(struct proto *p, uint64_t value)
{
	for (; value > 127; value >>= 7)
		add_byte(p, (unsigned)(value & 127) | 128);
	add_byte(p, (unsigned)value);
}

static void add_tag(struct proto *p, unsigned field, enum wire wire)
{
	add_varint(p, (uint64_t)field << 3 | wire);
}

void proto_uint(struct proto *p, unsigned field, uint64_t value)
{
	add_tag(p, field, WIRE_VARINT);
	add_varint(p, value);
}

void proto_double(struct proto *p, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	add_tag(p, field, WIRE_64);
	for (unsigned i = 0; i < 64; i += 8)
		add_byte(p, (unsigned)(bits >> i) & 255);
}

void proto_string(struct proto *p, unsigned field, const char *s)
{
	add_tag(p, field, WIRE_BYTES);
	add_varint(p, strlen(s));
	for (; *s; s++)
		add_byte(p, (unsigned char)*s);
}

uint32_t proto_open(struct proto *p, unsigned field)
{
	add_tag(p, field, WIRE_BYTES);
	add_byte(p, 0);
	return p->n;
}

/* One byte is reserved for the length; for a longer one the content is moved. */
void proto_close(struct proto *p, uint32_t opened)
{
	uint32_t n = p->n - opened;

	if (p->failed)
		return;
	if (n < 128) {
		p->bytes[opened - 1] = (unsigned char)n;
		return;
	}
	BUG_ON(n >= 128 * 128);
	add_byte(p, 0);
	if (p->failed)
		return;
	memmove(p->bytes + opened + 1, p->bytes + opened, n);
	p->bytes[opened - 1] = (unsigned char)((n & 127) | 128);
	p->bytes[opened] = (unsigned char)(n >> 7);
}
