/* Compiling whole modules in tests. */
#ifndef TESTS_RIG_PTX_BUILD_H
#define TESTS_RIG_PTX_BUILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base.h"
#include "core/text.h"
#include "ptx/isa/program.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define REGS \
	".reg .pred %p<10>;\n.reg .b16 %h<10>;\n.reg .b32 %r<40>;\n.reg .u32 %u<10>;\n" \
	".reg .f32 %f<10>;\n.reg .b64 %rd<20>;\n.reg .f64 %d<10>;\n"
#define KERNEL(name, body) ".entry " name "(.param .u64 out, .param .f32 x)\n{\n" REGS body "}\n"
#define FIRST_LINE 13 /* of the body of the first kernel after HEAD */

struct built {
	struct arena arena;
	struct err err;
	struct module *m;
	const struct program *k; /* the first kernel */
	jmp_buf escape;
};

static inline void build_with(
	struct built *b, const char *text, const struct compile_options *options)
{
	memset(b, 0, sizeof(*b));
	b->arena.escape = &b->escape;
	if (setjmp(b->escape))
		fail_msg("no memory");
	b->m = module_compile("k.ptx", text, strlen(text), options, &b->arena, &b->err);
	if (b->m && b->m->nkernels)
		b->k = b->m->kernels[0];
}

static inline void build(struct built *b, const char *text)
{
	build_with(b, text, NULL);
	if (b->err.count)
		fail_msg("%s", err_text(&b->err));
	assert_non_null(b->k);
}

static inline void drop(struct built *b)
{
	arena_free(&b->arena);
	err_clear(&b->err);
}

/* The word of constant plane `index`. */
static inline uint32_t word(const struct program *p, unsigned index)
{
	assert_true(index < p->nconsts);
	assert_int_equal(p->consts[index * WARP_LANES], p->consts[index * WARP_LANES + 31]);
	return p->consts[index * WARP_LANES];
}

static inline uint64_t constant(const struct program *p, const struct operand *o)
{
	assert_int_equal(o->kind, OPND_CONST);
	return word(p, o->index) | (o->words == 2 ? (uint64_t)word(p, o->index + 1u) << 32 : 0);
}

#endif
