/* Writes kernels that execute opcodes of the semantics table: each thread loads its own operands,
 * executes the opcode once and stores all its results. */
#ifndef TESTS_RIG_FORM_WRITER_H
#define TESTS_RIG_FORM_WRITER_H

#include "core/text.h"
#include "ptx/isa/forms.h"

#define FORM_THREADS 64u                    /* of one CTA */
#define FORM_IN_BYTES (256u * FORM_THREADS) /* of operands */
#define FORM_SLOT_BYTES (32u * FORM_THREADS)

/* Texels that kernels fetch, and write as surfaces: 16 bytes or 4 each. */
#define FORM_TEXELS_WIDE 64u /* a side of x */
#define FORM_TEXELS_HIGH 4u
#define FORM_TEXELS_DEEP 4u

struct form_writer {
	struct text *text;
	unsigned bits;  /* of an address */
	unsigned slots; /* written so far, of FORM_SLOT_BYTES in the kernel's results */
};

/* The text before all kernels. */
void form_writer_head(struct form_writer *);

/* A kernel (in, out: addresses; texture, texel, surface: handles of 64 bits; given: 32 bytes). */
void form_kernel_begin(struct form_writer *, const char *name);
void form_kernel_end(struct form_writer *);

/* The body for one opcode. `where` is the state space of a generic address: 0 global, 1 shared, 2
 * local memory. */
void form_write(
	struct form_writer *, const char *spelling, const struct form_match *, unsigned where);

#endif
