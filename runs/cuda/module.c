/* The program's modules: fat binaries as they come, compiled when one of their names is used. */
#include "runs/cuda/inside.h"

#include "chip/capability.h"

#include "chip/elsewhere.h"
#include "program/code.h"
#include "ptx/isa/program.h"

#include <stdio.h>
#include <string.h>

#define MOST_BYTES (UINT64_C(1) << 30) /* of a fat binary */

static struct cuda_code *add_code(struct cuda_server *v)
{
	struct cuda_code *grown = mem_grow(v->codes, v->ncodes, v->ncodes + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	v->codes = grown;
	return &v->codes[v->ncodes++];
}

/* An empty part at the end. */
static bool add_part(struct cuda_code *c)
{
	unsigned char **part = mem_grow(c->part, c->nparts, c->nparts + 1, sizeof(*part));
	uint64_t *bytes;

	if (!part)
		return false;
	c->part = part;
	bytes = mem_grow(c->part_bytes, c->nparts, c->nparts + 1, sizeof(*bytes));
	if (!bytes)
		return false;
	c->part_bytes = bytes;
	c->nparts++;
	return true;
}

uint32_t cuda_take_code(struct cuda_server *v, struct wire_message *m)
{
	uint64_t n = m->a[0], had;
	struct cuda_code *c;
	unsigned char *grown;

	if (n > WIRE_WINDOW_BYTES || (!v->ncodes && m->a[1] != WIRE_CODE_MODULE))
		return CUDA_INVALID_VALUE;
	c = m->a[1] == WIRE_CODE_MODULE ? add_code(v) : &v->codes[v->ncodes - 1];
	if (!c || (m->a[1] != WIRE_CODE_MORE && !add_part(c)))
		return CUDA_NO_MEMORY;
	had = c->part_bytes[c->nparts - 1];
	grown = had + n > MOST_BYTES ? NULL : mem_grow(c->part[c->nparts - 1], had, had + n, 1);
	if (!grown)
		return CUDA_NO_MEMORY;
	memcpy(grown + had, v->window, n);
	c->part[c->nparts - 1] = grown;
	c->part_bytes[c->nparts - 1] = had + n;
	m->a[0] = v->ncodes - 1;
	return CUDA_OK;
}

/* The PTX of all parts. 0 or -1. */
static int read_parts(struct cuda_server *v, struct cuda_code *c, const char *name,
	struct code_images *all, struct err *err)
{
	struct code_image *images = NULL;

