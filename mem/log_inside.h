/* Internals of a store log, for the file that fills it and the file that applies it. */
#ifndef MEM_LOG_INSIDE_H
#define MEM_LOG_INSIDE_H

#include "mem/image_inside.h"
#include "mem/log.h"
#include "msg/packet.h"

#define LOG_FILTER_BITS 4096u
#define LOG_LANE_BYTES 16u /* data bytes of a lane that are reserved for every entry */

/* Bytes written by one store, never across lines, or by one lane of an atomic. */
struct log_entry {
	uint64_t addr;
	unsigned char *host;
	uint32_t data;   /* where its bytes start in the data pool */
	uint32_t next;   /* the next entry of its line; 0: none */
	uint32_t atomic; /* index of its atomic instruction; 0: a store */
	uint16_t bytes;
	uint8_t lane; /* of an atomic */
};

/* One atomic instruction. */
struct log_atomic {
	uint32_t *dst[ATOM_PLANES];
	struct atom atom;
	bool has_b;
};

/* A line with entries. */
struct log_line {
	uint64_t line;
	uint32_t first, last; /* its entries */
	uint32_t next;        /* in its hash slot; 0: none */
	uint32_t slot;
	bool atomic; /* loads must wait */
};

/* The entries of one cycle: from `first` to the next slice's. */
struct log_slice {
	uint64_t cycle;
	uint32_t first;
};

struct store_log {
	struct image *image;
	uint64_t cycle;
	/* Entries, atomics and lines are counted from 1 on: 0 means none, and the counts are the
	 * last index in use. */
	uint32_t nentries, natomics, nlines, nslices, data_used;
	uint32_t cursor; /* the next slice to apply */
	uint32_t most;   /* entries before the log counts as full */
	uint32_t room;   /* of the tables */
	unsigned slot_shift;
	struct log_entry *entries;
	struct log_atomic *atomics;
	struct log_line *lines;
	struct log_slice *slices;
	uint32_t *slots; /* hash by line: the slot's first line */
	unsigned char *data;
	uint64_t filter[LOG_FILTER_BITS /
			64]; /* lines that have entries, by hash: "perhaps" or "no" */
};

#endif
