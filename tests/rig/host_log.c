/* The host side of a workload, written down while the executor runs its launches. */
#include "tests/rig/support_cuda.h"

#include "chip/elsewhere.h"
#include "core/base.h"
#include "core/file.h"
#include "core/mem.h"
#include "ptx/isa/program.h"
#include "tests/rig/host_log_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096u

struct writer {
	FILE *file;
	struct workload_rig *rig;
	struct gpu *gpu;
	unsigned char *seen[MOST];            /* of a buffer: its bytes as the program knows them */
	struct texture bound[MOST];           /* what references are bound to: by their handles */
	struct host_log_texture arrays[MOST]; /* of buffers that are such; width 0: it is none */
	unsigned modules, kernels;
	uint32_t launches;
};

static void put(struct writer *w, struct host_log_op o, const void *bytes)
{
	assert_int_equal(fwrite(&o, sizeof(o), 1, w->file), 1);
	if (o.bytes)
		assert_int_equal(fwrite(bytes, 1, o.bytes, w->file), o.bytes);
}

/* ---- modules and memory */
static void put_modules(struct writer *w)
{
	static struct pack p;

	for (; w->modules < gpu_modules(w->gpu); w->modules++) {
		struct err err = {0};
		size_t n;
		char *ptx = file_read(
			NULL, gpu_compiled(w->gpu, w->modules)->file, &n, ERR_INPUT, &err);

		assert_non_null(ptx);
		p.n = 0;
		pack_fatbin(&p, &(struct pack_entry){.arch = 50, .ptx = ptx}, 1);
		put(w, (struct host_log_op){.kind = HOST_MODULE, .id = w->modules, .bytes = p.n},
			p.at);
		mem_free(ptx);
	}
}

/* The module's variable whose memory it is; NULL: it is a buffer. */
static const struct module_var *variable(const struct writer *w, buffer_t b, unsigned *module)
{
	for (*module = 0; *module < gpu_modules(w->gpu); ++*module) {
		const struct module *m = gpu_compiled(w->gpu, *module);

		for (uint32_t i = 0; i < m->nvars; i++)
			if (gpu_variable(w->gpu, *module + 1, m->vars[i].name) == b)
				return &m->vars[i];
	}
	return NULL;
}

/* ---- textures */
static void describe(const struct writer *w, const struct texture *t, struct host_log_texture *out)
{
	uint64_t base;

	*out = (struct host_log_texture){.memory = gpu_buffer_holding(w->gpu, t->address, &base),
		.row_bytes = t->row_bytes,
		.width = t->width,
		.height = t->height,
		.depth = t->depth,
		.type = t->type,
		.channels = t->channels,
		.mode = {t->sampler.mode[0], t->sampler.mode[1], t->sampler.mode[2]},
		.as_float = t->as_float,
		.linear = t->sampler.linear,
		.normalised = t->sampler.normalised};
	out->offset = t->address - base;
}

static void put_texture(
	struct writer *w, const struct texture *t, struct host_log_op o, const char *name)
{
	struct host_log_texture d;
	struct text bytes = {0};

	describe(w, t, &d);
	text_bytes(&bytes, (const char *)&d, sizeof(d));
	text_raw(&bytes, "%s", name);
	o.bytes = bytes.len;
	put(w, o, text_str(&bytes));
	text_clear(&bytes);
}

typedef void texture_fn(
	struct writer *, const struct texture *, struct host_log_op, const char *name);

/* Each texture that a launch needs: bound to a reference, or an argument. */
static void for_textures(
	struct writer *w, const struct launch *l, const struct program *p, texture_fn *act)
{
	for (uint32_t i = 0; i < p->nrefs; i++) {
		const struct module_var *v = &p->module->vars[p->refs[i]];

		act(w, gpu_texture_of(w->gpu, (texture_t)v->address),
			(struct host_log_op){
				.kind = HOST_BIND, .id = (uint32_t)v->address, .a = l->module - 1},
			v->name);
	}
	for (unsigned i = 0; i < l->nargs; i++)
		if (l->args[i].kind == ARG_TEXTURE)
			act(w, gpu_texture_of(w->gpu, l->args[i].texture),
				(struct host_log_op){
					.kind = HOST_TEXTURE, .id = (uint32_t)l->args[i].texture},
				"");
}

