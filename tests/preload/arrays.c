/* A CUDA program as program.c: arrays, textures, surfaces, managed variables, properties. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our library */
#include "fatbin.h"

typedef struct {
	unsigned x, y, z;
} dim3;
typedef struct {
	int x, y, z, w, kind;
} format;
typedef struct {
	size_t width, height, depth;
} extent;
typedef struct {
	void *at;
	size_t pitch, width, height;
} pitched;
typedef struct {
	void *from;
	size_t from_at[3];
	pitched from_ptr;
	void *to;
	size_t to_at[3];
	pitched to_ptr;
	extent n;
	int kind;
} copy_3d;
typedef struct {
	int type;
	union {
		void *array;
		struct {
			void *at;
			format f;
			size_t a, b, c;
		} memory; /* linear: a bytes; pitch: a x b texels, c bytes a row */
		int room[32];
	} of;
} resource;
typedef struct {
	int mode[3], linear, as_float, srgb;
	float border[4];
	int normalised;
	unsigned anisotropy;
	int more[6];
} reading;
struct reference {
	int normalised, linear, mode[3];
	format f;
	int srgb, more[20];
};

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterTexture(
	void **, const void *, const void **, const char *, int dimensions, int norm, int ext);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
void __cudaInitModule(void **);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaDeviceSynchronize(void);
int cudaMemcpy(void *, const void *, size_t, int), cudaDeviceReset(void);
int cudaMalloc3DArray(void **, const format *, extent, unsigned), cudaFreeArray(void *);
int cudaMallocArray(void **, const format *, size_t, size_t, unsigned);
int cudaArrayGetInfo(format *, extent *, unsigned *, void *), cudaGetChannelDesc(format *, void *);
format cudaCreateChannelDesc(int, int, int, int, int);
int cudaMemcpyToArray(void *, size_t, size_t, const void *, size_t, int);
int cudaMemcpyFromArray(void *, void *, size_t, size_t, size_t, int);
int cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpy2DFromArray(void *, size_t, void *, size_t, size_t, size_t, size_t, int);
int cudaMemcpy2DArrayToArray(void *, size_t, size_t, void *, size_t, size_t, size_t, size_t, int);
int cudaMemcpy3D(const copy_3d *), cudaMemset3D(pitched, int, extent);
int cudaMallocPitch(void **, size_t *, size_t, size_t), cudaMalloc3D(pitched *, extent);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int cudaCreateTextureObject(uint64_t *, const resource *, const reading *, const void *);
int cudaDestroyTextureObject(uint64_t), cudaCreateSurfaceObject(uint64_t *, const resource *);
int cudaDestroySurfaceObject(uint64_t);
int cudaBindTexture(size_t *, const void *, const void *, const format *, size_t);
int cudaBindTexture2D(size_t *, const void *, const void *, const format *, size_t, size_t, size_t);
int cudaBindTextureToArray(const void *, void *, const format *), cudaUnbindTexture(const void *);
int cudaGetDeviceProperties(void *, int), cudaGetDeviceProperties_v2(void *, int);
int cudaGetSymbolAddress(void **, const void *);
int cudaMemGetInfo(size_t *, size_t *);
const char *cudaGetErrorName(int);

enum { TO_DEVICE = 1, TO_HOST, ON_DEVICE, CLAMP = 1, BORDER = 3 };
static const format floats = {32, 0, 0, 0, 2}, bytes = {8, 0, 0, 0, 1}, words = {32, 0, 0, 0, 1};
static char plane_stub, line_stub, named_stub, draw_stub, count_stub, layer_stub;
static struct reference named, narrow;
static int *counter; /* managed; in the memory of both sides */
static void **handle;

__attribute__((constructor)) static void enter(void)
{
	static const struct {
		char *stub;
		const char *name;
	} kernels[] = {{&plane_stub, "plane"}, {&line_stub, "line"}, {&named_stub, "through"},
		{&draw_stub, "draw"}, {&count_stub, "count"}, {&layer_stub, "layer"}};

	handle = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);
	for (unsigned i = 0; i < 6; i++)
		__cudaRegisterFunction(
			handle, kernels[i].stub, NULL, kernels[i].name, -1, 0, 0, 0, 0, 0);
	__cudaRegisterTexture(handle, &named, NULL, "named", 2, 0, 0);
	__cudaRegisterTexture(handle, &narrow, NULL, "named", 2, 1, 0);
	__cudaRegisterManagedVar(handle, (void **)&counter, NULL, "counter", 0, 4, 0, 0);
}

