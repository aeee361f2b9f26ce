/* A module of forms on the GPU and by the executor. */
#include "runs/hardware/forms_inside.h"

#include "core/base.h"
#include "core/rng.h"
#include "runs/hardware/mirror.h"
#include "runs/session.h"

#include <stdio.h>
#include <string.h>

#define IN_BYTES ((uint64_t)FORM_IN_BYTES * FORM_CTAS)
#define TEXELS (FORM_TEXELS_WIDE * FORM_TEXELS_HIGH * FORM_TEXELS_DEEP)
#define TEXTURES 3u

/* One side: a GPU that the host fills and launches on. */
struct side {
	struct session *session;
	buffer_t in, out, texels[TEXTURES];
	texture_t texture[TEXTURES]; /* texels of 16 bytes, of 4 bytes; a surface of 16 bytes */
	module_t module;
};

bool forms_use_textures(const struct form_unit *u)
{
	return u->m.action == ACT_TEXTURE || u->m.action == ACT_SURFACE || u->m.action == ACT_QUERY;
}

/* ---- the text */
/* The newest PTX that the driver and the writer know (CUDA Toolkit, "Release Notes"). */
static const char *version_of(const struct driver_gpu *g)
{
	static const struct {
		int driver;
		const char *ptx;
	} versions[] = {{12090, "8.8"}, {12080, "8.7"}, {12070, "8.6"}, {12050, "8.5"},
		{12040, "8.4"}, {12030, "8.3"}, {12020, "8.2"}, {12010, "8.1"}, {12000, "8.0"},
		{11080, "7.8"}, {11070, "7.7"}, {11060, "7.6"}, {11050, "7.5"}, {11040, "7.4"},
		{11030, "7.3"}, {11020, "7.2"}, {11010, "7.1"}, {11000, "7.0"}, {10020, "6.5"},
		{10010, "6.4"}, {10000, "6.3"}, {9020, "6.2"}, {9010, "6.1"}};

	for (unsigned i = 0; i < ARRAY_LEN(versions); i++)
		if (g->version >= versions[i].driver)
			return versions[i].ptx;
	return "6.0";
}

static unsigned lines_of(const struct text *t, size_t from)
{
	unsigned n = 0;

	for (const char *c = text_str(t) + from; *c; c++)
		n += *c == '\n';
	return n;
}

void forms_write(struct batch *b)
{
	const struct driver_gpu *g = &b->d->gpu;
	struct form_writer w = {
		.text = b->text, .bits = 64, .ctas = FORM_CTAS, .version = version_of(g)};
	char target[32], name[24];
	unsigned line;

	snprintf(target, sizeof(target), "sm_%d%d", g->major, g->minor);
	w.target = target;
	text_clear(b->text);
	form_writer_head(&w);
	line = 1 + lines_of(b->text, 0);
	for (unsigned i = 0; i < b->n; i++) {
		struct form_unit *u = b->unit[i];
		size_t from = b->text->len;

		snprintf(name, sizeof(name), "form%u", i);
		form_kernel_begin(&w, name);
		form_write(&w, u->spelling, &u->m, u->place);
		form_kernel_end(&w);
		BUG_ON(w.slots > FORM_SLOTS);
		u->slots = w.slots;
		memcpy(u->slot, w.slot, sizeof(u->slot));
		u->first_line = line;
		u->lines = lines_of(b->text, from);
		line += u->lines;
	}
}

int forms_load(struct batch *b, struct err *err)
{
	int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES};
	void *values[] = {b->log, (void *)(uintptr_t)FORM_LOG_BYTES}, *module = NULL;

	memset(b->log, 0, FORM_LOG_BYTES);
	if (b->text->failed)
		return err_add(err, ERR_RESOURCE, "no host memory for a module of forms");
	if (DRIVER_CALL(b->d, "forms", err, module_load, &module, text_str(b->text),
		    ARRAY_LEN(options), options, values)) {
		b->log[FORM_LOG_BYTES - 1] = '\0';
		return -1;
	}
	return DRIVER_CALL(b->d, "forms", err, module_unload, module);
}

/* ---- what kernels are given */
static uint64_t seed_of(const struct batch *b, const struct form_unit *u)
{
	return b->forms->seed * 1000003 + (uint64_t)(u - b->forms->unit);
}

static unsigned ctas_of(const struct form_unit *u)
{
	return u->m.action == ACT_SURFACE ? 1 : FORM_CTAS;
}

static uint64_t out_bytes(const struct form_unit *u)
{
	return (uint64_t)FORM_SLOT_BYTES * FORM_CTAS * u->slots;
}

static int fill(struct side *s, const struct batch *b, struct err *err)
{
	unsigned char *all = mem_alloc(b->n, IN_BYTES);

	if (!all)
		return err_add(err, ERR_RESOURCE, "no host memory for operands");
	for (unsigned i = 0; i < b->n; i++)
		forms_operands(
			&b->unit[i]->m, seed_of(b, b->unit[i]), FORM_CTAS, all + i * IN_BYTES);
	gpu_write(s->session->gpu, s->in, 0, all, b->n * IN_BYTES);
	mem_free(all);
	return 0;
}

