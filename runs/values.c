/* Single values of a scenario: types, numbers, hex, text. */
#include "runs/values.h"

#include "draw/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ptx_type value_type(struct yaml *y, const yaml_node_t *node)
{
	const char *text = yaml_text(node);
	enum ptx_type t = text ? ptx_type_parse(text) : T_NONE;
	char class = 0;

	if (t != T_NONE)
		class = ptx_type_class(t);
	if ((class == 'u' || class == 's' || class == 'f') && t != T_BF16)
		return t;
	yaml_wrong(y, node,
		"'%s' is not a type; there are s8 u8 s16 u16 f16 s32 u32 f32 s64 u64 f64",
		text ? text : "(no scalar)");
	return T_NONE;
}

unsigned value_bytes(enum ptx_type type)
{
	return type == T_NONE ? 1 : ptx_type_bytes(type);
}

/* IEEE 754 binary16, rounded to nearest even. */
static uint16_t to_half(double v)
{
	uint16_t sign = signbit(v) ? 0x8000 : 0;
	double a = fabs(v), scaled;
	int e;

	if (isnan(v))
		return 0x7fff;
	if (a >= 65520)
		return sign | 0x7c00;
	if (a < 0x1p-14)
		return (uint16_t)(sign | (uint16_t)nearbyint(a * 0x1p24));
	frexp(a, &e);
	scaled = nearbyint(ldexp(a, 11 - e));
	return (uint16_t)(sign | (((unsigned)(e + 14) << 10) + (unsigned)scaled - 1024));
}

static double from_half(uint16_t h)
{
	int e = h >> 10 & 31;
	double m = h & 1023, v;

	if (e == 31)
		v = m > 0 ? (double)NAN : (double)INFINITY;
	else
		v = e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);
	return h & 0x8000 ? -v : v;
}

static int no_number(struct yaml *y, const yaml_node_t *node, enum ptx_type type)
{
	const char *text = yaml_text(node);

	return yaml_wrong(y, node, "'%s' is not a value of %s", text ? text : "(no scalar)",
		ptx_type_name(type));
}

/* f32 is read as such: rounding to double first could round twice. */
static int put_float(
	struct yaml *y, const yaml_node_t *node, enum ptx_type type, unsigned char *out)
{
	const char *text = yaml_text(node);
	double v = 0;
	uint16_t h;
	float f;

	if (!text || !number_real(text, &v))
		return no_number(y, node, type);
	h = to_half(v);
	f = strtof(text, NULL);
	if (isfinite(v) &&
		((type == T_F16 && (h & 0x7c00) == 0x7c00) || (type == T_F32 && !isfinite(f))))
		return no_number(y, node, type);
	if (type == T_F16)
		memcpy(out, &h, sizeof(h));
	else if (type == T_F32)
		memcpy(out, &f, sizeof(f));
	else
		memcpy(out, &v, sizeof(v));
	return 0;
}

static int put_integer(
	struct yaml *y, const yaml_node_t *node, enum ptx_type type, unsigned char *out)
{
	const char *text = yaml_text(node);
	unsigned bytes = ptx_type_bytes(type);
	uint64_t v = 0, limit = UINT64_MAX >> (64 - 8 * bytes);
	bool negative = text && *text == '-';

	if (ptx_type_class(type) == 's')
		limit = (limit >> 1) + negative;
	else if (negative)
		limit = 0;
	if (!text || !number_whole(text + negative, &v) || v > limit)
		return no_number(y, node, type);
	v = negative ? 0 - v : v;
	memcpy(out, &v, bytes);
	return 0;
}

int value_scalar(struct yaml *y, const yaml_node_t *node, enum ptx_type type, unsigned char *out)
{
	if (ptx_type_class(type) == 'f')
		return put_float(y, node, type, out);
	return put_integer(y, node, type, out);
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) % 16 : -1;
}

int value_hex(struct yaml *y, const yaml_node_t *node, struct arena *arena, struct values *out)
{
	const char *text = yaml_text(node);
	uint64_t digits = 0;

	if (!text)
		return yaml_wrong(y, node, "hex must be a string of hexadecimal digits");
	out->bytes = arena_alloc(arena, strlen(text) / 2 + 1, 1);
	for (; *text; text++) {
		int d = hex_digit(*text);

		if (d < 0 && (*text == ' ' || *text == '_' || *text == '\n'))
			continue;
		if (d < 0)
			return yaml_wrong(y, node, "hex: '%c' is not a hexadecimal digit", *text);
		out->bytes[digits / 2] = (unsigned char)(out->bytes[digits / 2] << 4 | d);
		digits++;
	}
	if (digits % 2)
		return yaml_wrong(y, node, "hex: an odd number of digits; every byte has two");
	out->n = digits / 2;
	return 0;
}

static int64_t to_signed(uint64_t u, unsigned bytes)
{
	return (int64_t)(u << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

double value_number(enum ptx_type type, const unsigned char *at)
{
	uint64_t u = 0;
	uint16_t h;
	float f;
	double d;

	memcpy(&u, at, ptx_type_bytes(type));
	memcpy(&h, &u, sizeof(h));
	memcpy(&f, &u, sizeof(f));
	memcpy(&d, &u, sizeof(d));
	if (type == T_F16)
		return from_half(h);
	if (type == T_F32)
		return (double)f;
	if (type == T_F64)
		return d;
	if (ptx_type_class(type) == 's')
		return (double)to_signed(u, ptx_type_bytes(type));
	return (double)u;
}

void value_print(const struct values *v, uint64_t i, char *out, size_t n)
{
	unsigned bytes = value_bytes(v->type);
	const unsigned char *at = v->bytes + i * bytes;
	uint64_t u = 0;

	memcpy(&u, at, bytes);
	if (v->type == T_NONE)
		snprintf(out, n, "0x%02x", (unsigned)*at);
	else if (ptx_type_class(v->type) == 'f')
		snprintf(out, n, "%.*g",
			bytes == 8   ? 17
			: bytes == 4 ? 9
				     : 5,
			value_number(v->type, at));
	else if (ptx_type_class(v->type) == 's')
		snprintf(out, n, "%" PRId64, to_signed(u, bytes));
	else
		snprintf(out, n, "%" PRIu64, u);
}