static void show(const char *name, int error)
{
	printf("%s: %s\n", name, cudaGetErrorName(error));
}

/* out[i] = what the kernel reads through `object` for thread i, at (first + step * i, y). */
static void fetch(char *kernel, uint64_t object, float first, float step, float y, void *out)
{
	void *device, *args[] = {&device, &object, &first, &step, &y};

	cudaMalloc(&device, 128);
	if (cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, 0, NULL) ||
		cudaMemcpy(out, device, 128, TO_HOST))
		memset(out, 0xee, 128);
	cudaFree(device);
}

/* A picture of 8 x 4 floats. */
static float picture[4][8];
static void draw_picture(void)
{
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 8; x++)
			picture[y][x] = (float)(100 * y + x * x);
}

static float texel(int x, int y)
{
	x = x < 0 ? 0 : x > 7 ? 7 : x;
	y = y < 0 ? 0 : y > 3 ? 3 : y;
	return picture[y][x];
}

static void copies(void)
{
	float whole[4][8], cut[2][3];
	format f;
	extent e;
	unsigned flags;
	void *a, *b;

	draw_picture();
	show("array", cudaMallocArray(&a, &floats, 8, 4, 0));
	show("array", cudaMallocArray(&b, &floats, 5, 5, 2));
	show("to", cudaMemcpyToArray(a, 0, 0, picture, 48, TO_DEVICE)); /* a row and a half */
	show("to", cudaMemcpyToArray(a, 16, 1, &picture[1][4], 80, TO_DEVICE));
	show("from", cudaMemcpyFromArray(whole, a, 0, 0, sizeof(whole), TO_HOST));
	printf("whole: %d\n", !memcmp(whole, picture, sizeof(whole)));
	show("between", cudaMemcpy2DArrayToArray(b, 8, 1, a, 16, 2, 12, 2, ON_DEVICE));
	show("cut", cudaMemcpy2DFromArray(cut, 12, b, 8, 1, 12, 2, TO_HOST));
	printf("cut: %d\n",
		!memcmp(cut[0], &picture[2][4], 12) && !memcmp(cut[1], &picture[3][4], 12));
	show("info", cudaArrayGetInfo(&f, &e, &flags, b));
	printf("info: %d %d, %d x %d x %d, %u\n", f.x, f.kind, (int)e.width, (int)e.height,
		(int)e.depth, flags);
	show("format", cudaGetChannelDesc(&f, a));
	f = cudaCreateChannelDesc(8, 8, 8, 8, 1);
	printf("made: %d %d %d %d %d\n", f.x, f.y, f.z, f.w, f.kind);
	show("free", cudaFreeArray(a));
	show("again", cudaFreeArray(a));
	show("reset", cudaDeviceReset());
	show("gone", cudaFreeArray(b));
}

