/* Text from outside escaped: UTF-8 by RFC 3629, marks that reorder text by Unicode's UAX #9. */
#include "core/plain.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base.h"

/* Code points that control a terminal instead of being printed. */
static const struct {
	uint32_t first, last;
} unprintable[] = {
	{0x00, 0x1f},       /* C0 */
	{0x7f, 0x9f},       /* DEL, C1 */
	{0x61c, 0x61c},     /* Arabic letter mark */
	{0x200e, 0x200f},   /* left-to-right and right-to-left marks */
	{0x2028, 0x202e},   /* separators of lines and paragraphs; embeddings, overrides */
	{0x2060, 0x206f},   /* invisible operators; isolates */
	{0xfeff, 0xfeff},   /* byte order mark */
	{0xfff9, 0xfffb},   /* annotations between lines */
	{0xe0000, 0xe007f}, /* tags */
};

/* The length of a character with this first byte; 0: not a first byte. */
static unsigned length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead < 0xc2 || lead > 0xf4)
		return 0;
	return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* The code point at s, and its length; 0 bytes: invalid UTF-8. */
static size_t decode(const char *s, size_t n, uint32_t *point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char lead = (unsigned char)*s;
	size_t bytes = length(lead);

	if (!bytes || bytes > n)
		return 0;
	*point = bytes == 1 ? lead : lead & (0x7fu >> bytes);
	for (size_t i = 1; i < bytes; i++) {
		unsigned char next = (unsigned char)s[i];

		if ((next & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (next & 0x3f);
	}
	if (*point < least[bytes] || *point > 0x10ffff || (*point >= 0xd800 && *point <= 0xdfff))
		return 0;
	return bytes;
}

static bool is_printable(uint32_t point)
{
	for (size_t i = 0; i < ARRAY_LEN(unprintable); i++)
		if (point >= unprintable[i].first && point <= unprintable[i].last)
			return false;
	return true;
}

size_t plain_step(const char *s, size_t n, char out[PLAIN_BYTES])
{
	static const char short_names[][3] = {['\n'] = "\\n", ['\t'] = "\\t", ['\r'] = "\\r"};
	uint32_t point;
	size_t bytes = decode(s, n, &point);

	if (!bytes) {
		snprintf(out, PLAIN_BYTES, "\\x%02x", (unsigned char)*s);
		return 1;
	}
	if (is_printable(point)) {
		memcpy(out, s, bytes);
		out[bytes] = '\0';
	} else if (point < ARRAY_LEN(short_names) && *short_names[point]) {
		memcpy(out, short_names[point], sizeof(short_names[point]));
	} else {
		snprintf(out, PLAIN_BYTES, point < 0x80 ? "\\x%02x" : "\\u%04x", point);
	}
	return bytes;
}

size_t plain_whole(const char *s, size_t n)
{
	for (size_t back = 1; back <= 3 && back <= n; back++) {
		unsigned char c = (unsigned char)s[n - back];

		if ((c & 0xc0) != 0x80)
			return length(c) > back ? n - back : n;
	}
	return n;
}
