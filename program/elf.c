/* Sections of an ELF file of 64 bits, little-endian (System V ABI, chapter 4). */
#include "program/inside.h"

#include <string.h>

enum {
	HEADER_BYTES = 64,
	SECTION_BYTES = 64,
	NO_BITS = 8, /* a section without bytes in the file */
	EXTENDED = 0xffff
};

uint16_t read_u16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

uint32_t read_u32(const unsigned char *p)
{
	return read_u16(p) | (uint32_t)read_u16(p + 2) << 16;
}

uint64_t read_u64(const unsigned char *p)
{
	return read_u32(p) | (uint64_t)read_u32(p + 4) << 32;
}

/* A file's table of sections, and the section that holds their names. */
struct sections {
	const struct extent *file;
	const unsigned char *table;
	uint64_t n;
	struct extent names;
};

/* Bytes [from, from + bytes) of the file: 0, or -1 and a message. */
static int part(const struct extent *file, uint64_t from, uint64_t bytes, const char *what,
	struct extent *out, struct err *err)
{
	if (from > file->bytes || bytes > file->bytes - from)
		return err_add(err, ERR_INPUT,
			"%s: %s would be bytes %llu to %llu, and the file has %zu; it is cut off or "
			"damaged",
			file->path, what, (unsigned long long)from,
			(unsigned long long)(from + bytes), file->bytes);
	*out = (struct extent){file->path, file->at + from, (size_t)bytes, (size_t)from};
	return 0;
}

static int contents(const struct sections *s, const unsigned char *header, const char *what,
	struct extent *out, struct err *err)
{
	return part(s->file, read_u64(header + 24), read_u64(header + 32), what, out, err);
}

static int open_sections(struct sections *s, const struct extent *file, struct err *err)
{
	const unsigned char *h = file->at;
	uint64_t from, names;
	struct extent table = {0};

	*s = (struct sections){.file = file};
	if (file->bytes < HEADER_BYTES || h[4] != 2 || h[5] != 1)
		return err_add(err, ERR_INPUT,
			"%s: an ELF file must be one of 64 bits, little-endian", file->path);
	from = read_u64(h + 40);
	s->n = read_u16(h + 60);
	names = read_u16(h + 62);
	if (!from)
		return 0;
	if (read_u16(h + 58) != SECTION_BYTES)
		return err_add(err, ERR_INPUT, "%s: a section header has %u bytes; 64 it must be",
			file->path, read_u16(h + 58));
	if (part(file, from, SECTION_BYTES, "the table of sections", &table, err))
		return -1;
	/* the first section has numbers that do not fit */
	s->n = s->n ? s->n : read_u64(table.at + 32);
	names = names == EXTENDED ? read_u32(table.at + 40) : names;
	if (s->n > file->bytes / SECTION_BYTES || names >= s->n)
		return err_add(err, ERR_INPUT,
			"%s: %llu sections, of which %llu holds the names, do not fit the file",
			file->path, (unsigned long long)s->n, (unsigned long long)names);
	if (part(file, from, s->n * SECTION_BYTES, "the table of sections", &table, err))
		return -1;
	s->table = table.at;
	return contents(s, s->table + names * SECTION_BYTES, "the sections' names", &s->names, err);
}

static int is_named(const struct sections *s, const unsigned char *header, const char *name)
{
	uint32_t at = read_u32(header);
	size_t n = strlen(name) + 1;

	return at <= s->names.bytes && n <= s->names.bytes - at &&
	       !memcmp(s->names.at + at, name, n);
}

unsigned elf_machine(const struct extent *file)
{
	return file->bytes < HEADER_BYTES ? 0 : read_u16(file->at + 18);
}

int elf_section(const struct extent *file, const char *name, struct extent *found, struct err *err)
{
	struct sections s;

	*found = (struct extent){0};
	if (open_sections(&s, file, err))
		return -1;
	for (uint64_t i = 0; s.table && i < s.n; i++) {
		const unsigned char *header = s.table + i * SECTION_BYTES;

		if (read_u32(header + 4) != NO_BITS && is_named(&s, header, name))
			return contents(&s, header, name, found, err);
	}
	return 0;
}
