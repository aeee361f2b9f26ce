/* Textures, samplers and surfaces of a GPU: described by the host, bound to modules' references. */
#include "chip/gpu_inside.h"

#include "core/text.h"

#include <string.h>

#define MAX_SIDE (1u << 27) /* texels of a dimension */

/* An entry behind all others, or NULL and a message. */
static struct texture *last_entry(struct gpu *g, const char *name, struct err *err)
{
	struct texture_table *t = &g->textures;
	struct texture *grown = mem_grow(t->texture, t->n, t->n + 1, sizeof(*grown));

	if (!grown) {
		err_add(err, ERR_RESOURCE, "texture '%s': no host memory", name);
		return NULL;
	}
	t->texture = grown;
	return &grown[t->n++];
}

/* The same, or one that was freed. */
static struct texture *new_entry(struct gpu *g, const char *name, struct err *err)
{
	struct texture_table *t = &g->textures;
	struct texture *entry;

	if (!t->freed)
		return last_entry(g, name, err);
	entry = &t->texture[t->freed - 1];
	t->freed = entry->width;
	return entry;
}

/* The entry of that handle; those below that there are not yet are free then. NULL and a message:
 * it is taken, or there is no host memory. */
static struct texture *numbered_entry(
	struct gpu *g, const char *name, texture_t handle, struct err *err)
{
	struct texture_table *t = &g->textures;
	struct texture *grown = t->texture;
	uint32_t *link = &t->freed, number = (uint32_t)handle;

	if (number > t->n)
		grown = mem_grow(t->texture, t->n, number, sizeof(*grown));
	if (!grown) {
		err_add(err, ERR_RESOURCE, "texture '%s': no host memory", name);
		return NULL;
	}
	t->texture = grown;
	for (uint32_t i = number; i > t->n; i--) {
		grown[i - 1] = (struct texture){.width = t->freed};
		t->freed = i;
	}
	t->n = number > t->n ? number : t->n;
	while (*link && *link != number)
		link = &grown[*link - 1].width;
	if (!*link) {
		err_add(err, ERR_INPUT, "texture '%s': handle %llu is taken", name,
			(unsigned long long)handle);
		return NULL;
	}
	*link = grown[number - 1].width;
	grown[number - 1].frees = (uint32_t)(handle >> TEXTURE_FREES);
	return &grown[number - 1];
}

static texture_t handle_of(const struct gpu *g, const struct texture *entry)
{
	return texture_handle((uint32_t)(entry - g->textures.texture), entry->frees);
}

static struct texture *entry_of(const struct gpu *g, texture_t handle)
{
	return &g->textures.texture[texture_index(handle)];
}

/* All of an entry but the number of frees. */
static void set_entry(struct texture *entry, struct texture t)
{
	t.frees = entry->frees;
	*entry = t;
}

/* ---- descriptions. */

static int check_format(const char *name, const struct texture_desc *d, struct err *err)
{
	bool narrow = d->type <= TEXEL_S16, is_float = texel_type_is_float(d->type);

	if ((unsigned)d->type >= TEXEL_TYPES)
		return err_add(err, ERR_INPUT, "texture '%s': there is no texel type %u", name,
			(unsigned)d->type);
	if (d->channels != 1 && d->channels != 2 && d->channels != 4)
		return err_add(err, ERR_INPUT,
			"texture '%s': texels of %u channels, there can be 1, 2 or 4", name,
			d->channels);
	if (d->as_float && !narrow)
		return err_add(err, ERR_INPUT,
			"texture '%s': only integers of 8 and 16 bits are read as normalised "
			"floats",
			name);
	if (d->linear && !d->as_float && !is_float)
		return err_add(err, ERR_INPUT,
			"texture '%s': linear filtering needs floats: texels of f32 or f16, or of 8 or 16 "
			"bits read as normalised floats",
			name);
	if (d->srgb && (d->type != TEXEL_U8 || !d->as_float))
		return err_add(err, ERR_INPUT,
			"texture '%s': only texels of u8 that are read as normalised floats are "
			"sRGB",
			name);
	return 0;
}

static int check_modes(
	const char *name, const enum address_mode *mode, bool normalised, struct err *err)
{
	for (unsigned k = 0; k < 3; k++) {
		if ((unsigned)mode[k] > ADDRESS_MIRROR)
			return err_add(err, ERR_INPUT, "texture '%s': there is no address mode %u",
				name, (unsigned)mode[k]);
		if (!normalised && (mode[k] == ADDRESS_WRAP || mode[k] == ADDRESS_MIRROR))
			return err_add(err, ERR_INPUT,
				"texture '%s': address modes wrap and mirror need normalised "
				"coordinates",
				name);
	}
	return 0;
}

static uint32_t at_least_one(uint32_t n)
{
	return n ? n : 1;
}

/* Sizes and strides, with defaults for those left out. */
static void lay_out(const struct texture_desc *d, struct texture *t)
{
	t->type = (uint8_t)d->type;
	t->channels = (uint8_t)d->channels;
	t->width = at_least_one(d->width);
	t->height = at_least_one(d->height);
	t->depth = at_least_one(d->depth);
	t->row_bytes = d->row_bytes ? d->row_bytes : (uint64_t)t->width * texture_texel_bytes(t);
	t->slice_bytes = d->slice_bytes ? d->slice_bytes : t->row_bytes * t->height;
}

