/* A recording as a scenario: its memory before the first launch, its launches with the host's
 * writes, copies and waits between them, and what memory holds in the end, as checks. */
#include "runs/cuda/inside.h"

#ifdef HAVE_CUDA

#include "ptx/isa/program.h"
#include "runs/cuda/blobs.h"
#include "runs/cuda/edit_inside.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- modules and launches */
static void take_module(void *ctx, module_t module, const struct module_text *texts, unsigned n)
{
	struct edit *e = ctx;
	char name[48];

	if (module != e->nmodules + 1 || module > EDIT_MODULES) {
		edit_refuse(e, "too many modules");
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "m%u_%u.ptx", (unsigned)module, i + 1);
		text_raw(&e->modules[e->nmodules], "%s%s", i ? ", " : "", name);
		edit_file(e, name, texts[i].text, strnlen(texts[i].text, texts[i].bytes));
	}
	e->nmodules++;
}

/* Bytes, and over them the addresses that are seen in them. */
static void add_hex(const struct edit *e, const unsigned char *at, size_t n, struct text *out)
{
	struct text fields = {0};

	text_raw(out, "{hex: \"");
	for (size_t i = 0; i < n; i++)
		text_raw(out, "%02x", at[i]);
	text_raw(out, "\"");
	edit_fields(e, at, n, &fields);
	if (fields.len)
		text_raw(out, ", fields: [%s]", text_str(&fields));
	text_raw(out, "}");
	out->failed |= fields.failed;
	text_clear(&fields);
}

static void add_argument(
	struct edit *e, const struct launch_arg *a, const struct program *p, enum ptx_type type)
{
	struct text *out = &e->steps;
	char class = type == T_NONE ? 0 : ptx_type_class(type);
	uint64_t v = 0;
	unsigned texture;
	float f;

	if (a->size <= sizeof(v))
		memcpy(&v, a->bytes, a->size);
	memcpy(&f, &v, sizeof(f));
	if (a->size == sizeof(v) && cuda_block_at(e->server, v, 1)) {
		text_raw(out, "{");
		edit_address(out, EDIT_BUFFER, v);
		text_raw(out, "}");
	} else if (a->size == sizeof(v) && edit_is_texture(e, v, p, &texture))
		text_raw(out, "{texture: t%u}", texture);
	else if (class == 'u' && a->size >= 4 && a->size <= 8)
		text_raw(out, "{u%zu: %" PRIu64 "}", a->size * 8, v);
	else if (class == 's' && a->size == 4)
		text_raw(out, "{s32: %d}", (int32_t)(uint32_t)v);
	else if (class == 'f' && a->size == 4 && isfinite(f))
		text_raw(out, "{f32: %.9g}", (double)f);
	else
		add_hex(e, a->bytes, a->size, out);
}

static void take_first(struct edit *e);

static void take_launch(void *ctx, const struct launch *l, const struct program *p)
{
	struct edit *e = ctx;
	struct text *out = &e->steps;

	if (!e->nlaunches++)
		take_first(e);
	text_raw(out, "  - { module: [%s], kernel: \"%s\", grid: [%u, %u, %u],\n",
		text_str(&e->modules[l->module - 1]), l->kernel, l->grid[0], l->grid[1],
		l->grid[2]);
	text_raw(out, "      block: [%u, %u, %u], shared_bytes: %u, stream: %u,\n      args: [ ",
		l->block[0], l->block[1], l->block[2], l->shared_bytes, l->stream);
	for (unsigned i = 0; i < l->nargs; i++) {
		text_raw(out, i ? ",\n        " : "");
		add_argument(e, &l->args[i], p, p->params[i].type);
	}
	text_raw(out, " ]");
	edit_textures_launch(e, l->module);
	text_raw(out, " }\n");
	e->many_streams |= l->stream != 0;
}

/* ---- what memory holds */
static bool is_zero(const unsigned char *at, uint64_t n)
{
	return !n || (!at[0] && !memcmp(at, at + 1, n - 1));
}

/* Its bytes in a file. `out` has the file's name, "" if all are zero, and the addresses in them. */
static int take_bytes(struct edit *e, uint64_t address, uint64_t bytes, struct edit_content *out)
{
	const struct cuda_block *b = cuda_block_at(e->server, address, bytes);
	unsigned char *data = mem_alloc(bytes, 1);
	int bad = 0;

	*out = (struct edit_content){.address = address, .bytes = bytes};
	if (!data)
		return edit_no_memory(e);
	gpu_read(e->server->gpu, b->buffer, address - b->address, data, bytes);
	if (!is_zero(data, bytes)) {
		snprintf(out->file, sizeof(out->file), "d%u.bin", ++e->nfiles);
		edit_fields(e, data, bytes, &out->fields);
		bad = edit_file(e, out->file, data, bytes);
	}
	mem_free(data);
	return bad;
}

