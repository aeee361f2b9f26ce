/* A CUDA program as program.c: mipmapped arrays and their textures. */
#include <stdint.h>
#include <stdio.h>
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
	int type;
	union {
		void *array;
		int room[32];
	} of;
} resource;
typedef struct {
	int mode[3], linear, as_float, srgb;
	float border[4];
	int normalised;
	unsigned anisotropy;
	int blend;
	float bias, least, most;
	int more[2];
} reading;

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int);
int cudaMallocMipmappedArray(void **, const format *, extent, unsigned, unsigned);
int cudaGetMipmappedArrayLevel(void **, void *, unsigned), cudaFreeMipmappedArray(void *);
int cudaFreeArray(void *), cudaArrayGetInfo(format *, extent *, unsigned *, void *);
int cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
int cudaCreateTextureObject(uint64_t *, const resource *, const reading *, const void *);
int cudaDestroyTextureObject(uint64_t), cudaDeviceReset(void);
const char *cudaGetErrorName(int);

static const format floats = {32, 0, 0, 0, 2};
static char level_stub, gradient_stub, plain_stub, named_stub;
static struct {
	int normalised, linear, mode[3];
	format f;
	int srgb;
	unsigned anisotropy;
	int blend;
	float bias, least, most;
	int more[16];
} picture;
void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int);
int cudaBindTextureToMipmappedArray(const void *, void *, const format *);

__attribute__((constructor)) static void enter(void)
{
	void **handle = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);

	__cudaRegisterFunction(handle, &level_stub, NULL, "level", -1, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(handle, &gradient_stub, NULL, "gradient", -1, 0, 0, 0, 0, 0);
	__cudaRegisterTexture(handle, &picture, NULL, "picture", 2, 0, 0);
	__cudaRegisterFunction(handle, &named_stub, NULL, "named", -1, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(handle, &plain_stub, NULL, "plain", -1, 0, 0, 0, 0, 0);
}

static void show(const char *name, int error)
{
	printf("%s: %s\n", name, cudaGetErrorName(error));
}

/* What a fetch at the centre reads for 8 levels, from `first` in steps. */
static void fetch(const char *what, char *kernel, uint64_t texture, float first, float step)
{
	void *device, *args[] = {&device, &texture, &first, &step};
	float seen[8] = {0};

	cudaMalloc(&device, sizeof(seen));
	if (cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){8, 1, 1}, args, 0, NULL) ||
		cudaMemcpy(seen, device, sizeof(seen), 2))
		printf("lost ");
	cudaFree(device);
	printf("%s:", what);
	for (int i = 0; i < 8; i++)
		printf(" %g", (double)seen[i]);
	printf("\n");
}

/* 8 x 4, 4 x 2, 2 x 1 and 1 x 1 texels of 0, 10, 20 and 30. */
static void *make(void)
{
	float texels[32];
	void *m, *level;
	extent e;

	show("mipmap", cudaMallocMipmappedArray(&m, &floats, (extent){8, 4, 0}, 9, 0));
	for (unsigned i = 0; i < 4; i++) {
		for (int k = 0; k < 32; k++)
			texels[k] = (float)(10 * i);
		show("level", cudaGetMipmappedArrayLevel(&level, m, i));
		cudaArrayGetInfo(NULL, &e, NULL, level);
		printf("%d x %d\n", (int)e.width, (int)e.height);
		show("fill", cudaMemcpy2DToArray(
				     level, 0, 0, texels, 4 * e.width, 4 * e.width, e.height, 1));
	}
	return m;
}

static void levels(void)
{
	reading r = {.mode = {1, 1, 1}, .normalised = 1, .most = 99};
	resource of = {.type = 1};
	uint64_t t;

	of.of.array = make();
	show("nearest", cudaCreateTextureObject(&t, &of, &r, NULL));
	fetch("nearest", &level_stub, t, -1, 0.75f);
	fetch("plain", &plain_stub, t, 0, 0);
	show("destroy", cudaDestroyTextureObject(t));
	r.blend = r.linear = 1;
	cudaCreateTextureObject(&t, &of, &r, NULL);
	fetch("blended", &level_stub, t, -1, 0.75f);
	fetch("gradient", &gradient_stub, t, 0.125f, 0.125f);
	r.bias = 1;
	r.least = 1.5f;
	r.most = 2.25f;
	cudaCreateTextureObject(&t, &of, &r, NULL);
	fetch("limited", &level_stub, t, -1, 0.5f);
	fetch("plain", &plain_stub, t, 0, 0);
	picture.normalised = picture.blend = picture.linear = 1;
	picture.mode[0] = picture.mode[1] = picture.mode[2] = 1;
	picture.most = 99;
	show("bind", cudaBindTextureToMipmappedArray(&picture, of.of.array, &floats));
	fetch("by reference", &named_stub, 0, -1, 0.75f);
	picture.blend = 0;
	show("bind", cudaBindTextureToMipmappedArray(&picture, of.of.array, &floats));
	fetch("not blended", &named_stub, 0, -1, 0.75f);
	show("no mipmap", cudaBindTextureToMipmappedArray(&picture, &r, &floats));
	show("no reference", cudaBindTextureToMipmappedArray(&r, of.of.array, &floats));
	show("free", cudaFreeMipmappedArray(of.of.array));
	show("again", cudaFreeMipmappedArray(of.of.array));
}

static void wrong(void)
{
	reading r = {.mode = {1, 1, 1}};
	resource of = {.type = 1};
	void *m, *level;
	uint64_t t;
	format three = {8, 8, 8, 0, 1};

	show("null", cudaMallocMipmappedArray(NULL, &floats, (extent){8, 4, 0}, 2, 0));
	show("three", cudaMallocMipmappedArray(&m, &three, (extent){8, 4, 0}, 2, 0));
	show("sparse", cudaMallocMipmappedArray(&m, &floats, (extent){8, 4, 0}, 2, 64));
	show("two", cudaMallocMipmappedArray(&m, &floats, (extent){8, 4, 0}, 2, 0));
	show("third", cudaGetMipmappedArrayLevel(&level, m, 2));
	show("no mipmap", cudaGetMipmappedArrayLevel(&level, &m, 0));
	show("nowhere", cudaGetMipmappedArrayLevel(NULL, m, 0));
	show("level", cudaGetMipmappedArrayLevel(&level, m, 1));
	show("part", cudaFreeArray(level));
	of.of.array = m;
	show("texels", cudaCreateTextureObject(&t, &of, &r, NULL));
	of.of.array = &m;
	r.normalised = 1;
	show("no array", cudaCreateTextureObject(&t, &of, &r, NULL));
	show("nothing", cudaFreeMipmappedArray(NULL));
	show("reset", cudaDeviceReset());
	show("gone", cudaFreeMipmappedArray(m));
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "levels"))
		levels();
	else
		wrong();
	return 0;
}

#endif
