/* Which levels of a mipmap a fetch reads (CUDA C++ Programming Guide, "Texture Fetching"; PTX ISA,
 * "tex"). The level of gradients is the binary logarithm of the longer one, in texels of level 0.
 */
#include "ptx/exec/lanes_value.h"
#include "ptx/exec/private.h"
#include "ptx/exec/texture.h"

#include <string.h>

#define LEVEL 5u /* the source that is the level, or the first of two gradients */
#define ONE 256u /* the next level */

/* Of a positive number, to 16 bits of fraction: the same on every host. */
static double log_2(double x)
{
	uint64_t bits;
	double log, digit = 0.5;

	if (!(x > 0x1p-120))
		return -60;
	if (x > 0x1p120)
		return 60;
	memcpy(&bits, &x, sizeof(bits));
	log = (double)(bits >> 52) - 1023;
	bits = (bits & ~(UINT64_C(0x7ff) << 52)) | UINT64_C(1023) << 52;
	memcpy(&x, &bits, sizeof(x));
	for (unsigned i = 0; i < 16; i++, digit /= 2) {
		x *= x;
		if (x < 2)
			continue;
		x /= 2;
		log += digit;
	}
	return log;
}

static double value(const struct issue *is, unsigned source, unsigned lane)
{
	struct operand o = is->instr->src[source];

	return o.kind == OPND_NONE ? 0 : (double)float_of(exec_source(is->warp, o)[lane]);
}

/* The square of a gradient's length, in texels. */
static double length_squared(
	const struct issue *is, const struct texture *t, unsigned first, unsigned n, unsigned lane)
{
	const uint32_t size[3] = {t->width, t->height, t->depth};
	double sum = 0;

	for (unsigned k = 0; k < n && k < ARRAY_LEN(size); k++) {
		double g = value(is, first + k, lane) * size[k];

		sum += g * g;
	}
	return sum;
}

/* The level that the instruction asks for; 0 if it does not. */
static double asked(const struct issue *is, const struct texture *t, unsigned lane)
{
	const struct instr *in = is->instr;
	unsigned n = (in->nsrc - LEVEL) / 2u;
	double x, y;

	if (in->nsrc <= LEVEL)
		return 0;
	if (in->nsrc == LEVEL + 1)
		return in->mem_type == T_F32
			       ? value(is, LEVEL, lane)
			       : (double)(int32_t)exec_source(is->warp, in->src[LEVEL])[lane];
	x = length_squared(is, t, LEVEL, n, lane);
	y = length_squared(is, t, LEVEL + n, n, lane);
	return log_2(x > y ? x : y) / 2;
}

/* Of texels that are not blended the nearest level, of two that are as near the larger one. */
struct texture_lod texture_lod(const struct issue *is, const struct texture *t, unsigned lane)
{
	unsigned n = texture_levels(is->warp->cta->grid->textures, t);
	double lod = asked(is, t, lane) + (double)t->bias, most = (double)t->most;
	uint32_t steps;

	most = most < n - 1.0 ? most : n - 1.0;
	lod = lod < most ? lod : most;
	lod = lod > (double)t->least ? lod : (double)t->least;
	lod = lod < n - 1.0 ? lod : n - 1.0;
	steps = lod > 0 ? (uint32_t)(lod * ONE + 0.5) : 0;
	if (!t->blend || is->instr->mem_type != T_F32 ||
		(!texel_type_is_float((enum texel_type)t->type) && !t->as_float))
		return (struct texture_lod){(uint16_t)((steps + ONE / 2 - 1) / ONE), 0};
	return (struct texture_lod){(uint16_t)(steps / ONE), (uint16_t)(steps % ONE)};
}
