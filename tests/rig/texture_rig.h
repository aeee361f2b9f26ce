/* Runs one texture or surface instruction of up to 64 threads on the executor alone. */
#ifndef TESTS_RIG_TEXTURE_RIG_H
#define TESTS_RIG_TEXTURE_RIG_H

#include "tests/rig/exec_rig.h"

#define COORDS 16384u  /* offset in device memory: of each thread x, y, z, layer */
#define RESULTS 32768u /* of each thread four words */
#define THREADS 64u

/* A texture at the start of device memory. */
static inline struct texture at_start(
	enum texel_type type, unsigned channels, uint32_t width, uint32_t height, uint32_t depth)
{
	struct texture t = {.kind = OBJECT_TEXTURE,
		.type = (uint8_t)type,
		.channels = (uint8_t)channels,
		.width = width,
		.height = height,
		.depth = depth,
		.address = GENERIC_GLOBAL_BASE};

	t.row_bytes = (uint64_t)width * texture_texel_bytes(&t);
	t.slice_bytes = t.row_bytes * height;
	return t;
}

#define LOAD_COORDS \
	"mul.wide.u32 %rd2, %r0, 16; add.s64 %rd2, %rd0, %rd2; mov.u64 %rd3, 1; mov.u64 %rd4, " \
	"2;\n" \
	"ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd2+16384];\n" \
	"ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd2+16384];\n"
#define STORE_RESULTS "st.global.v4.b32 [%rd2+32768], {%r10, %r11, %r12, %r13};\n"

/* Runs an instruction whose results are %r10 .. %r13, whose float coordinates are %f0 .. %f2 (words
 * %r4 .. %r6), the layer %r7; handle 1 is %rd3, handle 2 is %rd4. */
static inline int run_threads(
	struct rig *r, const char *instr, const struct texture *t, unsigned n, unsigned threads)
{
	struct texture copy[2];
	struct texture_table table = {.texture = copy, .n = n};
	char text[4096];

	memcpy(copy, t, n * sizeof(*t));
	snprintf(text, sizeof(text), "%s%s%s",
		".version 7.0\n.target sm_70\n.address_size 64\n"
		".visible .entry k(.param .u64 out)\n{\n"
		".reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<8>;\n"
		"ld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\n" LOAD_COORDS,
		instr, "\n" STORE_RESULTS "ret;\n}\n");
	r->textures = &table;
	return rig_run(r, text, 1, threads);
}

static inline void set_coords(
	struct rig *r, unsigned thread, float x, float y, float z, uint32_t layer)
{
	float c[3] = {x, y, z};

	memcpy(&r->words[COORDS / 4 + 4 * thread], c, sizeof(c));
	r->words[COORDS / 4 + 4 * thread + 3] = layer;
}

static inline uint32_t result(const struct rig *r, unsigned thread, unsigned k)
{
	return r->words[RESULTS / 4 + 4 * thread + k];
}

static inline float result_f32(const struct rig *r, unsigned thread, unsigned k)
{
	uint32_t bits = result(r, thread, k);
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

#endif
