/* Texture fetches: coordinates to texels, texels to values (CUDA C++ Programming Guide, "Texture
 * Fetching"). Coordinates are computed in double precision; linear filtering rounds each weight to
 * 8 bits of fraction and sums the weighted texels in double precision, corner 0 first, rounding the
 * sum once to f32. */
#include "ptx/exec/texture.h"
#include "ptx/exec/lanes_half.h"
#include "ptx/exec/private.h"

#include <string.h>

#define LANE_BYTES 16 /* the widest texel */
#define OUTSIDE (-1)
#define ONE 256u /* a weight of one */
#define LEVEL 5u /* the source that is the level, or the first of two gradients */

/* A fetch of the lanes that use the same texture, and of a mipmap the same levels. */
struct fetch {
	const struct issue *is;
	const struct texture *texture;
	struct sampler sampler;
	enum geometry geometry;
	uint32_t lanes;
	struct fetched {
		const struct texture *texture;
		uint16_t weight[3][WARP_LANES]; /* of the second of two texels, in x, y, z */
		int32_t at[3][2][WARP_LANES];   /* texel indices in x, y, z, or OUTSIDE */
	} level[2];                             /* of a mipmap; else the first one alone */
	unsigned levels;
	uint16_t blend[WARP_LANES]; /* the weight of the second level */
	unsigned axes;              /* axes to filter, when any is */
	unsigned each;              /* corners of a level */
	struct texels *texels;
	unsigned char data[TEXTURE_CORNERS][WARP_LANES * LANE_BYTES];
};

/* ---- coordinates. */

static int32_t floor_int(double x)
{
	int32_t i = (int32_t)x;

	return i - ((double)i > x);
}

/* The texel selected by index i, of n. */
static int32_t place(int64_t i, uint32_t n, enum address_mode mode)
{
	int64_t size = n;

	if (i >= 0 && i < size)
		return (int32_t)i;
	switch (mode) {
	case ADDRESS_CLAMP:
		break;
	case ADDRESS_BORDER:
		return OUTSIDE;
	case ADDRESS_WRAP:
		i %= size;
		return (int32_t)(i < 0 ? i + size : i);
	case ADDRESS_MIRROR:
		i %= 2 * size;
		i = i < 0 ? i + 2 * size : i;
		return (int32_t)(i < size ? i : 2 * size - 1 - i);
	}
	return i < 0 ? 0 : (int32_t)(size - 1);
}

/* Maps a normalised coordinate into the texture where it repeats. */
static double repeat(double x, enum address_mode mode)
{
	int32_t whole;

	if (mode != ADDRESS_WRAP && mode != ADDRESS_MIRROR)
		return x;
	if (x >= 0x1p24 || x <= -0x1p24) /* an even number */
		return 0;
	whole = floor_int(x);
	x -= whole;
	return mode == ADDRESS_MIRROR && whole & 1 ? 1 - x : x;
}

/* The texel, or two texels, that a lane's coordinate selects in dimension k, of n. */
static void locate(
	struct fetch *f, struct fetched *to, unsigned k, unsigned lane, double x, uint32_t n)
{
	enum address_mode mode = (enum address_mode)f->sampler.mode[k];
	int32_t i;

	if (x != x)
		x = 0;
	if (f->sampler.normalised)
		x = repeat(x, mode) * n;
	else if (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR)
		mode = ADDRESS_CLAMP;
	/* beyond this all coordinates are equivalent */
	x = x < -2 ? -2 : x > (double)n + 2 ? (double)n + 2 : x;
	x -= f->sampler.linear ? 0.5 : 0;
	i = floor_int(x);
	to->at[k][0][lane] = place(i, n, mode);
	if (!f->sampler.linear)
		return;
	to->at[k][1][lane] = place((int64_t)i + 1, n, mode);
	to->weight[k][lane] = (uint16_t)((x - i) * ONE + 0.5);
}

/* The same of all lanes' coordinates. Nearly all are inside, where no mode matters. */
static void locate_floats(
	struct fetch *f, struct fetched *to, unsigned k, const uint32_t *plane, uint32_t n)
{
	double scale = f->sampler.normalised ? n : 1, half = f->sampler.linear ? 0.5 : 0;
	double end = (double)n - 2 * half;
	bool linear = f->sampler.linear;

	for (uint32_t left = f->lanes; left; left &= left - 1) {
		unsigned lane = low_bit(left);
		double x = (double)float_of(plane[lane]) * scale - half;
		int32_t i;

		if (!(x >= 0 && x < end)) {
			locate(f, to, k, lane, (double)float_of(plane[lane]), n);
			continue;
		}
		i = (int32_t)x;
		to->at[k][0][lane] = i;
		if (!linear)
			continue;
		to->at[k][1][lane] = i + 1;
		to->weight[k][lane] = (uint16_t)((x - i) * ONE + 0.5);
	}
}

