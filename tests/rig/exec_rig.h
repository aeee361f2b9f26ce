/* Runs kernels on the executor alone, over a flat device memory of 64 KB. */
#ifndef TESTS_RIG_EXEC_RIG_H
#define TESTS_RIG_EXEC_RIG_H

#include "core/base.h"
#include "ptx/exec/barrier.h"
#include "ptx/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define RIG_BYTES 65536u
#define RIG_WORDS (RIG_BYTES / 4)

struct rig {
	uint32_t words[RIG_WORDS]; /* device memory, from GENERIC_GLOBAL_BASE on */
	int retries;               /* number of accesses that return EXEC_RETRY first */
	const char *allocator;     /* of registers; NULL: the default */
	enum schedule_kind schedule;
	bool merge;
	unsigned schedule_extra, max_regs;
	struct spill_options spill;
	const struct levels_options *levels;             /* NULL: no hierarchy */
	void (*prepare)(struct rig *, struct program *); /* of the kernel; NULL: the original */
	struct arena arena;
	struct module *module;
	struct grid grid;
	struct untimed_counts counts;
	struct fault fault;
	char what[512]; /* the fault in words */
	struct exec_output output;
	char text[4096]; /* text printed; text_full: how often it is refused first */
	size_t text_n;
	int text_full;
	const struct texture_table *textures;
	const unsigned char *params;       /* NULL: the address of device memory */
	const struct untimed_watch *watch; /* NULL: none */
	struct texels *texels;             /* receives the last fetch's texels; NULL: none */
};

static inline bool rig_print(void *ctx, const char *text, size_t n)
{
	struct rig *r = ctx;

	if (r->text_full > 0) {
		r->text_full--;
		return false;
	}
	n = n < sizeof(r->text) - 1 - r->text_n ? n : sizeof(r->text) - 1 - r->text_n;
	memcpy(r->text + r->text_n, text, n);
	r->text_n += n;
	return true;
}

static inline int rig_check(struct rig *r, const struct access *a)
{
	unsigned i;

	if (r->retries > 0) {
		r->retries--;
		return EXEC_RETRY;
	}
	for (i = 0; i < WARP_LANES; i++)
		if ((a->mask >> i & 1) && a->addr[i] - GENERIC_GLOBAL_BASE > RIG_BYTES - a->bytes)
			return 1 + (int)i;
	return 0;
}

static inline unsigned char *rig_at(struct rig *r, uint64_t address)
{
	return (unsigned char *)r->words + (address - GENERIC_GLOBAL_BASE);
}

static inline int rig_load(void *ctx, const struct access *a, unsigned char *data)
{
	int answer = rig_check(ctx, a);
	unsigned i;

	for (i = 0; answer == 0 && i < WARP_LANES; i++)
		if (a->mask >> i & 1)
			memcpy(data + (size_t)i * a->bytes, rig_at(ctx, a->addr[i]), a->bytes);
	return answer;
}

static inline int rig_store(void *ctx, const struct access *a, const unsigned char *data)
{
	int answer = rig_check(ctx, a);
	unsigned i;

	for (i = 0; answer == 0 && i < WARP_LANES; i++)
		if (a->mask >> i & 1)
			memcpy(rig_at(ctx, a->addr[i]), data + (size_t)i * a->bytes, a->bytes);
	return answer;
}

static inline int rig_atomic(void *ctx, const struct access *a, const unsigned char *data,
	const unsigned char *data_b, uint32_t *const *dst)
{
	const struct atom atom = {a->atom_op, a->mem_type, a->vec};
	int answer = rig_check(ctx, a);
	unsigned i;

	for (i = 0; answer == 0 && i < WARP_LANES; i++) {
		size_t at = (size_t)i * a->bytes;

		if (a->mask >> i & 1)
			atom_lane(&atom, rig_at(ctx, a->addr[i]), data + at,
				data_b ? data_b + at : NULL, i, dst);
	}
	return answer;
}

static inline struct exec_memory rig_memory(struct rig *r)
{
	return (struct exec_memory){.ctx = r,
		.load = rig_load,
		.store = rig_store,
		.atomic = rig_atomic,
		.output = &r->output,
		.texels = r->texels};
}

/* PTX of kernel k with one parameter, the address of device memory, preceded by `functions`. */
#define RIG_KERNEL_WITH(functions, declarations, body) \
	".version 7.0\n.target sm_70\n.address_size 64\n" functions \
	".visible .entry k(.param .u64 out)\n{\n" \
	".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 " \
	"%f<8>;\n" declarations \
	"ld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 4;\n" \
	"add.s64 %rd1, %rd0, %rd1;\n" body "}\n"
#define RIG_KERNEL(body) RIG_KERNEL_WITH("", "", body)

static inline int rig_run_limited(
	struct rig *r, const char *text, uint32_t ctas, uint32_t threads, uint64_t limit)
{
	struct untimed_limits limits = {.warp_instructions = limit, .watch = r->watch};
	struct exec_memory memory = rig_memory(r);
	uint64_t base = GENERIC_GLOBAL_BASE;
	struct err err = {0};
	jmp_buf escape;
	int answer;

	r->output = (struct exec_output){r, rig_print};
	r->text_n = 0;
	memset(r->text, 0, sizeof(r->text));
	r->arena.escape = &escape;
	if (setjmp(escape))
		fail_msg("no memory");
	r->module = module_compile("k.ptx", text, strlen(text),
		&(struct compile_options){.allocator = r->allocator,
			.schedule = r->schedule,
			.merge = r->merge,
			.schedule_extra = r->schedule_extra,
			.max_regs = r->max_regs,
			.spill = r->spill,
			.levels = r->levels},
		&r->arena, &err);
	if (err.count)
		fail_msg("%s", err_text(&err));
	if (r->prepare)
		r->prepare(r, r->module->kernels[0]);
	r->grid = (struct grid){.program = module_kernel(r->module, "k", &err),
		.grid = {ctas, 1, 1},
		.block = {threads, 1, 1},
		.params = r->params ? r->params : (const unsigned char *)&base,
		.textures = r->textures};
	answer = untimed_run(&r->grid, 0, 1, lanes_select(NULL, NULL), &memory, &limits, &r->counts,
		&r->fault, &err);
	if (answer != 0 && r->fault.kind != FAULT_NONE)
		fault_describe(&r->fault, r->grid.program, r->what, sizeof(r->what));
	arena_free(&r->arena);
	return answer;
}

/* Runs the text's kernel k; when it returns -1 the fault is in r->what. */
static inline int rig_run(struct rig *r, const char *text, uint32_t ctas, uint32_t threads)
{
	return rig_run_limited(r, text, ctas, threads, 1000000);
}

#endif
