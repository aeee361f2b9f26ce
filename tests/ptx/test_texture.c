/* Texture fetches on the executor alone: against values computed by hand, and against a reference
 * in integer arithmetic. */
#include "tests/rig/texture_rig.h"

#include "core/rng.h"

#include <math.h>

static struct rig r;

static void store_f32(const float *x, unsigned n)
{
	memcpy(r.words, x, n * sizeof(*x));
}

#define TEX_1D "tex.1d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd3, {%f0}];"
#define TEX_2D "tex.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd3, {%f0, %f1}];"

/* ---- by hand. */

static void linear_filtering_weights_two_texels_around_their_centres(void **state)
{
	static const struct {
		float x, want;
	} rows[] = {{0.5f, 10}, {1.0f, 15}, {1.75f, 22.5f}, {2.5f, 30}, {3.5f, 40}, {3.9f, 40},
		{0.25f, 10}, {-7, 10}, {1e30f, 40}, {1.5f + 1 / 512.0f, 20.0390625f},
		{1.5f + 1 / 1024.0f, 20}, {NAN, 10}, {-INFINITY, 10}, {INFINITY, 40}};
	struct texture t = at_start(TEXEL_F32, 1, 4, 1, 1);

	(void)state;
	store_f32((const float[]){10, 20, 30, 40}, 4);
	t.sampler.linear = true;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		set_coords(&r, i, rows[i].x, 0, 0, 0);
	assert_int_equal(run_threads(&r, TEX_1D, &t, 1, ARRAY_LEN(rows)), 0);
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		assert_true(result_f32(&r, i, 0) == rows[i].want);
		assert_int_equal(result(&r, i, 1), 0);
		assert_int_equal(result(&r, i, 2), 0);
		assert_true(result_f32(&r, i, 3) == 1);
	}
}

static void the_border_is_zero_and_each_texel_has_its_own_turn(void **state)
{
	static const struct {
		float x, want;
	} rows[] = {
		{0.25f, 7.5f}, {0, 5}, {-0.25f, 2.5f}, {-0.5f, 0}, {4, 20}, {4.25f, 10}, {9, 0}};
	struct texture t = at_start(TEXEL_F32, 1, 4, 1, 1);

	(void)state;
	store_f32((const float[]){10, 20, 30, 40}, 4);
	t.sampler = (struct sampler){.mode = {ADDRESS_BORDER}, .linear = true};
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		set_coords(&r, i, rows[i].x, 0, 0, 0);
	assert_int_equal(run_threads(&r, TEX_1D, &t, 1, ARRAY_LEN(rows)), 0);
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		assert_true(result_f32(&r, i, 0) == rows[i].want);
}

static void bytes_read_as_floats_are_fractions_of_255(void **state)
{
	struct texture t = at_start(TEXEL_U8, 4, 2, 2, 1);

	(void)state;
	r.words[0] = 0xff800100;
	r.words[1] = 0x0033cc66;
	t.as_float = true;
	set_coords(&r, 0, 0.5f, 0.5f, 0, 0);
	set_coords(&r, 1, 1.5f, 0.5f, 0, 0);
	assert_int_equal(run_threads(&r, TEX_2D, &t, 1, 2), 0);
	assert_int_equal(result(&r, 0, 0), 0);
	assert_int_equal(result(&r, 0, 1), 0x3b808081); /* 1/255 */
	assert_int_equal(result(&r, 0, 2), 0x3f008081); /* 128/255 */
	assert_int_equal(result(&r, 0, 3), 0x3f800000);
	assert_int_equal(result(&r, 1, 0), 0x3ecccccd); /* 2/5 */
	assert_int_equal(result(&r, 1, 1), 0x3f4ccccd); /* 4/5 */
	assert_int_equal(result(&r, 1, 2), 0x3e4ccccd); /* 1/5 */
	assert_int_equal(result(&r, 1, 3), 0);
}

