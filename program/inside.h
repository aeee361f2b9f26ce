/* What the parts of the reader share. */
#ifndef PROGRAM_INSIDE_H
#define PROGRAM_INSIDE_H

#include "core/err.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes of the file, and the file's name for messages. */
struct extent {
	const char *path;
	const unsigned char *at;
	size_t bytes;
	size_t from; /* of `at` in the file */
};

/* Numbers are little-endian wherever the host is not. The caller has checked that they are there.
 */
uint16_t read_u16(const unsigned char *);
uint32_t read_u32(const unsigned char *);
uint64_t read_u64(const unsigned char *);

/* What an ELF file's code is for, EM_...; 0: the file is too short to say. */
unsigned elf_machine(const struct extent *file);

/* The section of that name of an ELF file of 64 bits; none: *found is empty (at = NULL). 0, or -1
 * and a message. */
int elf_section(const struct extent *file, const char *name, struct extent *found, struct err *);

enum packing { PACKED_LZ4, PACKED_ZSTD };

/* Unpacks into exactly `bytes` bytes. 0, or -1 and a message. */
int unpack(const struct extent *packed, enum packing, char *out, size_t bytes, struct err *);

#endif
