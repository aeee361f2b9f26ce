/* Elements as doubles, which hold every value of every type; stored, they are rounded to nearest
 * even, integers saturated. */
#include "cuda/libcublas/inside.h"

#include <math.h>
#include <string.h>

enum type type_of(int cuda)
{
	switch (cuda) {
	case 0:
		return TYPE_F32;
	case 1:
		return TYPE_F64;
	case 2:
		return TYPE_F16;
	case 3:
		return TYPE_S8;
	case 10:
		return TYPE_S32;
	case 14:
		return TYPE_BF16;
	default:
		return TYPE_NONE;
	}
}

size_t type_bytes(enum type type)
{
	static const uint8_t bytes[] = {[TYPE_NONE] = 0,
		[TYPE_F16] = 2,
		[TYPE_BF16] = 2,
		[TYPE_F32] = 4,
		[TYPE_F64] = 8,
		[TYPE_S8] = 1,
		[TYPE_S32] = 4};

	return bytes[type];
}

/* A number of 16 bits, of which `bits` are the fraction's, with that bias of the exponent. */
static double narrow_load(uint16_t v, int bits, int bias)
{
	int exponent = (v & 0x7fff) >> bits, most = 0x7fff >> bits;
	int fraction = v & ((1 << bits) - 1);
	double x;

	if (exponent == most)
		x = fraction ? (double)NAN : (double)INFINITY;
	else if (exponent)
		x = ldexp((1 << bits) + fraction, exponent - bias - bits);
	else
		x = ldexp(fraction, 1 - bias - bits);
	return v >> 15 ? -x : x;
}

static uint16_t narrow_store(double x, int bits, int bias)
{
	uint16_t sign = signbit(x) ? 0x8000 : 0, most = (uint16_t)(0x7fff >> bits << bits);
	int exponent;
	double ulps;

	x = fabs(x);
	if (isnan(x))
		return 0x7fff;
	if (x == 0)
		return sign;
	frexp(x, &exponent); /* x < 2^exponent */
	exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
	ulps = isinf(x) ? 0 : nearbyint(ldexp(x, bits - exponent)); /* 2^(bits + 1): one more */
	if (isinf(x) || ldexp(ulps, exponent - bits) >= ldexp(1, bias + 1))
		return sign | most;
	return (uint16_t)(sign | ((exponent + bias - 1) * (1 << bits) + (int)ulps));
}

double element_load(enum type type, const void *from)
{
	uint16_t narrow;
	int32_t whole;
	float single;
	double x = 0;

	switch (type) {
	case TYPE_F16:
	case TYPE_BF16:
		memcpy(&narrow, from, sizeof(narrow));
		return type == TYPE_F16 ? narrow_load(narrow, 10, 15) : narrow_load(narrow, 7, 127);
	case TYPE_F32:
		memcpy(&single, from, sizeof(single));
		return (double)single;
	case TYPE_F64:
		memcpy(&x, from, sizeof(x));
		return x;
	case TYPE_S8:
		return *(const int8_t *)from;
	case TYPE_S32:
		memcpy(&whole, from, sizeof(whole));
		return whole;
	default:
		return 0;
	}
}

static double within(double x, double least, double most)
{
	return !(x > least) ? least : x < most ? x : most;
}

void element_store(enum type type, void *to, double x)
{
	uint16_t narrow;
	int32_t whole;
	float single = (float)x;

	switch (type) {
	case TYPE_F16:
	case TYPE_BF16:
		narrow = type == TYPE_F16 ? narrow_store(x, 10, 15) : narrow_store(x, 7, 127);
		memcpy(to, &narrow, sizeof(narrow));
		break;
	case TYPE_F32:
		memcpy(to, &single, sizeof(single));
		break;
	case TYPE_F64:
		memcpy(to, &x, sizeof(x));
		break;
	case TYPE_S8:
		*(int8_t *)to = (int8_t)within(nearbyint(x), INT8_MIN, INT8_MAX);
		break;
	case TYPE_S32:
		whole = (int32_t)within(nearbyint(x), INT32_MIN, INT32_MAX);
		memcpy(to, &whole, sizeof(whole));
		break;
	default:
		break;
	}
}