/* Dimensions and texels are those of the opcodes. */
static struct texture_desc describe(const struct form_unit *u, unsigned i)
{
	const char *at = u->spelling;
	bool layers = strstr(at, ".a1d.") || strstr(at, ".a2d.");
	struct texture_desc d = {.type = strstr(at, ".v4.f32")   ? TEXEL_F32
					 : strstr(at, ".v4.s32") ? TEXEL_S32
								 : TEXEL_U32,
		.channels = i == 1 ? 1 : 4,
		.width = FORM_TEXELS_WIDE};

	if (!strstr(at, ".1d.") && !strstr(at, ".a1d."))
		d.height = FORM_TEXELS_HIGH;
	if (layers || strstr(at, ".3d."))
		d.depth = FORM_TEXELS_DEEP;
	return d;
}

static int make_textures(struct side *s, const struct batch *b, struct err *err)
{
	struct gpu *g = s->session->gpu;
	unsigned char texels[16 * TEXELS];

	for (unsigned i = 0; i < TEXTURES; i++) {
		struct texture_desc d = describe(b->unit[0], i);
		struct rng r = rng_new(b->forms->seed, 77 + i);

		for (unsigned k = 0; k < sizeof(texels); k++)
			texels[k] = (unsigned char)(k % 4 == 3 ? 0x3f : rng_u64(&r) >> 32);
		s->texels[i] = d.buffer = gpu_buffer(g, "texels", sizeof(texels), err);
		if (!d.buffer)
			return -1;
		gpu_write(g, d.buffer, 0, texels, sizeof(texels));
		s->texture[i] = gpu_texture(g, "a texture", &d, err);
		if (!s->texture[i])
			return -1;
	}
	return 0;
}

static int launch(struct side *s, const struct batch *b, unsigned i, uint64_t at, struct err *err)
{
	static const unsigned char given[32] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0x80, 0xc0, 0x3f, 99};
	static const uint64_t none;
	const struct form_unit *u = b->unit[i];
	struct launch_arg args[] = {ARG_BUF(s->in), ARG_BUF(s->out), ARG_VAL(none), ARG_VAL(none),
		ARG_VAL(none), {.kind = ARG_BYTES, .bytes = given, .size = sizeof(given)}};
	char name[24];
	struct launch l = {.module = s->module,
		.kernel = name,
		.grid = {ctas_of(u), 1, 1},
		.block = {FORM_THREADS, 1, 1},
		.args = args,
		.nargs = ARRAY_LEN(args)};

	snprintf(name, sizeof(name), "form%u", i);
	args[0].offset = i * IN_BYTES;
	args[1].offset = at;
	for (unsigned k = 0; k < TEXTURES && b->shape; k++)
		args[2 + k] = ARG_TEX(s->texture[k]);
	return gpu_launch(s->session->gpu, &l, err);
}

static int prepare(struct side *s, const struct batch *b, struct err *err)
{
	struct gpu *g = s->session->gpu;
	uint64_t at = 0, bytes = 0;

	s->module = gpu_module_text(g,
		&(struct module_text){
			.file = "forms", .text = text_str(b->text), .bytes = b->text->len},
		1, err);
	for (unsigned i = 0; i < b->n; i++)
		bytes += out_bytes(b->unit[i]);
	s->in = gpu_buffer(g, "in", b->n * IN_BYTES, err);
	s->out = gpu_buffer(g, "out", max_u64(bytes, 1), err);
	if (!s->module || !s->in || !s->out || fill(s, b, err) ||
		(b->shape && make_textures(s, b, err)))
		return -1;
	for (unsigned i = 0; i < b->n; i++) {
		if (launch(s, b, i, at, err))
			return -1;
		at += out_bytes(b->unit[i]);
	}
	return 0;
}

/* ---- beside each other */
static void sample(struct form_unit *u, unsigned at[4], const unsigned char *ours,
	const unsigned char *theirs, const unsigned char *in)
{
	struct form_sample *f = &u->first;
	unsigned bytes = ptx_type_bytes((enum ptx_type)u->slot[at[0]].type);

	*f = (struct form_sample){.slot = at[0],
		.cta = at[1],
		.thread = at[2],
		.element = at[3],
		.type = u->slot[at[0]].type};
	memcpy(f->ours, ours, bytes);
	memcpy(f->theirs, theirs, bytes);
	for (unsigned i = 0; i < FORM_OPERANDS; i++)
		memcpy(f->operand[i], in + 32 * i, 16);
	u->sampled = true;
}