static void locate_lanes(
	struct fetch *f, struct fetched *to, unsigned k, const uint32_t *plane, uint32_t n)
{
	enum address_mode mode = (enum address_mode)f->sampler.mode[k];

	if (f->is->instr->mem_type == T_F32) {
		locate_floats(f, to, k, plane, n);
		return;
	}
	for (uint32_t left = f->lanes; left; left &= left - 1)
		to->at[k][0][low_bit(left)] = place((int32_t)plane[low_bit(left)], n, mode);
}

static void locate_layers(
	const struct fetch *f, struct fetched *to, const uint32_t *plane, uint32_t n)
{
	for (uint32_t left = f->lanes; left; left &= left - 1) {
		uint32_t layer = plane[low_bit(left)];

		to->at[2][0][low_bit(left)] = (int32_t)(layer < n ? layer : n - 1);
	}
}

/* A layer for each face, which is filtered by itself. */
static void locate_faces(struct fetch *f, struct fetched *to)
{
	const struct instr *in = f->is->instr;
	const struct texture *t = to->texture;
	bool array = f->geometry == GEOMETRY_ACUBE;
	const uint32_t *plane[3], *layer = exec_source(f->is->warp, in->src[1]);
	uint32_t cubes = t->depth / CUBE_FACES;

	for (unsigned k = 0; k < 3; k++)
		plane[k] = exec_source(f->is->warp, in->src[1 + array + k]);
	f->axes = 2;
	f->sampler.normalised = true;
	f->sampler.mode[0] = f->sampler.mode[1] = ADDRESS_CLAMP;
	for (uint32_t left = f->lanes; left; left &= left - 1) {
		unsigned lane = low_bit(left);
		uint32_t cube = !array ? 0 : layer[lane] < cubes ? layer[lane] : cubes - 1;
		double at[2];
		uint32_t face = texture_face((double)float_of(plane[0][lane]),
			(double)float_of(plane[1][lane]), (double)float_of(plane[2][lane]), at);

		locate(f, to, 0, lane, at[0], t->width);
		locate(f, to, 1, lane, at[1], t->height);
		face += cube * CUBE_FACES;
		to->at[2][0][lane] = (int32_t)(face < t->depth ? face : t->depth - 1);
	}
}

/* Texel indices of all dimensions; those that the geometry does not have are 0. */
static void locate_level(struct fetch *f, struct fetched *to)
{
	const struct texture *t = to->texture;
	const uint32_t size[3] = {t->width, t->height, t->depth};
	const struct instr *in = f->is->instr;
	bool array = geometry_is_array(f->geometry);
	unsigned n = geometry_coords(f->geometry) - array;

	if (f->geometry >= GEOMETRY_CUBE) {
		locate_faces(f, to);
		return;
	}
	f->axes = n;
	for (unsigned k = 0; k < n; k++)
		locate_lanes(f, to, k, exec_source(f->is->warp, in->src[1 + array + k]), size[k]);
	for (unsigned k = n; k < 3; k++)
		memset(to->at[k][0], 0, sizeof(to->at[k][0]));
	if (array)
		locate_layers(f, to, exec_source(f->is->warp, in->src[1]), t->depth);
}

static void locate_all(struct fetch *f)
{
	for (unsigned l = 0; l < f->levels; l++)
		locate_level(f, &f->level[l]);
	f->each = f->sampler.linear ? 1u << f->axes : 1;
}

/* ---- texels. */

/* The addresses of a corner's texels; bit k of the corner selects the second texel in dimension k.
 */
static void address_corner(struct fetch *f, unsigned corner)
{
	unsigned second = corner >= f->each, c = corner - second * f->each;
	const struct fetched *l = &f->level[second];
	const int32_t *x = l->at[0][c & 1], *y = l->at[1][c >> 1 & 1], *z = l->at[2][c >> 2 & 1];
	const struct texture *t = l->texture;
	uint64_t bytes = texture_texel_bytes(t), row = t->row_bytes, slice = t->slice_bytes;
	uint64_t base = t->address, *addr = f->texels->addr[corner];
	uint32_t mask = f->texels->mask[corner];

	for (uint32_t left = f->lanes; left; left &= left - 1) {
		unsigned i = low_bit(left);

		if ((x[i] | y[i] | z[i]) < 0 || (second && !f->blend[i])) /* OUTSIDE alone is */
			continue;
		mask |= left & (0u - left);
		addr[i] = base + (uint32_t)x[i] * bytes + (uint32_t)y[i] * row +
			  (uint32_t)z[i] * slice;
	}
	f->texels->mask[corner] = mask;
}

static enum exec_result read_corner(struct fetch *f, unsigned corner)
{
	struct access *a = f->is->access;
	const struct exec_memory *m = f->is->memory;