static int check_layout(const struct gpu *g, const char *name, const struct texture_desc *d,
	const struct texture *t, struct err *err)
{
	uint64_t texel = texture_texel_bytes(t), row = t->width * texel, end, most;

	if (d->buffer == 0 || d->buffer > image_count(g->image))
		return err_add(err, ERR_INPUT, "texture '%s': it has no buffer", name);
	if (t->width > MAX_SIDE || t->height > MAX_SIDE || t->depth > MAX_SIDE)
		return err_add(err, ERR_INPUT,
			"texture '%s': %u x %u x %u texels; a side can have at most %u", name,
			t->width, t->height, t->depth, MAX_SIDE);
	most = gpu_buffer_bytes(g, d->buffer);
	if (d->offset % texel || t->row_bytes % texel || t->slice_bytes % texel)
		return err_add(err, ERR_INPUT,
			"texture '%s': its offset and its row and slice bytes must be multiples of "
			"a texel's %llu bytes",
			name, (unsigned long long)texel);
	if (t->row_bytes < row || (t->depth > 1 && t->slice_bytes / t->height < t->row_bytes))
		return err_add(err, ERR_INPUT,
			"texture '%s': rows of %llu bytes every %llu, slices every %llu bytes: "
			"they overlap",
			name, (unsigned long long)row, (unsigned long long)t->row_bytes,
			(unsigned long long)t->slice_bytes);
	if (__builtin_mul_overflow(t->slice_bytes, t->depth - 1, &end) ||
		__builtin_add_overflow(
			end, d->offset + t->row_bytes * (t->height - 1) + row, &end) ||
		t->row_bytes > most || d->offset > most || end > most)
		return err_add(err, ERR_INPUT,
			"texture '%s': %u x %u x %u texels of %llu bytes do not fit into buffer "
			"'%s' of %llu bytes",
			name, t->width, t->height, t->depth, (unsigned long long)texel,
			image_name(g->image, d->buffer), (unsigned long long)most);
	return 0;
}

static struct sampler make_sampler(const enum address_mode *mode, bool linear, bool normalised)
{
	return (struct sampler){.mode = {(uint8_t)mode[0], (uint8_t)mode[1], (uint8_t)mode[2]},
		.linear = linear,
		.normalised = normalised,
		.unnormalised = !normalised};
}

texture_t gpu_texture(
	struct gpu *g, const char *name, const struct texture_desc *d, struct err *err)
{
	struct texture t = {.kind = OBJECT_TEXTURE, .as_float = d->as_float, .srgb = d->srgb},
		       *entry;

	if (check_format(name, d, err) || check_modes(name, d->mode, d->normalised, err))
		return 0;
	lay_out(d, &t);
	if (check_layout(g, name, d, &t, err))
		return 0;
	t.address = image_address(g->image, d->buffer) + d->offset;
	t.sampler = make_sampler(d->mode, d->linear, d->normalised);
	entry = d->handle ? numbered_entry(g, name, d->handle, err) : new_entry(g, name, err);
	if (!entry)
		return 0;
	set_entry(entry, t);
	return handle_of(g, entry);
}

bool gpu_is_texture(const struct gpu *g, uint64_t handle)
{
	const struct texture *t = texture_find(&g->textures, handle, OBJECT_TEXTURE);

	return t && !t->reference;
}

int gpu_mipmap(struct gpu *g, texture_t texture, const struct mipmap_desc *d, struct err *err)
{
	struct texture *t = entry_of(g, texture);
	const struct texture *s = entry_of(g, d->smaller), *x;

	BUG_ON(!gpu_is_texture(g, texture) || !gpu_is_texture(g, d->smaller));
	for (x = s; x && x != t;)
		x = texture_find(&g->textures, x->smaller, OBJECT_TEXTURE);
	if (t->smaller || x)
		return err_add(err, ERR_INPUT, "texture %u: it has a smaller level already",
			(unsigned)texture);
	if (!t->sampler.normalised || !s->sampler.normalised)
		return err_add(err, ERR_INPUT,
			"texture %u: levels of a mipmap need normalised coordinates",
			(unsigned)texture);
	if (t->type != s->type || t->channels != s->channels || t->as_float != s->as_float)
		return err_add(err, ERR_INPUT,
			"texture %u: levels of a mipmap need the same texels", (unsigned)texture);
	if (texture_levels(&g->textures, s) >= TEXTURE_LEVELS - 1)
		return err_add(err, ERR_INPUT, "texture %u: it has more than %u levels",
			(unsigned)texture, TEXTURE_LEVELS);
	t->smaller = d->smaller;
	t->blend = d->blend;
	t->bias = d->bias;
	t->least = d->least;
	t->most = d->most;
	return 0;
}

