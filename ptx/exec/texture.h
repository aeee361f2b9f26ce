/* Values of texels, and faces of cube maps. */
#ifndef PTX_EXEC_TEXTURE_H
#define PTX_EXEC_TEXTURE_H

#include "ptx/isa/texture.h"

/* One channel's texels, `stride` bytes apart, as 32-bit patterns: of these lanes of *out, which are
 * zero before. */
void texture_patterns(
	enum texel_type, const unsigned char *from, unsigned stride, uint32_t lanes, uint32_t *out);
/* Of a bit pattern: of an integer the fraction of its type's largest value. */
float texture_fraction(enum texel_type, uint32_t);
/* Of an sRGB value, from 0 to 1. */
float texture_linear(float);
/* The levels of a mipmap that a lane's fetch reads: the first one, and the weight of the next one,
 * in 256ths. */
struct texture_lod {
	uint16_t level, blend;
};
struct issue;
struct instr;
struct texture_lod texture_lod(const struct issue *, const struct texture *, unsigned lane);

/* Whether a coordinate is where else the sampler is. */
bool texture_has_four(const struct instr *);
/* The lanes of `left` that have the same handles as the lowest of them. */
uint32_t texture_alike(const struct issue *, uint32_t left);

/* The face of a cube map that a direction meets, and where on it, from 0 to 1. */
unsigned texture_face(double x, double y, double z, double at[2]);

#endif