static void signed_bytes_are_fractions_of_127_and_never_below_minus_one(void **state)
{
	struct texture t = at_start(TEXEL_S8, 4, 1, 1, 1);

	(void)state;
	r.words[0] = 0x40817f80;
	t.as_float = true;
	set_coords(&r, 0, 0, 0, 0, 0);
	assert_int_equal(run_threads(&r, TEX_1D, &t, 1, 1), 0);
	assert_int_equal(result(&r, 0, 0), 0xbf800000);
	assert_int_equal(result(&r, 0, 1), 0x3f800000);
	assert_int_equal(result(&r, 0, 2), 0xbf800000);
	assert_int_equal(result(&r, 0, 3), 0x3f010204); /* 64/127 */
}

static void integers_are_extended_and_the_fourth_channel_is_one(void **state)
{
	struct texture t = at_start(TEXEL_S16, 2, 2, 1, 1);

	(void)state;
	r.words[1] = 0x7fff8000;
	r.words[COORDS / 4] = 1;
	assert_int_equal(
		run_threads(
			&r, "tex.1d.v4.s32.s32 {%r10, %r11, %r12, %r13}, [%rd3, {%r4}];", &t, 1, 1),
		0);
	assert_int_equal(result(&r, 0, 0), 0xffff8000);
	assert_int_equal(result(&r, 0, 1), 0x7fff);
	assert_int_equal(result(&r, 0, 2), 0);
	assert_int_equal(result(&r, 0, 3), 1);
	t.type = TEXEL_U16;
	assert_int_equal(run_threads(&r, "tex.1d.v4.u32.s32 {%r10, %r11, %r12, %r13}, [%rd3, %r4];",
				 &t, 1, 1),
		0);
	assert_int_equal(result(&r, 0, 0), 0x8000);
}

static void tld4_gives_one_channel_of_the_square_counterclockwise(void **state)
{
	struct texture t = at_start(TEXEL_F32, 2, 3, 3, 1);
	float x[18];

	(void)state;
	for (unsigned i = 0; i < 18; i++)
		x[i] = (float)i;
	store_f32(x, 18);
	set_coords(&r, 0, 1.6f, 2.4f, 0, 0); /* between columns 1, 2 and rows 1, 2 */
	assert_int_equal(run_threads(&r,
				 "tld4.g.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, "
				 "[%rd3, {%f0, %f1}];",
				 &t, 1, 1),
		0);
	assert_true(result_f32(&r, 0, 0) == 2 * (2 * 3 + 1) + 1);
	assert_true(result_f32(&r, 0, 1) == 2 * (2 * 3 + 2) + 1);
	assert_true(result_f32(&r, 0, 2) == 2 * (1 * 3 + 2) + 1);
	assert_true(result_f32(&r, 0, 3) == 2 * (1 * 3 + 1) + 1);
}

/* ---- a reference in integers: coordinates are multiples of 1/4096, texels of 1/1024. */

