/* What fetches compute of texels and directions, lane by lane. */
#include "ptx/exec/texture.h"

#include "core/base.h"
#include "ptx/exec/lanes_half.h"

#include <string.h>

/* The float value of a bit pattern: of an integer the fraction of its type's largest value. */
float texture_fraction(enum texel_type type, uint32_t v)
{
	float x;

	switch (type) {
	case TEXEL_U8:
		return (float)v / 255.0f;
	case TEXEL_U16:
		return (float)v / 65535.0f;
	case TEXEL_S8:
		x = (float)(int32_t)v / 127.0f;
		return x < -1 ? -1 : x;
	case TEXEL_S16:
		x = (float)(int32_t)v / 32767.0f;
		return x < -1 ? -1 : x;
	default:
		return float_of(v);
	}
}

/* The fifth root, 0 < x <= 1: Newton's iteration, which is monotone from above. */
static double fifth_root(double x)
{
	double y = 1;

	for (unsigned i = 0; i < 64; i++)
		y = (4 * y + x / (y * y * y * y)) / 5;
	return y;
}

/* Of an sRGB value, from 0 to 1 (IEC 61966-2-1): x to the power of 2.4 is x x (x x) to that of 1/5.
 */
float texture_linear(float value)
{
	double x = (double)value;

	if (x <= 0.04045)
		return (float)(x / 12.92);
	x = (x + 0.055) / 1.055;
	return (float)(x * x * fifth_root(x * x));
}

/* The face that a direction meets, and where on it, from 0 to 1 (CUDA C++ Programming Guide,
 * "Cubemap Textures"); of equal coordinates z is chosen before y before x. */
unsigned texture_face(double x, double y, double z, double at[2])
{
	double ax = x < 0 ? -x : x, ay = y < 0 ? -y : y, az = z < 0 ? -z : z, m, s, t;
	unsigned face;

	if (az >= ax && az >= ay) {
		face = z < 0 ? 5 : 4;
		m = az;
		s = z < 0 ? -x : x;
		t = -y;
	} else if (ay >= ax) {
		face = y < 0 ? 3 : 2;
		m = ay;
		s = x;
		t = y < 0 ? -z : z;
	} else {
		face = x < 0 ? 1 : 0;
		m = ax;
		s = x < 0 ? z : -z;
		t = -y;
	}
	at[0] = (s / m + 1) / 2;
	at[1] = (t / m + 1) / 2;
	return face;
}

/* Inlined with a constant size, so that a copy is one move. */
static inline void copy_each(
	const unsigned char *from, unsigned stride, unsigned size, uint32_t lanes, uint32_t *out)
{
	for (uint32_t left = lanes; left; left &= left - 1)
		memcpy(&out[low_bit(left)], from + (size_t)low_bit(left) * stride, size);
}

void texture_patterns(enum texel_type type, const unsigned char *from, unsigned stride,
	uint32_t lanes, uint32_t *out)
{
	unsigned size = texel_type_bytes(type);

	if (size == 1)
		copy_each(from, stride, 1, lanes, out);
	else if (size == 2)
		copy_each(from, stride, 2, lanes, out);
	else
		copy_each(from, stride, 4, lanes, out);
	if (type != TEXEL_S8 && type != TEXEL_S16 && type != TEXEL_F16)
		return;
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t *v = &out[low_bit(left)];

		*v = type == TEXEL_S8    ? (uint32_t)(int8_t)*v
		     : type == TEXEL_S16 ? (uint32_t)(int16_t)*v
					 : bits32((float)from_f16(*v));
	}
}
