#include "tests/rig/pack.h"

#include "core/base.h"

#ifdef HAVE_LZ4
#include <lz4.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include <string.h>

static void put(struct pack *p, uint64_t value, unsigned bytes)
{
	BUG_ON(p->n + bytes > sizeof(p->at));
	for (unsigned i = 0; i < bytes; i++)
		p->at[p->n++] = i < 8 ? (unsigned char)(value >> 8 * i) : 0;
}

static void put_bytes(struct pack *p, const void *data, size_t n)
{
	BUG_ON(p->n + n > sizeof(p->at));
	if (n)
		memcpy(p->at + p->n, data, n);
	p->n += n;
}

static void align(struct pack *p, size_t to)
{
	while (p->n % to)
		put(p, 0, 1);
}

/* The text and its NUL, packed; how many bytes. */
static size_t packed(const struct pack_entry *e, char *out, size_t room)
{
	size_t n = strlen(e->ptx) + 1, bytes = 0;

	BUG_ON(n > room);
	switch (e->how) {
	case PACK_LZ4:
#ifdef HAVE_LZ4
		bytes = (size_t)LZ4_compress_default(e->ptx, out, (int)n, (int)room);
#endif
		break;
	case PACK_ZSTD:
#ifdef HAVE_ZSTD
		bytes = ZSTD_compress(out, room, e->ptx, n, 3);
#endif
		break;
	default:
		memcpy(out, e->ptx, n);
		bytes = n;
	}
	BUG_ON(!bytes || bytes > room);
	return bytes;
}

static void put_entry(struct pack *p, const struct pack_entry *e)
{
	static const uint32_t flags[] = {0, 0x2000, 0x8000, 0x1000};
	char payload[1 << 18] = "machine code";
	size_t bytes = e->ptx ? packed(e, payload, sizeof(payload)) : 16;
	size_t padded = div_up(bytes, 8) * 8;

	put(p, e->ptx ? 1 : 2, 2);
	put(p, 0x0101, 2);
	put(p, 64, 4);
	put(p, padded, 8);
	put(p, e->how == PACK_PLAIN ? 0 : bytes, 4);
	put(p, 0, 4);
	put(p, 9u << 16, 4);
	put(p, e->arch, 4);
	put(p, 0, 8);
	put(p, 0x11u | flags[e->how], 8);
	put(p, 0, 8);
	put(p, e->how == PACK_PLAIN ? 0 : strlen(e->ptx) + 1, 8);
	put_bytes(p, payload, bytes);
	align(p, 8);
}

void pack_fatbin(struct pack *p, const struct pack_entry *e, unsigned n)
{
	static struct pack body;

	body.n = 0;
	for (unsigned i = 0; i < n; i++)
		put_entry(&body, &e[i]);
	put(p, 0xba55ed50u, 4);
	put(p, 1, 2);
	put(p, 16, 2);
	put(p, body.n, 8);
	put_bytes(p, body.at, body.n);
}

static void put_section(struct pack *p, uint32_t name, size_t from, size_t bytes)
{
	put(p, name, 4);
	put(p, 1, 4);
	put(p, 0, 16);
	put(p, from, 8);
	put(p, bytes, 8);
	put(p, 0, 24);
}

void pack_program(struct pack *p, const struct pack_section *s, unsigned n)
{
	size_t from[8], names, name = 1, table;

	BUG_ON(n >= ARRAY_LEN(from));
	put_bytes(p, "\177ELF\2\1\1", 7);
	put(p, 0, 64 - 7);
	for (unsigned i = 0; i < n; i++) {
		from[i] = p->n;
		put_bytes(p, s[i].bytes->at, s[i].bytes->n);
		align(p, 8);
	}
	names = p->n;
	put(p, 0, 1);
	for (unsigned i = 0; i < n; i++)
		put_bytes(p, s[i].name, strlen(s[i].name) + 1);
	from[n] = p->n - names;
	align(p, 8);
	table = p->n;
	put(p, 0, 64);
	for (unsigned i = 0; i < n; i++) {
		put_section(p, (uint32_t)name, from[i], s[i].bytes->n);
		name += strlen(s[i].name) + 1;
	}
	put_section(p, 0, names, from[n]);
	p->at[40] = (unsigned char)table;
	p->at[41] = (unsigned char)(table >> 8);
	p->at[58] = 64;
	p->at[60] = (unsigned char)(n + 2);
	p->at[62] = (unsigned char)(n + 1);
}
