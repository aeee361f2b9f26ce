/* The verbs of a chip: each is a launch of workloads/probe/ (Mei et al., NPC 2014, section 3: one
 * thread, one access after the other, each with its own time). */
#include "runs/verbs/verbs_chip.h"

#include "core/base.h"
#include "runs/work.h"

#include <stdio.h>

/* As in workloads/probe/probe.cu. */
struct kernel_segment {
	uint32_t first;
	int32_t stride;
	uint32_t count, how;
};
struct kernel_script {
	uint32_t segments, limit, spare[2];
	struct kernel_segment at[VERBS_SEGMENTS];
};

struct chip_verbs {
	struct session *s;
	const struct run_options *o;
	module_t module;
	buffer_t buffer, results;
	uint64_t offset;  /* where the buffer's first multiple of VERBS_ALIGN is */
	unsigned buffers; /* so far */
	struct kernel_script script;
};

/* Made after the probed buffer, which so begins at the first byte of memory, and at a page: large
 * buffers of GPUs do. The hashes of some caches and TLBs see where contiguous lines begin. */
static int make_results(struct chip_verbs *c, struct err *err)
{
	if (!c->results)
		c->results = gpu_buffer(c->s->gpu, "results", VERBS_RESULTS * 4, err);
	return c->results ? 0 : -1;
}

static int run(struct chip_verbs *c, const struct launch *l, struct err *err)
{
	struct gpu *g = c->s->gpu;
	struct host_hooks hooks = c->o->watch ? c->o->watch(g, &c->s->arena)
					      : (struct host_hooks){.broken = output_broken};

	return gpu_launch(g, l, err) || chip_run(g, c->o->max_cycles, &hooks, err) ? -1 : 0;
}

/* Texels are over the buffer's first bytes: as many as a texture can have. */
#define MOST_TEXELS (1u << 27)

static int buffer(void *ctx, uint64_t bytes, struct err *err)
{
	struct chip_verbs *c = ctx;
	texture_t t;
	char name[32];

	snprintf(name, sizeof(name), "probed.%u", c->buffers++);
	c->buffer = gpu_buffer(c->s->gpu, name, bytes + VERBS_ALIGN, err);
	if (!c->buffer || make_results(c, err))
		return -1;
	c->offset = -gpu_buffer_address(c->s->gpu, c->buffer) % VERBS_ALIGN;
	t = gpu_texture(c->s->gpu, "texels",
		&(struct texture_desc){.buffer = c->buffer,
			.offset = c->offset,
			.type = TEXEL_U32,
			.channels = 1,
			.width = (uint32_t)min_u64(bytes / 4, MOST_TEXELS)},
		err);
	return t ? gpu_bind(c->s->gpu, c->module, "texels", t, err) : -1;
}

static int script(void *ctx, const struct verbs_script *s, uint32_t *results, struct err *err)
{
	struct chip_verbs *c = ctx;
	struct launch_arg args[] = {ARG_BUF(c->buffer), ARG_BUF(c->results), ARG_VAL(c->script)};
	struct launch l = {.module = c->module,
		.kernel = "probe",
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.args = args,
		.nargs = ARRAY_LEN(args),
		.sms = {1}};

	args[0].offset = c->offset;
	BUG_ON(!c->buffer || s->n > VERBS_SEGMENTS || verbs_results(s) > VERBS_RESULTS);
	c->script = (struct kernel_script){.segments = s->n, .limit = s->limit};
	for (uint32_t i = 0; i < s->n; i++)
		c->script.at[i] = (struct kernel_segment){s->at[i].first, s->at[i].stride,
			s->at[i].count, (uint32_t)s->at[i].path | (uint32_t)s->at[i].act << 4};
	if (run(c, &l, err))
		return -1;
	gpu_read(c->s->gpu, c->results, 0, results, verbs_results(s) * sizeof(*results));
	return 0;
}

static int stride(void *ctx, unsigned stride, unsigned words, uint32_t *cycles, struct err *err)
{
	struct chip_verbs *c = ctx;
	uint32_t pairs = words == 2, far = stride, walks[2];
	struct launch_arg args[] = {ARG_VAL(far), ARG_VAL(pairs), ARG_BUF(c->results)};
	struct launch l = {.module = c->module,
		.kernel = "probe_shared",
		.grid = {1, 1, 1},
		.block = {32, 1, 1},
		.args = args,
		.nargs = ARRAY_LEN(args),
		.sms = {1}};

	BUG_ON(!c->buffer);
	if (run(c, &l, err))
		return -1;
	gpu_read(c->s->gpu, c->results, 0, walks, sizeof(walks));
	*cycles = walks[1] - walks[0];
	return 0;
}

static int forget(void *ctx, struct err *err)
{
	struct chip_verbs *c = ctx;

	(void)err;
	chip_forget(c->s->gpu);
	return 0;
}

int verbs_of_chip(struct verbs *v, struct session *s, const struct run_options *o, struct err *err)
{
	struct chip_verbs *c = arena_alloc(&s->arena, 1, sizeof(*c));
	struct text path = {0};

	*c = (struct chip_verbs){.s = s, .o = o};
	text_raw(&path, "%s/probe/probe.ptx", work_data_dir(&s->arena, "probe"));
	c->module = gpu_module(s->gpu, text_str(&path), err);
	text_clear(&path);
	*v = (struct verbs){c, buffer, script, stride, forget};
	return c->module ? config_finish(s->config, err) : -1;
}
