/* Writes kernels that execute opcodes of the semantics table: each thread loads its own operands,
 * executes the opcode once and stores all its results. */
#ifndef RUNS_FORM_WRITER_H
#define RUNS_FORM_WRITER_H

#include "core/text.h"
#include "ptx/isa/forms.h"

#define FORM_THREADS 64u                    /* of one CTA */
#define FORM_IN_BYTES (256u * FORM_THREADS) /* of operands */
#define FORM_SLOT_BYTES (32u * FORM_THREADS)

/* Texels that kernels fetch, and write as surfaces: 16 bytes or 4 each. */
#define FORM_TEXELS_WIDE 64u /* a side of x */
#define FORM_TEXELS_HIGH 4u
#define FORM_TEXELS_DEEP 4u

/* A slot of a kernel's results: what each thread's 32 bytes hold. */
struct form_slot {
	uint8_t type; /* enum ptx_type */
	uint8_t count;
};
#define FORM_SLOTS 24

struct form_writer {
	struct text *text;
	unsigned bits; /* of an address */
	unsigned ctas; /* of a launch, at most; a slot has FORM_SLOT_BYTES for each */
	const char *version, *target;      /* of the module: "8.8", "sm_100" */
	unsigned slots;                    /* written so far in the kernel's results */
	struct form_slot slot[FORM_SLOTS]; /* the first ones of the kernel */
};

/* The text before all kernels. */
void form_writer_head(struct form_writer *);

/* A kernel whose thread t of CTA c reads FORM_IN_BYTES * c + 256 * t on, and writes 32 bytes at
 * 32 * t of CTA c's part of each slot (in, out: addresses; texture, texel, surface: handles of 64
 * bits; given: 32 bytes). */
void form_kernel_begin(struct form_writer *, const char *name);
void form_kernel_end(struct form_writer *);

/* The body for one opcode. `where` is the state space of a generic address: 0 global, 1 shared, 2
 * local memory. */
void form_write(
	struct form_writer *, const char *spelling, const struct form_match *, unsigned where);

#endif