#define UNIT 4096
#define TEXEL_UNIT 1024

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* The texel's index, or -1, as the programming guide defines it. */
static int64_t wanted_index(int64_t i, int64_t n, enum address_mode mode)
{
	if (mode == ADDRESS_BORDER)
		return i < 0 || i >= n ? -1 : i;
	if (mode == ADDRESS_WRAP)
		return i - floor_div(i, n) * n;
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

struct axis {
	int64_t index[2], weight[2]; /* of 256 */
};

static struct axis wanted_axis(const struct sampler *s, unsigned k, int64_t c, int64_t n)
{
	enum address_mode mode = (enum address_mode)s->mode[k];
	struct axis a = {{0}, {256, 0}};
	int64_t i, fraction;

	if (s->normalised && mode == ADDRESS_MIRROR) {
		int64_t whole = floor_div(c, UNIT);

		c -= whole * UNIT;
		c = whole % 2 ? UNIT - c : c;
	}
	c *= s->normalised ? n : 1;
	c -= s->linear ? UNIT / 2 : 0;
	i = floor_div(c, UNIT);
	a.index[0] = wanted_index(i, n, mode);
	a.index[1] = wanted_index(i + 1, n, mode);
	fraction = c - i * UNIT;
	if (s->linear) {
		a.weight[1] = (fraction * 256 * 2 + UNIT) / (2 * UNIT);
		a.weight[0] = 256 - a.weight[1];
	}
	return a;
}

/* Texels of channel 0 in units of 1/1024, and the result of fetching them. */
static float wanted(const struct texture *t, const int32_t *texel, const struct axis *axis)
{
	int64_t sum = 0;

	for (unsigned corner = 0; corner < 8; corner++) {
		const int64_t *w[3] = {axis[0].weight, axis[1].weight, axis[2].weight};
		int64_t x = axis[0].index[corner & 1], y = axis[1].index[corner >> 1 & 1],
			z = axis[2].index[corner >> 2];
		int64_t weight = w[0][corner & 1] * w[1][corner >> 1 & 1] * w[2][corner >> 2];

		if (x >= 0 && y >= 0 && z >= 0 && weight)
			sum += weight * texel[(z * t->height + y) * t->width + x];
	}
	return (float)ldexp((double)sum, -24 - 10);
}

static const struct {
	const char *geometry, *coords;
	unsigned axes;
	bool array;
} shapes[] = {
	{"1d", "{%f0}", 1, false},
	{"2d", "{%f0, %f1}", 2, false},
	{"3d", "{%f0, %f1, %f2, %f3}", 3, false},
	{"a1d", "{%r7, %f0}", 1, true},
	{"a2d", "{%r7, %f0, %f1, %f1}", 2, true},
};

static void compare_shape(struct rng *rng, unsigned shape, struct texture *t, const char *sampler)
{
	static int32_t texel[4096];
	int64_t c[THREADS][3];
	uint32_t layer[THREADS];
	char instr[160];
	unsigned n = t->width * t->height * t->depth;

	for (unsigned i = 0; i < n; i++) {
		float x;

		texel[i] = (int32_t)rng_below(rng, 1u << 18) - (1 << 17);
		x = (float)texel[i] / TEXEL_UNIT;
		memcpy(&r.words[i * t->channels], &x, sizeof(x));
	}
	for (unsigned i = 0; i < THREADS; i++) {
		for (unsigned k = 0; k < 3; k++)
			c[i][k] = (int64_t)rng_below(rng, 40 * UNIT) - 20 * UNIT;
		layer[i] = (uint32_t)rng_below(rng, t->depth + 2);
		set_coords(&r, i, (float)c[i][0] / UNIT, (float)c[i][1] / UNIT,
			(float)c[i][2] / UNIT, layer[i]);
	}
	snprintf(instr, sizeof(instr),
		"tex.%s.v4.f32.f32 {%%r10, %%r11, %%r12, %%r13}, [%%rd3, %s%s];",
		shapes[shape].geometry, sampler, shapes[shape].coords);
	assert_int_equal(run_threads(&r, instr, t, 2, THREADS), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		uint32_t size[3] = {t->width, t->height, t->depth};
		struct axis axis[3] = {{{0}, {256, 0}}, {{0}, {256, 0}}, {{0}, {256, 0}}};
		float want;

		for (unsigned k = 0; k < shapes[shape].axes; k++)
			axis[k] = wanted_axis(&t[*sampler != 0].sampler, k, c[i][k], size[k]);
		if (shapes[shape].array)
			axis[2].index[0] = layer[i] < t->depth ? layer[i] : t->depth - 1;
		want = wanted(t, texel, axis);
		if (result_f32(&r, i, 0) != want)
			fail_msg("%s: (%g, %g, %g) layer %u: %.9g instead of %.9g", instr,
				(double)c[i][0] / UNIT, (double)c[i][1] / UNIT,
				(double)c[i][2] / UNIT, layer[i], (double)result_f32(&r, i, 0),
				(double)want);
	}
}

static void every_shape_mode_and_filter_gives_what_the_reference_gives(void **state)
{
	struct rng rng = rng_new(7, 1);

	(void)state;
	for (unsigned k = 0; k < 5 * 4 * 4 * 8; k++) {
		unsigned shape = k % 5, mode = k / 5 % 4, how = k / 20 % 4;
		uint32_t height = shape == 0 || shape == 3 ? 1 : 1 + (uint32_t)rng_below(&rng, 9);
		uint32_t depth = shape < 2 ? 1 : 1 + (uint32_t)rng_below(&rng, 9);
		struct texture t[2];
		bool normalised = how & 1 || mode >= ADDRESS_WRAP;

		t[0] = at_start(TEXEL_F32, 1u << rng_below(&rng, 3),
			1 + (uint32_t)rng_below(&rng, 11), height, depth);
		t[0].sampler = (struct sampler){
			.mode = {(uint8_t)mode, (uint8_t)(normalised ? rng_below(&rng, 4) : mode),
				(uint8_t)mode},
			.linear = how >> 1,
			.normalised = normalised};
		t[1] = t[0];
		t[1].kind = OBJECT_SAMPLER;
		if (k / 80 % 2)
			t[0].sampler.linear = !t[0].sampler.linear; /* the sampler's mode applies */
		compare_shape(&rng, shape, t, k / 80 % 2 ? "%rd4, " : "");
	}
}

/* v / 255 to 24 bits, as a multiple of 2^-32. */
static int64_t fraction_of_255(int64_t v)
{
	int64_t unit = 1, low;

	while ((v << 32) / 255 / unit >> 24)
		unit *= 2;
	low = (v << 32) % (255 * unit);
	return ((v << 32) / (255 * unit) + (2 * low > 255 * unit)) * unit;
}

static void weighted_bytes_are_exact_up_to_one_rounding(void **state)
{
	struct texture t = at_start(TEXEL_U8, 1, 16, 16, 1);
	unsigned char *bytes = (unsigned char *)r.words;
	struct rng rng = rng_new(7, 2);

	(void)state;
	t.as_float = true;
	t.sampler.linear = true;
	for (unsigned i = 0; i < 256; i++)
		bytes[i] = (unsigned char)rng_below(&rng, 256);
	for (unsigned i = 0; i < THREADS; i++)
		set_coords(&r, i, (float)rng_below(&rng, 16 * UNIT) / UNIT,
			(float)rng_below(&rng, 16 * UNIT) / UNIT, 0, 0);
	assert_int_equal(run_threads(&r, TEX_2D, &t, 1, THREADS), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		struct axis a[2];
		int64_t sum = 0; /* of 2^-48 */
		float xy[2];

		memcpy(xy, &r.words[COORDS / 4 + 4 * i], sizeof(xy));
		for (unsigned k = 0; k < 2; k++)
			a[k] = wanted_axis(&t.sampler, k, (int64_t)(xy[k] * UNIT), 16);
		for (unsigned c = 0; c < 4; c++) {
			unsigned v = bytes[a[1].index[c >> 1] * 16 + a[0].index[c & 1]];

			sum += fraction_of_255(v) * a[0].weight[c & 1] * a[1].weight[c >> 1];
		}
		assert_true(result_f32(&r, i, 0) == (float)ldexp((double)sum, -48));
	}
}

/* There is one level: level and gradient operands have no effect. */
static void levels_and_gradients_read_the_only_level(void **state)
{
	static const char *const instr[] = {
		"tex.base.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd3, {%f0, %f1}];",
		"tex.level.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd3, {%f0, %f1}], 3.5;",
		"tex.grad.2d.v4.f32.f32 {%r10, _, _, _}, [%rd3, {%f0, %f1}], {1.0, 0.0}, {_, _};"};
	struct texture t = at_start(TEXEL_F32, 1, 2, 2, 1);

	(void)state;
	store_f32((const float[]){1, 2, 4, 8}, 4);
	t.sampler.linear = true;
	set_coords(&r, 0, 1.25f, 1, 0, 0);
	for (unsigned i = 0; i < ARRAY_LEN(instr); i++) {
		assert_int_equal(run_threads(&r, instr[i], &t, 1, 1), 0);
		assert_true(result_f32(&r, 0, 0) == (1 + 4) / 2.0f / 4 + (2 + 8) / 2.0f * 3 / 4);
	}
}

/* ---- handles. */

static void lanes_may_name_different_textures(void **state)
{
	struct texture t[2] = {at_start(TEXEL_F32, 1, 64, 1, 1), at_start(TEXEL_U8, 1, 64, 1, 1)};

	(void)state;
	for (unsigned i = 0; i < 64; i++) {
		float x = (float)(1000 + i);

		memcpy(&r.words[i], &x, sizeof(x));
		((unsigned char *)r.words)[512 + i] = (unsigned char)i;
		set_coords(&r, i, (float)i, 0, 0, 0);
	}
	t[1].address += 512;
	assert_int_equal(run_threads(&r,
				 "and.b32 %r8, %r0, 1; cvt.u64.u32 %rd5, %r8; add.s64 %rd3, "
				 "%rd3, %rd5;\n"
				 "mov.b32 %r10, %f0; tex.1d.v4.f32.f32 {%r10, %r11, %r12, "
				 "%r13}, [%rd3, {%r10}];",
				 t, 2, 64),
		0);
	for (unsigned i = 0; i < 64; i++) {
		if (i % 2)
			assert_int_equal(result(&r, i, 0), i);
		else
			assert_true(result_f32(&r, i, 0) == (float)(1000 + i));
	}
}

static void a_handle_of_nothing_is_a_fault_that_says_so(void **state)
{
	struct texture t = at_start(TEXEL_F32, 1, 4, 1, 1);

	(void)state;
	assert_int_equal(run_threads(&r, "mov.u64 %rd3, 77;" TEX_1D, &t, 1, 4), -1);
	assert_int_equal(r.fault.kind, FAULT_BAD_HANDLE);
	assert_non_null(strstr(r.what, "77 is not a handle of the object"));
	t.kind = OBJECT_SAMPLER;
	assert_int_equal(run_threads(&r, TEX_1D, &t, 1, 4), -1);
	assert_int_equal(r.fault.kind, FAULT_BAD_HANDLE);
}

static void a_fetch_reports_the_texels_it_touched(void **state)
{
	struct texture t = at_start(TEXEL_F32, 1, 8, 8, 1);
	struct texels seen;

	(void)state;
	t.sampler = (struct sampler){.mode = {ADDRESS_BORDER, ADDRESS_CLAMP}, .linear = true};
	set_coords(&r, 0, 3, 5, 0, 0);
	set_coords(&r, 1, 0.25f, 0.25f, 0, 0);
	r.texels = &seen;
	assert_int_equal(run_threads(&r, TEX_2D, &t, 1, 2), 0);
	r.texels = NULL;
	assert_int_equal(seen.corners, 4);
	assert_int_equal(seen.bytes, 4);
	assert_int_equal(seen.lanes, 3);
	assert_int_equal(seen.mask[0], 1); /* of thread 1 the left ones are border */
	assert_int_equal(seen.mask[1], 3);
	assert_int_equal(seen.addr[0][0], t.address + 4 * 32 + 2 * 4);
	assert_int_equal(seen.addr[3][0], t.address + 5 * 32 + 3 * 4);
	assert_int_equal(seen.addr[1][1], t.address);
	assert_int_equal(seen.addr[3][1], t.address);
}

static void halves_are_floats(void **state)
{
	static const struct {
		float x, want;
	} rows[] = {{0.5f, 1}, {1.5f, 3}, {1, 2}, {2.5f, -2}, {3.5f, 0x1p-24f}, {4.5f, INFINITY}};
	static const uint16_t halves[] = {0x3c00, 0x4200, 0xc000, 0x0001, 0x7c00};
	struct texture t = at_start(TEXEL_F16, 1, 5, 1, 1);

	(void)state;
	memcpy(r.words, halves, sizeof(halves));
	t.sampler.linear = true;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		set_coords(&r, i, rows[i].x, 0, 0, 0);
	assert_int_equal(run_threads(&r, TEX_1D, &t, 1, ARRAY_LEN(rows)), 0);
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		assert_true(result_f32(&r, i, 0) == rows[i].want);
		assert_true(result_f32(&r, i, 3) == 1);
	}
}

