/* How many threads of a kernel an SM holds in each design of storage, and what limits them. */
#ifndef CLI_OCCUPANCY_H
#define CLI_OCCUPANCY_H

#include "cli/command.h"
#include "mem/storage/storage.h"

/* The launches of a kernel with the same requirements; of several grids the largest. */
struct occupancy_kernel {
	const char *name, *file;
	const char *source;         /* its name there */
	unsigned launches;          /* 0: of a file, whose grid is unknown */
	uint32_t grid[3], block[3]; /* CTAs, threads */
	uint64_t ctas, threads;     /* of the grid, of a CTA */
	struct storage_need need;
};

enum occupancy_limit {
	LIMIT_REGISTERS,
	LIMIT_SHARED,
	LIMIT_STORAGE, /* registers and shared memory together; neither alone */
	LIMIT_WARP_SLOTS,
	LIMIT_CTA_SLOTS,
	LIMIT_GRID,
	OCCUPANCY_LIMITS
};
struct occupancy_limit_name {
	const char *name, *text; /* for programs, for people */
};
extern const struct occupancy_limit_name occupancy_limit_names[OCCUPANCY_LIMITS];

struct occupancy_row {
	struct storage_split split;         /* all zero: a CTA can never fit */
	struct storage_allowance allowance; /* for the CTAs of --for */
	uint32_t ctas, resident; /* that fit an SM; of them, as many as the grid gives it */
	bool limits[OCCUPANCY_LIMITS];
};

/* A design as configured, "unified 384". */
struct occupancy_design {
	const char *name;
	const struct plugin *plugin;
	void *self;
};
#define OCCUPANCY_DESIGNS 20

struct occupancy {
	const struct options *o;
	const char *target, *code; /* `code`: it is a file whose launches are not known */
	unsigned sms, warp_slots, cta_slots;
	unsigned max_regs;
	const char *allocator;
	struct spill_options spill;
	bool once;                         /* one split for all kernels */
	const struct description *machine; /* and its settings */
	const struct config *config;
	bool carveout; /* the chip's storage has carve-outs */
	struct storage_rules rules;
	struct occupancy_kernel *kernels;
	unsigned nkernels;
	struct occupancy_design designs[OCCUPANCY_DESIGNS];
	unsigned ndesigns;
	struct occupancy_row *rows; /* by kernel and design */
};

/* Makes the designs: partitioned, each split of the Fermi-like one, carve-outs if the chip has
 * them, unified of 128, 256 and 384 KB, with the options' other settings. 0 or -1. */
int occupancy_designs(struct occupancy *, struct arena *, struct err *);

/* Fills the rows by the rules of the designs. */
void occupancy_rows(struct occupancy *, struct arena *);

static inline const struct occupancy_row *occupancy_row(
	const struct occupancy *q, unsigned kernel, unsigned design)
{
	return &q->rows[kernel * q->ndesigns + design];
}

/* Bytes that the resident CTAs use, in the order registers, shared memory; and what the SM has. */
struct occupancy_bytes {
	uint64_t registers, shared, all;
};
struct occupancy_bytes occupancy_bytes(
	const struct occupancy_kernel *, const struct occupancy_row *);

/* "registers, warp slots" */
void occupancy_limits(
	const struct occupancy_row *, const char *separator, bool for_people, struct text *);

/* "64x4"; of a file's kernel without a grid "". */
void occupancy_shape(const uint32_t d[3], struct text *);

int occupancy_json(void *ctx, struct text *);
void occupancy_csv(void *ctx, struct text *);
void occupancy_text(void *ctx, struct text *);
void occupancy_svg(void *ctx, struct text *);

#endif
