/* A CUDA program that binds texture and surface references with the driver's functions. */
#include <stdint.h>
#include <stdio.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our libraries */

typedef uint64_t address;
struct plane {
	size_t width, height;
	int format;
	unsigned channels;
};
struct volume {
	size_t width, height, depth;
	int format;
	unsigned channels, flags;
};

int cuInit(unsigned), cuCtxCreate_v2(void **, unsigned, int), cuGetErrorName(int, const char **);
int cuModuleLoadData(void **, const void *), cuModuleUnload(void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuModuleGetTexRef(void **, void *, const char *),
	cuModuleGetSurfRef(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
	void *, void **, void **);
int cuMemAlloc_v2(address *, size_t), cuMemcpyDtoH_v2(void *, address, size_t);
int cuMemcpyHtoD_v2(address, const void *, size_t);
int cuCtxSynchronize(void);
int cuArray3DCreate_v2(void **, const struct volume *);
int cuMipmappedArrayCreate(void **, const struct volume *, unsigned);
int cuMipmappedArrayGetLevel(void **, void *, unsigned);
int cuTexRefSetArray(void *, void *, unsigned), cuTexRefSetMipmappedArray(void *, void *, unsigned);
int cuTexRefSetAddress_v2(size_t *, void *, address, size_t);
int cuTexRefSetAddress2D_v2(void *, const struct plane *, address, size_t);
int cuTexRefSetFormat(void *, int, int), cuTexRefSetAddressMode(void *, int, int);
int cuTexRefSetFilterMode(void *, int), cuTexRefSetFlags(void *, unsigned);
int cuTexRefSetMipmapFilterMode(void *, int), cuTexRefSetMipmapLevelBias(void *, float);
int cuTexRefSetMipmapLevelClamp(void *, float, float), cuTexRefSetMaxAnisotropy(void *, unsigned);
int cuTexRefGetArray(void **, void *), cuTexRefGetAddress_v2(address *, void *);
int cuTexRefGetAddressMode(int *, void *, int), cuTexRefGetFilterMode(int *, void *);
int cuTexRefGetFlags(unsigned *, void *), cuTexRefGetMipmapLevelClamp(float *, float *, void *);
int cuSurfRefSetArray(void *, void *, unsigned), cuParamSetTexRef(void *, int, void *);
int cuTexRefCreate(void **), cuTexRefDestroy(void *), cuTexRefSetBorderColor(void *, const float *);

#define CLAMP 1
#define U8 1
#define U32 3
#define FLOAT 32

static void show(const char *name, int result)
{
	const char *text = "none";

	cuGetErrorName(result, &text);
	printf("%s: %s\n", name, text ? text + 5 : "?");
	fflush(stdout);
}

#define ENTRY(name) \
	".visible .entry " name "(.param .u64 out)\n{\n" \
	"\t.reg .b64 %o;\n\t.reg .b32 %r<4>;\n\t.reg .f32 %f<4>;\n\tld.param.u64 %o, [out];\n"
#define STORE "\tst.global.f32 [%o], %f0;\n\tret;\n}\n"
static const char ptx[] =
	".version 6.0\n.target sm_50\n.address_size 64\n"
	".global .texref picture;\n.global .surfref canvas;\n" ENTRY(
		"plane") "\ttex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [picture, {2.5, 1.5}];\n" STORE
		ENTRY("whole") "\ttex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [picture, {0.5, 0.5}];\n" STORE ENTRY(
			"line") "\tmov.u32 %r0, 3;\n\ttex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [picture, {%r0}];\n" STORE
			ENTRY("words") "\tmov.u32 %r0, 3;\n"
				       "\ttex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [picture, {%r0}];\n"
				       "\tcvt.rn.f32.u32 %f0, %r0;\n" STORE ENTRY(
					       "level") "\ttex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [picture, {0.5, 0.5}], 1.0;\n" STORE
					       ENTRY("draw") "\tmov.u32 %r0, 0x429a0000;\n\tmov.u32 %r1, 8;\n\tmov.u32 %r2, 1;\n"
							     "\tsust.b.2d.b32.trap [canvas, {%r1, %r2}], {%r0};\n\tret;\n}\n";

static void *module, *picture;
static address out;

static int launch(const char *kernel)
{
	void *function, *args[] = {&out};

	cuModuleGetFunction(&function, module, kernel);
	return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
}

/* What the kernel reads. */
static void fetch(const char *what, const char *kernel)
{
	float got = -1;
	int e = launch(kernel);

	e = e ? e : cuMemcpyDtoH_v2(&got, out, 4);
	if (e)
		show(what, e);
	else
		printf("%s: %g\n", what, (double)got);
}

struct side {
	size_t x_bytes, y;
	int memory;
	const void *host;
	address device;
	void *array;
	size_t pitch;
};
struct copy {
	struct side from, to;
	size_t width, height;
};
int cuMemcpy2D_v2(const struct copy *);

/* A square of that side: first, first + 1 .., rows begin with `by` more than the one before. */
static void fill(void *array, size_t side, float first, float by)
{
	float texels[16];
	struct copy c = {.from = {.memory = 1, .host = texels},
		.to = {.memory = 3, .array = array},
		.width = 4 * side,
		.height = side};

	for (size_t i = 0; i < side * side; i++)
		texels[i] = first + by * (float)(i / side) + (by != 0 ? (float)(i % side) : 0);
	if (cuMemcpy2D_v2(&c))
		printf("not filled\n");
}

static void *array_of(float first)
{
	static const struct volume four = {4, 4, 0, FLOAT, 1, 2};
	void *array;

	if (cuArray3DCreate_v2(&array, &four))
		return NULL;
	fill(array, 4, first, 10);
	return array;
}

static void arrays(void)
{
	void *a = array_of(0), *b = array_of(100), *got = NULL;

	show("unbound", launch("plane"));
	show("set", cuTexRefSetArray(picture, a, 1));
	fetch("plane", "plane");
	show("other", cuTexRefSetArray(picture, b, 1));
	fetch("plane", "plane");
	show("filter", cuTexRefSetFilterMode(picture, 1));
	show("mode", cuTexRefSetAddressMode(picture, 0, CLAMP));
	show("mode", cuTexRefSetAddressMode(picture, 1, CLAMP));
	show("flags", cuTexRefSetFlags(picture, 2));
	fetch("middle", "whole");
	show("flags", cuTexRefSetFlags(picture, 0));
	show("filter", cuTexRefSetFilterMode(picture, 0));
	show("array", cuTexRefGetArray(&got, picture));
	printf("same %d\n", got == b);
	show("address", cuTexRefGetAddress_v2(&(address){0}, picture));
}

static void addresses(void)
{
	static const struct plane bytes = {8, 2, U8, 1};
	unsigned char row[2][32] = {{0, 1, 2, 255}, {0, 0, 51}};
	size_t offset = 9;
	address p, got;

	cuMemAlloc_v2(&p, sizeof(row));
	cuMemcpyHtoD_v2(p, row, sizeof(row));
	show("format", cuTexRefSetFormat(picture, U32, 1));
	show("linear", cuTexRefSetAddress_v2(&offset, picture, p, 32));
	show("format", cuTexRefSetFormat(picture, U8, 1));
	printf("offset %zu\n", offset);
	fetch("as float", "line");
	show("flags", cuTexRefSetFlags(picture, 1));
	fetch("as integer", "words");
	show("flags", cuTexRefSetFlags(picture, 0));
	show("pitch", cuTexRefSetAddress2D_v2(picture, &bytes, p, 32));
	fetch("second row", "plane");
	show("address", cuTexRefGetAddress_v2(&got, picture));
	printf("same %d\n", got == p);
}

static void mipmaps(void)
{
	static const struct volume four = {4, 4, 0, FLOAT, 1, 0};
	float least = 0, most = 0;
	void *m, *level;

	cuMipmappedArrayCreate(&m, &four, 2);
	for (unsigned i = 0; i < 2; i++) {
		cuMipmappedArrayGetLevel(&level, m, i);
		fill(level, 4 >> i, 40 + (float)i, 0);
	}
	show("mipmap", cuTexRefSetMipmappedArray(picture, m, 1));
	show("flags", cuTexRefSetFlags(picture, 2));
	show("clamp", cuTexRefSetMipmapLevelClamp(picture, 0, 5));
	show("blend", cuTexRefSetMipmapFilterMode(picture, 0));
	show("clamp", cuTexRefGetMipmapLevelClamp(&least, &most, picture));
	printf("%g to %g\n", (double)least, (double)most);
	fetch("level", "level");
	show("bias", cuTexRefSetMipmapLevelBias(picture, -1));
	fetch("first level", "level");
}

static void surfaces(void)
{
	void *canvas, *a = array_of(0);

	show("surface", cuModuleGetSurfRef(&canvas, module, "canvas"));
	show("set", cuSurfRefSetArray(canvas, a, 0));
	show("draw", launch("draw"));
	show("synchronize", cuCtxSynchronize());
	show("set as texture", cuTexRefSetFlags(picture, 0));
	cuTexRefSetArray(picture, a, 1);
	fetch("drawn", "plane");
}

static void wrong(void)
{
	void *other, *function;

	show("no name", cuModuleGetTexRef(&other, module, "none"));
	show("a kernel", cuModuleGetTexRef(&other, module, "plane"));
	show("null", cuModuleGetTexRef(NULL, module, "picture"));
	show("no module", cuModuleGetTexRef(&other, &other, "picture"));
	show("again", cuModuleGetTexRef(&other, module, "picture"));
	printf("same %d\n", other == picture);
	show("no reference", cuTexRefSetFlags(&other, 0));
	show("no array", cuTexRefSetArray(picture, NULL, 1));
	show("no override", cuTexRefSetArray(picture, module, 0));
	show("dimension", cuTexRefSetAddressMode(picture, 3, 0));
	show("mode", cuTexRefSetAddressMode(picture, 0, 4));
	show("filter", cuTexRefSetFilterMode(picture, 2));
	show("flags", cuTexRefSetFlags(picture, 1024));
	show("as a surface", cuSurfRefSetArray(picture, module, 0));
	show("the module's", cuTexRefDestroy(picture));
	show("own", cuTexRefCreate(&other));
	show("own", cuTexRefDestroy(other));
	show("gone", cuTexRefDestroy(other));
	cuModuleGetFunction(&function, module, "plane");
	show("parameter", cuParamSetTexRef(function, -1, picture));
	show("unit", cuParamSetTexRef(function, 0, picture));
	show("border", cuTexRefSetBorderColor(picture, (float[4]){1, 0, 0, 0}));
	show("launch", launch("plane"));
	show("unload", cuModuleUnload(module));
	show("after it", cuTexRefSetFlags(picture, 0));
}

int main(void)
{
	void *context;

	cuInit(0);
	cuCtxCreate_v2(&context, 0, 0);
	show("module", cuModuleLoadData(&module, ptx));
	show("reference", cuModuleGetTexRef(&picture, module, "picture"));
	cuMemAlloc_v2(&out, 4);
	arrays();
	addresses();
	mipmaps();
	surfaces();
	wrong();
	return 0;
}

#endif