/* Boxes of bytes, and of texels with an array. */
static void boxes(void)
{
	static unsigned short host[3][4][6], back[3][4][6];
	format f = {16, 0, 0, 0, 1};
	pitched device;
	copy_3d c = {.kind = TO_DEVICE, .n = {6, 4, 3}};
	int same = 1;
	void *a;

	for (int i = 0; i < 72; i++)
		host[0][0][i] = (unsigned short)(i * i);
	show("array", cudaMalloc3DArray(&a, &f, c.n, 0));
	show("memory", cudaMalloc3D(&device, (extent){12, 4, 3}));
	show("set", cudaMemset3D(device, 7, (extent){12, 4, 3}));
	c.to = a;
	c.from_ptr = (pitched){host, 12, 6, 4};
	show("in", cudaMemcpy3D(&c));
	/* the box of 3 x 2 x 2 texels at (2, 1, 1) into memory at byte (4, 2, 0) */
	c = (copy_3d){.from = a,
		.from_at = {2, 1, 1},
		.to_ptr = device,
		.to_at = {4, 2, 0},
		.n = {3, 2, 2},
		.kind = ON_DEVICE};
	show("across", cudaMemcpy3D(&c));
	c = (copy_3d){
		.from_ptr = device, .to_ptr = {back, 12, 12, 4}, .n = {12, 4, 3}, .kind = TO_HOST};
	show("out", cudaMemcpy3D(&c));
	for (int z = 0; z < 3; z++)
		for (int y = 0; y < 4; y++)
			for (int x = 0; x < 6; x++) {
				int inside = z < 2 && y >= 2 && x >= 2 && x < 5;

				same &= back[z][y][x] == (inside ? host[z + 1][y - 1][x] : 0x0707);
			}
	printf("boxes: %d\n", same);
	c.n.width = 600;
	show("wide", cudaMemcpy3D(&c));
	c = (copy_3d){.from = a, .to_ptr = device, .n = {6, 4, 4}, .kind = ON_DEVICE};
	show("deep", cudaMemcpy3D(&c));
	c.n.depth = 3;
	c.kind = TO_DEVICE;
	show("direction", cudaMemcpy3D(&c));
	c.from = NULL;
	show("nothing", cudaMemcpy3D(&c));
}

static void objects(void)
{
	unsigned char small[32];
	unsigned got[32];
	float seen[32];
	reading r = {.mode = {CLAMP, CLAMP, CLAMP}};
	resource of = {.type = 0};
	uint64_t t, again;
	int right = 1;
	size_t pitch;
	void *a, *p;

	draw_picture();
	cudaMallocArray(&a, &floats, 8, 4, 0);
	cudaMemcpy2DToArray(a, 0, 0, picture, 32, 32, 4, TO_DEVICE);
	of.of.array = a;
	show("array", cudaCreateTextureObject(&t, &of, &r, NULL));
	fetch(&plane_stub, t, -2, 1, 2.5f, seen);
	for (int i = 0; i < 12; i++)
		right &= seen[i] == texel(i - 2, 2);
	show("destroy", cudaDestroyTextureObject(t));
	r.linear = 1;
	cudaCreateTextureObject(&again, &of, &r, NULL);
	printf("clamped: %d, the handle again: %d\n", right, again == t);
	fetch(&plane_stub, again, 1, 1, 1, seen); /* between four texels */
	for (int i = 0, x = 1; i < 6; i++, x++)
		right &= seen[i] ==
			 (texel(x - 1, 0) + texel(x, 0) + texel(x - 1, 1) + texel(x, 1)) / 4;
	printf("filtered: %d\n", right);
	r = (reading){.mode = {BORDER, BORDER, BORDER}, .normalised = 1};
	cudaMallocPitch(&p, &pitch, 32, 4);
	cudaMemcpy2D(p, pitch, picture, 32, 32, 4, TO_DEVICE);
	of = (resource){.type = 3, .of.memory = {p, floats, 8, 4, pitch}};
	show("pitch", cudaCreateTextureObject(&t, &of, &r, NULL));
	fetch(&plane_stub, t, -0.0625f, 0.125f, 0.875f, seen);
	for (int i = 0; i < 12; i++)
		right &= seen[i] == (i < 1 || i > 8 ? 0 : picture[3][i - 1]);
	printf("normalised: %d\n", right);
	for (int i = 0; i < 32; i++)
		small[i] = (unsigned char)(255 - 7 * i);
	cudaMemcpy(p, small, 32, TO_DEVICE);
	r = (reading){.mode = {CLAMP, CLAMP, CLAMP}};
	of = (resource){.type = 2, .of.memory = {p, bytes, 20, 0, 0}};
	show("linear", cudaCreateTextureObject(&t, &of, &r, NULL));
	fetch(&line_stub, t, 0, 1, 0, got);
	for (int i = 0; i < 32; i++)
		right &= got[i] == (i < 20 ? small[i] : 0u); /* beyond the end: 0 */
	printf("bytes: %d\n", right);
}