	*all = (struct code_images){0};
	for (unsigned i = 0; i < c->nparts; i++) {
		struct code_images some;
		struct code_file f = {name, c->part[i], c->part_bytes[i], c->nparts > 1};

		if (code_read(&f, chip_arch(v->run.config), v->arena, &some, err))
			return -1;
		images = arena_alloc(v->arena, all->n + some.n, sizeof(*images));
		if (all->n)
			memcpy(images, all->at, all->n * sizeof(*images));
		memcpy(images + all->n, some.at, some.n * sizeof(*images));
		*all = (struct code_images){images, all->n + some.n, c->nparts > 1};
	}
	return 0;
}

static const char *module_name(struct cuda_server *v, const struct cuda_code *c)
{
	const char *program = v->run.argv[0];
	size_t room = strlen(program) + 32;
	char *name = arena_alloc(v->arena, room, 1);

	snprintf(name, room, "%s, module %u", program, (unsigned)(c - v->codes) + 1);
	return name;
}

/* ---- managed variables */
struct taking {
	struct cuda_server *server;
	const struct cuda_code *code;
};

static void *take(void *ctx, const char *name, uint64_t bytes)
{
	const struct taking *t = ctx;
	struct cuda_server *v = t->server;
	struct cuda_managed m = {.code = t->code, .bytes = bytes}, *grown;

	grown = mem_grow(v->managed, v->nmanaged, v->nmanaged + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	v->managed = grown;
	if (cuda_share(bytes, &m.fd, &m.pages))
		return NULL;
	m.name = arena_strdup(v->arena, name);
	v->managed[v->nmanaged++] = m;
	return m.pages;
}

/* Whether it is one; its descriptor goes with the reply, once. */
static bool pass_managed(
	struct cuda_server *v, const struct cuda_code *c, const char *name, uint64_t address)
{
	for (unsigned i = 0; i < v->nmanaged; i++) {
		struct cuda_managed *m = &v->managed[i];

		if (m->code != c || strcmp(m->name, name) != 0)
			continue;
		m->address = address;
		v->pass = m->fd;
		m->fd = 0;
		return true;
	}
	return false;
}

/* ---- names */
static void note_newer(struct cuda_server *v, unsigned arch)
{
	unsigned ours = chip_arch(v->run.config);

	if (arch <= ours || v->newer_told)
		return;
	v->newer_told = true;
	output_note(
		"the program's PTX is for sm_%u and later; a GPU of compute capability %u.%u, as "
		"this chip's, would refuse it",
		arch, ours / 10, ours % 10);
}

static uint32_t compile(struct cuda_server *v, struct cuda_code *c, struct err *err)
{
	const char *name = module_name(v, c);
	struct code_images images;
	struct module_text *texts;

	if (c->module)
		return CUDA_OK;
	if (c->failed)
		return CUDA_INVALID_PTX;
	c->failed = true;
	if (read_parts(v, c, name, &images, err))
		return CUDA_INVALID_PTX;
	gpu_managed(v->gpu, &(struct gpu_pages){.ctx = &(struct taking){v, c}, .take = take});
	texts = arena_alloc(v->arena, images.n, sizeof(*texts));
	for (unsigned i = 0; i < images.n; i++) {
		texts[i] = (struct module_text){.file = code_name(name, i, images.n, v->arena),
			.text = images.at[i].text,
			.bytes = images.at[i].bytes};
		if (images.at[i].arch > c->arch)
			c->arch = images.at[i].arch;
	}
	note_newer(v, c->arch);
	if (images.n)
		c->module = gpu_module_text(v->gpu, texts, images.n, err);
	c->failed = !c->module;
	if (c->module && v->run.watch)
		v->run.watch->module(v->run.watch->ctx, c->module, texts, images.n);
	return c->module ? CUDA_OK : CUDA_INVALID_PTX;
}

static void note_lines(const char *text)
{
	while (*text) {
		int n = (int)strcspn(text, "\n");

		output_note("%.*s", n, text);
		text += n + (text[n] != '\0');
	}
}

/* Why a module does not compile is the run's error, unless the program hears of it. */
struct cuda_code *cuda_named(
	struct cuda_server *v, struct wire_message *m, const char **name, uint32_t *status)
{
	bool told = m->op == WIRE_SYMBOL && m->a[2];
	struct err wrong = {0};
	const char *why;

	*status = CUDA_INVALID_VALUE;
	if (m->a[0] >= v->ncodes || m->a[1] > WIRE_WINDOW_BYTES)
		return NULL;
	*name = arena_strndup(v->arena, (const char *)v->window, m->a[1]);
	*status = compile(v, &v->codes[m->a[0]], &wrong);
	if (!*status) {
		err_move(v->err, &wrong);
		return &v->codes[m->a[0]];
	}
	why = err_text(&wrong);
	m->a[3] = min_u64(strlen(why), WIRE_WINDOW_BYTES);
	memcpy(v->window, why, m->a[3]);
	if (told) {
		note_lines(why);
		err_clear(&wrong);
	}
	err_move(v->err, &wrong);
	return NULL;
}

static void describe(const struct cuda_server *v, const struct gpu_kernel_info *k,
	const struct cuda_code *c, struct wire_kernel *out)
{
	const struct program *p = k->program;

	*out = (struct wire_kernel){.shared_bytes = k->shared_bytes,
		.local_bytes = k->local_bytes,
		.most_dynamic_bytes = k->max_dynamic_bytes,
		.registers = k->regs,
		.most_threads = k->max_threads,
		.nparams = p->nparams,
		.param_bytes = p->param_bytes,
		.arch = c->arch,
		.binary = chip_arch(v->run.config)};
	for (unsigned i = 0; i < p->nparams; i++)
		out->params[i] = (struct wire_param){p->params[i].offset, p->params[i].bytes};
}

/* The first that says so is named at the end. */
uint32_t cuda_lacks(struct cuda_server *v, struct wire_message *m)
{
	if (m->a[0] > WIRE_WINDOW_BYTES)
		return CUDA_INVALID_VALUE;
	if (!v->lacks)
		v->lacks = arena_strndup(v->arena, (const char *)v->window, m->a[0]);
	return CUDA_OK;
}

uint32_t cuda_find_kernel(struct cuda_server *v, struct wire_message *m)
{
	struct gpu_kernel_info info;
	struct err wrong = {0};
	const char *name;
	uint32_t status;
	struct cuda_code *c = cuda_named(v, m, &name, &status);
	struct cuda_kernel *grown;

	if (!c)
		return status;
	if (gpu_kernel_info(v->gpu, c->module, name, &info, &wrong)) {
		if (gpu_left_out(v->gpu, c->module, name)) {
			if (!c->told)
				err_move(v->err, &wrong);
			c->told = true;
			err_clear(&wrong);
			return CUDA_INVALID_PTX;
		}
		err_clear(&wrong); /* a program may ask for what is not there */
		return CUDA_INVALID_FUNCTION;
	}
	if (info.program->nparams > WIRE_MOST_PARAMS)
		return CUDA_NOT_SUPPORTED;
	grown = mem_grow(v->kernels, v->nkernels, v->nkernels + 1, sizeof(*grown));
	if (!grown)
		return CUDA_NO_MEMORY;
	v->kernels = grown;
	v->kernels[v->nkernels] =
		(struct cuda_kernel){.module = c->module, .program = info.program};
	describe(v, &info, c, (void *)v->window);
	m->a[0] = v->nkernels++;
	return CUDA_OK;
}

uint32_t cuda_find_symbol(struct cuda_server *v, struct wire_message *m)
{
	const char *name;
	uint32_t status;
	struct cuda_code *c = cuda_named(v, m, &name, &status);
	struct cuda_block b = {.variable = true};

	if (!c)
		return status;
	b.buffer = gpu_variable(v->gpu, c->module, name);
	if (!b.buffer)
		return CUDA_INVALID_SYMBOL;
	b.address = gpu_buffer_address(v->gpu, b.buffer);
	b.bytes = gpu_buffer_bytes(v->gpu, b.buffer);
	m->a[0] = b.address;
	m->a[1] = b.bytes;
	m->a[2] = pass_managed(v, c, name, b.address);
	return cuda_add_block(v, &b) ? CUDA_NO_MEMORY : CUDA_OK;
}

static int name_variable(struct cuda_server *v, const struct module_var *var)
{
	struct cuda_block b = {.variable = true, .address = var->address};

	if (var->kind != OBJECT_NONE || var->space != SPACE_GLOBAL || !var->bytes ||
		!strcmp(var->name, HEAP_VARIABLE))
		return 0;
	b.buffer = gpu_buffer_holding(v->gpu, var->address, &b.address);
	b.bytes = gpu_buffer_bytes(v->gpu, b.buffer);
	return cuda_add_block(v, &b);
}

int cuda_name_variables(struct cuda_server *v)
{
	int bad = 0;

	for (unsigned i = 0; i < gpu_modules(v->gpu); i++) {
		const struct module *m = gpu_compiled(v->gpu, i);

		for (uint32_t k = 0; k < m->nvars && !bad; k++)
			bad = name_variable(v, &m->vars[k]);
	}
	return bad;
}