static void for_all_textures(struct writer *w, texture_fn *act)
{
	const struct launch *l;
	const struct program *p;

	for (uint32_t i = w->launches; i < gpu_launches(w->gpu); i++) {
		l = gpu_launch_queued(w->gpu, i, &p);
		for_textures(w, l, p, act);
	}
}

/* A volume's memory is an array. */
static void note_array(
	struct writer *w, const struct texture *t, struct host_log_op o, const char *name)
{
	struct host_log_texture d;

	(void)o;
	(void)name;
	describe(w, t, &d);
	if (t->depth == 1)
		return;
	w->arrays[d.memory] = d;
	assert_true(t->row_bytes % 32 == 0 && !d.offset); /* as the library's arrays are */
}

/* Once; references again when they are bound to another one. */
static void put_reading(
	struct writer *w, const struct texture *t, struct host_log_op o, const char *name)
{
	assert_true(o.id < MOST);
	if (!memcmp(&w->bound[o.id], t, sizeof(*t)))
		return;
	w->bound[o.id] = *t;
	put_texture(w, t, o, name);
}

static void put_memory(struct writer *w, buffer_t b)
{
	uint64_t bytes = gpu_buffer_bytes(w->gpu, b);
	unsigned module;
	const struct module_var *v = variable(w, b, &module);
	struct host_log_op o = {.kind = HOST_ALLOC, .id = b, .b = bytes};

	w->seen[b] = mem_alloc(bytes, 1);
	assert_non_null(w->seen[b]);
	if (v && v->init)
		memcpy(w->seen[b], v->init, v->bytes);
	if (v) {
		o.kind = HOST_VARIABLE;
		o.a = module;
		o.bytes = strlen(v->name);
	}
	if (w->arrays[b].width) {
		o.kind = HOST_ARRAY;
		o.bytes = sizeof(w->arrays[b]);
	}
	put(w, o, v ? (const void *)v->name : &w->arrays[b]);
}

/* Eight bytes that are the address of a buffer. */
static buffer_t target(const struct writer *w, const unsigned char *at, uint64_t *offset)
{
	uint64_t address, base;
	buffer_t b;

	memcpy(&address, at, sizeof(address));
	b = address ? gpu_buffer_holding(w->gpu, address, &base) : 0;
	*offset = b ? address - base : 0;
	return b;
}

static void put_writes(struct writer *w, buffer_t b)
{
	const unsigned char *now = gpu_buffer_data(w->gpu, b);
	uint64_t n = gpu_buffer_bytes(w->gpu, b), offset;

	if (!memcmp(now, w->seen[b], n))
		return;
	put(w, (struct host_log_op){.kind = HOST_WRITE, .id = b, .bytes = n}, now);
	for (uint64_t at = 0; at + 8 <= n; at += 8) {
		buffer_t to =
			memcmp(now + at, w->seen[b] + at, 8) ? target(w, now + at, &offset) : 0;

		if (to)
			put(w, (struct host_log_op){HOST_POINTER, b, at, to, offset, 0}, NULL);
	}
}

static void put_all_memory(struct writer *w)
{
	buffer_t all = gpu_buffers(w->gpu);

	assert_true(all < MOST);
	for_all_textures(w, note_array);
	for (buffer_t b = 1; b <= all; b++)
		if (!gpu_buffer_is_inner(w->gpu, b) && !w->seen[b])
			put_memory(w, b);
	for (buffer_t b = 1; b <= all; b++)
		if (w->seen[b])
			put_writes(w, b);
	for_all_textures(w, put_reading);
}

/* ---- launches */
static void put_argument(struct writer *w, const struct launch_arg *a,
	const struct param_slot *slot, struct text *to)
{
	struct host_log_argument out = {.size = slot->bytes};
	const unsigned char zero[8] = {0};

	if (a->kind == ARG_TEXTURE) {
		out.texture = a->texture;
	} else if (a->kind == ARG_BUFFER) {
		out.memory = a->buffer;
		out.offset = a->offset;
	} else if (slot->bytes == 8) {
		out.memory = target(w, a->bytes, &out.offset);
	}
	text_bytes(to, (const char *)&out, sizeof(out));
	text_bytes(to, a->kind == ARG_BYTES ? a->bytes : (const char *)zero, slot->bytes);
}