static void colours_of_srgb_are_linear_values_but_not_the_fourth(void **state)
{
	static const unsigned char texels[] = {0, 128, 255, 128, 10, 11, 1, 255};
	static const double want[2][4] = {{0, 0.2158605001, 1, 128 / 255.0},
		{10 / 255.0 / 12.92, 0.0033465358, 1 / 255.0 / 12.92, 1}};
	struct texture t = at_start(TEXEL_U8, 4, 2, 1, 1);

	(void)state;
	memcpy(r.words, texels, sizeof(texels));
	t.as_float = t.srgb = true;
	set_coords(&r, 0, 0.5f, 0, 0, 0);
	set_coords(&r, 1, 1.5f, 0, 0, 0);
	assert_int_equal(run_threads(&r, TEX_1D, &t, 1, 2), 0);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < 4; k++)
			assert_true(fabs((double)result_f32(&r, i, k) - want[i][k]) < 1e-7);
	t.sampler.linear = true; /* the values are filtered, not the bytes */
	set_coords(&r, 0, 1, 0, 0, 0);
	assert_int_equal(run_threads(&r, TEX_1D, &t, 1, 1), 0);
	assert_true(fabs((double)result_f32(&r, 0, 1) - (want[0][1] + want[1][1]) / 2) < 1e-7);
}