static void keep(struct edit *e, struct edit_contents *list, const struct cuda_block *b)
{
	struct edit_content *grown = mem_grow(list->all, list->n, list->n + 1, sizeof(*grown));

	if (!grown) {
		edit_no_memory(e);
		return;
	}
	list->all = grown;
	take_bytes(e, b->address, b->bytes, &list->all[list->n++]);
}

/* Before the first launch. */
static void take_first(struct edit *e)
{
	for (size_t i = 0; i < e->server->nblocks; i++)
		keep(e, &e->first, &e->server->blocks[i]);
}

static void take_last(struct edit *e)
{
	for (size_t i = 0; i < e->server->nblocks; i++)
		keep(e, &e->last, &e->server->blocks[i]);
}

/* ---- memory's names */
static unsigned long number_of(const struct cuda_server *v, const struct cuda_block *b)
{
	const char *name = gpu_buffer_name(v->gpu, b->buffer), *digits = strrchr(name, ' ');

	return digits ? strtoul(digits + 1, NULL, 10) : 0;
}

static bool meets(uint64_t a, uint64_t n, uint64_t b, uint64_t m)
{
	return a < b + m && b < a + n;
}

/* The region, with those that had some of its addresses before. True: there were such. */
static bool add_region(struct edit *e, struct edit_region new)
{
	struct edit_region *grown;
	unsigned n = 0, at = 0;
	bool met = false;

	for (unsigned i = 0; i < e->nregions; i++) {
		const struct edit_region r = e->regions[i];
		uint64_t end = new.address + new.bytes;

		if (!meets(r.address, r.bytes, new.address, new.bytes)) {
			e->regions[n++] = r;
			continue;
		}
		met = true;
		if (r.address + r.bytes > end)
			end = r.address + r.bytes;
		if (r.address < new.address)
			new.address = r.address;
		if (r.number < new.number)
			new.number = r.number;
		new.bytes = end - new.address;
	}
	e->nregions = n;
	grown = mem_grow(e->regions, n, n + 1, sizeof(*grown));
	if (!grown) {
		edit_no_memory(e);
		return met;
	}
	e->regions = grown;
	while (at < n && e->regions[at].address < new.address)
		at++;
	memmove(&e->regions[at + 1], &e->regions[at], (n - at) * sizeof(new));
	e->regions[at] = new;
	e->nregions++;
	return met;
}

static void forget_last(struct edit *e, uint64_t address, uint64_t bytes)
{
	unsigned n = 0;

	for (unsigned i = 0; i < e->last.n; i++) {
		struct edit_content *c = &e->last.all[i];

		if (meets(c->address, c->bytes, address, bytes))
			text_clear(&c->fields);
		else
			e->last.all[n++] = *c;
	}
	e->last.n = n;
}

/* New memory is zero. */
static void take_new(struct edit *e, const struct cuda_block *b)
{
	struct edit_region r = {
		.address = b->address, .bytes = b->bytes, .variable = b->variable ? b->buffer : 0};

	r.number = b->variable ? b->buffer : number_of(e->server, b);
	if (!add_region(e, r) || !e->nlaunches)
		return;
	forget_last(e, b->address, b->bytes);
	text_raw(&e->steps, "  - { ");
	edit_address(&e->steps, EDIT_WRITE, b->address);
	text_raw(&e->steps, ", bytes: %" PRIu64 " }\n", b->bytes);
}

/* ---- what the host does to memory */
static void take_write(struct edit *e, const struct cuda_change *c)
{
	struct edit_content now;

	take_bytes(e, c->to, c->bytes, &now);
	text_raw(&e->steps, "  - { ");
	edit_address(&e->steps, EDIT_WRITE, c->to);
	if (*now.file)
		text_raw(&e->steps, ", file: %s", now.file);
	else
		text_raw(&e->steps, ", bytes: %" PRIu64, c->bytes);
	if (now.fields.len)
		text_raw(&e->steps, ",\n      fields: [%s]", text_str(&now.fields));
	text_raw(&e->steps, " }\n");
	e->steps.failed |= now.fields.failed;
	text_clear(&now.fields);
}

