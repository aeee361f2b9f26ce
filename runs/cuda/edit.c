/* A recording as a scenario: its memory before the first launch, its launches as far as the host
 * does not write between them, and what memory holds then, as checks. */
#include "runs/cuda/inside.h"

#ifdef HAVE_CUDA

#include "ptx/isa/program.h"
#include "runs/cuda/blobs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An allocation as it was when the host last waited. */
struct edited {
	unsigned long number; /* of its name */
	uint64_t bytes;
	unsigned char *data;
	buffer_t buffer;
	bool alive;
};

struct edit {
	struct cuda_server *server;
	const char *folder; /* until it is whole: another name */
	struct text buffers, launches, waiting;
	unsigned nlaunches, nwaiting;
	struct edited *all;
	unsigned n, nmodules;
	struct text modules[64]; /* the files of each */
	bool many_streams;
	struct err *err;
};

#define MOST_MODULES ARRAY_LEN(((struct edit *)0)->modules)

static int no_memory(struct edit *e)
{
	return err_add(e->err, ERR_RESOURCE, "no host memory for a scenario");
}

static int refuse(struct edit *e, const char *what)
{
	return err_add(e->err, ERR_UNSUPPORTED, "%s: a scenario cannot hold it: %s",
		e->server->run.play, what);
}

static int write_file(struct edit *e, const char *name, const void *data, size_t n)
{
	struct text path = {0};
	int bad;

	text_raw(&path, "%s/%s", e->folder, name);
	bad = path.failed ? no_memory(e) : blobs_write_file(text_str(&path), data, n, e->err);
	text_clear(&path);
	return bad;
}

/* ---- what the server reports */
static void take_module(void *ctx, module_t module, const struct module_text *texts, unsigned n)
{
	struct edit *e = ctx;
	char name[48];

	if (module != e->nmodules + 1 || module > MOST_MODULES) {
		refuse(e, "too many modules");
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "m%u_%u.ptx", (unsigned)module, i + 1);
		text_raw(&e->modules[e->nmodules], "%s%s", i ? ", " : "", name);
		write_file(e, name, texts[i].text, strnlen(texts[i].text, texts[i].bytes));
	}
	e->nmodules++;
}

static void add_hex(const unsigned char *at, size_t n, struct text *out)
{
	text_raw(out, "{hex: \"");
	for (size_t i = 0; i < n; i++)
		text_raw(out, "%02x", at[i]);
	text_raw(out, "\"}");
}

static unsigned long number_of(const struct cuda_server *v, const struct cuda_block *b)
{
	const char *name = gpu_buffer_name(v->gpu, b->buffer), *digits = strrchr(name, ' ');

	return digits ? strtoul(digits + 1, NULL, 10) : 0;
}

static void add_argument(struct edit *e, const struct launch_arg *a, enum ptx_type type)
{
	struct text *out = &e->waiting;
	char class = type == T_NONE ? 0 : ptx_type_class(type);
	const struct cuda_block *b = NULL;
	uint64_t v = 0;
	float f;

	if (a->size <= sizeof(v))
		memcpy(&v, a->bytes, a->size);
	if (a->size == sizeof(v))
		b = cuda_block_at(e->server, v, 1);
	memcpy(&f, &v, sizeof(f));
	if (b && b->variable)
		refuse(e, "a kernel's argument is the address of a module's variable");
	else if (b)
		text_raw(out, "{buffer: b%lu, offset: %" PRIu64 "}", number_of(e->server, b),
			v - b->address);
	else if (class == 'u' && a->size >= 4 && a->size <= 8)
		text_raw(out, "{u%zu: %" PRIu64 "}", a->size * 8, v);
	else if (class == 's' && a->size == 4)
		text_raw(out, "{s32: %d}", (int32_t)(uint32_t)v);
	else if (class == 'f' && a->size == 4 && isfinite(f))
		text_raw(out, "{f32: %.9g}", (double)f);
	else
		add_hex(a->bytes, a->size, out);
}

static void take_launch(void *ctx, const struct launch *l, const struct program *p)
{
	struct edit *e = ctx;
	struct text *out = &e->waiting;

	text_raw(out, "  - { module: [%s], kernel: \"%s\", grid: [%u, %u, %u],\n",
		text_str(&e->modules[l->module - 1]), l->kernel, l->grid[0], l->grid[1],
		l->grid[2]);
	text_raw(out, "      block: [%u, %u, %u], shared_bytes: %u, stream: %u,\n      args: [ ",
		l->block[0], l->block[1], l->block[2], l->shared_bytes, l->stream);
	for (unsigned i = 0; i < l->nargs; i++) {
		text_raw(out, i ? ",\n        " : "");
		add_argument(e, &l->args[i], p->params[i].type);
	}
	text_raw(out, " ] }\n");
	e->many_streams |= l->stream != 0;
	e->nwaiting++;
}

/* ---- memory where the host waits */
static bool is_zero(const unsigned char *at, uint64_t n)
{
	return !n || (!at[0] && !memcmp(at, at + 1, n - 1));
}

static struct edited *find(struct edit *e, unsigned long number)
{
	for (unsigned i = 0; i < e->n; i++)
		if (e->all[i].number == number)
			return &e->all[i];
	return NULL;
}