static void layers(void)
{
	float host[3][8], seen[32];
	reading r = {.mode = {CLAMP, CLAMP, CLAMP}};
	resource of = {.type = 0};
	copy_3d c = {.from_ptr = {host, 32, 8, 1}, .n = {8, 1, 3}, .kind = TO_DEVICE};
	uint64_t t;
	int right = 1;

	for (int i = 0; i < 24; i++)
		host[0][i] = (float)(i * 3);
	show("layered", cudaMalloc3DArray(&c.to, &floats, (extent){8, 0, 3}, 1));
	show("in", cudaMemcpy3D(&c));
	of.of.array = c.to;
	cudaCreateTextureObject(&t, &of, &r, NULL);
	fetch(&layer_stub, t, 0.5f, 1, 2, seen); /* y: the layer */
	for (int i = 0; i < 8; i++)
		right &= seen[i] == host[2][i];
	printf("layers: %d\n", right);
}

static void references(void)
{
	float seen[32];
	unsigned char small[32];
	int right = 1;
	size_t offset = 9, pitch;
	void *a, *p;

	draw_picture();
	cudaMallocArray(&a, &floats, 8, 4, 0);
	cudaMemcpy2DToArray(a, 0, 0, picture, 32, 32, 4, TO_DEVICE);
	named = (struct reference){.mode = {CLAMP, CLAMP, CLAMP}, .f = floats};
	show("to array", cudaBindTextureToArray(&named, a, &floats));
	fetch(&named_stub, 0, 0, 1, 1, seen);
	for (int i = 0; i < 12; i++)
		right &= seen[i] == texel(i, 1);
	show("unbind", cudaUnbindTexture(&named));
	cudaMallocPitch(&p, &pitch, 8, 4);
	for (int i = 0; i < 32; i++)
		small[i] = (unsigned char)(i * 5);
	cudaMemcpy2D(p, pitch, small, 8, 8, 4, TO_DEVICE);
	narrow = (struct reference){.mode = {BORDER, BORDER, BORDER}, .f = bytes};
	show("plane", cudaBindTexture2D(&offset, &narrow, p, &bytes, 8, 4, pitch));
	fetch(&named_stub, 0, 0, 1, 3, seen);
	for (int i = 0; i < 12; i++) /* the reference was registered as one that reads floats */
		right &= seen[i] == (i < 8 ? (float)small[24 + i] / 255 : 0);
	show("memory", cudaBindTexture(&offset, &named, p, &floats, SIZE_MAX));
	printf("read: %d, offset %d\n", right, (int)offset);
	show("none", cudaBindTextureToArray(&a, a, &floats));
	show("null", cudaBindTexture(NULL, &named, NULL, &floats, 4));
	show("no format", cudaBindTexture(NULL, &named, p, NULL, 4));
	show("reset", cudaDeviceReset());
	fetch(&named_stub, 0, 0, 1, 1, seen);
	printf("nothing is read: %d\n", *(unsigned char *)seen == 0xee);
}

static void surfaces(void)
{
	unsigned seen[4][8];
	float unused[32];
	resource of = {.type = 0};
	uint64_t s;
	void *a;
	int right = 1;

	cudaMallocArray(&a, &words, 8, 4, 2);
	of.of.array = a;
	show("surface", cudaCreateSurfaceObject(&s, &of));
	fetch(&draw_stub, s, 0, 0, 0, unused); /* writes thread * 3 at (thread % 8, thread / 8) */
	cudaMemcpy2DFromArray(seen, 32, a, 0, 0, 32, 4, TO_HOST);
	for (unsigned i = 0; i < 32; i++)
		right &= seen[i / 8][i % 8] == 3 * i;
	printf("drawn: %d\n", right);
	show("destroy", cudaDestroySurfaceObject(s));
	show("again", cudaDestroySurfaceObject(s));
	of.type = 2;
	show("linear", cudaCreateSurfaceObject(&s, &of));
}