#define CUBE(geometry, coords) \
	"tex." geometry ".v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd3, {" coords "}];"

static void a_direction_selects_a_face_and_a_texel_of_it(void **state)
{
	static const struct {
		float x, y, z, want;
	} rows[] = {{1, 0.5f, 0.5f, 0}, {-1, 0.5f, 0.5f, 11}, {0.5f, 1, 0.5f, 23},
		{0.5f, -1, 0.5f, 31}, {0.5f, 0.5f, 1, 41}, {0.5f, 0.5f, -1, 50}, {8, -4, -4, 3},
		{1, 1, 1, 41}, {2, 2, 0, 23}, {0, 0, 0, 40}, {INFINITY, 1, 1, 3}, {NAN, 0, 0, 0}};
	struct texture t = at_start(TEXEL_F32, 1, 2, 2, 12);
	float texels[48];

	(void)state;
	for (unsigned i = 0; i < 48; i++)
		texels[i] = (float)(i / 4 * 10 + i % 4);
	store_f32(texels, 48);
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		set_coords(&r, i, rows[i].x, rows[i].y, rows[i].z, i % 3);
	assert_int_equal(
		run_threads(&r, CUBE("cube", "%f0, %f1, %f2, %f2"), &t, 1, ARRAY_LEN(rows)), 0);
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		assert_true(result_f32(&r, i, 0) == rows[i].want);
	assert_int_equal(
		run_threads(&r, CUBE("acube", "%r7, %f0, %f1, %f2"), &t, 1, ARRAY_LEN(rows)), 0);
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) /* of two cubes */
		assert_true(result_f32(&r, i, 0) == rows[i].want + (i % 3 ? 60 : 0));
}