static void take_change(void *ctx, const struct cuda_change *c)
{
	struct edit *e = ctx;
	const struct cuda_block *b = cuda_block_at(e->server, c->to, 1);

	if (c->kind == CUDA_CHANGE_NEW) {
		take_new(e, b);
	} else if (c->kind == CUDA_CHANGE_FREE) {
		if (e->nlaunches && !b->variable)
			keep(e, &e->last, b);
	} else if (!e->nlaunches || !c->bytes) {
		return;
	} else if (c->kind == CUDA_CHANGE_WRITE) {
		take_write(e, c);
	} else if (c->kind == CUDA_CHANGE_FILL) {
		text_raw(&e->steps, "  - { ");
		edit_address(&e->steps, EDIT_WRITE, c->to);
		text_raw(&e->steps, ", type: u8, count: %" PRIu64 ", fill: %u }\n", c->bytes,
			c->value);
	} else {
		text_raw(&e->steps, "  - { ");
		edit_address(&e->steps, EDIT_COPY, c->from);
		text_raw(&e->steps, ", ");
		edit_address(&e->steps, EDIT_TO, c->to);
		text_raw(&e->steps, ", bytes: %" PRIu64 " }\n", c->bytes);
	}
}

/* ---- the whole */
/* Runs what waits. 0 or -1. */
static int run(struct edit *e)
{
	const struct untimed_limits limits = {.warp_instructions = UINT64_C(1) << 40};
	struct untimed_counts counts = {0};
	struct cuda_server *v = e->server;

	v->at_rest = v->until_rest;
	if (!v->gone && e->nlaunches)
		text_raw(&e->steps, "  - { wait: %s }\n", v->until_rest ? "rest" : "launches");
	return cuda_run_untimed(v, &limits, &counts, e->err) || e->err->count ? -1 : 0;
}

static int edit(struct edit *e)
{
	struct cuda_server *v = e->server;
	int more = cuda_next(v, e->err);

	while (more > 0 && !e->err->count && !v->has_mipmaps)
		more = run(e) ? -1 : cuda_next(v, e->err);
	if (v->has_mipmaps)
		return edit_refuse(e, "mipmapped textures");
	if (more < 0 || e->err->count)
		return -1;
	if (v->has_reset && gpu_buffer_named(v->gpu, "heap"))
		return edit_refuse(e, "a reset of the device, whose kernels call malloc()");
	if (!e->nlaunches)
		return edit_refuse(e, "it has no launch");
	take_last(e);
	if (e->many_streams)
		output_note("launches are in several streams: each wait of the scenario is for all "
			    "of them, so cycles can differ from the program's");
	return e->err->count ? -1 : edit_scenario(e);
}

static void clear_contents(struct edit_contents *c)
{
	for (unsigned i = 0; i < c->n; i++)
		text_clear(&c->all[i].fields);
	mem_free(c->all);
}

static void clear(struct edit *e)
{
	clear_contents(&e->first);
	clear_contents(&e->last);
	mem_free(e->regions);
	mem_free(e->textures);
	mem_free(e->bindings);
	for (unsigned i = 0; i < EDIT_MODULES; i++)
		text_clear(&e->modules[i]);
	text_clear(&e->steps);
}

int cuda_edit(struct cuda_run *run, const char *folder, struct err *err)
{
	struct edit *e = arena_alloc(run->arena, 1, sizeof(*e));
	struct cuda_watch watch = {
		e, take_module, take_launch, take_change, edit_take_texture, edit_take_bind};
	size_t room = strlen(folder) + 5;
	char *beside = arena_alloc(run->arena, room, 1);
	int bad;

	snprintf(beside, room, "%s.tmp", folder);
	*e = (struct edit){.folder = beside, .err = err};
	if (!access(folder, F_OK) || (mkdir(beside, 0777) && errno == EEXIST))
		return err_add(err, ERR_USAGE,
			"%s: it, or %s, is there already; a scenario's files get a new folder",
			folder, beside);
	run->watch = &watch;
	e->server = cuda_open(run, err);
	bad = e->server ? edit(e) : -1;
	if (!bad && rename(beside, folder))
		bad = err_add(err, ERR_HOST, "%s: cannot be written: %s", folder, strerror(errno));
	if (bad)
		blobs_remove(beside);
	clear(e);
	return bad;
}

#else

int cuda_edit(struct cuda_run *run, const char *folder, struct err *err)
{
	(void)folder;
	cuda_open(run, err);
	return -1;
}

#endif