/* An element at slot, CTA, thread, element. */
static void compare_element(struct form_unit *u, unsigned at[4], const unsigned char *ours,
	const unsigned char *theirs, const unsigned char *in)
{
	double error;
	enum form_outcome o =
		form_compare(u->rule, (enum ptx_type)u->slot[at[0]].type, ours, theirs, &error);
	bool open = o == FORM_DIFFERS && form_open_for(u->spelling, &u->m, in);

	u->values++;
	u->nans += o == FORM_NAN;
	u->within += o == FORM_WITHIN;
	u->open += open;
	if (o == FORM_WITHIN)
		u->worst = error > u->worst ? error : u->worst;
	if (o != FORM_DIFFERS)
		return;
	if ((!open && !u->differ) || !u->sampled)
		sample(u, at, ours, theirs, in);
	u->differ += !open;
}

static void compare_unit(struct form_unit *u, const unsigned char *ours,
	const unsigned char *theirs, const unsigned char *in)
{
	for (unsigned slot = 0; slot < u->slots; slot++)
		for (unsigned t = 0; t < ctas_of(u) * FORM_THREADS; t++) {
			unsigned bytes = ptx_type_bytes((enum ptx_type)u->slot[slot].type);
			size_t from = (size_t)slot * FORM_SLOT_BYTES * FORM_CTAS + 32 * t;

			for (unsigned e = 0; e < u->slot[slot].count; e++) {
				unsigned at[4] = {slot, t / FORM_THREADS, t % FORM_THREADS, e};

				compare_element(u, at, ours + from + e * bytes,
					theirs + from + e * bytes, in + (size_t)256 * t);
			}
		}
	u->state = u->differ            ? FORM_UNEQUAL
		   : u->open || u->nans ? FORM_OPEN_ONLY
		   : u->within          ? FORM_IN_BOUND
					: FORM_EQUAL;
}

/* Texels that a surface's form wrote are results of its own. */
static void compare_texels(struct form_unit *u, struct side *ours, struct side *theirs)
{
	static const struct form_slot word = {T_U32, 1};

	for (unsigned i = 1; i < TEXTURES; i++) {
		const unsigned char *a = gpu_buffer_data(ours->session->gpu, ours->texels[i]);
		const unsigned char *b = gpu_buffer_data(theirs->session->gpu, theirs->texels[i]);

		for (unsigned k = 0; k < 4 * TEXELS; k++) {
			u->values++;
			if (!memcmp(a + 4 * k, b + 4 * k, 4))
				continue;
			if (!u->differ++) {
				u->slot[0] = word;
				sample(u, (unsigned[4]){0, 0, k % FORM_THREADS, 0}, a + 4 * k,
					b + 4 * k, gpu_buffer_data(ours->session->gpu, ours->in));
			}
			u->state = FORM_UNEQUAL;
		}
	}
}

static void compare(const struct batch *b, struct side *ours, struct side *theirs)
{
	const unsigned char *a = gpu_buffer_data(ours->session->gpu, ours->out);
	const unsigned char *t = gpu_buffer_data(theirs->session->gpu, theirs->out);
	const unsigned char *in = gpu_buffer_data(ours->session->gpu, ours->in);
	uint64_t at = 0;

	for (unsigned i = 0; i < b->n; i++) {
		compare_unit(b->unit[i], a + at, t + at, in + i * IN_BYTES);
		at += out_bytes(b->unit[i]);
		if (b->unit[i]->m.action == ACT_SURFACE)
			compare_texels(b->unit[i], ours, theirs);
	}
}

/* ---- both sides */
static int open_side(struct side *s, struct arena *arena, struct err *err)
{
	s->session = session_within(arena);
	s->session->config = config_new();
	s->session->gpu = s->session->config ? gpu_new(s->session->config, NULL, err) : NULL;
	if (!s->session->config)
		err_add(err, ERR_RESOURCE, "no host memory for settings");
	return s->session->gpu && !config_finish(s->session->config, err) ? 0 : -1;
}

/* The driver reads what the host wrote, also where nothing was: results begin as zeros. */
static int run_theirs(struct side *s, const struct batch *b, struct err *err)
{
	struct mirror *m = mirror_new(b->d, s->session->gpu, NULL, &s->session->arena, 1);
	int bad = prepare(s, b, err) || mirror_run(m, err);

	mirror_free(m, err);
	return bad || err->count ? -1 : 0;
}

static int run_ours(struct side *s, const struct batch *b, struct err *err)
{
	struct untimed_counts counts = {0};

	return prepare(s, b, err) || gpu_run_untimed(s->session->gpu, &counts, err) ? -1 : 0;
}

int forms_execute(struct batch *b, struct err *err)
{
	struct side ours = {0}, theirs = {0};
	int bad = open_side(&theirs, b->arena, err) || open_side(&ours, b->arena, err) ||
		  run_theirs(&theirs, b, err) || run_ours(&ours, b, err);

	if (!bad)
		compare(b, &ours, &theirs);
	if (ours.session)
		session_close(ours.session);
	session_close(theirs.session);
	return bad;
}