/* An object, made again as it was; a reference; a surface. */
static void kept(void)
{
	float seen[32];
	reading r = {.mode = {BORDER, CLAMP, CLAMP}, .linear = 1};
	resource of = {.type = 0}, drawn = {.type = 0};
	uint64_t t, s;
	int right = 1;

	draw_picture();
	cudaMallocArray(&of.of.array, &floats, 8, 4, 0);
	cudaMemcpy2DToArray(of.of.array, 0, 0, picture, 32, 32, 4, TO_DEVICE);
	cudaMallocArray(&drawn.of.array, &words, 8, 4, 2);
	cudaCreateSurfaceObject(&s, &drawn);
	for (int turn = 0; turn < 2; turn++) {
		cudaCreateTextureObject(&t, &of, &r, NULL);
		fetch(&plane_stub, t, 0.5f, 1, 1.5f, seen);
		for (int i = 0; i < 12; i++)
			right &= seen[i] == (i < 8 ? picture[1][i] : 0);
		cudaDestroyTextureObject(t);
	}
	named = (struct reference){.mode = {CLAMP, CLAMP, CLAMP}, .f = floats};
	cudaBindTextureToArray(&named, of.of.array, &floats);
	fetch(&named_stub, 0, 0, 1, 1, seen);
	cudaBindTextureToArray(&named, of.of.array, &floats);
	fetch(&named_stub, 0, 0, 1, 1, seen);
	fetch(&draw_stub, s, 0, 0, 0, seen);
	printf("kept: %d\n", right);
}

static void wrong(void)
{
	format three = {8, 8, 8, 0, 1}, half = {16, 0, 0, 0, 2}, uneven = {8, 16, 0, 0, 1};
	reading r = {.mode = {CLAMP, CLAMP, CLAMP}};
	resource of = {.type = 0};
	uint64_t t;
	void *a, *p;

	show("three", cudaMallocArray(&a, &three, 4, 4, 0));
	show("uneven", cudaMallocArray(&a, &uneven, 4, 4, 0));
	show("empty", cudaMallocArray(&a, &words, 0, 4, 0));
	show("huge", cudaMallocArray(&a, &words, SIZE_MAX, 4, 0));
	show("cube", cudaMalloc3DArray(&a, &words, (extent){4, 4, 5}, 4));
	show("cube", cudaMalloc3DArray(&a, &words, (extent){4, 5, 6}, 4));
	show("cubes", cudaMalloc3DArray(&a, &words, (extent){4, 4, 10}, 5));
	show("cubes", cudaMalloc3DArray(&a, &words, (extent){4, 4, 12}, 5));
	show("sparse", cudaMalloc3DArray(&a, &words, (extent){4, 4, 0}, 64));
	show("null", cudaMallocArray(NULL, &words, 4, 4, 0));
	show("no array", cudaFreeArray(&a));
	cudaMallocArray(&a, &words, 4, 4, 0);
	cudaMalloc(&p, 64);
	show("beyond", cudaMemcpy2DToArray(a, 4, 0, picture, 16, 16, 4, TO_DEVICE));
	show("below", cudaMemcpy2DToArray(a, 0, 3, picture, 16, 16, 2, TO_DEVICE));
	show("part", cudaMemcpy2DToArray(a, 2, 0, picture, 16, 4, 1, TO_DEVICE));
	show("pitch", cudaMemcpy2DToArray(a, 0, 0, picture, 8, 16, 2, TO_DEVICE));
	show("direction", cudaMemcpy2DToArray(a, 0, 0, picture, 16, 16, 4, TO_HOST));
	show("direction", cudaMemcpy2DFromArray(picture, 16, a, 0, 0, 16, 4, TO_DEVICE));
	show("too many", cudaMemcpyToArray(a, 0, 0, picture, 68, TO_DEVICE));
	of.of.array = a;
	r.linear = 1;
	show("filter", cudaCreateTextureObject(&t, &of, &r, NULL));
	r = (reading){.as_float = 1};
	show("norm", cudaCreateTextureObject(&t, &of, &r, NULL));
	r = (reading){.mode = {4}};
	show("mode", cudaCreateTextureObject(&t, &of, &r, NULL));
	r = (reading){.border = {1}};
	show("border", cudaCreateTextureObject(&t, &of, &r, NULL));
	r = (reading){.linear = 0};
	show("view", cudaCreateTextureObject(&t, &of, &r, &of));
	of.of.array = &a;
	show("no array", cudaCreateTextureObject(&t, &of, &r, NULL));
	of = (resource){.type = 2, .of.memory = {p, words, 68, 0, 0}};
	show("too long", cudaCreateTextureObject(&t, &of, &r, NULL));
	of = (resource){.type = 3, .of.memory = {p, words, 4, 4, 12}};
	show("overlap", cudaCreateTextureObject(&t, &of, &r, NULL));
	of = (resource){.type = 2, .of.memory = {picture, words, 16, 0, 0}};
	show("host", cudaCreateTextureObject(&t, &of, &r, NULL));
	of = (resource){.type = 2, .of.memory = {p, half, 16, 0, 0}};
	show("half", cudaCreateTextureObject(&t, &of, &r, NULL));
	r = (reading){.srgb = 1};
	show("colours", cudaCreateTextureObject(&t, &of, &r, NULL));
	r = (reading){.srgb = 0};
	of.type = 1;
	show("mipmap", cudaCreateTextureObject(&t, &of, &r, NULL));
	show("destroy", cudaDestroyTextureObject(77));
	show("nothing", cudaDestroyTextureObject(0));
}

