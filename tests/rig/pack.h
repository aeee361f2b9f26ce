/* Writes fat binaries and the programs around them, as nvcc and clang lay them out. */
#ifndef TESTS_RIG_PACK_H
#define TESTS_RIG_PACK_H

#include <stddef.h>
#include <stdint.h>

struct pack {
	unsigned char at[1 << 18];
	size_t n;
};

enum pack_how { PACK_PLAIN, PACK_LZ4, PACK_ZSTD, PACK_OLD };

/* Code for one architecture. */
struct pack_entry {
	unsigned arch;
	const char *ptx; /* NULL: machine code */
	enum pack_how how;
};

/* Appends a fat binary of n entries. Aborts where a compression is not built in. */
void pack_fatbin(struct pack *, const struct pack_entry *, unsigned n);

/* A section of a program. */
struct pack_section {
	const char *name;
	const struct pack *bytes;
};

/* Appends an ELF file of 64 bits with these sections. */
void pack_program(struct pack *, const struct pack_section *, unsigned n);

#endif
