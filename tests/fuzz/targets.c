/* Fuzzed text is parsed, or compiled, linked and executed. */
#include "tests/fuzz/targets.h"

#include <setjmp.h>
#include <string.h>

#include "core/base.h"
#include "mem/image.h"
#include "ptx/exec/exec.h"
#include "ptx/front/ast.h"

#define FEW_INSTRUCTIONS 1000u /* of a CTA */
#define FEW_KERNELS 8u
#define FEW_VARIABLES 64u
#define FEW_BYTES 65536u /* of a variable, of shared memory, of a thread's frames */
#define BUFFER_BYTES 4096u
#define SEPARATOR "\n//---\n"
#define MOST_TEXTS 4u
#define MOST_THREADS 128u /* of a CTA */

/* All objects of an input. Outside the function that calls setjmp, so that it is intact after a
 * jump. */
struct made {
	jmp_buf escape;
	struct arena arena;
	struct err err;
	struct image *image;
	uint64_t buffer; /* address */
	unsigned run;    /* kernels */
	struct module_text texts[MOST_TEXTS];
	unsigned ntexts;
};

static void drop(struct made *made)
{
	arena_free(&made->arena);
	err_clear(&made->err);
	image_free(made->image);
}

static void read_text(struct made *made, const char *text, size_t bytes)
{
	made->arena.escape = &made->escape;
	if (setjmp(made->escape))
		return;
	/* a module or messages, never both or neither */
	BUG_ON(!ptx_parse("fuzz.ptx", text, bytes, &made->arena, &made->err) == !made->err.count);
}

void fuzz_read(const unsigned char *text, size_t bytes)
{
	struct made made = {0};

	read_text(&made, (const char *)text, bytes);
	drop(&made);
}

/* ---- compiling and executing. */

static void place_variable(struct made *made, struct module *m, uint32_t v)
{
	const struct module_var *var = &m->vars[v];
	unsigned buffer = 0;

	if (v < FEW_VARIABLES && var->bytes > 0 && var->bytes <= FEW_BYTES)
		buffer = image_add(made->image, var->name, var->bytes, true, &made->err);
	module_place(m, v, buffer ? image_address(made->image, buffer) : GENERIC_GLOBAL_BASE);
}

static void write_variable(struct made *made, const struct module *m, uint32_t v)
{
	const struct module_var *var = &m->vars[v];
	unsigned char *bytes = image_bytes_at(made->image, var->address, var->bytes);

	if (v < FEW_VARIABLES && bytes && var->bytes <= FEW_BYTES)
		module_var_init(m, v, bytes);
}

/* Pointers point to the buffer, other words are small numbers. */
static void fill_params(const struct made *made, const struct program *p, unsigned char *params)
{
	uint64_t number = 7;

	for (uint32_t k = 0; k < p->nparams; k++) {
		const struct param_slot *slot = &p->params[k];
		bool pointer = slot->bytes * 8 == p->module->address_bits && k % 3 != 2;

		BUG_ON((uint64_t)slot->offset + slot->bytes > p->param_bytes);
		memcpy(params + slot->offset, pointer ? &made->buffer : &number,
			min_u64(slot->bytes, sizeof(number)));
	}
}

static void set_block(const struct program *p, uint32_t *block)
{
	uint64_t threads = 1;

	for (unsigned k = 0; k < 3; k++)
		threads = min_u64(threads * p->reqntid[k], MOST_THREADS + 1);
	if (threads > 0 && threads <= MOST_THREADS)
		memcpy(block, p->reqntid, sizeof(p->reqntid));
}

static void run_kernel(struct made *made, const struct program *p)
{
	unsigned char *params = arena_alloc(&made->arena, p->param_bytes + 1u, 1);
	struct grid grid = {.program = p, .grid = {2, 1, 1}, .block = {40, 1, 1}, .params = params};
	const struct untimed_limits limits = {.warp_instructions = FEW_INSTRUCTIONS};
	const struct exec_memory memory = image_memory(made->image);
	struct untimed_counts counts = {0};
	struct fault fault = {0};
	char why[256];

	if (p->local_bytes > FEW_BYTES || p->shared_bytes > FEW_BYTES)
		return;
	grid.dynamic_shared_bytes = p->dynamic_shared ? 256 : 0;
	made->run++;
	fill_params(made, p, params);
	set_block(p, grid.block);
	if (untimed_run(&grid, 0, 1, lanes_select(NULL, &made->err), &memory, &limits, &counts,
		    &fault, &made->err) &&
		fault.kind != FAULT_NONE)
		fault_describe(&fault, p, why, sizeof(why));
}

static void run_module(struct made *made, struct module *m)
{
	unsigned buffer;

	made->image = image_new(&made->err);
	if (!made->image)
		return;
	buffer = image_add(made->image, "buffer", BUFFER_BYTES, true, &made->err);
	if (!buffer)
		return;
	made->buffer = image_address(made->image, buffer);
	for (uint32_t v = 0; v < m->nvars; v++)
		place_variable(made, m, v);
	module_link(m);
	for (uint32_t v = 0; v < m->nvars; v++)
		write_variable(made, m, v);
	for (uint32_t k = 0; k < m->nkernels && k < FEW_KERNELS; k++)
		run_kernel(made, m->kernels[k]);
}

/* A text with separators is several modules to be linked. */
static unsigned split(const char *text, size_t bytes, struct module_text out[MOST_TEXTS])
{
	const size_t len = strlen(SEPARATOR);
	size_t start = 0;
	unsigned n = 0;

	for (size_t at = 0; at + len <= bytes && n < MOST_TEXTS - 1; at++) {
		if (memcmp(text + at, SEPARATOR, len) != 0)
			continue;
		out[n++] = (struct module_text){"fuzz.ptx", text + start, at + 1 - start};
		start = at + 1;
	}
	out[n++] = (struct module_text){"last.ptx", text + start, bytes - start};
	return n;
}

static void build_texts(struct made *made, const char *allocator, unsigned max_regs)
{
	const struct compile_options options = {.allocator = allocator, .max_regs = max_regs};
	struct module *m;

	made->arena.escape = &made->escape;
	if (setjmp(made->escape))
		return;
	m = module_compile_set(made->texts, made->ntexts, &options, &made->arena, &made->err);
	BUG_ON(!m && !made->err.count);
	if (m)
		run_module(made, m);
}

unsigned fuzz_build(const unsigned char *text, size_t bytes)
{
	static const char *const allocators[] = {"linear", "colour"};
	unsigned run = 0;

	for (unsigned k = 0; k < ARRAY_LEN(allocators); k++) {
		struct made made = {0};

		made.ntexts = split((const char *)text, bytes, made.texts);
		/* of every three lengths two have few registers: most kernels spill */
		build_texts(&made, allocators[k], bytes % 3 ? 16 + (unsigned)(bytes % 16) : 0);
		drop(&made);
		run += made.run;
	}
	return run;
}