/* A freed texture's handle. */
static void stale(void)
{
	reading r = {.linear = 0};
	resource of = {.type = 2};
	unsigned got[32], seven = 7;
	uint64_t t, other;
	void *p;

	cudaMalloc(&p, 64);
	cudaMemcpy(p, &seven, 4, TO_DEVICE);
	of.of.memory.at = p;
	of.of.memory.f = words;
	of.of.memory.a = 64;
	cudaCreateTextureObject(&t, &of, &r, NULL);
	cudaDestroyTextureObject(t);
	cudaCreateTextureObject(&other, &of, &r, NULL); /* with its entry */
	show("twice", cudaDestroyTextureObject(t));
	show("as a surface", cudaDestroySurfaceObject(t));
	fetch(&line_stub, other, 0, 0, 0, got);
	printf("the other: %u\n", got[0]);
	fetch(&line_stub, t, 0, 0, 0, got);
	show("stale", cudaDeviceSynchronize());
}

static void managed(void)
{
	void *args[1] = {0}, *at = NULL;

	__cudaInitModule(handle);
	printf("at first: %d\n", *counter);
	*counter += 10;
	cudaLaunchKernel(&count_stub, (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, 0, NULL);
	cudaDeviceSynchronize();
	printf("then: %d\n", *counter);
	show("address", cudaGetSymbolAddress(&at, counter));
	printf("same: %d\n", at == (void *)counter);
	show("reset", cudaDeviceReset());
	printf("again: %d\n", *counter);
	cudaLaunchKernel(&count_stub, (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, 0, NULL);
	cudaDeviceSynchronize();
	printf("then: %d\n", *counter);
}

static int word(const char *p, size_t at)
{
	int value;

	memcpy(&value, p + at, 4);
	return value;
}

static void properties(void)
{
	char p[1100];
	size_t memory, left, all;

	memset(p, 1, sizeof(p));
	cudaGetDeviceProperties(p, 0);
	memcpy(&memory, p + 288, 8);
	cudaMemGetInfo(&left, &all);
	printf("of 13: %d SMs, bus %d, %d threads, %d CTAs\n", word(p, 384), word(p, 592),
		word(p, 604), word(p, 688));
	printf("of 11: %d SMs, bus %d at %d kHz, %d threads, %d CTAs, beyond %d %d\n", word(p, 388),
		word(p, 612), word(p, 608), word(p, 624), word(p, 712), word(p, 724), word(p, 728));
	printf("memory: %zu MB, %d\n", memory >> 20, memory == all);
	memset(p, 1, sizeof(p));
	cudaGetDeviceProperties_v2(p, 0);
	show("second", cudaGetDeviceProperties(p, 1));
	show("null", cudaGetDeviceProperties(NULL, 0));
	printf("of 12: %d SMs, beyond %d %d\n", word(p, 388), word(p, 1028), word(p, 1032));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*act)(void);
	} acts[] = {{"copies", copies}, {"boxes", boxes}, {"objects", objects}, {"layers", layers},
		{"references", references}, {"surfaces", surfaces}, {"kept", kept},
		{"wrong", wrong}, {"stale", stale}, {"managed", managed},
		{"properties", properties}};

	for (size_t i = 0; argc > 1 && i < sizeof(acts) / sizeof(*acts); i++)
		if (!strcmp(acts[i].name, argv[1]))
			acts[i].act();
	return 0;
}

#endif
