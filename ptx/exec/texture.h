/* Values of texels, and faces of cube maps. */
#ifndef PTX_EXEC_TEXTURE_H
#define PTX_EXEC_TEXTURE_H

#include "ptx/isa/texture.h"

/* Of a bit pattern: of an integer the fraction of its type's largest value. */
float texture_fraction(enum texel_type, uint32_t);
/* Of an sRGB value, from 0 to 1. */
float texture_linear(float);
/* The face of a cube map that a direction meets, and where on it, from 0 to 1. */
unsigned texture_face(double x, double y, double z, double at[2]);

#endif