	a->space = SPACE_GLOBAL;
	a->action = ACT_LOAD;
	a->bytes = (uint8_t)texture_texel_bytes(f->texture);
	a->mem_type = T_B8;
	a->vec = a->bytes;
	a->atom_op = 0;
	a->cache_op = CACHE_NC;
	a->contiguous = false;
	a->halves = HALVES_ANY;
	a->mask = f->texels->mask[corner] & f->lanes;
	memcpy(a->addr, f->texels->addr[corner], sizeof(a->addr));
	return a->mask ? exec_memory_result(f->is, m->load(m->ctx, a, f->data[corner])) : EXEC_OK;
}

/* The corners are read from the last to the first, which remains in the access. */
static enum exec_result read_texels(struct fetch *f)
{
	unsigned n = f->each * f->levels;
	enum exec_result result = EXEC_OK;

	for (; f->texels->corners < n; f->texels->corners++)
		f->texels->mask[f->texels->corners] = 0;
	for (unsigned c = n; c-- && result == EXEC_OK;) {
		address_corner(f, c);
		result = read_corner(f, c);
	}
	return result;
}

/* Channel `channel` of a corner's texels as 32-bit patterns, zero where it is absent. */
static void extract(const struct fetch *f, unsigned corner, unsigned channel, uint32_t *out)
{
	enum texel_type type = (enum texel_type)f->texture->type;
	const unsigned char *from = f->data[corner] + channel * texel_type_bytes(type);

	memset(out, 0, WARP_LANES * sizeof(*out));
	texture_patterns(type, from, texture_texel_bytes(f->texture),
		f->texels->mask[corner] & f->lanes, out);
}

static double corner_weight(const struct fetch *f, unsigned corner, unsigned lane)
{
	unsigned second = corner >= f->each, c = corner - second * f->each;
	const struct fetched *l = &f->level[second];
	double w = 1;

	if (f->levels > 1)
		w = (double)(second ? f->blend[lane] : ONE - f->blend[lane]) * (1.0 / ONE);
	for (unsigned k = 0; k < f->axes && f->each > 1; k++)
		w *= (double)(c >> k & 1 ? l->weight[k][lane] : ONE - l->weight[k][lane]) *
		     (1.0 / ONE);
	return w;
}

static void to_floats(const struct fetch *f, unsigned channel, uint32_t *v)
{
	enum texel_type type = (enum texel_type)f->texture->type;
	bool srgb = f->texture->srgb && channel < 3;

	if (!f->texture->as_float)
		return;
	for (uint32_t left = f->lanes; left; left &= left - 1) {
		float x = texture_fraction(type, v[low_bit(left)]);

		v[low_bit(left)] = bits32(srgb ? texture_linear(x) : x);
	}
}

static void filter(
	const struct fetch *f, double (*weight)[WARP_LANES], unsigned channel, uint32_t *out)
{
	double sum[WARP_LANES] = {0};

	for (unsigned c = 0; c < f->each * f->levels; c++) {
		extract(f, c, channel, out);
		to_floats(f, channel, out);
		for (unsigned i = 0; i < WARP_LANES; i++)
			sum[i] += weight[c][i] != 0 ? weight[c][i] * (double)float_of(out[i]) : 0;
	}
	for (unsigned i = 0; i < WARP_LANES; i++)
		out[i] = sum[i] == sum[i] ? bits32((float)sum[i]) : 0x7fffffffu;
}

/* ---- results. */

static void write_result(const struct fetch *f, unsigned d, const uint32_t *value)
{
	struct operand o = f->is->instr->dst[d];
	uint32_t sink[2 * WARP_LANES], *to = exec_destination(f->is->warp, o, sink);

	for (uint32_t left = f->lanes; left; left &= left - 1)
		to[low_bit(left)] = value[low_bit(left)];
}

/* An absent channel: 0, or 1 for the last one. */
static void write_absent(const struct fetch *f, unsigned d, unsigned channel)
{
	bool is_float =
		texel_type_is_float((enum texel_type)f->texture->type) || f->texture->as_float;
	uint32_t value[WARP_LANES], one = is_float ? 0x3f800000u : 1;

	for (unsigned i = 0; i < WARP_LANES; i++)
		value[i] = channel == 3 ? one : 0;
	write_result(f, d, value);
}

static void write_channels(const struct fetch *f)
{
	double weight[TEXTURE_CORNERS][WARP_LANES];
	unsigned corners = f->each * f->levels;
	uint32_t value[WARP_LANES];

	for (unsigned c = 0; corners > 1 && c < corners; c++)
		for (unsigned i = 0; i < WARP_LANES; i++)
			weight[c][i] = f->lanes >> i & 1 ? corner_weight(f, c, i) : 0;
	for (unsigned ch = 0; ch < 4; ch++) {
		if (f->is->instr->dst[ch].kind == OPND_NONE)
			continue;
		if (ch >= f->texture->channels) {
			write_absent(f, ch, ch);
			continue;
		}
		if (corners > 1) {
			filter(f, weight, ch, value);
		} else {
			extract(f, 0, ch, value);
			to_floats(f, ch, value);
		}
		write_result(f, ch, value);
	}
}