static void a_face_is_filtered_by_itself(void **state)
{
	struct texture t = at_start(TEXEL_F32, 1, 2, 2, 6);
	float texels[24];

	(void)state;
	for (unsigned i = 0; i < 24; i++)
		texels[i] = (float)(i / 4 * 10 + i % 4);
	store_f32(texels, 24);
	t.sampler.linear = true;
	set_coords(&r, 0, 3, 0, 0, 0);
	set_coords(&r, 1, 1, 0.99999f, 0.99999f, 0);
	assert_int_equal(run_threads(&r, CUBE("cube", "%f0, %f1, %f2, %f2"), &t, 1, 2), 0);
	assert_true(result_f32(&r, 0, 0) == 1.5f);
	assert_true(result_f32(&r, 1, 0) == 0);
	assert_int_equal(run_threads(&r,
				 "tex.level.cube.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd3, {%f0, "
				 "%f1, %f2, %f2}], 2.0;",
				 &t, 1, 2),
		0);
	assert_true(result_f32(&r, 0, 0) == 1.5f);
}

/* Levels of 2 x 2 x 2, 1 x 1 x 1 texels: 1 and 3. */
static void levels_of_a_mipmap_are_blended_lane_by_lane(void **state)
{
	static const float want[] = {1, 2, 3, 3, 1.25f};
	struct texture t[2] = {at_start(TEXEL_F32, 1, 2, 2, 2), at_start(TEXEL_F32, 1, 1, 1, 1)};

	(void)state;
	store_f32((const float[]){1, 1, 1, 1, 1, 1, 1, 1, 3}, 9);
	t[0].sampler = t[1].sampler = (struct sampler){.linear = true, .normalised = true};
	t[1].address += 32;
	t[0].smaller = 2;
	t[0].blend = true;
	t[0].most = 9;
	for (unsigned i = 0; i < 5; i++)
		set_coords(&r, i, (const float[]){0, 0.5f, 1, 7, 0.125f}[i], 0, 0, 0);
	assert_int_equal(run_threads(&r,
				 "tex.level.3d.v4.f32.f32 {%r10, %r11, %r12, %r13}, "
				 "[%rd3, {0.5, 0.5, 0.5, 0.0}], %f0;",
				 t, 2, 5),
		0);
	for (unsigned i = 0; i < 5; i++)
		assert_true(result_f32(&r, i, 0) == want[i]);
	t[0].blend = false;
	for (unsigned i = 0; i < 5; i++)
		r.words[COORDS / 4 + 4 * i] = i - 1;
	assert_int_equal(run_threads(&r,
				 "tex.level.3d.v4.f32.s32 {%r10, %r11, %r12, %r13}, "
				 "[%rd3, {0, 0, 0, 0}], %r4;",
				 t, 2, 5),
		0);
	for (unsigned i = 0; i < 5; i++)
		assert_true(result_f32(&r, i, 0) == (i < 2 ? 1 : 3));
	/* 2 texels a step in x and z: the square root of 8 of them, level 1.5; then half of one */
	assert_int_equal(run_threads(&r,
				 "tex.grad.3d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd3, {0.5, "
				 "0.5, 0.5, 0.0}], {1.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, _};",
				 t, 2, 1),
		0);
	assert_true(result_f32(&r, 0, 0) == 3);
	assert_int_equal(run_threads(&r,
				 "tex.grad.3d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd3, {0.5, "
				 "0.5, 0.5, 0.0}], {0.0, 0.25, 0.0, 0.0}, {_, _, _, _};",
				 t, 2, 1),
		0);
	assert_true(result_f32(&r, 0, 0) == 1);
	assert_int_equal(run_threads(&r, "txq.num_mipmap_levels.b32 %r10, [%rd3];", t, 2, 1), 0);
	assert_int_equal(result(&r, 0, 0), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear_filtering_weights_two_texels_around_their_centres),
		cmocka_unit_test(levels_of_a_mipmap_are_blended_lane_by_lane),
		cmocka_unit_test(the_border_is_zero_and_each_texel_has_its_own_turn),
		cmocka_unit_test(bytes_read_as_floats_are_fractions_of_255),
		cmocka_unit_test(signed_bytes_are_fractions_of_127_and_never_below_minus_one),
		cmocka_unit_test(integers_are_extended_and_the_fourth_channel_is_one),
		cmocka_unit_test(tld4_gives_one_channel_of_the_square_counterclockwise),
		cmocka_unit_test(every_shape_mode_and_filter_gives_what_the_reference_gives),
		cmocka_unit_test(weighted_bytes_are_exact_up_to_one_rounding),
		cmocka_unit_test(levels_and_gradients_read_the_only_level),
		cmocka_unit_test(lanes_may_name_different_textures),
		cmocka_unit_test(a_handle_of_nothing_is_a_fault_that_says_so),
		cmocka_unit_test(a_fetch_reports_the_texels_it_touched),
		cmocka_unit_test(halves_are_floats),
		cmocka_unit_test(colours_of_srgb_are_linear_values_but_not_the_fourth),
		cmocka_unit_test(a_direction_selects_a_face_and_a_texel_of_it),
		cmocka_unit_test(a_face_is_filtered_by_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
