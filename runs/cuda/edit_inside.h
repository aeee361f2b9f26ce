/* A scenario that is being written from a recording: memory by address, what the host does as text
 * in which addresses become names when all memory is known. */
#ifndef RUNS_CUDA_EDIT_INSIDE_H
#define RUNS_CUDA_EDIT_INSIDE_H

#include "runs/cuda/inside.h"

/* Device memory under one name: allocations that had the same addresses one after the other are one
 * buffer. */
struct edit_region {
	uint64_t address, bytes;
	unsigned long number; /* of its first allocation */
	buffer_t variable;    /* of a module; 0: it is a buffer */
};

/* What an allocation held: before the first launch, or in the end. */
struct edit_content {
	uint64_t address, bytes;
	char file[32]; /* "": zeros */
	struct text fields;
};

struct edit_contents {
	struct edit_content *all;
	unsigned n;
};

struct edit {
	struct cuda_server *server;
	const char *folder; /* until it is whole: another name */
	struct text steps;
	struct edit_region *regions; /* by address */
	unsigned nregions;
	struct edit_contents first, last;
	unsigned nlaunches, nfiles, nmodules;
	struct text modules[64]; /* the files of each */
	bool many_streams;
	struct err *err;
};

#define EDIT_MODULES ARRAY_LEN(((struct edit *)0)->modules)

int edit_no_memory(struct edit *);

/* Where an address goes into the text: as "buffer: b1, offset: 8" of these keys. */
enum edit_key { EDIT_BUFFER, EDIT_WRITE, EDIT_COPY, EDIT_TO };
void edit_address(struct text *, enum edit_key, uint64_t address);

/* Adds the fields for the addresses that are seen in n bytes: "{at: 8, ...}, {...}". */
void edit_fields(const struct edit *, const unsigned char *bytes, uint64_t n, struct text *);

/* Writes a file of the folder. 0 or -1. */
int edit_file(struct edit *, const char *name, const void *data, size_t n);
/* Writes scenario.yaml. 0 or -1. */
int edit_scenario(struct edit *);

#endif
