/* The contents of each workload: its kernels, as an untimed run at size small launches them. */
#ifndef CLI_CATALOGUE_H
#define CLI_CATALOGUE_H

#include "chip/chip.h"
#include "core/mem.h"
#include "core/plugin.h"

/* The launches of one kernel. */
struct catalogue_kernel {
	struct launch_report first;
	unsigned launches;
	bool same_grid;
};

struct catalogue_entry {
	const struct plugin *workload;
	struct catalogue_kernel *kernels; /* in the order of their first launch */
	unsigned nkernels, launches;
	uint64_t warp_instructions;
};

/* Fills the entry of a workload (a plugin), whose PTX has addresses of 32 or 64 bits; names are in
 * the arena. 0, or -1 with a message. */
int catalogue_look(const struct plugin *workload, unsigned address_bits, struct arena *,
	struct catalogue_entry *, struct err *);

#endif