/* An allocation seen first: a buffer of the scenario. */
static int add_buffer(struct edit *e, const struct cuda_block *b)
{
	struct edited *grown = mem_grow(e->all, e->n, e->n + 1, sizeof(*grown)), *x;
	char name[32];

	if (!grown)
		return no_memory(e);
	e->all = grown;
	x = &e->all[e->n];
	*x = (struct edited){.number = number_of(e->server, b),
		.bytes = b->bytes,
		.data = mem_alloc(b->bytes, 1),
		.buffer = b->buffer,
		.alive = true};
	if (!x->data)
		return no_memory(e);
	e->n++;
	gpu_read(e->server->gpu, b->buffer, 0, x->data, b->bytes);
	if (is_zero(x->data, b->bytes)) {
		text_raw(&e->buffers, "  b%lu: { bytes: %" PRIu64 " }\n", x->number, x->bytes);
		return 0;
	}
	snprintf(name, sizeof(name), "b%lu.bin", x->number);
	text_raw(&e->buffers, "  b%lu: { file: %s }\n", x->number, name);
	return write_file(e, name, x->data, x->bytes);
}

/* 1: the host has written what launches had seen; 0; -1. */
static int compare(struct edit *e)
{
	const struct cuda_server *v = e->server;

	for (unsigned i = 0; i < e->n; i++)
		e->all[i].alive = false;
	for (size_t i = 0; i < v->nblocks; i++) {
		const struct cuda_block *b = &v->blocks[i];
		struct edited *x = b->variable ? NULL : find(e, number_of(v, b));
		unsigned char *now;
		bool same;

		if (b->variable)
			continue;
		if (!x && add_buffer(e, b))
			return -1;
		if (!x)
			continue;
		x->alive = true;
		now = mem_alloc(x->bytes, 1);
		if (!now)
			return no_memory(e);
		gpu_read(v->gpu, b->buffer, 0, now, x->bytes);
		same = !memcmp(now, x->data, x->bytes);
		mem_free(now);
		if (!same)
			return 1;
	}
	return 0;
}

static void remember(struct edit *e)
{
	for (unsigned i = 0; i < e->n; i++)
		if (e->all[i].alive)
			gpu_read(e->server->gpu, e->all[i].buffer, 0, e->all[i].data,
				e->all[i].bytes);
}

/* Takes the launches that wait, and runs them. 1: there are more; 0: no more can be had. */
static int take_waiting(struct edit *e)
{
	const struct untimed_limits limits = {.warp_instructions = UINT64_C(1) << 40};
	struct untimed_counts counts = {0};
	bool ordered = !e->nlaunches || !e->many_streams; /* by the streams alone */
	int changed = !e->nwaiting ? 0 : ordered ? compare(e) : 1;

	if (changed || e->err->count)
		return changed == 1 ? 0 : -1;
	text_raw(&e->launches, "%s", text_str(&e->waiting));
	e->nlaunches += e->nwaiting;
	e->nwaiting = 0;
	text_clear(&e->waiting);
	if (cuda_run_untimed(e->server, &limits, &counts, e->err) || e->err->count)
		return -1;
	remember(e);
	return 1;
}

/* ---- the whole */
static int write_scenario(struct edit *e)
{
	struct text out = {0};
	int bad = 0;

	text_raw(&out, "# %u launch%s of a recording; the host's waits are left out.\nbuffers:\n%s",
		e->nlaunches, e->nlaunches == 1 ? "" : "es", text_str(&e->buffers));
	text_raw(&out, "launches:\n%schecks:\n", text_str(&e->launches));
	for (unsigned i = 0; i < e->n && !bad; i++) {
		char name[32];

		if (!e->all[i].alive)
			continue;
		snprintf(name, sizeof(name), "b%lu.end.bin", e->all[i].number);
		text_raw(&out, "  - { buffer: b%lu, equals: { file: %s } }\n", e->all[i].number,
			name);
		bad = write_file(e, name, e->all[i].data, e->all[i].bytes);
	}
	if (!bad)
		bad = out.failed || e->buffers.failed || e->launches.failed
			      ? no_memory(e)
			      : write_file(e, "scenario.yaml", text_str(&out), out.len);
	text_clear(&out);
	return bad;
}

static int edit(struct edit *e)
{
	struct cuda_server *v = e->server;
	int more;

	do {
		more = cuda_next(v, e->err);
		if (more < 0)
			return -1;
		more = more ? take_waiting(e) : 0;
	} while (more > 0);
	if (more < 0)
		return -1;
	if (v->edits_textures)
		return refuse(e, "the program binds textures or surfaces");
	if (v->edits_variables)
		return refuse(e, "the host writes a module's variable");
	if (!e->nlaunches)
		return refuse(e, "it has no launch");
	if (e->nwaiting)
		output_note("the scenario has %u launch%s: after them the host %s", e->nlaunches,
			e->nlaunches == 1 ? "" : "es",
			e->many_streams ? "waits for a stream, of several"
					: "writes memory that they had used");
	return write_scenario(e);
}

static void clear(struct edit *e)
{
	for (unsigned i = 0; i < e->n; i++)
		mem_free(e->all[i].data);
	mem_free(e->all);
	for (unsigned i = 0; i < MOST_MODULES; i++)
		text_clear(&e->modules[i]);
	text_clear(&e->buffers);
	text_clear(&e->launches);
	text_clear(&e->waiting);
}

int cuda_edit(struct cuda_run *run, const char *folder, struct err *err)
{
	struct edit *e = arena_alloc(run->arena, 1, sizeof(*e));
	struct cuda_watch watch = {e, take_module, take_launch};
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
