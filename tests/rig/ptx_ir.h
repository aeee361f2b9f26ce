/* Compiles PTX text in tests up to liveness, and inspects the result. */
#ifndef TESTS_RIG_PTX_IR_H
#define TESTS_RIG_PTX_IR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/alloc/banks.h"
#include "ptx/alloc/fit.h"

#define IR_HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define IR_REGS \
	".reg .pred %p<10>;\n.reg .b16 %h<10>;\n.reg .b32 %r<40>;\n.reg .f32 %f<10>;\n" \
	".reg .b64 %rd<20>;\n.reg .f64 %d<10>;\n"
/* A kernel with parameter `out`; its body begins in line 12. */
#define IR_KERNEL(body) IR_HEAD ".entry k(.param .u64 out)\n{\n" IR_REGS body "}\n"
#define IR_KERNEL_LINE 12

struct ir_test {
	struct arena arena, work, trial;
	jmp_buf escape;
	struct err err;
	struct module out;
	struct ir_module m;
	struct live *live; /* of function 0 */
};

static inline uint16_t ir_op(const char *spelling)
{
	struct form_match form;
	char why[128];
	bool unsupported;

	assert_int_equal(form_match(spelling, &form, why, sizeof(why), &unsupported), 0);
	return form.op;
}

/* Function 0 of the text, with blocks and liveness. */
static inline void ir_open(struct ir_test *t, const char *text)
{
	memset(t, 0, sizeof(*t));
	t->arena.escape = t->work.escape = t->trial.escape = &t->escape;
	if (setjmp(t->escape))
		fail_msg("no memory");
	t->m.ast = ptx_parse("k.ptx", text, strlen(text), &t->arena, &t->err);
	if (!t->m.ast)
		fail_msg("%s", err_text(&t->err));
	t->m.out = &t->out;
	t->m.arena = &t->arena;
	t->m.work = &t->work;
	t->m.trial = &t->trial;
	t->m.selp_op = ir_op("selp.b32");
	t->m.setp_op = ir_op("setp.ne.u32");
	t->m.notes.err = &t->err;
	vars_build(&t->m);
	lower_function(&t->m, 0);
	if (t->err.count)
		fail_msg("%s", err_text(&t->err));
	waits_mark(&t->m);
	cfg_build(&t->m.functions[0], &t->work);
	forward_params(&t->m.functions[0], &t->work);
	t->live = live_compute(&t->m.functions[0], &t->work);
}

static inline void ir_close(struct ir_test *t)
{
	arena_free(&t->arena);
	arena_free(&t->work);
	arena_free(&t->trial);
	err_clear(&t->err);
}

/* Allocates with the plugin of that name. */
static inline void ir_allocate(struct ir_test *t, const char *name)
{
	struct ir_function *f = &t->m.functions[0];
	const struct plugin *plugin = plugin_find(ALLOC_KIND, name, "test", &t->err);
	const struct alloc_ops *ops;
	struct alloc_job job = {.function = f, .live = t->live, .work = &t->work};

	assert_non_null(plugin);
	ops = plugin->ops;
	f->location = arena_alloc(&t->work, f->nvregs + 1, sizeof(*f->location));
	job.location = f->location;
	job.floor = f->max_live;
	f->regs = ops->assign(&job);
	job.class = ALLOC_PREDS;
	job.floor = f->max_preds;
	f->preds = ops->assign(&job);
}

/* Renumbers the assignment of ir_allocate against bank conflicts. */
static inline void ir_spread(struct ir_test *t)
{
	struct ir_function *f = &t->m.functions[0];
	struct alloc_job job = {
		.function = f, .live = t->live, .location = f->location, .work = &t->work};

	alloc_renumber(&job, f->regs);
}

/* Allocates with that register limit and the plugin of that name, spilling if necessary. */
static inline bool ir_fit(struct ir_test *t, const char *name, uint32_t regs, uint32_t preds)
{
	const struct plugin *plugin = plugin_find(ALLOC_KIND, name, "test", &t->err);
	uint32_t none[8] = {0};

	assert_true(t->m.nfunctions <= ARRAY_LEN(none));
	return fit_function(&t->m, 0, plugin->ops, (struct fit_need){regs, preds}, none, none);
}

/* The block that begins in the PTX line, counted from the kernel's body (0). */
static inline uint32_t ir_block_at(const struct ir_test *t, uint32_t line)
{
	const struct ir_function *f = &t->m.functions[0];

	for (uint32_t b = 0; b < f->nblocks; b++)
		if (f->code[f->blocks[b].first].pos.line == IR_KERNEL_LINE + line)
			return b;
	fail_msg("no block begins in line %u", line);
	return 0;
}

#endif