static void put_launch(struct writer *w, uint32_t i)
{
	const struct program *p;
	const struct launch *l = gpu_launch_queued(w->gpu, i, &p);
	struct host_log_launch out = {.nargs = l->nargs};
	struct text bytes = {0};
	uint32_t kernel = w->kernels++ % (MOST - 1);

	memcpy(out.grid, l->grid, sizeof(out.grid));
	memcpy(out.block, l->block, sizeof(out.block));
	put(w,
		(struct host_log_op){.kind = HOST_KERNEL,
			.id = kernel,
			.a = l->module - 1,
			.bytes = strlen(l->kernel)},
		l->kernel);
	text_bytes(&bytes, (const char *)&out, sizeof(out));
	for (unsigned k = 0; k < l->nargs; k++)
		put_argument(w, &l->args[k], &p->params[k], &bytes);
	put(w, (struct host_log_op){HOST_LAUNCH, kernel, l->stream, l->shared_bytes, 0, bytes.len},
		text_str(&bytes));
	text_clear(&bytes);
}

/* What was done since the last batch; then the batch runs. */
static void put_batch(struct writer *w)
{
	struct untimed_counts counts = {0};
	struct err err = {0};

	put_modules(w);
	put_all_memory(w);
	for (; w->launches < gpu_launches(w->gpu); w->launches++)
		put_launch(w, w->launches);
	put(w, (struct host_log_op){.kind = HOST_WAIT}, NULL);
	assert_int_equal(gpu_run_untimed(w->gpu, &counts, &err), 0);
	for (buffer_t b = 1; b < MOST; b++)
		if (w->seen[b])
			memcpy(w->seen[b], gpu_buffer_data(w->gpu, b), gpu_buffer_bytes(w->gpu, b));
}

static void write_all(struct workload_rig *rig, void *ctx)
{
	struct writer *w = ctx;
	const struct workload_ops *ops = rig->run->ops;
	int more = 1;

	w->gpu = rig->gpu;
	assert_int_equal(ops->setup(rig->run, &rig->err), 0);
	while (more == 1) {
		put_batch(w);
		more = ops->advance ? ops->advance(rig->run, &rig->err) : 0;
	}
	assert_int_equal(more, 0);
}

void host_log_write(const char *path, const char *workload)
{
	const struct subject s = {.name = workload, .address_bits = 64, .seed = 1};
	struct writer *w = mem_alloc(1, sizeof(*w));

	assert_non_null(w);
	w->file = fopen(path, "wb");
	assert_non_null(w->file);
	workload_rig(write_all, &s, w);
	assert_int_equal(fclose(w->file), 0);
	for (buffer_t b = 1; b < MOST; b++)
		mem_free(w->seen[b]);
	mem_free(w);
}

/* ---- both runs */
/* Names of metrics whose value is another one. */
static unsigned differences(const char *name, json_t *a, json_t *b)
{
	unsigned n = 0;
	const char *key;
	json_t *x;

	json_object_foreach(a, key, x)
	{
		json_t *y = json_object_get(b, key);

		if (json_equal(x, y))
			continue;
		if (n++ < 4) {
			char *p = json_dumps(x, JSON_ENCODE_ANY | JSON_COMPACT);
			char *q = json_dumps(y, JSON_ENCODE_ANY | JSON_COMPACT);

			print_error("%s: %s: %s, %s\n", name, key, p, q);
			free(p);
			free(q);
		}
	}
	return n;
}

unsigned host_log_compare(const struct desk *d, const char *name)
{
	char command[256], path[128];
	json_t *a, *b;
	unsigned n;

	snprintf(path, sizeof(path), "%s/log", d->folder);
	host_log_write(path, name);
	snprintf(command, sizeof(command), "run --quiet --ptx 64 --json %%F/a %s", name);
	assert_int_equal(desk_run(d, command), 0);
	assert_int_equal(desk_run(d, "cuda --quiet --timed '*' --json %F/b -- %F/app %F/log"), 0);
	a = desk_json(d, "a");
	b = desk_json(d, "b");
	assert_true(json_metric(a, "gpc__cycles_elapsed.max") > 0);
	n = differences(name, json_object_get(a, "metrics"), json_object_get(b, "metrics"));
	json_decref(a);
	json_decref(b);
	return n;
}
