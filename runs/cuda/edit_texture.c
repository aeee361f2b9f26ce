/* Textures of a scenario that is written from a recording: objects with the program's handles, and
 * what references are bound to. */
#include "runs/cuda/edit_inside.h"

#ifdef HAVE_CUDA

#include "ptx/isa/program.h"

#include <inttypes.h>
#include <string.h>

/* Whether both are the same, except their handles. */
static bool is_same(const struct edit_texture *a, const struct edit_texture *b)
{
	const struct texture_desc *x = &a->desc, *y = &b->desc;

	return a->address == b->address && x->type == y->type && x->channels == y->channels &&
	       x->as_float == y->as_float && x->srgb == y->srgb && x->width == y->width &&
	       x->height == y->height && x->depth == y->depth && x->row_bytes == y->row_bytes &&
	       x->slice_bytes == y->slice_bytes && x->linear == y->linear &&
	       x->normalised == y->normalised && !memcmp(x->mode, y->mode, sizeof(x->mode));
}

/* Whether it has the handle's entry of the table. */
static bool is_entry(const struct edit_texture *t, texture_t handle)
{
	return texture_index(t->handle) == texture_index(handle);
}

static struct edit_texture *living(struct edit *e, texture_t handle)
{
	for (unsigned i = 0; i < e->ntextures; i++)
		if (e->textures[i].alive && e->textures[i].now == handle)
			return &e->textures[i];
	return NULL;
}

void edit_take_texture(void *ctx, texture_t handle, const struct texture_desc *d)
{
	struct edit *e = ctx;
	struct edit_texture new = {.handle = handle, .now = handle, .alive = true}, *grown;

	if (!d) {
		grown = living(e, handle);
		if (grown)
			grown->alive = false;
		return;
	}
	new.desc = *d;
	if (cuda_block_at(e->server, gpu_buffer_address(e->server->gpu, d->buffer), 1)->variable) {
		edit_refuse(e, "a texture of a module's variable");
		return;
	}
	new.address = gpu_buffer_address(e->server->gpu, d->buffer) + d->offset;
	for (unsigned i = 0; i < e->ntextures; i++) {
		grown = &e->textures[i];
		if (!grown->alive && is_entry(grown, handle) && is_same(grown, &new)) {
			grown->alive = true;
			grown->now = handle;
			return;
		}
	}
	grown = mem_grow(e->textures, e->ntextures, e->ntextures + 1, sizeof(*grown));
	if (!grown) {
		edit_no_memory(e);
		return;
	}
	e->textures = grown;
	grown[e->ntextures++] = new;
}

void edit_take_bind(void *ctx, module_t module, const char *reference, texture_t handle)
{
	struct edit *e = ctx;
	const struct edit_texture *t = living(e, handle);
	struct edit_binding b = {.module = module, .texture = (unsigned)(t - e->textures)}, *grown;

	for (unsigned i = 0; i < e->nbindings; i++) {
		struct edit_binding *old = &e->bindings[i];

		if (old->module != module || strcmp(old->reference, reference) != 0)
			continue;
		if (!old->told)
			old->texture = b.texture;
		else if (!is_same(&e->textures[old->texture], t))
			edit_refuse(e,
				"texture reference '%s' is bound to one texture, and after "
				"a launch to another",
				reference);
		return;
	}
	grown = mem_grow(e->bindings, e->nbindings, e->nbindings + 1, sizeof(*grown));
	if (grown)
		e->bindings = grown;
	b.reference = arena_strdup(e->server->arena, reference);
	if (!grown || !b.reference) {
		edit_no_memory(e);
		return;
	}
	grown[e->nbindings++] = b;
}

/* A kernel can have its handle from now on: it is the scenario's, too, in which nothing is freed.
 */
static void show(struct edit *e, struct edit_texture *t)
{
	for (unsigned i = 0; i < e->ntextures && !t->shown; i++)
		if (e->textures[i].shown && is_entry(&e->textures[i], t->handle)) {
			edit_refuse(e, "a texture object is destroyed after a launch, and another "
				       "one is made with its entry");
			return;
		}
	t->shown = true;
}

void edit_textures_launch(struct edit *e, module_t module)
{
	const char *between = ",\n      bind: { ", *end = "";

	for (unsigned i = 0; i < e->ntextures; i++)
		if (e->textures[i].alive)
			show(e, &e->textures[i]);
	for (unsigned i = 0; i < e->nbindings; i++) {
		struct edit_binding *b = &e->bindings[i];

		if (b->told || b->module != module)
			continue;
		b->told = true;
		text_raw(&e->steps, "%s%s: t%u", between, b->reference, b->texture + 1);
		between = ", ";
		end = " }";
	}
	text_raw(&e->steps, "%s", end);
}

bool edit_is_texture(struct edit *e, uint64_t handle, const struct program *p, unsigned *number)
{
	const struct edit_texture *t = living(e, handle);
	bool fetches = false;

	for (uint32_t i = 0; t && i < p->ninstr && !fetches; i++)
		fetches = p->code[i].action == ACT_TEXTURE || p->code[i].action == ACT_SURFACE ||
			  p->code[i].action == ACT_QUERY;
	if (fetches)
		*number = (unsigned)(t - e->textures) + 1;
	return fetches;
}

/* ---- the section */
static bool is_bound(const struct edit *e, unsigned texture)
{
	for (unsigned i = 0; i < e->nbindings; i++)
		if (e->bindings[i].told && e->bindings[i].texture == texture)
			return true;
	return false;
}

static void add_reading(const struct texture_desc *d, struct text *out)
{
	static const char *const modes[] = {"clamp", "border", "wrap", "mirror"};

	if (d->as_float)
		text_raw(out, ", read: %s", d->srgb ? "srgb" : "normalized");
	text_raw(out, ",\n      address: [%s, %s, %s]", modes[d->mode[0]], modes[d->mode[1]],
		modes[d->mode[2]]);
	if (d->linear)
		text_raw(out, ", filter: linear");
	if (d->normalised)
		text_raw(out, ", coordinates: normalized");
}

static void add_texture(
	const struct edit *e, const struct edit_texture *t, unsigned number, struct text *out)
{
	static const char *const formats[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f32", "f16"};
	const struct texture_desc *d = &t->desc;
	struct text place = {0};

	edit_address(&place, EDIT_BUFFER, t->address);
	text_raw(out, "  t%u: { ", number);
	edit_named(e, &place, out);
	text_clear(&place);
	text_raw(out, ", format: %s, channels: %u, width: %u", formats[d->type], d->channels,
		d->width);
	if (d->height > 1)
		text_raw(out, ", height: %u", d->height);
	if (d->depth > 1)
		text_raw(out, ", depth: %u", d->depth);
	if (d->row_bytes)
		text_raw(out, ", pitch: %" PRIu64, d->row_bytes);
	if (d->slice_bytes)
		text_raw(out, ", slice_pitch: %" PRIu64, d->slice_bytes);
	add_reading(d, out);
	if (t->shown)
		text_raw(out, ", handle: %" PRIu64, t->handle);
	text_raw(out, " }\n");
}

void edit_add_textures(const struct edit *e, struct text *out)
{
	const char *title = "textures:\n";

	for (unsigned i = 0; i < e->ntextures; i++) {
		if (!e->textures[i].shown && !is_bound(e, i))
			continue;
		text_raw(out, "%s", title);
		title = "";
		add_texture(e, &e->textures[i], i + 1, out);
	}
}

#endif