bool gpu_texture_free(struct gpu *g, texture_t t)
{
	if (!gpu_is_texture(g, t))
		return false;
	while (gpu_is_texture(g, t)) {
		struct texture *entry = entry_of(g, t);
		texture_t smaller = entry->smaller;

		*entry = (struct texture){.width = g->textures.freed,
			.frees = (entry->frees + 1) & TEXTURE_FREES_MOST};
		g->textures.freed = texture_index(t) + 1;
		t = smaller;
	}
	return true;
}

texture_t gpu_texture_next(const struct gpu *g, texture_t t)
{
	for (uint32_t i = t ? texture_index(t) + 1 : 0; i < g->textures.n; i++) {
		texture_t handle = handle_of(g, &g->textures.texture[i]);

		if (gpu_is_texture(g, handle))
			return handle;
	}
	return 0;
}

texture_t gpu_sampler(
	struct gpu *g, const char *name, const struct sampler_desc *d, struct err *err)
{
	struct texture *entry;

	if (check_modes(name, d->mode, !d->unnormalised, err))
		return 0;
	entry = new_entry(g, name, err);
	if (!entry)
		return 0;
	set_entry(entry, (struct texture){.kind = OBJECT_SAMPLER,
				 .sampler = make_sampler(d->mode, d->linear, !d->unnormalised)});
	return handle_of(g, entry);
}

/* ---- modules' references. */

static void init_reference(struct texture *entry, const struct module_var *v)
{
	*entry = (struct texture){.reference = true};
	if (v->kind != OBJECT_SAMPLER || !v->init)
		return;
	entry->kind = OBJECT_SAMPLER;
	memcpy(&entry->sampler, v->init, sizeof(entry->sampler));
}

int gpu_place_reference(struct gpu *g, struct module *m, uint32_t var, struct err *err)
{
	const struct module_var *v = &m->vars[var];
	/* of 32-bit modules the handle has 4 bytes: none that was freed */
	struct texture *entry = last_entry(g, v->name, err);

	if (!entry)
		return -1;
	init_reference(entry, v);
	module_place(m, var, handle_of(g, entry));
	return 0;
}

void gpu_reset_references(struct gpu *g, const struct module *m)
{
	for (uint32_t i = 0; i < m->nvars; i++)
		if (m->vars[i].kind != OBJECT_NONE)
			init_reference(entry_of(g, m->vars[i].address), &m->vars[i]);
}

static int no_such_reference(const struct module *m, const char *name, struct err *err)
{
	struct text names = {0};

	for (uint32_t i = 0; i < m->nvars; i++)
		if (m->vars[i].kind != OBJECT_NONE)
			text_add(&names, "%s%s",
				names.len ? ", " : "; there are: ", m->vars[i].name);
	err_add(err, ERR_INPUT, "%s: there is no texture, sampler or surface reference %s%s",
		m->file, name, text_str(&names));
	text_clear(&names);
	return -1;
}

static const struct module_var *find_reference(const struct module *m, const char *name)
{
	for (uint32_t i = 0; i < m->nvars; i++)
		if (m->vars[i].kind != OBJECT_NONE && !strcmp(m->vars[i].name, name))
			return &m->vars[i];
	return NULL;
}

bool gpu_has_reference(const struct gpu *g, module_t module, const char *name)
{
	return find_reference(g->modules[module - 1]->module, name);
}

int gpu_bind(
	struct gpu *g, module_t module, const char *reference, texture_t texture, struct err *err)
{
	const struct module *m = g->modules[module - 1]->module;
	const struct module_var *v = find_reference(m, reference);
	const struct texture *t;

	if (!v)
		return no_such_reference(m, reference, err);
	t = entry_of(g, texture);
	BUG_ON(texture_index(texture) >= g->textures.n || handle_of(g, t) != texture);
	if ((t->kind == OBJECT_SAMPLER) != (v->kind == OBJECT_SAMPLER))
		return err_add(err, ERR_INPUT, "%s: reference %s is a %s: a %s cannot be bound",
			m->file, reference, v->kind == OBJECT_SAMPLER ? "sampler" : "texture",
			v->kind == OBJECT_SAMPLER ? "texture" : "sampler");
	for (const struct launch_state *l = g->oldest; l; l = l->after)
		if (l->grid.program->module == m)
			return err_add(err, ERR_INPUT,
				"%s: reference %s cannot be bound while a launch of the module is "
				"under way",
				m->file, reference);
	set_entry(entry_of(g, v->address), *t);
	entry_of(g, v->address)->reference = true;
	return 0;
}

int gpu_check_references(const struct gpu *g, const struct program *p, struct err *err)
{
	for (uint32_t i = 0; i < p->nrefs; i++) {
		const struct module_var *v = &p->module->vars[p->refs[i]];

		if (entry_of(g, v->address)->kind == OBJECT_NONE)
			return err_add(err, ERR_INPUT,
				"kernel '%s': nothing is bound to its %s reference '%s'", p->source,
				v->kind == OBJECT_SAMPLER   ? "sampler"
				: v->kind == OBJECT_SURFACE ? "surface"
							    : "texture",
				v->name);
	}
	return 0;
}
