/* Textures, samplers and surfaces: the layout of texels in device memory and how a fetch reads them
 * (CUDA C++ Programming Guide, "Texture Fetching"; PTX ISA, "Texture Sampler and Surface Types").
 *
 * Texels are pitch-linear: texel (x, y, z) of channels * type bytes starts at address + x * texel
 * bytes + y * row_bytes + z * slice_bytes. A kernel holds a handle: an index of the grid's table,
 * from 1 on, and above its lower 40 bits, so that no address looks like it, how often the entry was
 * freed before. */
#ifndef PTX_ISA_TEXTURE_H
#define PTX_ISA_TEXTURE_H

#include "core/base.h"

enum object_kind { OBJECT_NONE, OBJECT_TEXTURE, OBJECT_SAMPLER, OBJECT_SURFACE };

enum texel_type {
	TEXEL_U8,
	TEXEL_S8,
	TEXEL_U16,
	TEXEL_S16,
	TEXEL_U32,
	TEXEL_S32,
	TEXEL_F32,
	TEXEL_F16
};
#define TEXEL_TYPES 8

/* Addressing modes for coordinates out of range. WRAP and MIRROR repeat the texture; they need
 * normalised coordinates and act as CLAMP without. The mode applies to each texel of a filtered
 * fetch. */
enum address_mode {
	ADDRESS_CLAMP,  /* the texel at the edge */
	ADDRESS_BORDER, /* zero in every channel */
	ADDRESS_WRAP,
	ADDRESS_MIRROR
};

struct sampler {
	uint8_t mode[3];   /* enum address_mode, for x, y, z */
	bool linear;       /* linear filtering of 2, 4 or 8 texels; else the nearest texel */
	bool normalised;   /* coordinates range from 0 to 1 over the texture */
	bool unnormalised; /* of a sampler object: coordinates are texels, whatever the texture says
			    */
};

struct texture {
	uint8_t kind;     /* enum object_kind; OBJECT_NONE: an unbound reference */
	uint8_t type;     /* enum texel_type */
	uint8_t channels; /* 1, 2, 4 */
	bool reference;   /* a module's, which others are bound to */
	bool as_float;    /* elements are read as floats from 0 (signed: -1) to 1 */
	bool srgb;        /* u8 as_float: red, green and blue are sRGB, read as linear values */
	struct sampler sampler;
	uint32_t width, height, depth; /* texels, each at least 1; depth: array layers */
	uint64_t address, row_bytes, slice_bytes;
	uint32_t frees;          /* of the entry's earlier textures */
	uint64_t smaller;        /* the handle of the next level of a mipmap; 0: none */
	bool blend;              /* of two levels; else the nearest one is read */
	float bias, least, most; /* added to the level that is asked for; then its limits */
};

#define TEXTURE_LEVELS 32 /* of a mipmap, at most */

struct texture_table {
	struct texture *texture;
	uint32_t n, freed; /* freed: 1 + an entry that is free, the next in its width; 0: none */
};

/* Bytes of one channel. */
static inline unsigned texel_type_bytes(enum texel_type type)
{
	return type <= TEXEL_S8 ? 1 : type <= TEXEL_S16 || type == TEXEL_F16 ? 2 : 4;
}

static inline bool texel_type_is_float(enum texel_type type)
{
	return type == TEXEL_F32 || type == TEXEL_F16;
}

static inline unsigned texture_texel_bytes(const struct texture *t)
{
	return texel_type_bytes((enum texel_type)t->type) * t->channels;
}

/* The entry's index in its table, if it is a handle. */
static inline uint32_t texture_index(uint64_t handle)
{
	return (uint32_t)handle - 1;
}

#define TEXTURE_FREES 40 /* bits below them */
#define TEXTURE_FREES_MOST 0xffffffu

static inline uint64_t texture_handle(uint32_t index, uint32_t frees)
{
	return (uint64_t)frees << TEXTURE_FREES | (index + 1);
}

/* The table's entry of a handle if it is of that kind, else NULL. A surface may be read as a
 * texture and vice versa. */
static inline const struct texture *texture_find(
	const struct texture_table *table, uint64_t handle, enum object_kind kind)
{
	const struct texture *t;

	if (!table || texture_index(handle) >= table->n)
		return NULL;
	t = &table->texture[texture_index(handle)];
	if (texture_handle(texture_index(handle), t->frees) != handle)
		return NULL;
	if (t->kind == OBJECT_NONE || (t->kind == OBJECT_SAMPLER) != (kind == OBJECT_SAMPLER))
		return NULL;
	return t;
}

/* The level of a mipmap, 0 being the texture; NULL: it has fewer. */
static inline const struct texture *texture_level(
	const struct texture_table *table, const struct texture *t, unsigned level)
{
	while (t && level--)
		t = texture_find(table, t->smaller, OBJECT_TEXTURE);
	return t;
}

static inline unsigned texture_levels(const struct texture_table *table, const struct texture *t)
{
	unsigned n = 1;

	while (n < TEXTURE_LEVELS && t->smaller) {
		t = texture_find(table, t->smaller, OBJECT_TEXTURE);
		if (!t)
			break;
		n++;
	}
	return n;
}

/* The shapes of coordinates, in the order in which the forms of tex, suld and similar count them; a
 * cube map is six layers, a layer for each face, +x, -x, +y, -y, +z, -z. */
enum geometry {
	GEOMETRY_1D,
	GEOMETRY_2D,
	GEOMETRY_3D,
	GEOMETRY_A1D,
	GEOMETRY_A2D,
	GEOMETRY_CUBE, /* a direction */
	GEOMETRY_ACUBE
};
#define GEOMETRIES 7
#define TEXTURE_COORDS 4 /* of an instruction, the layer of an array first */
#define CUBE_FACES 6u

static inline unsigned geometry_coords(enum geometry g)
{
	static const uint8_t n[GEOMETRIES] = {1, 2, 3, 2, 3, 3, 4};

	return n[g];
}

static inline bool geometry_is_array(enum geometry g)
{
	return g == GEOMETRY_A1D || g == GEOMETRY_A2D || g == GEOMETRY_ACUBE;
}

/* The op of a decoded instruction: a base per form, plus what the form counts. */
enum {
	TEXTURE_FETCH = 0, /* + 3 * geometry + destination type */
	TEXTURE_CUBE = 3 * GEOMETRY_CUBE,
	TEXTURE_GATHER = 32, /* + 3 * channel + destination type */
	SURFACE_LOAD = 0,    /* + 3 * geometry + enum surface_mode */
	SURFACE_STORE = 16,
	SURFACE_REDUCE = 32,
	SURFACE_REDUCE_TEXELS = 48, /* sured.p: x counts texels */
	QUERY_SURFACE = 0,
	QUERY_TEXTURE = 16
};

/* Behaviour of a surface access out of bounds. */
enum surface_mode { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };

/* The texels of one fetch before coalescing: of lane l, corner c when bit l of mask[c] is set. */
#define TEXTURE_CORNERS 16
struct texels {
	uint32_t lanes; /* active lanes */
	uint8_t corners, bytes;
	uint32_t mask[TEXTURE_CORNERS];
	uint64_t addr[TEXTURE_CORNERS][32];
};

#endif
