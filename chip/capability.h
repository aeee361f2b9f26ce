/* What CUDA publishes of the SMs of each compute capability: how they allocate storage, and how
 * much they have. */
#ifndef CHIP_CAPABILITY_H
#define CHIP_CAPABILITY_H

#include "core/config.h"

struct capability {
	const char *name;          /* "7.0" */
	unsigned warps, ctas;      /* of an SM */
	unsigned registers;        /* of an SM */
	unsigned cta_registers;    /* of a CTA, at most */
	unsigned thread_registers; /* of a thread, at most */
	unsigned register_unit;    /* of a warp */
	unsigned register_files;   /* of an SM */
	unsigned cta_warp_unit;    /* see occupancy.cta_warp_unit */
	unsigned cta_shared_kb;    /* of a CTA, at most */
	unsigned shared_unit;      /* bytes of a CTA */
	unsigned shared_reserved;  /* bytes of every CTA */
	unsigned store_kb;         /* shared memory and cache together; 0: they are separate */
	const char *design;        /* of chip.storage */
	const char *capacities;    /* of shared memory, KB, in rising order: one, or carve-outs */
	const char *source;
};

/* The last one's name is NULL. */
extern const struct capability capabilities[];

/* The compute capability that occupancy.cc names, if any, gives defaults to that table's other
 * parameters, and to slots and capacities of the SM; settings override them. Called when all
 * settings are entered. 0, or -1 and a message. */
int capability_defaults(struct config *, struct err *);

/* The chip's compute capability as an architecture, 75 for 7.5; CODE_NEWEST where it has none. */
unsigned chip_arch(struct config *);

#endif