/* tld4: of a square of texels the lower left, lower right, upper right, upper left. */
static void write_gathered(const struct fetch *f)
{
	static const uint8_t corner[4] = {2, 3, 1, 0};
	unsigned channel = (f->is->instr->op - (unsigned)TEXTURE_GATHER) / 3;
	uint32_t value[WARP_LANES];

	for (unsigned d = 0; d < 4; d++) {
		if (channel >= f->texture->channels) {
			write_absent(f, d, channel);
			continue;
		}
		extract(f, corner[d], channel, value);
		to_floats(f, channel, value);
		write_result(f, d, value);
	}
}

/* ---- handles. */

static bool choose(struct fetch *f)
{
	const struct instr *in = f->is->instr;
	uint32_t lane = low_bit(f->lanes);
	const struct texture *s;

	f->texture = exec_object(f->is, 0, lane, OBJECT_TEXTURE);
	if (!f->texture)
		return false;
	f->sampler = f->texture->sampler;
	if (in->src[4].kind != OPND_NONE && !texture_has_four(in)) {
		s = exec_object(f->is, 4, lane, OBJECT_SAMPLER);
		if (!s)
			return false;
		f->sampler = s->sampler;
		f->sampler.normalised = f->texture->sampler.normalised && !s->sampler.unnormalised;
	}
	return true;
}

/* The levels that the lowest lane's fetch reads; lanes that read others are left for later. */
static void choose_levels(struct fetch *f)
{
	const struct texture_table *table = f->is->warp->cta->grid->textures;
	unsigned first = low_bit(f->lanes);
	struct texture_lod lod;

	f->levels = 1;
	f->level[0].texture = f->texture;
	if (!f->texture->smaller || f->is->instr->op >= TEXTURE_GATHER)
		return;
	lod = texture_lod(f->is, f->texture, first);
	f->level[0].texture = texture_level(table, f->texture, lod.level);
	for (uint32_t left = f->lanes; left; left &= left - 1) {
		struct texture_lod other = texture_lod(f->is, f->texture, low_bit(left));

		if (other.level != lod.level)
			f->lanes &= ~(1u << low_bit(left));
		else if (other.blend)
			f->levels = 2;
		f->blend[low_bit(left)] = other.blend;
	}
	if (f->levels > 1)
		f->level[1].texture = texture_level(table, f->texture, lod.level + 1u);
}

/* Fetches by integer coordinates, or of integers, are not filtered. */
static void choose_filter(struct fetch *f)
{
	const struct instr *in = f->is->instr;

	if (in->op >= TEXTURE_GATHER) {
		f->geometry = GEOMETRY_2D;
		f->sampler.linear = true;
		return;
	}
	f->geometry = (enum geometry)(in->op / 3);
	if (in->mem_type != T_F32 ||
		(!texel_type_is_float((enum texel_type)f->texture->type) && !f->texture->as_float))
		f->sampler.linear = false;
}

/* Fetches for all lanes, one texture at a time; `write` controls whether the results are written.
 */
static enum exec_result fetch_all(struct fetch *f, bool write)
{
	const struct issue *is = f->is;
	enum exec_result result;

	f->texels->lanes = is->mask;
	f->texels->corners = 0;
	f->texels->bytes = LANE_BYTES;
	for (uint32_t left = is->mask; left; left &= ~f->lanes) {
		f->lanes = texture_alike(is, left);
		if (!choose(f))
			return EXEC_FAULT;
		choose_filter(f);
		choose_levels(f);
		locate_all(f);
		f->texels->bytes =
			(uint8_t)min_u64(f->texels->bytes, texture_texel_bytes(f->texture));
		result = read_texels(f);
		if (result != EXEC_OK)
			return result;
		if (write && is->instr->op >= TEXTURE_GATHER)
			write_gathered(f);
		else if (write)
			write_channels(f);
	}
	return EXEC_OK;
}

/* Memory may request a retry: with several textures or levels, all are read before any result is
 * written. */
enum exec_result exec_texture(struct issue *is)
{
	struct texels unseen;
	struct fetch f;
	enum exec_result result = EXEC_OK;

	f.is = is;
	f.texels = is->memory->texels ? is->memory->texels : &unseen;
	if (is->mask && (is->instr->nsrc > LEVEL || texture_alike(is, is->mask) != is->mask))
		result = fetch_all(&f, false);
	return result == EXEC_OK ? fetch_all(&f, true) : result;
}
