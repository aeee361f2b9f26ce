/* A scenario's textures and samplers: their descriptions, and the references bound to them. */
#include "runs/scenario/inside.h"

#include "core/base.h"
#include "core/text.h"

#include <string.h>

/* In the order of enum texel_type, of enum address_mode, of false and true. */
static const char *const readings[] = {"element", "normalized", "srgb", NULL};
static const char *const formats[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f32", "f16", NULL};
static const char *const addresses[] = {"clamp", "border", "wrap", "mirror", NULL};
static const char *const filters[] = {"nearest", "linear", NULL};
static const char *const scales[] = {"element", "normalized", NULL};

/* ---- reading, before the run */
/* One of the words, as its number. 0 or -1. */
static int read_word(struct yaml *y, const yaml_node_t *node, const char *what,
	const char *const *words, unsigned *out)
{
	const char *text = yaml_text(node);
	struct text list = {0};

	for (*out = 0; words[*out]; ++*out) {
		if (text && !strcmp(words[*out], text))
			break;
		text_add(&list, "%s%s", *out ? ", " : "", words[*out]);
	}
	if (!words[*out])
		yaml_wrong(y, node, "%s: '%s' is not one of %s", what, text ? text : "(no scalar)",
			text_str(&list));
	text_clear(&list);
	return words[*out] ? 0 : -1;
}

/* A key whose second word means true; without the key the value is unchanged. 0 or -1. */
static int read_choice(struct yaml *y, const yaml_node_t *map, const char *key,
	const char *const *words, bool *out)
{
	const yaml_node_t *node = yaml_get(y, map, key);
	unsigned word = *out;

	if (node && read_word(y, node, key, words, &word))
		return -1;
	*out = word;
	return 0;
}

/* One mode for all dimensions, or a list in the order x, y, z; missing ones are clamp. */
static int read_modes(struct yaml *y, const yaml_node_t *node, enum address_mode mode[3])
{
	unsigned n = yaml_items(node), word = 0;

	if (node && node->type == YAML_SEQUENCE_NODE && (!n || n > 3))
		return yaml_wrong(y, node, "address must be a word, or a list of one to three");
	for (unsigned k = 0; node && k < 3; k++) {
		bool list = node->type == YAML_SEQUENCE_NODE;

		if (list && k >= n)
			break;
		if (read_word(y, list ? yaml_item(y, node, k) : node, "address", addresses, &word))
			return -1;
		mode[k] = (enum address_mode)word;
	}
	return 0;
}

/* What textures and samplers have in common. */
static int read_sampling(struct yaml *y, const yaml_node_t *map, struct texture_desc *d)
{
	if (read_modes(y, yaml_get(y, map, "address"), d->mode) ||
		read_choice(y, map, "filter", filters, &d->linear))
		return -1;
	return read_choice(y, map, "coordinates", scales, &d->normalised);
}

/* The type of the texels: the format, or else the buffer's own. */
static int read_format(struct yaml *y, struct scenario_texture *t)
{
	static const char *const counts[] = {"1", "2", "4", NULL};
	const yaml_node_t *format = yaml_get(y, t->node, "format");
	const yaml_node_t *channels = yaml_get(y, t->node, "channels");
	const yaml_node_t *reading = yaml_get(y, t->node, "read");
	enum ptx_type type = t->buffer->values.type;
	unsigned word = 0;

	if (channels && read_word(y, channels, "channels", counts, &word))
		return -1;
	t->desc.channels = 1u << word;
	if (format && read_word(y, format, "format", formats, &word))
		return -1;
	for (word = format ? word : 0; !format && formats[word]; word++)
		if (type != T_NONE && !strcmp(formats[word], ptx_type_name(type)))
			break;
	if (!formats[word])
		return yaml_wrong(y, t->node, "a texture needs a format, such as f32 or u8");
	t->desc.type = (enum texel_type)word;
	word = 0;
	if (reading && read_word(y, reading, "read", readings, &word))
		return -1;
	t->desc.as_float = word > 0;
	t->desc.srgb = word > 1;
	return 0;
}

static int read_extent(struct yaml *y, struct scenario_texture *t)
{
	static const char *const keys[] = {
		"width", "height", "depth", "offset", "pitch", "slice_pitch"};
	uint64_t v[] = {1, 1, 1, 0, 0, 0}, bytes = t->buffer->values.n;

	if (!yaml_get(y, t->node, "width"))
		return yaml_wrong(y, t->node, "a texture needs a width");
	for (unsigned i = 0; i < ARRAY_LEN(keys); i++) {
		const yaml_node_t *node = yaml_get(y, t->node, keys[i]);

		if (node && yaml_uint(y, node, keys[i], i != 3, i < 3 ? UINT32_MAX : bytes, &v[i]))
			return -1;
	}
	t->desc.width = (uint32_t)v[0];
	t->desc.height = (uint32_t)v[1];
	t->desc.depth = (uint32_t)v[2];
	t->desc.offset = v[3];
	t->desc.row_bytes = v[4];
	t->desc.slice_bytes = v[5];
	return 0;
}

static int read_texture(struct scenario *s, struct scenario_texture *t)
{
	static const char *const keys[] = {"buffer", "offset", "format", "channels", "width",
		"height", "depth", "pitch", "slice_pitch", "read", "address", "filter",
		"coordinates", "handle", NULL};
	struct yaml *y = &s->yaml;
	const yaml_node_t *handle = yaml_get(y, t->node, "handle");
	uint64_t number = 0, low;

	if (yaml_only(y, t->node, "a texture", keys))
		return -1;
	if (!yaml_get(y, t->node, "buffer"))
		return yaml_wrong(y, t->node, "a texture needs a buffer");
	t->buffer = scenario_named(s, yaml_get(y, t->node, "buffer"));
	if (!t->buffer || read_format(y, t) || read_extent(y, t) ||
		(handle && yaml_uint(y, handle, "handle", 1, UINT64_MAX, &number)))
		return -1;
	low = number & ((UINT64_C(1) << TEXTURE_FREES) - 1);
	if (handle && (!low || low > UINT16_MAX))
		return yaml_wrong(y, handle,
			"handle: the lower 40 bits of %llu are not a number from 1 to %u",
			(unsigned long long)number, UINT16_MAX);
	t->desc.handle = number;
	return read_sampling(y, t->node, &t->desc);
}

static int read_sampler(struct scenario *s, struct scenario_texture *t)
{
	static const char *const keys[] = {"address", "filter", "coordinates", NULL};

	t->sampler = true;
	t->desc.normalised = true; /* the texture's setting is kept */
	if (yaml_only(&s->yaml, t->node, "a sampler", keys))
		return -1;
	return read_sampling(&s->yaml, t->node, &t->desc);
}

/* References are bound to either: no texture and sampler may have the same name. */
static int check_name(struct scenario *s, const yaml_node_t *key, const char *name)
{
	for (unsigned i = 0; i < s->ntextures; i++)
		if (!strcmp(s->textures[i].name, name))
			return yaml_wrong(&s->yaml, key, "there is a texture '%s' already", name);
	return 0;
}

typedef int read_object_fn(struct scenario *, struct scenario_texture *);

static int read_section(
	struct scenario *s, const yaml_node_t *map, const char *what, read_object_fn *read)
{
	struct yaml *y = &s->yaml;
	int bad = map ? yaml_only(y, map, what, NULL) : 0;

	for (unsigned i = 0; i < yaml_items(map) && !bad; i++) {
		const yaml_node_t *key = yaml_key(y, map, i);
		struct scenario_texture t = {.name = yaml_text(key), .node = yaml_value(y, map, i)};

		bad = check_name(s, key, t.name) || read(s, &t) ? -1 : 0;
		s->textures[s->ntextures++] = t;
	}
	return bad;
}

int scenario_read_textures(struct scenario *s)
{
	const yaml_node_t *root = yaml_root(&s->yaml);
	const yaml_node_t *textures = yaml_get(&s->yaml, root, "textures");
	const yaml_node_t *samplers = yaml_get(&s->yaml, root, "samplers");

	s->textures = arena_alloc(
		&s->arena, yaml_items(textures) + yaml_items(samplers) + 1, sizeof(*s->textures));
	if (read_section(s, textures, "textures", read_texture))
		return -1;
	return read_section(s, samplers, "samplers", read_sampler);
}

/* ---- making and binding */
static texture_t make(struct gpu *g, const struct scenario_texture *t, struct err *wrong)
{
	struct sampler_desc sampler = {
		.linear = t->desc.linear, .unnormalised = !t->desc.normalised};
	struct texture_desc texture = t->desc;

	if (t->sampler) {
		memcpy(sampler.mode, t->desc.mode, sizeof(sampler.mode));
		return gpu_sampler(g, t->name, &sampler, wrong);
	}
	texture.buffer = t->buffer->handle;
	return gpu_texture(g, t->name, &texture, wrong);
}

/* Those whose handles are chosen, or the others. */
static int make_some(struct scenario *s, struct gpu *g, bool chosen)
{
	for (unsigned i = 0; i < s->ntextures; i++) {
		struct scenario_texture *t = &s->textures[i];
		struct err wrong = {0};

		if ((t->desc.handle != 0) != chosen)
			continue;
		t->handle = make(g, t, &wrong);
		if (!t->handle)
			return yaml_tell(&s->yaml, t->node, &wrong);
	}
	return 0;
}

int scenario_make_textures(struct scenario *s, struct gpu *g)
{
	return make_some(s, g, true) ? -1 : make_some(s, g, false);
}

/* The texture or sampler a node names, or NULL and a message; `what` names which of them are
 * allowed. */
static const struct scenario_texture *find(
	struct scenario *s, const yaml_node_t *node, const char *what, bool textures, bool samplers)
{
	const char **names = arena_alloc(&s->arena, s->ntextures + 1, sizeof(*names));
	const char *name = yaml_text(node);
	unsigned n = 0;

	for (unsigned i = 0; i < s->ntextures; i++) {
		const struct scenario_texture *t = &s->textures[i];

		if (!(t->sampler ? samplers : textures))
			continue;
		if (name && !strcmp(t->name, name))
			return t;
		names[n++] = t->name;
	}
	scenario_lost(s, node, what, names, n);
	return NULL;
}

int scenario_handle(struct scenario *s, const yaml_node_t *argument, struct launch_arg *out)
{
	const yaml_node_t *texture = yaml_get(&s->yaml, argument, "texture");
	const yaml_node_t *sampler = yaml_get(&s->yaml, argument, "sampler");
	const struct scenario_texture *t;

	if (texture)
		t = find(s, texture, "texture", true, false);
	else
		t = find(s, sampler, "sampler", false, true);
	if (!t)
		return -1;
	*out = ARG_TEX(t->handle);
	return 0;
}

/* A reference has one binding for all launches of a module: they are queued at once. */
static int bind_one(struct scenario *s, struct gpu *g, struct scenario_binding b)
{
	struct err wrong = {0};
	struct scenario_binding *kept;

	for (kept = s->bindings; kept; kept = kept->next) {
		char place[512];

		if (kept->module != b.module || strcmp(kept->reference, b.reference))
			continue;
		if (kept->texture == b.texture)
			return 0;
		yaml_place(&s->yaml, kept->node, place, sizeof(place));
		return yaml_wrong(&s->yaml, b.node,
			"reference %s is bound to '%s' already, for all launches of the module: %s",
			b.reference, kept->texture->name, place);
	}
	if (gpu_bind(g, b.module, b.reference, b.texture->handle, &wrong))
		return yaml_tell(&s->yaml, b.node, &wrong);
	kept = arena_alloc(&s->arena, 1, sizeof(*kept));
	*kept = b;
	kept->next = s->bindings;
	s->bindings = kept;
	return 0;
}

int scenario_bind(struct scenario *s, struct gpu *g, const yaml_node_t *map, module_t module)
{
	struct yaml *y = &s->yaml;

	if (yaml_only(y, map, "bind", NULL))
		return -1;
	for (unsigned i = 0; i < yaml_items(map); i++) {
		const yaml_node_t *key = yaml_key(y, map, i);
		struct scenario_binding b = {.node = key,
			.module = module,
			.reference = yaml_text(key),
			.texture =
				find(s, yaml_value(y, map, i), "texture or sampler", true, true)};

		if (!b.texture || bind_one(s, g, b))
			return -1;
	}
	return 0;
}
